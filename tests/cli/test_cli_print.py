"""Tables and JSON: tidy, and never cut off."""

from __future__ import annotations

import json
import math

import pytest

from holdfast.cli._output import Column, number, print_json, table_lines

COLUMNS = [Column("name"), Column("value", right=True), Column("note", free=True)]
ROWS = [["relative_weighted_consistency", "0.5", "a long note that explains much"], ["b", "10", ""]]


def test_a_table_without_limit_has_one_line_a_row():
    assert table_lines(COLUMNS, ROWS) == [
        "name                           value  note",
        "relative_weighted_consistency    0.5  a long note that explains much",
        "b                                 10",
    ]


@pytest.mark.parametrize("width", [68, 69, 200])
def test_a_table_that_fits_stays_as_it_is(width):
    assert table_lines(COLUMNS, ROWS, width) == table_lines(COLUMNS, ROWS)


def test_free_text_stands_beneath_its_row_where_it_does_not_fit():
    assert table_lines(COLUMNS, ROWS, 40) == [
        "name                           value",
        "relative_weighted_consistency    0.5",
        "    a long note that explains much",
        "b                                 10",
    ]


def test_free_text_of_named_columns_says_what_it_is():
    columns = [Column("name"), Column("title", free=True), Column("needs", free=True, named=True)]
    assert table_lines(columns, [["a", "A. Title", "similarity"], ["b", "B", ""]], 10)[1:] == [
        "a",
        "    A. Title; needs:",
        "    similarity",
        "b",
        "    B",
    ]


@pytest.mark.parametrize("width", [1, 10, 30, 67])
def test_nothing_is_cut_off(width):
    words = " ".join(table_lines(COLUMNS, ROWS, width)).split()
    assert set(" ".join(map(" ".join, ROWS)).split()) <= set(words)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.53321, "0.5332"),
        (-1, "-1.0000"),
        (0, "0.0000"),
        (-1e-17, "0.0000"),
        (1.5e-5, "1.5e-05"),
        (123456.789, "1.23e+05"),
        (math.nan, "-"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_json_holds_null_for_what_json_has_no_word_for(capsys):
    print_json({"a": [math.nan, -math.inf, 0.1], "b": {"c": math.inf}, "name": "Křížek"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": [None, None, 0.1], "b": {"c": None}, "name": "Křížek"}
    assert "Křížek" in out
