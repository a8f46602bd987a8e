"""How measures are computed: tables that they share, means over pairs, functions of frequencies."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse

from holdfast._formatting import format_list, plural
from holdfast._kernels.overlaps import (
    add_shared,
    overlap_distributions,
    poisson_binomial,
    union_distribution,
)
from holdfast._typing import AnyArray, FloatArray, IndexArray, IntArray, PreferenceView
from holdfast.errors import InvalidInputError
from holdfast.measures._registry import ChanceLevel, Estimate, Measure, Score, zero_chance
from holdfast.preferences import Subsets

# Limits of memory and time, chosen by hand; they do not change results beyond rounding.
MAX_CACHED_SUBSETS = 4096  # up to this many subsets the whole table of overlaps is kept
PAIRS_PER_BLOCK = 2**20  # cells of the pair table that are computed at a time
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
        self._indices = subsets.indices
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
        indices = self._indices
        p = self.n_features
        if p is not None and p <= MAX_FEATURES_PER_SELECTION * len(indices):
            counts = np.bincount(indices, minlength=p)
            union = np.flatnonzero(counts)
            place = np.zeros(p, dtype=np.int32)
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
        # rare features cost h^2 steps each in the kernel, frequent ones less in a matrix product
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

    def _size_pair_chunks(self, a: IntArray, b: IntArray) -> list[IndexArray]:
        """Split pairs of sizes so that a chunk has few overlaps in total.

        An overlap is hardly ever more than ten standard deviations from its mean.
        """
        # 20 standard deviations of a hypergeometric
        # overlap, and 60: an upper estimate for memory only
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
        for chunk in self._size_pair_chunks(sizes[first], sizes[second]):
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


# Measures that are a mean over all pairs of preferences.

TINY = 1e-12  # relative distance of chance from the best value that counts as 0; chosen by hand


@dataclass(frozen=True, kw_only=True)
class PairSimilarities:
    """The similarities of all pairs, in blocks of rows of the m x m table, and the chance level.

    The table is symmetric. `from_first` returns the similarities of preference 0 to the others if
    they depend on the direction; None: they are in the first row of the table.
    """

    blocks: Iterable[FloatArray]
    chance: Callable[[], ChanceLevel]
    from_first: Callable[[], FloatArray] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PairMeasure(Measure):
    """A mean over pairs, whose `function` returns `PairSimilarities`."""

    def estimate(
        self, view: PreferenceView, fill: float | None, options: Mapping[str, Any]
    ) -> Estimate:
        pairs: PairSimilarities = self.function(view, **options)
        rows, undefined = row_sums(pairs.blocks, fill)
        m = len(rows)
        totals = sums_with_and_without(rows, undefined)
        # ordered pairs of m preferences, then of m - 1
        number = np.concatenate(([m * (m - 1.0)], np.full(m, (m - 1.0) * (m - 2) or np.nan)))
        values = totals / number
        return Estimate(
            value=float(values[0]),
            leave_one_out=values[1:],
            chance=pairs.chance,
            undefined=_explain_undefined_pairs(view, undefined) if undefined.any() else "",
        )

    def against_reference(
        self,
        view: PreferenceView,
        fill: float | None,
        options: Mapping[str, Any],
    ) -> Estimate:
        """Compare preference 0 with each of the others, instead of all pairs."""
        pairs: PairSimilarities = self.function(view, **options)
        directed = pairs.from_first
        values = next(iter(pairs.blocks))[0, 1:] if directed is None else directed()
        if fill is not None:
            values = np.where(np.isnan(values), fill, values)
        with np.errstate(divide="ignore", invalid="ignore"):  # a single preference
            without = (values.sum() - values) / (len(values) - 1)
        undefined = [str(i) for i in np.flatnonzero(np.isnan(values))]
        return Estimate(
            value=float(values.mean()),
            leave_one_out=without,
            chance=lambda: ChanceLevel(np.nan, 0.0, "no chance level against a reference"),
            undefined=f"the reference against {format_preferences(undefined)}" if undefined else "",
        )


def row_sums(blocks: Iterable[FloatArray], fill: float | None) -> tuple[FloatArray, IntArray]:
    """Sum each row without the diagonal; count its undefined pairs, or fill them.

    Undefined pairs that are not filled add 0.
    """
    sums, undefined, start = [], [], 0
    for block in blocks:
        table = block.copy()
        diagonal = np.arange(len(table))
        table[diagonal, start + diagonal] = 0.0
        missing = np.isnan(table)
        table[missing] = 0.0 if fill is None else fill
        if fill is not None:
            missing[:] = False
        sums.append(table.sum(axis=1))
        undefined.append(missing.sum(axis=1))
        start += len(table)
    return np.concatenate(sums), np.concatenate(undefined)


def sums_with_and_without(rows: FloatArray, undefined: IntArray) -> FloatArray:
    """Return the sum over all pairs, then the sums over the pairs without each preference.

    NaN where an undefined pair is among them.
    """
    # the table is symmetric, so leaving out a preference removes its row and its column
    totals = np.concatenate(([rows.sum()], rows.sum() - 2 * rows))
    missing = undefined.sum()
    return np.where(np.concatenate(([missing], missing - 2 * undefined)) > 0, np.nan, totals)


def _explain_undefined_pairs(view: PreferenceView, undefined: IntArray) -> str:
    """Name the preferences behind an undefined mean: those in most undefined pairs."""
    pairs = int(undefined.sum()) // 2
    causes = [
        describe_preference(view, int(i)) for i in np.flatnonzero(undefined == undefined.max())
    ]
    return f"{plural(pairs, 'pair')} without a value because of {format_preferences(causes)}"


def format_preferences(causes: list[str]) -> str:
    """Return ``preference 3 (empty)`` or ``preferences 3 (empty), 5 (empty)``."""
    return f"preference{'s' if len(causes) > 1 else ''} {format_list(causes)}"


def describe_preference(view: PreferenceView, index: int) -> str:
    """Return the number of a preference, with its size if that is unusual."""
    if not isinstance(view, SubsetTables):
        return str(index)
    size = int(view.sizes[index])
    if size == 0:
        return f"{index} (empty)"
    full = view.knows_p and size == view.p
    return f"{index} (all features)" if full else f"{index} (size {size:,})"


def chance_corrected(
    value: FloatArray, expected: FloatArray, best: FloatArray | float
) -> FloatArray:
    """Return (value - expected) / (best - expected), NaN if chance gives the best value."""
    room = best - expected
    # rounding must not turn an undefined correction into a huge number
    room = np.where(np.abs(room) <= TINY * np.maximum(1.0, np.abs(best)), np.nan, room)
    return np.asarray((value - expected) / room)


def expected_mean(tables: SubsetTables, expected: FloatArray) -> float:
    """Average an expectation per pair of distinct sizes over all pairs of subsets."""
    shares = tables.size_pair_shares
    return float(np.sum(np.where(shares > 0, shares * expected, 0.0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class OverlapMeasure(PairMeasure):
    """A mean over pairs of a score of overlap and sizes.

    The decorated function takes the overlap r, the sizes a and b and the number of features p,
    as arrays. A similarity that is not corrected by definition gets the option ``corrected``.
    """

    @classmethod
    def from_function(cls, function: Score, **attributes: Any) -> Self:
        if attributes["corrected"] or attributes["distance"]:
            compute = _make_uncorrected(function, corrected=attributes["corrected"])
        else:
            compute = _make_correctable(function, best=attributes["maximum"])
        compute.__doc__, compute.__module__ = function.__doc__, function.__module__
        return cls(function=compute, **attributes)


def _make_uncorrected(score: Score, *, corrected: bool) -> Callable[..., PairSimilarities]:
    def compute(tables: SubsetTables) -> PairSimilarities:
        def chance() -> ChanceLevel:
            if not tables.knows_p:
                return ChanceLevel(np.nan, 0.0, "the chance level needs n_features")
            return ChanceLevel(expected_mean(tables, tables.expected(score)))

        return PairSimilarities(
            blocks=score_blocks(tables, score),
            chance=zero_chance if corrected else chance,
        )

    return compute


def _make_correctable(score: Score, *, best: float) -> Callable[..., PairSimilarities]:
    uncorrected = _make_uncorrected(score, corrected=False)

    def compute(tables: SubsetTables, *, corrected: bool = False) -> PairSimilarities:
        if not corrected:
            return uncorrected(tables)
        expected = tables.expected(score)
        return PairSimilarities(
            blocks=_corrected_blocks(tables, score, expected, best), chance=zero_chance
        )

    return compute


def score_blocks(tables: SubsetTables, score: Score) -> Iterator[FloatArray]:
    """Yield the pair table of a score, block by block of rows."""
    sizes = tables.sizes.astype(np.float64)
    p = float(tables.p) if tables.knows_p else np.nan
    for rows in tables.blocks():
        yield evaluate_score(score, tables.overlaps(rows), sizes[rows, None], sizes[None, :], p)


def _corrected_blocks(
    tables: SubsetTables, score: Score, expected: FloatArray, best: float
) -> Iterator[FloatArray]:
    size_class = tables.size_class
    for rows, block in zip(tables.blocks(), score_blocks(tables, score), strict=True):
        yield chance_corrected(block, expected[size_class[rows, None], size_class[None, :]], best)


# Measures of a whole system of subsets, computed from the selection frequencies.


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemMeasure(Measure):
    """A measure whose `function` returns an `Estimate`."""

    def estimate(
        self, view: PreferenceView, fill: float | None, options: Mapping[str, Any]
    ) -> Estimate:
        estimate: Estimate = self.function(view, **options)
        if fill is not None and np.isnan(estimate.value):
            return dataclasses.replace(estimate, value=fill, undefined="")
        return estimate


@dataclass(frozen=True)
class Totals:
    """Sums over features of a function of their frequencies, with all subsets and without each.

    `number` is the number of subsets and `q` the number of selections. The arrays hold the whole
    system first, then the m systems without one subset.
    """

    number: FloatArray
    q: FloatArray
    total: FloatArray


def frequency_totals(tables: SubsetTables, function: Callable[[FloatArray], FloatArray]) -> Totals:
    """Sum a function of h over all features of the union, with all subsets and without each.

    Without a subset, h is lower by one for its features and the same for all others.
    """
    h = tables.counts.astype(np.float64)
    total = function(h).sum()
    # without a subset only its features change, each from h to h - 1
    without = total - tables.sums_by_subset(function(h) - function(h - 1))
    return Totals(
        number=counts_with_and_without(tables.m),
        q=np.concatenate(([tables.q], tables.q - tables.sizes)).astype(np.float64),
        total=np.concatenate(([total], without)),
    )


def counts_with_and_without(m: int) -> FloatArray:
    """Return the number of subsets of the whole system, then of each system without one."""
    return np.concatenate(([float(m)], np.full(m, m - 1.0)))


def correct_for_chance(
    values: FloatArray,
    tables: SubsetTables,
    expected: Callable[[IntArray], float],
    best: FloatArray | float,
) -> Estimate:
    """Correct the value of a system for the chance level of its subset sizes.

    `values` holds the whole system first, then the systems without one subset. `expected` returns
    the chance level for an array of sizes; it is called once per distinct size left out.
    """
    sizes = tables.sizes
    level = np.empty(len(values))
    level[0] = expected(sizes)
    # the chance level depends on sizes only: one value per distinct size that is left out
    without = [
        expected(np.delete(sizes, np.flatnonzero(sizes == size)[0]))
        for size in tables.distinct_sizes
    ]
    level[1:] = np.array(without)[tables.size_class]
    corrected = chance_corrected(values, level, best)
    why = "" if np.isfinite(corrected[0]) else "chance alone gives the maximum"
    return Estimate(
        value=float(corrected[0]),
        leave_one_out=corrected[1:],
        chance=zero_chance,
        undefined=why,
    )


def explain_if_all_empty(tables: SubsetTables) -> str:
    """Return the reason of an undefined value if all subsets are empty, else nothing."""
    return "all subsets are empty" if tables.q == 0 else ""


# Expectations over random subsets of given sizes, for measures of whole systems.

MAX_EXACT_STEPS = 200_000  # subsets times union size up to which it is exact; chosen by hand


def expected_square(p: int, sizes: IntArray) -> float:
    """Expectation of the sum of squared frequencies.

    A feature is in subset i with probability k_i / p, independently of the other subsets.
    """
    # a feature's frequency is a sum of independent indicators: E h^2 = Var h + (E h)^2
    share = sizes / p
    return float(p * ((share * (1 - share)).sum() + share.sum() ** 2))


def expected_of_frequency(
    p: int, sizes: IntArray, function: Callable[[FloatArray], FloatArray]
) -> float:
    """Expectation of the sum over all features of a function of their frequency."""
    pmf = poisson_binomial(sizes / p)
    return float(p * (pmf * function(np.arange(len(pmf), dtype=np.float64))).sum())


def expected_of_union(
    p: int, sizes: IntArray, function: Callable[[FloatArray], FloatArray]
) -> float:
    """Expectation of a function of the size of the union; the empty union counts as NaN.

    Exact for small systems. For large ones the size is treated as normal with its exact mean and
    variance; for smooth functions, such as the inverse, the relative error lies below 1e-6.
    """
    if sizes.sum() == 0:
        return np.nan
    if len(sizes) * min(p, sizes.sum()) <= MAX_EXACT_STEPS:
        pmf = union_distribution(p, sizes)[1:]
        return float((pmf * function(np.arange(1.0, len(pmf) + 1))).sum())
    mean, deviation = _union_moments(p, sizes)
    # Gauss-Hermite quadrature; 20 nodes, chosen by hand, are far more than smooth functions need
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    points = np.maximum(mean + deviation * nodes, 1.0)
    return float((weights * function(points)).sum() / weights.sum())


def _union_moments(p: int, sizes: IntArray) -> tuple[float, float]:
    """Mean and standard deviation of the size of the union.

    They follow from the probabilities that one given feature, and two given features, are in
    no subset; the variance is arranged so that nothing cancels.
    """
    left = p - sizes
    if left.min() == 0:
        return float(p), 0.0
    # the chance that no subset has a given feature; log1p keeps digits for small subsets
    none = float(np.exp(np.log1p(-sizes / p).sum()))
    with np.errstate(divide="ignore"):  # a subset of all but one feature leaves no two
        excess = float(np.expm1(np.log1p(-sizes / ((p - 1.0) * left)).sum()))
    variance = p * none * (1 - none) + p * (p - 1.0) * none**2 * excess
    return p * (1 - none), float(np.sqrt(max(variance, 0.0)))
