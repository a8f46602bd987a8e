"""From the similarities of pairs of disjoint samples to replication stability."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._interval import interval_of, log_odds_of, spread_of
from holdfast.judge._replication._prediction import line_through
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.judge._replication._feature_chances import FeatureChances
    from holdfast.judge._replication._interval import LogOdds
    from holdfast.measures import Measure
    from holdfast.plot import Picture

    Array = NDArray[np.float64]


PREDICTED_DATA_FACTORS = (1, 2, 4)
"""For how many times the data stability is predicted."""
SMALL_CLASS_NOTE = (
    "a class is too small for quarters of the data: the interval rests on halves alone, and "
    "nothing is predicted for larger studies"
)
MIN_PAIRS_WITHOUT_WARNING = 10
"""Pairs below which a reader is warned."""


def estimate(
    values: PairValues,
    *,
    measure: str,
    size: int | None,
    n_features: int,
    chances: FeatureChances | str = "they were not estimated",
    confidence: float = 0.95,
) -> Replication:
    """Estimate replication stability from the similarities of pairs.

    Parameters
    ----------
    values : PairValues
        The similarity of each pair of a replication design.
    measure : str
        The measure of similarity.
    size : int or None
        How many features are selected; None where the selector decides.
    n_features : int
        Number of features.
    chances : FeatureChances or str
        The chances of the features, or why they are not known.
    confidence : float, default 0.95
        Level of the intervals.

    Returns
    -------
    Replication
    """
    record = get_measure(measure)
    scale = log_odds_of(record, n_features, size)
    spread = spread_of(values, scale, size)
    points = _points(values, scale, spread)
    curve = _add_intervals(
        points, lambda value: interval_of(value, spread, confidence, scale, record)
    )
    half = curve.iloc[-1]
    found = Replication(
        value=float(half["value"]),
        low=float(half["low"]),
        high=float(half["high"]),
        n_samples=values.n_units // 2,
        measure=measure,
        size=size,
        n_features=n_features,
        chance=values.chance,
        n_pairs=int(points["n_pairs"].iloc[-1]),
        confidence=confidence,
        standard_error=float(points["standard_error"].iloc[-1]),
        points=points,
        curve=curve,
        chances=None if isinstance(chances, str) else chances,
        why_no_chances=chances if isinstance(chances, str) else "",
        note=_note(values, record, full=size == n_features),
        values=values,
    )
    if not carries_prediction(points):
        return found
    line = line_through(
        points,
        n_units=values.n_units,
        n_features=n_features,
        size=size,
        measure=measure,
        share=found.share,
        score_shares=found.score_shares,
    )
    factors = (
        PREDICTED_DATA_FACTORS[:1] if at_chance(found) else PREDICTED_DATA_FACTORS
    )  # a line from chance leads nowhere
    ahead = [(n, *line.at(n, confidence)) for n in (by * values.n_units for by in factors)]
    predicted = pd.DataFrame(ahead, columns=["n_samples", "value", "low", "high"])
    whole = pd.concat([curve, predicted.assign(kind="predicted")], ignore_index=True)
    return replace(found, curve=whole)


def points_of(
    values: PairValues, *, measure: str, size: int | None, n_features: int
) -> pd.DataFrame:
    """Return the mean similarities of disjoint parts, from the smallest parts to halves.

    Columns: ``n_samples``, ``value``, ``standard_error`` (between data sets), ``n_pairs``.
    """
    scale = log_odds_of(get_measure(measure), n_features, size)
    return _points(values, scale, spread_of(values, scale, size))


def carries_prediction(points: pd.DataFrame) -> bool:
    """Tell whether larger studies can be predicted: more than halves, with a standard error."""
    return len(points) > 1 and bool(np.isfinite(points["standard_error"].iloc[-1]))


def _points(values: PairValues, scale: LogOdds, spread: float) -> pd.DataFrame:
    """Return the estimates, from the smallest samples to halves."""
    kinds = (values.quarters, values.parts, values.halves)
    rows: list[tuple[int, float, float, int]] = []
    for size, own in zip(values.sizes, kinds, strict=True):
        there = own[np.isfinite(own)]
        if there.size:
            mean = float(there.mean())
            rows.append((size, mean, spread / scale.slope(mean), there.size))
    if not np.isfinite(values.halves).any():
        rows = [(values.sizes[-1], np.nan, np.nan, 0)]
    return pd.DataFrame(rows, columns=["n_samples", "value", "standard_error", "n_pairs"])


def _add_intervals(
    points: pd.DataFrame, interval: Callable[[float], tuple[float, float]]
) -> pd.DataFrame:
    """Return the points with their intervals."""
    ends = np.array([interval(value) for value in points["value"].tolist()])
    curve = points[["n_samples", "value"]]
    return curve.assign(low=ends[:, 0], high=ends[:, 1], kind="estimated")


def _note(values: PairValues, record: Measure, *, full: bool) -> str:
    small = not (values.parts.size and values.quarters.size)
    there = int(np.isfinite(values.halves).sum())
    told = [
        values.classes_left_out,
        _lacking(values, "all features are selected" if full and record.by_size else ""),
        SMALL_CLASS_NOTE if small else "",
        f"few pairs: {there}" if 0 < there < MIN_PAIRS_WITHOUT_WARNING else "",
    ]
    return "; ".join(filter(None, told))


def _lacking(values: PairValues, why: str) -> str:
    """Count the pairs that have no value; nothing where all have one."""
    kinds = {"halves": [values.halves], "smaller parts": [values.parts, values.quarters]}
    told = []
    for name, own in kinds.items():
        every = np.concatenate([one.ravel() for one in own])
        if lacking := int(np.isnan(every).sum()):
            told.append(f"{lacking:,} of {plural(every.size, 'pair')} of {name}")
    because = f" ({values.why or why})" if values.why or why else ""
    return f"{' and '.join(told)} have no value{because} and are left out" if told else ""


# The similarities of pairs of disjoint samples: what replication stability is estimated from.


@dataclass(frozen=True, eq=False, kw_only=True)
class PairValues:
    """The similarity of each pair of a replication design; NaN where there is none.

    Attributes
    ----------
    halves : ndarray of shape (K,)
        One value a split of the data into halves.
    parts : ndarray of shape (B, 2)
        Two splits of each subset of three quarters of the data; B may be 0.
    quarters : ndarray of shape (Q, 6)
        The six pairs of each partition into quarters (1-2, 1-3, 1-4, 2-3, 2-4, 3-4); Q may be 0.
    n_units : int
        How many samples, or subjects, the data have.
    chance : float
        What two random selections of these sizes give; NaN where that is not known.
    why : str
        Why some pairs have no value, as far as is known.
    classes_left_out : str
        Which classes the parts leave out, as a sentence; empty where they leave out none.
    design : str
        Tells designs apart: equal where the same samples are in the same parts.
    """

    halves: Array
    parts: Array
    quarters: Array
    n_units: int
    chance: float = math.nan
    why: str = ""
    classes_left_out: str = ""
    design: str = ""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many units a quarter, a part and a half have."""
        kept = self.n_units - self.n_units // 4
        return self.n_units // 4, kept // 2, self.n_units // 2

    @property
    def left_out(self) -> float:
        """The share of the units that each subset leaves out."""
        return (self.n_units // 4) / self.n_units


# Replication stability: the value, its interval, and what larger studies may expect.

FEATURE_COLUMNS = ["feature", "selected", "found_again", "low", "grade"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Replication:
    """How well the selections of two independent studies agree.

    Attributes
    ----------
    value : float
        The mean similarity of the selections from disjoint halves of the data: an unbiased
        estimate for two independent samples of `n_samples` each.
    low, high : float
        Its interval, at the level of the data: other data sets would give other values.
    n_samples : int
        Samples (subjects, where there are any) in each half.
    measure : str
        The measure of similarity.
    size : int or None
        How many features are selected; None where the selector decides.
    n_features : int
        How many features there are to select from.
    chance : float
        What two random selections of these sizes give by the measure; NaN where that is not known.
        For measures that depend on the number of selections it is not what many give.
    n_pairs : int
        How many splits into halves were compared.
    confidence : float
        Level of the intervals.
    standard_error : float
        Standard error of the value between data sets.
    points : DataFrame
        Estimates: ``n_samples``, ``value``, ``standard_error``, ``n_pairs``; a quarter, three
        eighths and half of the data.
    curve : DataFrame
        ``n_samples``, ``value``, ``low``, ``high`` and ``kind``: ``"estimated"`` for the points,
        ``"predicted"`` for all, twice and four times the data; for all of them only where halves do
        not clearly agree better than chance.
    note : str
        What a reader must know about the numbers; mostly empty.
    chances : FeatureChances or None
        What `features`, `longest_list` and `samples_for` rest on; None where it is not known.
    why_no_chances : str
        Why chances are not known.
    values : PairValues or None
        The similarity of each pair, which :func:`compare_replication` takes.
    """

    value: float
    low: float
    high: float
    n_samples: int
    measure: str
    size: int | None
    n_features: int
    chance: float
    n_pairs: int
    confidence: float
    standard_error: float
    points: pd.DataFrame
    curve: pd.DataFrame
    chances: FeatureChances | None = None
    why_no_chances: str = "chances were not estimated"
    note: str = ""
    values: PairValues | None = None

    @property
    def share(self) -> float | None:
        """Expected share of the list that a study of the same size selects; None if not known."""
        if self.chances is None or self.chances.members is not None:
            return None
        return self.chances.found.share

    @property
    def score_shares(self) -> tuple[float, ...]:
        """The same in studies 1, 2, 4, 8 and 16 times as large, by signed scores; mostly empty."""
        return () if self.share is None or self.chances is None else self.chances.found.score_shares

    @property
    def features(self) -> pd.DataFrame:
        """Each feature's chance to be found again, the highest first.

        Columns: ``feature``; ``selected``, whether it is selected on all of these data;
        ``found_again``, the probability that an independent study of the same size selects it;
        ``low``, a one-sided 90% lower bound; ``grade``: *very likely* (at least 0.9), *likely*
        (0.7), *uncertain* (0.3) or *unlikely*. All chances add up to the number of selected
        features. For selectors of groups there is one row per selected group, named by its
        representative, with its ``members``; the chance is that a study selects at least half of
        them. Empty where chances are not known: ``features.attrs["why_none"]`` says why.

        On data sets with known truth that the estimator was not tuned on, features called *very
        likely* were selected by 97% of independent studies, *likely* ones by 85%, *uncertain* ones
        by 52%, *unlikely* ones by 13%; see the guide, page "Found again".
        """
        return no_features(self.why_no_chances) if self.chances is None else self.chances.table()

    def longest_list(self, found_again: float = 0.8) -> list[str]:
        """Return the longest list of features of which a share is expected to be found again.

        Parameters
        ----------
        found_again : float, default 0.8
            The share, above 0 and below 1.

        Returns
        -------
        list of str
            Features by decreasing chance. Empty where no list of these data reaches the share.

        Raises
        ------
        InvalidInputError
            The chances are not known.
        """
        return self._known_chances().longest_list(found_again)

    def samples_for(
        self, chance: float = 0.8, features: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Return how many samples a study needs to select features with a wanted chance.

        Parameters
        ----------
        chance : float, default 0.8
            The wanted chance, above 0 and below 1.
        features : sequence of str, optional
            The features; by default those selected on these data.

        Returns
        -------
        DataFrame
            ``feature``; ``found_again``, the chance in a study of this size; ``needed``, the number
            of samples (subjects, where there are any): at most that of these data where the
            chance is reached already, infinite where 32 times the data are not enough.

        Raises
        ------
        InvalidInputError
            The chances are not known.
        UnknownNameError
            A feature that the data do not have.
        """
        return self._known_chances().samples_for(chance, features)

    def _known_chances(self) -> FeatureChances:
        if self.chances is None:
            raise InvalidInputError(f"the chances are not known: {self.why_no_chances}.")
        return self.chances

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the curve."""
        return self.curve.copy()

    def plot(self, ax: Axes | None = None) -> Picture:
        """Draw the curve; see :func:`holdfast.plot.replication`."""
        # found by name when it is asked for: numbers do not depend on pictures
        drawn: Picture = importlib.import_module("holdfast.plot").replication(
            self.curve, measure=self.measure, ax=ax
        )
        return drawn

    def __repr__(self) -> str:
        span = f"{self.confidence:.0%} interval {self.low:.2f} to {self.high:.2f}"
        said = (
            f"<Replication: {self.measure} {self.value:.2f} ({span})>\n"
            f"Two independent studies of {self.n_samples:,} each would agree so on average; "
            f"estimated from {plural(self.n_pairs, 'pair')} of disjoint halves."
        )
        for row in self.curve[self.curve["kind"] == "predicted"].head(1).itertuples():
            ends = f"{row.low:.2f} to {row.high:.2f}"
            said += f"\nPredicted for studies of {row.n_samples:,.0f}: {row.value:.2f} ({ends})."
        return f"{said}\nNote: {self.note}." if self.note else said


def at_chance(found: Replication) -> bool:
    """Tell whether halves agree no better than random selections, as far as these data show.

    One standard error is the limit: on noise it is about twice the true one, so that 98 of 100
    data sets of noise are at chance.
    """
    chance = found.chance if math.isfinite(found.chance) else 0.0
    return found.value - chance <= found.standard_error


def no_features(why: str) -> pd.DataFrame:
    """Return the table without a row, and why there is none."""
    kinds = dict.fromkeys(("found_again", "low"), "float64") | {"selected": "bool"}
    table = pd.DataFrame(columns=FEATURE_COLUMNS).astype(kinds)
    table.attrs["why_none"] = why
    return table
