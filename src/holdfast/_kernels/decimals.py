"""Decimal numbers in a row of text, parsed to the nearest double or left to the caller.

**Method.** A cell is digits d × 10^q. If d < 2^53 and |q| ≤ 22, both d and 10^|q| are doubles, and
one multiplication or division rounds once (Clinger's fast path). Otherwise d, shifted to 64 bits,
is multiplied by the 64 leading bits of 10^q, and the upper half of the product is rounded to 53
bits (the algorithm of Eisel and Lemire).

**Reference.** [Clinger1990]_ for the fast path, [Lemire2021]_ for the product.

**Deviations.** The paper keeps 128 bits of each power of ten and so decides nearly all cases; here
64 bits are kept, and a cell whose rounding they leave in doubt is reported to the caller, who
parses it with Python's ``float``. Powers are limited to 10^-60..10^60, so that no result is
subnormal or infinite.

**Rounding.** A parsed value has the bits of Python's ``float``. The stored power is cut off, so the
true product lies less than 2 units of the last of its 64 bits above the computed one: less than 1
by the cut power and less than 1 by the lower half of the product. A value is returned only if no
rounding boundary lies in between.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

_MAX_POWER_OF_TEN = 60  # chosen: 10^19 × 10^±60 is far from the limits of a normal double
_EXACT_POWERS_OF_TEN = np.array([10.0**q for q in range(23)])  # derived: 5^22 < 2^53 < 5^23
_MAX_DIGITS = 19  # derived: 10^19 < 2^64

# ASCII codes
_TAB, _LINE_FEED, _SPACE = 9, 10, 32
_PLUS, _COMMA, _MINUS, _POINT = 43, 44, 45, 46
_ZERO, _NINE = 48, 57
_UPPER_E, _LOWER_E = 69, 101


def _tabulate_powers() -> tuple[NDArray[np.uint64], IntArray]:
    """Return the 64 leading bits of powers of ten, cut off, and the exponents of 2 that scale them.

    Entry q + 60 of both arrays satisfies 10^q ≈ bits × 2^-shift with 2^63 ≤ bits < 2^64.
    """
    leading: list[int] = []
    scale: list[int] = []
    for q in range(-_MAX_POWER_OF_TEN, _MAX_POWER_OF_TEN + 1):
        top, bottom = 10 ** max(q, 0), 10 ** max(-q, 0)
        shift = 64 - (top.bit_length() - bottom.bit_length())
        bits = (top << max(shift, 0)) // (bottom << max(-shift, 0))
        while bits >= 1 << 64:
            shift -= 1
            bits = (top << max(shift, 0)) // (bottom << max(-shift, 0))
        leading.append(bits)
        scale.append(shift)
    return np.array(leading, dtype=np.uint64), np.array(scale, dtype=np.int64)


_POWER_BITS, _POWER_SHIFTS = _tabulate_powers()


@subroutine
def _high_half(a: np.uint64, b: np.uint64) -> np.uint64:
    """Upper 64 bits of the product of two 64-bit numbers, by four products of 32-bit halves."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    # a b = a1 b1 2^64 + (a1 b0 + a0 b1) 2^32 + a0 b0; neither sum below can exceed 64 bits
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    middle = a1 * b0 + ((a0 * b0) >> half)
    carry = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (carry >> half)


