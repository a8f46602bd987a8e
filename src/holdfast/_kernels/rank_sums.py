"""Rank sums of classes, for many resamples at once, and the statistic of Kruskal and Wallis.

**Method.** Columns are sorted once, each as a run of entries, in the layout of
`holdfast._kernels.discretization`; a resample is a count for each row. A walk along the sorted
entries collects the rows of each distinct value, which share their mean rank. With n rows, n_k of
them in class k with mean rank r_k, and t rows at each distinct value,

    H = 12 / (n (n + 1)) sum n_k (r_k - (n + 1) / 2)² / (1 - sum (t³ - t) / (n³ - n)).

With two classes H is z², the square of the standardised rank sum, and z is what is returned.

**Reference.** [Wilcoxon1945]_ for rank sums; [Kruskal1952]_ for H and the correction for ties.

**Deviations.** No continuity correction: the order of features without ties does not depend on it.
H of a feature with one distinct value is 0/0; it gets 0.

**Rounding.** Mean ranks are doubled, so that rank sums are integers. The sum over ties is exact
below 2^53. One statistic rounds a few times; two features with the same rank sums and ties have
equal statistics, to the bit.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

Int32Array: TypeAlias = NDArray[np.int32]


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
