"""Selectors that find groups of features, on one data set or on many resamples."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast._validation import check_integer, one_of
from holdfast.preferences import Groups
from holdfast.preferences._ranks import generators
from holdfast.select._selector import Judge, Selector, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Rows

    Array = NDArray[np.float64]


Output = Literal["representatives", "members", "centres"]


class Grouped(NamedTuple):
    """The groups that were found on one data set, the best first."""

    members: tuple[NDArray[np.intp], ...]
    """The features of each group, in order."""
    representatives: NDArray[np.intp]
    """The member that stands for each group."""
    scores: NDArray[np.float64]
    """The score of each group, higher being better."""

    def best(self, count: int | None) -> Grouped:
        """Return the first groups; all of them where the count is None."""
        return Grouped(self.members[:count], self.representatives[:count], self.scores[:count])


class Grouper(Selector):
    """A selector that finds groups of features and judges them; children say how.

    ``fit`` validates, asks the hook for groups, the best first, and keeps so many as are wanted.
    The parameters ``n_groups``, ``output`` and ``random_state`` belong to every child. Where
    fewer groups are found than wanted, all of them are selected.
    """

    n_groups: int | None
    output: Output
    _size_parameter = "n_groups"

    @abstractmethod
    def _group(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Grouped:  # noqa: ANN401
        """Return all groups, the best first."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401
        """Find groups of features and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample; it may be left out where groups are judged without it.

        Returns
        -------
        self
        """
        data, codes = self._validated(X, y)
        self._check_parameters()
        found = self._group(data, codes, next(generators(self.random_state, 1)))
        self._keep(found.best(self.n_groups), data)
        return self

    def _check_parameters(self) -> None:
        if self.n_groups is not None:
            check_integer(self.n_groups, "n_groups", 1)
        one_of(self.output, "output", get_args(Output))

    def _keep(self, found: Grouped, data: NDArray[Any]) -> None:
        self.groups_ = as_groups([found], data.shape[1], self._names())
        self.group_scores_ = found.scores
        self.representatives_ = found.representatives
        self.support_ = np.zeros(data.shape[1], dtype=bool)
        if self.output == "representatives":
            self.support_[found.representatives] = True
        else:
            for members in found.members:
                self.support_[members] = True
        if self.output == "centres":
            self._standard = Standard.of(data)

    def transform(self, X: Any) -> Any:  # noqa: ANN401
        """Return the representatives, all members, or the centres of the selected groups.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data.

        Returns
        -------
        array of shape (n, n_selected)
            The columns that `get_support` names; with ``output="centres"`` one column a group,
            the mean of its features, each standardised by the data of the fit (0 where it was
            constant there).
        """
        check_is_fitted(self)
        if self.output != "centres":
            return super().transform(X)
        data = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        columns = [self._standard.centre(data, own) for own in self.groups_[0]]
        return np.array(columns).reshape(len(columns), len(data)).T.astype(data.dtype, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ANN401
        """Return the names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the features, where `fit` saw none.

        Returns
        -------
        array of str
            Names of features; of centres the name of the class and a number.
        """
        if self.output != "centres":
            names: NDArray[np.object_] = super().get_feature_names_out(input_features)
            return names
        check_is_fitted(self)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(len(self.groups_[0]))], dtype=object)

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return type(self)._group_many is not Grouper._group_many

    def on(
        self,
        X: Any,  # noqa: ANN401
        y: Any,  # noqa: ANN401
        groups: Any = None,  # noqa: ANN401
    ) -> Judge[list[Grouped]]:
        """Return this selector on data that are checked once; see `Selector.on`."""
        self._check_parameters()
        return Judge(self, X, y, groups)

    def group_resamples(self, X: Any, y: Any, rows: Rows, *, first: int = 0) -> Groups:  # noqa: ANN401
        """Find groups on each of many resamples, as that many fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.
        first : int, default 0
            Position of the first resample, where these are a part of a longer list: resamples
            are seeded by their positions, so the parts together give what the whole gives.

        Returns
        -------
        Groups
            One result a resample, with representatives.
        """
        judge = self.on(X, y)
        found = [one.best(self.n_groups) for one in judge.judge(rows, first)]
        return as_groups(found, judge.n_features, judge.feature_names)

    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> list[Grouped]:
        return self._group_many(X, y, rows, seeded)

    def _group_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> list[Grouped]:
        """Return the groups on each resample; children share work between resamples here."""
        return [
            self._group(X[own], present(y[own]), generator)
            for own, generator in zip(rows, seeded, strict=True)
        ]


