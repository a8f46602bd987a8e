"""Similarity of features, and the agreement of random subsets that it leads one to expect."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
import scipy.sparse

from holdfast._formatting import did_you_mean, format_list
from holdfast._kernels.similarity import (
    YU,
    ZUCKNICK,
    enumerated_mean,
    prefix_scores,
    simulated_scores,
)
from holdfast._random import RandomState, generators
from holdfast._typing import AnyArray, FloatArray, IntArray, MatrixLike
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures._registry import Score
from holdfast.measures._subset_tables import SubsetTables
from holdfast.preferences import Preferences, is_frame

CELLS_PER_BLOCK = 2**22  # similarities that are computed at a time; chosen by hand


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
        graph = scipy.sparse.csr_array(_check_similarity_matrix(matrix))
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


def _check_similarity_matrix(matrix: MatrixLike) -> MatrixLike:
    """Raise unless this is a similarity matrix: shape, range, symmetry, diagonal."""
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
    # tolerances for rounding: correlations computed in either order differ in the last bits
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
        # a correlation of rounding errors would be
        # arbitrary: constant features are similar to nothing
        constant = length <= 1e-12 * scale * len(columns)  # equal except for rounding
        return np.asarray(np.where(constant, 0.0, columns / np.where(constant, 1.0, length)))

    def _similarity_blocks(self, features: AnyArray | slice) -> Iterator[tuple[int, FloatArray]]:
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
        parts = [scipy.sparse.csr_array(block) for _, block in self._similarity_blocks(features)]
        return scipy.sparse.csr_array(scipy.sparse.vstack(parts))

    @cached_property
    def _degrees_and_total(self) -> tuple[IntArray, float]:
        degrees, total = [], 0.0
        for _, block in self._similarity_blocks(slice(None)):
            degrees.append((block > 0).sum(axis=1))
            total += float(block.sum())
        return np.concatenate(degrees), total

    @property
    def degrees(self) -> IntArray:
        """Return the number of neighbours of every feature."""
        return self._degrees_and_total[0]

    @property
    def total(self) -> float:
        """Return the sum of all similarities, both directions counted, without the diagonal."""
        return self._degrees_and_total[1]


def check_all_named(preferences: Preferences) -> None:
    """Raise if preferences name only some features: their indices are not those of the data."""
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


# Expected agreement of random subsets when similar features count as agreement.
#
# Closed forms exist for Yu and Zucknick, and for all measures when no two features are similar.
# Otherwise the intersection family is enumerated for few features, or simulated: one simulation
# serves all pairs of sizes, by scoring prefixes of the same random sequences.

Correction = Literal["auto", "exact", "simulate"]
# Limits of time, chosen by hand; those of "auto" decide between exact and simulated expectations.
MAX_AUTO_PAIRS = 100_000  # pairs of subsets that "auto" enumerates rather than simulates
MAX_EXACT_PAIRS = 50_000_000  # pairs of subsets that "exact" enumerates at all
MAX_AUTO_PRODUCTS = 2e9  # multiplications that "auto" spends on correlations of all features


class ExpectedScores(NamedTuple):
    """Expectation for each pair of distinct sizes, with its standard error (0: exact)."""

    mean: FloatArray
    error: FloatArray


def expected_scores(
    tables: SubsetTables,
    graph: Similarity,
    kind: int,
    correction: Correction,
    n_simulations: int,
    random_state: RandomState,
) -> ExpectedScores:
    """Return the expected score of random subsets for each pair of distinct sizes."""
    if correction not in get_args(Correction):
        raise UnknownNameError(
            f"unknown correction {correction!r}.{did_you_mean(correction, get_args(Correction))}"
        )
    if correction == "auto":
        if _has_closed_form(graph, kind):
            products = graph.data.shape[0] * tables.p**2 if isinstance(graph, DataSimilarity) else 0
            cheap = products <= MAX_AUTO_PRODUCTS
        else:
            cheap = _count_subset_pairs(tables) <= MAX_AUTO_PAIRS
        correction = "exact" if cheap else "simulate"
    if correction == "simulate":
        return _simulated_means(tables, graph, kind, n_simulations, random_state)
    by_formula = _has_closed_form(graph, kind)
    mean = (_closed_form_means if by_formula else _enumerated_means)(tables, graph, kind)
    return ExpectedScores(mean, np.zeros_like(mean))


def _has_closed_form(graph: Similarity, kind: int) -> bool:
    return kind in (YU, ZUCKNICK) or (isinstance(graph, MatrixSimilarity) and graph.total == 0)


def _closed_form_means(tables: SubsetTables, graph: Similarity, kind: int) -> FloatArray:
    """Sum over the overlap, which is hypergeometric; the rest is known given the overlap."""
    if kind == ZUCKNICK:
        return tables.expected(_zucknick_given_overlap(graph))
    if kind == YU:
        return tables.expected(_yu_given_overlap(graph, int(tables.sizes.max())))
    return tables.expected(lambda r, a, b, p: np.asarray(r, dtype=np.float64))  # noqa: ARG005


def _zucknick_given_overlap(graph: Similarity) -> Score:
    p = graph.n_features
    mean = graph.total / (p * (p - 1)) if p > 1 else 0.0

    def score(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:  # noqa: ARG001
        # expected similarity of the a features to the b - r others, and the reverse
        partners = np.where(b > 0, a * (b - r) / b, 0.0) + np.where(a > 0, b * (a - r) / a, 0.0)
        return (r + mean * partners) / (a + b - r)

    return score


def _yu_given_overlap(graph: Similarity, largest: int) -> Score:
    with_partner = _count_with_partner(graph, largest)

    def score(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
        forth = with_partner[(b - r).astype(np.intp)]
        back = with_partner[(a - r).astype(np.intp)]
        value = r + ((a - r) * forth + (b - r) * back) / (2 * p)
        return np.where(a + b > 0, value, np.nan)

    return score


def _count_with_partner(graph: Similarity, largest: int) -> FloatArray:
    """For s = 0..largest: how many features have a neighbour among s random other features.

    A feature with d neighbours has none of them among s of the p - 1 other features with the
    probability ∏_{t<d} (1 - s / (p - 1 - t)).
    """
    p = graph.n_features
    number = np.bincount(graph.degrees)
    sizes = np.arange(largest + 1.0)
    missed, counts = np.ones(largest + 1), np.zeros(largest + 1)
    for degree, features in enumerate(number):
        counts += features * (1 - missed)
        # invariant: `missed` is the chance that s random others avoid `degree` given features
        others = p - 1 - degree
        missed = missed * np.maximum(1 - sizes / others, 0.0) if others > 0 else 0.0 * missed
    return counts


def _count_subset_pairs(tables: SubsetTables) -> float:
    ways = [math.comb(tables.p, int(size)) for size in tables.distinct_sizes]
    return float(min(sum(ways) ** 2, 10**18))  # larger integers may not fit a float


def _enumerated_means(tables: SubsetTables, graph: Similarity, kind: int) -> FloatArray:
    if _count_subset_pairs(tables) > MAX_EXACT_PAIRS:
        raise InvalidInputError(
            "the exact expectation of this measure needs all pairs of subsets, and with "
            f"{tables.p:,} features these are too many; use correction='simulate'."
        )
    edges = to_kernel_arrays(graph.submatrix(np.arange(tables.p)))
    sizes = tables.distinct_sizes
    table = np.zeros((len(sizes), len(sizes)))
    for i, a in enumerate(sizes):
        for j, b in enumerate(sizes[: i + 1]):
            table[i, j] = table[j, i] = enumerated_mean(kind, int(a), int(b), *edges)
    return table


def _simulated_means(
    tables: SubsetTables, graph: Similarity, kind: int, draws: int, random_state: RandomState
) -> ExpectedScores:
    if draws < 2:
        raise InvalidInputError(f"n_simulations must be at least 2, got {draws}.")
    sizes = tables.distinct_sizes
    first, second = np.triu_indices(len(sizes))
    generator = next(generators(random_state, 1))
    if isinstance(graph, MatrixSimilarity):
        edges = to_kernel_arrays(graph.graph)
        sums = simulated_scores(kind, draws, sizes[first], sizes[second], *edges, generator)
    else:
        sums = _simulate_on_data(graph, kind, draws, sizes[first], sizes[second], generator)
    mean = sums[0] / draws
    # of the mean; rounding may make a variance of 0 negative
    # mean square minus squared mean, over draws - 1: the variance of the mean over the draws
    variance = np.maximum(sums[1] / draws - mean**2, 0.0) / (draws - 1)
    return ExpectedScores(
        _as_symmetric_table(mean, len(sizes)), _as_symmetric_table(np.sqrt(variance), len(sizes))
    )


def _as_symmetric_table(upper: FloatArray, size: int) -> FloatArray:
    table = np.zeros((size, size))
    table[np.triu_indices(size)] = upper
    return table + np.triu(table, 1).T


def _simulate_on_data(
    graph: Similarity,
    kind: int,
    draws: int,
    sizes_a: IntArray,
    sizes_b: IntArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Simulate with the correlations of the drawn features only."""
    sums, scores = np.zeros((2, len(sizes_a))), np.empty(len(sizes_a))
    for _ in range(draws):
        # subsets of the largest sizes are drawn; their prefixes serve all smaller sizes
        first = generator.choice(graph.n_features, sizes_a.max(), replace=False)
        second = generator.choice(graph.n_features, sizes_b.max(), replace=False)
        mate, back, start, left, right, strength = _describe_subset_pair(graph, first, second)
        prefix_scores(kind, sizes_a, sizes_b, mate, back, start, left, right, strength, scores)
        sums += scores, scores**2
    return sums


def _describe_subset_pair(
    graph: Similarity, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, FloatArray]:
    """Return common features and edges of two subsets as arrays for the kernels."""
    both, place = np.unique(np.concatenate((first, second)), return_inverse=True)
    block = graph.submatrix(both)[place[: len(first)]][:, place[len(first) :]].tocoo()
    order = np.lexsort((block.col, block.row))
    left = block.row[order].astype(np.int64)
    start = np.searchsorted(left, np.arange(len(first) + 1)).astype(np.int64)
    same_first, same_second = np.nonzero(first[:, None] == second[None, :])
    mate, back = np.full(len(first), -1), np.full(len(second), -1)
    mate[same_first], back[same_second] = same_second, same_first
    return mate, back, start, left, block.col[order].astype(np.int64), block.data[order]


def to_kernel_arrays(graph: scipy.sparse.csr_array) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the arrays of a graph in the types that the kernels are compiled for."""
    return (
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int64),
        graph.data.astype(np.float64),
    )
