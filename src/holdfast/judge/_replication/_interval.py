"""How sure replication stability is: an interval that speaks of other data, not of other splits.

Two sources tell how much the value would change with other data. The spread of the similarity over
splits of the data at hand: what changes between splits is as large as what changes between data
sets, as long as features are independent. And the spread over subsets of the data that leave a
quarter out (a jackknife that deletes groups), which sees correlated features, too, but is noisy
and overstates the rest. Their mean was right most often; see the guide, page "Replication".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats

from holdfast.measures._subset_tables import SubsetTables
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._replication._estimate import PairValues
    from holdfast.measures import Measure

    Array = NDArray[np.float64]


T_DEGREES_OF_FREEDOM = 10
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
    variance = max(_combine_variances(within, values, scale), room**2 / (size or 1))
    return math.sqrt(variance + within / len(halves))


def _combine_variances(within: float, values: PairValues, scale: LogOdds) -> float:
    """Return the mean of the spread over splits and over subsets, where there are any."""
    parts = values.parts[np.isfinite(values.parts).all(axis=1)]
    if len(parts) < 2:
        return within
    slope = scale.slope(float(parts.mean()))
    deleted: float = _jackknife_variance(parts, values.left_out) * slope**2
    return (within + deleted) / 2


def _jackknife_variance(parts: Array, left_out: float) -> float:
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
    reach = float(scipy.stats.t.ppf((1 + confidence) / 2, T_DEGREES_OF_FREEDOM)) * spread
    ends = [scale.down(scale.up(value) + step) for step in (-reach, reach)]
    low, high = min(*ends, value), max(*ends, value)
    return max(record.minimum, low), min(record.maximum, high)


# The scale on which errors of replication stability are alike: log odds between chance and best.
#
# On that scale the spread between data sets hardly depends on the number of samples, and intervals
# stay within the range that a measure can have.

MIN_MARGIN = 0.03
"""The least room beyond both ends."""


@dataclass(frozen=True)
class LogOdds:
    """Log odds of the part x of the way from chance to best: log((x + room) / (1 - x + room)).

    Values beyond the ends count as the ends, and room makes their log odds finite.
    """

    chance: float
    best: float
    room: float

    def up(self, value: float) -> float:
        """Return the log odds of a value."""
        part = self._part(value)
        return math.log((part + self.room) / (1 + self.room - part))

    def slope(self, value: float) -> float:
        """Return how fast log odds change at a value."""
        part = self._part(value)
        steepness = 1 / (part + self.room) + 1 / (1 + self.room - part)
        return steepness / abs(self.best - self.chance)

    def down(self, odds: float) -> float:
        """Return the value of log odds."""
        part = (1 + 2 * self.room) / (1 + math.exp(-odds)) - self.room
        return self.chance + part * (self.best - self.chance)

    def parts(self, values: Array) -> Array:
        """Return which part of the way from chance to best values have gone."""
        return (values - self.chance) / (self.best - self.chance)

    def values(self, parts: Array) -> Array:
        """Return the values at parts of the way."""
        return self.chance + parts * (self.best - self.chance)

    def _part(self, value: float) -> float:
        return float(self.parts(np.array(value)).clip(0.0, 1.0))


def log_odds_of(record: Measure, n_features: int, size: int | None) -> LogOdds:
    """Return the scale of a measure for subsets of a size, or of all features.

    The room is the standard deviation of the similarity of two random preferences, which is
    1 / sqrt(p - 1) for kuncheva, spearman and pearson, whatever the size.
    """
    best = record.best if math.isfinite(record.best) else 1.0
    chance = _chance(record, n_features, size)
    if not math.isfinite(chance) or abs(best - chance) < MIN_MARGIN:
        chance = record.maximum if record.distance else 0.0
    return LogOdds(chance, best, max(MIN_MARGIN, 1 / math.sqrt(max(n_features - 1, 1))))


def _chance(record: Measure, n_features: int, size: int | None) -> float:
    """Return what chance gives two subsets of a size; 0 where that is so, or is not known."""
    if record.corrected or size is None or record.form != "subset" or "similarity" in record.needs:
        return 0.0
    tables = SubsetTables(Subsets([np.arange(size)] * 2, n_features=n_features))
    return float(record.estimate(tables, None, {}).chance().value)
