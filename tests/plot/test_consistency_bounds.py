"""Bounds of the weighted consistency: against all systems of small subsets, and their picture."""

import itertools

import numpy as np
import pytest
from matplotlib.figure import Figure

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.measures import weighted_consistency_bounds
from holdfast.plot import consistency_bounds
from tests.plot.tables import overhang, texts


def test_the_bounds_are_reached_and_never_passed():
    p, m = 4, 3
    subsets = [s for k in range(p + 1) for s in itertools.combinations(range(p), k)]
    values = {}
    for system in itertools.combinations_with_replacement(subsets, m):
        selected = sum(map(len, system))
        if selected:
            cw = hf.measure("weighted_consistency", hf.Subsets(list(system), n_features=p))
            values.setdefault(selected, []).append(cw)
    table = weighted_consistency_bounds(m, p).set_index("selected")
    assert list(table.index) == list(range(1, m * p + 1))
    for selected, row in table.iterrows():
        assert row["minimum"] == pytest.approx(min(values[selected]))
        assert row["maximum"] == pytest.approx(max(values[selected]))


def test_the_bounds_are_those_of_the_paper():
    """Somol and Novovicova (2008): with D = N mod |Y| and H = N mod n."""
    m, p = 7, 13
    table = weighted_consistency_bounds(m, p)
    q = table["selected"].to_numpy(dtype=float)
    d, h = q % p, q % m
    np.testing.assert_allclose(
        table["minimum"], (q**2 - p * (q - d) - d**2) / (p * q * (m - 1)), atol=1e-12
    )
    np.testing.assert_allclose(table["maximum"], (h**2 + q * (m - 1) - h * m) / (q * (m - 1)))


def test_many_selections_are_thinned_and_given_ones_kept():
    table = weighted_consistency_bounds(100, 2000)
    assert len(table) == 500
    assert table["selected"].iloc[[0, -1]].tolist() == [1, 200_000]
    assert weighted_consistency_bounds(9, 5, selected=[7, 3])["selected"].tolist() == [7, 3]


@pytest.mark.parametrize(
    ("arguments", "selected", "message"),
    [
        ((1, 5), None, "n_subsets must be a whole number of at least 2"),
        ((3, 0), None, "n_features must be a whole number of at least 1"),
        ((3, 5), [0], "selected must be a whole number of at least 1"),
        ((3, 5), [16], "3 subsets of 5 features hold at most 15 selections; got 16"),
    ],
)
def test_impossible_numbers_are_refused(arguments, selected, message):
    with pytest.raises(InvalidInputError, match=message):
        weighted_consistency_bounds(*arguments, selected=selected)


@pytest.mark.parametrize("style", ["light", "dark"])
def test_the_picture_has_both_lines(style):
    table = weighted_consistency_bounds(10, 13)
    picture = consistency_bounds(table.sample(frac=1, random_state=0), style=style)
    largest, least = picture.ax.get_lines()[:2]  # the others are in the margin
    np.testing.assert_array_equal(largest.get_xdata(), table["selected"])
    np.testing.assert_array_equal(largest.get_ydata(), table["maximum"])
    np.testing.assert_array_equal(least.get_ydata(), table["minimum"])
    assert {"largest CW", "least CW"} <= set(texts(picture))
    assert picture.numbers.equals(table)
    assert overhang(picture) < 0.02
    assert picture.description == (
        "The least and the largest weighted consistency against 1 to 130 selections. At 65 "
        "selections it lies between 0.444 and 0.957."
    )


def test_missing_numbers_are_left_out_and_other_tables_refused():
    table = weighted_consistency_bounds(3, 4).astype(float)
    table.loc[0, "minimum"] = np.nan
    assert len(consistency_bounds(table).numbers) == 11
    empty = consistency_bounds(table.head(1))
    assert empty.description == "Nothing to show: no bounds are known."
    with pytest.raises(InvalidInputError, match="missing: maximum"):
        consistency_bounds(table.drop(columns="maximum"))


def test_given_axes_are_drawn_into():
    figure = Figure(figsize=(8, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    picture = consistency_bounds(weighted_consistency_bounds(3, 4), ax=right)
    assert picture.figure is figure
    assert not left.get_lines()
