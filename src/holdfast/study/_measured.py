"""Measures of one system of preferences, each with an answer: a number, or why there is none."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError, UndefinedMeasureWarning
from holdfast.judge._answer import Answer, answer_of
from holdfast.measures._measure import estimate_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.measures import Measure
    from holdfast.preferences import Preferences


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
    return {r.name: answer_of(r, one) for r, one in zip(records, estimates, strict=True)}
