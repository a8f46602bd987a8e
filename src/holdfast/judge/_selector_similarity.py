"""How alike are the features that two selectors choose, against how alike each is to itself?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, plural
from holdfast.errors import InvalidInputError
from holdfast.judge._significance import half_width, means_without_each, replicate_interval
from holdfast.measures import get_measure
from holdfast.measures._interval import MIN_PREFERENCES
from holdfast.measures._pair_measures import PairMeasure
from holdfast.measures._subset_tables import SubsetTables
from holdfast.preferences import concat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]


SIMILARITY_COLUMNS = [
    *("first", "second", "similarity", "low", "high", "same"),
    *("relative", "relative_low", "relative_high", "beyond_chance"),
]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SelectorSimilarity:
    """How alike selectors are.

    Attributes
    ----------
    matrix : DataFrame
        Mean similarity between the selections of two selectors on different resamples; on the
        diagonal each selector's own stability, to which the rest of its row compares.
    same : DataFrame
        Mean similarity on the same resample; 1 on the diagonal.
    relative : DataFrame
        `matrix` over the geometric mean of both stabilities: 1 means as alike as their own noise
        allows. It may exceed 1 by chance; NaN where a stability is not clearly positive.
    table : DataFrame
        The same, a row for each pair: ``first``, ``second``, ``similarity`` with a 95% interval
        ``low`` to ``high``, ``same``, ``relative`` with ``relative_low`` and ``relative_high``.
        Intervals are by jackknife over resamples or, where these come in groups, from the spread
        between groups, with Student's t: NaN for fewer than three resamples or a single group, and
        where leaving out any one of them changes nothing. ``beyond_chance`` tells
        whether the similarity lies above 0 even with intervals so wide that all pairs of
        selectors are within theirs at once; missing where that cannot be told: without an
        interval, or by a measure that is not corrected for chance.
    measure : str
        The measure of similarity.
    note : str
        Which selections could not be compared, and were left out of the averages.
    """

    matrix: pd.DataFrame
    same: pd.DataFrame
    relative: pd.DataFrame
    table: pd.DataFrame
    measure: str
    note: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which selectors are most and least alike, and what was left out, in words."""
        return (*sentences_of(self.table), *([f"{self.note}."] if self.note else []))

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def __repr__(self) -> str:
        head = f"<SelectorSimilarity by {self.measure}: {plural(len(self.matrix), 'selector')}>"
        return "\n".join([head, *self.sentences])


def selector_similarity(
    systems: Mapping[str, Subsets],
    measure: str = "phi",
    *,
    groups: Iterable[Sequence[int]] | None = None,
) -> SelectorSimilarity:
    r"""Compare the features that selectors choose.

    For the selections :math:`V^A_i` and :math:`V^B_i` of two selectors on m resamples, and a
    similarity s of two selections,

    .. math:: S_{AB} = \frac{1}{m(m-1)} \sum_{i \ne j} s(V^A_i, V^B_j), \qquad
       R_{AB} = \frac{S_{AB}}{\sqrt{S_{AA} S_{BB}}}

    :math:`S_{AA}` is the stability of A. Two selectors that look for the same features, each with
    noise of its own, are no more alike than :math:`\sqrt{S_{AA} S_{BB}}`, so R tells a difference
    of taste from noise.

    Parameters
    ----------
    systems : mapping from str to Subsets
        For each selector its selections, on the same resamples in the same order.
    measure : str, default "phi"
        A measure of pairs of subsets. ``phi`` is corrected for chance and takes selections of
        different sizes; ``jaccard`` is what many know, but chance is in it, so R is too high.
    groups : iterable of sequences of int, optional
        Positions of resamples that are compared with each other, at least two in a group;
        values are then averaged over groups. Default: all are compared.

    Returns
    -------
    SelectorSimilarity
        Pairs of selections that the measure cannot compare (``phi``: an empty one, or one with
        all features) are left out of the averages, and `note` says so.

    Examples
    --------
    >>> import holdfast as hf
    >>> first = hf.Subsets([[0, 1], [0, 1], [0, 1], [0, 2]] * 3, n_features=10)
    >>> second = hf.Subsets([[0, 3], [0, 1], [0, 3], [0, 3]] * 3, n_features=10)
    >>> alike = hf.judge.selector_similarity({"one": first, "two": second})
    >>> alike.matrix.round(3)
           one    two
    one  0.744  0.489
    two  0.489  0.744
    >>> alike.sentences[0]
    'one and two: similarity 0.49 (0.34 to 0.64; to themselves: 0.74 and 0.74), 66% of what their
    own noise allows.'
    """
    record = _get_pair_measure(systems, measure)
    chosen = None if groups is None else list(groups)
    found = compare_systems(list(systems.values()), record, chosen)
    return _describe_similarity(systems, found, record)


