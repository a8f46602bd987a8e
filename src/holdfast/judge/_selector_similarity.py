r"""Similarity of the selections of different selectors, relative to their stability.

The ratio of the similarity between two selectors to the geometric mean of their stabilities
corrects for the noise of both, like Spearman's correction for attenuation of a correlation
[Spearman1904]_. Intervals are jackknife intervals over resamples or groups of resamples
(`_significance`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, format_number, join_lines, plural
from holdfast._typing import BoolArray, FloatArray
from holdfast.errors import InvalidInputError
from holdfast.judge._significance import half_width, means_without_each, replicate_interval
from holdfast.measures import MIN_PREFERENCES, PairMeasure, SubsetTables, get_measure
from holdfast.preferences import Subsets, concat

SIMILARITY_COLUMNS = [
    *("first", "second", "similarity", "low", "high", "same"),
    *("relative", "relative_low", "relative_high", "beyond_chance"),
]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SelectorSimilarity:
    """Similarity of the selections of several selectors.

    Attributes
    ----------
    matrix : DataFrame
        Mean similarity between the selections of two selectors on different resamples; on the
        diagonal the stability of each selector.
    same : DataFrame
        Mean similarity on the same resample; 1 on the diagonal.
    relative : DataFrame
        `matrix` over the geometric mean of both stabilities: 1 means as similar as their noise
        allows. It may exceed 1 by chance; NaN where a stability is not clearly positive.
    table : DataFrame
        The same, one row per pair: ``first``, ``second``, ``similarity`` with a 95% interval
        ``low`` to ``high``, ``same``, ``relative`` with ``relative_low`` and ``relative_high``.
        Intervals are by jackknife over resamples or, where these come in groups, from the spread
        between groups, with Student's t: NaN for fewer than three resamples or a single group, and
        where leaving out any one of them changes nothing. ``beyond_chance``:
        whether the similarity lies above 0 by simultaneous intervals for all pairs of selectors;
        missing without an interval, or for a measure that is not corrected for chance.
    measure : str
        The measure of similarity.
    note : str
        Which selections could not be compared and were left out of the averages.
    """

    matrix: pd.DataFrame
    same: pd.DataFrame
    relative: pd.DataFrame
    table: pd.DataFrame
    measure: str
    note: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most and the least similar selectors, and what was left out, in words."""
        return (*describe_similarity(self.table), *([f"{self.note}."] if self.note else []))

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def __repr__(self) -> str:
        head = f"<SelectorSimilarity by {self.measure}: {plural(len(self.matrix), 'selector')}>"
        return join_lines([head, *self.sentences])


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
    noise of its own, have a similarity of at most about :math:`\sqrt{S_{AA} S_{BB}}`, so R
    separates a difference in preferences from noise.

    Parameters
    ----------
    systems : mapping from str to Subsets
        For each selector its selections, on the same resamples in the same order.
    measure : str, default "phi"
        A measure of pairs of subsets. ``phi`` is corrected for chance and takes selections of
        different sizes; ``jaccard`` is well known, but not corrected for chance, so R is too high.
    groups : iterable of sequences of int, optional
        Positions of resamples that are compared with each other, at least two per group;
        values are then averaged over groups. Default: all are compared.

    Returns
    -------
    SelectorSimilarity
        Pairs of selections that the measure cannot compare (``phi``: an empty one, or one with
        all features) are left out of the averages, with a `note`.

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
    positions = None if groups is None else list(groups)
    similarities = compare_systems(list(systems.values()), record, positions)
    return _make_similarity(systems, similarities, record)


def _get_pair_measure(systems: Mapping[str, Subsets], measure: str) -> PairMeasure:
    record = get_measure(measure)
    needs_more = record.form != "subset" or record.needs & {"similarity", "data"}
    if needs_more or record.distance or not isinstance(record, PairMeasure):
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


