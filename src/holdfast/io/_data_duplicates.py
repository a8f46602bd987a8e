"""Features that are constant, and features that are exact copies of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.io._data_blocks import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

_SEED = 7  # any fixed number: it only decides which columns collide, and these are compared


def constant_features(X: NDArray[Any]) -> Mask:
    """Tell which features have no two different values; those without any value are among them."""
    low = np.full(X.shape[1], np.inf)
    high = np.full(X.shape[1], -np.inf)
    for _, block in row_blocks(X):
        np.fmin(low, np.fmin.reduce(block, axis=0), out=low)
        np.fmax(high, np.fmax.reduce(block, axis=0), out=high)
    return low >= high


def duplicated_features(X: NDArray[Any], among: Mask) -> list[list[int]]:
    """Return groups of features with equal values in all rows, missing ones included.

    Columns are summed up by a number each, and only columns of equal numbers are compared.
    """
    columns = np.flatnonzero(among)
    keys = _column_keys(X)[columns]
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    runs = (run for run in np.split(columns[order], ends) if len(run) > 1)
    groups = [group for run in runs for group in _equal_groups(X, run.tolist())]
    return sorted(groups)


def _column_keys(X: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a weighted sum, modulo 2^64, of the bits of each column."""
    weights = np.asarray(np.random.PCG64(_SEED).random_raw(X.shape[0]))
    keys = np.zeros(X.shape[1], dtype=np.uint64)
    for start, block in row_blocks(X):
        values = block.astype(np.float64) + 0.0  # the sum has one zero only
        values[np.isnan(values)] = np.nan  # and one NaN
        bits = values.view(np.uint64)
        # low bits are 0 in round numbers and a product never carries downwards
        bits ^= bits >> np.uint64(32)
        keys += weights[start : start + len(bits)] @ bits
    return keys


def _equal_groups(X: NDArray[Any], columns: list[int]) -> list[list[int]]:
    """Split columns of one key into groups that are equal indeed; single ones are left out."""
    groups: list[list[int]] = []
    while columns:
        first = X[:, columns[0]]
        same = [j for j in columns if np.array_equal(first, X[:, j], equal_nan=True)]
        groups.append(same)
        columns = sorted(set(columns) - set(same))
    return [group for group in groups if len(group) > 1]
