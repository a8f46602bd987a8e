"""Candidates (a selector with a classifier at a size), their predictions and their table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast._typing import BoolArray, FloatArray, IntArray
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from holdfast.measures import Measure


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
        return f"{self.selector}{classifier} on {_format_size(self.size)}"


def _format_size(size: int | str) -> str:
    return "as many features as it chooses" if isinstance(size, str) else plural(size, "feature")


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
    counts = np.where(among, used.sum(axis=1), -1)
    most_complete = (
        _count_known(used, used[row]) for row in np.flatnonzero(counts == counts.max())
    )
    return max(most_complete, key=lambda pairs: int((pairs.enough & among).sum()))


def _count_known(known: BoolArray, compared: BoolArray) -> ComparablePairs:
    shared, total = np.count_nonzero(known[:, compared], axis=1), int(compared.sum())
    return ComparablePairs(shared >= MIN_SHARED_PREDICTIONS * total, shared, total)