def _get_pair_measure(systems: Mapping[str, Subsets], measure: str) -> PairMeasure:
    record = get_measure(measure)
    hungry = record.form != "subset" or record.needs & {"similarity", "data"}
    if hungry or record.distance or not isinstance(record, PairMeasure):
        raise InvalidInputError(
            f"selectors are compared by a similarity of pairs of subsets that needs no data, got "
            f"{record.name}; take phi or jaccard."
        )
    lengths = {len(subsets) for subsets in systems.values()}
    if len(lengths) != 1 or lengths == {1}:
        raise InvalidInputError(
            "selectors are compared on the same resamples, at least two; got selections on "
            f"{sorted(lengths) or 'none'}."
        )
    return record


def _describe_similarity(
    systems: Mapping[str, Subsets], found: SystemSimilarities, record: PairMeasure
) -> SelectorSimilarity:
    names = list(systems)
    low, high = replicate_interval(found.values, found.replicates, (record.minimum, record.maximum))
    stable = np.diagonal(np.where(np.isnan(low), found.values, low)) > 0
    alike, replicates = (relative(part, stable) for part in (found.values, found.replicates))
    room = half_width(replicates)
    beyond = _beyond(found) if record.corrected else np.full_like(low, np.nan)
    tables = [found.values, low, high, found.same]
    tables += [alike, alike - room, alike + room, beyond]
    matrix, same, ratio = (
        pd.DataFrame(table, index=names, columns=names)
        for table in (found.values, found.same, alike)
    )
    return SelectorSimilarity(
        matrix=matrix,
        same=same,
        relative=ratio,
        table=_table(names, tables),
        measure=record.name,
        note=explain_undefined_pairs(systems, found.undefined, record.name),
    )


def _table(names: list[str], tables: Sequence[Array]) -> pd.DataFrame:
    """Return a row for each pair of selectors, each with itself, too."""
    first, second = np.triu_indices(len(names))
    pairs = ([names[i] for i in first], [names[i] for i in second])
    columns = [*pairs, *(table[first, second] for table in tables)]
    frame = pd.DataFrame(dict(zip(SIMILARITY_COLUMNS, columns, strict=True)))
    return frame.astype({"beyond_chance": "boolean"})


