"""Columns sorted once, cut into bins on each of many resamples, scored by what the bins tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse

from holdfast._kernels.discretise import (
    first_missing,
    n_log_n,
    score_columns,
    sort_sparse,
    take_sorted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.select._selector import Array, Rows

BLOCK = 2**20  # entries sorted, or scores computed, at a time: some 40 MB
NO_CUTS = np.empty(0)


class SortedColumns(NamedTuple):
    """The entries of some columns, sorted by value, as ``_kernels.discretise`` wants them."""

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: Array


class Resamples(NamedTuple):
    """How often each resample holds each row, and each class."""

    codes: NDArray[np.int32]
    weights: NDArray[np.int32]
    totals: NDArray[np.int64]

    @classmethod
    def of(cls, y: NDArray[np.intp], rows: Rows | None = None) -> Resamples:
        """Count the rows of resamples; without any, the data themselves are the only one."""
        codes = y.astype(np.int32)
        whole = [np.arange(len(y))] if rows is None else rows
        weights = np.array([np.bincount(own, minlength=len(y)) for own in whole], dtype=np.int32)
        classes = np.arange(codes.max() + 1)[:, None] == codes
        return cls(codes, weights, weights @ classes.T.astype(np.int64))


def sorted_blocks(X: Any, width: int) -> Iterator[tuple[slice, SortedColumns]]:  # noqa: ANN401
    """Sort the columns of data, so many at a time."""
    sparse: bool = scipy.sparse.issparse(X)
    if sparse and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    for first in range(0, X.shape[1], width):
        columns = slice(first, min(first + width, X.shape[1]))
        yield columns, _sorted_sparse(X, columns) if sparse else _sorted_dense(X, columns)


def _sorted_dense(X: NDArray[Any], columns: slice) -> SortedColumns:
    block = np.array(X[:, columns].T, dtype=np.float64, order="C")
    order = np.argsort(block, axis=1)
    start = np.arange(0, block.size + 1, len(X))
    rows, values = np.empty(block.size, np.int32), np.empty(block.size)
    take_sorted(block, order, rows, values)
    return SortedColumns(start, first_missing(start, values), rows, values)


def _sorted_sparse(X: Any, columns: slice) -> SortedColumns:  # noqa: ANN401
    pointers = X.indptr[columns.start : columns.stop + 1].astype(np.int64)
    entries = slice(pointers[0], pointers[-1])
    rows = X.indices[entries].astype(np.int32)
    values = X.data[entries].astype(np.float64)
    start = pointers - pointers[0]
    sort_sparse(start, rows, values)
    return SortedColumns(start, first_missing(start, values), rows, values)


def bin_scores(
    X: Any,  # noqa: ANN401
    resamples: Resamples,
    kind: int,
    n_bins: int,
    cut_points: list[Array] | None = None,
) -> Array:
    """Score the bins of each column on each resample.

    Parameters
    ----------
    X
        The data, dense or CSC, NaN where missing.
    resamples
        What to score on.
    kind
        The score: ``GAIN``, ``UNCERTAINTY`` or ``NATS`` of ``_kernels.discretise``.
    n_bins
        The number of bins of equal frequency; 0 for MDL cuts.
    cut_points
        A list that receives the cuts of each column on the last resample.
    """
    largest = int(resamples.totals.sum(axis=1).max())
    n_bins = min(n_bins, largest)  # each value has a bin of its own then
    table = n_log_n(largest)
    scores = np.empty((len(resamples.weights), X.shape[1]))
    for columns, block in sorted_blocks(X, max(1, BLOCK // max(resamples.weights.shape))):
        cuts = np.empty(len(block.values) if n_bins == 0 else 0)
        n_cuts = np.zeros(len(block.stop), dtype=np.int64)
        own = np.empty((len(scores), len(n_cuts)))
        score_columns(kind, n_bins, *block, *resamples, table, own, cuts, n_cuts)
        scores[:, columns] = own
        if cut_points is not None:
            cut_points.extend(_split(block.start, cuts, n_cuts))
    return scores


def _split(
    start: NDArray[np.int64], cuts: Array, n_cuts: NDArray[np.int64]
) -> list[NDArray[np.float64]]:
    """Return the cuts of each column; most have none, those share one empty array."""
    found = [NO_CUTS] * len(n_cuts)
    for j in np.flatnonzero(n_cuts):
        found[j] = cuts[start[j] : start[j] + n_cuts[j]].copy()
    return found
