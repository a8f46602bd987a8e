"""Values of a measure with interval and chance level, for one or several groups of resamples."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from holdfast._typing import FloatArray
from holdfast.errors import HoldfastError
from holdfast.judge._significance import CONFIDENCE, interval_of_mean
from holdfast.measures import Estimate, Measure, SubsetTables, estimate_interval

FEW_PREFERENCES_NOTE = "there are fewer than 2 preferences"


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """Value of a measure for a set of preferences, with interval and chance level.

    `note` is about these preferences; `standing` notes hold for the measure on any preferences.
    """

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    interval: str = ""
    chance: float = np.nan
    note: str = ""
    standing: tuple[str, ...] = ()

    def with_notes(self, *remarks: str) -> MeasuredValue:
        """Return the same value with more notes, each once."""
        notes = dict.fromkeys(filter(None, (self.note, *remarks)))
        return dataclasses.replace(self, note="; ".join(notes))

    def row(self, *remarks: str) -> dict[str, Any]:
        """Return the fields of a table row, with all notes in its note."""
        fields = dataclasses.asdict(self.with_notes(*self.standing, *remarks))
        del fields["standing"]
        return fields


def make_measured_value(record: Measure, estimate: Estimate) -> MeasuredValue:
    """Return an estimate with its interval and its chance level."""
    interval = estimate_interval(estimate, CONFIDENCE, (record.minimum, record.maximum))
    chance = estimate.chance()
    lower = "a distance: lower is more stable" if record.distance else ""
    return MeasuredValue(
        value=estimate.value,
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        chance=chance.value,
        standing=tuple(filter(None, (chance.note, lower))),
    ).with_notes(estimate.undefined, interval.note)


def measure_subsets(record: Measure, tables: SubsetTables) -> MeasuredValue:
    """Measure subsets by a measure that needs no data; an error becomes the note."""
    try:
        return make_measured_value(record, record.estimate(tables, None, {}))
    # one measure without a value must not hide the others of a table
    except HoldfastError as error:
        return MeasuredValue(note=str(error))


def average_over_groups(record: Measure, groups: Sequence[MeasuredValue]) -> MeasuredValue:
    """Return the mean over groups of resamples, with an interval from their spread."""
    values = np.array([group.value for group in groups])
    low, high = interval_of_mean(values, (record.minimum, record.maximum))
    undefined = [group.note for group in groups if np.isnan(group.value)]
    return MeasuredValue(
        value=float(values.mean()),
        low=float(low),
        high=float(high),
        interval="t" if len(values) > 1 else "",
        chance=float(np.mean([group.chance for group in groups])),
        standing=tuple(dict.fromkeys(note for group in groups for note in group.standing)),
    ).with_notes(*undefined[:1], _describe_interval(values, low))


def _describe_interval(values: FloatArray, low: float) -> str:
    k = len(values)
    if k < 2:
        return "one group of resamples: no interval"
    mean = f"mean over {k} groups of resamples"
    if np.isnan(low) and not np.isnan(values).any():
        return f"{mean}, no interval: they do not differ"
    return f"{mean}, interval from their spread (t, {k - 1} df)"


class SizeShortfall(NamedTuple):
    """Numbers of selected features, or groups, where more were requested."""

    requested: int
    fewest: int
    most: int

    @property
    def number(self) -> str:
        """The number or range of numbers found."""
        return f"{self.most:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"

    @property
    def remark(self) -> str:
        """The note in a table."""
        return f"{self.number if self.most else 'none'} of {self.requested:,} found"

    @property
    def clause(self) -> str:
        """The end of a sentence that names the number requested."""
        if self.most == 0:
            return "none was found"
        return f"only {self.number} {_verb(self.fewest, self.most)} found"

    @property
    def features(self) -> str:
        """The number of features, with the number requested."""
        noun = "feature" if self.fewest == self.most == 1 else "features"
        requested = f"{self.requested:,} {_verb(self.requested, self.requested)} asked for"
        return f"{self.number} {noun} ({requested})"


def find_shortfall(requested: int, sizes: Iterable[int]) -> SizeShortfall | None:
    """Return the numbers found on the resamples; None where all found as many as requested.

    >>> [find_shortfall(*found).remark for found in ((8, [3, 3]), (2, [1]), (8, [2, 8]))]
    ['3 of 8 found', '1 of 2 found', '2 to 8 of 8 found']
    >>> find_shortfall(2, [2])
    >>> find_shortfall(8, [3, 3]).features
    '3 features (8 were asked for)'
    """
    counts = [int(size) for size in sizes]
    if not counts or min(counts) >= requested:
        return None
    return SizeShortfall(requested, min(counts), max(counts))


def _verb(fewest: int, most: int) -> str:
    return "was" if fewest == most == 1 else "were"
