"""Standard errors of means over test parts that overlap, and over subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EQUAL = 1e-12
"""Differences of shares that are less apart than this differ by rounding only."""


def summed(values: Array, overlap: float) -> tuple[Array, Array, Array]:
    """Return mean, enlarged standard error and number of the known values of each row.

    The standard error is that of Nadeau & Bengio (2003), see `corrected_t_test`.
    """
    known = np.isfinite(values)
    count = known.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / count
        apart = np.where(known, values - mean[:, None], 0.0)
        apart[np.abs(apart) <= EQUAL] = 0.0
        spread = np.sqrt((apart**2).sum(axis=1) / (count - 1) * (1 / count + overlap))
    return mean, np.where(count > 1, spread, np.nan), count


def clustered(parts: Array, known: NDArray[np.bool_]) -> Array:
    r"""Return the standard error of a sum of parts, a row each, from what its units contribute.

    A unit, such as a subject, contributes the sum :math:`u_g` of what its samples do; units are
    independent, samples of one unit are not. With G units the standard error is
    :math:`\sqrt{G/(G-1) \sum_g u_g^2}`; missing where there are fewer than two.
    """
    count = known.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(count / (count - 1) * (np.where(known, parts, 0.0) ** 2).sum(axis=1))
    return np.where(count > 1, spread, np.nan)


def clustered_shares(wrong: Array, every: Array) -> tuple[Array, Array]:
    """Return the share of what is wrong in each row, and its standard error.

    `wrong` and `every` hold sums over the samples of each unit (columns).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = every.sum(axis=1)
        share = wrong.sum(axis=1) / whole
        parts = (wrong - share[:, None] * every) / whole[:, None]
    return share, clustered(parts, every > 0)
