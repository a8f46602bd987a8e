"""Measures of one system of preferences, each with an answer: a number, or why there is none."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.stats

from holdfast.errors import HoldfastError, UndefinedMeasureWarning
from holdfast.measures._estimate import interval_of
from holdfast.measures._measure import estimate_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.measures import Measure
    from holdfast.measures._estimate import Estimate
    from holdfast.preferences import Preferences

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Answer:
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

    def noting(self, *remarks: str) -> Answer:
        """Return the same answer with more said about it, nothing twice."""
        notes = dict.fromkeys(filter(None, (self.note, *remarks)))
        return dataclasses.replace(self, note="; ".join(notes))

    def row(self, *remarks: str) -> dict[str, Any]:
        """Return the fields of a row of a table, all that is to be said in its note."""
        fields = dataclasses.asdict(self.noting(*self.standing, *remarks))
        del fields["standing"]
        return fields


class Data:
    """The data, asked for at most once, and only by what needs them."""

    def __init__(self, source: Callable[[], Dataset | None] | None) -> None:
        self._source = source

    @cached_property
    def dataset(self) -> Dataset | None:
        """The data, None where they are not at hand."""
        return None if self._source is None else self._source()

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The matrix, None where it is not at hand."""
        return None if self.dataset is None else self.dataset.X


def none(records: Sequence[Measure], why: str) -> dict[str, Answer]:
    """Answer that there is no value."""
    return {record.name: Answer(note=why) for record in records}


def measured(
    records: Sequence[Measure],
    system: Callable[[], Preferences],
    data: Data,
    reference: Callable[[], Preferences] | None = None,
) -> dict[str, Answer]:
    """Measure a system of preferences, against each other or against a reference."""
    hungry = [record for record in records if record.needs & {"similarity", "data"}]
    plain = [record for record in records if record not in hungry]
    try:
        held = system()
        other = None if reference is None else reference()
    except HoldfastError as error:
        return none(records, str(error))
    answers = _asked(plain, held, other, {})
    if not hungry:
        return answers
    if data.matrix is None:
        return answers | none(hungry, "needs the data, which are not at hand")
    return answers | _asked(hungry, held, other, {"data": data.matrix})


def _asked(
    records: Sequence[Measure],
    preferences: Preferences,
    reference: Preferences | None,
    options: dict[str, Any],
) -> dict[str, Answer]:
    """Ask all measures at once, for they share work; one by one if one of them objects."""
    if not records:
        return {}
    try:
        with warnings.catch_warnings():  # the notes say it
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            estimates = estimate_all(list(records), preferences, "warn", reference, options)
    except HoldfastError as error:
        if len(records) == 1:
            return none(records, str(error))
        alone = [_asked([record], preferences, reference, options) for record in records]
        return {name: answer for answers in alone for name, answer in answers.items()}
    return {r.name: _answer(r, one) for r, one in zip(records, estimates, strict=True)}


def _answer(record: Measure, estimate: Estimate) -> Answer:
    interval, chance = interval_of(estimate, CONFIDENCE), estimate.chance()
    lower = "a distance: lower is more stable" if record.distance else ""
    return Answer(
        value=estimate.value,
        low=interval.low,
        high=interval.high,
        interval=interval.method,
        chance=chance.value,
        standing=tuple(filter(None, (chance.note, lower))),
    ).noting(estimate.undefined, interval.note)


def across(answers: Sequence[Answer]) -> Answer:
    """Join the answers of groups of resamples: their mean, and an interval from their spread."""
    values = np.array([answer.value for answer in answers])
    k = len(values)
    half = np.nan
    if k > 1:
        quantile = scipy.stats.t.ppf((1 + CONFIDENCE) / 2, k - 1)
        half = float(quantile * values.std(ddof=1) / np.sqrt(k))
    mean = float(values.mean())
    undefined = [answer.note for answer in answers if np.isnan(answer.value)]
    return Answer(
        value=mean,
        low=mean - half,
        high=mean + half,
        interval="t" if k > 1 else "",
        chance=float(np.mean([answer.chance for answer in answers])),
        standing=tuple(dict.fromkeys(said for answer in answers for said in answer.standing)),
    ).noting(*undefined[:1], _spread(k))


def _spread(k: int) -> str:
    if k < 2:
        return "one group of resamples: no interval"
    return f"mean over {k} groups of resamples, interval from their spread (t, {k - 1} df)"
