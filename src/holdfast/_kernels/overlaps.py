"""Common features of all pairs of subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@kernel
def add_shared(
    table: NDArray[np.floating], first: int, indptr: Ints, owners: Ints, features: Ints
) -> None:
    """Add 1 for each feature that two subsets share; row 0 of the table is subset `first`."""
    last = first + len(table)
    for feature in features:
        own = owners[indptr[feature] : indptr[feature + 1]]
        for i in own:
            if first <= i < last:
                for j in own:
                    table[i - first, j] += 1


# Common features of all pairs of lists, the best features first, as the lists grow longer.


@kernel
def extend_overlaps(
    table: NDArray[np.int64],
    owners: NDArray[np.uint8],
    lists: NDArray[np.int32],
    start: int,
    stop: int,
) -> None:
    """Add to the overlaps of all lists cut at `start` what there is more if they are cut at `stop`.

    Row f of `owners` marks the lists that hold feature f before `start`, afterwards before `stop`.
    Lists a and b gain the features that are new in a and now held by b, and those that are new in
    b and were held by a before. The marks of a feature lie side by side, so that it is counted
    for all lists in a few steps.
    """
    m = len(lists)
    before, since = np.zeros((m, m), dtype=np.int32), np.zeros((m, m), dtype=np.int32)
    _meet(before, owners, lists, start, stop)
    for a in range(m):
        for f in lists[a, start:stop]:
            owners[f, a] = 1
    _meet(since, owners, lists, start, stop)
    table += since + before.T


@kernel
def _meet(
    table: NDArray[np.int32],
    owners: NDArray[np.uint8],
    lists: NDArray[np.int32],
    start: int,
    stop: int,
) -> None:
    """Count, for each list, how many of its features from `start` to `stop` each list holds."""
    m = len(lists)
    for a in range(m):
        met = table[a]
        for f in lists[a, start:stop]:
            own = owners[f]
            for b in range(m):
                met[b] += own[b]


# Distributions that random subsets of given sizes obey.

NEGLIGIBLE = 1e-22  # probability, relative to the mode, below which a tail is cut


@kernel
def _mode(p: int, a: int, b: int) -> int:
    return max(0, a + b - p, min(a, b, (a + 1) * (b + 1) // (p + 2)))


@kernel
def _probability_ratio(p: int, a: int, b: int, r: int) -> float:
    """Ratio of the hypergeometric probabilities of r + 1 and r."""
    return (a - r) * (b - r) / ((r + 1.0) * (p - a - b + r + 1.0))


@kernel
def _extent(p: int, a: int, b: int) -> tuple[int, int]:
    """First and last overlap whose probability is not negligible."""
    mode = _mode(p, a, b)
    low, weight = mode, 1.0
    while low > max(0, a + b - p) and weight > NEGLIGIBLE:
        low -= 1
        weight /= _probability_ratio(p, a, b, low)
    high, weight = mode, 1.0
    while high < min(a, b) and weight > NEGLIGIBLE:
        weight *= _probability_ratio(p, a, b, high)
        high += 1
    return low, high


@kernel
def _fill(p: int, a: int, b: int, low: int, pmf: NDArray[np.float64]) -> None:
    """Write the probabilities of the overlaps from `low` on, by recurrence from the mode."""
    mode = _mode(p, a, b) - low
    pmf[mode] = 1.0
    for i in range(mode, 0, -1):
        pmf[i - 1] = pmf[i] / _probability_ratio(p, a, b, low + i - 1)
    for i in range(mode, len(pmf) - 1):
        pmf[i + 1] = pmf[i] * _probability_ratio(p, a, b, low + i)
    pmf /= pmf.sum()


@kernel
def overlap_distributions(
    p: int, a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Distribution of the overlap of two random subsets, for many pairs of sizes at once.

    Returns where each distribution begins, its overlaps and their probabilities.
    """
    n = len(a)
    lows = np.empty(n, np.int64)
    start = np.zeros(n + 1, np.int64)
    for i in range(n):
        low, high = _extent(p, a[i], b[i])
        lows[i] = low
        start[i + 1] = start[i] + high - low + 1
    overlaps = np.empty(start[n], np.int64)
    pmf = np.empty(start[n])
    for i in range(n):
        own = pmf[start[i] : start[i + 1]]
        _fill(p, a[i], b[i], lows[i], own)
        for k in range(len(own)):
            overlaps[start[i] + k] = lows[i] + k
    return start, overlaps, pmf


@kernel
def poisson_binomial(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distribution of the number of successes in independent trials of given probabilities."""
    pmf = np.zeros(len(probabilities) + 1)
    pmf[0] = 1.0
    for i in range(len(probabilities)):
        chance = probabilities[i]
        for count in range(i + 1, 0, -1):
            pmf[count] = pmf[count] * (1 - chance) + pmf[count - 1] * chance
        pmf[0] *= 1 - chance
    return pmf


@kernel
def union_distribution(p: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distribution of the size of the union of random subsets of given sizes."""
    most = min(p, sizes.sum())
    pmf = np.zeros(most + 1)
    pmf[0] = 1.0
    for size in sizes:
        grown = np.zeros(most + 1)
        for union in range(most + 1):
            if pmf[union] < 1e-30:
                continue
            low, high = _extent(p, union, size)
            overlap = np.empty(high - low + 1)
            _fill(p, union, size, low, overlap)
            for k in range(len(overlap)):
                grown[union + size - low - k] += pmf[union] * overlap[k]
        pmf = grown
    return pmf
