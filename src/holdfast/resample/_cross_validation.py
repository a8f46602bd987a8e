"""Cross-validation: the samples in folds, each left out in turn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from numbers import Integral

import numpy as np

from holdfast._formatting import as_clause, format_short_percent, plural
from holdfast._random import generators
from holdfast._typing import AnyArray, IndexArray, ProtocolLike
from holdfast._validation import check_flag, check_integer
from holdfast.errors import InvalidInputError
from holdfast.resample._protocol import (
    NO_ROWS,
    NOT_INDEPENDENT,
    Protocol,
    Resample,
    Standalone,
    stratified_prefix,
)
from holdfast.resample._registry import protocol
from holdfast.resample._splits import as_protocol
from holdfast.resample._strata import Strata, Units, check_class_sizes


@protocol(
    name="cross_validation",
    title="Cross-validation",
    estimates="how much the selection changes when each fold is left out in turn",
    tested="once",
    overlap="(k - 2) / (k - 1) with k folds, 88.9% with 10",
    references=("kalousis2005", "yu2008"),
)
@dataclass(frozen=True)
class CrossValidation(Protocol):
    """Cross-validation: each fold is left out and tested in turn, perhaps several times over.

    Fold sizes differ by at most one sample, in all and in each class; where samples belong to
    subjects, by at most one subject, in all and among those with the same classes, regardless of
    their numbers of samples. A class may have fewer samples than there are folds, if every
    training part keeps two of them.

    Parameters
    ----------
    n_folds : int, default 10
        Number of parts into which the samples (or the subjects) are divided.
    n_repeats : int, default 1
        Number of random divisions. More repeats leave the first ones unchanged.
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
        object.__setattr__(self, "stratify", check_flag(self.stratify, "stratify"))
        object.__setattr__(self, "reference", check_flag(self.reference, "reference"))

    @property
    def can_be_outer(self) -> bool:
        """Whether it can draw outer resamples: not if they are compared with the full data."""
        return not self.reference

    @property
    def can_be_inner(self) -> bool:
        """Whether it can draw inner resamples: not if they are compared with the full data."""
        return not self.reference

    def count_resamples(self, units: Units) -> int:
        """Return how many resamples will be drawn: all folds of each repeat."""
        return self.n_repeats * self.n_folds

    def _describe(self, unit: str) -> str:
        repeats = f"{plural(self.n_repeats, 'repeat')} of " if self.n_repeats > 1 else ""
        return f"{repeats}{stratified_prefix(self.stratify)}{self.n_folds}-fold cross-validation"

    @property
    def _train_share(self) -> str:
        return format_short_percent(1 - 1 / self.n_folds)

    @property
    def _test_share(self) -> str:
        return format_short_percent(1 / self.n_folds)

    def _explain_estimate(self, unit: str) -> str:
        if self.reference:
            return (
                f"How near the selection without {self._test_share} of the {unit}s comes to "
                f"the selection on all of them ({self._describe(unit)}, each training part against "
                f"all {unit}s); the two share {self._train_share} of the {unit}s, so "
                f"{NOT_INDEPENDENT}."
            )
        if self.n_folds == 2 and self.n_repeats == 1:
            return (
                f"How much the selection changes from one half of the {unit}s to the other "
                f"({self._describe(unit)}); the two share no {unit}s, so this is how well two "
                f"studies of half as many {unit}s agree, and larger ones usually agree better."
            )
        return (
            f"How much the selection changes when {self._test_share} of the {unit}s are "
            f"left out, each part in turn ({self._describe(unit)}); two training parts share "
            f"{self._explain_overlap(unit)}, so {NOT_INDEPENDENT}."
        )

    def _explain_overlap(self, unit: str) -> str:
        part = (self.n_folds - 2) / (self.n_folds - 1)
        within = f"about {format_short_percent(part)} of their {unit}s" if part else f"no {unit}s"
        if self.n_repeats == 1:
            return within
        return f"{within} in one repeat and about {self._train_share} across repeats"

    def _compute_overlap(self, n_units: int | None) -> float:
        if self.reference:  # all samples of a training part are in the data
            return 1.0
        k, repeats = self.n_folds, self.n_repeats
        # another training part of the repeat lacks its fold, a (k - 1)th of this part on average;
        # one of another repeat lacks a kth of any part; both are exact if folds differ in size
        within, across = (k - 2) / (k - 1), 1 - 1 / k
        return ((k - 1) * within + k * (repeats - 1) * across) / (k * repeats - 1)

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        self._check_sizes(units)
        strata = Strata.from_units(units, stratify=self.stratify)
        if self.reference:
            yield Resample(np.arange(len(units.y)), NO_ROWS, role="reference")
        for generator in generators(random_state, self.n_repeats):
            # Units get folds in turn, class after class. The turn continues from one class to the
            # next, so fold sizes differ by at most one.
            fold = np.empty(units.count, dtype=np.intp)
            shuffled = strata.shuffle(generator)
            # the first folds get the odd samples: which folds these are is random
            names = generator.permutation(self.n_folds)
            fold[shuffled] = names[np.arange(len(fold)) % self.n_folds]
            for number in range(self.n_folds):
                yield Resample(*units.split(np.flatnonzero(fold != number)))

    def _check_sizes(self, units: Units) -> None:
        if units.count < self.n_folds:
            raise InvalidInputError(
                f"{self.n_folds} folds need at least as many {units.noun}s; there are "
                f"{units.count}."
            )

        def min_units(keep: int) -> int:
            """Return the units that a class needs to keep `keep` without its largest fold."""
            # the smallest class whose largest fold, rounded up, leaves enough
            return next(n for n in count(keep + 1) if n - math.ceil(n / self.n_folds) >= keep)

        why = (
            f"{self.n_folds} folds need at least {{needed}} of every class, so that each training "
            "part keeps {keep}"
        )
        check_class_sizes(units, min_units, why, stratify=self.stratify)


