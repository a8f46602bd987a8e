"""Stand-ins: correlated features that take a feature's place where it is not selected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse
import scipy.stats

from holdfast._formatting import plural
from holdfast._kernels.similarity import YU
from holdfast.errors import InvalidInputError
from holdfast.judge._feature_statistics import FilledSimilarity, blocks
from holdfast.judge._significance import CONFIDENCE, holm, interval_of_mean
from holdfast.measures import get_measure
from holdfast.measures._feature_similarity import check_all_named, in_order
from holdfast.measures._interval import interval_of
from holdfast.measures._pair_measures import PairSimilarities, expected_mean
from holdfast.measures._registry import ChanceLevel
from holdfast.measures._similarity_chance import expected_scores
from holdfast.measures._subset_tables import SubsetTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.measures import Measure
    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]


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
        One row for each often selected feature and each of its stand-ins: ``feature`` and its
        ``frequency``, ``stand_in`` and its ``stand_in_frequency``, ``correlation`` (signed);
        ``share``, the share of the ``n`` resamples without the feature in which the stand-in is
        selected (``count``); ``share_with``, the same of the ``n_with`` resamples with the feature
        (``count_with``); ``p_value`` of a share that is no higher without the feature than with
        it, corrected for the number of correlated pairs. The most frequent feature first, of its
        stand-ins the one with most votes. Empty where nothing takes the place of anything.
    features : DataFrame
        One row for each often selected feature: ``feature``, ``frequency``, ``stand_ins`` (how
        many), ``share`` of the resamples without it in which any stand-in is selected (NaN if
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
        What a reader must know about the numbers.
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
        return f"<StandIns: {count} with stand-ins>\n{self.sentence}"


def stand_ins(
    subsets: Subsets,
    X: Any,  # noqa: ANN401  (an array or a frame)
    *,
    threshold: float = 0.8,
    frequency: float = 0.5,
    groups: Iterable[Sequence[int]] | None = None,
) -> StandIns:
    """Find the stand-ins of the features that are selected often.

    A stand-in of a feature correlates with it by `threshold` or more, up or down, and takes its
    place: it is selected more often in resamples without the feature than in those with it, by
    more than chance (Fisher's exact test, one-sided, p at most 0.05 after Holm's correction for all
    correlated pairs). A selector that picks one of several such features, now this, now that, is
    unstable but may classify well: its selections carry the same information. A selector that
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
        Share of the resamples in which a feature is selected to be looked at.
    groups : iterable of sequences of int, optional
        Positions of selections that are compared with each other, at least two in a group;
        stability is then averaged over groups, with an interval from their spread (t, none for
        a single group). Default: all are compared. Stand-ins are counted over all selections.

    Returns
    -------
    StandIns
        Few resamples show little: with 20 of them hardly any replacement is beyond chance.
        Correlations are only taken between features that are selected at least once. The adjusted
        measures need the number of similar features of all p for what chance brings: beyond
        some 6,000 features it is estimated from a sample of them, and `note` says so.

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
    _check(threshold, frequency)
    check_all_named(subsets)
    tables = SubsetTables(subsets)
    graph = FilledSimilarity(in_order(X, subsets.feature_names), threshold)
    if graph.n_features != tables.p:
        raise InvalidInputError(
            f"the data have {plural(graph.n_features, 'feature')}, the selections {tables.p:,}."
        )
    often = _often(tables, frequency)
    found = replacements(tables, graph, often)
    return StandIns(
        table=_table(tables, found),
        features=_features(tables, often, found),
        stability=adjusted_stability(subsets, graph, groups),
        threshold=threshold,
        note=_note(graph),
    )


def _check(threshold: float, frequency: float) -> None:
    for name, value in (("threshold", threshold), ("frequency", frequency)):
        if not 0 < value <= 1:
            raise InvalidInputError(f"{name} must lie above 0 and up to 1, got {value}.")


def _often(tables: SubsetTables, frequency: float) -> NDArray[np.intp]:
    """Return the places, among the features ever selected, of the frequent ones, best first."""
    often = np.flatnonzero(tables.counts >= frequency * tables.m - 1e-9)
    return often[np.argsort(-tables.counts[often], kind="stable")]


def _labels(tables: SubsetTables, places: NDArray[np.intp]) -> list[str]:
    names = tables.subsets.feature_names
    features = tables.union[places].tolist()
    return [str(f) if names is None else names[f] for f in features]


