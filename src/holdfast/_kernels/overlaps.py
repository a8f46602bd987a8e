"""Common features of pairs of subsets, and the distributions of overlaps of random subsets.

**Method.** Overlaps are counted feature by feature, over the subsets that hold a feature. For lists
that grow, only the features that are new are counted. The overlap of two random subsets of sizes a
and b of p features is hypergeometric; its probabilities follow from the ratio of neighbouring ones,

    P(r + 1) / P(r) = (a - r)(b - r) / ((r + 1)(p - a - b + r + 1)),

starting from the most likely overlap, and are then normalised. The number of successes in
independent trials (Poisson-binomial) is built up one trial at a time, and the union of random
subsets one subset at a time: given a union of size u, the next subset overlaps it by a
hypergeometric number.

**Reference.** [Johnson2005]_, Chapters 3 and 6, for the distributions.

**Deviations.** Tails less likely than 1e-22 of the most likely overlap are cut off, unions less
likely than 1e-30 are left out.

**Rounding.** Counts are integers and exact. Probabilities are normalised by their sum; starting
from the most likely overlap, all products shrink, so nothing overflows for any p.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

Int32Array: TypeAlias = NDArray[np.int32]
OwnerArray: TypeAlias = NDArray[np.uint8]

NEGLIGIBLE = 1e-22  # chosen: less likely overlaps, relative to the mode, are below the last bit
NEGLIGIBLE_UNION = 1e-30  # chosen: unions that are less likely than this are left out


@kernel
def add_shared(
    table: NDArray[np.floating], first: int, indptr: IntArray, owners: IntArray, features: IntArray
) -> None:
    """Add 1 for each feature that two subsets share; row 0 of the table is subset `first`.

    Parameters
    ----------
    table : ndarray of shape (n_rows, m)
        The overlaps of subsets first to first + n_rows with all subsets.
    indptr, owners : ndarray of shapes (n_features + 1,) and (n_entries,)
        The subsets that hold feature f are ``owners[indptr[f]:indptr[f + 1]]``.
    features : ndarray of shape (n_counted,)
        The features that are counted.
    """
    last = first + len(table)
    for feature in features:
        feature_owners = owners[indptr[feature] : indptr[feature + 1]]
        # a feature held by h subsets costs h steps per row:
        # cheap for rare features only, see the caller
        for i in feature_owners:
            if first <= i < last:
                for j in feature_owners:
                    table[i - first, j] += 1


@kernel
def extend_overlaps(
    table: IntArray,
    owners: OwnerArray,
    lists: Int32Array,
    start: int,
    stop: int,
) -> None:
    """Add to the overlaps of lists cut at `start` what is new when they are cut at `stop`.

    Lists a and b gain the features that are new in a and now held by b, and those that are new in b
    and were held by a before. The marks of a feature are contiguous, so that it is counted for all
    lists in a few instructions.

    Parameters
    ----------
    table : ndarray of shape (m, m)
        The overlaps of all pairs of lists.
    owners : ndarray of shape (p, m)
        Row f marks the lists that hold feature f before `start`; afterwards before `stop`.
    lists : ndarray of shape (m, at least stop)
        Features, the best first.
    """
    m = len(lists)
    before, after = np.empty((m, m), np.int32), np.empty((m, m), np.int32)
    _count_members(before, owners, lists, start, stop)
    for a in range(m):
        for f in lists[a, start:stop]:
            owners[f, a] = 1
    _count_members(after, owners, lists, start, stop)
    # new in a, now in b; new in b, before in a
    for a in range(m):
        for b in range(m):
            table[a, b] += after[a, b] + before[b, a]


@subroutine
def _count_members(
    table: Int32Array,
    owners: OwnerArray,
    lists: Int32Array,
    start: int,
    stop: int,
) -> None:
    """Count how many features of each list, from `start` to `stop`, each list holds.

    Parameters
    ----------
    table : ndarray of shape (m, m)
        Receives the counts.
    owners, lists : ndarray
        As in `extend_overlaps`.
    """
    m = len(lists)
    for a in range(m):
        counts = table[a]
        for b in range(m):
            counts[b] = 0
        for f in lists[a, start:stop]:
            feature_owners = owners[f]
            for b in range(m):
                counts[b] += feature_owners[b]


@subroutine
def _most_likely_overlap(p: int, a: int, b: int) -> int:
    """The most likely overlap of random subsets of sizes a and b of p features."""
    # the mode of the hypergeometric distribution, floor((a + 1)(b + 1) / (p + 2)), kept in range
    return max(0, a + b - p, min(a, b, (a + 1) * (b + 1) // (p + 2)))


@subroutine
def _probability_ratio(p: int, a: int, b: int, r: int) -> float:
    """Ratio of the hypergeometric probabilities of overlaps r + 1 and r."""
    return (a - r) * (b - r) / ((r + 1.0) * (p - a - b + r + 1.0))


@subroutine
def _overlap_range(p: int, a: int, b: int) -> tuple[int, int]:
    """First and last overlap whose probability is not negligible."""
    mode = _most_likely_overlap(p, a, b)
    # probabilities fall on both sides of the mode, so the first negligible one ends the search
    low, weight = mode, 1.0
    while low > max(0, a + b - p) and weight > NEGLIGIBLE:
        low -= 1
        weight /= _probability_ratio(p, a, b, low)
    high, weight = mode, 1.0
    while high < min(a, b) and weight > NEGLIGIBLE:
        weight *= _probability_ratio(p, a, b, high)
        high += 1
    return low, high


@subroutine
def _fill_hypergeometric(p: int, a: int, b: int, low: int, pmf: FloatArray) -> None:
    """Write the probabilities of the overlaps from `low` on to `pmf`, of shape (n_overlaps,)."""
    mode = _most_likely_overlap(p, a, b) - low
    # relative to the mode: every further factor is at most 1
    pmf[mode] = 1.0
    for i in range(mode, 0, -1):
        pmf[i - 1] = pmf[i] / _probability_ratio(p, a, b, low + i - 1)
    for i in range(mode, len(pmf) - 1):
        pmf[i + 1] = pmf[i] * _probability_ratio(p, a, b, low + i)
    total = 0.0
    for i in range(len(pmf)):
        total += pmf[i]
    for i in range(len(pmf)):
        pmf[i] /= total


@kernel
def overlap_distributions(
    p: int, a: IntArray, b: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Distribution of the overlap of two random subsets, for many pairs of sizes at once.

    Parameters
    ----------
    a, b : ndarray of shape (n,)
        The sizes of the subsets.

    Returns
    -------
    start : ndarray of shape (n + 1,)
        Where each distribution begins.
    overlaps, pmf : ndarray of shape (start[-1],)
        The overlaps and their probabilities.
    """
    n = len(a)
    lows, start = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    start[0] = 0
    for i in range(n):
        low, high = _overlap_range(p, a[i], b[i])
        lows[i] = low
        start[i + 1] = start[i] + high - low + 1
    overlaps = np.empty(start[n], np.int64)
    pmf = np.empty(start[n])
    for i in range(n):
        probabilities = pmf[start[i] : start[i + 1]]
        _fill_hypergeometric(p, a[i], b[i], lows[i], probabilities)
        for k in range(len(probabilities)):
            overlaps[start[i] + k] = lows[i] + k
    return start, overlaps, pmf