# Nested resampling: stability within the training parts by which the error is estimated.


@protocol(
    name="nested",
    title="Nested resampling",
    estimates=(
        "the error on outer test parts and, within each outer training part, how much the "
        "selection changes over the inner resamples"
    ),
    tested="once",
    overlap="that of the inner protocol, 88.9% by default",
    references=("kalousis2005", "saeys2008"),
)
@dataclass(frozen=True)
class Nested(Standalone):
    """Resamples within resamples: error by the outer ones, stability within each of them.

    Every outer resample (role ``"outer"``) is followed by its inner ones (role ``"inner"``),
    which are drawn from its training part only: test samples take no part in the selection.
    Similarities are averaged within an outer resample, then across.

    Parameters
    ----------
    outer : Protocol or int, default CrossValidation(10)
        The outer resamples; a number is a number of folds. Anything that
        :func:`holdfast.resample.as_protocol` accepts can be given.
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

    outer: ProtocolLike = field(default_factory=CrossValidation)
    inner: ProtocolLike = field(default_factory=CrossValidation)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outer", _folds_or_protocol(self.outer))
        object.__setattr__(self, "inner", _folds_or_protocol(self.inner))
        if not self.outer.can_be_outer:
            raise InvalidInputError(_format_unfit_protocol("outer", self.outer))
        if not self.inner.can_be_inner:
            raise InvalidInputError(_format_unfit_protocol("inner", self.inner))

    def count_resamples(self, units: Units) -> int:
        """Return how many resamples will be drawn: each outer one, with its inner ones."""
        n_inner: int = self.inner.count_resamples(units)
        return int(self.outer.count_resamples(units)) * (1 + n_inner)

    def _describe(self, unit: str) -> str:
        subjects = unit == "subject"
        inner = self.inner.description_for(subjects=subjects)
        return f"{inner} within {self.outer.description_for(subjects=subjects)}"

    def _explain_estimate(self, unit: str) -> str:
        subjects = unit == "subject"
        return (
            f"The error on {unit}s that had no part in the selection "
            f"({self.outer.description_for(subjects=subjects)}) and, within each of its training "
            "parts and averaged over them, "
            f"{as_clause(self.inner.estimates_for(subjects=subjects))}."
        )

    def _compute_overlap(self, n_units: int | None) -> float | None:
        # inner resamples are compared; the size of an outer training part is not known here
        inner: float | None = self.inner.training_overlap()
        return inner

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        outer = self.outer.draw_units(units, random_state, n_features)
        for number, resample in enumerate(outer):
            yield replace(resample, role="outer", outer=number)
            yield from self._draw_inner(units, resample.train, number, random_state, n_features)

    def _draw_inner(
        self, units: Units, rows: IndexArray, number: int, random_state: int, n_features: int | None
    ) -> Iterator[Resample]:
        # one stream per outer resample: inner resamples do not depend on how many others are drawn
        sequence = np.random.SeedSequence(random_state, spawn_key=(number, 1))
        words = sequence.generate_state(2, np.uint64)
        seed = int(words[0]) << 64 | int(words[1])
        try:
            inside = Units.from_labels(units.y[rows], _get_subjects(units, rows))
            resamples = self.inner.draw_units(inside, seed, n_features)
        except InvalidInputError as error:
            raise InvalidInputError(f"within outer resample {number}: {error}") from error
        for resample in resamples:
            train, test = rows[resample.train], rows[resample.test]
            yield replace(resample, train=train, test=test, role="inner", outer=number)


def _folds_or_protocol(given: ProtocolLike) -> Protocol:
    return CrossValidation(int(given)) if isinstance(given, Integral) else as_protocol(given)


def _format_unfit_protocol(side: str, given: Protocol) -> str:
    return (
        f"{side} of nested must be a protocol such as cross_validation, subsampling or "
        f"bootstrap; got {given!r}."
    )


def _get_subjects(units: Units, rows: IndexArray) -> AnyArray | None:
    """Return the subjects of rows; copies of a row are one subject, so they stay together."""
    if units.groups is not None:
        return units.groups[rows]
    return rows if (rows[1:] == rows[:-1]).any() else None
