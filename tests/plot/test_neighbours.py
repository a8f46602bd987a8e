"""Correlation with nearest neighbours: the numbers by hand, what is drawn, what is refused."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from holdfast.errors import InvalidInputError
from holdfast.plot import DARK, _groups, neighbours
from tests.plot.tables import overhang, texts


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    common = rng.normal(size=(15, 3))
    return common[:, rng.integers(0, 3, 40)] + rng.normal(size=(15, 40))


def naive(data, count, *, itself):
    """Return the mean correlation of each feature with its nearest ones, one by one."""
    likeness = np.corrcoef(data, rowvar=False)
    means = []
    for j, row in enumerate(likeness):
        others = sorted(np.delete(row, j), reverse=True)
        means.append(np.mean(([1.0] if itself else []) + others[: count - itself]))
    return means


@pytest.mark.parametrize("itself", [True, False])
def test_numbers_are_means_over_the_nearest(data, itself, monkeypatch):
    monkeypatch.setattr(_groups, "FEATURES_PER_BLOCK", 7)  # several blocks, the last one smaller
    picture = neighbours(data, n_neighbors=[1, 4, 39], count_itself=itself)
    for count, own in picture.numbers.groupby("n_neighbors"):
        expected = naive(data, count, itself=itself)
        np.testing.assert_allclose(own["correlation"], expected, atol=1e-12)
    assert picture.numbers["feature"].tolist()[:2] == ["0", "1"]


def test_one_neighbour_is_the_feature_itself(data):
    picture = neighbours(data, n_neighbors=[1, 2])
    assert (picture.numbers.query("n_neighbors == 1")["correlation"] == 1).all()
    assert "from 1.00 to" in picture.description


def test_copies_are_neighbours_of_each_other_and_constants_of_none(data):
    frame = pd.DataFrame(data[:, :5], columns=list("abcde")).assign(copy=data[:, 0], flat=3.0)
    numbers = neighbours(frame, n_neighbors=[1], count_itself=False).numbers
    own = numbers.set_index("feature")["correlation"]
    assert own[["a", "copy"]].tolist() == pytest.approx([1, 1])
    assert own.drop(["a", "copy"]).max() < 1
    assert "flat" not in own.index


def test_more_neighbours_than_features_are_left_out(data):
    picture = neighbours(data[:, :4])
    assert set(picture.numbers["n_neighbors"]) == {1, 2, 3, 4}
    fewer = neighbours(data[:, :4], count_itself=False)
    assert set(fewer.numbers["n_neighbors"]) == {1, 2, 3}


def test_rows_are_named_from_few_to_many_and_medians_marked(data):
    picture = neighbours(data, n_neighbors=[20, 3, 3])
    assert [word for word in texts(picture) if word.startswith("K")] == ["K = 3", "K = 20"]
    marks = [
        line.get_segments()[0] for line in picture.ax.collections if hasattr(line, "get_segments")
    ]
    medians = picture.numbers.groupby("n_neighbors")["correlation"].median()
    assert [mark[0, 0] for mark in marks] == pytest.approx(medians.tolist())
    assert overhang(picture) < 0.02
    assert len(picture.svg()) < 40_000


def test_a_place_of_its_own_and_a_dark_page(data):
    ax = Figure(figsize=(4, 3)).add_subplot()
    assert neighbours(data, ax=ax).ax is ax
    assert DARK["blue"] in neighbours(data, style="dark").svg()


def test_nothing_to_show():
    picture = neighbours(np.ones((4, 3)))
    assert picture.description == "Nothing to show: no feature has this many neighbours."
    assert picture.numbers.columns.tolist() == ["n_neighbors", "feature", "correlation"]


@pytest.mark.parametrize("bad", [np.arange(4.0), [[1.0, np.nan], [2.0, 3.0]]])
def test_what_is_no_table_of_numbers_is_refused(bad):
    with pytest.raises(InvalidInputError, match="finite numbers"):
        neighbours(bad)
    with pytest.raises(InvalidInputError, match="n_neighbors"):
        neighbours(np.eye(3), n_neighbors=[0])
