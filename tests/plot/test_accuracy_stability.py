"""The plane of accuracy and stability: points, the front, what is named and what is left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plot import plane
from holdfast.plot._labels import LABEL_OFFSETS, _label_box
from holdfast.plot._selectors import find_undominated_points
from tests.plot.tables import plane_table, texts


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "selector": ["f", "f", "r", "random"],
            "classifier": ["svm", "knn", "svm", "svm"],
            "size": [5, 5, 10, 5],
            "error": [0.10, 0.20, 0.15, 0.30],
            "standard_error": 0.02,
            "stability": [0.5, 0.4, 0.9, 0.01],
            "low": [0.4, 0.3, 0.8, -0.05],
            "high": [0.6, 0.5, 1.0, 0.06],
        }
    )


def test_points_lie_at_accuracy_and_stability(table):
    numbers = plane(table).numbers
    assert numbers["accuracy"].tolist() == [0.9, 0.8, 0.85, 0.7]
    assert numbers["front"].tolist() == [True, False, True, False]


def test_what_is_no_more_stable_than_chance_is_left_out_and_named(table):
    picture = plane(table)
    assert picture.numbers["drawn"].tolist() == [True, True, True, False]
    assert "no more stable than chance: 1 point of random" in picture.ax.get_xlabel()
    assert picture.ax.get_ylim()[0] > 0.1
    kept = plane(table.assign(recommended=[False, False, False, True]))
    assert kept.numbers["drawn"].all()


def test_the_front_is_a_line_of_steps(table):
    (line,) = [one for one in plane(table).ax.get_lines() if one.get_drawstyle() == "steps-pre"]
    assert list(zip(*line.get_data(), strict=True)) == [(0.85, 0.9), (0.9, 0.5)]


def test_a_front_with_a_third_aim_keeps_its_line_ascending_in_accuracy_only(table):
    three = table.assign(front=[True, True, True, False])
    (line,) = [one for one in plane(three).ax.get_lines() if one.get_drawstyle() == "steps-pre"]
    x, y = line.get_data()
    assert np.all(np.diff(x) > 0)
    assert np.all(np.diff(y) < 0)


def test_points_that_are_on_the_front_by_their_size_alone_are_counted_apart(table):
    assert "2 points on the Pareto front of the two." in plane(table).description
    three = plane(table.assign(front=[True, True, True, False]))
    assert (
        "2 points on the Pareto front of the two; 1 more when the number of features counts"
        in three.description
    )


def test_axes_end_where_measures_do(table):
    table.loc[2, ["stability", "high"]] = [0.99, 1.4]
    picture = plane(table.assign(error=table["error"] - 0.1))
    assert picture.ax.get_ylim()[1] == 1
    assert picture.ax.get_xlim()[1] == 1
    assert picture.numbers["high"].max() == 1.4
    assert plane(table, maximum=np.inf).ax.get_ylim()[1] > 1.4


def test_the_recommended_pair_is_named_and_explained(table):
    picture = plane(table.assign(recommended=[False, False, True, False]))
    assert {"r, 10, svm", "recommended", "Pareto front"} <= set(texts(picture))
    assert "Recommended: r, 10, svm, 85% correct, stability 0.90." in picture.description


def test_rows_without_an_error_are_left_out():
    table = plane_table(["a", "b"])
    table.loc[0, "error"] = np.nan
    assert len(plane(table).numbers) == len(table) - 1
    without = plane(table.assign(error=np.nan))
    assert without.description == "Nothing to show: no errors of classifiers are known."


@pytest.mark.slow
def test_of_many_points_only_the_chief_ones_are_named():
    table = plane_table([f"s{i}" for i in range(40)])
    named = [text for text in texts(plane(table)) if ", " in text]
    assert 1 <= len(named) <= 8


def boxes(picture):
    """Return the boxes of labels beside points, as they are drawn."""
    picture.figure.draw_without_rendering()
    renderer = picture.figure._get_renderer()
    notes = [text for text in picture.ax.texts if ", " in text.get_text()]
    return [text.get_window_extent(renderer) for text in notes]


@pytest.mark.slow
def test_labels_do_not_cover_each_other():
    for seed in range(5):
        table = plane_table(["f_score", "relieff", "svm_rfe"], sizes=(5,))
        table["error"] = np.random.default_rng(seed).uniform(0.1, 0.3, len(table))
        found = boxes(plane(table))
        assert len(found) == 6
        for i, one in enumerate(found):
            assert not any(one.overlaps(other) for other in found[:i])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_the_front_holds_what_nothing_beats(points):
    found = find_undominated_points(np.array(points, dtype=float))
    for point, front in zip(points, found, strict=True):
        beaten = any(o[0] >= point[0] and o[1] >= point[1] and o != point for o in points)
        assert front == (not beaten)


def test_places_of_labels_are_on_the_side_they_say():
    spot = np.array([100.0, 100.0])
    for place in LABEL_OFFSETS:
        left, _, right, _ = _label_box(spot, place, "label")
        if place.side == "left":
            assert left > 100
        elif place.side == "right":
            assert right < 100
