"""Stripes: marks, their order, groups, the truth, and very many of them."""

import tracemalloc

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.plot import stripes
from holdfast.plot._selections import Marks, _row_heights, find_runs
from tests.plot.tables import texts


@pytest.fixture
def subsets():
    return hf.Subsets([["a", "c"], ["c"], ["b", "c"]], feature_names=list("abcd"))


def test_there_is_a_mark_for_each_selected_feature(subsets):
    numbers = stripes(subsets).numbers
    marks = list(zip(numbers["resample"], numbers["feature"], numbers["column"], strict=True))
    assert marks == [(0, "a", 0), (0, "c", 2), (1, "c", 2), (2, "b", 1), (2, "c", 2)]
    assert set(numbers["group"]) == {0}
    assert "informative" not in numbers.columns


def test_by_frequency_the_most_often_selected_is_first_and_others_are_left_out(subsets):
    picture = stripes(subsets, order="frequency")
    columns = dict(zip(picture.numbers["feature"], picture.numbers["column"], strict=True))
    assert columns == {"c": 0, "a": 1, "b": 2}
    assert picture.ax.get_xlim() == (0, 3)
    assert [t for t in texts(picture) if t in "abcd"] == ["c", "a", "b"]


def test_an_unknown_order_is_refused(subsets):
    with pytest.raises(InvalidInputError, match='"index" or "frequency", got \'name\''):
        stripes(subsets, order="name")


def test_truth_colours_marks_by_name(subsets):
    picture = stripes(subsets, truth=["c"])
    assert picture.numbers.groupby("feature")["informative"].first().to_dict() == {
        "a": False,
        "b": False,
        "c": True,
    }
    assert {"truly informative", "not informative"} <= set(texts(picture))


def test_groups_stand_apart(subsets):
    picture = stripes(subsets, outer=[7, 7, 9])
    assert picture.numbers["group"].tolist() == [7, 7, 7, 9, 9]
    assert _row_heights(np.array([7, 7, 9])).tolist() == [0, 1, 3]
    assert picture.ax.get_ylabel() == "outer resample"
    with pytest.raises(InvalidInputError, match="each of the 3 resamples, got 2"):
        stripes(subsets, outer=[1, 2])


def test_runs_cover_the_marks_exactly():
    random = np.random.default_rng(1)
    table = random.random((20, 15)) < 0.5
    rows, columns = np.nonzero(table)
    runs = find_runs(Marks(rows, columns, 15, np.ones(len(rows), dtype=bool)))
    again = np.zeros_like(table)
    for column, start, stop, _ in runs:
        assert not again[start:stop, column].any()
        again[start:stop, column] = True
    assert np.array_equal(again, table)


def test_what_is_drawn_of_one_feature_and_of_unknown_many():
    assert (
        "at least once: 1 of 1 feature; by every resample: 1."
        in stripes(hf.Subsets([[0]], n_features=1)).description
    )
    unknown = hf.Subsets([[3, 5], [3]])
    assert stripes(unknown).ax.get_xlim() == (0, 6)


def test_empty_selections_say_so():
    empty = stripes(hf.Subsets([[], []], n_features=4))
    assert empty.description == "Nothing to show: no feature was selected."


@pytest.mark.slow
def test_a_hundred_thousand_features_and_a_thousand_resamples_are_no_burden():
    random = np.random.default_rng(0)
    rows = [np.unique(random.integers(0, 100_000, 50)) for _ in range(1000)]
    subsets = hf.Subsets(rows, n_features=100_000)
    tracemalloc.start()
    svg = stripes(subsets, outer=np.arange(1000) // 100).svg()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000  # half of a table with one byte per feature and resample
    assert len(svg) < 250_000


def test_thousands_of_marks_stay_shapes_that_can_change_their_colour():
    random = np.random.default_rng(2)
    rows = [np.unique(random.integers(0, 900, 55)) for _ in range(50)]
    svg = stripes(hf.Subsets(rows, n_features=900)).svg()
    assert svg.count("V") > 2000
    assert "<image" not in svg
    assert len(svg) < 120_000


def test_an_image_shows_every_mark():
    random = np.random.default_rng(2)
    rows = [np.unique(random.integers(0, 900, 90)) for _ in range(50)]
    subsets = hf.Subsets(rows, n_features=900)
    (image,) = stripes(subsets).ax.get_images()
    seen = np.asarray(image.get_array())[..., 3] > 0
    wanted = np.zeros((50, 900), dtype=bool)
    for row, features in enumerate(rows):
        wanted[row, features] = True
    assert np.array_equal(seen, wanted)
