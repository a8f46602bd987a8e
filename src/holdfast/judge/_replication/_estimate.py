r"""Replication stability from the similarities of pairs of disjoint samples.

Method
------
Replication stability of studies of m samples is :math:`\rho(m) = E[s(A, B)]`, the expected
similarity of the selections from two independent samples of m each. Two disjoint halves of the data
are two such samples for m = n/2, so the mean similarity over random splits is unbiased for
:math:`\rho(n/2)`, for any selector and measure; likewise the halves of subsets of three quarters of
the data for 3n/8, and pairs of quarters for n/4 (`PairValues`). `estimate_replication` puts
together

* the point estimates at n/4, 3n/8 and n/2 with their intervals (`_interval`): one standard error in
  log odds for all of them, that of halves;
* predictions for n, 2n and 4n (`_sample_planning`); only for n where halves do not agree better
  than chance by one standard error (`is_at_chance`), because a line that starts at chance has no
  slope;
* the chances of single features (`_feature_chances`).

How often intervals are right is measured by ``make_replication_tables.py`` (docs/replication.md),
how far predictions are off by ``benchmarks/claims/planning.py`` (docs/how_we_know.md), and how well
the chances are calibrated by ``benchmarks/calibration`` (docs/found_again.md).
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._interval import (
    LogOdds,
    logit_standard_error,
    make_log_odds,
    stability_interval,
)
from holdfast.judge._replication._sample_planning import fit_stability_line, is_at_chance
from holdfast.measures import Measure, get_measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from holdfast.judge._replication._feature_chances import ExpectedShare, FeatureChances
    from holdfast.plot import Picture


PREDICTED_DATA_FACTORS = (1, 2, 4)
"""Sizes of the studies that stability is predicted for, relative to the data; chosen by hand."""
SMALL_CLASS_NOTE = (
    "a class is too small for quarters of the data: the interval rests on halves alone, and "
    "nothing is predicted for larger studies"
)
MIN_PAIRS_WITHOUT_WARNING = 10
"""Number of pairs below which the note warns; chosen by hand."""


def estimate_replication(
    values: PairValues,
    *,
    measure: str,
    size: int | None,
    n_features: int,
    chances: FeatureChances | str = "they were not estimated",
    expected: ExpectedShare | None = None,
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
        Number of selected features; None where the selector chooses it.
    n_features : int
        Number of features.
    chances : FeatureChances or str
        The chances of the features, or why they are not known.
    expected : ExpectedShare, optional
        The expected share of the list, for predictions without the chances, which take longer.
    confidence : float, default 0.95
        Level of the intervals.

    Returns
    -------
    Replication
    """
    record = get_measure(measure)
    scale = make_log_odds(record, n_features, size)
    # one error for all sizes of parts: in log odds it hardly depends on the number of samples
    standard_error = logit_standard_error(values, scale, size)
    points = _estimate_points(values, scale, standard_error)
    ends = np.array(
        [
            stability_interval(value, standard_error, confidence, scale, record)
            for value in points["value"].tolist()
        ]
    )
    curve = points[["n_samples", "value"]].assign(low=ends[:, 0], high=ends[:, 1], kind="estimated")
    # points ascend in size, and halves are the largest parts
    half = curve.iloc[-1]
    result = Replication(
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
        note=_write_note(values, record, full=size == n_features),
        values=values,
    )
    if not supports_prediction(points):
        return result
    line = fit_stability_line(
        points,
        n_units=values.n_units,
        n_features=n_features,
        size=size,
        measure=measure,
        share=result.share if expected is None else expected.share,
        score_shares=result.score_shares if expected is None else expected.score_shares,
    )
    # a line that starts at chance has no slope to follow
    factors = PREDICTED_DATA_FACTORS[:1] if is_at_chance(result) else PREDICTED_DATA_FACTORS
    sizes = [factor * values.n_units for factor in factors]
    rows = [(n, *line.predict(n, confidence)) for n in sizes]
    predicted = pd.DataFrame(rows, columns=["n_samples", "value", "low", "high"])
    all_points = pd.concat([curve, predicted.assign(kind="predicted")], ignore_index=True)
    return replace(result, curve=all_points)


