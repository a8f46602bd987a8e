"""Expected agreement of random subsets when similar features count as agreement.

Closed forms exist for Yu and Zucknick, and for all measures when no two features are similar.
Otherwise the intersection family is enumerated for few features, or simulated: one simulation
serves all pairs of sizes, by scoring prefixes of the same random sequences.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse

from holdfast._formatting import did_you_mean
from holdfast._kernels.similarity import (
    YU,
    ZUCKNICK,
    enumerated_mean,
    prefix_scores,
    simulated_scores,
)
from holdfast._random import RandomState, generators
from holdfast._typing import FloatArray, IntArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures._feature_similarity import DataSimilarity, MatrixSimilarity, Similarity
from holdfast.measures._registry import Score
from holdfast.measures._subset_tables import SubsetTables

Correction = Literal["auto", "exact", "simulate"]
# Limits of time; those of "auto" decide between the exact and the simulated expectation.
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
        correction = "exact" if _is_cheap(tables, graph, kind) else "simulate"
    if correction == "simulate":
        return _simulated_means(tables, graph, kind, n_simulations, random_state)
    mean = _closed_form_means(tables, graph, kind) if _has_closed_form(graph, kind) else None
    if mean is None:
        mean = _enumerated_means(tables, graph, kind)
    return ExpectedScores(mean, np.zeros_like(mean))


def _has_closed_form(graph: Similarity, kind: int) -> bool:
    return kind in (YU, ZUCKNICK) or (isinstance(graph, MatrixSimilarity) and graph.total == 0)


def _is_cheap(tables: SubsetTables, graph: Similarity, kind: int) -> bool:
    if not _has_closed_form(graph, kind):
        return _count_subset_pairs(tables) <= MAX_AUTO_PAIRS
    products = graph.data.shape[0] * tables.p**2 if isinstance(graph, DataSimilarity) else 0
    return products <= MAX_AUTO_PRODUCTS


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
        others = p - 1 - degree
        missed = missed * np.maximum(1 - sizes / others, 0.0) if others > 0 else 0.0 * missed
    return counts


def _count_subset_pairs(tables: SubsetTables) -> float:
    ways = [math.comb(tables.p, int(size)) for size in tables.distinct_sizes]
    return float(min(sum(ways) ** 2, 10**18))


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
