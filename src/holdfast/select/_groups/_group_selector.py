"""Base class of selectors that find groups of features, and representatives of groups."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast._random import generators
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FeaturesLike,
    FloatArray,
    IndexArray,
    LabelsLike,
    MatrixLike,
    RowLists,
)
from holdfast._validation import check_choice, check_integer
from holdfast.preferences import Groups
from holdfast.select._selector import BoundSelector, Selector, map_resamples

Output = Literal["representatives", "members", "centres"]


class SelectedGroups(NamedTuple):
    """The groups on one data set, the best first."""

    members: tuple[IndexArray, ...]
    """The features of each group, in order."""
    representatives: IndexArray
    """The representative member of each group."""
    scores: FloatArray
    """The score of each group, higher being better."""
    densities: FloatArray | None = None
    """The density at the peak of each group, if groups are found by density."""

    def best(self, count: int | None) -> SelectedGroups:
        """Return the first groups; all of them if the count is None."""
        densities = None if self.densities is None else self.densities[:count]
        return SelectedGroups(
            self.members[:count], self.representatives[:count], self.scores[:count], densities
        )


class GroupSelector(Selector):
    """Base class of selectors that find and score groups of features.

    Children implement ``_group``; ``fit`` validates the data, calls it and selects the best
    ``n_groups`` groups, or all if there are fewer. Every child has the parameters ``n_groups``,
    ``output`` and ``random_state``.
    """

    n_groups: int | None
    output: Output
    _size_parameter = "n_groups"

    @abstractmethod
    def _group(
        self, X: MatrixLike, y: IndexArray, generator: np.random.Generator
    ) -> SelectedGroups:
        """Return all groups, the best first."""

    def fit(self, X: MatrixLike, y: LabelsLike = None) -> Self:
        """Find groups of features and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample; optional if the groups are found and scored without it.

        Returns
        -------
        self
        """
        data, codes = self._validate_data(X, y)
        self._check_parameters()
        groups = self._group(data, codes, next(generators(self.random_state, 1)))
        self._store_groups(groups.best(self.n_groups), data)
        return self

    def _check_parameters(self) -> None:
        if self.n_groups is not None:
            check_integer(self.n_groups, "n_groups", 1)
        check_choice(self.output, "output", get_args(Output))

    def _store_groups(self, groups: SelectedGroups, data: AnyArray) -> None:
        self.groups_ = as_groups([groups], data.shape[1], self._feature_names())
        self.group_scores_ = groups.scores
        self.representatives_ = groups.representatives
        self.support_ = np.zeros(data.shape[1], dtype=bool)
        if self.output == "representatives":
            self.support_[groups.representatives] = True
        else:
            for members in groups.members:
                self.support_[members] = True
        if self.output == "centres":
            # centres of new data need the means and deviations of the training data
            self._standardisation = Standardisation.from_data(data)

    def transform(self, X: MatrixLike) -> MatrixLike:
        """Return the representatives, all members, or the centres of the selected groups.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data.

        Returns
        -------
        array of shape (n, n_selected)
            The columns of `get_support`; with ``output="centres"``, one column per group: the mean
            of its features, each standardised by the data of the fit (0 if it was constant there).
        """
        check_is_fitted(self)
        if self.output != "centres":
            return super().transform(X)
        data = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        columns = [self._standardisation.centre(data, group) for group in self.groups_[0]]
        return np.array(columns).reshape(len(columns), len(data)).T.astype(data.dtype, copy=False)

    def get_feature_names_out(self, input_features: FeaturesLike = None) -> NDArray[np.object_]:
        """Return the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the features, if `fit` saw none.

        Returns
        -------
        array of str
            Names of features; for centres the name of the class and a number.
        """
        if self.output != "centres":
            names: NDArray[np.object_] = super().get_feature_names_out(input_features)
            return names
        check_is_fitted(self)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(len(self.groups_[0]))], dtype=object)

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return type(self)._select_many is not GroupSelector._select_many

    def bind(
        self,
        X: MatrixLike,
        y: LabelsLike,
        groups: LabelsLike = None,
        sample_weight: FloatArray | None = None,
    ) -> BoundSelector[list[SelectedGroups]]:
        """Bind this selector to data; see `Selector.bind`."""
        self._check_parameters()
        return BoundSelector(self, X, y, groups, sample_weight)

    def group_resamples(
        self, X: MatrixLike, y: LabelsLike, rows: RowLists, *, first: int = 0
    ) -> Groups:
        """Find groups on each resample, as separate fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.
        first : int, default 0
            Position of the first resample, if these are a part of a longer list. Resamples are
            seeded by their positions, so the parts give the same result as the whole.

        Returns
        -------
        Groups
            One result per resample, with representatives.
        """
        bound = self.bind(X, y)
        results = [groups.best(self.n_groups) for groups in bound.select_resamples(rows, first)]
        return as_groups(results, bound.n_features, bound.feature_names)

    def _select_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> list[SelectedGroups]:
        return map_resamples(self._group, X, y, rows, rngs)


def as_groups(
    results: Sequence[SelectedGroups], n_features: int, names: NDArray[np.object_] | None
) -> Groups:
    """Return the groups of each resample as preferences."""
    return Groups(
        [list(groups.members) for groups in results],
        representatives=[groups.representatives.tolist() for groups in results],
        n_features=n_features,
        feature_names=names,
    )


# Features as standardised points, and the most central member of a group.

ROUNDING = 1e-12
"""Relative differences of this size are rounding: such a feature is constant, such members tie."""


class Standardisation(NamedTuple):
    """Scales each feature to mean 0 and standard deviation 1: (x/size - mean)/spread."""

    size: FloatArray
    """The largest absolute value, so that extreme units cost no digits; 1 if all values are 0."""
    mean: FloatArray
    spread: FloatArray
    """Infinite for features whose values differ by no more than rounding: they become 0."""

    @classmethod
    def from_data(cls, X: MatrixLike) -> Standardisation:
        """Return the standardisation of data, samples in rows."""
        return cls.standardise_in_place(_features_as_rows(X))

    @classmethod
    def standardise_in_place(cls, points: FloatArray) -> Standardisation:
        """Standardise features, one per row, in place; return the standardisation."""
        size = np.abs(points).max(axis=1)
        size[size == 0] = 1.0
        points /= size[:, None]
        # after scaling by the largest value, so the tolerance is relative
        constant = np.ptp(points, axis=1) <= ROUNDING
        mean = points.mean(axis=1)
        points -= mean[:, None]
        spread = np.sqrt(np.square(points).mean(axis=1))
        # division by infinity makes the feature 0 instead of amplifying rounding errors
        spread[constant] = np.inf
        points /= spread[:, None]
        return cls(size, mean, spread)

    def centre(self, X: MatrixLike, group: IndexArray) -> FloatArray:
        """Return the mean of the standardised features of a group, for each sample."""
        deviations = (X[:, group] / self.size[group] - self.mean[group]) / self.spread[group]
        return np.asarray(deviations.mean(axis=1))


def standardise_features(X: MatrixLike) -> tuple[FloatArray, BoolArray]:
    """Return the features as points of mean 0 and standard deviation 1, one per row.

    The deviation divides by n, so the squared distance of two points is 2n(1 - r) for features
    of correlation r.

    Parameters
    ----------
    X : array of shape (n, p)
        Finite data, samples in rows.

    Returns
    -------
    points : array of shape (p, n)
        Features whose values differ by no more than rounding are rows of zeros.
    usable : array of bool, shape (p,)
        Which features are not constant.
    """
    points = _features_as_rows(X)
    return points, np.isfinite(Standardisation.standardise_in_place(points).spread)


def _features_as_rows(X: MatrixLike) -> FloatArray:
    """Return a copy of the data with features in rows."""
    return np.array(np.asarray(X).T, dtype=np.float64, order="C")


def representatives(points: FloatArray, members: Sequence[IndexArray]) -> IndexArray:
    """Return the member of each group with the highest mean correlation with the others.

    The sum of the correlations of one member with all members is its product with the sum of
    their points, so a group of m features costs m products, not m². Members that differ by no
    more than rounding are tied, and the first of them is the representative, as in every group of
    two.

    Parameters
    ----------
    points : array of shape (p, n)
        Standardised features in rows, from `standardise_features`.
    members : sequence of arrays of int
        The sorted feature indices of each group; none is empty.

    Returns
    -------
    array of int
        One feature per group.
    """
    central = []
    for group in members:
        sums = correlation_sums(points, group)
        # ties go to the lowest index, whatever the rounding of the sums
        tied = sums >= sums.max() - ROUNDING * len(group) * points.shape[1]
        central.append(group[np.argmax(tied)])
    return np.array(central, dtype=np.intp)


def correlation_sums(points: FloatArray, group: IndexArray) -> FloatArray:
    """Return for each member the sum of n r over all members, r being correlations."""
    return np.asarray(points[group] @ points[group].sum(axis=0))
