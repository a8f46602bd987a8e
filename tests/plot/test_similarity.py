"""The heat map of selectors."""

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInputError
from holdfast.plot import similarity
from tests.plot.tables import matrix, texts


def test_cells_hold_their_numbers():
    names = ["a", "b"]
    table = pd.DataFrame([[0.9, -0.25], [np.nan, -0.001]], index=names, columns=names)
    picture = similarity(table)
    assert {"0.90", "−0.25", "–", "0.00"} <= set(texts(picture))
    numbers = picture.numbers
    assert list(zip(numbers["selector"], numbers["other"], strict=True)) == [
        ("a", "a"), ("a", "b"), ("b", "a"), ("b", "b"),
    ]  # fmt: skip
    assert np.array_equal(numbers["value"], [0.9, -0.25, np.nan, -0.001], equal_nan=True)


def test_stronger_cells_are_more_alike():
    names = ["a", "b"]
    table = pd.DataFrame([[1.0, 0.5], [-0.3, np.nan]], index=names, columns=names)
    strength = [patch.get_alpha() for patch in similarity(table).ax.patches[:4]]
    assert strength[0] > strength[1] > strength[2] == strength[3] == 0


def test_sixteen_selectors_have_no_numbers_in_their_cells():
    few, many = (similarity(matrix([f"s{i}" for i in range(n)])) for n in (15, 16))
    assert sum("." in text for text in texts(few)) == 225
    assert sum("." in text for text in texts(many)) == 0


def test_most_and_least_alike_are_described():
    names = ["a", "b", "c"]
    table = pd.DataFrame([[1, 0.2, 0.8], [0.2, 1, 0.1], [0.8, 0.1, 1]], index=names, columns=names)
    assert similarity(table, measure="overlap").description == (
        "Table of overlap between 3 selectors. Most alike: a and c (0.80); least: b and c (0.10)."
    )
    assert similarity(table.iloc[:1, :1]).description == "Table of similarity between 1 selector."


def test_rows_and_columns_must_agree():
    with pytest.raises(InvalidInputError, match="same selectors in rows and columns"):
        similarity(pd.DataFrame([[1.0]], index=["a"], columns=["b"]))
