"""Stability profile: stability by number of selected features, agreement of top lists, knots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from holdfast._formatting import join_lines, plural
from holdfast._kernels.overlaps import extend_overlaps
from holdfast._typing import AnyArray, BoolArray, FloatArray, IntArray
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge._measurement import (
    FEW_PREFERENCES_NOTE,
    MeasuredValue,
    average_over_groups,
    measure_subsets,
)
from holdfast.judge._significance import half_width, means_without_each
from holdfast.measures import MIN_PREFERENCES, SubsetTables, get_measure
from holdfast.preferences import Subsets

Groups = Sequence[Sequence[int]]


N_PROFILE_SIZES = 40
"""Number of sizes of a default profile; chosen by hand."""
DEFAULT_PROFILE_MEASURES = ("nogueira", "jaccard")
MAX_KNOT_SHARE = 0.4
"""Share of all features up to which knots are searched by default; chosen on simulated data."""
OWN_SIZE_NOTE = "chooses the number of features itself, so it has no profile"
PROFILE_COLUMNS = ["selector", "size", "measure", "value", "low", "high", "chance", "note"]
KNOT_COLUMNS = ["selector", "size", "low", "high", "agreed", "next", "clarity", "sentence"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StabilityProfile:
    """Stability against the number of features, with chance level and knots.

    Attributes
    ----------
    table : DataFrame
        ``selector``, ``size``, ``measure``, ``value`` with a 95% interval ``low`` to ``high``,
        ``chance`` (the expected value for random selections of that size) and ``note``.
    knots : DataFrame
        One row per selector: ``size`` of its knot, missing where none is clear, ``low`` and
        ``high`` around it, ``agreed``, ``next``, ``clarity`` and ``sentence``, see
        :class:`holdfast.judge.Knot`.
    measures : tuple of str
        The measures, the main one first.
    left_out : tuple of str
        Selectors without a profile because they choose the number of features themselves.
    max_knot_share : float
        Share of all features up to which knots were searched.
    """

    table: pd.DataFrame
    knots: pd.DataFrame
    measures: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    max_knot_share: float = MAX_KNOT_SHARE

    @property
    def measure(self) -> str:
        """The main measure."""
        return self.measures[0]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The knots in words, one sentence per selector."""
        rows = self.knots[["selector", "sentence"]].itertuples(index=False)
        profiles = [f"{name}: {sentence}." for name, sentence in rows]
        return (*profiles, *(f"{name}: {OWN_SIZE_NOTE}." for name in self.left_out))

    @property
    def how(self) -> str:
        """How knots are found."""
        return _explain_knots(self.max_knot_share)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def __repr__(self) -> str:
        count = plural(len(self.knots), "selector")
        sizes = plural(self.table["size"].nunique(), "size")
        return join_lines([f"<StabilityProfile: {count} at {sizes}>", *self.sentences])


