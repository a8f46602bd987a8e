"""Cohorts: whether what is found in one of them recurs in another."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, plural
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot import Picture

    Array = NDArray[np.float64]


# Do cohorts agree as well as samples of their sizes from one population would?

PAIRS = ["cohort_a", "cohort_b", "n_a", "n_b"]
"""Columns that say which pair it is; `EXPECTED` are those that say how it agrees."""
RANGE = (0.025, 0.975)
EQUALITY_TOLERANCE = 1e-9
"""Values that differ by less are equal, but for rounding."""


class ShuffleComparison(NamedTuple):
    """A value beside those of the shuffles: their mean, their 95% range, and how many there are.

    The p-value is for agreeing less than shuffles do; NaN where the value or all shuffles lack.
    """

    value: float
    expected: float
    low: float
    high: float
    p_value: float
    n_shuffles: int


EXPECTED = list(ShuffleComparison._fields)


def cohort_pairs(places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the pairs to compare: c places in the last dimension become c (c - 1) / 2 pairs.

    They come in the order 0-1, 0-2, ..., 1-2, ...; each is a pair of places in a new dimension.
    """
    pairs = list(combinations(range(places.shape[-1]), 2))
    return np.asarray(places[..., pairs])


def compare_cohorts(
    values: Array,
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    measure: str = "nogueira",
    selected: Sequence[Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = None,
) -> CohortComparison:
    r"""Compare how cohorts agree with how shuffled cohorts do.

    With v the value of the cohorts and :math:`v_1, \dots, v_s` those of the shuffles,

    .. math:: p = \frac{1 + \#\{i : v_i \le v\}}{1 + s}

    is valid for any s if cohorts are samples of one population, and never below 1/(1 + s).

    Parameters
    ----------
    values : array of shape (1 + s, pairs)
        The similarity of each pair of cohorts, in the order of :func:`cohort_pairs`; below, that
        of each shuffle. NaN where there is none: such shuffles are left out.
    names : sequence of str
        The names of the c cohorts.
    sizes : sequence of int
        How many samples each has.
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
    _check(table, names, sizes)
    record = get_measure(measure)
    sign = -1.0 if record.distance else 1.0
    pairs = [_against(own, sign) for own in table.T]
    return CohortComparison(
        measure=record.name,
        cohorts=dict(zip(names, sizes, strict=True)),
        overall=_against(table.mean(axis=1), sign),
        pairs=_pairs(names, sizes, pairs),
        features=_features(selected, names, feature_names),
        recurrence=_recurrence(selected, len(names)),
        _design=_design(selected, sizes, feature_names),
    )


def _design(
    selected: Sequence[Sequence[Any]] | None,
    sizes: Sequence[int],
    feature_names: Sequence[str] | None,
) -> CohortSelections | None:
    """Return what the power depends on; None where features are not selected, or not named."""
    if selected is None or feature_names is None:
        return None
    rows = [[np.unique(own) for own in row] for row in selected[1:]]
    common = [len(np.intersect1d(a, b)) for row in rows for a, b in combinations(row, 2)]
    return CohortSelections(
        sizes=tuple(sizes),
        n_features=len(feature_names),
        n_selected=round(float(np.mean([len(own) for row in rows for own in row]))),
        n_common=float(np.mean(common)),
    )


def _pairs(
    names: Sequence[str], sizes: Sequence[int], found: Sequence[ShuffleComparison]
) -> pd.DataFrame:
    rows = [
        (names[a], names[b], sizes[a], sizes[b], *against)
        for (a, b), against in zip(combinations(range(len(names)), 2), found, strict=True)
    ]
    return pd.DataFrame(rows, columns=[*PAIRS, *EXPECTED])


def _check(values: Array, names: Sequence[str], sizes: Sequence[int]) -> None:
    c = len(names)
    if c < 2 or len(set(names)) < c or len(sizes) != c:
        raise InvalidInputError(
            f"at least two cohorts, each with a name of its own and a size, are compared; got the "
            f"names {list(names)} and {len(sizes)} sizes."
        )
    if values.ndim != 2 or values.shape[1] != c * (c - 1) // 2 or len(values) < 2:
        raise InvalidInputError(
            f"values must have a column for each of {c * (c - 1) // 2} pairs, a row for the "
            f"cohorts and a row for each shuffle, at least one; got the shape {values.shape}."
        )


def _against(values: Array, sign: float) -> ShuffleComparison:
    """Hold the first value against the others; `sign` is -1 where lower means more agreement."""
    value, shuffled = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not len(shuffled):
        return ShuffleComparison(value, np.nan, np.nan, np.nan, np.nan, 0)
    low, high = np.quantile(shuffled, RANGE)
    less = int(np.sum(sign * shuffled <= sign * value + EQUALITY_TOLERANCE))
    p_value = np.nan if np.isnan(value) else (1 + less) / (1 + len(shuffled))
    return ShuffleComparison(
        value, float(shuffled.mean()), float(low), float(high), p_value, len(shuffled)
    )


def _features(
    selected: Sequence[Sequence[Any]] | None,
    names: Sequence[str],
    feature_names: Sequence[str] | None,
) -> pd.DataFrame:
    """List the features that some cohort selects, those of most cohorts first."""
    finders: dict[int, list[str]] = {}
    for name, chosen in zip(names, [] if selected is None else selected[0], strict=False):
        for feature in np.unique(chosen).tolist():
            finders.setdefault(int(feature), []).append(name)
    ordered = sorted(finders, key=lambda feature: (-len(finders[feature]), feature))
    labels = ordered if feature_names is None else [str(feature_names[f]) for f in ordered]
    found = [tuple(finders[feature]) for feature in ordered]
    return pd.DataFrame({"feature": labels, "n_cohorts": list(map(len, found)), "cohorts": found})


def _recurrence(selected: Sequence[Sequence[Any]] | None, c: int) -> pd.DataFrame:
    """Count the features that so many cohorts find, and how many would be expected."""
    columns = ["n_cohorts", "features", "expected", "low", "high"]
    if selected is None:
        return pd.DataFrame(columns=columns)
    counts = np.array([_found_by(row, c) for row in selected], dtype=np.float64)
    rows = [(at + 1, *_against(own, 1.0)[:4]) for at, own in enumerate(counts.T)]
    return pd.DataFrame(rows, columns=columns).astype({"features": np.int64})


def _found_by(chosen: Sequence[Any], c: int) -> list[int]:
    """Return how many features are in at least 1, 2, ..., c of the selections."""
    every = np.concatenate([np.unique(own).astype(np.intp) for own in chosen])
    times = np.unique(every, return_counts=True)[1]
    return [int(np.sum(times >= least)) for least in range(1, c + 1)]


# What a comparison of cohorts says in words.

MIN_USEFUL_POWER = 0.5
"""Power below which a comparison could hardly have shown a difference."""
MAX_DIFFERENCE_P_VALUE = 0.05
"""p-value up to which cohorts are said to differ."""


def sentences_of(found: CohortComparison) -> tuple[str, ...]:
    """Say whether cohorts agree as they should, where they do not, and how much recurs."""
    return tuple(_sentences(found))


def _sentences(found: CohortComparison) -> Iterator[str]:
    against = found.overall
    if np.isnan(against.p_value):
        yield f"{_format_cohorts(found)} cannot be compared: {found.measure} has no value for them."
        return
    verdict, rest = _verdict(found)
    yield f"{_format_cohorts(found)} select {verdict}: {_numbers(found, against)}.{rest}"
    if len(found.pairs) > 1 and against.p_value <= MAX_DIFFERENCE_P_VALUE:
        worst = found.pairs.sort_values("p_value", kind="stable").iloc[0]
        yield (
            f"Least alike beside what is expected: {worst['cohort_a']} and {worst['cohort_b']}, "
            f"{worst['value']:.2f} instead of {worst['expected']:.2f}."
        )
    if len(found.recurrence):
        yield _recurring(found)


def _format_cohorts(found: CohortComparison) -> str:
    counted = [f"{name} ({n:,})" for name, n in found.cohorts.items()]
    if len(counted) == 2:
        return f"The cohorts {counted[0]} and {counted[1]}"
    return f"The {len(counted)} cohorts {format_list(counted, most=8)}"


def _verdict(found: CohortComparison) -> tuple[str, str]:
    """Return how cohorts select, and what a reader is to think of it."""
    against, distance = found.overall, get_measure(found.measure).distance
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
        found
    )


def _explain_power(found: CohortComparison) -> str:
    """Say what a difference had to be like to be noticed."""
    every, half = found.power
    if np.isnan(every):
        return " That does not show that they agree: a difference may have been missed."
    sizes = " + ".join(f"{n:,}" for n in found.cohorts.values())
    if every < MIN_USEFUL_POWER:
        head = f" {sizes} samples could hardly have shown a difference"
    else:
        head = f" {sizes} samples may have missed a difference"
    return (
        f"{head}: if the cohorts had no informative feature in common, about {every:.0%} of such "
        f"comparisons would notice; if half of them, {half:.0%}; far fewer where features "
        "correlate."
    )


def _numbers(found: CohortComparison, against: ShuffleComparison) -> str:
    mean = " on average" if len(found.pairs) > 1 else ""
    return (
        f"{found.measure} {against.value:.2f}{mean}, {against.expected:.2f} is expected "
        f"({against.low:.2f} to {against.high:.2f}; p = {against.p_value:.3f})"
    )


def _recurring(found: CohortComparison) -> str:
    last: Any = found.recurrence.iloc[-1]
    every = "both cohorts" if len(found.cohorts) == 2 else f"all {len(found.cohorts)} cohorts"
    return (
        f"In {every}: {plural(int(last['features']), 'feature')}, where {last['expected']:.1f} "
        f"are expected ({last['low']:.0f} to {last['high']:.0f})."
    )


# What a comparison of cohorts could have shown: its power at the given sizes.
#
# Method. Scores of features that do not correlate are simulated: k informative ones of p, all of
# the
# same effect :math:`\delta`, have in a cohort of n samples the score
# :math:`\sqrt{n/4}\,\delta` plus standard normal noise; the k highest are selected. The effect is
# the one at which dealt cohorts have as many features in common as those of the data. Then cohorts
# are simulated that share no informative feature, or half of them, dealt as the data were, and
# tested. Where features correlate, power is lower.

MAX_FEATURES = 2000
"""Most features that are simulated; more hardly change the power."""
N_STUDIES, N_DEALINGS = 100, 39
N_TRIAL_STUDIES, N_TRIAL_DEALINGS, N_BISECTIONS = 20, 4, 10
MAX_EFFECT = 5.0
ALPHA = 0.05


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
        How many features two dealt cohorts have in common, on average.

    Returns
    -------
    CohortPower
        Both are NaN where all features are selected.
    """
    p = min(n_features, MAX_FEATURES)
    if not 0 < n_selected < p:
        return CohortPower(np.nan, np.nan)
    n = np.array(sizes, dtype=np.float64)
    informative = min(n_selected, p // (len(n) + 1))
    effect = _effect_of(n, p, n_selected, informative, n_common)
    return CohortPower(
        *(
            _detection_share(n, p, n_selected, effect * _patterns(len(n), p, informative, shared))
            for shared in (0, informative // 2)
        )
    )


def _patterns(n_cohorts: int, p: int, informative: int, shared: int) -> Array:
    """Return 1 where a feature (column) is informative in a cohort (row)."""
    pattern = np.zeros((n_cohorts, p))
    pattern[:, :shared] = 1
    own = informative - shared
    for cohort, row in enumerate(pattern):
        start = shared + cohort * own
        row[start : start + own] = 1
    return pattern


def _effect_of(n: Array, p: int, k: int, informative: int, n_common: float) -> float:
    """Return the effect at which dealt cohorts have so many features in common."""
    same, low, high = _patterns(len(n), p, informative, informative), 0.0, MAX_EFFECT
    for _ in range(N_BISECTIONS):
        effect = (low + high) / 2
        generator = np.random.default_rng(0)
        common = [
            _deal(n, k, effect * same, N_TRIAL_DEALINGS, generator)[1:].mean()
            for _ in range(N_TRIAL_STUDIES)
        ]
        low, high = (effect, high) if np.mean(common) < n_common else (low, effect)
    return (low + high) / 2


def _detection_share(n: Array, p: int, k: int, effects: Array) -> float:
    """Return the share of studies with a p-value of at most 0.05."""
    generator = np.random.default_rng(1)
    p_values = []
    for _ in range(N_STUDIES):
        signs = generator.choice([-1.0, 1.0], p)
        common = _deal(n, k, effects * signs, N_DEALINGS, generator)
        p_values.append((1 + np.sum(common[1:] <= common[0] + 1e-9)) / (1 + N_DEALINGS))
    return float(np.mean(np.array(p_values) <= ALPHA))


def _deal(
    n: Array, k: int, effects: Array, n_dealings: int, generator: np.random.Generator
) -> Array:
    """Return how many features cohorts have in common, on average over pairs; then dealt ones.

    Dealt cohorts are parts of the same samples, so their mean is that of all samples.
    """
    c, p = effects.shape
    spread = np.sqrt(4 / n)[:, np.newaxis]
    shares = (n / n.sum())[:, np.newaxis]
    means = effects + spread * generator.standard_normal((c, p))
    own = spread * generator.standard_normal((n_dealings, c, p))
    dealt = (shares * means).sum(axis=0) + own - (shares * own).sum(axis=1, keepdims=True)
    # dealt samples with and without the effect, in one class of two: more spread within classes
    mixed = (shares * np.square(effects - (shares * effects).sum(axis=0))).sum(axis=0) / 2
    scores = np.abs(np.concatenate([means[np.newaxis], dealt / np.sqrt(1 + mixed)]))
    top = np.argpartition(-scores, k, axis=2)[:, :, :k]
    chosen = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(chosen, top, values=True, axis=2)
    pairs = [(chosen[:, a] & chosen[:, b]).sum(axis=1) for a, b in combinations(range(c), 2)]
    return np.asarray(np.mean(pairs, axis=0), dtype=np.float64)


# How well cohorts agree, beside what is to be expected: tables, sentences, a picture.


@dataclass(frozen=True)
class CohortSelections:
    """How many samples cohorts have, how many features they select, and dealt ones share."""

    sizes: tuple[int, ...]
    n_features: int
    n_selected: int
    n_common: float

    def power(self) -> CohortPower:
        """Estimate what a comparison of such cohorts can show."""
        return estimate_power(self.sizes, self.n_features, self.n_selected, self.n_common)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CohortComparison:
    """Do the features found in one cohort recur in another?

    Attributes
    ----------
    measure : str
        The measure of similarity.
    cohorts : dict
        How many samples each cohort has, by name.
    overall : Against
        The mean over all pairs of cohorts: ``value``; ``expected``, the mean of the shuffles, and
        their 95% range ``low`` to ``high``; ``p_value`` of agreeing less than shuffles do; and
        ``n_shuffles``, how many of them have a value.
    pairs : DataFrame
        The same for each pair, beside ``cohort_a``, ``cohort_b`` and their samples ``n_a`` and
        ``n_b``. The p-values are not adjusted for the number of pairs.
    features : DataFrame
        ``feature``, ``n_cohorts`` (how many cohorts select it) and ``cohorts`` (a tuple of their
        names), the most recurrent first. Empty for measures that look at all features.
    recurrence : DataFrame
        For ``n_cohorts`` from 1 to all: how many ``features`` so many cohorts or more select, and
        ``expected``, ``low`` and ``high`` of the shuffles. Empty for measures that look at all
        features.
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
        """What the comparison could have shown, at these sizes.

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
        """What was found, in words."""
        return sentences_of(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table of pairs."""
        return self.pairs.copy()

    def plot(self, ax: Axes | None = None) -> Picture:
        """Draw the pairs beside what is expected; see :func:`holdfast.plot.cohorts`."""
        # found by name when it is asked for: numbers do not depend on pictures
        drawn: Picture = importlib.import_module("holdfast.plot").cohorts(
            self.pairs, measure=self.measure, ax=ax
        )
        return drawn

    def __repr__(self) -> str:
        head = f"<CohortComparison by {self.measure}: {plural(len(self.cohorts), 'cohort')}>"
        return "\n".join([head, *self.sentences])
