"""Base class of selectors that choose a subset, and the sizes that it may have."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from holdfast._object_spec import parse_call
from holdfast._random import generators
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IndexArray,
    LabelsLike,
    MatrixLike,
    RowLists,
)
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.preferences import Subsets, as_feature_count
from holdfast.select._selector import BoundSelector, Selector, resample_subjects

SizeLike: TypeAlias = Any
"""None, a count, a fraction, a range (low, high), or one of these as text."""


class SubsetSelector(Selector):
    """Base class of selectors that choose a subset of the features, without an order.

    Children implement ``_choose``; ``fit`` validates the data and calls it. Every child has the
    parameters ``n_features_to_select`` and ``random_state``. The sizes of a study do not apply,
    since the subset of one size need not contain that of a smaller size.
    """

    n_features_to_select: SizeLike

    @abstractmethod
    def _choose(
        self,
        X: MatrixLike,
        y: IndexArray,
        subjects: AnyArray | None,
        generator: np.random.Generator,
    ) -> BoolArray:
        """Return which features are chosen.

        `y` holds indices of ``classes_``, some of which a resample may lack; `subjects` is the
        subject of each sample, or None.
        """

    @property
    def supports_subjects(self) -> bool:
        """Whether it draws samples and keeps those of one subject together."""
        return True

    @property
    def selects_own_size(self) -> bool:
        """Whether the selector chooses the number of features itself."""
        return True

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return False

    def fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Choose a subset of the features.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample: a subject is never on both sides of a split.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        data, codes = self._validate_data(X, y)
        self._fit_subset(data, codes, next(generators(self.random_state, 1)))
        return self

    def _fit_subset(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> None:
        """Set the fitted attributes; children override it to set more."""
        self.support_ = self._choose(X, y, self._subjects, generator)

    def bind(
        self,
        X: MatrixLike,
        y: LabelsLike,
        groups: LabelsLike = None,
        sample_weight: FloatArray | None = None,
    ) -> BoundSelector[Subsets]:
        """Bind this selector to data; see `Selector.bind`."""
        return BoundSelector(self, X, y, groups, sample_weight)

    def select_resamples(
        self, X: MatrixLike, y: LabelsLike, rows: RowLists, *, first: int = 0
    ) -> Subsets:
        """Choose a subset on each resample, as separate fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times, and its copies then stay on
            one side of every split.
        first : int, default 0
            Position of the first resample, if these are a part of a longer list. Resamples are
            seeded by their positions, so the parts give the same result as the whole.

        Returns
        -------
        Subsets
        """
        return self.bind(X, y).select_resamples(rows, first)

    def _select_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> Subsets:
        masks = []
        for indices, generator in zip(rows, rngs, strict=True):
            subjects = resample_subjects(self._subjects, indices)
            # copies of a row must not be split between the training and test parts of the search
            masks.append(self._choose(X[indices], y[indices], subjects, generator))
        return Subsets(np.array(masks), feature_names=self._feature_names())


# The size of a subset: the best one, a given one, or one within a range.

SIZE_PARAMETER = "n_features_to_select"


class Sizes(NamedTuple):
    """The smallest and the largest size that a chosen subset may have."""

    low: int
    high: int

    def allow(self, size: int) -> bool:
        """Return whether a subset of this size may be chosen."""
        return self.low <= size <= self.high

    @classmethod
    def from_parameter(cls, size: SizeLike, least: int, most: int) -> Sizes:
        """Read the parameter `n_features_to_select`.

        Parameters
        ----------
        size : None, int, float, (int, int) or str
            Any size; a count or a fraction; a range, on the command line spelled ``(2,8)``.
        least, most : int
            The smallest and the largest size that is possible.
        """
        if size is None:
            return cls(least, most)
        if isinstance(size, str):
            if not size.strip().startswith("("):
                raise InvalidInputError(
                    f"{SIZE_PARAMETER} must be a number, a range (low, high), or None; got "
                    f"{size!r}."
                )
            # "(2,10)" is read as the arguments of a call, by the parser of all other options
            size = parse_call(f"range{size.strip()}")[1]
        if not isinstance(size, tuple | list | np.ndarray):
            is_count = isinstance(size, int | np.integer)
            count = (
                check_integer(size, SIZE_PARAMETER, 1)
                if is_count
                else as_feature_count(size, most, SIZE_PARAMETER)
            )
            return cls(count, count)._check_bounds(size, least, most)
        if len(size) != 2:
            raise InvalidInputError(
                f"{SIZE_PARAMETER} as a range must be (low, high); got {size!r}."
            )
        low, high = (check_integer(limit, SIZE_PARAMETER, 1) for limit in size)
        return cls(low, high)._check_bounds(size, least, most)

    def _check_bounds(self, size: object, least: int, most: int) -> Sizes:
        if least <= self.low <= self.high <= most:
            return self
        raise InvalidInputError(
            f"{SIZE_PARAMETER} must lie between {least:,} and {most:,} (forced and constant "
            f"features considered), a range with the smaller number first; got {size!r}."
        )
