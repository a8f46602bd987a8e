"""Stand-ins: correlated features that are selected in place of a feature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse
import scipy.stats

from holdfast._formatting import join_lines, plural
from holdfast._kernels.similarity import YU
from holdfast._typing import FloatArray, IndexArray, IntArray, MatrixLike
from holdfast.errors import InvalidInputError
from holdfast.judge._effects import FilledSimilarity, blocks
from holdfast.judge._significance import CONFIDENCE, holm, interval_of_mean
from holdfast.measures import (
    ChanceLevel,
    Measure,
    PairSimilarities,
    SubsetTables,
    check_all_named,
    estimate_interval,
    expected_mean,
    expected_scores,
    get_measure,
    order_columns,
)
from holdfast.preferences import Subsets

STAND_IN_COLUMNS = [
    *("feature", "frequency", "stand_in", "stand_in_frequency"),
    *("correlation", "share", "count", "n", "share_with", "count_with", "n_with", "p_value"),
]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StandIns:
    """Features and their stand-ins, and what stability is if stand-ins count as agreement.

    Attributes
    ----------
    table : DataFrame
        One row per often selected feature and stand-in: ``feature`` and its
        ``frequency``, ``stand_in`` and its ``stand_in_frequency``, ``correlation`` (signed);
        ``share``, the share of the ``n`` resamples without the feature in which the stand-in is
        selected (``count``); ``share_with``, the same of the ``n_with`` resamples with the feature
        (``count_with``); ``p_value`` of a share that is no higher without the feature than with
        it, corrected for the number of correlated pairs. The most frequent feature first, of its
        stand-ins the one with the highest count. Empty where there are no stand-ins.
    features : DataFrame
        One row per often selected feature: ``feature``, ``frequency``, ``stand_ins`` (their
        number), ``share`` of the resamples without it in which any stand-in is selected (NaN if
        it is always selected) and ``frequency_with``, the share of all resamples with the
        feature or a stand-in.
    stability : DataFrame
        ``measure``, ``stand_ins`` (whether correlated features count as agreement), ``value``,
        ``low``, ``high``, ``chance``. ``share`` is the share of the selected features that two
        resamples have in common, or of those with a correlated feature in the other one, too;
        ``kappa`` and ``yu`` are the same corrected for chance; ``nogueira`` and ``sechidis``
        compare variances. All correlated features count here, also those of which nothing shows
        that they take each other's place. Where correlated features are common, random selections
        agree through them, too, so corrected values may fall.
    threshold : float
        Absolute correlation from which features may be stand-ins.
    note : str
        Caveats about the numbers.
    """

    table: pd.DataFrame
    features: pd.DataFrame
    stability: pd.DataFrame
    threshold: float
    note: str

    @property
    def sentence(self) -> str:
        """Whether correlated features explain the disagreement between resamples, in words."""
        return explain_disagreement(self.stability)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def __repr__(self) -> str:
        count = plural(self.table["feature"].nunique(), "feature")
        return join_lines([f"<StandIns: {count} with stand-ins>", self.sentence])


def stand_ins(
    subsets: Subsets,
    X: MatrixLike,
    *,
    threshold: float = 0.8,
    frequency: float = 0.5,
    groups: Iterable[Sequence[int]] | None = None,
) -> StandIns:
    """Find the stand-ins of the features that are selected often.

    A stand-in of a feature correlates with it by `threshold` or more, up or down, and takes its
    place: it is selected more often in resamples without the feature than in those with it, by
    more than chance (Fisher's exact test, one-sided, p at most 0.05 after Holm's correction for all
    correlated pairs). A selector that alternates between several such features is unstable but may
    classify well: its selections carry the same information. A selector that
    scores features one by one has no stand-ins: it selects correlated features together.

    Parameters
    ----------
    subsets : Subsets
        The selections of one selector; the number of features must be known.
    X : array or frame of shape (n, p)
        The data: features in columns. Medians take the place of missing values.
    threshold : float, default 0.8
        Absolute Pearson correlation from which features may be stand-ins. A constant feature
        correlates with none.
    frequency : float, default 0.5
        Least share of the resamples in which a feature is selected to be examined.
    groups : iterable of sequences of int, optional
        Positions of selections that are compared with each other, at least two per group;
        stability is then averaged over groups, with an interval from their spread (t, none for
        a single group). Default: all are compared. Stand-ins are counted over all selections.

    Returns
    -------
    StandIns
        Few resamples have little power: with 20, hardly any replacement is beyond chance.
        Correlations are only taken between features that are selected at least once. The adjusted
        measures need the number of similar features of all p for their chance level: beyond about
        6,000 features it is estimated from a sample, with a `note`.

    References
    ----------
    Sechidis et al. (2020); Yu et al. (2012); the question is that of Kalousis, Prados and
    Hilario (2005), section 5.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 20))
    >>> X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    >>> s = hf.Subsets([[0, 5], [0, 5], [1, 5], [0, 5]] * 5, n_features=20)
    >>> found = hf.judge.stand_ins(s, X)
    >>> found.table[["feature", "frequency", "stand_in", "count", "n", "count_with", "n_with"]]
      feature  frequency stand_in  count  n  count_with  n_with
    0       0       0.75        1      5  5           0      15
    >>> found.sentence
    'Two resamples share 80% of the selected features; if correlated features count they agree on
    100%, random selections on 11%. Most of the disagreement is between features that carry the same
    information, which is how a selector can be unstable and yet classify well.'
    """
    for name, value in (("threshold", threshold), ("frequency", frequency)):
        if not 0 < value <= 1:
            raise InvalidInputError(f"{name} must lie above 0 and up to 1, got {value}.")
    check_all_named(subsets)
    tables = SubsetTables(subsets)
    graph = FilledSimilarity(order_columns(X, subsets.feature_names), threshold)
    if graph.n_features != tables.p:
        raise InvalidInputError(
            f"the data have {plural(graph.n_features, 'feature')}, the selections {tables.p:,}."
        )
    # places among the features ever selected; the tolerance is for rounding of frequency * m
    often = np.flatnonzero(tables.counts >= frequency * tables.m - 1e-9)
    often = often[np.argsort(-tables.counts[often], kind="stable")]
    replacements = find_replacements(tables, graph, often)
    return StandIns(
        table=_stand_in_table(tables, replacements),
        features=_feature_table(tables, often, replacements),
        stability=adjusted_stability(subsets, graph, groups),
        threshold=threshold,
        note=_sampling_note(graph),
    )


def _labels(tables: SubsetTables, places: IndexArray) -> list[str]:
    names = tables.subsets.feature_names
    features = tables.union[places].tolist()
    return [str(f) if names is None else names[f] for f in features]


def _stand_in_table(tables: SubsetTables, replacements: Replacements) -> pd.DataFrame:
    counts, m = tables.counts, tables.m
    most = (replacements.stand_ins, -np.abs(replacements.correlations), -replacements.counts)
    order = np.lexsort((*most, replacements.features, -counts[replacements.features]))
    first, second, votes = (
        part[order] for part in (replacements.features, replacements.stand_ins, replacements.counts)
    )
    both = replacements.counts_with[order]
    without, with_it = m - counts[first], counts[first]
    columns = [
        _labels(tables, first),
        with_it / m,
        _labels(tables, second),
        counts[second] / m,
        replacements.correlations[order],
        *(votes / without, votes, without),
        *(both / with_it, both, with_it),
        replacements.p_values[order],
    ]
    return pd.DataFrame(dict(zip(STAND_IN_COLUMNS, columns, strict=True)))


def _feature_table(
    tables: SubsetTables, often: IndexArray, replacements: Replacements
) -> pd.DataFrame:
    count, m = tables.counts[often], tables.m
    without = np.where(count < m, m - count, np.nan)
    number = np.bincount(replacements.features, minlength=len(tables.union))[often]
    covered = count_covered(tables, replacements, often)
    return pd.DataFrame(
        {
            "feature": _labels(tables, often),
            "frequency": count / m,
            "stand_ins": number,
            "share": covered / without,
            "frequency_with": (count + covered) / m,
        }
    )


def _sampling_note(graph: FilledSimilarity) -> str:
    sampled = len(graph.sampled)
    if sampled == graph.n_features:
        return ""
    return (
        f"the number of features that correlate by chance is estimated from {sampled:,} of "
        f"{graph.n_features:,} features"
    )


MAX_P_VALUE = 0.05
"""Highest corrected p-value at which a feature is a stand-in; standard."""


class Replacements(NamedTuple):
    """Pairs of a feature and a stand-in, as places among the features ever selected.

    ``counts`` has, for each pair, the resamples with the stand-in but without the feature, and
    ``counts_with`` those with both; ``p_values`` are corrected for the number of pairs that were
    tested.
    """

    features: IndexArray
    stand_ins: IndexArray
    correlations: FloatArray
    counts: IntArray
    counts_with: IntArray
    p_values: FloatArray


def find_replacements(
    tables: SubsetTables, graph: FilledSimilarity, often: IndexArray
) -> Replacements:
    """Find the stand-ins of the features at the places `often` among those ever selected.

    Fisher's exact test, one-sided, of "the other is selected no more often without the feature
    than with it", corrected by Holm's method for all correlated pairs of which the feature is
    missing from some resample.
    """
    parts = list(_correlated_pairs(tables, graph, often))
    first, second, correlations, in_both = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    counts = tables.counts
    without_first = counts[second] - in_both
    p_values = scipy.stats.hypergeom.sf(
        without_first - 1, tables.m, counts[second], tables.m - counts[first]
    )
    corrected = holm(p_values)
    kept = corrected <= MAX_P_VALUE
    return Replacements(
        features=first[kept],
        stand_ins=second[kept],
        correlations=correlations[kept],
        counts=without_first[kept],
        counts_with=in_both[kept],
        p_values=corrected[kept],
    )


def count_covered(tables: SubsetTables, replacements: Replacements, often: IndexArray) -> IntArray:
    """Count, for each of these features, the resamples without it but with a stand-in."""
    size = (len(tables.union), len(tables.union))
    pairs = scipy.sparse.csr_array(
        (np.ones(len(replacements.features)), (replacements.features, replacements.stand_ins)),
        shape=size,
    )
    incidence = tables.incidence.astype(np.float64)
    parts = [np.zeros(0, dtype=np.int64)]
    for block in blocks(len(often), tables.m):
        rows = often[block]
        replaced = (incidence @ pairs[rows].T).toarray() > 0
        parts.append((replaced & (incidence[:, rows].toarray() == 0)).sum(axis=0))
    return np.concatenate(parts)


def _correlated_pairs(
    tables: SubsetTables, graph: FilledSimilarity, often: IndexArray
) -> Iterator[tuple[IndexArray, IndexArray, FloatArray, IntArray]]:
    """Yield correlated pairs: feature, other, correlation, resamples with both."""
    points = graph.standardise(tables.union)
    incidence = tables.incidence.astype(np.float64)
    missing = often[tables.counts[often] < tables.m]
    for block in blocks(max(len(missing), 1), points.shape[1]):
        rows = missing[block]
        correlations = np.clip(points[:, rows].T @ points, -1.0, 1.0)
        similar = np.abs(correlations) >= graph.threshold - 1e-12
        similar[np.arange(len(rows)), rows] = False
        in_both = (incidence.T @ incidence[:, rows].toarray()).T
        first, second = np.nonzero(similar)
        yield (
            rows[first],
            second,
            correlations[first, second],
            in_both[first, second].astype(np.int64),
        )


# Stability with and without counting correlated features as agreement.

EXACT: Literal["exact"] = "exact"
"""Chance correction by the closed form, from the number of similar features."""
ADJUSTED_COLUMNS = ["measure", "stand_ins", "value", "low", "high", "chance"]
MOST_EXPLAINED, PART_EXPLAINED = 0.5, 0.1
"""Shares of the disagreement from which correlated features explain most, or part, of it."""
MIN_NOTICEABLE_GAIN = 0.1
"""Least noticeable growth of the agreement, as a share of the features; all chosen by hand."""


def _agreement_share(tables: SubsetTables, *, graph: FilledSimilarity) -> PairSimilarities:
    """Count common features and those with a stand-in over the mean size of both selections.

    Without stand-ins it is Dice's coefficient, to the last digit.
    """
    similarities = get_measure("yu").function(tables, graph=graph, corrected=False)
    with np.errstate(invalid="ignore"):  # both are empty
        shares = [block / _pair_means(tables.sizes) for block in similarities.blocks]

    def chance() -> ChanceLevel:
        expected = expected_scores(tables, graph, YU, EXACT, 0, 0).mean
        with np.errstate(invalid="ignore"):
            return ChanceLevel(expected_mean(tables, expected / _pair_means(tables.distinct_sizes)))

    return PairSimilarities(blocks=shares, chance=chance)


def _pair_means(sizes: IntArray) -> FloatArray:
    """Return the mean of each pair of sizes."""
    return np.asarray((sizes[:, None] + sizes[None, :]) / 2)


@dataclass(frozen=True)
class _AdjustedMeasure:
    """A measure of the table; `counted`: whether stand-ins count as agreement."""

    name: str
    record: Measure
    counted: bool = False

    def estimate(self, tables: SubsetTables, graph: FilledSimilarity) -> FloatArray:
        """Return value, low, high and chance of one system."""
        options: dict[str, Any] = {"graph": graph} if self.counted else {}
        if self.name == "yu":
            options["correction"] = EXACT
        estimate = self.record.estimate(tables, None, options)
        bounds = (self.record.minimum, self.record.maximum)
        interval = estimate_interval(estimate, CONFIDENCE, bounds)
        return np.array([estimate.value, interval.low, interval.high, estimate.chance().value])


ADJUSTED_MEASURES = (
    _AdjustedMeasure("share", get_measure("dice")),
    _AdjustedMeasure(
        "share", replace(get_measure("yu"), function=_agreement_share, minimum=0.0), counted=True
    ),
    _AdjustedMeasure("kappa", get_measure("kappa")),
    _AdjustedMeasure("yu", get_measure("yu"), counted=True),
    _AdjustedMeasure("nogueira", get_measure("nogueira")),
    _AdjustedMeasure("sechidis", get_measure("sechidis"), counted=True),
)


def adjusted_stability(
    subsets: Subsets, graph: FilledSimilarity, groups: Iterable[Sequence[int]] | None
) -> pd.DataFrame:
    """Measure stability with and without stand-ins, within groups of selections."""
    systems = [subsets] if groups is None else [subsets[list(group)] for group in groups]
    tables = [SubsetTables(system) for system in systems]
    rows = []
    for row in ADJUSTED_MEASURES:
        estimates = [row.estimate(system, graph) for system in tables]
        joined = estimates[0]
        if groups is not None:
            by_group = np.array(estimates)
            value, _, _, chance = by_group.mean(axis=0)
            ends = interval_of_mean(by_group[:, 0], (row.record.minimum, row.record.maximum))
            joined = np.array([value, *ends, chance])
        rows.append((row.name, row.counted, *joined))
    return pd.DataFrame(rows, columns=ADJUSTED_COLUMNS)


def explain_disagreement(stability: pd.DataFrame) -> str:
    """Describe whether correlated features explain the disagreement between resamples."""
    values = stability.set_index(["measure", "stand_ins"])["value"]
    plain, adjusted = values["kappa", False], values["yu", True]
    if np.isnan(plain):
        return "Agreement is undefined here, so nothing can be said about correlated features."
    if plain >= 1 - 1e-9:
        return "Resamples agree fully; there is no disagreement for correlated features to explain."
    share, adjusted_share = values["share", False], values["share", True]
    chance = stability["chance"].iloc[1]
    return (
        f"Two resamples share {share:.0%} of the selected features; if correlated features count "
        f"they agree on {adjusted_share:.0%}, random selections on {chance:.0%}. "
        + _conclusion(np.nan_to_num((adjusted - plain) / (1 - plain)), adjusted_share - share)
    )


def _conclusion(explained: float, gain: float) -> str:
    well = "which is how a selector can be unstable and yet classify well."
    if explained >= PART_EXPLAINED:
        much = "Most" if explained >= MOST_EXPLAINED else "Part"
        return (
            f"{much} of the disagreement is between features that carry the same information, "
            + well
        )
    if gain >= MIN_NOTICEABLE_GAIN:
        return (
            "Correlated features are so common here that this is little more than chance: many "
            "selections carry much the same information, " + well
        )
    return "The disagreement is hardly between correlated features."
