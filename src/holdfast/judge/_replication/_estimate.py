"""From the similarities of pairs of disjoint samples to replication stability."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast._text import plural
from holdfast.judge._replication._interval import interval_of, spread_of
from holdfast.judge._replication._prediction import line_through
from holdfast.judge._replication._result import Replication, at_chance
from holdfast.judge._replication._scale import log_odds_of
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.judge._replication._feature_chances import FeatureChances
    from holdfast.judge._replication._scale import LogOdds
    from holdfast.judge._replication._values import PairValues
    from holdfast.measures import Measure

AHEAD = (1, 2, 4)
"""For how many times the data stability is predicted."""
SMALL = (
    "a class is too small for quarters of the data: the interval rests on halves alone, and "
    "nothing is predicted for larger studies"
)
FEW = 10
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
    curve = _estimated(points, lambda value: interval_of(value, spread, confidence, scale, record))
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
    factors = AHEAD[:1] if at_chance(found) else AHEAD  # a line from chance leads nowhere
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


def _estimated(
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
        SMALL if small else "",
        f"few pairs: {there}" if 0 < there < FEW else "",
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
