"""What a measure answers about one system of preferences, or about groups of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast.errors import HoldfastError
from holdfast.judge._significance import CONFIDENCE, interval_of_mean
from holdfast.measures._interval import interval_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from holdfast.measures import Measure
    from holdfast.measures._registry import Estimate
    from holdfast.measures._subset_tables import SubsetTables


FEW_PREFERENCES_NOTE = "fewer than 2 preferences are there"


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """What a measure says about one system of preferences.

    The note is about this system; what is standing holds for the measure on any such system.
    """

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    interval: str = ""
    chance: float = np.nan
    note: str = ""
    standing: tuple[str, ...] = ()

    def noting(self, *remarks: str) -> MeasuredValue:
        """Return the same answer with more said about it, nothing twice."""
        notes = dict.fromkeys(filter(None, (self.note, *remarks)))
        return dataclasses.replace(self, note="; ".join(notes))

    def row(self, *remarks: str) -> dict[str, Any]:
        """Return the fields of a row of a table, all that is to be said in its note."""
        fields = dataclasses.asdict(self.noting(*self.standing, *remarks))
        del fields["standing"]
        return fields


def answer_of(record: Measure, estimate: Estimate) -> MeasuredValue:
    """Return an estimate with its interval and its chance level."""
    interval = interval_of(estimate, CONFIDENCE, (record.minimum, record.maximum))
    chance = estimate.chance()
    lower = "a distance: lower is more stable" if record.distance else ""
    return MeasuredValue(
        value=estimate.value,
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        chance=chance.value,
        standing=tuple(filter(None, (chance.note, lower))),
    ).noting(estimate.undefined, interval.note)


def measure_subsets(record: Measure, tables: SubsetTables) -> MeasuredValue:
    """Ask a measure that needs no data about subsets, or let it say why it has no value."""
    try:
        return answer_of(record, record.estimate(tables, None, {}))
    except HoldfastError as error:
        return MeasuredValue(note=str(error))


def average_over_groups(record: Measure, answers: Sequence[MeasuredValue]) -> MeasuredValue:
    """Join the answers of groups of resamples: their mean, and an interval from their spread."""
    values = np.array([answer.value for answer in answers])
    low, high = interval_of_mean(values, (record.minimum, record.maximum))
    undefined = [answer.note for answer in answers if np.isnan(answer.value)]
    return MeasuredValue(
        value=float(values.mean()),
        low=float(low),
        high=float(high),
        interval="t" if len(values) > 1 else "",
        chance=float(np.mean([answer.chance for answer in answers])),
        standing=tuple(dict.fromkeys(said for answer in answers for said in answer.standing)),
    ).noting(*undefined[:1], _spread(values, low))


def _spread(values: NDArray[np.float64], low: float) -> str:
    k = len(values)
    if k < 2:
        return "one group of resamples: no interval"
    mean = f"mean over {k} groups of resamples"
    if np.isnan(low) and not np.isnan(values).any():
        return f"{mean}, no interval: they do not differ"
    return f"{mean}, interval from their spread (t, {k - 1} df)"


# What is said where a selector found fewer features, or groups of them, than it was asked for.


class SizeShortfall(NamedTuple):
    """How many were found on a resample where more were asked for."""

    asked: int
    fewest: int
    most: int

    @property
    def number(self) -> str:
        """How many there were, as a number or a range."""
        return f"{self.most:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"

    @property
    def remark(self) -> str:
        """What a table remarks."""
        if self.most == 0:
            return "none was found"
        return f"only {self.number} {_verb(self.fewest, self.most)} found"

    @property
    def features(self) -> str:
        """The number of features in a sentence, beside what was asked for."""
        noun = "feature" if self.fewest == self.most == 1 else "features"
        asked = f"{self.asked:,} {_verb(self.asked, self.asked)} asked for"
        return f"{self.number} {noun} ({asked})"


def find_shortfall(asked: int, sizes: Iterable[int]) -> SizeShortfall | None:
    """Return how many were found on the resamples; None where all found as many as asked for.

    >>> [find_shortfall(*found).remark for found in ((8, [3, 3]), (2, [1]), (8, [2, 8]))]
    ['only 3 were found', 'only 1 was found', 'only 2 to 8 were found']
    >>> find_shortfall(2, [2])
    >>> find_shortfall(8, [3, 3]).features
    '3 features (8 were asked for)'
    """
    found = [int(size) for size in sizes]
    if not found or min(found) >= asked:
        return None
    return SizeShortfall(asked, min(found), max(found))


def _verb(fewest: int, most: int) -> str:
    return "was" if fewest == most == 1 else "were"
