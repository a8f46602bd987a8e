"""Profiles and sizes of ensembles: lines, bands, the baseline, knots, names in the margin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.plot import ensemble_sizes, profiles
from holdfast.plot._labels import spread_positions
from tests.plot.tables import profile_table, texts


def lines(picture, count):
    """Return the first lines as sequences of points."""
    return [list(zip(*line.get_data(), strict=True)) for line in picture.ax.get_lines()[:count]]


def test_each_selector_is_a_line_through_its_values():
    table = profile_table(["a", "b"], sizes=(2, 4, 8))
    picture = profiles(table.sample(frac=1, random_state=0))
    drawn = {tuple(line) for line in lines(picture, 2)}
    wanted = {
        tuple(zip(own["size"], own["value"], strict=True)) for _, own in table.groupby("selector")
    }
    assert drawn == wanted
    assert {"a", "b", "random selection"} <= set(texts(picture))


def test_values_that_are_missing_and_sizes_that_are_no_numbers_are_left_out():
    table = pd.DataFrame(
        {"selector": "a", "size": [1, 2, "own", 4], "value": [0.5, np.nan, 0.9, 0.7]}
    )
    picture = profiles(table)
    assert lines(picture, 1) == [[(1, 0.5), (4, 0.7)]]
    assert picture.numbers["size"].tolist() == [1, 4]
    assert "random selection" not in texts(picture)


def test_many_selectors_have_no_bands():
    few, many = (profiles(profile_table([f"s{i}" for i in range(n)])) for n in (8, 9))
    assert len(few.ax.collections) == 8
    assert len(many.ax.collections) == 0


def test_sizes_over_orders_of_magnitude_are_spread_by_logarithms():
    assert profiles(profile_table(["a"], sizes=(1, 10, 29))).ax.get_xscale() == "linear"
    assert profiles(profile_table(["a"], sizes=(1, 10, 1000))).ax.get_xscale() == "log"
    wide = profile_table(["a"], sizes=(1, 10, 1000))
    assert profiles(wide, scale="linear").ax.get_xscale() == "linear"
    with pytest.raises(UnknownNameError, match="scale"):
        profiles(wide, scale="log")
    assert "1,000" in texts(profiles(profile_table(["a"], sizes=(1, 10, 1000))))


def test_knots_lie_on_the_line_and_carry_their_number():
    table = pd.DataFrame({"selector": "a", "size": [1, 3, 9], "value": [1.0, 0.8, 0.2]})
    knots = pd.DataFrame({"selector": ["a", "a", "b"], "size": [3, 6, np.nan]})
    picture = profiles(table, knots)
    assert picture.numbers["knot"].tolist() == [False, True, False]
    rings = [line.get_data() for line in picture.ax.get_lines() if line.get_markersize() == 10]
    assert sorted((x[0], round(y[0], 3)) for x, y in rings) == [(3.0, 0.8), (6.0, 0.5)]
    assert {"3", "6"} <= set(texts(picture))
    assert picture.description.endswith("Knots: a at 3, 6.")


def test_a_single_size_makes_rows_with_the_best_on_top():
    table = profile_table(["low", "high"], sizes=(10,))
    picture = profiles(table, measure="phi")
    assert [label.get_text() for label in picture.ax.get_yticklabels()] == ["high", "low"]
    assert picture.ax.get_xlabel() == "phi, 10 selected features; dashed: random selection"


def test_a_table_of_knots_without_sizes_is_refused():
    with pytest.raises(InvalidInputError, match="the table of knots needs"):
        profiles(profile_table(["a"]), pd.DataFrame({"selector": ["a"]}))


def test_sizes_of_ensembles_are_lines_as_well():
    table = profile_table(["a", "b"]).rename(columns={"size": "n_bags"}).drop(columns="chance")
    picture = ensemble_sizes(table, measure="phi")
    assert len(picture.numbers) == len(table)
    assert picture.ax.get_xlabel() == "number of bags in the ensemble"
    assert picture.ax.get_ylabel() == "phi"
    assert "from 1 to 100 bags" in picture.description


@given(
    wanted=st.lists(st.floats(0, 1), min_size=1, max_size=40),
    gap=st.floats(0.001, 0.024),
)
def test_names_in_the_margin_keep_their_distance_and_order(wanted, gap):
    places = spread_positions(np.array(wanted), gap)
    order = np.argsort(wanted, kind="stable")
    assert np.all(np.diff(places[order]) >= gap - 1e-9)
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9


def test_names_that_have_room_stay_where_they_are():
    wanted = np.array([0.9, 0.1, 0.5])
    assert spread_positions(wanted, 0.1).tolist() == wanted.tolist()
    assert np.allclose(spread_positions(np.array([0.5, 0.5]), 0.1), [0.45, 0.55])