def _table(tables: SubsetTables, found: Replacements) -> pd.DataFrame:
    counts, m = tables.counts, tables.m
    most = (found.stand_ins, -np.abs(found.correlations), -found.counts)
    order = np.lexsort((*most, found.features, -counts[found.features]))
    first, second, votes = (part[order] for part in (found.features, found.stand_ins, found.counts))
    both = found.counts_with[order]
    without, with_it = m - counts[first], counts[first]
    columns = [
        _labels(tables, first),
        with_it / m,
        _labels(tables, second),
        counts[second] / m,
        found.correlations[order],
        *(votes / without, votes, without),
        *(both / with_it, both, with_it),
        found.p_values[order],
    ]
    return pd.DataFrame(dict(zip(STAND_IN_COLUMNS, columns, strict=True)))


def _features(tables: SubsetTables, often: NDArray[np.intp], found: Replacements) -> pd.DataFrame:
    count, m = tables.counts[often], tables.m
    without = np.where(count < m, m - count, np.nan)
    number = np.bincount(found.features, minlength=len(tables.union))[often]
    covered = count_covered(tables, found, often)
    return pd.DataFrame(
        {
            "feature": _labels(tables, often),
            "frequency": count / m,
            "stand_ins": number,
            "share": covered / without,
            "frequency_with": (count + covered) / m,
        }
    )


def _note(graph: FilledSimilarity) -> str:
    sampled = len(graph.sampled)
    if sampled == graph.n_features:
        return ""
    return (
        f"how many correlated features chance brings is estimated from {sampled:,} of "
        f"{graph.n_features:,} features"
    )


# Which correlated features are selected where a feature is not, and rarely where it is.

MAX_P_VALUE = 0.05
"""Corrected p-value up to which a feature is said to take another's place."""


class Replacements(NamedTuple):
    """Pairs of a feature and a stand-in, as places among the features ever selected.

    ``counts`` has, for each pair, the resamples with the stand-in but without the feature, and
    ``counts_with`` those with both; ``p_values`` are corrected for the number of pairs that were
    tested.
    """

    features: NDArray[np.intp]
    stand_ins: NDArray[np.intp]
    correlations: Array
    counts: NDArray[np.int64]
    counts_with: NDArray[np.int64]
    p_values: Array


def replacements(
    tables: SubsetTables, graph: FilledSimilarity, often: NDArray[np.intp]
) -> Replacements:
    """Find the stand-ins of the features at the places `often` among those ever selected.

    Fisher's exact test, one-sided, of "the other is selected no more often without the feature
    than with it", corrected by Holm's method for all correlated pairs of which the feature is
    missing from some resample.
    """
    parts = list(_candidates(tables, graph, often))
    first, second, correlations, together = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    counts = tables.counts
    alone = counts[second] - together
    p_values = scipy.stats.hypergeom.sf(
        alone - 1, tables.m, counts[second], tables.m - counts[first]
    )
    corrected = holm(p_values)
    kept = corrected <= MAX_P_VALUE
    return Replacements(
        features=first[kept],
        stand_ins=second[kept],
        correlations=correlations[kept],
        counts=alone[kept],
        counts_with=together[kept],
        p_values=corrected[kept],
    )


