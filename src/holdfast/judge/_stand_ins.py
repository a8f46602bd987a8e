"""Stand-ins: correlated features that take a feature's place where it is not selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.judge._adjusted import adjusted_stability, judged
from holdfast.judge._correlated import FilledSimilarity
from holdfast.judge._replacements import count_covered, replacements
from holdfast.measures._similarity import check_all_named, in_order
from holdfast.measures._tables import SubsetTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from holdfast.judge._replacements import Replacements
    from holdfast.preferences import Subsets

COLUMNS = [
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
        return judged(self.stability)

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
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


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
