"""Replication stability of all candidates: the score that orders them, and the values shown.

Method
------
Selections from disjoint halves are independent, so their agreement is unbiased for studies of half
the size, but each rests on half of the data. Selections from overlapping resamples use nearly all
data, but agree too well. Candidates are ordered by the mean of both log odds between chance and
perfect agreement (`LogOdds`). On data sets with known truth this mean predicts the order better
than either of them (calibrated by ``benchmarks/decision.py``). The values shown come from the
disjoint parts alone.

The highest of several noisy values is too high. `Replicability.correct_for_choice` estimates this
optimism by choosing on one random half of the splits and reading the value on the other half. Both
halves come from the same samples, so this removes the luck of the splits only; the interval covers
that of the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from holdfast._typing import BoolArray, FloatArray, IndexArray
from holdfast.judge._replication._interval import MIN_MARGIN, LogOdds
from holdfast.measures import Measure

if TYPE_CHECKING:
    from holdfast.judge._replication._estimate import PairValues

    Cells = Mapping[tuple[str, Any], PairValues]

ESTIMATE_COLUMNS = ("value", "low", "high", "chance", "standard_error", "n_samples")
PREDICTION_COLUMNS = {"value": "predicted", "low": "predicted_low", "high": "predicted_high"}
N_DIVISIONS = 200
"""Random divisions of the splits that the optimism of the choice is averaged over."""


class Chooser(Protocol):
    """Chooses a row by scores; None where no row has one."""

    def __call__(self, scores: FloatArray, /) -> int | None: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Replicability:
    """Replication stability of all candidates, row by row; NaN where there is none.

    Attributes
    ----------
    halves, chance, standard_error : ndarray of shape (rows,)
        The agreement of disjoint halves, its chance level, and its standard error between data
        sets.
    value, low, high : ndarray of shape (rows,)
        The agreement predicted for studies of `samples`; that of halves where some candidates have
        no prediction.
    samples : int
        Size of the studies that `value` holds for.
    resamples, resamples_chance : ndarray of shape (rows,)
        The stability over overlapping resamples, and its chance level.
    splits : ndarray of shape (rows, K)
        The agreement in each split into halves; K is 0 where they are not known.
    cells : ndarray of int, shape (rows,)
        The combination of selector and size, which share the estimate, of each row.
    measure : Measure
        The measure.
    """

    halves: FloatArray
    chance: FloatArray
    standard_error: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    samples: int
    resamples: FloatArray
    resamples_chance: FloatArray
    splits: FloatArray
    cells: IndexArray
    measure: Measure

    @classmethod
    def from_tables(
        cls,
        table: pd.DataFrame,
        replication: pd.DataFrame | None,
        measure: Measure,
        pair_values: Cells | None = None,
    ) -> Replicability | None:
        """Look up the candidates of a table; None where none of them has an estimate."""
        if replication is None:
            return None
        keys = ["selector", "size"] if measure.by_size else ["selector"]
        columns = [
            *ESTIMATE_COLUMNS,
            *(name for name in (*PREDICTION_COLUMNS.values(), "at") if name in replication),
        ]
        estimates = replication[replication["measure"] == measure.name]
        known = {tuple(row[key] for key in keys): row for row in estimates.to_dict("records")}
        cells = list(zip(*(table[key] for key in keys), strict=True))
        found = pd.DataFrame(
            [[known.get(key, {}).get(name, np.nan) for name in columns] for key in cells],
            columns=columns,
        ).apply(pd.to_numeric, errors="coerce")
        known_rows = found["value"].notna()
        if not known_rows.any():
            return None
        # predictions and estimates hold for studies of different sizes: never compare the two
        is_predicted = "predicted" in found and bool(
            found.loc[known_rows, "predicted"].notna().all()
        )
        names = PREDICTION_COLUMNS if is_predicted else {name: name for name in PREDICTION_COLUMNS}
        size = found.loc[known_rows, "at" if is_predicted and "at" in found else "n_samples"].iloc[
            0
        ]
        return cls(
            halves=_as_floats(found["value"]),
            chance=_as_floats(found["chance"]),
            standard_error=_as_floats(found["standard_error"]),
            **{name: _as_floats(found[column]) for name, column in names.items()},
            samples=int(size),
            resamples=_as_floats(table["stability"]),
            resamples_chance=_as_floats(table["chance"]),
            splits=_split_values(table, pair_values),
            cells=pd.factorize(pd.Series(cells, dtype=object))[0],
            measure=measure,
        )

    @property
    def sign(self) -> int:
        """-1 for distances, where lower is better."""
        return -1 if self.measure.distance else 1

    @cached_property
    def scores(self) -> FloatArray:
        """The score that orders the candidates, in units of the measure; higher is better."""
        return self._average_with_resamples(self.value)

    @cached_property
    def z(self) -> FloatArray:
        """Agreement of halves beyond chance, in standard errors; NaN where not known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.sign * (self.halves - self.chance) / self.standard_error)

    def n_cells(self, among: BoolArray) -> int:
        """Count the combinations of selector and size with an estimate."""
        return len(np.unique(self.cells[among & np.isfinite(self.value)]))

    def correct_for_choice(self, row: int, choose: Chooser) -> tuple[float, float, float]:
        """Return the value of a chosen row and its interval, corrected for optimism.

        The optimism is estimated on half of the splits, so it is somewhat larger than that of a
        choice by all of them.
        """
        ends = float(self.value[row]), float(self.low[row]), float(self.high[row])
        optimism = self._optimism(choose)
        scale = self._scale(float(self.chance[row]))
        if scale is None or optimism <= 0:
            return ends
        value, low, high = (
            end if math.isnan(end) else scale.from_logit(scale.to_logit(end) - optimism)
            for end in ends
        )
        return value, low, high

    def _optimism(self, choose: Chooser) -> float:
        """Return how much better a choice looks on the splits it was made on, in log odds."""
        count = self.splits.shape[1]
        if count < 4:
            return 0.0
        rng = np.random.default_rng(0)
        gaps = []
        for _ in range(N_DIVISIONS):
            order = rng.permutation(count)
            chosen, other = (
                _means_of_known(self.splits[:, half])
                for half in (order[: count // 2], order[count // 2 :])
            )
            row = choose(self._average_with_resamples(chosen))
            if row is None:  # in an incomplete study some splits have no selections
                continue
            scale = self._scale(float(self.chance[row]))
            if scale is not None and np.isfinite(chosen[row] + other[row]):
                gaps.append(scale.to_logit(float(chosen[row])) - scale.to_logit(float(other[row])))
        return float(np.mean(gaps)) if gaps else 0.0

    def _average_with_resamples(self, values: FloatArray) -> FloatArray:
        """Return the mean log odds of values and of the stability over resamples, as values."""
        averages = np.full(len(values), np.nan)
        for row, (value, over_resamples) in enumerate(zip(values, self.resamples, strict=True)):
            scale = self._scale(float(self.chance[row]))
            if not math.isfinite(value + over_resamples):
                continue
            if scale is None:  # a measure without bounds has no log odds
                averages[row] = self.sign * value
                continue
            resample_scale = self._scale(float(self.resamples_chance[row])) or scale
            mean = (
                scale.to_logit(float(value)) + resample_scale.to_logit(float(over_resamples))
            ) / 2
            averages[row] = self._oriented(scale.from_logit(mean))
        return averages

    def _oriented(self, value: float) -> float:
        """Return a value that is higher where selections agree better."""
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


def _as_floats(column: pd.Series[Any]) -> FloatArray:
    return column.to_numpy(dtype=np.float64)


def _means_of_known(splits: FloatArray) -> FloatArray:
    """Return the mean of the finite values of each row; NaN where there is none."""
    known = np.isfinite(splits)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, splits, 0.0).sum(axis=1) / known.sum(axis=1))


def _split_values(table: pd.DataFrame, pair_values: Cells | None) -> FloatArray:
    """Return the agreement in each split, row by row; no columns where it is not known."""
    if not pair_values:
        return np.empty((len(table), 0))
    count = max(len(values.halves) for values in pair_values.values())
    rows = np.full((len(table), count), np.nan)
    for row, key in enumerate(zip(table["selector"], table["size"], strict=True)):
        if key in pair_values:
            rows[row] = pair_values[key].halves
    return rows