def count_covered(
    tables: SubsetTables, found: Replacements, often: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Count, for each of these features, the resamples without it but with a stand-in."""
    size = (len(tables.union), len(tables.union))
    pairs = scipy.sparse.csr_array(
        (np.ones(len(found.features)), (found.features, found.stand_ins)), shape=size
    )
    incidence = tables.incidence.astype(np.float64)
    parts = [np.zeros(0, dtype=np.int64)]
    for some in blocks(len(often), tables.m):
        rows = often[some]
        replaced = (incidence @ pairs[rows].T).toarray() > 0
        parts.append((replaced & (incidence[:, rows].toarray() == 0)).sum(axis=0))
    return np.concatenate(parts)


def _candidates(
    tables: SubsetTables, graph: FilledSimilarity, often: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Array, NDArray[np.int64]]]:
    """Yield correlated pairs: feature, other, correlation, resamples with both."""
    points = graph.standardised(tables.union)
    incidence = tables.incidence.astype(np.float64)
    missing = often[tables.counts[often] < tables.m]
    for some in blocks(max(len(missing), 1), points.shape[1]):
        rows = missing[some]
        correlations = np.clip(points[:, rows].T @ points, -1.0, 1.0)
        similar = np.abs(correlations) >= graph.threshold - 1e-12
        similar[np.arange(len(rows)), rows] = False
        together = (incidence.T @ incidence[:, rows].toarray()).T
        first, second = np.nonzero(similar)
        yield (
            rows[first],
            second,
            correlations[first, second],
            together[first, second].astype(np.int64),
        )


# Stability with and without counting correlated features as agreement.

EXACT: Literal["exact"] = (
    "exact"  # by the closed form: the graph knows, or estimates, how many stand-ins there are
)
COLUMNS_ADJUSTED = ["measure", "stand_ins", "value", "low", "high", "chance"]
MOST, SOME = 0.5, 0.1  # shares of the disagreement that stand-ins explain
MIN_NOTICEABLE_GAIN = 0.1  # share of the features by which agreement grows noticeably


def _share(tables: SubsetTables, *, graph: FilledSimilarity) -> PairSimilarities:
    """Count common features and those with a stand-in over the mean size of both selections.

    Without stand-ins it is Dice's coefficient, to the last digit.
    """
    found = get_measure("yu").function(tables, graph=graph, corrected=False)
    with np.errstate(invalid="ignore"):  # both are empty
        shares = [block / _means(tables.sizes) for block in found.blocks]

    def chance() -> ChanceLevel:
        expected = expected_scores(tables, graph, YU, EXACT, 0, 0).mean
        with np.errstate(invalid="ignore"):
            return ChanceLevel(expected_mean(tables, expected / _means(tables.distinct_sizes)))

    return PairSimilarities(blocks=shares, chance=chance)


def _means(sizes: NDArray[np.int64]) -> Array:
    """Return the mean of each pair of sizes."""
    return np.asarray((sizes[:, None] + sizes[None, :]) / 2)


@dataclass(frozen=True)
class _Row:
    """A measure of the table; `counted` tells whether stand-ins count as agreement."""

    name: str
    record: Measure
    counted: bool = False

    def estimate(self, tables: SubsetTables, graph: FilledSimilarity) -> Array:
        """Return value, low, high and chance of one system."""
        options: dict[str, Any] = {"graph": graph} if self.counted else {}
        if self.name == "yu":
            options["correction"] = EXACT
        estimate = self.record.estimate(tables, None, options)
        interval = interval_of(estimate, CONFIDENCE, (self.record.minimum, self.record.maximum))
        return np.array([estimate.value, interval.low, interval.high, estimate.chance().value])


ROWS = (
    _Row("share", get_measure("dice")),
    _Row("share", replace(get_measure("yu"), function=_share, minimum=0.0), counted=True),
    _Row("kappa", get_measure("kappa")),
    _Row("yu", get_measure("yu"), counted=True),
    _Row("nogueira", get_measure("nogueira")),
    _Row("sechidis", get_measure("sechidis"), counted=True),
)


def adjusted_stability(
    subsets: Subsets, graph: FilledSimilarity, groups: Iterable[Sequence[int]] | None
) -> pd.DataFrame:
    """Measure stability both ways, within groups of selections."""
    systems = [subsets] if groups is None else [subsets[list(group)] for group in groups]
    tables = [SubsetTables(system) for system in systems]
    rows = []
    for row in ROWS:
        found = [row.estimate(one, graph) for one in tables]
        joined = found[0] if groups is None else _over_groups(row.record, np.array(found))
        rows.append((row.name, row.counted, *joined))
    return pd.DataFrame(rows, columns=COLUMNS_ADJUSTED)


def _over_groups(record: Measure, estimates: Array) -> Array:
    """Average the estimates of groups, with an interval from their spread."""
    value, _, _, chance = estimates.mean(axis=0)
    low, high = interval_of_mean(estimates[:, 0], (record.minimum, record.maximum))
    return np.array([value, low, high, chance])


def explain_disagreement(stability: pd.DataFrame) -> str:
    """Say whether correlated features explain the disagreement between resamples."""
    values = stability.set_index(["measure", "stand_ins"])["value"]
    plain, adjusted = values["kappa", False], values["yu", True]
    if np.isnan(plain):
        return "Agreement is undefined here, so nothing can be said about correlated features."
    if plain >= 1 - 1e-9:
        return "Resamples agree fully; there is no disagreement for correlated features to explain."
    share, more = values["share", False], values["share", True]
    chance = stability["chance"].iloc[1]
    return (
        f"Two resamples share {share:.0%} of the selected features; if correlated features count "
        f"they agree on {more:.0%}, random selections on {chance:.0%}. "
        + _conclusion(np.nan_to_num((adjusted - plain) / (1 - plain)), more - share)
    )


def _conclusion(explained: float, gain: float) -> str:
    well = "which is how a selector can be unstable and yet classify well."
    if explained >= SOME:
        much = "Most" if explained >= MOST else "Part"
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
