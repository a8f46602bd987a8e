"""What was found against what is true."""

import numpy as np
import pandas as pd
import pytest

from holdfast.plot import truth
from tests.plot.tables import texts


def test_points_lie_at_the_size_of_the_effect():
    table = pd.DataFrame(
        {"feature": list("abc"), "effect": [-2.0, 1.0, 0.0], "value": [0.9, 0.5, np.nan]}
    )
    picture = truth(table, value="how often")
    assert picture.numbers["effect"].tolist() == [2.0, 1.0]
    assert picture.numbers["informative"].tolist() == [True, True]
    others, matters = picture.ax.collections
    assert others.get_offsets().tolist() == []
    assert matters.get_offsets().tolist() == [[2.0, 0.9], [1.0, 0.5]]
    assert picture.ax.get_ylabel() == "how often"


def test_without_effects_there_are_two_rows():
    table = pd.DataFrame(
        {"feature": range(6), "informative": [True] * 2 + [False] * 4, "value": np.arange(6) / 10}
    )
    picture = truth(table)
    others, matters = picture.ax.collections
    assert others.get_offsets()[:, 0].tolist() == [0.2, 0.3, 0.4, 0.5]
    assert np.all(np.abs(others.get_offsets()[:, 1] - 1) <= 0.3)
    assert np.all(np.abs(matters.get_offsets()[:, 1]) <= 0.3)
    assert {"truly informative (2)", "not informative (4)"} <= set(texts(picture))
    assert "Mean: 5% for the informative ones, 35% for the others." in picture.description


def test_shares_are_shown_in_percent_and_other_values_as_they_are():
    table = pd.DataFrame({"feature": list("ab"), "effect": [0.0, 2.0], "value": [0.0, 1.0]})
    assert "100" in texts(truth(table))
    ranks = texts(truth(table, value="rank"))
    assert "100" not in ranks
    assert "1" in ranks


@pytest.mark.parametrize("known", ["effect", "informative"])
def test_features_at_the_same_place_are_drawn_once_and_stay_shapes(known):
    n = 10_000
    effect = np.where(np.arange(n) < 50, np.linspace(0.5, 2, n), 0.0)
    table = pd.DataFrame({"feature": range(n), "effect": effect, "informative": effect > 0})
    table["value"] = np.where(np.arange(n) < 100, np.arange(n) % 10 / 10, 0.0)
    picture = truth(table[["feature", "value", known]])
    svg = picture.svg()
    assert "<image" not in svg
    assert len(svg) < 60_000
    assert len(picture.numbers) == n
    drawn = np.concatenate([one.get_offsets() for one in picture.ax.collections])
    value = drawn[:, 1 if known == "effect" else 0]
    assert set(value.round(6)) == set(table["value"].round(6))


def test_thousands_of_different_points_are_thinned_out():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"feature": range(5000), "effect": random.random(5000) + 1})
    picture = truth(table.assign(value=random.random(5000)))
    svg = picture.svg()
    assert len(picture.numbers) == 5000
    assert 1000 < len(picture.ax.collections[1].get_offsets()) <= 1500
    assert "<image" not in svg
    assert len(svg) < 150_000