def _make_similarity(
    systems: Mapping[str, Subsets], similarities: SystemSimilarities, record: PairMeasure
) -> SelectorSimilarity:
    names = list(systems)
    low, high = replicate_interval(
        similarities.values, similarities.replicates, (record.minimum, record.maximum)
    )
    # a stability near 0 would make the ratio explode: it must be clearly positive
    stable = np.diagonal(np.where(np.isnan(low), similarities.values, low)) > 0
    ratios, replicates = (
        relative_similarity(values, stable)
        for values in (similarities.values, similarities.replicates)
    )
    width = half_width(replicates)
    beyond = _is_beyond_chance(similarities) if record.corrected else np.full_like(low, np.nan)
    tables = [similarities.values, low, high, similarities.same]
    tables += [ratios, ratios - width, ratios + width, beyond]
    # one row per pair of selectors, including each with itself
    first, second = np.triu_indices(len(names))
    columns: list[Any] = [[names[i] for i in first], [names[i] for i in second]]
    columns += [values[first, second] for values in tables]
    table = pd.DataFrame(dict(zip(SIMILARITY_COLUMNS, columns, strict=True)))
    matrix, same, ratio = (
        pd.DataFrame(values, index=names, columns=names)
        for values in (similarities.values, similarities.same, ratios)
    )
    return SelectorSimilarity(
        matrix=matrix,
        same=same,
        relative=ratio,
        table=table.astype({"beyond_chance": "boolean"}),
        measure=record.name,
        note=explain_undefined_pairs(systems, similarities.undefined, record.name),
    )


