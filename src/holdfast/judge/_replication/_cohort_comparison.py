r"""Comparison of cohorts: agreement of their selections against shuffled cohorts.

Method
------
*Test*: a permutation test. The samples of all cohorts are reassigned ("dealt") to cohorts of the
same sizes and classes; with the agreement v of the cohorts and :math:`v_1, \dots, v_s` of the
shuffles, :math:`p = (1 + \#\{v_i \le v\}) / (1 + s)`. It is exact if cohorts are samples of one
population.

*Power* (`estimate_power`): simulated for uncorrelated features. Of p features k are informative
with the same effect :math:`\delta`; a cohort of n samples has the scores :math:`\sqrt{n/4}\,
\delta` plus standard normal noise and selects the k highest in absolute value. :math:`\delta` is
found by bisection so that dealt cohorts share as many features as those of the data. Cohorts that
share no informative feature, or half of them, are then simulated, dealt and tested. With correlated
features the power is lower; ``python -m benchmarks.claims cohorts`` measures level and power
(docs/how_we_know.md).
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, join_lines, plural
from holdfast._typing import FloatArray, IndexArray
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from holdfast.plot import Picture


COHORT_PAIR_COLUMNS = ["cohort_a", "cohort_b", "n_a", "n_b"]
"""Columns that identify a pair of cohorts; `SHUFFLE_COLUMNS` hold its agreement."""
SHUFFLE_RANGE = (0.025, 0.975)
"""Quantiles of the shuffles that are reported; standard: the middle 95%."""
EQUALITY_TOLERANCE = 1e-9
"""Values that differ by less are equal up to rounding."""


class ShuffleComparison(NamedTuple):
    """A value, with the mean, the 95% range and the number of shuffles.

    The p-value tests for less agreement than the shuffles; NaN without a value or shuffles.
    """

    value: float
    expected: float
    low: float
    high: float
    p_value: float
    n_shuffles: int


SHUFFLE_COLUMNS = list(ShuffleComparison._fields)


def cohort_pairs(positions: IndexArray) -> IndexArray:
    """Return the pairs to compare: c positions in the last axis become c (c - 1) / 2 pairs.

    The order is 0-1, 0-2, ..., 1-2, ...; the two positions of a pair are in a new last axis.
    """
    pairs = list(combinations(range(positions.shape[-1]), 2))
    return np.asarray(positions[..., pairs])


def compare_cohorts(
    values: FloatArray,
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    measure: str = "nogueira",
    selected: Sequence[Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = None,
) -> CohortComparison:
    r"""Compare the agreement of cohorts with that of shuffled cohorts.

    With v the value of the cohorts and :math:`v_1, \dots, v_s` those of the shuffles,

    .. math:: p = \frac{1 + \#\{i : v_i \le v\}}{1 + s}

    is valid for any s if cohorts are samples of one population, and never below 1/(1 + s).

    Parameters
    ----------
    values : array of shape (1 + s, pairs)
        The similarity of each pair of cohorts, in the order of :func:`cohort_pairs`, then one row
        per shuffle. Shuffles with NaN are left out.
    names : sequence of str
        The names of the c cohorts.
    sizes : sequence of int
        Number of samples of each cohort.
    measure : str, default "nogueira"
        The measure of similarity; for a distance, less agreement is a higher value.
    selected : sequence of sequences of arrays, optional
        The features selected in each cohort, then in each sample of each shuffle: 1 + s rows of
        c arrays of feature numbers.
    feature_names : sequence of str, optional
        The names of all features; by default their numbers.

    Returns
    -------
    CohortComparison

    Examples
    --------
    >>> from holdfast.judge import compare_cohorts
    >>> values = [[0.2], [0.5], [0.6], [0.4]]
    >>> found = compare_cohorts(values, names=["London", "Paris"], sizes=[60, 40])
    >>> found.overall.value, found.overall.expected, found.overall.p_value
    (0.2, 0.5, 0.25)
    """
    table = np.asarray(values, dtype=np.float64)
    _check_cohort_values(table, names, sizes)
    record = get_measure(measure)
    sign = -1.0 if record.distance else 1.0
    pairs = [
        (names[a], names[b], sizes[a], sizes[b], *_compare_with_shuffles(column, sign))
        for (a, b), column in zip(combinations(range(len(names)), 2), table.T, strict=True)
    ]
    return CohortComparison(
        measure=record.name,
        cohorts=dict(zip(names, sizes, strict=True)),
        # one test of the mean over pairs: the p-values of
        # single pairs are not corrected for their number
        overall=_compare_with_shuffles(table.mean(axis=1), sign),
        pairs=pd.DataFrame(pairs, columns=[*COHORT_PAIR_COLUMNS, *SHUFFLE_COLUMNS]),
        features=_feature_table(selected, names, feature_names),
        recurrence=_recurrence_table(selected, len(names)),
        _design=_summarize_selections(selected, sizes, feature_names),
    )


def _summarize_selections(
    selected: Sequence[Sequence[Any]] | None,
    sizes: Sequence[int],
    feature_names: Sequence[str] | None,
) -> CohortSelections | None:
    """Return the inputs of the power; None where features are not selected, or not named."""
    if selected is None or feature_names is None:
        return None
    rows = [[np.unique(features) for features in row] for row in selected[1:]]
    common = [len(np.intersect1d(a, b)) for row in rows for a, b in combinations(row, 2)]
    return CohortSelections(
        sizes=tuple(sizes),
        n_features=len(feature_names),
        n_selected=round(float(np.mean([len(features) for row in rows for features in row]))),
        n_common=float(np.mean(common)),
    )


def _check_cohort_values(values: FloatArray, names: Sequence[str], sizes: Sequence[int]) -> None:
    c = len(names)
    if c < 2 or len(set(names)) < c or len(sizes) != c:
        raise InvalidInputError(
            f"at least two cohorts with different names, and a size for each, are needed; got the "
            f"names {list(names)} and {len(sizes)} sizes."
        )
    if values.ndim != 2 or values.shape[1] != c * (c - 1) // 2 or len(values) < 2:
        raise InvalidInputError(
            f"values must have one column for each of {c * (c - 1) // 2} pairs, one row for the "
            f"cohorts and one row per shuffle, at least one; got the shape {values.shape}."
        )


def _compare_with_shuffles(values: FloatArray, sign: float) -> ShuffleComparison:
    """Compare the first value with the others; `sign` is -1 where lower means more agreement."""
    value, shuffled = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not len(shuffled):
        return ShuffleComparison(value, np.nan, np.nan, np.nan, np.nan, 0)
    low, high = np.quantile(shuffled, SHUFFLE_RANGE)
    # a tie with a shuffle counts against a difference: the
    # test stays valid with few distinct values
    less = int(np.sum(sign * shuffled <= sign * value + EQUALITY_TOLERANCE))
    # the observed assignment is itself one of the 1 + s equally likely ones, hence 1 + in both
    p_value = np.nan if np.isnan(value) else (1 + less) / (1 + len(shuffled))
    return ShuffleComparison(
        value, float(shuffled.mean()), float(low), float(high), p_value, len(shuffled)
    )


def _feature_table(
    selected: Sequence[Sequence[Any]] | None,
    names: Sequence[str],
    feature_names: Sequence[str] | None,
) -> pd.DataFrame:
    """List the features that any cohort selects, those of most cohorts first."""
    cohorts_of: dict[int, list[str]] = {}
    for name, chosen in zip(names, [] if selected is None else selected[0], strict=False):
        for feature in np.unique(chosen).tolist():
            cohorts_of.setdefault(int(feature), []).append(name)
    # ties by feature number: the table does not depend on the order of the cohorts
    ordered = sorted(cohorts_of, key=lambda feature: (-len(cohorts_of[feature]), feature))
    labels = ordered if feature_names is None else [str(feature_names[f]) for f in ordered]
    cohorts = [tuple(cohorts_of[feature]) for feature in ordered]
    return pd.DataFrame(
        {"feature": labels, "n_cohorts": list(map(len, cohorts)), "cohorts": cohorts}
    )


def _recurrence_table(selected: Sequence[Sequence[Any]] | None, c: int) -> pd.DataFrame:
    """Count the features that at least 1, 2, ... cohorts select, with the expected counts."""
    columns = ["n_cohorts", "features", "expected", "low", "high"]
    if selected is None:
        return pd.DataFrame(columns=columns)
    counts = np.array([_count_recurring(row, c) for row in selected], dtype=np.float64)
    rows = [
        (least, *_compare_with_shuffles(column, 1.0)[:4])
        for least, column in enumerate(counts.T, 1)
    ]
    return pd.DataFrame(rows, columns=columns).astype({"features": np.int64})


def _count_recurring(selections: Sequence[Any], c: int) -> list[int]:
    """Return how many features are in at least 1, 2, ..., c of the selections."""
    features = np.concatenate([np.unique(selection).astype(np.intp) for selection in selections])
    counts = np.unique(features, return_counts=True)[1]
    return [int(np.sum(counts >= least)) for least in range(1, c + 1)]


# Sentences.

MIN_USEFUL_POWER = 0.5
"""Power below which a comparison could hardly have shown a difference; chosen by hand."""
MAX_DIFFERENCE_P_VALUE = 0.05
"""Highest p-value at which cohorts are said to differ; standard."""


def describe_comparison(comparison: CohortComparison) -> tuple[str, ...]:
    """Describe how well cohorts agree, which differ most, and how many features recur."""
    against, subject = comparison.overall, _format_cohorts(comparison)
    if np.isnan(against.p_value):
        return (f"{subject} cannot be compared: {comparison.measure} has no value for them.",)
    verdict, rest = _describe_agreement(comparison)
    mean = " on average" if len(comparison.pairs) > 1 else ""
    span = f"{against.low:.2f} to {against.high:.2f}; p = {against.p_value:.3f}"
    values = f"{against.value:.2f}{mean}, {against.expected:.2f} is expected ({span})"
    sentences = [f"{subject} select {verdict}: {comparison.measure} {values}.{rest}"]
    if len(comparison.pairs) > 1 and against.p_value <= MAX_DIFFERENCE_P_VALUE:
        worst = comparison.pairs.sort_values("p_value", kind="stable").iloc[0]
        sentences.append(
            f"Least alike compared with the expectation: {worst['cohort_a']} and "
            f"{worst['cohort_b']}, {worst['value']:.2f} instead of {worst['expected']:.2f}."
        )
    if len(comparison.recurrence):
        last: Any = comparison.recurrence.iloc[-1]
        every = (
            "both cohorts"
            if len(comparison.cohorts) == 2
            else f"all {len(comparison.cohorts)} cohorts"
        )
        sentences.append(
            f"In {every}: {plural(int(last['features']), 'feature')}, where {last['expected']:.1f} "
            f"are expected ({last['low']:.0f} to {last['high']:.0f})."
        )
    return tuple(sentences)


def _format_cohorts(comparison: CohortComparison) -> str:
    counted = [f"{name} ({n:,})" for name, n in comparison.cohorts.items()]
    if len(counted) == 2:
        return f"The cohorts {counted[0]} and {counted[1]}"
    return f"The {len(counted)} cohorts {format_list(counted, most=8)}"


def _describe_agreement(comparison: CohortComparison) -> tuple[str, str]:
    """Return how well cohorts agree, and the conclusion."""
    against, distance = comparison.overall, get_measure(comparison.measure).distance
    # the test is one-sided, so too much agreement shows in the range of the shuffles only
    beyond = against.value < against.low if distance else against.value > against.high
    if against.p_value <= MAX_DIFFERENCE_P_VALUE:
        rest = " They differ: in population, platform or batch."
        return "less alike than samples of these sizes from one population would", rest
    if beyond:
        rest = (
            " Samples dealt from all cohorts are noisier than the cohorts, as they are where each "
            "cohort has a level of its own: centre the features within cohorts, and compare again."
        )
        return "more alike than samples of these sizes dealt from all of them do", rest
    return "about as much alike as samples of these sizes from one population do", _explain_power(
        comparison
    )


def _explain_power(comparison: CohortComparison) -> str:
    """Describe the power to notice a difference."""
    every, half = comparison.power
    if np.isnan(every):
        return " That does not show that they agree: a difference may have been missed."
    sizes = " + ".join(f"{n:,}" for n in comparison.cohorts.values())
    if every < MIN_USEFUL_POWER:
        head = f" {sizes} samples could hardly have shown a difference"
    else:
        head = f" {sizes} samples may have missed a difference"
    return (
        f"{head}: if the cohorts had no informative feature in common, about {every:.0%} of such "
        f"comparisons would notice; if half of them, {half:.0%}; far fewer where features "
        "correlate."
    )


# Power. The module docstring has the method.

MAX_SIMULATED_FEATURES = 2000
"""Most features that are simulated; chosen by hand: more hardly change the power."""
N_STUDIES, N_DEALINGS = 100, 39
"""Simulated studies, and dealings of each; chosen by hand."""
N_TRIAL_STUDIES, N_TRIAL_DEALINGS, N_BISECTIONS = 20, 4, 10
"""The same while the effect is searched, and steps of the search; chosen by hand."""
MAX_EFFECT = 5.0
"""Largest effect that is considered, in standard deviations; chosen by hand."""
POWER_LEVEL = 0.05
"""Level of the simulated tests; standard."""


class CohortPower(NamedTuple):
    """Share of studies that would notice (p at most 0.05) that cohorts differ.

    Attributes
    ----------
    all_differ : float
        Where no informative feature of one cohort is informative in another.
    half_differ : float
        Where half of the informative features are.
    """

    all_differ: float
    half_differ: float


def estimate_power(
    sizes: Sequence[int], n_features: int, n_selected: int, n_common: float
) -> CohortPower:
    """Estimate the power of a comparison of cohorts.

    Parameters
    ----------
    sizes : sequence of int
        Samples of each cohort.
    n_features, n_selected : int
        Features to select from, and selected in each cohort.
    n_common : float
        Mean number of features that two dealt cohorts have in common.

    Returns
    -------
    CohortPower
        Both are NaN where all features are selected.
    """
    p = min(n_features, MAX_SIMULATED_FEATURES)
    if not 0 < n_selected < p:
        return CohortPower(np.nan, np.nan)
    n = np.array(sizes, dtype=np.float64)
    # c cohorts without a common informative feature need c times as many features
    informative = min(n_selected, p // (len(n) + 1))
    effect = _find_effect(n, p, n_selected, informative, n_common)
    return CohortPower(
        *(
            _detection_share(n, p, n_selected, effect * _patterns(len(n), p, informative, shared))
            for shared in (0, informative // 2)
        )
    )


def _patterns(n_cohorts: int, p: int, informative: int, shared: int) -> FloatArray:
    """Return 1 where a feature (column) is informative in a cohort (row)."""
    pattern = np.zeros((n_cohorts, p))
    pattern[:, :shared] = 1
    n_specific = informative - shared
    for cohort, row in enumerate(pattern):
        start = shared + cohort * n_specific
        row[start : start + n_specific] = 1
    return pattern


def _find_effect(n: FloatArray, p: int, k: int, informative: int, n_common: float) -> float:
    """Return the effect at which dealt cohorts have `n_common` features in common."""
    # dealt cohorts come from one population: all informative features are shared
    same, low, high = _patterns(len(n), p, informative, informative), 0.0, MAX_EFFECT
    for _ in range(N_BISECTIONS):
        effect = (low + high) / 2
        generator = np.random.default_rng(0)  # common random numbers: the count grows with effect
        common = [
            _simulate_common(n, k, effect * same, N_TRIAL_DEALINGS, generator)[1:].mean()
            for _ in range(N_TRIAL_STUDIES)
        ]
        low, high = (effect, high) if np.mean(common) < n_common else (low, effect)
    return (low + high) / 2


def _detection_share(n: FloatArray, p: int, k: int, effects: FloatArray) -> float:
    """Return the share of studies with a p-value of at most 0.05."""
    # another seed than in the search for the effect
    generator = np.random.default_rng(1)
    p_values = []
    for _ in range(N_STUDIES):
        signs = generator.choice([-1.0, 1.0], p)
        common = _simulate_common(n, k, effects * signs, N_DEALINGS, generator)
        # counts are integers over the number of pairs: the tolerance is for their rounding
        p_values.append((1 + np.sum(common[1:] <= common[0] + 1e-9)) / (1 + N_DEALINGS))
    return float(np.mean(np.array(p_values) <= POWER_LEVEL))


def _simulate_common(
    n: FloatArray, k: int, effects: FloatArray, n_dealings: int, generator: np.random.Generator
) -> FloatArray:
    """Return the mean number of common features of pairs of cohorts, then of dealt cohorts.

    Dealt cohorts are parts of the same samples, so their mean is that of all samples.
    """
    c, p = effects.shape
    # the variance 4 / n is that of a difference of two means of n / 2 samples with variance 1
    score_error = np.sqrt(4 / n)[:, np.newaxis]
    shares = (n / n.sum())[:, np.newaxis]
    means = effects + score_error * generator.standard_normal((c, p))
    noise = score_error * generator.standard_normal((n_dealings, c, p))
    dealt = (shares * means).sum(axis=0) + noise - (shares * noise).sum(axis=1, keepdims=True)
    # dealt cohorts mix samples with and without an effect: more variance within classes
    mixed = (shares * np.square(effects - (shares * effects).sum(axis=0))).sum(axis=0) / 2
    scores = np.abs(np.concatenate([means[np.newaxis], dealt / np.sqrt(1 + mixed)]))
    top = np.argpartition(-scores, k, axis=2)[:, :, :k]
    chosen = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(chosen, top, values=True, axis=2)
    pairs = [(chosen[:, a] & chosen[:, b]).sum(axis=1) for a, b in combinations(range(c), 2)]
    return np.asarray(np.mean(pairs, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class CohortSelections:
    """Sizes of the cohorts, numbers of selected features, and features that dealt cohorts share."""

    sizes: tuple[int, ...]
    n_features: int
    n_selected: int
    n_common: float

    def power(self) -> CohortPower:
        """Estimate the power of a comparison of such cohorts."""
        return estimate_power(self.sizes, self.n_features, self.n_selected, self.n_common)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CohortComparison:
    """Agreement of the selections of cohorts, compared with shuffled cohorts.

    Attributes
    ----------
    measure : str
        The measure of similarity.
    cohorts : dict
        Number of samples of each cohort, by name.
    overall : ShuffleComparison
        The mean over all pairs of cohorts: ``value``; ``expected``, the mean of the shuffles, and
        their 95% range ``low`` to ``high``; ``p_value`` of agreeing less than shuffles do; and
        ``n_shuffles``, the number of shuffles with a value.
    pairs : DataFrame
        The same for each pair, with ``cohort_a``, ``cohort_b`` and their numbers of samples ``n_a``
        and ``n_b``. The p-values are not corrected for the number of pairs.
    features : DataFrame
        ``feature``, ``n_cohorts`` (how many cohorts select it) and ``cohorts`` (a tuple of their
        names), the most recurrent first. Empty for measures that look at all features.
    recurrence : DataFrame
        For ``n_cohorts`` from 1 to all: the number of ``features`` that at least this many cohorts
        select, and ``expected``, ``low`` and ``high`` of the shuffles. Empty for measures that look
        at all features.
    """

    measure: str
    cohorts: dict[str, int]
    overall: ShuffleComparison
    pairs: pd.DataFrame
    features: pd.DataFrame
    recurrence: pd.DataFrame
    _design: CohortSelections | None = field(default=None)

    @cached_property
    def power(self) -> CohortPower:
        """Power of the comparison at these sizes.

        ``all_differ`` and ``half_differ``: the share of studies that would notice, with p at most
        0.05, that cohorts have no informative feature in common, or half of them. Simulated for
        features that do not correlate, with effects at which dealt cohorts agree as those of
        these data do; where informative features correlate, a third to two thirds of that. NaN
        where it is not known: for measures that look at all features, and where all features are
        selected.
        """
        return CohortPower(np.nan, np.nan) if self._design is None else self._design.power()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in words."""
        return describe_comparison(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table of pairs."""
        return self.pairs.copy()

    def plot(self, ax: Axes | None = None) -> Picture:
        """Plot the pairs with the expected agreement; see :func:`holdfast.plot.cohorts`."""
        # imported by name: this room does not depend on `holdfast.plot`
        picture: Picture = importlib.import_module("holdfast.plot").cohorts(
            self.pairs, measure=self.measure, ax=ax
        )
        return picture

    def __repr__(self) -> str:
        head = f"<CohortComparison by {self.measure}: {plural(len(self.cohorts), 'cohort')}>"
        return join_lines([head, *self.sentences])
