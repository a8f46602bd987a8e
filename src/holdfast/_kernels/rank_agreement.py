"""Kendall's tau and rank-biased overlap of all pairs of rankings.

**Method.** The discordant pairs of two rankings are the inversions of the second in the order of
the first, counted while merging; tied pairs are counted in runs. Rank-biased overlap is the
weighted mean over depths d of the agreement 2 |S_d ∩ T_d| / (|S_d| + |T_d|) of the features ranked
d or better.

**Reference.** [Kendall1945]_ for tau-b, [Knight1966]_ for counting in p log p steps; [Webber2010]_
for rank-biased overlap.

**Deviations.** Depths whose weights are negligible are cut off by the caller, who adds their weight
to the last depth. Tied features all stand at the first rank of their tie, the paper's rule.

**Rounding.** Pairs are counted as integers, so tau is one division of exact numbers. Average ranks
are multiples of one half; they are doubled to compare them as integers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

Int32Array: TypeAlias = NDArray[np.int32]
RankArray: TypeAlias = NDArray[Any]


@subroutine
def _count_inversions(values: Int32Array, scratch: Int32Array) -> int:
    """Count pairs in descending order while sorting `values`, by merging from the bottom up.

    `values` is sorted in place; `scratch` has the same shape (p,).
    """
    n = len(values)
    count = 0
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, stop):
                # equal values keep their order and are no inversion
                if i < middle and (j >= stop or values[i] <= values[j]):
                    scratch[k] = values[i]
                    i += 1
                else:
                    scratch[k] = values[j]
                    j += 1
                    # the value passes all that are left of the first half
                    count += middle - i
        for k in range(n):
            values[k] = scratch[k]
        width *= 2
    return count


@subroutine
def _count_tied_pairs(ascending: Int32Array) -> int:
    """Number of pairs of equal values in the sorted vector `ascending`, of shape (p,)."""
    pairs, run = 0, 1
    for k in range(1, len(ascending)):
        if ascending[k] == ascending[k - 1]:
            # the k-th equal value forms a pair with each of the k - 1 before it
            pairs += run
            run += 1
        else:
            run = 1
    return pairs


@subroutine
def _copy_doubled_ranks(ranks: RankArray, order: IntArray, out: Int32Array) -> None:
    """Write twice the ranks, in a given order, as integers.

    `ranks`, `order` and `out` have shape (p,).
    """
    for k in range(len(order)):
        out[k] = np.int32(round(2.0 * ranks[order[k]]))


@kernel
def kendall_table(ranks: RankArray) -> FloatArray:
    """Kendall's tau-b of all pairs of rows of `ranks`, of shape (m, p).

    Only a few rows are copied at a time. A ranking with all features tied has NaN.
    """
    m, p = ranks.shape
    total = p * (p - 1) // 2
    tied = np.empty(m, np.int64)
    values, scratch = np.empty(p, np.int32), np.empty(p, np.int32)
    for i in range(m):
        _copy_doubled_ranks(ranks[i], np.arange(p), values)
        values.sort()
        tied[i] = _count_tied_pairs(values)
    table = np.empty((m, m))
    first = np.empty(p, np.int32)
    for i in range(m):
        order = np.argsort(ranks[i], kind="mergesort")
        _copy_doubled_ranks(ranks[i], order, first)
        table[i, i] = 1.0 if tied[i] < total else np.nan
        for j in range(i + 1, m):
            _copy_doubled_ranks(ranks[j], order, values)
            joint_ties, start = 0, 0
            for k in range(1, p + 1):
                if k == p or first[k] != first[start]:
                    # pairs tied in the first ranking must not count as inversions
                    if k - start > 1:
                        values[start:k].sort()
                        joint_ties += _count_tied_pairs(values[start:k])
                    start = k
            # concordant - discordant = total - ties_i - ties_j + joint ties - 2 discordant
            discordant = _count_inversions(values, scratch)
            # as floats: the product of two pair counts overflows int64 from 80,000 features on
            scale = np.sqrt(float(total - tied[i]) * float(total - tied[j]))
            excess = total - tied[i] - tied[j] + joint_ties - 2 * discordant
            table[i, j] = table[j, i] = excess / scale if scale > 0 else np.nan
    return table


@kernel
def overlap_tables(
    first: Int32Array,
    bounds: IntArray,
    items: Int32Array,
    reached: FloatArray,
    weights: FloatArray,
    p: int,
) -> FloatArray:
    """Weighted agreement by depth of all pairs of rankings, and its expectation for random orders.

    Parameters
    ----------
    first : ndarray of shape (m, n_items)
        The first rank of each item's tie, at most one more than the last depth.
    bounds, items : ndarray of shapes (m + 1,) and (n_listed,)
        The items within the last depth of row i are ``items[bounds[i]:bounds[i + 1]]``.
    reached : ndarray of shape (m, depth)
        The number of these items up to each depth.
    weights : ndarray of shape (depth,)
        The weights of the depths.

    Returns
    -------
    ndarray of shape (2, m, m)
        The agreement, and its expectation: an item of one ranking's top is in the other's with the
        probability |T_d| / p.
    """
    m = first.shape[0]
    depth = len(weights)
    tables = np.ones((2, m, m))
    new_shared = np.zeros(depth + 1, np.int64)
    for i in range(m):
        for j in range(i + 1, m):
            new_shared[:] = 0
            for k in range(bounds[i], bounds[i + 1]):
                # an item is shared from the depth on at which both rankings have reached it
                common_depth = max(first[i, items[k]], first[j, items[k]])
                if common_depth <= depth:
                    new_shared[common_depth] += 1
            shared, value, chance = 0, 0.0, 0.0
            for d in range(depth):
                shared += new_shared[d + 1]
                total_size = reached[i, d] + reached[j, d]
                value += weights[d] * 2 * shared / total_size
                chance += weights[d] * 2 * reached[i, d] * reached[j, d] / (total_size * p)
            tables[0, i, j] = tables[0, j, i] = value
            tables[1, i, j] = tables[1, j, i] = chance
    return tables
