"""Pairs of cohorts beside what is expected of them."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInputError
from holdfast.plot._curves import cohorts
from tests.plot.tables import NASTY, nasty, overhang, texts


def pairs(names, p_value=0.5):
    first, second = zip(*combinations(names, 2), strict=True)
    value = np.linspace(-0.05, 0.9, len(first))
    return pd.DataFrame(
        {"cohort_a": first, "cohort_b": second, "value": value, "expected": value + 0.05,
         "low": value - 0.1, "high": value + 0.1, "p_value": p_value}
    )  # fmt: skip


def test_each_pair_has_its_row_dot_bar_and_stroke():
    table = pairs(["London", "Paris", "Rome"])
    table.loc[2, "p_value"] = 0.01
    picture = cohorts(table, measure="kuncheva")
    words = " ".join(texts(picture))
    for name in ("London – Paris", "London – Rome", "Paris – Rome", "kuncheva of the selections"):
        assert name in words
    bars, strokes, dots, diamonds = picture.ax.collections
    np.testing.assert_allclose([one[:, 0] for one in bars.get_segments()], table[["low", "high"]])
    np.testing.assert_allclose([one[0, 0] for one in strokes.get_segments()], table["expected"])
    np.testing.assert_allclose(dots.get_offsets()[:, 0], table["value"][:2])
    np.testing.assert_allclose(diamonds.get_offsets(), [[table["value"][2], 2]])
    assert picture.numbers["less"].tolist() == [False, False, True]
    assert picture.description.endswith("Within its bar: 3. Clearly less: 1.")
    low, high = picture.ax.get_xlim()
    assert low < table["low"].min() < table["high"].max() <= high


def test_nasty_names_are_literal_and_inside_the_figure():
    picture = cohorts(pairs(nasty(len(NASTY))))
    assert "<script" not in picture.svg()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks, measured by this test
        assert overhang(picture) < 0.02


@pytest.mark.parametrize("letter", ["x", "W"])
def test_the_legend_stays_inside_the_figure_with_long_names(letter):
    table = pairs([letter * 60 + str(i) for i in range(3)], p_value=[0.01, 0.5, 0.5])
    picture = cohorts(table)
    legend = picture.ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()][1:] == ["cohorts", "clearly less"]
    assert overhang(picture) < 0.02
    box, figure = legend.get_window_extent(), picture.figure.bbox
    assert figure.x0 <= box.x0 < box.x1 <= figure.x1


def test_the_clearest_pairs_stay_where_there_are_too_many():
    table = pairs([f"site {i}" for i in range(9)], p_value=np.linspace(1, 0.01, 36))
    picture = cohorts(table, most=5)
    assert picture.numbers["cohort_b"].tolist() == table["cohort_b"].tail(5).tolist()
    assert "not shown: 31 pairs of cohorts" in " ".join(texts(picture))


def test_pairs_without_a_value_or_a_range():
    table = pairs(["a", "b", "c"]).drop(columns="p_value")
    table.loc[0, "value"] = np.nan
    table.loc[1, ["expected", "low", "high"]] = np.nan
    assert len(cohorts(table, style="dark").numbers) == 2
    assert "Nothing to show" in cohorts(table.head(1)).description
    with pytest.raises(InvalidInputError, match="cohort_a"):
        cohorts(pd.DataFrame({"value": [1.0]}))
