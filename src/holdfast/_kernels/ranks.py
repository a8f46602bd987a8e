"""Statistics of ranks: agreement of rankings, and rank sums of classes.

**Method.** *Kendall's tau*: the discordant pairs of two rankings are the inversions of the second
in the order of the first, counted while merging; tied pairs are counted in runs. *Rank-biased
overlap* is the weighted mean over depths d of the agreement 2 |S_d ∩ T_d| / (|S_d| + |T_d|) of the
features ranked d or better. *Rank sums*: columns are sorted once, each as a run of entries, in the
layout of `holdfast._kernels.discretization`; a resample is a count for each row. A walk along the
sorted entries collects the rows of each distinct value, which share their mean rank. With n rows,
n_k of them in class k with mean rank r_k, and t rows at each distinct value,

    H = 12 / (n (n + 1)) sum n_k (r_k - (n + 1) / 2)² / (1 - sum (t³ - t) / (n³ - n)).

With two classes H is z², the square of the standardised rank sum, and z is what is returned.

**Reference.** [Kendall1945]_ for tau-b, [Knight1966]_ for counting in p log p steps; [Webber2010]_
for rank-biased overlap; [Wilcoxon1945]_ for rank sums; [Kruskal1952]_ for H and the correction for
ties.

**Deviations.** In rank-biased overlap, depths whose weights are negligible are cut off by the
caller, who adds their weight to the last depth; tied features all stand at the first rank of their
tie, the paper's rule. H has no continuity correction: the order of features without ties does not
depend on it. H of a feature with one distinct value is 0/0; it gets 0.

**Rounding.** Pairs are counted as integers, so tau is one division of exact numbers. Average ranks
are multiples of one half; they are doubled, so that they compare as integers and rank sums are
integers. The sum over ties is exact below 2^53. One statistic rounds a few times; two features with
the same rank sums and ties have equal statistics, to the bit.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

Int32Array: TypeAlias = NDArray[np.int32]
RankArray: TypeAlias = NDArray[Any]


# Agreement of rankings.


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


# Rank sums of classes.


@subroutine
def _close_group(group: IntArray, rank_sums: IntArray, before: int) -> int:
    """Add the doubled ranks of the rows with one value, and empty the group; return its size.

    Parameters
    ----------
    group : ndarray of shape (c,)
        Rows of each class with this value.
    rank_sums : ndarray of shape (c,)
        Twice the sum of the ranks of each class; added to.
    before : int
        Rows with lower values.
    """
    size = 0
    for k in range(len(group)):
        size += group[k]
    for k in range(len(group)):
        # twice the mean of the ranks from before + 1 to before + size
        rank_sums[k] += group[k] * (2 * before + size + 1)
        group[k] = 0
    return size


@subroutine
def _sum_ranks(
    first: int,
    last: int,
    rows: Int32Array,
    values: FloatArray,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    group: IntArray,
    rank_sums: IntArray,
) -> float:
    """Sum the ranks of each class over one column of a resample; return the sum over ties.

    Parameters
    ----------
    rows, values : ndarray of shape (n_entries,)
        The sorted entries of all columns; rows without an entry hold zero.
    codes : ndarray of shape (n,)
        The class of each row.
    weights : ndarray of shape (n,)
        How often the resample holds each row.
    totals : ndarray of shape (c,)
        Rows of each class in the resample.
    group : ndarray of shape (c,)
        Scratch.
    rank_sums : ndarray of shape (c,)
        Receives twice the sum of the ranks of each class.
    """
    rank_sums[:] = 0
    group[:] = 0
    before, ties = 0, 0.0
    zeros_are_open = last - first < len(codes)
    for i in range(first, last):
        if i > first and values[i] != values[i - 1]:
            size = _close_group(group, rank_sums, before)
            before += size
            ties += (float(size) ** 2 - 1.0) * size
        if zeros_are_open and values[i] >= 0:
            zeros_are_open = False
            _add_zeros(first, last, rows, codes, weights, totals, group)
            if values[i] > 0:
                size = _close_group(group, rank_sums, before)
                before += size
                ties += (float(size) ** 2 - 1.0) * size
        group[codes[rows[i]]] += weights[rows[i]]
    size = _close_group(group, rank_sums, before)
    before += size
    ties += (float(size) ** 2 - 1.0) * size
    if zeros_are_open:
        _add_zeros(first, last, rows, codes, weights, totals, group)
        size = _close_group(group, rank_sums, before)
        ties += (float(size) ** 2 - 1.0) * size
    return ties


@subroutine
def _add_zeros(
    first: int,
    last: int,
    rows: Int32Array,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    group: IntArray,
) -> None:
    """Add the rows without an entry to a group.

    Parameters
    ----------
    rows, codes, weights, totals, group : ndarray
        As in `_sum_ranks`.
    """
    for k in range(len(group)):
        group[k] += totals[k]
    for i in range(first, last):
        group[codes[rows[i]]] -= weights[rows[i]]


@kernel
def rank_statistics(
    start: IntArray,
    stop: IntArray,
    rows: Int32Array,
    values: FloatArray,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    scores: FloatArray,
) -> None:
    """Compute the absolute z of two classes, H of more, for each column on each resample.

    Parameters
    ----------
    start, stop : ndarray of shapes (p + 1,) and (p,)
        Where the entries of each column begin and end; no value is missing.
    rows, values : ndarray of shape (n_entries,)
        The sorted entries.
    codes : ndarray of shape (n,)
        The class of each row.
    weights : ndarray of shape (n_resamples, n)
        How often each resample holds each row.
    totals : ndarray of shape (n_resamples, c)
        Rows of each class in each resample.
    scores : ndarray of shape (n_resamples, p)
        Receives the statistics.
    """
    n_classes = totals.shape[1]
    group, rank_sums = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    for r in range(len(weights)):
        n, present = 0.0, 0
        for k in range(n_classes):
            n += totals[r, k]
            present += totals[r, k] > 0
        distinct = n * (n * n - 1.0)
        for j in range(len(stop)):
            ties = _sum_ranks(
                start[j],
                stop[j],
                rows,
                values,
                codes,
                weights[r],
                totals[r],
                group,
                rank_sums,
            )
            if ties == distinct:
                scores[r, j] = 0.0
                continue
            spread = 0.0
            for k in range(n_classes):
                if totals[r, k] > 0:
                    # twice the distance of the rank sum from its mean: an exact integer
                    distance = rank_sums[k] - totals[r, k] * (n + 1.0)
                    spread += distance * distance / totals[r, k]
            # 12 / (n (n + 1)) / (1 - ties / distinct) = 12 (n - 1) / (distinct - ties); the factor
            # 4 is that of the doubled ranks
            h = 3.0 * (n - 1.0) * spread / (distinct - ties)
            scores[r, j] = math.sqrt(h) if present == 2 else h
