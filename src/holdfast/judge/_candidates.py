"""What is compared: a selector with a classifier at a size, and the predictions of many such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.measures import Measure

    Array = NDArray[np.float64]


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
        return f"{self.selector}{classifier} on {_features(self.size)}"


def _features(size: int | str) -> str:
    return "as many features as it chooses" if isinstance(size, str) else plural(size, "feature")


@dataclass(frozen=True, eq=False, kw_only=True)
class Tested:
    """The predictions of many pairs, side by side: one column is one test of one sample.

    Attributes
    ----------
    pairs : tuple of Pair
        What predicts.
    wrong : bool array of shape (pairs, predictions)
        Whether a prediction is wrong.
    known : bool array of shape (pairs, predictions)
        Whether there is a prediction: not where work failed or is still to do.
    samples : int array of shape (predictions,)
        The sample that is predicted.
    group : int array of shape (predictions,)
        The test part that it is in.
    once : bool
        Whether no sample is predicted twice.
    overlap : float
        How many samples are tested for each that trains; 0 where each test part comes with a
        data set of its own.
    units : int array of shape (predictions,), optional
        What is drawn as a whole when samples are drawn anew, such as the subject that several
        samples belong to; by default the sample. Samples of one unit are not independent: where
        each sample is tested once, tests and standard errors are then those of units.

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
    wrong: NDArray[np.bool_]
    known: NDArray[np.bool_]
    samples: NDArray[np.int64]
    group: NDArray[np.int64]
    once: bool
    overlap: float
    units: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        shape = len(self.pairs), len(self.samples)
        for name, kind in (("wrong", np.bool_), ("known", np.bool_)):
            self._set(name, np.asarray(getattr(self, name), dtype=kind), shape)
        for name in ("samples", "group", "units"):
            given = self.samples if getattr(self, name) is None else getattr(self, name)
            self._set(name, np.asarray(given, dtype=np.int64), shape[1:])

    def _set(self, name: str, values: NDArray[np.generic], shape: tuple[int, ...]) -> None:
        if values.shape != shape:
            raise InvalidInputError(
                f"{name} must have the shape {shape}, one row a pair and one column a "
                f"prediction; received {values.shape}."
            )
        object.__setattr__(self, name, values)

    def at(self, columns: NDArray[np.bool_]) -> Tested:
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
        """What is drawn as a whole when samples are drawn anew: what `units` are.

        ``"data sets"`` where each test part comes with one of its own, ``"subjects"`` where
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


# The table that a recommendation is made from: errors and stability side by side.

NEARLY_ALL = 0.9
"""Share of the predictions of any pair on which a pair must be known to be compared."""
PAIR_COLUMNS = list(Pair._fields)
STABILITY_COLUMNS = ["stability", "low", "high", "chance"]
CANDIDATE_COLUMNS = [
    *PAIR_COLUMNS,
    *("error", "standard_error", "stability", "low", "high", "chance"),
    *("replication", "replication_low", "replication_high", "score"),
    *("p_value", "rpt", "front", "rival", "recommended"),
]


def candidates(
    errors: pd.DataFrame | None, stability: pd.DataFrame, measure: Measure
) -> pd.DataFrame:
    """Return a row for each pair: its error, and the stability of its selector at its size.

    Where no error is known, a row for each selector and size, without a classifier.
    """
    found = _of_measure(stability, measure.name)
    if errors is None or errors["error"].isna().all():
        rows = found[["selector", "size"]].assign(
            classifier=None, error=np.nan, standard_error=np.nan
        )
    else:
        rows = errors
    keys = ["selector", "size"] if measure.by_size else ["selector"]
    known = {
        _key(row, keys): [row[name] for name in STABILITY_COLUMNS]
        for row in found.to_dict("records")
    }
    nothing = [np.nan] * len(STABILITY_COLUMNS)
    values = [known.get(_key(row, keys), nothing) for row in rows.to_dict("records")]
    table = (
        rows[[*PAIR_COLUMNS, "error", "standard_error"]]
        .reset_index(drop=True)
        .astype({"size": object})
    )
    return table.join(pd.DataFrame(values, columns=STABILITY_COLUMNS, dtype=np.float64))


def _of_measure(stability: pd.DataFrame, measure: str) -> pd.DataFrame:
    chosen = stability[stability["measure"] == measure].rename(columns={"value": "stability"})
    if chosen.empty:
        known = list(dict.fromkeys(stability["measure"]))
        if not known:
            raise InvalidInputError(
                "the table of stability is empty, so nothing can be recommended; run a study "
                "with a measure of stability."
            )
        near = did_you_mean(measure, known)
        raise UnknownNameError(f"the table of stability has no measure {measure!r}.{near}")
    return chosen


def _key(row: Mapping[Any, Any], names: list[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def pairs_of(table: pd.DataFrame) -> list[Pair]:
    """Return the pairs of a table, row by row."""
    return [Pair(*row) for row in zip(*(table[key] for key in PAIR_COLUMNS), strict=True)]


def sizes_of(table: pd.DataFrame, own_sizes: Mapping[str, float] | None) -> Array:
    """Return sizes as numbers; those that selectors choose as their mean, NaN where unknown."""
    sizes = pd.to_numeric(table["size"], errors="coerce").astype(np.float64)
    own = table["selector"].map(dict(own_sizes or {})).astype(np.float64)
    return np.asarray(sizes.fillna(own), dtype=np.float64)


def orient_stability(table: pd.DataFrame, measure: Measure) -> Array:
    """Return a stability that is higher where more stable; distances are turned around."""
    values = table["stability"].to_numpy(dtype=np.float64)
    if not measure.distance:
        return values
    return (measure.maximum if np.isfinite(measure.maximum) else 0.0) - values


def check_fit(table: pd.DataFrame, measure: str) -> None:
    """Refuse a table in which no row can be recommended."""
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
    """Which pairs are known on the same predictions, so that their errors can be compared."""

    enough: NDArray[np.bool_]
    """Of each pair: whether it is known on nearly all predictions that are compared."""
    known: NDArray[np.int64]
    """On how many of them each pair is known."""
    total: int
    """How many predictions are compared."""


def find_comparable_pairs(known: NDArray[np.bool_], among: NDArray[np.bool_]) -> ComparablePairs:
    """Find the pairs, among some, that are known on at least 90% of the predictions of any.

    An error on a few samples only, where others failed or are still to do, may be lucky. Where no
    pair has so many, those are taken that know what one of the best known pairs knows.
    """
    used = known & known[among].any(axis=0) if among.any() else known
    counted = _count_known(used, np.asarray(used.any(axis=0)))
    if (counted.enough & among).any() or not among.any():
        return counted
    counts = np.where(among, used.sum(axis=1), -1)
    best_known = (_count_known(used, used[row]) for row in np.flatnonzero(counts == counts.max()))
    return max(best_known, key=lambda one: int((one.enough & among).sum()))


def _count_known(known: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> ComparablePairs:
    shared, total = np.count_nonzero(known[:, wanted], axis=1), int(wanted.sum())
    return ComparablePairs(shared >= NEARLY_ALL * total, shared, total)
