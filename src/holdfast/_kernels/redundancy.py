"""Redundancy of all features with one of them: absolute correlation or mutual information.

**Method.** A greedy search needs the sum of the redundancies of each feature with those selected so
far. When a feature is selected, its redundancies with all others are added to these sums, so that a
step takes one pass over the data. The correlation is the scalar product of standardised columns,
which is added up row by row for a block of columns at a time. The mutual information of binned
features is, in nats, with n log n tabulated,

    I = (sum n_ab log n_ab - sum n_a log n_a - sum n_b log n_b + n log n) / n

for n_ab rows in bin a of the one and bin b of the other feature.

**Reference.** [Ding2005]_ for the search and both redundancies.

**Deviations.** A redundancy below the floor counts as the floor, so that a quotient stays finite.

**Rounding.** The products of a column are added in the order of the rows, whatever the block, so
equal columns have equal redundancies, to the bit. Correlations of equal columns may differ from 1
by rounding.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel
from holdfast._typing import FloatArray, IntArray

BinArray: TypeAlias = NDArray[np.int32]
BLOCK_COLUMNS = 1024  # chosen: the sums of a block stay in the first-level cache


@kernel
def add_correlations(
    standardized: FloatArray, selected: int, floor: float, sums: FloatArray
) -> None:
    """Add the absolute correlation of each feature with the selected one.

    Parameters
    ----------
    standardized : ndarray of shape (n, p)
        Columns with mean 0 and norm 1, or all 0.
    sums : ndarray of shape (p,)
        Added to in place.
    """
    n, p = standardized.shape
    for first in range(0, p, BLOCK_COLUMNS):
        last = min(first + BLOCK_COLUMNS, p)
        products = np.zeros(last - first)
        for i in range(n):
            factor, row = standardized[i, selected], standardized[i, first:last]
            for j in range(last - first):
                products[j] += factor * row[j]
        for j in range(last - first):
            sums[first + j] += max(abs(products[j]), floor)


@kernel
def bin_sums(bins: BinArray, n_bins: int, table: FloatArray) -> FloatArray:
    """Sum n log n over the bins of each feature.

    Parameters
    ----------
    bins, table : ndarray
        As in `add_mutual_information`.
    """
    counts: IntArray = np.empty(n_bins, np.int64)
    sums = np.zeros(len(bins))
    for j in range(len(bins)):
        counts[:] = 0
        for i in range(bins.shape[1]):
            counts[bins[j, i]] += 1
        for b in range(n_bins):
            sums[j] += table[counts[b]]
    return sums


@kernel
def add_mutual_information(
    bins: BinArray,
    bin_terms: FloatArray,
    n_bins: int,
    selected: int,
    table: FloatArray,
    floor: float,
    sums: FloatArray,
) -> None:
    """Add the mutual information of each feature with the selected one, in nats.

    Parameters
    ----------
    bins : ndarray of shape (p, n)
        The bin of each row, by feature, from 0 to `n_bins` - 1.
    bin_terms : ndarray of shape (p,)
        The sum of n log n over the bins of each feature, from `bin_sums`.
    table : ndarray of shape (n + 1,)
        n log n.
    sums : ndarray of shape (p,)
        Added to in place.
    """
    p, n = bins.shape
    counts: IntArray = np.empty((n_bins, n_bins), np.int64)
    for j in range(p):
        counts[:] = 0
        for i in range(n):
            counts[bins[selected, i], bins[j, i]] += 1
        joint = 0.0
        for a in range(n_bins):
            for b in range(n_bins):
                joint += table[counts[a, b]]
        shared = (joint - bin_terms[j] - bin_terms[selected] + table[n]) / n
        sums[j] += max(shared, floor)