def stability_profile(
    tops: Mapping[str, Lists],
    n_features: int,
    *,
    sizes: Iterable[int] | None = None,
    measures: str | Iterable[str] = DEFAULT_PROFILE_MEASURES,
    max_knot_share: float = MAX_KNOT_SHARE,
) -> StabilityProfile:
    """Measure stability at many sizes, and find the knots.

    Parameters
    ----------
    tops : mapping from str to sequence of arrays of int
        For each selector, the features of each resample, the best first; all resamples have the
        same number of features.
    n_features : int
        Number of all features.
    sizes : iterable of int, optional
        Numbers of features to measure at; default: about 40, closer together where they are
        small, from 1 to all that are known.
    measures : str or iterable of str, default ("nogueira", "jaccard")
        Measures of subsets that need no data.
    max_knot_share : float, default 0.4
        Share of all features up to which knots are searched; `max_share` of :func:`find_knot`.

    Returns
    -------
    StabilityProfile
        Where a measure is undefined (``nogueira`` if all features are selected), its value is
        NaN and the note has the reason.

    See Also
    --------
    find_knot : How knots are found.

    References
    ----------
    Kalousis, Prados and Hilario (2005), section 4.1.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> tops = [np.append(rng.permutation(20), 20 + rng.permutation(180)) for _ in range(10)]
    >>> profile = hf.judge.stability_profile({"mine": tops}, 200, sizes=[10, 20, 40])
    >>> profile.table.query("measure == 'nogueira'")[["size", "value", "chance"]].round(2)
       size  value  chance
    0    10   0.46     0.0
    2    20   1.00     0.0
    4    40   0.43     0.0
    >>> profile.sentences[0]
    'mine: agreement breaks at 20 features: up to there resamples agree on 100% of what they
    select beyond chance, but only on 0% of the next 40 features.'
    """
    names = check_profile_measures(measures)
    requested = None if sizes is None else sorted(set(sizes))
    rows, knots = [], {}
    for selector, lists in tops.items():
        depth = _check_depth(selector, lists, n_features)
        points = (
            profile_sizes(depth) if requested is None else check_profile_sizes(requested, depth)
        )
        values = profile_rows(lists, n_features, points, names)
        rows += [{"selector": selector, **row} for row in values]
        knots[selector] = find_knot(lists, n_features, max_share=max_knot_share)
    return StabilityProfile(
        table=pd.DataFrame(rows, columns=PROFILE_COLUMNS),
        knots=knots_table(knots),
        measures=names,
        max_knot_share=max_knot_share,
    )


def profile_sizes(depth: int, include: Iterable[int] = ()) -> list[int]:
    """Return about 40 sizes from 1 to depth, closer together where small, and those to include."""
    if depth < 1:
        return []
    grid = np.geomspace(1, depth, N_PROFILE_SIZES).round().astype(int).tolist()
    return sorted({*grid, *(size for size in include if 1 <= size <= depth)})