def replication_points(
    values: PairValues, *, measure: str, size: int | None, n_features: int
) -> pd.DataFrame:
    """Return the mean similarities of disjoint parts, from quarters to halves.

    Columns: ``n_samples``, ``value``, ``standard_error`` (between data sets), ``n_pairs``.
    """
    scale = make_log_odds(get_measure(measure), n_features, size)
    return _estimate_points(values, scale, logit_standard_error(values, scale, size))


def supports_prediction(points: pd.DataFrame) -> bool:
    """Return whether larger studies can be predicted: more than halves, with a standard error."""
    return len(points) > 1 and bool(np.isfinite(points["standard_error"].iloc[-1]))


def _estimate_points(values: PairValues, scale: LogOdds, standard_error: float) -> pd.DataFrame:
    """Return the estimates, from quarters to halves; `standard_error` is in log odds."""
    kinds = (values.quarters, values.parts, values.halves)
    rows: list[tuple[int, float, float, int]] = []
    for size, similarities in zip(values.sizes, kinds, strict=True):
        known = similarities[np.isfinite(similarities)]
        if known.size:
            mean = float(known.mean())
            # delta method in reverse: from log odds to units of the measure, at this mean
            rows.append((size, mean, standard_error / scale.slope(mean), known.size))
    # smaller parts alone have no standard error and are no basis for a prediction
    if not np.isfinite(values.halves).any():
        rows = [(values.sizes[-1], np.nan, np.nan, 0)]
    return pd.DataFrame(rows, columns=["n_samples", "value", "standard_error", "n_pairs"])


def _write_note(values: PairValues, record: Measure, *, full: bool) -> str:
    small = not (values.parts.size and values.quarters.size)
    n_pairs = int(np.isfinite(values.halves).sum())
    notes = [
        values.classes_left_out,
        _count_undefined(values, "all features are selected" if full and record.by_size else ""),
        SMALL_CLASS_NOTE if small else "",
        f"few pairs: {n_pairs}" if 0 < n_pairs < MIN_PAIRS_WITHOUT_WARNING else "",
    ]
    return "; ".join(filter(None, notes))


def _count_undefined(values: PairValues, why: str) -> str:
    """Count the pairs without a value, in words; empty where all have one."""
    # missing halves weaken the value itself, missing smaller parts only interval and prediction
    kinds = {"halves": [values.halves], "smaller parts": [values.parts, values.quarters]}
    counts = []
    for name, tables in kinds.items():
        similarities = np.concatenate([table.ravel() for table in tables])
        if undefined := int(np.isnan(similarities).sum()):
            counts.append(f"{undefined:,} of {plural(similarities.size, 'pair')} of {name}")
    because = f" ({values.why or why})" if values.why or why else ""
    return f"{' and '.join(counts)} have no value{because} and are left out" if counts else ""


