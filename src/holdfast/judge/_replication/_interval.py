"""How sure replication stability is: an interval that speaks of other data, not of other splits.

Two sources tell how much the value would change with other data. The spread of the similarity over
splits of the data at hand: what changes between splits is as large as what changes between data
sets, as long as features are independent. And the spread over subsets of the data that leave a
quarter out (a jackknife that deletes groups), which sees correlated features, too, but is noisy
and overstates the rest. Their mean was right most often; see the guide, page "Replication".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._replication._scale import LogOdds
    from holdfast.judge._replication._values import PairValues
    from holdfast.measures import Measure

    Array = NDArray[np.float64]

FREEDOM = 10
"""Degrees of freedom of the t law: the standard error is an estimate, too."""


def spread_of(values: PairValues, scale: LogOdds, size: int | None) -> float:
    """Return the standard error of the stability between halves, in log odds; NaN without pairs.

    Its square is not below that of the room of the scale, divided by the number of selected
    features: where all pairs agree alike, there is no spread, but other data may differ.
    """
    halves = values.halves[np.isfinite(values.halves)]
    if len(halves) < 2:
        return np.nan
    slope = scale.slope(float(halves.mean()))
    within = float(halves.var(ddof=1)) * slope**2
    room = scale.room * abs(scale.best - scale.chance) * slope
    variance = max(_mixed(within, values, scale), room**2 / (size or 1))
    return math.sqrt(variance + within / len(halves))


def _mixed(within: float, values: PairValues, scale: LogOdds) -> float:
    """Return the mean of the spread over splits and over subsets, where there are any."""
    parts = values.parts[np.isfinite(values.parts).all(axis=1)]
    if len(parts) < 2:
        return within
    slope = scale.slope(float(parts.mean()))
    deleted: float = _deleted(parts, values.left_out) * slope**2
    return (within + deleted) / 2


def _deleted(parts: Array, left_out: float) -> float:
    """Return the jackknife variance from subsets that leave a share of the data out.

    What the splits of a subset add to the spread between subsets is taken off.
    """
    added = float(parts.var(axis=1, ddof=1).mean() / parts.shape[1])
    between = float(parts.mean(axis=1).var(ddof=1)) - added
    return max(0.0, between * (1 - left_out) / left_out)


def interval_of(
    value: float, spread: float, confidence: float, scale: LogOdds, record: Measure
) -> tuple[float, float]:
    """Return the ends of the interval around a value; it holds the value."""
    if not math.isfinite(value + spread):
        return math.nan, math.nan
    reach = float(scipy.stats.t.ppf((1 + confidence) / 2, FREEDOM)) * spread
    ends = [scale.down(scale.up(value) + step) for step in (-reach, reach)]
    low, high = min(*ends, value), max(*ends, value)
    return max(record.minimum, low), min(record.maximum, high)
