"""The largest tails of r-concave distributions on a grid, given their mean."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

STEPS = 60
"""Halvings of the unit interval in the search for a rate: to the last bits."""


@lru_cache(maxsize=1024)
def largest_tails(mean: float, top: int, power: int) -> tuple[float, ...]:
    r"""Return the largest P(X >= t) for t = 0..top over r-concave X on 0..top with E X = mean.

    A mass function f is r-concave (r = -1/power < 0) if f^r is convex; `power` is a power of 2.
    The largest tails are those of the truncated power laws
    :math:`f(i) \propto (1 + b i)^{-power}` on 0..k, b being set by the mean: the mass at a last
    point k + 1 may be anything between nothing and what the law gives there, but the tail is
    largest at one of these two ends, and both are truncated laws. (Searches over what lies between
    never found more.) For t up to twice the mean nothing better than 1 is claimed.
    """
    first = int(np.ceil(2 * mean))
    tails = np.ones(top + 1)
    if first < top:
        lasts = np.arange(max(first, 1), top + 1)
        masses = _masses(_rates(mean, lasts, power), lasts, power)
        above = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1] / masses.sum(axis=1)[:, None]
        tails[first + 1 :] = above.max(axis=0)[first + 1 :]
    return tuple(tails.tolist())


def _rates(mean: float, lasts: NDArray[np.intp], power: int) -> Array:
    """Return the rates b >= 0 at which power laws on 0..last have a mean, by bisection.

    The mean falls from last / 2 at b = 0 towards 0; b = v / (1 - v) makes 0..1 of all rates.
    """
    low, high = np.zeros(len(lasts)), np.ones(len(lasts))
    places = np.arange(lasts[-1] + 1)
    for _ in range(STEPS):
        middle = (low + high) / 2
        masses = _masses(middle / (1 - middle), lasts, power)
        above = masses @ places > mean * masses.sum(axis=1)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low / (1 - low)  # the side with the larger mean, so a bound stays one


def _masses(rates: Array, lasts: NDArray[np.intp], power: int) -> Array:
    """Return power laws, a row each, not scaled; 0 beyond the last place."""
    places = np.arange(lasts[-1] + 1)
    masses: Array = (places <= lasts[:, None]) / (1 + rates[:, None] * places)
    for _ in range(power.bit_length() - 1):  # far faster than a general power
        masses *= masses
    return masses
