"""Simulated figures: panels, lines, what is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.plot import COLOURS, DARK
from holdfast.plot._canvas import make_shades
from holdfast.plot._simulated import ERRORS, MEASURES, PANELS, SIMULATED_FIGURES, simulated_figure
from tests.plot.tables import overhang, texts

EFFECTS = np.linspace(0, 0.15, 30)
STRUCTURES = ("independent", "in blocks")


def points():
    rows = list(product((50, 5000), range(4), range(30)))
    table = pd.DataFrame(rows, columns=["n_samples", "set", "feature"])
    table["effect"] = EFFECTS[table["feature"]]
    table["true_rank"] = 30 - table["feature"]
    table["score"] = 10 * table["effect"] + table["set"]
    return table.assign(rank=table["true_rank"])


def means():
    table = points()[lambda frame: frame["set"] == 0].drop(columns="set")
    return table.assign(score_mean=1.0, score_sd=0.1, rank_mean=15.0, rank_sd=2.0)


def curves(*selectors):
    rows = list(product(selectors, (25, 50, 5000), EFFECTS))
    table = pd.DataFrame(rows, columns=["selector", "n_samples", "effect"])
    return table.assign(probability=table["effect"] / 0.15, frequency=0.5)


def stability(**columns):
    rows = list(product(*columns.values(), MEASURES))
    table = pd.DataFrame(rows, columns=[*columns, "measure"])
    return table.assign(value=0.4, low=0.3, high=0.5)


def errors():
    table = pd.DataFrame(list(product(PANELS, (10, 1000))), columns=["panel", "x"])
    return table.assign(**dict.fromkeys(ERRORS, 0.2))


TABLES = {
    3: {"points": points(), "means": means()},
    4: {"frequencies": curves("t_score"), "curves": curves("t_score")},
    5: {"curves": curves("cat_score", "mutual_information")},
    6: {"stability": stability(panel=PANELS, x=(10, 100, 1000))},
    7: {
        "stability": stability(
            structure=STRUCTURES, selector=("t_score", "cat_score"), n_samples=(25, 500)
        )
    },
    8: {"errors": errors()},
    9: {"stability": stability(ratio=(0.1, 1.0), n_samples=(100, 10_000))},
}
N_PANELS = {3: 6, 4: 3, 5: 2, 6: 4, 7: 4, 8: 4, 9: 1}


@pytest.mark.slow
@pytest.mark.parametrize("number", SIMULATED_FIGURES)
def test_each_figure_has_its_panels_and_nothing_reaches_over_the_edges(number):
    picture = simulated_figure(number, TABLES[number])
    assert len(picture.axes) == N_PANELS[number]
    assert overhang(picture) < 0.02
    assert picture.title
    assert picture.description.endswith(".")
    assert len(picture.description) < 600
    assert picture.svg().startswith("<svg")


def test_lines_go_through_the_numbers():
    table = TABLES[6]["stability"].copy()
    table["value"] = np.linspace(0, 1, len(table))
    picture = simulated_figure(6, {"stability": table})
    for panel, ax in zip(PANELS, picture.axes, strict=True):
        for line, measure in zip(ax.get_lines(), MEASURES, strict=True):
            own = table[(table["panel"] == panel) & (table["measure"] == measure)]
            assert line.get_ydata().tolist() == own["value"].tolist()
    assert {*MEASURES.values()} <= {
        text.get_text() for text in picture.figure.legends[0].get_texts()
    }


def test_structures_and_selectors_are_named():
    words = " ".join(texts(simulated_figure(7, TABLES[7])))
    assert "CAT score: in blocks" in words
    assert "t-score: independent" in words


def test_a_figure_on_a_dark_page():
    picture = simulated_figure(9, TABLES[9], style="dark")
    assert picture.svg(background=True).count(DARK["paper"]) > 0


def test_shades_grow_stronger():
    light = [sum(int(shade[i : i + 2], 16) for i in (1, 3, 5)) for shade in make_shades(COLOURS, 6)]
    assert light == sorted(light, reverse=True)
    assert make_shades(COLOURS, 1) == [COLOURS["blue"]]


def test_what_is_missing_is_named():
    with pytest.raises(InvalidInputError, match=r"missing: points.*figure_tables\(3\)"):
        simulated_figure(3, {"means": means()})
    with pytest.raises(InvalidInputError, match="missing: ratio"):
        simulated_figure(9, {"stability": TABLES[9]["stability"].drop(columns="ratio")})
    with pytest.raises(UnknownNameError, match="must be one of"):
        simulated_figure(2, {})
