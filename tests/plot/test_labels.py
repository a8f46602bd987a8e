"""Names as pictures show them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plot._labels import format_distinct_names, format_name, text_width
from holdfast.plot._style import count_ticks, format_plain


@given(st.text(max_size=300), st.integers(5, 60))
def test_names_are_never_too_wide_and_always_printable(name, most):
    text = format_name(name, most)
    assert text.isprintable()
    assert text == "(no name)" or text_width(text) <= most


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30))
def test_short_names_stay_as_they_are(name):
    assert format_name(name) == name


def test_what_is_cut_keeps_both_ends():
    text = format_name("abc" + "-" * 100 + "xyz", 11)
    assert text == "abc--…--xyz"


def test_wide_letters_count_twice():
    assert text_width("基因") == 4
    assert text_width("e\u0301") == 1
    assert format_name("基" * 30, 11) == "基基…基基"


LONG = [
    f"relieff with k={k} and a rather long name{' of a kind' * (k % 5 == 0)}" for k in range(40)
]


@pytest.mark.parametrize("most", [12, 22, 30])
def test_long_names_keep_what_says_them_apart(most):
    texts = format_distinct_names([*LONG, "f_score"], most)
    assert texts[-1] == "f_score"
    for k, text in enumerate(texts[:-1]):
        assert f"k={k}" in text
        assert text_width(text) <= most
    assert len(set(texts)) == 41


def test_names_that_share_both_ends_keep_their_middle():
    names = [f"gene {'a' * 20} probe {n} on array of {'b' * 20}" for n in (17, 171)]
    assert [
        "probe" in text or f"…{n}…" in text
        for n, text in zip((17, 171), format_distinct_names(names, 20), strict=True)
    ] == [True] * 2
    assert format_distinct_names([names[0]], 20) == [format_name(names[0], 20)]


def test_names_that_differ_in_parts_that_come_late_are_compared_again():
    names = [f"{kind} {'-' * 30} {n} {'+' * 30}" for kind in ("first", "second") for n in range(3)]
    texts = format_distinct_names(names, 20)
    assert len(set(texts)) == 6
    assert all(
        f" {n} " in f" {text.replace('…', ' ')} "
        for n, text in zip([0, 1, 2] * 2, texts, strict=True)
    )


@given(st.lists(st.text(st.sampled_from("ab _基"), max_size=40), max_size=8), st.integers(8, 30))
def test_different_names_have_different_texts(names, most):
    plain = [" ".join(name.split()) for name in names]
    texts = dict(zip(plain, format_distinct_names(plain, most), strict=True))
    assert len(set(texts.values())) == len(texts)
    assert all(text_width(text) <= most + 4 for text in texts.values() if text != "(no name)")


def test_equal_names_get_equal_texts():
    assert format_distinct_names(["a", "b", "a"]) == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("value", "text"), [(12000, "12,000"), (0.25, "0.25"), (-3, "−3"), (1e-3, "0.001")]
)
def test_numbers_are_for_people(value, text):
    assert format_plain(value) == text


@given(st.integers(1, 100_000), st.integers(0, 100_000))
def test_ticks_of_counts_start_at_one_or_later_and_stay_in_range(low, more):
    ticks = count_ticks(np.array([low, low + more], dtype=float))
    assert all(1 <= tick <= low + more for tick in ticks)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 12
