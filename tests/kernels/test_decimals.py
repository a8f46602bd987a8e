"""Decimal numbers by the kernel and by Python: the same bits, or left open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast._kernels.decimals import parse_row


def parsed(cells, *, comma=False):
    """Return the values, and the positions of cells that are left open."""
    out, left = np.empty(len(cells)), np.empty(len(cells), dtype=np.int64)
    text = np.frombuffer("\n".join(cells).encode(), dtype=np.uint8)
    count = parse_row(text, comma, out, left)
    return out, None if count < 0 else left[:count].tolist()


def check_agreement(cells):
    """Check all cells that are decided; return the share of those left open."""
    out, left = parsed(cells)
    decided = np.setdiff1d(np.arange(len(cells)), left)
    wanted = np.array([float(cells[i]) for i in decided])
    np.testing.assert_array_equal(out[decided].view(np.int64), wanted.view(np.int64))
    return len(left) / len(cells)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_doubles_come_back_from_their_shortest_form(values):
    check_agreement([repr(value) for value in values])


@given(st.lists(st.tuples(st.integers(0, 10**19 - 1), st.integers(-80, 80)), min_size=1))
def test_digits_and_powers_are_rounded_as_python_rounds_them(pairs):
    check_agreement([f"-{digits}E{power:+d}" for digits, power in pairs])


@given(st.lists(st.tuples(st.integers(2**52, 2**53 - 1), st.integers(0, 9)), min_size=1))
def test_halfway_cases_are_right_or_left_open(pairs):
    check_agreement([f"{(2 * whole + 1) << shift}" for whole, shift in pairs])
    check_agreement([f"{2 * whole + 1}.{step}" for whole, step in pairs])


def test_numbers_as_programs_write_them_are_decided():
    rng = np.random.default_rng(0)
    values = rng.normal(size=50_000).tolist()
    for form in ("{!r}", "{:.3f}", "{:.7f}", "{:.18e}", "{:.10g}"):
        assert check_agreement([form.format(value) for value in values]) < 0.001


def test_signs_blanks_and_empty_cells():
    cells = ["1", "+2", " -3.50\t", "", "  ", "0", "-0.0", ".5", "5.", "1e3", "1E-2", "00012"]
    out, left = parsed(cells)
    assert left == []
    wanted = [1, 2, -3.5, np.nan, np.nan, 0, -0.0, 0.5, 5, 1000, 0.01, 12]
    np.testing.assert_array_equal(out, wanted)
    assert np.signbit(out[6])


@pytest.mark.parametrize(
    "cell",
    ["x", "-", ".", "e5", "1e", "1e+", "1.2.3", "1 2", "1_000", "nan", "inf", "1,5", "é", "0x1",
     "12345678901234567890", "1e400"],
)  # fmt: skip
def test_all_else_is_left_open(cell):
    assert parsed(["1", cell, "2"])[1] == [1]


def test_decimal_commas_are_read_where_they_are_allowed():
    out, left = parsed(["1,5", "2.5", "1,2,3", "1,2.3"], comma=True)
    assert out[:2].tolist() == [1.5, 2.5]
    assert left == [2, 3]


def test_line_ends_within_cells_are_noticed():
    assert parsed(["1", "2\n3"])[1] is None
    assert parsed(["1\n"])[1] is None
