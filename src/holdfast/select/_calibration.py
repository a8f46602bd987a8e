"""The threshold and the number of features at which a selection is least like chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

from holdfast.select._error_bounds import error_bound, least_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

THRESHOLDS = tuple(round(0.01 * percent, 2) for percent in range(60, 91))
"""Thresholds that are tried."""


def stability_score(
    counts: NDArray[np.integer], total: int, thresholds: tuple[float, ...] = THRESHOLDS
) -> Array:
    r"""Return how unlike a random choice it is that features are selected so often, or so rarely.

    Each of p features was selected in some of m subsamples. At a threshold :math:`\pi` it is
    stably selected (in at least :math:`m\pi`), stably left out (in at most :math:`m(1 - \pi)`), or
    neither. If all were selected with equal probability the counts would be binomial; the score
    is minus the logarithm of the likelihood of the three groups under that distribution.

    Parameters
    ----------
    counts : array of shape (p,)
        In how many subsamples each feature was selected.
    total : int
        m, the number of subsamples.
    thresholds : tuple of float
        Each above 0.5.

    Returns
    -------
    array, one score a threshold, 0 or more; larger is more stable
    """
    tally = np.bincount(counts, minlength=total + 1)
    share = float(counts.sum() / (total * len(counts)))
    masses = binom.logpmf(np.arange(total + 1), total, share)
    scores = []
    for threshold in thresholds:
        high = least_count(threshold, total)
        groups = slice(high, None), slice(total - high + 1, high), slice(total - high + 1)
        scores.append(-sum(_log_likelihood(masses[part], tally[part]) for part in groups))
    return np.array(scores)


def _log_likelihood(masses: Array, tally: NDArray[np.integer]) -> float:
    """Return the log-likelihood that so many features fell into a group of counts."""
    number = int(tally.sum())
    return number * min(float(logsumexp(masses)), 0.0) if number else 0.0


def calibrated(
    counts: NDArray[np.integer],
    total: int,
    pfer: float | None,
    assumption: str,
) -> tuple[int, float]:
    """Choose q and the threshold of the largest score among those that keep the bound.

    Where none does, they are 1 and the highest threshold.

    Parameters
    ----------
    counts : array of shape (most, p)
        How often each feature is selected when q is 1, 2, ...
    total : int
        The number of subsamples.
    pfer : float or None
        The largest bound allowed; None: any.
    assumption : str
        As for `error_bound`.
    """
    p = counts.shape[1]
    scores = np.array([stability_score(row, total) for row in counts])
    if pfer is not None:
        scores[~_allowed(len(counts), p, total, pfer, assumption)] = -np.inf
    if not np.isfinite(scores).any():
        return 1, THRESHOLDS[-1]
    row, column = np.unravel_index(np.argmax(scores), scores.shape)
    return int(row) + 1, THRESHOLDS[column]


def _allowed(
    most: int, n_features: int, total: int, pfer: float, assumption: str
) -> NDArray[np.bool_]:
    """Return which numbers of features (rows) and thresholds (columns) keep the bound."""

    def bound(q: int, threshold: float) -> float:
        return error_bound(n_features, q, threshold, n_pairs=total // 2, assumption=assumption)

    sizes = range(1, most + 1)
    return np.array([[bound(q, threshold) <= pfer for threshold in THRESHOLDS] for q in sizes])