def as_groups(
    found: Sequence[Grouped], n_features: int, names: NDArray[np.object_] | None
) -> Groups:
    """Return what was found on each resample as preferences."""
    return Groups(
        [list(one.members) for one in found],
        representatives=[one.representatives.tolist() for one in found],
        n_features=n_features,
        feature_names=names,
    )


# Features as points: standardised, and the member of a group that is most like the others.

ROUNDING = 1e-12
"""What is this small beside the values is rounding: a spread of nothing, a tie."""


class Standard(NamedTuple):
    """What brings each feature to mean 0 and standard deviation 1: (x/size - mean)/spread."""

    size: Array
    """The largest absolute value, so that extreme units cost no digits; 1 where all are 0."""
    mean: Array
    spread: Array
    """Infinite for features whose values differ by no more than rounding: they become 0."""

    @classmethod
    def of(cls, X: Any) -> Standard:  # noqa: ANN401
        """Return the standard of data, samples in rows."""
        return cls._applied(_points(X))

    @classmethod
    def _applied(cls, points: Array) -> Standard:
        """Standardise features, one a row, in place; return how."""
        size = np.abs(points).max(axis=1)
        size[size == 0] = 1.0
        points /= size[:, None]
        constant = np.ptp(points, axis=1) <= ROUNDING
        mean = points.mean(axis=1)
        points -= mean[:, None]
        spread = np.sqrt(np.square(points).mean(axis=1))
        spread[constant] = np.inf
        points /= spread[:, None]
        return cls(size, mean, spread)

    def centre(self, X: Any, own: NDArray[np.intp]) -> Array:  # noqa: ANN401
        """Return the mean of some features, standardised, for each sample."""
        deviations = (X[:, own] / self.size[own] - self.mean[own]) / self.spread[own]
        return np.asarray(deviations.mean(axis=1))


def standardise_features(X: Any) -> tuple[Array, NDArray[np.bool_]]:  # noqa: ANN401
    """Return the features as points of mean 0 and standard deviation 1, one a row.

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
    points = _points(X)
    return points, np.isfinite(Standard._applied(points).spread)


def _points(X: Any) -> Array:  # noqa: ANN401
    """Return a copy of the data with features in rows."""
    return np.array(np.asarray(X).T, dtype=np.float64, order="C")


def representatives(points: Array, members: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return of each group the member with the highest mean correlation with the others.

    The sum of the correlations of one member with all members is its product with the sum of
    their points, so a group of m features costs m products, not m². Members that differ
    by no more than rounding are tied, and the first of them represents: so in every group of two.

    Parameters
    ----------
    points : array of shape (p, n)
        Standardised features in rows, as `standardised` gives them.
    members : sequence of arrays of int
        The sorted feature numbers of each group; none is empty.

    Returns
    -------
    array of int
        One feature a group.
    """
    return np.array([_central(points, own) for own in members], dtype=np.intp)


def likenesses(points: Array, own: NDArray[np.intp]) -> Array:
    """Return for each member the sum of n r over all members, r being correlations."""
    return np.asarray(points[own] @ points[own].sum(axis=0))


def _central(points: Array, own: NDArray[np.intp]) -> int:
    likeness = likenesses(points, own)
    tied = likeness >= likeness.max() - ROUNDING * len(own) * points.shape[1]
    return int(own[np.argmax(tied)])
