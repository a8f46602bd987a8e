"""How well the selections behind each pair replicate: what pairs are ordered by, and what is shown.

Selections from disjoint halves are independent, so their agreement is unbiased for studies of half
the size, but each rests on half of the data. Selections from overlapping resamples use nearly all
data, but they agree too well. On data sets with known truth the mean of both, on the scale of log
odds between chance and perfect agreement, predicts the order of pairs better than either of them
(``benchmarks/decision.py``), so pairs are ordered by it. Values that are shown come from the
disjoint parts alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from holdfast.judge._replication._interval import MIN_MARGIN, LogOdds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.judge._replication._estimate import PairValues
    from holdfast.measures import Measure

    Array = NDArray[np.float64]
    Cells = Mapping[tuple[str, Any], PairValues]

ESTIMATED = ("value", "low", "high", "chance", "standard_error", "n_samples")
PREDICTED = {"value": "predicted", "low": "predicted_low", "high": "predicted_high"}
N_DIVISIONS = 200
"""How often the splits are divided to see what choosing adds to the value."""


class Chooser(Protocol):
    """What picks a row by its scores; None where no row has one."""

    def __call__(self, scores: Array, /) -> int | None: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Replicability:
    """Estimates for all pairs, row by row; NaN where there is none.

    Attributes
    ----------
    halves, chance, standard_error : ndarray of shape (rows,)
        The agreement of disjoint halves, what random selections give, and the standard error of
        the former between data sets.
    value, low, high : ndarray of shape (rows,)
        The same, predicted for studies of `samples`; halves where not all pairs are predicted.
    samples : int
        For how large studies `value` holds.
    resamples, resamples_chance : ndarray of shape (rows,)
        The stability over overlapping resamples, and its chance level.
    splits : ndarray of shape (rows, K)
        The agreement in each split into halves; K is 0 where these are not known.
    cells : ndarray of int, shape (rows,)
        Which rows share selector and size, and so the estimate.
    measure : Measure
        The measure.
    """

    halves: Array
    chance: Array
    standard_error: Array
    value: Array
    low: Array
    high: Array
    samples: int
    resamples: Array
    resamples_chance: Array
    splits: Array
    cells: NDArray[np.intp]
    measure: Measure

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        replication: pd.DataFrame | None,
        measure: Measure,
        pair_values: Cells | None = None,
    ) -> Replicability | None:
        """Look the pairs of a table of candidates up; None where no pair has an estimate."""
        if replication is None:
            return None
        keys = ["selector", "size"] if measure.by_size else ["selector"]
        columns = [
            *ESTIMATED,
            *(name for name in (*PREDICTED.values(), "at") if name in replication),
        ]
        own = replication[replication["measure"] == measure.name]
        known = {tuple(row[key] for key in keys): row for row in own.to_dict("records")}
        asked = list(zip(*(table[key] for key in keys), strict=True))
        found = pd.DataFrame(
            [[known.get(key, {}).get(name, np.nan) for name in columns] for key in asked],
            columns=columns,
        ).apply(pd.to_numeric, errors="coerce")
        there = found["value"].notna()
        if not there.any():
            return None
        # predictions and estimates hold for studies of unequal sizes: never compare the two
        ahead = "predicted" in found and bool(found.loc[there, "predicted"].notna().all())
        names = PREDICTED if ahead else {name: name for name in PREDICTED}
        size = found.loc[there, "at" if ahead and "at" in found else "n_samples"].iloc[0]
        return cls(
            halves=_numbers(found["value"]),
            chance=_numbers(found["chance"]),
            standard_error=_numbers(found["standard_error"]),
            **{ours: _numbers(found[theirs]) for ours, theirs in names.items()},
            samples=int(size),
            resamples=_numbers(table["stability"]),
            resamples_chance=_numbers(table["chance"]),
            splits=_splits(table, pair_values),
            cells=pd.factorize(pd.Series(asked, dtype=object))[0],
            measure=measure,
        )

    @property
    def sign(self) -> int:
        """-1 for distances, of which lower is better."""
        return -1 if self.measure.distance else 1

    @cached_property
    def scores(self) -> Array:
        """What pairs are ordered by, higher being better, in units of the measure."""
        return self._pooled(self.value)

    @cached_property
    def z(self) -> Array:
        """By how many standard errors halves agree better than chance; NaN where not known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.sign * (self.halves - self.chance) / self.standard_error)

    def n_cells(self, among: NDArray[np.bool_]) -> int:
        """Count the selectors at their sizes that have an estimate."""
        return len(np.unique(self.cells[among & np.isfinite(self.value)]))

    def after_choosing(self, row: int, choose: Chooser) -> tuple[float, float, float]:
        """Return the value of a chosen row and its interval, without what choosing adds.

        The highest of noisy values is too high. The splits are divided at random into two sets,
        the rule chooses by one, and how much the value of its choice is lower on the other is
        taken off. The two sets come from the same samples, so this removes the luck of the splits,
        not that of the data; the interval speaks of the latter. As each set has half of the splits,
        it takes off somewhat more than choosing by all of them adds.
        """
        given = float(self.value[row]), float(self.low[row]), float(self.high[row])
        added = self._optimism(choose)
        scale = self._scale(float(self.chance[row]))
        if scale is None or added <= 0:
            return given
        value, low, high = (
            end if math.isnan(end) else scale.down(scale.up(end) - added) for end in given
        )
        return value, low, high

    def _optimism(self, choose: Chooser) -> float:
        """Return by how much, in log odds, a choice looks better on the splits it was made on."""
        count = self.splits.shape[1]
        if count < 4:
            return 0.0
        rng = np.random.default_rng(0)
        gaps = []
        for _ in range(N_DIVISIONS):
            order = rng.permutation(count)
            chosen, read = (
                _means(self.splits[:, own]) for own in (order[: count // 2], order[count // 2 :])
            )
            row = choose(self._pooled(chosen))
            if row is None:  # of a part of a study, some splits may lack all selections
                continue
            scale = self._scale(float(self.chance[row]))
            if scale is not None and np.isfinite(chosen[row] + read[row]):
                gaps.append(scale.up(float(chosen[row])) - scale.up(float(read[row])))
        return float(np.mean(gaps)) if gaps else 0.0

    def _pooled(self, values: Array) -> Array:
        """Return the mean of values and the stability over resamples, in log odds, as a value."""
        pooled = np.full(len(values), np.nan)
        for row, (value, usual) in enumerate(zip(values, self.resamples, strict=True)):
            scale = self._scale(float(self.chance[row]))
            if not math.isfinite(value + usual):
                continue
            if scale is None:  # a measure without bounds has no log odds
                pooled[row] = self.sign * value
                continue
            other = self._scale(float(self.resamples_chance[row])) or scale
            mean = (scale.up(float(value)) + other.up(float(usual))) / 2
            pooled[row] = self._merit(scale.down(mean))
        return pooled

    def _merit(self, value: float) -> float:
        """Return a value that is higher where more is found again."""
        if not self.measure.distance:
            return value
        return (self.measure.maximum if math.isfinite(self.measure.maximum) else 0.0) - value

    def _scale(self, chance: float) -> LogOdds | None:
        """Return log odds between chance and perfect agreement; None without such a scale."""
        best = self.measure.best
        if not math.isfinite(chance):
            chance = self.measure.maximum if self.measure.distance else 0.0
        if not math.isfinite(best + chance) or abs(best - chance) < MIN_MARGIN:
            return None
        return LogOdds(chance, best, MIN_MARGIN)


def _numbers(column: pd.Series[Any]) -> Array:
    return column.to_numpy(dtype=np.float64)


def _means(splits: Array) -> Array:
    """Return the mean of what is known in each row; NaN where nothing is."""
    known = np.isfinite(splits)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, splits, 0.0).sum(axis=1) / known.sum(axis=1))


def _splits(table: pd.DataFrame, pair_values: Cells | None) -> Array:
    """Return the agreement in each split, row by row; no column where that is not known."""
    if not pair_values:
        return np.empty((len(table), 0))
    count = max(len(one.halves) for one in pair_values.values())
    rows = np.full((len(table), count), np.nan)
    for row, key in enumerate(zip(table["selector"], table["size"], strict=True)):
        if key in pair_values:
            rows[row] = pair_values[key].halves
    return rows
