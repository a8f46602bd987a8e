"""Selection probability and expected stability by number of samples."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from holdfast.errors import InvalidInputError
from holdfast.plot._theory import stability_surface
from tests.plot.tables import overhang, texts


def surface(effects=(0.05, 0.15), sizes=(30, 100, 2000)):
    rows = [
        (n, mu, min(1, n * mu / 100), 0.1, min(1, n * mu / 200)) for mu in effects for n in sizes
    ]
    columns = ["n_per_class", "effect", "informative", "other", "stability"]
    return pd.DataFrame(rows, columns=columns)


def test_each_effect_is_a_line_in_both_panels():
    table = surface()
    picture = stability_surface(table.sample(frac=1, random_state=0), measure="phi")
    _, left, right = picture.axes
    for panel, column in ((left, "informative"), (right, "stability")):
        drawn = {tuple(line.get_ydata()) for line in panel.get_lines()[:2]}
        assert drawn == {tuple(own[column]) for _, own in table.groupby("effect")}
        assert panel.get_xscale() == "log"
    assert right.get_ylabel() == "phi"
    assert {"effect 0.05", "effect 0.15"} <= set(texts(picture))
    assert len(picture.numbers) == 6


def test_the_picture_is_described_in_words():
    text = stability_surface(surface()).description
    assert text.startswith("Two panels of lines for 2 effects, from 30 to 2,000 samples per class.")
    assert "with probability 1.00 (effect 0.05) to 1.00 (effect 0.15)" in text
    assert text.endswith("expected stability is 0.50 to 1.00.")


def test_missing_numbers_are_left_out():
    table = surface()
    table.loc[0, "stability"] = np.nan
    assert len(stability_surface(table).numbers) == 5
    empty = stability_surface(table.iloc[:0])
    assert empty.description == "Nothing to show: no predictions are known."
    with pytest.raises(InvalidInputError, match="missing: effect"):
        stability_surface(table.drop(columns="effect"))


@pytest.mark.parametrize("effects", [(0.1,), tuple(np.round(np.linspace(0.01, 0.3, 25), 3))])
def test_few_and_many_effects_stay_inside(effects):
    assert overhang(stability_surface(surface(effects), style="dark")) < 0.02


def test_a_place_that_is_given_is_divided():
    figure = Figure(figsize=(9, 6))
    axes = figure.subplots(2, 2)
    picture = stability_surface(surface(), ax=axes[0, 1])
    assert picture.figure is figure
    assert picture.ax is axes[0, 1]
    assert overhang(picture) < 0.02
