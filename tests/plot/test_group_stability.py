"""Stability of groups: a panel a data set, lines through the numbers, a key of all lines."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInputError
from holdfast.plot import COLOURS, group_stability
from tests.plot.tables import overhang, texts

SIZES = [4, 10, 50]
MEASURES = ["group_matching_value", "group_matching_index"]


def table(names=("colon", "srbct"), selectors=("DRAGS", "K-means"), measures=MEASURES):
    rows = list(product(names, selectors, measures, SIZES))
    frame = pd.DataFrame(rows, columns=["data", "selector", "measure", "size"])
    return frame.assign(value=np.linspace(0, 1, len(frame)))


def test_lines_go_through_the_numbers():
    given = table().sample(frac=1, random_state=0)
    picture = group_stability(given)
    for ax, name in zip(picture.axes, dict.fromkeys(given["data"]), strict=True):
        lines = [line for line in ax.get_lines() if len(line.get_xdata())]
        assert len(lines) == 4
        drawn = {tuple(line.get_ydata()) for line in lines}
        own = given[given["data"] == name].sort_values("size").groupby(["selector", "measure"])
        assert drawn == {tuple(line["value"]) for _, line in own}
        assert all(line.get_xdata().tolist() == SIZES for line in lines)
        assert ax.get_title("left") == name


def test_selectors_differ_in_colour_and_measures_in_dashes():
    picture = group_stability(table())
    looks = [(line.get_color(), line.get_linestyle()) for line in picture.ax.get_lines()]
    assert looks == list(product((COLOURS["blue"], COLOURS["vermilion"]), ("-", "--")))
    words = texts(picture)
    assert {"DRAGS, value", "DRAGS, index", "K-means, value", "K-means, index"} <= set(words)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_panels_stay_inside_the_figure(count):
    picture = group_stability(table([f"data set {i}" for i in range(count)]))
    assert len(picture.axes) == count
    assert overhang(picture) < 0.02
    assert "number of groups or features k" in texts(picture)


def test_names_are_literal_and_other_measures_keep_theirs():
    words = " ".join(texts(group_stability(table(["$x$"], ["_a"], ["jaccard"]))))
    assert "$x$" in words
    assert "_a, jaccard" in words


def test_missing_numbers_are_left_out_and_negative_ones_are_seen():
    given = table()
    given.loc[0, "value"] = np.nan
    given.loc[1, "value"] = -0.4
    picture = group_stability(given)
    assert len(picture.numbers) == len(given) - 1
    assert picture.ax.get_ylim()[0] < -0.4


def test_the_description_has_the_means():
    given = table(["colon"], ["DRAGS"]).assign(value=[1, 0.9, 0.8, 0.4, 0.5, 0.6])
    said = group_stability(given).description
    assert said.startswith("Lines of stability for 1 selector on 1 data set.")
    assert "value: DRAGS 0.90; index: DRAGS 0.50" in said


def test_nothing_to_show_and_columns_that_are_missing():
    nothing = group_stability(table().assign(value=np.nan))
    assert nothing.description == "Nothing to show: no stability is known."
    with pytest.raises(InvalidInputError, match="missing: measure"):
        group_stability(table().drop(columns="measure"))
