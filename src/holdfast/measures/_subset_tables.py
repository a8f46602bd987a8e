"""Tables that many measures of subsets share: sizes, frequencies, overlaps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import scipy.sparse

from holdfast._kernels.overlaps import add_shared, overlap_distributions
from holdfast._typing import AnyArray, FloatArray, IndexArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.measures._registry import Score
from holdfast.preferences import Subsets

# Limits of memory and time; they do not change results.
MAX_CACHED_SUBSETS = 4096  # up to this many subsets the whole table of overlaps is kept
PAIRS_PER_BLOCK = 2**20
OVERLAPS_PER_CHUNK = 2**20  # overlaps whose expectation is computed at a time
DENSE_CELLS_PER_CHUNK = 2**24  # cells of the incidence matrix that are dense at a time
MAX_FEATURES_PER_SELECTION = 4  # up to this ratio counting by index is faster than sorting


class SubsetTables:
    """Sizes, frequencies and overlaps of a system of subsets.

    Frequencies h run over the union of all subsets only; a feature that was never selected has
    h = 0 and costs nothing.
    """

    def __init__(self, subsets: Subsets) -> None:
        self.subsets = subsets
        self.n_features = subsets.n_features
        self.m = len(subsets)
        self.sizes = subsets.sizes
        self.q = int(self.sizes.sum())

    @property
    def p(self) -> int:
        """Number of features; raises if it is unknown."""
        if self.n_features is None:
            raise InvalidInputError(
                "the number of features that could have been selected is needed here; "
                "give it: Subsets(..., n_features=...)."
            )
        return self.n_features

    @property
    def knows_p(self) -> bool:
        """Whether the number of features is known."""
        return self.n_features is not None

    @cached_property
    def _union(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        """The union of all subsets, its frequencies, and the position of each entry in it."""
        indices = self.subsets.indices
        if self.knows_p and self.p <= MAX_FEATURES_PER_SELECTION * len(indices):
            counts = np.bincount(indices, minlength=self.p)
            union = np.flatnonzero(counts)
            place = np.zeros(self.p, dtype=np.int32)
            place[union] = np.arange(len(union), dtype=np.int32)
            return union, counts[union], place[indices]
        union, place, counts = np.unique(indices, return_inverse=True, return_counts=True)
        return union, counts, place.astype(np.int32)

    @property
    def union(self) -> AnyArray:
        """Features selected at least once, ascending."""
        return self._union[0]

    @property
    def counts(self) -> AnyArray:
        """How often each feature of the union was selected, h."""
        return self._union[1]

    @cached_property
    def incidence(self) -> scipy.sparse.csr_array:
        """The m x |union| matrix of 0 and 1."""
        place = self._union[2]
        exact = self.sizes.max(initial=0) < 2**24  # larger counts have no exact float32
        ones = np.ones(len(place), dtype=np.float32 if exact else np.float64)
        shape = (self.m, len(self.union))
        return scipy.sparse.csr_array((ones, place, self.subsets.indptr), shape=shape)

    def sums_by_subset(self, values: AnyArray) -> FloatArray:
        """Sum `values`, one per feature of the union, over the features of each subset."""
        return np.asarray(self.incidence @ values.astype(np.float64))

    def blocks(self) -> Iterator[slice]:
        """Split the m subsets so that a block of rows of the pair table stays small."""
        height = max(1, PAIRS_PER_BLOCK // self.m)
        return (slice(start, start + height) for start in range(0, self.m, height))

    @cached_property
    def _columns(self) -> scipy.sparse.csc_array:
        return scipy.sparse.csc_array(self.incidence)

    @cached_property
    def _overlaps(self) -> AnyArray:
        return self._overlap_block(slice(0, self.m))

    def _overlap_block(self, rows: slice) -> AnyArray:
        """Count common features of the subsets in `rows` with all subsets.

        A feature costs h² steps if the subsets that hold it are paired, and m² in a matrix
        product, whose steps are about 64 times cheaper. So features with h > m / 8 go
        into products, in chunks.
        """
        columns = self._columns
        height = len(range(*rows.indices(self.m)))
        table = np.zeros((height, self.m), dtype=columns.dtype)
        frequent = self.counts > self.m / 8
        holders = (columns.indptr, columns.indices, np.flatnonzero(~frequent))
        add_shared(table, rows.start, *(array.astype(np.int64, copy=False) for array in holders))
        often = np.flatnonzero(frequent)
        for chunk in np.array_split(often, len(often) * self.m // DENSE_CELLS_PER_CHUNK + 1):
            dense = columns[:, chunk].toarray()
            table += dense[rows] @ dense.T
        return table

    def overlaps(self, rows: slice) -> FloatArray:
        """Sizes of the intersections of the subsets in `rows` with all subsets."""
        if self.m <= MAX_CACHED_SUBSETS:
            return self._overlaps[rows].astype(np.float64)
        return self._overlap_block(rows).astype(np.float64)

    @cached_property
    def _size_classes(self) -> tuple[IntArray, IndexArray, IntArray]:
        return np.unique(self.sizes, return_inverse=True, return_counts=True)

    @property
    def size_class(self) -> IndexArray:
        """For each subset, the index of its size among the distinct sizes."""
        return self._size_classes[1]

    @property
    def distinct_sizes(self) -> IntArray:
        """The distinct subset sizes, ascending."""
        return self._size_classes[0]

    @property
    def size_pair_shares(self) -> FloatArray:
        """Share of all ordered pairs of two subsets that have each pair of distinct sizes."""
        counts = self._size_classes[2].astype(np.float64)
        pairs = np.outer(counts, counts) - np.diag(counts)
        return pairs / (self.m * (self.m - 1))

    def _chunks(self, a: IntArray, b: IntArray) -> list[IndexArray]:
        """Split pairs of sizes so that a chunk has few overlaps in total.

        An overlap is hardly ever more than ten standard deviations from its mean.
        """
        reach = np.minimum(np.minimum(a, b), 20 * np.sqrt(a * (b / self.p)) + 60)
        return np.split(
            np.arange(len(a)), np.flatnonzero(np.diff(np.cumsum(reach) // OVERLAPS_PER_CHUNK)) + 1
        )

    def expected(self, score: Score) -> FloatArray:
        """Expectation of a pair score for random subsets, one per pair of distinct sizes.

        The overlap of two random subsets is hypergeometric, so the expectation is a sum over
        the overlap, whatever the score.
        """
        sizes = self.distinct_sizes
        first, second = np.triu_indices(len(sizes))
        table = np.zeros((len(sizes), len(sizes)))
        for chunk in self._chunks(sizes[first], sizes[second]):
            a, b = sizes[first[chunk]], sizes[second[chunk]]
            start, overlap, pmf = overlap_distributions(self.p, a, b)
            lengths = np.diff(start)
            values = evaluate_score(
                score, overlap, np.repeat(a, lengths), np.repeat(b, lengths), self.p
            )
            table[first[chunk], second[chunk]] = np.add.reduceat(pmf * values, start[:-1])
        return np.triu(table) + np.triu(table, 1).T


def evaluate_score(score: Score, r: AnyArray, a: AnyArray, b: AnyArray, p: float) -> FloatArray:
    """Evaluate a pair score; NaN where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = score(r, a, b, p)
    values = np.broadcast_to(values, np.broadcast_shapes(r.shape, a.shape, b.shape))
    return np.where(np.isfinite(values), values, np.nan)
