"""Decimal numbers in a row of text, each as the nearest double, or left open where in doubt."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_POWER_OF_TEN = 60  # powers of ten up to this one, both ways
_EXACT_POWERS_OF_TEN = np.array([10.0**q for q in range(23)])  # larger powers of ten are no doubles
_MAX_DIGITS = 19  # so many fit into 64 bits


def _scaled_powers() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return powers of ten as 64 leading bits, cut off, and the exponents of 2 that scale them."""
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


_LEADING, _SCALE = _scaled_powers()


@kernel
def _high_half(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of a product of two 64-bit numbers."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    middle = a1 * b0 + ((a0 * b0) >> half)
    other = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (other >> half)


@kernel
def _nearest(digits: np.uint64, power: int) -> float:
    """The double nearest to digits x 10^power, NaN where 64 bits do not tell it.

    Small numbers need a single rounding. For others the true product lies, in units of the last of
    its 64 leading bits, less than 2 above the one that is computed; it is told unless a rounding
    boundary may lie in between.
    """
    if digits < np.uint64(1 << 53) and -22 <= power <= 22:
        value = float(digits)
        return float(
            value * _EXACT_POWERS_OF_TEN[power]
            if power >= 0
            else value / _EXACT_POWERS_OF_TEN[-power]
        )
    if power < -_MAX_POWER_OF_TEN or power > _MAX_POWER_OF_TEN:
        return np.nan
    shifted = 0
    while digits < np.uint64(1 << 63):
        digits = digits << np.uint64(1)
        shifted += 1
    high = _high_half(digits, _LEADING[power + _MAX_POWER_OF_TEN])
    spare = np.uint64(11) if high >= np.uint64(1 << 63) else np.uint64(10)
    half = np.uint64(1) << (spare - np.uint64(1))
    rest = high & ((half << np.uint64(1)) - np.uint64(1))
    if rest + np.uint64(1) == half or rest == half:
        return np.nan
    kept = high >> spare
    if rest > half:
        kept += np.uint64(1)
    return math.ldexp(
        float(kept), np.int64(spare) + 64 - shifted - _SCALE[power + _MAX_POWER_OF_TEN]
    )


@kernel
def parse_row(
    text: NDArray[np.uint8], comma: bool, out: NDArray[np.float64], open_: NDArray[np.int64]
) -> int:
    """Read the cells of a row, between line ends; return how many are left open, -1 if too many.

    Empty cells are NaN. Left open, with their positions in `open_`, are cells that are no plain
    decimal numbers, that have too many digits, or whose rounding is in doubt.
    """
    at, stop, cell, n_open = 0, len(text), 0, 0
    while at <= stop:
        if cell == len(out):
            return -1
        while at < stop and (text[at] == 32 or text[at] == 9):
            at += 1
        start = at
        negative = False
        if at < stop and (text[at] == 45 or text[at] == 43):
            negative = text[at] == 45
            at += 1
        digits, count, seen, power, point = np.uint64(0), 0, 0, 0, False
        while at < stop:
            sign = text[at]
            if 48 <= sign <= 57:
                seen += 1
                if count > 0 or sign != 48:
                    count += 1
                if count <= _MAX_DIGITS:
                    digits = digits * np.uint64(10) + np.uint64(sign - 48)
                if point:
                    power -= 1
            elif not point and (sign == 46 or (comma and sign == 44)):
                point = True
            else:
                break
            at += 1
        plain = seen > 0 and count <= _MAX_DIGITS
        if plain and at < stop and (text[at] == 101 or text[at] == 69):
            at += 1
            down = False
            if at < stop and (text[at] == 45 or text[at] == 43):
                down = text[at] == 45
                at += 1
            first, exponent = at, 0
            while at < stop and 48 <= text[at] <= 57 and at - first < 5:
                exponent = exponent * 10 + int(text[at] - 48)
                at += 1
            plain = at > first
            power += -exponent if down else exponent
        while at < stop and (text[at] == 32 or text[at] == 9):
            at += 1
        ended = at == stop or text[at] == 10
        empty = ended and at == start
        value = np.nan
        if plain and ended:
            value = 0.0 if count == 0 else _nearest(digits, power)
        if math.isnan(value) and not empty:
            open_[n_open] = cell
            n_open += 1
        out[cell] = -value if negative else value
        while at < stop and text[at] != 10:
            at += 1
        at += 1
        cell += 1
    return n_open if cell == len(out) else -1
