"""What was found against what is true."""

import numpy as np
import pandas as pd

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
    assert "Mean value: 0.05 of the informative ones, 0.35 of the others." in picture.description


def test_many_points_become_an_image():
    n = 2000
    table = pd.DataFrame({"feature": range(n), "effect": np.arange(n) / n, "value": 0.5})
    svg = truth(table).svg()
    assert "<image" in svg
    assert len(svg) < 60_000
    assert "<image" not in truth(table.head(100)).svg()