def _is_beyond_chance(similarities: SystemSimilarities) -> FloatArray:
    """Return 1 or 0: which selectors agree better than chance; NaN without an interval.

    Intervals are simultaneous over all pairs of different selectors.
    """
    count = len(similarities.values)
    pairs = max(count * (count - 1) // 2, 1)
    low = similarities.values - half_width(similarities.replicates, intervals=pairs)
    return np.where(np.isnan(low), np.nan, low > 0)


def relative_similarity(values: FloatArray, stable: BoolArray) -> FloatArray:
    """Return similarities over the geometric mean of the stabilities on the diagonal."""
    stability = np.diagonal(values, axis1=-2, axis2=-1)
    root = np.sqrt(np.where(stable & (stability > 0), stability, np.nan))
    # two noisy selectors cannot agree better than each agrees with
    # itself: Spearman's correction for attenuation [Spearman1904]_
    return np.asarray(values / (root[..., :, None] * root[..., None, :]))


class SystemSimilarities(NamedTuple):
    """Mean similarities of s selectors: on different resamples, on the same one, and replicates.

    ``undefined`` is the share of the pairs of different resamples without a similarity; means are
    over the others, NaN where there are none.
    """

    values: FloatArray
    same: FloatArray
    replicates: FloatArray
    undefined: FloatArray


class _SimilaritySums(NamedTuple):
    """Sums and numbers of similarities by resample, of shape (m, s, s)."""

    others: FloatArray
    known: FloatArray
    same: FloatArray


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
    sums = _sum_similarities(systems, record, m)
    total, number = sums.others.sum(axis=0), sums.known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair has a similarity
        values = total / number
        without = _leave_each_out(total, sums.others) / _leave_each_out(number, sums.known)
        same = np.nansum(sums.same, axis=0) / (~np.isnan(sums.same)).sum(axis=0)
    undefined = 1 - number / (m * (m - 1))
    replicates = without[: m if m >= MIN_PREFERENCES else 0]
    return SystemSimilarities(values, np.asarray(same), replicates, undefined)


def _leave_each_out(total: FloatArray, parts: FloatArray) -> FloatArray:
    """Return totals without the selections of both selectors on each resample."""
    # resample i takes part as the first and as the second of a pair
    return np.asarray(total - parts - parts.transpose(0, 2, 1))


def _sum_similarities(systems: Sequence[Subsets], record: PairMeasure, m: int) -> _SimilaritySums:
    """Sum similarities of each resample's selections to those on other resamples."""
    count = len(systems)
    tables = SubsetTables(concat(list(systems)))
    others, known, same = np.empty((3, count * m, count))
    start = 0
    for block in record.function(tables).blocks:
        table = block.reshape(len(block), count, m)
        rows = np.arange(start, start + len(block))
        resample = (rows % m)[:, None, None]
        same[rows] = np.take_along_axis(table, resample, axis=2)[:, :, 0]
        different = table.copy()
        np.put_along_axis(different, resample, np.nan, axis=2)
        others[rows] = np.nansum(different, axis=2)
        known[rows] = (~np.isnan(different)).sum(axis=2)
        start += len(block)
    # rows are selectors by resamples: put the resamples first
    return _SimilaritySums(
        *(sums.reshape(count, m, count).transpose(1, 0, 2) for sums in (others, known, same))
    )


NO_SIMILAR_PAIR_SENTENCE = "No two of the {count} selectors are clearly more alike than chance."


def describe_similarity(table: pd.DataFrame) -> tuple[str, ...]:
    """Name the most and the least similar selectors of a similarity table.

    Where it is known which pairs agree better than chance, only these are called alike.
    """
    pairs = table[table["first"] != table["second"]].dropna(subset="similarity")
    if pairs.empty:
        return ()
    stability = table[table["first"] == table["second"]].set_index("first")["similarity"]
    if len(pairs) == 1:
        return (_describe_pair(pairs.iloc[0], stability),)
    ordered = pairs.sort_values("similarity", ascending=False, kind="stable")
    alike = ordered[ordered["beyond_chance"].fillna(value=True)]
    if alike.empty:
        return (NO_SIMILAR_PAIR_SENTENCE.format(count=len(stability)),)
    return (
        f"Most alike: {_describe_pair(alike.iloc[0], stability)}",
        f"Least alike: {_describe_pair(ordered.iloc[-1], stability)}",
    )


def _describe_pair(row: pd.Series, stability: pd.Series) -> str:
    first, second = row["first"], row["second"]
    between = f"{format_number(row['low'])} to {format_number(row['high'])}; "
    return (
        f"{first} and {second}: similarity {format_number(row['similarity'])} "
        f"({'' if np.isnan(row['low']) else between}to themselves: "
        f"{format_number(stability[first])} and {format_number(stability[second])})"
        f"{_format_comparison(row)}."
    )


def _format_comparison(row: pd.Series) -> str:
    """Return the comparison of a similarity with chance and noise."""
    beyond, share = row["beyond_chance"], row["relative"]
    if not pd.isna(beyond) and not beyond:
        return ", not clearly more than chance"
    raw = ", chance not taken out" if pd.isna(beyond) and not np.isnan(row["low"]) else ""
    return raw + ("" if np.isnan(share) else f", {share:.0%} of what their own noise allows")


def explain_undefined_pairs(
    systems: Mapping[str, Subsets], undefined: FloatArray, measure: str
) -> str:
    """Return which share of the pairs of selections has no similarity, and why; empty if none."""
    share = float(undefined.mean())
    if share <= 0:
        return ""
    causes = format_list(
        [cause for name, subsets in systems.items() for cause in _undefined_causes(name, subsets)]
    )
    percent = f"{share:.0%}" if share >= 0.01 else "less than 1%"
    return (
        f"{percent} of the pairs of selections are left out, as {measure} has no value for them "
        f"({causes or 'their sizes differ'})"
    )


def _undefined_causes(name: str, subsets: Subsets) -> Iterator[str]:
    empty = int(np.sum(subsets.sizes == 0))
    full = int(np.sum(subsets.sizes == subsets.n_features))
    if empty:
        yield f"{name}: {empty} of {len(subsets)} selections are empty"
    if full:
        yield f"{name}: {full} of {len(subsets)} selections hold all features"
