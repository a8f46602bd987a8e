"""Nested resampling: stability within the training parts by which the error is estimated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.resample._base import Protocol, Resample, Standalone
from holdfast.resample._convert import as_protocol
from holdfast.resample._cross_validation import CrossValidation
from holdfast.resample._record import protocol
from holdfast.resample._units import Units
from holdfast.resample._words import lowered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@protocol(
    name="nested",
    title="Nested resampling",
    estimates=(
        "the error on outer test parts and, within each outer training part, how much the "
        "selection changes over the inner resamples"
    ),
    tested="once",
    references=("kalousis2005", "saeys2008"),
)
@dataclass(frozen=True)
class Nested(Standalone):
    """Resamples within resamples: error by the outer ones, stability within each of them.

    Every outer resample (role ``"outer"``) is followed by its inner ones (role ``"inner"``),
    which are drawn from its training part alone: what is tested had no part in the selection.
    Similarities are averaged within an outer resample, then across.

    Parameters
    ----------
    outer : Protocol or int, default CrossValidation(10)
        The outer resamples; a number means so many folds. Anything that
        :func:`holdfast.resample.as_protocol` takes will do.
    inner : Protocol or int, default CrossValidation(10)
        The inner resamples, likewise.

    References
    ----------
    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    Examples
    --------
    >>> from holdfast.resample import Bootstrap, Nested, Subsampling
    >>> resamples = Nested(3, 2).draw(["a", "b"] * 12)
    >>> [(resample.role, resample.outer) for resample in resamples[:4]]
    [('outer', 0), ('inner', 0), ('inner', 0), ('outer', 1)]
    >>> len(Nested(Subsampling(10, 0.9), Bootstrap(40)).draw(["a", "b"] * 12))
    410
    """

    outer: Protocol = field(default_factory=CrossValidation)
    inner: Protocol = field(default_factory=CrossValidation)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outer", _folds_or_protocol(self.outer))
        object.__setattr__(self, "inner", _folds_or_protocol(self.inner))
        if not self.outer.can_be_outer:
            raise InvalidInputError(_unfit("outer", self.outer))
        if not self.inner.can_be_inner:
            raise InvalidInputError(_unfit("inner", self.inner))

    def _described(self, unit: str) -> str:
        subjects = unit == "subject"
        inner = self.inner.description_for(subjects=subjects)
        return f"{inner} within {self.outer.description_for(subjects=subjects)}"

    def _estimated(self, unit: str) -> str:
        subjects = unit == "subject"
        return (
            f"The error on {unit}s that had no part in the selection "
            f"({self.outer.description_for(subjects=subjects)}) and, within each of its training "
            "parts and averaged over them, "
            f"{lowered(self.inner.estimates_for(subjects=subjects))}."
        )

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        outer = self.outer.draw_units(units, random_state, n_features)
        for number, resample in enumerate(outer):
            yield replace(resample, role="outer", outer=number)
            yield from self._inner(units, resample.train, number, random_state, n_features)

    def _inner(
        self,
        units: Units,
        rows: NDArray[np.intp],
        number: int,
        random_state: int,
        n_features: int | None,
    ) -> Iterator[Resample]:
        try:
            inside = Units.of(units.y[rows], _subjects(units, rows))
            resamples = self.inner.draw_units(inside, _seed(random_state, number), n_features)
        except InvalidInputError as error:
            raise InvalidInputError(f"within outer resample {number}: {error}") from error
        for resample in resamples:
            train, test = rows[resample.train], rows[resample.test]
            yield replace(resample, train=train, test=test, role="inner", outer=number)


def _folds_or_protocol(given: Any) -> Protocol:  # noqa: ANN401
    return CrossValidation(int(given)) if isinstance(given, Integral) else as_protocol(given)


def _unfit(side: str, given: Protocol) -> str:
    return (
        f"{side} of nested must be a protocol such as cross_validation, subsampling or "
        f"bootstrap; received {given!r}."
    )


def _subjects(units: Units, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    """Return the subjects of some rows; copies of a row are one subject, so stay together."""
    if units.groups is not None:
        return units.groups[rows]
    return rows if (rows[1:] == rows[:-1]).any() else None


def _seed(random_state: int, number: int) -> int:
    """Return the seed of the inner resamples of one outer resample."""
    words = np.random.SeedSequence(random_state, spawn_key=(number, 1)).generate_state(2, np.uint64)
    return int(words[0]) << 64 | int(words[1])
