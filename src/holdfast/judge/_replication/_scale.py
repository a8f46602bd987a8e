"""The scale on which errors of replication stability are alike: log odds between chance and best.

On that scale the spread between data sets hardly depends on the number of samples, and intervals
stay within the range that a measure can have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast.measures._tables import SubsetTables
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.measures import Measure

    Array = NDArray[np.float64]

ROOM = 0.03
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
    if not math.isfinite(chance) or abs(best - chance) < ROOM:
        chance = record.maximum if record.distance else 0.0
    return LogOdds(chance, best, max(ROOM, 1 / math.sqrt(max(n_features - 1, 1))))


def _chance(record: Measure, n_features: int, size: int | None) -> float:
    """Return what chance gives two subsets of a size; 0 where that is so, or is not known."""
    if record.corrected or size is None or record.form != "subset" or "similarity" in record.needs:
        return 0.0
    tables = SubsetTables(Subsets([np.arange(size)] * 2, n_features=n_features))
    return float(record.estimate(tables, None, {}).chance().value)
