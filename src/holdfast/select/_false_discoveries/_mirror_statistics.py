"""Mirror statistics of disjoint halves: their cut, inclusion rates, and discoveries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast._typing import BoolArray, FloatArray, IndexArray, RowLists
from holdfast._validation import check_choice, check_integer, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.select._selector import row_counts
from holdfast.select._univariate import MAX_BLOCK_ENTRIES, FScore

STATISTICS = ("t_score", "l1_path")
"""What estimates the effects of features."""
MIRRORS = ("sum", "product", "minimum")
"""How the sizes of two effects are combined."""
MAX_EFFECT = 1e150
"""Larger effects are cut to this, so that products of two are finite."""
RATE_DECIMALS = 12
"""Inclusion rates that differ by less are equal."""
ROUNDING = 1e-9
"""Relative error that levels may be off by rounding: 0.29 * 100 is a little less than 29."""


class HalfEffects(NamedTuple):
    """Estimated effects of all features on two disjoint halves, for one or several splits.

    Attributes
    ----------
    agreement : ndarray of shape (splits, p)
        Inner products of the effects on the two halves; only their signs are used.
    first, second : ndarray of shape (splits, p)
        Sizes of the effects: Euclidean lengths, 0 or more.
    """

    agreement: FloatArray
    first: FloatArray
    second: FloatArray

    def mirror_statistics(self, mirror: str) -> FloatArray:
        """Combine the two halves; see `DataSplitting` for the formulas.

        Parameters
        ----------
        mirror : {"sum", "product", "minimum"}
            How the two sizes are combined.

        Returns
        -------
        ndarray of shape (splits, p)
        """
        check_choice(mirror, "mirror", MIRRORS)
        first, second = np.minimum(self.first, MAX_EFFECT), np.minimum(self.second, MAX_EFFECT)
        sizes = {"sum": first + second, "product": first * second}
        size = sizes.get(mirror, np.minimum(first, second))
        return np.asarray(np.sign(self.agreement) * size)


def t_effects(X: FloatArray, y: IndexArray, halves: RowLists) -> HalfEffects:
    """Return the differences between class means, standardised, on pairs of halves.

    The effect of a feature on a half has one entry per class k, the distance of its mean from
    that of all classes, times the square root of the number of samples, over the standard
    deviation within classes. Its length is the root of (c - 1) F for c classes, which is the
    absolute t for two.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data.
    y : ndarray of int, shape (n,)
        The classes, numbered from 0.
    halves : sequence of ndarray of int
        The rows of the first half, the second half of each split, in this order.
    """
    weights = row_counts(halves, len(y), float)
    members = np.eye(y.max() + 1)[:, y]
    counts = weights @ members.T
    freedom = (counts > 0).sum(axis=1, keepdims=True) - 1.0
    sizes = np.sqrt(freedom) * np.sqrt(FScore()._score_many(X, y, halves, []))
    agreement = np.zeros((len(halves) // 2, X.shape[1]))
    width = max(1, MAX_BLOCK_ENTRIES // max(len(halves), len(y)))
    for start in range(0, X.shape[1], width):
        columns = slice(start, start + width)
        # scaled and centred as for the scores, so that means neither overflow nor lose digits
        block = np.asarray(X[:, columns], dtype=np.float64)
        block = np.ldexp(block, -np.frexp(np.abs(block).max(axis=0))[1])
        block -= block.mean(axis=0)
        means = (weights / weights.sum(axis=1, keepdims=True)) @ block
        for of_class, count in zip(members, counts.T, strict=True):
            shares = weights * of_class / np.maximum(count, 1.0)[:, np.newaxis]
            distance = np.sqrt(count)[:, np.newaxis] * (shares @ block - means)
            agreement[:, columns] += distance[::2] * distance[1::2]
    return HalfEffects(agreement, sizes[::2], sizes[1::2])


# From mirror statistics to discoveries.


class Discoveries(NamedTuple):
    """Features selected over many splits.

    Attributes
    ----------
    support : ndarray of bool, shape (p,)
        Which features are selected.
    inclusion_rates : ndarray of shape (p,)
        Mean over splits of 1 / (number selected) for the features selected, 0 for others.
    selections : ndarray of bool, shape (splits, p)
        The features selected on each split.
    """

    support: BoolArray
    inclusion_rates: FloatArray
    selections: BoolArray


def check_offset(offset: object) -> int:
    """Return the number added to the estimated number of false discoveries: 0 or 1."""
    if check_integer(offset, "offset", 0) > 1:
        raise InvalidInputError(f"offset must be 0 or 1; got {offset!r}.")
    return int(bool(offset))


def mirror_cut(statistics: FloatArray, fdr: float, offset: int) -> float:
    r"""Return the smallest cut at which the estimated false discovery proportion is at most `fdr`.

    .. math:: \min \Bigl\{t \ge 0: \frac{a + \#\{j: M_j < -t\}}{\#\{j: M_j > t\} \vee 1}
              \le q \Bigr\}

    Parameters
    ----------
    statistics : ndarray of shape (p,)
        Mirror statistics.
    fdr : float
        The level q.
    offset : {0, 1}
        The number a.

    Returns
    -------
    float
        Infinite if no cut keeps the level. The proportion changes at absolute statistics only,
        so that they and 0 are tried.
    """
    cuts = np.unique(np.abs(np.append(statistics, 0.0)))
    positive, negative = np.sort(statistics[statistics > 0]), np.sort(-statistics[statistics < 0])
    above = len(positive) - np.searchsorted(positive, cuts, side="right")
    below = len(negative) - np.searchsorted(negative, cuts, side="right")
    kept = (offset + below <= fdr * (1 + ROUNDING) * above) & (above > 0)
    return float(cuts[kept.argmax()]) if kept.any() else np.inf


def discover(statistics: FloatArray, fdr: float, offset: int = 1) -> Discoveries:
    """Select features by the mirror statistics of many splits; see `DataSplitting`.

    Parameters
    ----------
    statistics : ndarray of shape (splits, p)
        Mirror statistics, one row per split.
    fdr : float
        The nominal false discovery rate.
    offset : {0, 1}, default 1
        Added to the estimated number of false discoveries of each split.
    """
    level = check_positive_number(fdr, "fdr", 1.0)
    offset = check_offset(offset)
    cuts = np.array([mirror_cut(row, level, offset) for row in statistics])
    selections = statistics > cuts[:, np.newaxis]
    shares = 1.0 / np.maximum(selections.sum(axis=1), 1)
    # rounded, so that equal rates are equal, whatever the order of their sums
    rates = np.round(shares @ selections / len(selections), RATE_DECIMALS)
    return Discoveries(rates > _rate_cut(rates, level), rates, selections)


def _rate_cut(rates: FloatArray, fdr: float) -> float:
    """Return the largest rate that is dropped; features of equal rate are kept or dropped together.

    Rates are dropped, the smallest first, while the sum of all that are dropped is at most `fdr`.
    """
    values, counts = np.unique(rates, return_counts=True)
    dropped = np.cumsum(values * counts) <= fdr * (1 + ROUNDING)
    return float(values[dropped].max(initial=0.0))
