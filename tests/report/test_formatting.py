"""Numbers as the cells of a page show them."""

from __future__ import annotations

import pytest

from holdfast._formatting import format_whole_percent
from holdfast.report._formatting import format_cell, format_data_values

SHARES = [
    (float("nan"), "–"),
    (None, "–"),
    (0.0, "0%"),
    (0.994, "99%"),
    (0.995, ">99%"),
    (0.005, "<1%"),
]


@pytest.mark.parametrize(("value", "text"), SHARES)
def test_shares_are_rounded_but_never_to_all_or_nothing(value, text):
    assert format_whole_percent(value) == text


def test_missing_numbers_are_a_dash_or_a_dot():
    assert format_cell(float("inf")) == "–"
    assert format_data_values(float("nan"), 3) == ". 3"
