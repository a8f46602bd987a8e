"""Candidates (selector, classifier and size): predictions, their table, replication stability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast._typing import BoolArray, FloatArray, IndexArray, IntArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._replication._interval import MIN_MARGIN, LogOdds
from holdfast.measures import Measure

if TYPE_CHECKING:
    from holdfast.judge._replication._estimate import PairValues

    Cells = Mapping[tuple[str, Any], PairValues]


class Pair(NamedTuple):
    """A selector with a classifier, at a number of selected features.

    Attributes
    ----------
    selector, classifier : str
        Their names.
    size : int or str
        The number of features; ``"own"`` where the selector chooses it.

    Examples
    --------
    >>> import holdfast as hf
    >>> print(hf.judge.Pair("relieff", "knn3", 10))
    relieff with knn3 on 10 features
    """

    selector: str
    classifier: str | None
    size: int | str

    def __str__(self) -> str:
        classifier = "" if self.classifier is None else f" with {self.classifier}"
        size = "as many features as it chooses"
        if not isinstance(self.size, str):
            size = plural(self.size, "feature")
        return f"{self.selector}{classifier} on {size}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Tested:
    """Predictions of many pairs as one array: one row per pair, one column per test of a sample.

    Attributes
    ----------
    pairs : tuple of Pair
        The candidates.
    wrong : bool array of shape (pairs, predictions)
        Whether a prediction is wrong.
    known : bool array of shape (pairs, predictions)
        Whether there is a prediction: False where the work failed or is not done yet.
    samples : int array of shape (predictions,)
        The sample that is predicted.
    group : int array of shape (predictions,)
        The test part of each prediction.
    once : bool
        Whether no sample is predicted twice.
    overlap : float
        Test samples per training sample; 0 where each test part belongs to a separate data set.
    units : int array of shape (predictions,), optional
        The independent unit of each prediction, such as the subject that several samples belong
        to; by default the sample. Samples of one unit are not independent, so tests and standard
        errors are based on units.

    Examples
    --------
    >>> import holdfast as hf
    >>> tested = hf.judge.Tested(
    ...     pairs=(hf.judge.Pair("a", "knn3", 5), hf.judge.Pair("b", "knn3", 5)),
    ...     wrong=[[True, False, False], [True, True, False]],
    ...     known=[[True, True, True], [True, True, True]],
    ...     samples=[0, 1, 2], group=[0, 0, 1], once=True, overlap=0.5,
    ... )
    >>> tested
    <Tested: 2 pairs, 3 predictions each, each sample once. Next: hf.judge.compare_pairs(tested)>
    """

    pairs: tuple[Pair, ...]
    wrong: BoolArray
    known: BoolArray
    samples: IntArray
    group: IntArray
    once: bool
    overlap: float
    units: IntArray | None = None

    def __post_init__(self) -> None:
        shape = len(self.pairs), len(self.samples)
        for name, kind in (("wrong", np.bool_), ("known", np.bool_)):
            self._set(name, np.asarray(getattr(self, name), dtype=kind), shape)
        for name in ("samples", "group", "units"):
            values = self.samples if getattr(self, name) is None else getattr(self, name)
            self._set(name, np.asarray(values, dtype=np.int64), shape[1:])

    def _set(self, name: str, values: NDArray[np.generic], shape: tuple[int, ...]) -> None:
        if values.shape != shape:
            raise InvalidInputError(
                f"{name} must have the shape {shape}, one row per pair and one column per "
                f"prediction, got {values.shape}."
            )
        object.__setattr__(self, name, values)

    def at(self, columns: BoolArray) -> Tested:
        """Return some of the predictions.

        Parameters
        ----------
        columns : bool array of shape (predictions,)
            Which of them.

        Returns
        -------
        Tested
        """
        units = None if self.units is None else self.units[columns]
        return Tested(
            pairs=self.pairs,
            wrong=self.wrong[:, columns],
            known=self.known[:, columns],
            samples=self.samples[columns],
            group=self.group[columns],
            once=self.once,
            overlap=self.overlap,
            units=units,
        )

    @property
    def drawn(self) -> str:
        """What `units` are.

        ``"data sets"`` where each test part belongs to a separate one, ``"subjects"`` where
        several samples belong to one unit, else ``"samples"``.
        """
        if self.overlap == 0:
            return "data sets"
        several = len(np.unique(np.asarray(self.units))) < len(np.unique(self.samples))
        return "subjects" if several else "samples"

    def __repr__(self) -> str:
        times = "each sample once" if self.once else "samples repeatedly"
        return (
            f"<Tested: {plural(len(self.pairs), 'pair')}, "
            f"{plural(len(self.samples), 'prediction')} each, {times}. "
            "Next: hf.judge.compare_pairs(tested)>"
        )


MIN_SHARED_PREDICTIONS = 0.9
"""Least share of the predictions that a pair needs to be compared; chosen by hand."""
PAIR_COLUMNS = list(Pair._fields)
STABILITY_COLUMNS = ["stability", "low", "high", "chance"]
CANDIDATE_COLUMNS = [
    *PAIR_COLUMNS,
    *("error", "standard_error", "stability", "low", "high", "chance"),
    *("replication", "replication_low", "replication_high", "score"),
    *("p_value", "rpt", "front", "rival", "recommended"),
]


def candidate_table(
    errors: pd.DataFrame | None, stability: pd.DataFrame, measure: Measure
) -> pd.DataFrame:
    """Return one row per pair: its error, and the stability of its selector at its size.

    Where no error is known, one row per selector and size, without a classifier.
    """
    estimates = _rows_of_measure(stability, measure.name)
    if errors is None or errors["error"].isna().all():
        rows = estimates[["selector", "size"]].assign(
            classifier=None, error=np.nan, standard_error=np.nan
        )
    else:
        rows = errors
    # measures of whole rankings have one value per selector, which holds at every size
    keys = ["selector", "size"] if measure.by_size else ["selector"]
    known = {
        _key(row, keys): [row[name] for name in STABILITY_COLUMNS]
        for row in estimates.to_dict("records")
    }
    unknown = [np.nan] * len(STABILITY_COLUMNS)
    values = [known.get(_key(row, keys), unknown) for row in rows.to_dict("records")]
    table = (
        rows[[*PAIR_COLUMNS, "error", "standard_error"]]
        .reset_index(drop=True)
        .astype({"size": object})
    )
    return table.join(pd.DataFrame(values, columns=STABILITY_COLUMNS, dtype=np.float64))


def _rows_of_measure(stability: pd.DataFrame, measure: str) -> pd.DataFrame:
    rows = stability[stability["measure"] == measure].rename(columns={"value": "stability"})
    if rows.empty:
        known = list(dict.fromkeys(stability["measure"]))
        if not known:
            raise InvalidInputError(
                "the table of stability is empty, so nothing can be recommended; run a study "
                "with a measure of stability."
            )
        near = did_you_mean(measure, known)
        raise UnknownNameError(f"the table of stability has no measure {measure!r}.{near}")
    return rows


def _key(row: Mapping[Any, Any], names: list[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def pairs_of(table: pd.DataFrame) -> list[Pair]:
    """Return the pairs of a table, row by row."""
    return [Pair(*row) for row in zip(*(table[key] for key in PAIR_COLUMNS), strict=True)]


def numeric_sizes(table: pd.DataFrame, own_sizes: Mapping[str, float] | None) -> FloatArray:
    """Return sizes as numbers; mean sizes for selectors that choose them, NaN where unknown."""
    sizes = pd.to_numeric(table["size"], errors="coerce").astype(np.float64)
    mean_sizes = table["selector"].map(dict(own_sizes or {})).astype(np.float64)
    return np.asarray(sizes.fillna(mean_sizes), dtype=np.float64)


def orient_stability(table: pd.DataFrame, measure: Measure) -> FloatArray:
    """Return the stability so that higher is more stable; distances are reversed."""
    values = table["stability"].to_numpy(dtype=np.float64)
    if not measure.distance:
        return values
    return (measure.maximum if np.isfinite(measure.maximum) else 0.0) - values


def check_fit(table: pd.DataFrame, measure: str) -> None:
    """Raise if no row of the table can be recommended."""
    missing = table["error"].isna()
    if missing.all():
        missing = ~missing
    if (missing | table["stability"].isna()).all():
        names = format_list(dict.fromkeys(table["selector"]))
        raise InvalidInputError(
            f"nothing can be recommended: none of {names} has both a stability by {measure} and, "
            "where errors were estimated, an error. See the notes in result.stability; resume "
            "the study if it is not complete, or name another measure."
        )


class ComparablePairs(NamedTuple):
    """Which pairs have nearly the same predictions, so that their errors can be compared."""

    enough: BoolArray
    """Whether each pair has nearly all predictions that are compared."""
    known: IntArray
    """How many of them each pair has."""
    total: int
    """Number of predictions that are compared."""


def find_comparable_pairs(known: BoolArray, among: BoolArray) -> ComparablePairs:
    """Find the pairs that have at least 90% of the predictions that any pair in `among` has.

    An error on only a few samples, where others failed or are not done, may be lucky. Where no pair
    in `among` has enough predictions, pairs are compared on those of one of the most complete
    pairs: the one that most other pairs can be compared with.
    """
    used = known & known[among].any(axis=0) if among.any() else known
    counted = _count_known(used, np.asarray(used.any(axis=0)))
    if (counted.enough & among).any() or not among.any():
        return counted
    # no pair has enough of all predictions: compare on those of the most complete pair instead
    counts = np.where(among, used.sum(axis=1), -1)
    most_complete = (
        _count_known(used, used[row]) for row in np.flatnonzero(counts == counts.max())
    )
    return max(most_complete, key=lambda pairs: int((pairs.enough & among).sum()))


def _count_known(known: BoolArray, compared: BoolArray) -> ComparablePairs:
    shared, total = np.count_nonzero(known[:, compared], axis=1), int(compared.sum())
    return ComparablePairs(shared >= MIN_SHARED_PREDICTIONS * total, shared, total)


# Replication stability of all candidates: the score that orders them, and the values shown.
#
# Method
# ------
# Selections from disjoint halves are independent, so their agreement is unbiased for studies of
# half the size, but each rests on half of the data. Selections from overlapping resamples use
# nearly all data, but agree too well. Candidates are ordered by the mean of both log odds between
# chance and perfect agreement (`LogOdds`). On data sets with known truth this mean predicts the
# order better than either of them (calibrated by ``benchmarks/decision.py``). The values shown come
# from the disjoint parts alone.
#
# The highest of several noisy values is too high. `Replicability.correct_for_choice` estimates this
# optimism by choosing on one random half of the splits and reading the value on the other half.
# Both halves come from the same samples, so this removes the luck of the splits only; the interval
# covers that of the data.

ESTIMATE_COLUMNS = ("value", "low", "high", "chance", "standard_error", "n_samples")
PREDICTION_COLUMNS = {"value": "predicted", "low": "predicted_low", "high": "predicted_high"}
N_DIVISIONS = 200
"""Random divisions of the splits that the optimism is averaged over; chosen by hand."""


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
        """Look up the candidates of a table; None where none that could be chosen is known.

        Where errors were estimated, only candidates with an error can be chosen.
        """
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
        by_row = pd.DataFrame(
            [[known.get(key, {}).get(name, np.nan) for name in columns] for key in cells],
            columns=columns,
        ).apply(pd.to_numeric, errors="coerce")
        known_rows = by_row["value"].notna()
        has_error = table["error"].notna().to_numpy()
        if not (known_rows & (has_error | ~has_error.any())).any():
            return None
        # predictions and estimates hold for studies of different sizes: never compare the two
        is_predicted = "predicted" in by_row and bool(
            by_row.loc[known_rows, "predicted"].notna().all()
        )
        names = PREDICTION_COLUMNS if is_predicted else {name: name for name in PREDICTION_COLUMNS}
        size_column = "at" if is_predicted and "at" in by_row else "n_samples"
        return cls(
            halves=_as_floats(by_row["value"]),
            chance=_as_floats(by_row["chance"]),
            standard_error=_as_floats(by_row["standard_error"]),
            **{name: _as_floats(by_row[column]) for name, column in names.items()},
            samples=int(by_row.loc[known_rows, size_column].iloc[0]),
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
        if count < 4:  # each half needs two splits
            return 0.0
        rng = np.random.default_rng(0)  # fixed: the same study gives the same recommendation
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
                # in log odds, the scale on which the optimism is subtracted
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
            averages[row] = scale.from_logit(mean)
            if self.measure.distance:  # higher is better
                largest = self.measure.maximum if math.isfinite(self.measure.maximum) else 0.0
                averages[row] = largest - averages[row]
        return averages

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