def _beyond(found: SystemSimilarities) -> Array:
    """Tell by 1 or 0 which selectors are more alike than chance; NaN without an interval."""
    count = len(found.values)
    pairs = max(count * (count - 1) // 2, 1)
    low = found.values - half_width(found.replicates, intervals=pairs)
    return np.where(np.isnan(low), np.nan, low > 0)


def relative(values: Array, stable: NDArray[np.bool_]) -> Array:
    """Return similarities over the geometric mean of the stabilities on the diagonal."""
    own = np.diagonal(values, axis1=-2, axis2=-1)
    root = np.sqrt(np.where(stable & (own > 0), own, np.nan))
    return np.asarray(values / (root[..., :, None] * root[..., None, :]))


# Similarities between the selections of several selectors, over other and the same resamples.


class SystemSimilarities(NamedTuple):
    """Mean similarities of s selectors: between different resamples, on the same, replicates.

    ``undefined`` is the share of the pairs of different resamples that have no similarity; means
    are over the others, NaN where there are none.
    """

    values: Array
    same: Array
    replicates: Array
    undefined: Array


class _Sums(NamedTuple):
    """Sums of similarities, and how many there are, of shape (m, s, s): the resample first."""

    others: Array
    known: Array
    same: Array


def compare_systems(
    systems: Sequence[Subsets], record: PairMeasure, groups: Sequence[Sequence[int]] | None
) -> SystemSimilarities:
    """Compare all selections of all systems, or those within groups of resamples, then average."""
    if groups is None:
        return _compare_within_group(systems, record)
    parts = [
        _compare_within_group([system[group] for system in systems], record) for group in groups
    ]
    values = np.array([part.values for part in parts])
    same, undefined = (
        np.mean(each, axis=0) for each in zip(*((p.same, p.undefined) for p in parts), strict=True)
    )
    return SystemSimilarities(values.mean(axis=0), same, means_without_each(values), undefined)


def _compare_within_group(systems: Sequence[Subsets], record: PairMeasure) -> SystemSimilarities:
    m = len(systems[0])
    sums = _sums(systems, record, m)
    total, number = sums.others.sum(axis=0), sums.known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair has a similarity
        values = total / number
        without = _leave_each_out(total, sums.others) / _leave_each_out(number, sums.known)
    undefined = 1 - number / (m * (m - 1))
    return SystemSimilarities(
        values, _mean(sums.same), without[: m if m >= MIN_PREFERENCES else 0], undefined
    )


def _leave_each_out(total: Array, parts: Array) -> Array:
    """Leave each resample out: neither the first selector's selection on it nor the second's."""
    return np.asarray(total - parts - parts.transpose(0, 2, 1))


def _mean(values: Array) -> Array:
    """Average what there is along axis 0; NaN where there is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0))


def _sums(systems: Sequence[Subsets], record: PairMeasure, m: int) -> _Sums:
    """Sum similarities of each resample's selections to those on other resamples."""
    count = len(systems)
    tables = SubsetTables(concat(list(systems)))
    others, known, same = np.empty((3, count * m, count))
    start = 0
    for block in record.function(tables).blocks:
        table = block.reshape(len(block), count, m)
        rows = np.arange(start, start + len(block))
        own = (rows % m)[:, None, None]
        same[rows] = np.take_along_axis(table, own, axis=2)[:, :, 0]
        apart = table.copy()
        np.put_along_axis(apart, own, np.nan, axis=2)
        others[rows] = np.nansum(apart, axis=2)
        known[rows] = (~np.isnan(apart)).sum(axis=2)
        start += len(block)
    return _Sums(*(_by_resample(each, m) for each in (others, known, same)))


def _by_resample(table: Array, m: int) -> Array:
    return table.reshape(-1, m, table.shape[1]).transpose(1, 0, 2)


# Words about how alike selectors are.

NO_SIMILAR_PAIR_SENTENCE = "No two of the {count} selectors are clearly more alike than chance."


def sentences_of(table: pd.DataFrame) -> tuple[str, ...]:
    """Say which selectors are most and least alike, from the table of a similarity.

    Where it is known which pairs are more alike than chance, only these are called alike.
    """
    pairs = table[table["first"] != table["second"]].dropna(subset="similarity")
    if pairs.empty:
        return ()
    own = table[table["first"] == table["second"]].set_index("first")["similarity"]
    if len(pairs) == 1:
        return (_pair(pairs.iloc[0], own),)
    ordered = pairs.sort_values("similarity", ascending=False, kind="stable")
    alike = ordered[ordered["beyond_chance"].fillna(value=True)]
    if alike.empty:
        return (NO_SIMILAR_PAIR_SENTENCE.format(count=len(own)),)
    return (
        f"Most alike: {_pair(alike.iloc[0], own)}",
        f"Least alike: {_pair(ordered.iloc[-1], own)}",
    )


def _pair(row: pd.Series, own: pd.Series) -> str:
    first, second = row["first"], row["second"]
    between = f"{_number(row['low'])} to {_number(row['high'])}; "
    return (
        f"{first} and {second}: similarity {_number(row['similarity'])} "
        f"({'' if np.isnan(row['low']) else between}to themselves: {_number(own[first])} and "
        f"{_number(own[second])}){_format_comparison(row)}."
    )


def _format_comparison(row: pd.Series) -> str:
    """Say what a similarity is to be compared with."""
    beyond, share = row["beyond_chance"], row["relative"]
    if not pd.isna(beyond) and not beyond:
        return ", not clearly more than chance"
    raw = ", chance not taken out" if pd.isna(beyond) and not np.isnan(row["low"]) else ""
    return raw + ("" if np.isnan(share) else f", {share:.0%} of what their own noise allows")


def _number(value: Any) -> str:  # noqa: ANN401  (what a frame holds)
    return f"{round(float(value), 2) + 0.0:.2f}"  # no minus before a zero


def explain_undefined_pairs(
    systems: Mapping[str, Subsets], undefined: NDArray[np.float64], measure: str
) -> str:
    """Say which share of the pairs of selections has no similarity, and why; nothing if none."""
    share = float(undefined.mean())
    if share <= 0:
        return ""
    causes = format_list([cause for name, one in systems.items() for cause in _odd(name, one)])
    percent = f"{share:.0%}" if share >= 0.01 else "less than 1%"
    return (
        f"{percent} of the pairs of selections are left out, as {measure} has no value for them "
        f"({causes or 'their sizes differ'})"
    )


def _odd(name: str, subsets: Subsets) -> Iterator[str]:
    empty = int(np.sum(subsets.sizes == 0))
    full = int(np.sum(subsets.sizes == subsets.n_features))
    if empty:
        yield f"{name}: {empty} of {len(subsets)} selections are empty"
    if full:
        yield f"{name}: {full} of {len(subsets)} selections hold all features"
