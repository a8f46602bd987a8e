"""Names as pictures show them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plot._names import shown, shown_apart, width
from holdfast.plot._numbers import count_ticks, plain


@given(st.text(max_size=300), st.integers(5, 60))
def test_names_are_never_too_wide_and_always_printable(name, most):
    text = shown(name, most)
    assert text.isprintable()
    assert text == "(no name)" or width(text) <= most


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30))
def test_short_names_stay_as_they_are(name):
    assert shown(name) == name


def test_what_is_cut_keeps_both_ends():
    text = shown("abc" + "-" * 100 + "xyz", 11)
    assert text == "abc--…--xyz"


def test_wide_letters_count_twice():
    assert width("基因") == 4
    assert width("e\u0301") == 1
    assert shown("基" * 30, 11) == "基基…基基"


def test_equal_names_get_equal_texts():
    assert shown_apart(["a", "b", "a"]) == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("value", "text"), [(12000, "12,000"), (0.25, "0.25"), (-3, "−3"), (1e-3, "0.001")]
)
def test_numbers_are_for_people(value, text):
    assert plain(value) == text


@given(st.integers(1, 100_000), st.integers(0, 100_000))
def test_ticks_of_counts_start_at_one_or_later_and_stay_in_range(low, more):
    ticks = count_ticks(np.array([low, low + more], dtype=float))
    assert all(1 <= tick <= low + more for tick in ticks)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 12
