"""What a second study would find, of one selector at one size: numbers and how to say them."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.judge._replication._planning import features_again
from holdfast.measures import get_measure
from holdfast.report._cells import within
from holdfast.report._words import known, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from holdfast.judge import Recommendation

WHY_DIFFERENT = (
    "resamples of one data set share samples and have another size than a new study, so it is "
    "about this data set, not about a second study"
)
LONGEST = 160
"""Most characters of a note: it may hold the message of anybody's selector."""


class Estimate(NamedTuple):
    """Replication stability of two studies of `n` samples (subjects) each, and its interval."""

    n: int
    value: float
    low: float
    high: float

    def told(self, measure: str, *more: str) -> str:
        """Return value and interval, ``0.71 (95% interval 0.60 to 0.80; more)``."""
        low, high = (number(within(end, measure)) for end in (self.low, self.high))
        ends = f"95% interval {low} to {high}" if known(self.low) and known(self.high) else ""
        inner = "; ".join(part for part in (ends, *more) if part)
        return f"{number(self.value)} ({inner})" if inner else number(self.value)


@dataclass(frozen=True, kw_only=True)
class Second:
    """What is known of a second study.

    Attributes
    ----------
    measure : str
        The measure of agreement.
    halves : Estimate or None
        Estimated from disjoint halves of the data; None where data sets were drawn independently.
    full : Estimate or None
        For two studies as large as this one: predicted, or, without halves, measured.
    n_pairs : int
        How many pairs of samples were compared.
    chance : float
        What random selections have in common by the measure, as many as were compared at a time:
        two, unless data sets were drawn independently. NaN where it is not known.
    """

    measure: str
    halves: Estimate | None
    full: Estimate | None
    n_pairs: int = 0
    chance: float = math.nan

    @property
    def best(self) -> Estimate:
        """What is known of studies as large as this one, else of studies half as large."""
        found = self.full or self.halves
        assert found is not None
        return found


def second_study(
    table: pd.DataFrame, selector: str, size: int | str, measure: str
) -> Second | None:
    """Find a selector at a size in the table of replication stability; None where it has none."""
    rows = _rows(table, selector, size, measure)
    if not len(rows) or not known(rows["value"].iloc[0]):
        return None
    row = rows.iloc[0]
    full = Estimate(0, row["predicted"], row["predicted_low"], row["predicted_high"])
    return Second(
        measure=measure,
        halves=Estimate(int(row["n_samples"]), row["value"], row["low"], row["high"]),
        full=full._replace(n=int(row["at"])) if known(full.value) else None,
        n_pairs=int(row["n_pairs"]),
        chance=float(row["chance"]),
    )


def notes_of(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return what a reader must know of the estimates: each note once, shortened, and of whom."""
    found: dict[str, list[str]] = {}
    for selector, note in zip(table["selector"], table["note"].fillna(""), strict=True):
        if note:
            found.setdefault(_brief(note), []).append(str(selector))
    return {note: list(dict.fromkeys(names)) for note, names in found.items()}


def _brief(note: str) -> str:
    return textwrap.shorten(note.strip().removesuffix("."), LONGEST, placeholder=" ...")


def random_pairs(chances: Iterable[float]) -> str:
    """Say what two random selections have in common, ``0.31 to 0.35``; nothing where it is 0."""
    values = [chance for chance in chances if known(chance)]
    if not any(values):
        return ""
    low, high = (f"{round(end, 2) + 0.0:.2f}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _rows(table: pd.DataFrame, selector: str, size: int | str, measure: str) -> pd.DataFrame:
    same = (table["selector"] == selector) & (table["measure"] == measure)
    if get_measure(measure).by_size:  # others are measured once, on all features
        same &= table["size"] == size
    return table[same]


def measured_anew(choice: Recommendation, n_samples: int, data_sets: int) -> Second | None:
    """Return what independent data sets say: their stability is that of a second study."""
    if not known(choice.stability):
        return None
    found = Estimate(n_samples, choice.stability, choice.low, choice.high)
    return Second(
        measure=choice.measure,
        halves=None,
        full=found,
        n_pairs=data_sets,
        chance=choice.chance,
    )


class Shared(NamedTuple):
    """How many of `size` features a second study finds again, and between which numbers."""

    features: int
    low: int
    high: int
    size: int


def shared_features(
    found: Estimate, measure: str, size: int | str, n_features: int
) -> Shared | None:
    """Return how many features of a list to expect again.

    None where the measure does not say, or the selector chooses the size; nor can one feature be
    found in part.
    """
    if size in ("own", 1):
        return None
    asked: dict[str, Any] = {"measure": measure, "size": int(size), "n_features": n_features}
    ends = (found.value, *(end if known(end) else found.value for end in (found.low, found.high)))
    counts = [features_again(value, **asked) for value in ends]
    if not all(map(known, counts)):
        return None
    value, low, high = map(round, counts)
    return Shared(value, low, high, int(size))
