"""The heat map of selectors."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

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
    *cells, _ = similarity(table).ax.patches
    drawn = {tuple(cell.get_path().vertices[:4].mean(axis=0)): cell.get_alpha() for cell in cells}
    assert drawn == {(0, 0): 0.92, (1, 0): 0.46}


@pytest.mark.slow
def test_forty_selectors_are_cells_that_can_change_their_colour():
    picture = similarity(matrix([f"s{i}" for i in range(40)]))
    *cells, frames = picture.ax.patches
    positive = int((picture.numbers["value"] > 0.005 / 0.92).sum())
    assert sum(len(cell.get_path().vertices) // 5 for cell in cells) == positive
    assert len(frames.get_path().vertices) // 5 == 40
    assert "<image" not in picture.svg()
    assert len(picture.svg()) < 150_000
    assert "<image" in similarity(matrix([f"s{i}" for i in range(61)])).svg()


def test_numbers_are_left_out_of_narrow_cells():
    ax = Figure(figsize=(6, 4)).subplots(2, 3)[0, 0]
    assert list(similarity(matrix(list("abcde")), ax=ax).ax.texts) == []


def test_sixteen_selectors_have_no_numbers_in_their_cells():
    few, many = (similarity(matrix([f"s{i}" for i in range(n)])) for n in (15, 16))
    assert sum("." in text for text in texts(few)) == 225
    assert sum("." in text for text in texts(many)) == 0


def test_most_and_least_alike_are_described():
    names = ["a", "b", "c"]
    table = pd.DataFrame([[1, 0.2, 0.8], [0.2, 1, 0.1], [0.8, 0.1, 1]], index=names, columns=names)
    assert similarity(table, measure="overlap").description == (
        "Table of overlap between 3 selectors. Most similar: a and c (0.80); least: b and c (0.10)."
    )
    assert similarity(table.iloc[:1, :1]).description == "Table of similarity between 1 selector."


def test_rows_and_columns_must_agree():
    with pytest.raises(InvalidInputError, match="same selectors in rows and columns"):
        similarity(pd.DataFrame([[1.0]], index=["a"], columns=["b"]))