@kernel
def poisson_binomial(probabilities: FloatArray) -> FloatArray:
    """Distribution of the number of successes in independent trials.

    `probabilities`, of shape (n,), are those of success; the result has shape (n + 1,).
    """
    pmf = np.zeros(len(probabilities) + 1)
    pmf[0] = 1.0
    for i in range(len(probabilities)):
        chance = probabilities[i]
        # pmf = (1 - chance) pmf + chance (pmf shifted by one)
        # downwards, so that each entry is read before it is overwritten
        for count in range(i + 1, 0, -1):
            pmf[count] = pmf[count] * (1 - chance) + pmf[count - 1] * chance
        pmf[0] *= 1 - chance
    return pmf


@kernel
def union_distribution(p: int, sizes: IntArray) -> FloatArray:
    """Distribution of the size of the union of random subsets of p features.

    `sizes`, of shape (m,), are those of the subsets.
    """
    max_union = min(p, sizes.sum())
    pmf = np.zeros(max_union + 1)
    pmf[0] = 1.0
    for size in sizes:
        grown = np.zeros(max_union + 1)
        for union in range(max_union + 1):
            if pmf[union] < NEGLIGIBLE_UNION:
                continue
            low, high = _overlap_range(p, union, size)
            overlap = np.empty(high - low + 1)
            _fill_hypergeometric(p, union, size, low, overlap)
            for k in range(len(overlap)):
                # a subset that overlaps the union by r adds size - r features to it
                grown[union + size - low - k] += pmf[union] * overlap[k]
        pmf = grown
    return pmf