@subroutine
def _nearest_double(digits: np.uint64, power: int) -> float:
    """The double nearest to digits × 10^power, or NaN where 64 bits do not decide it."""
    if digits < np.uint64(1 << 53) and -22 <= power <= 22:
        value = float(digits)
        return float(
            value * _EXACT_POWERS_OF_TEN[power]
            if power >= 0
            else value / _EXACT_POWERS_OF_TEN[-power]
        )
    if power < -_MAX_POWER_OF_TEN or power > _MAX_POWER_OF_TEN:
        return np.nan
    # d 2^shifted with a leading bit of 1, as the table of powers has it
    shifted = 0
    while digits < np.uint64(1 << 63):
        digits = digits << np.uint64(1)
        shifted += 1
    high = _high_half(digits, _POWER_BITS[power + _MAX_POWER_OF_TEN])
    # 64 or 63 bits; all but 53 of them are cut
    # the leading bit of a product of two 64-bit numbers is its first or second bit
    spare = np.uint64(11) if high >= np.uint64(1 << 63) else np.uint64(10)
    half = np.uint64(1) << (spare - np.uint64(1))
    rest = high & ((half << np.uint64(1)) - np.uint64(1))
    # the true rest is in [rest, rest + 2): it may be below, at or above one half in these cases
    if rest + np.uint64(1) == half or rest == half:
        return np.nan
    kept = high >> spare
    if rest > half:
        kept += np.uint64(1)
    return math.ldexp(
        float(kept), np.int64(spare) + 64 - shifted - _POWER_SHIFTS[power + _MAX_POWER_OF_TEN]
    )


@kernel
def parse_row(text: NDArray[np.uint8], comma: bool, out: FloatArray, unresolved: IntArray) -> int:
    """Parse the cells of a row; return how many are unresolved, or -1 for a wrong number of cells.

    Cells are separated by line feeds. Empty cells become NaN. Unresolved are cells that are not
    plain decimal numbers, that have more than 19 significant digits, or whose rounding is in doubt;
    they become NaN, too.

    Parameters
    ----------
    text : ndarray of shape (n_bytes,)
        The row as UTF-8 bytes.
    comma : bool
        Whether a comma is a decimal point as well.
    out : ndarray of shape (n_cells,)
        Receives the values.
    unresolved : ndarray of shape (at least n_cells,)
        Receives the positions of the unresolved cells, ascending.
    """
    position, stop, cell, n_unresolved = 0, len(text), 0, 0
    while position <= stop:
        if cell == len(out):
            return -1
        while position < stop and (text[position] == _SPACE or text[position] == _TAB):
            position += 1
        start = position
        negative = False
        if position < stop and (text[position] == _MINUS or text[position] == _PLUS):
            negative = text[position] == _MINUS
            position += 1
        digits, n_significant, n_digits, power, has_point = np.uint64(0), 0, 0, 0, False
        while position < stop:
            character = text[position]
            if _ZERO <= character <= _NINE:
                n_digits += 1
                if n_significant > 0 or character != _ZERO:  # leading zeros are not significant
                    n_significant += 1
                # more digits would overflow; the cell is then left to the caller
                if n_significant <= _MAX_DIGITS:
                    digits = digits * np.uint64(10) + np.uint64(character - _ZERO)
                if has_point:
                    power -= 1
            elif not has_point and (character == _POINT or (comma and character == _COMMA)):
                has_point = True
            else:
                break
            position += 1
        plain = n_digits > 0 and n_significant <= _MAX_DIGITS
        if plain and position < stop and (text[position] == _LOWER_E or text[position] == _UPPER_E):
            position += 1
            negative_power = False
            if position < stop and (text[position] == _MINUS or text[position] == _PLUS):
                negative_power = text[position] == _MINUS
                position += 1
            # five digits are enough: longer exponents, such as 1e000005, are left to the caller
            first, exponent = position, 0
            while position < stop and _ZERO <= text[position] <= _NINE and position - first < 5:
                exponent = exponent * 10 + int(text[position] - _ZERO)
                position += 1
            plain = position > first
            power += -exponent if negative_power else exponent
        while position < stop and (text[position] == _SPACE or text[position] == _TAB):
            position += 1
        at_end = position == stop or text[position] == _LINE_FEED
        empty = at_end and position == start
        value = np.nan
        if plain and at_end:
            value = 0.0 if n_significant == 0 else _nearest_double(digits, power)
        if math.isnan(value) and not empty:
            unresolved[n_unresolved] = cell
            n_unresolved += 1
        # after rounding, which is symmetric; -0.0 keeps its sign
        out[cell] = -value if negative else value
        while position < stop and text[position] != _LINE_FEED:
            position += 1
        position += 1
        cell += 1
    return n_unresolved if cell == len(out) else -1
