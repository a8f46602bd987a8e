"""Cross-validation: the samples in folds, each left out in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import count
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import NOT_INDEPENDENT, as_clause, kind_of, percent, plural
from holdfast._validation import check_integer, flag
from holdfast.errors import InvalidInputError
from holdfast.preferences._ranks import generators
from holdfast.resample._protocol import NO_ROWS, Protocol, Resample, Standalone
from holdfast.resample._registry import protocol
from holdfast.resample._splits import as_protocol
from holdfast.resample._strata import Strata, Units, require

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@protocol(
    name="cross_validation",
    title="Cross-validation",
    estimates="how much the selection changes when each fold is left out in turn",
    tested="once",
    references=("kalousis2005", "yu2008"),
)
@dataclass(frozen=True)
class CrossValidation(Protocol):
    """Cross-validation: each fold is left out and tested in turn, perhaps several times over.

    Fold sizes differ by at most one sample, in all and in each class; where samples belong to
    subjects, by at most one subject, in all and among those of like classes, however many samples
    these have. A class may have fewer samples than there are folds, if every training part keeps
    two of them.

    Parameters
    ----------
    n_folds : int, default 10
        Into how many parts the samples (or the subjects) are divided.
    n_repeats : int, default 1
        How often, each time in another way. More repeats leave the first ones as they are.
    stratify : bool, default True
        Keep the shares of the classes in every fold.
    reference : bool, default False
        Put one resample with all samples first, of role ``"reference"``: the selection on each
        training part is then compared with that on all samples.

    References
    ----------
    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> from holdfast.resample import CrossValidation
    >>> y = ["a"] * 6 + ["b"] * 3
    >>> [resample.test.tolist() for resample in CrossValidation(3).draw(y)]
    [[0, 4, 7], [1, 2, 8], [3, 5, 6]]
    """

    n_folds: int = 10
    n_repeats: int = 1
    stratify: bool = True
    reference: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_folds", check_integer(self.n_folds, "n_folds", 2))
        object.__setattr__(self, "n_repeats", check_integer(self.n_repeats, "n_repeats", 1))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))
        object.__setattr__(self, "reference", flag(self.reference, "reference"))

    @property
    def can_be_outer(self) -> bool:
        """Whether it makes outer resamples: those compared with all samples do not."""
        return not self.reference

    @property
    def can_be_inner(self) -> bool:
        """Whether it makes inner resamples: those compared with all samples do not."""
        return not self.reference

    def _described(self, unit: str) -> str:  # noqa: ARG002
        repeats = f"{plural(self.n_repeats, 'repeat')} of " if self.n_repeats > 1 else ""
        return f"{repeats}{kind_of(self.stratify)}{self.n_folds}-fold cross-validation"

    def _estimated(self, unit: str) -> str:
        if self.reference:
            return self._of_reference(unit)
        if self.n_folds == 2 and self.n_repeats == 1:
            return self._of_halves(unit)
        return (
            f"How much the selection changes when {percent(1 / self.n_folds)} of the {unit}s are "
            f"left out, each part in turn ({self._described(unit)}); two training parts share "
            f"{self._shared(unit)}, so {NOT_INDEPENDENT}."
        )

    def _of_reference(self, unit: str) -> str:
        return (
            f"How near the selection without {percent(1 / self.n_folds)} of the {unit}s comes to "
            f"the selection on all of them ({self._described(unit)}, each training part against "
            f"all {unit}s); the two share {percent(1 - 1 / self.n_folds)} of the {unit}s, so "
            f"{NOT_INDEPENDENT}."
        )

    def _of_halves(self, unit: str) -> str:
        return (
            f"How much the selection changes from one half of the {unit}s to the other "
            f"({self._described(unit)}); the two share no {unit}s, so this is how well two studies "
            f"of half as many {unit}s agree, and larger ones usually agree better."
        )

    def _shared(self, unit: str) -> str:
        part = (self.n_folds - 2) / (self.n_folds - 1)
        within = f"about {percent(part)} of their {unit}s" if part else f"no {unit}s"
        if self.n_repeats == 1:
            return within
        return f"{within} in one repeat and about {percent(1 - 1 / self.n_folds)} across repeats"

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        self._check(units)
        strata = Strata.of(units, stratify=self.stratify)
        if self.reference:
            yield Resample(np.arange(len(units.y)), NO_ROWS, role="reference")
        for generator in generators(random_state, self.n_repeats):
            fold = self._dealt(strata, generator)
            for number in range(self.n_folds):
                yield Resample(*units.split(np.flatnonzero(fold != number)))

    def _dealt(self, strata: Strata, generator: np.random.Generator) -> NDArray[np.intp]:
        """Deal the units out to the folds, class after class; return the fold of each.

        Dealing goes on from one class to the next, so fold sizes differ by one at most.
        """
        fold = np.empty(len(strata.labels), dtype=np.intp)
        shuffled = strata.shuffled(generator)
        names = generator.permutation(self.n_folds)
        fold[shuffled] = names[np.arange(len(fold)) % self.n_folds]
        return fold

    def _check(self, units: Units) -> None:
        if units.count < self.n_folds:
            raise InvalidInputError(
                f"{self.n_folds} folds need at least as many {units.noun}s; there are "
                f"{units.count}."
            )
        why = (
            f"{self.n_folds} folds need at least {{needed}} of every class, so that each training "
            "part keeps {keep}"
        )
        require(units, self._needed, why, stratify=self.stratify)

    def _needed(self, keep: int) -> int:
        """Return how many units a class needs to keep some of them without its largest fold."""
        return next(n for n in count(keep + 1) if n - math.ceil(n / self.n_folds) >= keep)


# Nested resampling: stability within the training parts by which the error is estimated.


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
            f"{as_clause(self.inner.estimates_for(subjects=subjects))}."
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