@dataclass(frozen=True, eq=False, kw_only=True)
class PairValues:
    """The similarity of each pair of a replication design; NaN where there is none.

    Attributes
    ----------
    halves : ndarray of shape (K,)
        One value per split of the data into halves.
    parts : ndarray of shape (B, 2)
        Two splits of each subset of three quarters of the data; B may be 0.
    quarters : ndarray of shape (Q, 6)
        The six pairs of each partition into quarters (1-2, 1-3, 1-4, 2-3, 2-4, 3-4); Q may be 0.
    n_units : int
        Number of samples, or of subjects.
    chance : float
        Expected value for two random selections of these sizes; NaN where it is not known.
    why : str
        Why some pairs have no value, as far as is known.
    classes_left_out : str
        Note about classes that the parts leave out; empty where there are none.
    design : str
        Identifies the design: equal where the same samples are in the same parts.
    """

    halves: FloatArray
    parts: FloatArray
    quarters: FloatArray
    n_units: int
    chance: float = math.nan
    why: str = ""
    classes_left_out: str = ""
    design: str = ""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Number of units in a quarter, in half of a subset, and in a half."""
        # the rounding of the design: a quarter is rounded down, the subset has the rest
        kept = self.n_units - self.n_units // 4
        return self.n_units // 4, kept // 2, self.n_units // 2

    @property
    def left_out(self) -> float:
        """Share of the units that each subset leaves out."""
        return (self.n_units // 4) / self.n_units


FEATURE_COLUMNS = ["feature", "selected", "found_again", "low", "grade"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Replication:
    """Agreement of the selections of two independent studies.

    Attributes
    ----------
    value : float
        The mean similarity of the selections from disjoint halves of the data: an unbiased
        estimate for two independent samples of `n_samples` each.
    low, high : float
        Its confidence interval over data sets: other data would give another value.
    n_samples : int
        Samples (subjects, where there are any) in each half.
    measure : str
        The measure of similarity.
    size : int or None
        Number of selected features; None where the selector chooses it.
    n_features : int
        Number of features to select from.
    chance : float
        Expected value for two random selections of these sizes; NaN where it is not known. For
        measures that depend on the number of selections, it differs for more than two.
    n_pairs : int
        Number of splits into halves that were compared.
    confidence : float
        Level of the intervals.
    standard_error : float
        Standard error of the value between data sets.
    points : DataFrame
        Estimates at a quarter, three eighths and half of the data: ``n_samples``, ``value``,
        ``standard_error``, ``n_pairs``.
    curve : DataFrame
        ``n_samples``, ``value``, ``low``, ``high`` and ``kind``: ``"estimated"`` for the points,
        ``"predicted"`` for studies of the size of the data, and twice and four times as large; only
        of the same size where halves do not clearly agree better than chance.
    note : str
        Caveats about the numbers; mostly empty.
    chances : FeatureChances or None
        The chances behind `features`, `longest_list` and `samples_for`; None where they are not
        known.
    why_no_chances : str
        Why chances are not known.
    values : PairValues or None
        The similarity of each pair, for :func:`compare_replication`.
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
        """Expected share of the list that another such study selects again; None if unknown."""
        # chances of groups are about representatives, not about the features that the share counts
        if self.chances is None or self.chances.members is not None:
            return None
        return self.chances.found.share

    @property
    def score_shares(self) -> tuple[float, ...]:
        """`share` in studies 1, 2, 4, 8 and 16 times as large, by the score model; mostly empty."""
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
        if self.chances is None:
            return empty_feature_table(self.why_no_chances)
        return self.chances.table()

    def longest_list(self, found_again: float = 0.8) -> list[str]:
        """Return the longest list of features that keeps an expected share found again.

        Parameters
        ----------
        found_again : float, default 0.8
            The share, above 0 and below 1.

        Returns
        -------
        list of str
            Features by decreasing chance; empty where no list reaches the share.

        Raises
        ------
        InvalidInputError
            The chances are not known.
        """
        return self._known_chances().longest_list(found_again)

    def samples_for(
        self, chance: float = 0.8, features: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Return how many samples a study needs to select features with a given chance.

        Parameters
        ----------
        chance : float, default 0.8
            The chance, above 0 and below 1.
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
        # imported by name: this room does not depend on `holdfast.plot`
        picture: Picture = importlib.import_module("holdfast.plot").replication(
            self.curve, measure=self.measure, ax=ax
        )
        return picture

    def __repr__(self) -> str:
        span = f"{self.confidence:.0%} interval {self.low:.2f} to {self.high:.2f}"
        text = (
            f"<Replication: {self.measure} {self.value:.2f} ({span})>\n"
            f"Two independent studies of {self.n_samples:,} each would agree this well on average; "
            f"estimated from {plural(self.n_pairs, 'pair')} of disjoint halves."
        )
        for row in self.curve[self.curve["kind"] == "predicted"].head(1).itertuples():
            ends = f"{row.low:.2f} to {row.high:.2f}"
            text += f"\nPredicted for studies of {row.n_samples:,.0f}: {row.value:.2f} ({ends})."
        return f"{text}\nNote: {self.note}." if self.note else text


def empty_feature_table(why: str) -> pd.DataFrame:
    """Return a table without rows; ``attrs["why_none"]`` has the reason."""
    # an empty table has the column types of a full one, so that filters and exports work on both
    kinds = dict.fromkeys(("found_again", "low"), "float64") | {"selected": "bool"}
    table = pd.DataFrame(columns=FEATURE_COLUMNS).astype(kinds)
    table.attrs["why_none"] = why
    return table