def check_profile_measures(measures: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of measures of subsets; raise for others, and those that need data."""
    names = [measures] if isinstance(measures, str) else list(measures)
    records = [get_measure(name) for name in names]
    unsuitable = [r.name for r in records if r.form != "subset" or r.needs & {"similarity", "data"}]
    if unsuitable or not records:
        raise InvalidInputError(
            f"a profile takes measures of subsets that need no data, got {unsuitable or 'none'}; "
            f"the defaults are {', '.join(DEFAULT_PROFILE_MEASURES)}."
        )
    return tuple(record.name for record in records)


def check_profile_sizes(sizes: Sequence[int], depth: int) -> Sequence[int]:
    """Raise for sizes beyond the known features."""
    if not sizes or min(sizes) < 1 or max(sizes) > depth:
        raise InvalidInputError(
            f"sizes of a profile must lie between 1 and the {plural(depth, 'feature')} that are "
            f"ranked in each resample, got {list(sizes)[:5]}."
        )
    return sizes


def knots_table(knots: Mapping[str, Knot]) -> pd.DataFrame:
    """Return the knots, one row per selector."""
    rows = [{"selector": name, **asdict(knot)} for name, knot in knots.items()]
    table = pd.DataFrame(rows, columns=KNOT_COLUMNS)
    return table.astype({"size": "Int64", **dict.fromkeys(KNOT_COLUMNS[2:-1], float)})


def _check_depth(selector: str, lists: Lists, n_features: int) -> int:
    """Return the number of features of each resample; raise for lists that are not rankings."""
    lengths = {len(row) for row in lists}
    if len(lists) < 2 or len(lengths) != 1 or not 1 <= max(lengths) <= n_features:
        raise InvalidInputError(
            f"{selector}: a profile needs at least two lists of features, best first, all of one "
            f"length up to the {plural(n_features, 'feature')}, got {len(lists)} of the lengths "
            f"{sorted(lengths)[:5]}. Selectors that choose the number of features have no profile."
        )
    for row in lists:
        if np.min(row) < 0 or np.max(row) >= n_features or np.bincount(row).max() > 1:
            Subsets(lists, n_features=n_features)  # raises: unknown or repeated features
    return lengths.pop()


def profile_rows(
    lists: Lists,
    n_features: int,
    sizes: Sequence[int],
    names: tuple[str, ...],
    groups: Groups | None = None,
) -> Iterator[dict[str, object]]:
    """Measure lists at each size: all against each other, or within groups, then averaged.

    Groups hold positions in `lists`. Sizes ascend.
    """
    depth = max(sizes, default=0)
    compared_groups = [range(len(lists))] if groups is None else groups
    parts = [
        stack_lists([lists[position] for position in group], depth) for group in compared_groups
    ]
    systems = [tables_by_size(part, n_features, sizes) for part in parts]
    together = zip(*systems, strict=True) if systems else [()] * len(sizes)
    for size, tables in zip(sizes, together, strict=True):
        for name in names:
            record, value = get_measure(name), MeasuredValue(note=FEW_PREFERENCES_NOTE)
            if tables:
                values = [measure_subsets(record, group) for group in tables]
                value = values[0] if groups is None else average_over_groups(record, values)
            yield {"size": size, "measure": name, **value.row()}


# Agreement of top-k lists beyond chance, at each size k.

Lists = Sequence[NDArray[np.integer]]


NEXT_FEATURES_FACTOR = 3.0
"""The next features after k are those up to this multiple of k; chosen by hand."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of top-k lists of one selector against k, with replicates for its noise.

    Attributes
    ----------
    sizes : array of shape (s,)
        The sizes k, ascending.
    n_features : int
        Number of all features, p.
    agreed : array of shape (s,)
        Number of features agreed on beyond chance, see :func:`agreed_features`.
    replicates : array of shape (r, s)
        The same, leaving out one resample or group each; r = 0 where there are too few.
    n_pairs : int
        Number of compared pairs of resamples.
    """

    sizes: IntArray
    n_features: int
    agreed: FloatArray
    replicates: FloatArray
    n_pairs: int

    def share(self, agreed: FloatArray) -> FloatArray:
        """Return the share of the selected features that is agreed on."""
        return np.asarray(agreed / self.sizes)

    def share_of_next(self, agreed: FloatArray) -> FloatArray:
        """Return the share of the next features that is agreed on; NaN beyond the last size."""
        start, stop = self.sizes, self.stops
        later = np.array([np.interp(stop, start, row) for row in np.atleast_2d(agreed)])
        later = later.reshape(agreed.shape)
        with np.errstate(divide="ignore", invalid="ignore"):  # at p there is no next one
            share = (later - agreed) / (stop - start)
        return np.asarray(np.where(stop <= start[-1], share, np.nan))

    @property
    def stops(self) -> FloatArray:
        """Where the next features of each size end: three times the size, at most half way to p."""
        half_way = (self.sizes + self.n_features) / 2
        return np.asarray(np.minimum(NEXT_FEATURES_FACTOR * self.sizes, half_way), dtype=np.float64)

    @property
    def chance_error_of_next(self) -> FloatArray:
        r"""Standard deviation of the share of the next features for random rankings, at most.

        The overlap of two random lists of l features has the standard deviation
        :math:`l (p - l) / (p \sqrt{p - 1})`, so K(l) has :math:`p l / ((p - l) \sqrt{p - 1})`, to
        first order. It grows without bound as l approaches p.
        """
        p, stop = self.n_features, self.stops
        with np.errstate(divide="ignore"):  # at p nothing is left to agree on
            error = p * stop / ((p - stop) * np.sqrt(p - 1) * (stop - self.sizes))
        return np.asarray(error / np.sqrt(self.n_pairs))


def agreement(groups: Sequence[NDArray[np.int32]], sizes: IntArray, n_features: int) -> Agreement:
    """Compare top-k lists within groups of resamples, at each size.

    Parameters
    ----------
    groups : sequence of arrays of shape (m, depth)
        The features of each resample, best first; resamples of one array are compared.
    sizes : array
        Sizes below the number of features, none beyond depth.
    n_features : int
        Number of all features.
    """
    overlaps = [_mean_overlaps(group, sizes) for group in groups]
    mean = np.mean([group.mean(axis=0) for group in overlaps], axis=0)
    return Agreement(
        sizes,
        n_features,
        agreed_features(mean, sizes, n_features),
        agreed_features(_jackknife_overlaps(overlaps), sizes, n_features),
        sum(len(group) * (len(group) - 1) // 2 for group in groups),
    )


def agreed_features(overlap: FloatArray, sizes: AnyArray, n_features: int) -> FloatArray:
    r"""Return how many always-selected features would explain an overlap, p c / (1 + c).

    With overlap r(k), :math:`c(k) = (r(k) - k^2/p)\, p / (p - k)^2` is constant on average while
    features are added at random: K features that all resamples select, followed by random ones,
    give K at each size k ≥ K. Features whose order is noise that overlapping resamples share make
    it grow; if all resamples agree it is k. It is at least -k.
    """
    p = float(n_features)
    excess = (overlap - sizes * (sizes / p)) * p / np.square(p - sizes)
    # lists with the smallest overlap that lists of k of p can have divide by 0
    with np.errstate(divide="ignore"):
        agreed = p * excess / np.maximum(1 + excess, 0.0)
    return np.asarray(np.maximum(agreed, -sizes), dtype=np.float64)


def _mean_overlaps(group: NDArray[np.int32], sizes: IntArray) -> FloatArray:
    """Return the mean overlap of each resample with the others, at each size."""
    tables = overlaps_by_size(group, sizes)
    shared = [table.sum(axis=1) - size for table, size in zip(tables, sizes, strict=True)]
    return np.array(shared).T / (len(group) - 1)


def _jackknife_overlaps(overlaps: list[FloatArray]) -> FloatArray:
    """Return mean overlaps that leave out each group, or each resample of a single group."""
    if len(overlaps) > 1:
        return means_without_each(np.array([group.mean(axis=0) for group in overlaps]))
    by_resample = overlaps[0]
    m = len(by_resample)
    if m < MIN_PREFERENCES:
        return by_resample[:0]
    return np.asarray((by_resample.sum(axis=0) - 2 * by_resample) / (m - 2))


class TopTables(SubsetTables):
    """Subset tables of lists cut at one size, with known overlaps.

    The subsets themselves are only built for measures that need them.
    """

    def __init__(self, lists: NDArray[np.int32], n_features: int, overlaps: IntArray) -> None:
        self.m, size = lists.shape
        self.n_features = n_features
        self.sizes = np.full(self.m, size)
        self.q = self.m * size
        self._lists = lists
        self._known = overlaps

    @cached_property
    def subsets(self) -> Subsets:  # type: ignore[override]
        """The subsets."""
        return Subsets(list(self._lists), n_features=self.n_features)

    @cached_property
    def _frequencies(self) -> IntArray:
        """How often each of all features was selected."""
        counts = np.zeros(self.p, dtype=np.int64)
        for row in self._lists:
            counts[row] += 1
        return counts

    @cached_property
    def union(self) -> AnyArray:
        """Features selected at least once, ascending."""
        return np.flatnonzero(self._frequencies)

    @property
    def counts(self) -> AnyArray:
        """How often each feature of the union was selected, h."""
        return np.asarray(self._frequencies[self.union])

    def sums_by_subset(self, values: AnyArray) -> FloatArray:
        """Sum `values`, one per feature of the union, over the features of each subset."""
        by_feature = np.zeros(self.p)
        by_feature[self.union] = values
        return np.array([by_feature[row].sum() for row in self._lists])

    def overlaps(self, rows: slice) -> FloatArray:
        """Sizes of the intersections of the subsets in `rows` with all subsets."""
        return self._known[rows].astype(np.float64)


def stack_lists(lists: Lists, depth: int) -> NDArray[np.int32]:
    """Return lists, cut at `depth`, as the rows of a table."""
    return np.array([row[:depth] for row in lists], dtype=np.int32)


def overlaps_by_size(lists: NDArray[np.int32], sizes: Iterable[int]) -> Iterator[IntArray]:
    """Yield the overlaps of all pairs of lists cut at each size; sizes ascend.

    The same table is reused, so copy what is to be kept.
    """
    numbered = _number_features(lists)
    m = len(lists)
    table = np.zeros((m, m), dtype=np.int64)
    owners = np.zeros((int(numbered.max(initial=0)) + 1, m), dtype=np.uint8)
    done = 0
    for size in sizes:
        extend_overlaps(table, owners, numbered, done, size)
        done = size
        yield table


def _number_features(lists: NDArray[np.int32]) -> NDArray[np.int32]:
    """Renumber the features that occur without gaps, to save memory."""
    occurs = np.zeros(int(lists.max(initial=0)) + 1, dtype=bool)
    occurs[lists] = True
    if occurs.all():
        return lists
    return (np.cumsum(occurs, dtype=np.int32) - 1)[lists]


def tables_by_size(
    lists: NDArray[np.int32], n_features: int, sizes: Iterable[int]
) -> Iterator[TopTables]:
    """Yield the subset tables of the lists cut at each size; sizes ascend."""
    sizes = list(sizes)
    for size, overlaps in zip(sizes, overlaps_by_size(lists, sizes), strict=True):
        yield TopTables(lists[:, :size], n_features, overlaps)


# The knot of a stability profile: the size at which agreement breaks.
#
# The rule is described in `find_knot`; its constants were chosen on simulated data, and
# ``python -m benchmarks.claims knots`` measures how often noise has a knot (docs/how_we_know.md).

SIZE_RATIO = 1.08
"""Ratio of neighbouring sizes that are examined."""
N_FINE_SIZES = 32
"""Sizes that are examined around the best one."""
MAX_CHANCE_ERROR = 0.1
"""Largest standard deviation, for random rankings, of the agreement of the next features at sizes
beyond the default share; chosen by hand: with twice as much, noise that resamples share often has a
knot there."""
MAX_NEXT_AGREEMENT = 0.8
"""Highest agreement of the next features at a knot, relative to the features before."""
MIN_CLARITY = 0.6
"""Clarity above which a knot is claimed."""


def _explain_knots(max_share: float) -> str:
    beyond = (
        f" (above {MAX_KNOT_SHARE:.0%} only where the standard deviation of N for random rankings "
        f"is at most {MAX_CHANCE_ERROR:g})"
    )
    limit = beyond if max_share > MAX_KNOT_SHARE else ""
    return (
        "How knots are found: A(k) is the share of k selected features on which resamples agree "
        "beyond chance, N(k) the same of the features added next (up to three times as many). The "
        "knot is the size k with the highest clarity log(1 + k) A (A - N); none is claimed where "
        f"the clarity is below {MIN_CLARITY:g} or N above {MAX_NEXT_AGREEMENT:g} A. Sizes up to "
        f"{max_share:.0%} of all features are looked at{limit}. "
        "A knot says where agreement breaks, not that the features before it are informative."
    )


@dataclass(frozen=True, kw_only=True)
class Knot:
    """The size at which agreement breaks, if any.

    Attributes
    ----------
    size : int or None
        Number of features at the knot; None where none is clear.
    low, high : float
        Range of sizes around it that are not clearly worse, by a 95% jackknife interval over
        resamples (over groups of resamples, if there are groups); NaN without a knot, or with
        fewer than three resamples or two groups. The range is about repeating the protocol on the
        same data.
    agreed : float
        Share of the features up to the knot on which resamples agree beyond chance.
    next : float
        The same of the features added next.
    clarity : float
        log(1 + size) · agreed · (agreed - next).
    sentence : str
        The result in words.
    """

    size: int | None = None
    low: float = np.nan
    high: float = np.nan
    agreed: float = np.nan
    next: float = np.nan
    clarity: float = np.nan
    sentence: str


def find_knot(
    tops: Sequence[NDArray[np.integer]],
    n_features: int,
    *,
    groups: Iterable[Sequence[int]] | None = None,
    max_share: float = MAX_KNOT_SHARE,
) -> Knot:
    r"""Find the size from which features are added at random.

    Let r(k) be the mean overlap of two top-k lists of p features, and K(k) the number of features
    agreed on beyond chance,

    .. math:: K = \frac{p c}{1 + c}, \qquad c = \frac{p\,(r(k) - k^2/p)}{(p - k)^2}

    (K features that are always selected, followed by random ones, give K at any size k). With the
    shares :math:`A(k) = K(k)/k` and, of the features added next,
    :math:`N(k) = (K(l) - K(k)) / (l - k)`, l = min(3k, (k + p)/2), the knot is the k that
    maximises :math:`\log(1 + k)\,A\,(A - N)`. There is none if this clarity is below 0.6 or
    N > 0.8 A: noise that overlapping resamples share agrees, too, but does not break.

    Parameters
    ----------
    tops : sequence of arrays of int
        Features of each resample, the best first; rows are cut at the length of the shortest.
    n_features : int
        Number of all features, p.
    groups : iterable of sequences of int, optional
        Positions in `tops` of resamples that are compared with each other; default: all are.
    max_share : float, default 0.4
        Share of all features up to which a knot is searched, up to 1. Near p random lists overlap
        almost fully, and N is noise. So sizes beyond 0.4 p count only where the standard deviation
        of N for random rankings is at most 0.1: with 20 resamples of 800 features up to about
        0.7 p, with more resamples or features further.

    Returns
    -------
    Knot
        Sizes from 2 to `max_share` of p are examined, if their next features are known.

    References
    ----------
    Kalousis, Prados and Hilario (2005), section 4.1, describe the knots; the rule is new, its
    constants were chosen on simulated data.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> tops = [np.append(rng.permutation(20), 20 + rng.permutation(180)) for _ in range(10)]
    >>> hf.judge.find_knot(tops, 200).size
    20
    >>> tops = [np.append(rng.permutation(90), 90 + rng.permutation(110)) for _ in range(30)]
    >>> hf.judge.find_knot(tops, 200).size, hf.judge.find_knot(tops, 200, max_share=1).size
    (None, 90)
    """
    max_share = check_positive_number(max_share, "max_share", 1.0, inclusive=True)
    compared_groups = [range(len(tops))] if groups is None else groups
    several = [[tops[place] for place in group] for group in compared_groups if len(group) > 1]
    shortest = min((len(row) for group in several for row in group), default=0)
    tables = [stack_lists(group, shortest) for group in several]
    depth = min(shortest, n_features - 1)
    if depth < 3:
        return Knot(sentence="no knot: there are too few resamples or features to look for one")
    sizes = _coarse_sizes(depth)
    curve = agreement(tables, sizes, n_features)
    best = _find_best(curve, max_share)
    if best is None:
        return Knot(sentence=_describe_no_knot(curve, max_share))
    # a finer grid between the neighbours of the best size
    low, high = sizes[max(best - 1, 0)], sizes[min(best + 1, len(sizes) - 1)]
    between = np.linspace(low, high, N_FINE_SIZES).round().astype(np.int64)
    return _make_knot(agreement(tables, np.union1d(sizes, between), n_features), max_share)


def _coarse_sizes(depth: int) -> IntArray:
    """Return sizes from 1 to depth, each a little larger than the one before."""
    sizes = [1]
    while sizes[-1] < depth:
        sizes.append(min(depth, max(sizes[-1] + 1, round(sizes[-1] * SIZE_RATIO))))
    return np.array(sizes)


def _clarity(curve: Agreement, agreed: FloatArray) -> FloatArray:
    share = np.maximum(curve.share(agreed), 0.0)
    return np.asarray(np.log1p(curve.sizes) * share * (share - curve.share_of_next(agreed)))


def _is_examined(curve: Agreement, max_share: float) -> BoolArray:
    """Return which sizes could be a knot: not too large, with known next features."""
    sizes, p = curve.sizes, curve.n_features
    clear_of_noise = curve.chance_error_of_next <= MAX_CHANCE_ERROR
    in_range = (sizes >= 2) & (sizes <= max_share * p)
    reliable = (sizes <= MAX_KNOT_SHARE * p) | clear_of_noise
    return np.asarray(in_range & reliable & (curve.stops <= sizes[-1]))


def _find_best(curve: Agreement, max_share: float) -> int | None:
    """Return the place of the clearest break, None where none is clear.

    A break at the last size does not count: it may become clearer beyond.
    """
    agreed, places = curve.agreed, np.flatnonzero(_is_examined(curve, max_share))
    if len(places) == 0:
        return None
    breaks = curve.share_of_next(agreed)[places] <= MAX_NEXT_AGREEMENT * curve.share(agreed)[places]
    clarity = np.where(breaks, _clarity(curve, agreed)[places], -np.inf)
    best = int(np.argmax(clarity))
    return int(places[best]) if clarity[best] > MIN_CLARITY and best < len(places) - 1 else None


def _make_knot(curve: Agreement, max_share: float) -> Knot:
    best = _find_best(curve, max_share)
    if best is None:  # the finer grid moved the next features a little
        return Knot(sentence=_describe_no_knot(curve, max_share))
    low, high = _knot_range(curve, best, max_share)
    agreed, following = (
        float(share(curve.agreed)[best]) for share in (curve.share, curve.share_of_next)
    )
    size, stop = int(curve.sizes[best]), curve.stops[best]
    return Knot(
        size=size,
        low=low,
        high=high,
        agreed=agreed,
        next=following,
        clarity=float(_clarity(curve, curve.agreed)[best]),
        sentence=_describe_knot((size, low, high), agreed, following, round(stop - size)),
    )


def _knot_range(curve: Agreement, best: int, max_share: float) -> tuple[float, float]:
    """Return the smallest and largest sizes around the best that are not clearly worse."""
    if len(curve.replicates) == 0:
        return np.nan, np.nan
    clarity, replicates = (_clarity(curve, a) for a in (curve.agreed, curve.replicates))
    half = half_width(replicates[:, [best]] - replicates)
    with np.errstate(invalid="ignore"):  # NaN where the next features are unknown
        as_clear = (clarity[best] - clarity <= half) & _is_examined(curve, max_share)
    other = np.flatnonzero(~as_clear)
    first = other[other < best].max(initial=-1) + 1
    last = other[other > best].min(initial=len(clarity)) - 1
    return float(curve.sizes[first]), float(curve.sizes[last])


def _describe_knot(
    place: tuple[int, float, float], agreed: float, following: float, more: int
) -> str:
    size, low, high = place
    interval = "" if np.isnan(low) or low == high else f" ({low:,.0f} to {high:,.0f})"
    return (
        f"agreement breaks at {plural(size, 'feature')}{interval}: up to there resamples agree on "
        f"{agreed:.0%} of what they select beyond chance, but only on {max(following, 0):.0%} of "
        f"the next {plural(more, 'feature')}"
    )


def _describe_no_knot(curve: Agreement, max_share: float) -> str:
    furthest = int(curve.sizes[_is_examined(curve, max_share)].max(initial=1))
    return (
        "no knot: agreement does not clearly break as features are added "
        f"(looked at up to {plural(furthest, 'feature')})"
    )
