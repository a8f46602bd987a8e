"""Similarity of features: from a matrix, or from data as absolute correlations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse

from holdfast._formatting import format_list
from holdfast._typing import AnyArray, FloatArray, IntArray, MatrixLike
from holdfast.errors import InvalidInputError
from holdfast.preferences import Preferences, is_frame

CELLS_PER_BLOCK = 2**22  # similarities that are computed at a time


class Similarity(Protocol):
    """A graph of features that are similar to each other: edges at or above a threshold.

    A feature is not its own neighbour.
    """

    n_features: int

    def submatrix(self, features: AnyArray) -> scipy.sparse.csr_array:
        """Return the similarities between the given features; the diagonal is 0."""

    @property
    def degrees(self) -> IntArray:
        """Return the number of neighbours of every feature."""

    @property
    def total(self) -> float:
        """Return the sum of all similarities, both directions counted, without the diagonal."""


class MatrixSimilarity:
    """Similarities given as a dense or sparse p x p matrix."""

    def __init__(self, matrix: MatrixLike, threshold: float) -> None:
        graph = scipy.sparse.csr_array(_check_matrix(matrix))
        graph.data[graph.data < threshold] = 0.0
        graph.setdiag(0.0)
        graph.eliminate_zeros()
        graph.sort_indices()
        self.graph = graph
        self.n_features: int = graph.shape[0]

    def submatrix(self, features: AnyArray) -> scipy.sparse.csr_array:
        """Return the similarities between the given features; the diagonal is 0."""
        return scipy.sparse.csr_array(self.graph[features][:, features])

    @property
    def degrees(self) -> IntArray:
        """Return the number of neighbours of every feature."""
        return np.diff(self.graph.indptr).astype(np.int64)

    @property
    def total(self) -> float:
        """Return the sum of all similarities, both directions counted, without the diagonal."""
        return float(self.graph.data.sum())


def _check_matrix(matrix: MatrixLike) -> MatrixLike:
    """Refuse what is no similarity matrix: shape, range, symmetry, diagonal."""
    sparse = bool(scipy.sparse.issparse(matrix))
    if not sparse:
        matrix = np.asarray(matrix)
    if matrix.dtype.kind not in "biuf":
        raise InvalidInputError(f"similarities are numbers, got {matrix.dtype}.")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise InvalidInputError(
            f"a similarity matrix is square, got the shape {matrix.shape}; "
            "for the data themselves use data=."
        )
    matrix = matrix.astype(np.float64)
    values = matrix.tocsr().data if sparse else matrix
    if np.isnan(values).any():
        raise InvalidInputError("a similarity is missing (NaN).")
    if values.size and not (values.min() >= 0 and values.max() <= 1 + 1e-12):
        raise InvalidInputError(
            "similarities must lie between 0 and 1, "
            f"got values from {values.min():g} to {values.max():g}."
        )
    if abs(matrix - matrix.T).max() > 1e-10:
        raise InvalidInputError("a similarity matrix is symmetric; this one is not.")
    diagonal = matrix.diagonal()
    left_out = sparse and not diagonal.any()
    if not left_out and np.abs(diagonal - 1).max() > 1e-10:
        raise InvalidInputError(
            "each feature is fully similar to itself: the diagonal must hold ones "
            "(or, in a sparse matrix, nothing)."
        )
    return matrix


class DataSimilarity:
    """Absolute Pearson correlations, computed from the data only where they are needed.

    Constant features are similar to no other. Nothing of size p x p is ever stored.
    """

    def __init__(self, data: MatrixLike, threshold: float) -> None:
        matrix = np.asarray(data.to_numpy() if hasattr(data, "to_numpy") else data)
        if matrix.ndim != 2 or matrix.shape[0] < 2 or matrix.dtype.kind not in "biuf":
            raise InvalidInputError(
                "data must be numbers in at least two rows (samples) and p columns (features), "
                f"got shape {matrix.shape} of {matrix.dtype}."
            )
        self.data = matrix
        self.threshold = threshold
        self.n_features: int = matrix.shape[1]

    def standardise(self, features: AnyArray | slice) -> FloatArray:
        """Return columns centred and scaled to length 1, so that products are correlations."""
        columns = self.data[:, features].astype(np.float64)
        odd = np.flatnonzero(~np.isfinite(columns).all(axis=0))
        if odd.size:
            feature = np.arange(self.n_features)[features][odd[0]]
            raise InvalidInputError(
                f"feature {feature:,} of the data has missing or infinite values, and this "
                "measure looks at it; fill them first."
            )
        columns -= columns.mean(axis=0)
        length = np.sqrt(np.square(columns).sum(axis=0))
        scale = np.abs(self.data[:, features]).max(axis=0)
        constant = length <= 1e-12 * scale * len(columns)
        return np.asarray(np.where(constant, 0.0, columns / np.where(constant, 1.0, length)))

    def _blocks(self, features: AnyArray | slice) -> Iterator[tuple[int, FloatArray]]:
        """Yield blocks of rows of the similarities; 0 below the threshold and on the diagonal."""
        points = self.standardise(features)
        count = points.shape[1]
        height = max(1, CELLS_PER_BLOCK // max(count, 1))
        for start in range(0, count, height):
            block = np.abs(points[:, start : start + height].T @ points)
            block[block < self.threshold - 1e-12] = 0.0  # rounding of perfect correlations
            diagonal = np.arange(len(block))
            block[diagonal, start + diagonal] = 0.0
            yield start, np.minimum(block, 1.0)

    def submatrix(self, features: AnyArray) -> scipy.sparse.csr_array:
        """Return the similarities between the given features; the diagonal is 0."""
        if len(features) == 0:
            return scipy.sparse.csr_array((0, 0))
        parts = [scipy.sparse.csr_array(block) for _, block in self._blocks(features)]
        return scipy.sparse.csr_array(scipy.sparse.vstack(parts))

    @cached_property
    def _profile(self) -> tuple[IntArray, float]:
        degrees, total = [], 0.0
        for _, block in self._blocks(slice(None)):
            degrees.append((block > 0).sum(axis=1))
            total += float(block.sum())
        return np.concatenate(degrees), total

    @property
    def degrees(self) -> IntArray:
        """Return the number of neighbours of every feature."""
        return self._profile[0]

    @property
    def total(self) -> float:
        """Return the sum of all similarities, both directions counted, without the diagonal."""
        return self._profile[1]


def check_all_named(preferences: Preferences) -> None:
    """Refuse preferences that name only some features: their indices are not those of the data."""
    names, count = preferences.feature_names, preferences.n_features
    if names is not None and len(names) != count:
        raise InvalidInputError(
            "the preferences name only some of the features, so they cannot be looked up "
            "elsewhere; give feature_names= for all features, in their order."
        )


def order_columns(frame: MatrixLike, names: tuple[str, ...] | None) -> MatrixLike:
    """Return data with their columns in the order of the names; plain arrays have no names.

    The rows of a square frame are put into the same order.
    """
    if names is None or not is_frame(frame):
        return frame
    place = {str(column): position for position, column in enumerate(frame.columns)}
    if place.keys() != set(names):
        odd = sorted(place.keys() ^ set(names))
        raise InvalidInputError(
            f"the columns are not the features of the preferences; in one only: {format_list(odd)}."
        )
    order = [place[name] for name in names]
    values = np.asarray(frame.to_numpy())[:, order]
    return values[order] if values.shape[0] == values.shape[1] else values


def as_similarity(
    similarity: Any,  # noqa: ANN401
    data: MatrixLike,
    threshold: float,
    p: int,
    names: tuple[str, ...] | None,
) -> Similarity:
    """Build the graph of similar features from a matrix or from data."""
    if not 0 < threshold <= 1:
        raise InvalidInputError(
            f"threshold must lie above 0 and up to 1, got {threshold}: at or above it two "
            "features count as similar."
        )
    if (similarity is None) == (data is None):
        raise InvalidInputError(
            "this measure needs to know how similar features are: give either similarity= "
            "(a p x p matrix) or data= (samples in rows, features in columns)."
        )
    graph: Similarity
    if data is None:
        graph = MatrixSimilarity(order_columns(similarity, names), threshold)
    else:
        graph = DataSimilarity(order_columns(data, names), threshold)
    if graph.n_features != p:
        raise InvalidInputError(
            f"the similarities are of {graph.n_features:,} features, the preferences of {p:,}."
        )
    return graph
