"""Data of linear support vector machines: equal samples, scaling, weights, elimination.

**Method.** Equal samples of one class are merged; they act in the dual as one sample with a larger
box. Features are centred and divided by their range or standard deviation. The weights of the
features follow from the signed dual, w = Zb, with the scaled data Z, features in rows: a feature is
contiguous in memory, and features that are eliminated are swapped behind those that stay.

**Reference.** [Guyon2002]_ for elimination by squared weights.

**Deviations.** Data are centred before products are taken, which changes no SVM (the offset
makes up for it) and saves digits. WEKA's default filter scales to 0..1.

**Rounding.** Sums run in an order that depends on their length alone: equal features get equal
weights to the last bit. A weight below 1e-11 of its summands is 0, so that rounding errors do not
rank features of which none helps, or which vary in no support vector.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._typing import AnyArray, FloatArray, IntArray

CENTRE, MINMAX, STANDARD = range(3)
ZERO_SHARE = 1e-11  # chosen: a weight below this share of its summands is a residue of rounding
GOLDEN_RATIO = 1.618033988749895  # derived: its multiples are spread evenly between whole numbers
COLUMNS_PER_TILE = 16  # chosen: columns transposed together; changes the time taken only


@kernel
def row_keys(X: AnyArray) -> FloatArray:
    """Return one number per row of `X`, of shape (n, p), which is the same for equal rows.

    It is a weighted mean of the row, so that it overflows for no row. The weights are multiples of
    the golden ratio without their whole parts, so that rows that differ hardly ever share a number.
    """
    n, p = X.shape
    keys = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(p):
            total += X[i, j] * (((j + 1) * GOLDEN_RATIO) % 1.0 / p)
        keys[i] = total
    return keys


@kernel
def first_equal_rows(X: AnyArray, y: IntArray, keys: FloatArray, order: IntArray) -> IntArray:
    """First row that equals each row, in values and class.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data.
    y, keys : ndarray of shape (n,)
        The classes, and the numbers of `row_keys`.
    order : ndarray of shape (n,)
        The rows sorted by class, then by key, then by index.
    """
    n, p = X.shape
    first = np.empty(n, np.int64)
    for i in range(n):
        first[i] = i
    start = 0
    while start < n:
        stop = start + 1
        lead = order[start]
        while stop < n and keys[order[stop]] == keys[lead] and y[order[stop]] == y[lead]:
            stop += 1
        # rows that differ although they share a key are rare, so the first row nearly always equals
        for a in range(start + 1, stop):
            for b in range(start, a):
                i, k = order[a], order[b]
                if first[k] < k:
                    continue
                j = 0
                while j < p and X[i, j] == X[k, j]:
                    j += 1
                if j == p:
                    first[i] = k
                    break
        start = stop
    return first


@subroutine
def _centre_columns(tile: FloatArray, counts: FloatArray, kind: int) -> FloatArray:
    """Centre the features in the columns of a tile, in place; return what to divide them by.

    Rows that count 0 do not contribute to means and widths. The loops run along the rows, where
    they are fast.

    Parameters
    ----------
    tile : ndarray of shape (n, m)
        The values.
    counts : ndarray of shape (n,)
        How often each row counts.
    kind : int
        `CENTRE` (divide by 1), `MINMAX` (by the range) or `STANDARD` (by the standard deviation).
    """
    n, m = tile.shape
    low, high, mean = np.empty(m), np.empty(m), np.empty(m)
    squares, width = np.empty(m), np.empty(m)
    for j in range(m):
        low[j], high[j], mean[j], squares[j] = np.inf, -np.inf, 0.0, 0.0
    total = 0.0
    for i in range(n):
        total += counts[i]
        if counts[i] > 0:
            for j in range(m):
                low[j] = tile[i, j] if tile[i, j] < low[j] else low[j]
                high[j] = tile[i, j] if tile[i, j] > high[j] else high[j]
    for i in range(n):
        for j in range(m):
            tile[i, j] -= low[j]  # before the mean, which of large, close values has lost digits
            mean[j] += counts[i] * tile[i, j]
    for j in range(m):
        mean[j] /= total
    for i in range(n):
        for j in range(m):
            tile[i, j] -= mean[j]
            squares[j] += counts[i] * tile[i, j] * tile[i, j]
    for j in range(m):
        width[j] = 1.0
        if kind == MINMAX:
            width[j] = high[j] - low[j]
        elif kind == STANDARD:
            width[j] = math.sqrt(squares[j] / (total - 1.0))
        # constant features are exactly 0, whatever the rounding of the mean
        if low[j] == high[j]:
            for i in range(n):
                tile[i, j] = 0.0
            width[j] = 1.0
        elif not 0.0 < width[j] < np.inf:  # over- or underflow: the caller refuses NaN
            width[j] = np.nan
    return width


@kernel
def scale_columns(
    X: AnyArray, rows: IntArray, counts: FloatArray, kind: int, start: int, stop: int
) -> FloatArray:
    """Return columns start to stop of the given rows of X, scaled, features in rows.

    Parameters
    ----------
    X : ndarray of shape (n_all, p)
        The data.
    rows, counts : ndarray of shape (n,)
        The rows, and how often each counts.
    """
    n = len(rows)
    Z = np.empty((stop - start, n))
    for first in range(start, stop, COLUMNS_PER_TILE):
        m = min(COLUMNS_PER_TILE, stop - first)
        tile = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                tile[i, j] = X[rows[i], first + j]
        width = _centre_columns(tile, counts, kind)
        for j in range(m):
            row = Z[first - start + j]
            for i in range(n):
                row[i] = tile[i, j] / width[j]
    return Z


@kernel
def weights(Z: FloatArray, b: FloatArray) -> FloatArray:
    """Weights of the features, Zb.

    Products that cancel out leave a residue, for instance where no feature helps or where a feature
    varies in no support vector; such a weight is 0.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        The scaled data, features in rows.
    b : ndarray of shape (n,)
        The signed dual.
    """
    p, n = Z.shape
    even = n - n % 4
    w = np.empty(p)
    for j in range(p):
        row = Z[j]
        # four running sums of each kind, since each addition waits for the one before
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
        if abs(w[j]) <= ZERO_SHARE * ((a0 + a1) + (a2 + a3)):
            w[j] = 0.0
    return w


@kernel
def swap_rows_to_end(
    Z: FloatArray, feature_of_row: IntArray, leaving: IntArray, n_left: int
) -> None:
    """Swap the leaving rows of ``Z[:n_left]`` to its end.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        The scaled data, features in rows.
    feature_of_row : ndarray of shape (p,)
        The feature in each row, kept up to date.
    leaving : ndarray of shape (n_leaving,)
        The rows that leave.
    """
    n_staying = n_left - len(leaving)
    is_leaving = np.empty(n_left, np.bool_)
    for position in range(n_left):
        is_leaving[position] = False
    for position in leaving:
        is_leaving[position] = True
    other = n_staying
    for position in leaving:
        if position < n_staying:
            # behind the rows that stay there are as many staying rows
            # as leaving ones in front: each swap pairs two of them
            while is_leaving[other]:
                other += 1
            feature_of_row[position], feature_of_row[other] = (
                feature_of_row[other],
                feature_of_row[position],
            )
            for i in range(Z.shape[1]):
                Z[position, i], Z[other, i] = Z[other, i], Z[position, i]
            other += 1
