"""Data for linear machines: equal samples, scales, weights of features, features that leave.

Scaled data are kept with features in rows (`Z`): a feature is one stretch of memory, and features
that leave are swapped behind those that stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

CENTRE, MINMAX, STANDARD = range(3)
RESIDUE = 1e-11  # weights below this share of the products they are made of are 0
TILE = 16  # columns of X that are turned into rows of Z together


@kernel
def first_equal_rows(X: NDArray[Any], y: Ints) -> Ints:
    """First row that equals each row, in values and class."""
    n, p = X.shape
    first = np.arange(n)
    for i in range(n):
        if first[i] < i:
            continue
        for k in range(i + 1, n):
            if first[k] < k or y[k] != y[i]:
                continue
            j = 0
            while j < p and X[i, j] == X[k, j]:
                j += 1
            if j == p:
                first[k] = i
    return first


@kernel
def _centre(tile: Floats, counts: Floats, kind: int) -> Floats:
    """Centre the features in the columns of a tile; return what to divide them by.

    Rows that count 0 have no say. The loops run along the rows, where they are fast.
    """
    n, m = tile.shape
    low, high = np.full(m, np.inf), np.full(m, -np.inf)
    mean, width = np.zeros(m), np.ones(m)
    for i in range(n):
        if counts[i] > 0:
            for j in range(m):
                low[j] = tile[i, j] if tile[i, j] < low[j] else low[j]
                high[j] = tile[i, j] if tile[i, j] > high[j] else high[j]
    for i in range(n):
        for j in range(m):
            tile[i, j] -= low[j]  # first: the mean of large, close values has lost its digits
            mean[j] += counts[i] * tile[i, j]
    mean /= counts.sum()
    squares = np.zeros(m)
    for i in range(n):
        for j in range(m):
            tile[i, j] -= mean[j]
            squares[j] += counts[i] * tile[i, j] * tile[i, j]
    if kind == MINMAX:
        width = high - low
    elif kind == STANDARD:
        width = np.sqrt(squares / (counts.sum() - 1.0))
    for j in range(m):
        if low[j] == high[j]:
            tile[:, j] = 0.0
            width[j] = 1.0
        elif not 0.0 < width[j] < np.inf:  # over- or underflow: make it seen
            width[j] = np.nan
    return width


@kernel
def scale_columns(
    X: NDArray[Any], rows: Ints, counts: Floats, kind: int, start: int, stop: int
) -> Floats:
    """Return columns start to stop of the named rows of X, scaled, features in rows."""
    n = len(rows)
    Z = np.empty((stop - start, n))
    for first in range(start, stop, TILE):
        m = min(TILE, stop - first)
        tile = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                tile[i, j] = X[rows[i], first + j]
        width = _centre(tile, counts, kind)
        for j in range(m):
            row = Z[first - start + j]
            for i in range(n):
                row[i] = tile[i, j] / width[j]
    return Z


@kernel
def weights(Z: Floats, b: Floats) -> Floats:
    """Weights of the features, Zb; equal features get equal weights to the last bit.

    Products that cancel out leave a residue, for instance where no feature helps or where a
    feature varies in no support vector. It is 0, lest rounding errors rank the features.
    """
    p, n = Z.shape
    even = n - n % 4
    w = np.empty(p)
    for j in range(p):
        row = Z[j]
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
        for i in range(0, even, 4):
            t0, t1 = row[i] * b[i], row[i + 1] * b[i + 1]
            t2, t3 = row[i + 2] * b[i + 2], row[i + 3] * b[i + 3]
            s0, s1, s2, s3 = s0 + t0, s1 + t1, s2 + t2, s3 + t3
            a0, a1, a2, a3 = a0 + abs(t0), a1 + abs(t1), a2 + abs(t2), a3 + abs(t3)
        for i in range(even, n):
            s0 += row[i] * b[i]
            a0 += abs(row[i] * b[i])
        w[j] = (s0 + s1) + (s2 + s3)
        if abs(w[j]) <= RESIDUE * ((a0 + a1) + (a2 + a3)):
            w[j] = 0.0
    return w


@kernel
def put_last(Z: Floats, who: Ints, leaving: Ints, left: int) -> None:
    """Swap the leaving rows of Z[:left] to its end; `who` says which feature is where."""
    stay = left - len(leaving)
    gone = np.zeros(left, np.bool_)
    for position in leaving:
        gone[position] = True
    other = stay
    for position in leaving:
        if position < stay:
            while gone[other]:
                other += 1
            who[position], who[other] = who[other], who[position]
            for i in range(Z.shape[1]):
                Z[position, i], Z[other, i] = Z[other, i], Z[position, i]
            other += 1
