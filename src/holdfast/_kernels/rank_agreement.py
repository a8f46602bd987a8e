"""Agreement of pairs of rankings that is no matrix product: Kendall and rank-biased overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Floats = NDArray[np.float64]


@kernel
def _inversions(values: Ints, spare: Ints) -> int:
    """Count pairs in descending order while sorting `values`, by merging from the bottom up."""
    n = len(values)
    count = 0
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, stop):
                if i < middle and (j >= stop or values[i] <= values[j]):
                    spare[k] = values[i]
                    i += 1
                else:
                    spare[k] = values[j]
                    j += 1
                    count += middle - i
        for k in range(n):
            values[k] = spare[k]
        width *= 2
    return count


@kernel
def _tied_pairs(ascending: Ints) -> int:
    """Number of pairs of equal values in a sorted vector."""
    pairs, run = 0, 1
    for k in range(1, len(ascending)):
        if ascending[k] == ascending[k - 1]:
            pairs += run
            run += 1
        else:
            run = 1
    return pairs


@kernel
def _double_ranks(ranks: NDArray[Any], order: NDArray[np.int64], out: Ints) -> None:
    """Write ranks in a given order as whole numbers: average ranks are multiples of one half."""
    for k in range(len(order)):
        out[k] = np.int32(round(2.0 * ranks[order[k]]))


@kernel
def kendall_table(ranks: NDArray[Any]) -> Floats:
    """Kendall's tau-b of all pairs of rows; only a few rows are copied at a time."""
    m, p = ranks.shape
    total = p * (p - 1) // 2
    tied = np.empty(m, np.int64)
    values, spare = np.empty(p, np.int32), np.empty(p, np.int32)
    for i in range(m):
        _double_ranks(ranks[i], np.arange(p), values)
        values.sort()
        tied[i] = _tied_pairs(values)
    table = np.empty((m, m))
    first = np.empty(p, np.int32)
    for i in range(m):
        order = np.argsort(ranks[i], kind="mergesort")
        _double_ranks(ranks[i], order, first)
        table[i, i] = 1.0 if tied[i] < total else np.nan
        for j in range(i + 1, m):
            _double_ranks(ranks[j], order, values)
            both, start = 0, 0
            for k in range(1, p + 1):
                if k == p or first[k] != first[start]:
                    if k - start > 1:
                        values[start:k].sort()
                        both += _tied_pairs(values[start:k])
                    start = k
            opposed = _inversions(values, spare)
            scale = np.sqrt(float(total - tied[i]) * float(total - tied[j]))
            agreed = total - tied[i] - tied[j] + both - 2 * opposed
            table[i, j] = table[j, i] = agreed / scale if scale > 0 else np.nan
    return table


@kernel
def overlap_tables(
    first: Ints, bounds: NDArray[np.int64], items: Ints, reached: Floats, weights: Floats, p: int
) -> Floats:
    """Weighted agreement by depth of all pairs of rankings, and what chance gives.

    `first` holds the first rank of each item's tie, clipped just below the last depth; `items`
    lists each row's items within that depth; `reached` counts them by depth.
    """
    m = first.shape[0]
    depth = len(weights)
    tables = np.ones((2, m, m))
    hits = np.zeros(depth + 1, np.int64)
    for i in range(m):
        for j in range(i + 1, m):
            hits[:] = 0
            for k in range(bounds[i], bounds[i + 1]):
                at = max(first[i, items[k]], first[j, items[k]])
                if at <= depth:
                    hits[at] += 1
            shared, value, chance = 0, 0.0, 0.0
            for d in range(depth):
                shared += hits[d + 1]
                both = reached[i, d] + reached[j, d]
                value += weights[d] * 2 * shared / both
                chance += weights[d] * 2 * reached[i, d] * reached[j, d] / (both * p)
            tables[0, i, j] = tables[0, j, i] = value
            tables[1, i, j] = tables[1, j, i] = chance
    return tables
