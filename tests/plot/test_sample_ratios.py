"""Data sets by their numbers of samples and features."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from holdfast.errors import InvalidInputError
from holdfast.plot import ratios
from tests.plot.tables import NASTY, overhang, texts


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "name": ["leukemia", "sonar", "", None],
            "n_samples": [72, 208, 100, 10_000],
            "n_features": [7129, 60, 1000, 50],
            "kind": ["real", "real", "simulated", "simulated"],
        }
    )


def test_data_sets_lie_at_their_sizes_on_logarithmic_axes(table):
    picture = ratios(table)
    assert picture.ax.get_xscale() == picture.ax.get_yscale() == "log"
    marks = [line for line in picture.ax.get_lines() if line.get_linestyle() == "None"]
    drawn = {(x, y) for line in marks[:2] for x, y in zip(*line.get_data(), strict=True)}
    assert drawn == set(zip(table["n_samples"], table["n_features"], strict=True))
    assert np.allclose(picture.numbers["ratio"], [72 / 7129, 208 / 60, 0.1, 200])


def test_lines_join_equal_ratios(table):
    picture = ratios(table)
    found = set()
    for line in picture.ax.get_lines():
        x, y = (np.asarray(values, dtype=float) for values in line.get_data())
        if len(x) == 2 and line.get_marker() == "None":
            assert x[0] / y[0] == pytest.approx(x[1] / y[1])
            found.add(round(float(x[0] / y[0]), 6))
    assert {0.01, 0.1, 1.0, 10.0, 100.0} <= found
    assert {"N/D = 0.01", "N/D = 1", "N/D = 10"} <= set(texts(picture))


def test_kinds_and_names_are_written_where_there_are_some(table):
    words = texts(ratios(table))
    assert {"leukemia", "sonar", "real", "simulated"} <= set(words)
    assert not {"(no name)", "None", "nan"} & set(words)
    alone = texts(ratios(table.drop(columns="kind")))
    assert "real" not in alone


def test_the_picture_is_described_in_words(table):
    assert ratios(table).description == (
        "4 data sets (real 2, simulated 2) by numbers of samples and features. Samples per "
        "feature: from 0.0101 (leukemia) to 200."
    )
    assert ratios(table.head(1)).description.startswith("1 data set by numbers")


def test_rows_without_a_place_are_left_out(table):
    table = table.astype({"n_samples": float})
    table.loc[0, "n_samples"] = np.nan
    table.loc[1, "n_features"] = 0
    assert len(ratios(table).numbers) == 2
    empty = ratios(table.iloc[:2])
    assert empty.description == "Nothing to show: no numbers of samples and features are known."
    with pytest.raises(InvalidInputError, match="missing: n_features"):
        ratios(table.drop(columns="n_features"))


@pytest.mark.parametrize("style", ["light", "dark"])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_names_of_all_kinds_stay_inside(style):
    random = np.random.default_rng(0)
    sizes = random.integers(10, 10_000, (2, len(NASTY)))
    table = pd.DataFrame({"name": NASTY, "n_samples": sizes[0], "n_features": sizes[1]})
    picture = ratios(table.assign(kind=NASTY[::-1]), style=style)
    assert overhang(picture) < 0.02
    words = " ".join(texts(picture))
    assert "$x_1^2$" in words
    assert "x" * 40 not in words


def test_one_data_set_and_equal_ones_are_drawn(table):
    for few in (table.head(1), pd.concat([table.head(1)] * 3)):
        assert overhang(ratios(few)) < 0.02


def test_a_place_that_is_given_is_drawn_into(table):
    figure = Figure(figsize=(8, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    picture = ratios(table, ax=right)
    assert picture.figure is figure
    assert picture.ax is right
    assert not left.get_lines()
