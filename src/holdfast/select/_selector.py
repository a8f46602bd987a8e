"""Base class of all selectors: validation, feature names, subjects and seeds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from holdfast._formatting import did_you_mean, format_list
from holdfast._memory import is_sparse
from holdfast._object_spec import parse_list
from holdfast._random import RandomState, generators
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
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io import check_indices
from holdfast.preferences import Weights

# Parameters of selectors that refer to features: by index, by name, as a mask, in groups.


class OfferedFeatures:
    """The features of a data set, and the subset of them that a selector sees.

    Parameters
    ----------
    n_features : int
        Number of features of the data.
    names : sequence of str, optional
        Their names; without names, features are referred to by index only.
    offered : ndarray of int, optional
        The features that the selector sees, in this order; None: all of them.
    """

    def __init__(
        self,
        n_features: int,
        names: Sequence[str] | NDArray[np.object_] | None = None,
        offered: IndexArray | None = None,
    ) -> None:
        self.n_features = n_features
        self.numbers = {} if names is None else {name: i for i, name in enumerate(names)}
        self._positions = None if offered is None else {int(f): i for i, f in enumerate(offered)}

    def read(self, features: FeaturesLike, parameter: str) -> list[int]:
        """Return the indices of features; on the command line they are spelled ``(name,name)``."""
        if features is None:
            return []
        # names come first: a name may itself look like a list
        if isinstance(features, str) and features not in self.numbers:
            features = [int(name) if name.isdecimal() else name for name in parse_list(features)]
        if isinstance(features, str) or not isinstance(features, Iterable):
            features = [features]
        if isinstance(features, np.ndarray) and features.dtype == bool:
            features = self._mask_to_indices(features, parameter)
        indices = [self._to_index(feature, parameter) for feature in features]
        if len(set(indices)) < len(indices):
            raise InvalidInputError(
                f"{parameter} names a feature twice: {format_list(list(features))}."
            )
        return indices

    def read_groups(self, groups: FeaturesLike, parameter: str) -> list[list[int]]:
        """Return the indices of groups of features, on the command line ``((a,b),(c,d))``."""
        groups = [] if groups is None else groups
        members = parse_list(groups) if isinstance(groups, str) else list(groups)
        if any(isinstance(group, str) and not group.startswith("(") for group in members):
            raise InvalidInputError(f"{parameter} must be lists of features, got {groups!r}.")
        return [self.read(group, parameter) for group in members]

    def offered_positions(self, features: Iterable[int]) -> list[int]:
        """Return the positions of features among those offered; others are left out."""
        if self._positions is None:
            return list(features)
        return [self._positions[index] for index in features if index in self._positions]

    def restrict_to_offered(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the offered features, in their order, of those of all features."""
        if self._positions is None:
            return tuple(names)
        return tuple(names[index] for index in self._positions)

    def format_features(self, features: Iterable[int]) -> str:
        """Return features as text: by name, or by index if they have no names."""
        names = {index: name for name, index in self.numbers.items()}
        return format_list([names.get(int(index), int(index)) for index in features])

    def _mask_to_indices(self, mask: BoolArray, parameter: str) -> IndexArray:
        if mask.shape != (self.n_features,):
            raise InvalidInputError(
                f"{parameter} as a mask must have one value per feature, that is "
                f"{self.n_features:,}; got the shape {mask.shape}."
            )
        return np.flatnonzero(mask)

    def _to_index(self, feature: object, parameter: str) -> int:
        if isinstance(feature, str):
            if feature not in self.numbers:
                hint = (
                    did_you_mean(feature, self.numbers)
                    if self.numbers
                    else " The features have no names."
                )
                raise UnknownNameError(f"{parameter}: no feature is called {feature!r}.{hint}")
            return self.numbers[feature]
        if isinstance(feature, int | np.integer) and not isinstance(feature, bool):
            index = int(feature)
            if 0 <= index < self.n_features:
                return index
        raise InvalidInputError(
            f"{parameter} must hold names of features, or indices from 0 to "
            f"{self.n_features - 1:,}; got {feature!r}."
        )


def nominal_mask(nominal: ArrayLike | None, n_features: int) -> BoolArray:
    """Return a mask of the nominal features from indices or a mask."""
    mask = np.zeros(n_features, dtype=bool)
    marked = np.asarray([] if nominal is None else nominal)
    if marked.size == 0:
        return mask
    is_mask = marked.dtype == bool and marked.shape == mask.shape
    is_index = marked.dtype.kind in "iu" and marked.ndim == 1
    if not is_mask and not (is_index and marked.min() >= 0 and marked.max() < n_features):
        raise InvalidInputError(
            f"nominal must hold indices from 0 to {n_features - 1:,}, or be a boolean mask of "
            f"{n_features:,} features; got {nominal!r}."
        )
    mask[marked] = True
    return mask


# The base class of all selectors, and a selector bound to a data set.

Preferences = TypeVar("Preferences")
Result = TypeVar("Result")


class Selector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base class of estimators that prefer some features to others.

    Children rank all features (:class:`holdfast.select.Ranker`), find groups of features
    (:class:`holdfast.select.GroupSelector`) or choose a subset
    (:class:`holdfast.select.SubsetSelector`). Every child has the parameter ``random_state``.
    """

    random_state: RandomState
    _allow_nan = False
    _allow_sparse = False
    _sparse_format = "csc"
    _needs_classes = True
    _size_parameter = "n_features_to_select"
    _subjects: AnyArray | None = None
    """The subject of each sample of the current data, for selectors that take subjects."""
    _sample_weight: FloatArray | None = None
    """The weight of each sample of the current data, for selectors that take weights."""

    @property
    def supports_missing(self) -> bool:
        """Whether the data may hold missing values (NaN)."""
        return self._allow_nan

    @property
    def supports_sparse(self) -> bool:
        """Whether the data may be a sparse matrix."""
        return self._allow_sparse

    @property
    def supports_subjects(self) -> bool:
        """Whether it draws samples and keeps those of one subject together."""
        return False

    @property
    def supports_sample_weight(self) -> bool:
        """Whether samples may have weights."""
        return False

    @property
    def supports_nominal(self) -> bool:
        """Whether nominal features can be declared, so that they are not treated as numbers."""
        return "nominal" in self.get_params(deep=False)

    @property
    def selects_own_size(self) -> bool:
        """Whether the selector chooses the number of features, or groups, itself."""
        return False

    @property
    def searches_to_size(self) -> bool:
        """Whether only as many features as are selected are put in order one by one."""
        return False

    def describe_adaptation(self, n_samples: int) -> str:
        """Return what default depends on this number of samples, and how to set it; "" if none."""
        return ""

    @property
    @abstractmethod
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""

    def signed_statistics(self, X: FloatArray, y: IndexArray, rows: RowLists) -> FloatArray | None:
        """Return signed t statistics, if the selector ranks by their absolute values.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.
        y : ndarray of int, shape (n,)
            The classes, numbered from 0.
        rows : sequence of ndarray of int
            The rows of each resample.

        Returns
        -------
        ndarray of shape (resamples, p) or None
            None for selectors that do not rank by a t statistic of two classes.
        """
        return None

    def with_size(self, size: int) -> Self:
        """Return an unfitted copy that selects this many features, or groups."""
        copy: Self = clone(self).set_params(**{self._size_parameter: size})
        return copy

    def with_feature_indices(self, columns: OfferedFeatures) -> Self:
        """Return an unfitted copy whose parameters refer to the offered features by position.

        Names become positions; features that are not offered are left out. The same is done for
        nested selectors.
        """
        # indices refer to all features; on a part of the features they would name others
        positions = self._indexed_parameters(columns)
        for key, nested in self.get_params().items():
            if isinstance(nested, Selector):
                for name, value in nested._indexed_parameters(columns).items():
                    positions[f"{key}__{name}"] = value
        copy: Self = clone(self).set_params(**positions)
        return copy

    def with_class_labels(self, labels: Sequence[str]) -> Self:
        """Return an unfitted copy that knows the labels of the classes, if it uses labels."""
        copy: Self = clone(self)
        return copy

    def _indexed_parameters(self, columns: OfferedFeatures) -> dict[str, Any]:
        """Return the parameters that refer to features, as positions among those offered."""
        nominal = getattr(self, "nominal", None)
        if nominal is None:
            return {}
        features = np.flatnonzero(nominal_mask(nominal, columns.n_features))
        return {"nominal": columns.offered_positions(features.tolist())}

    def check_trial_fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> None:
        """Raise if parameters are unusable, by a trial fit on a small or random data set."""
        self._bind_supported(X, y, groups).select_resamples([np.arange(len(y))])

    def bind(
        self,
        X: MatrixLike,
        y: LabelsLike,
        groups: LabelsLike = None,
        sample_weight: FloatArray | None = None,
    ) -> BoundSelector[Any]:
        """Bind this selector to data, which are validated once for all resamples of them.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        groups : array-like of shape (n,), optional
            The subject of each sample, for selectors that take subjects.
        sample_weight : ndarray of shape (n,), optional
            The weight of each sample, for selectors that take weights.

        Returns
        -------
        BoundSelector
        """
        return BoundSelector(self, X, y, groups, sample_weight)

    def _bind_supported(
        self, X: MatrixLike, y: LabelsLike, groups: LabelsLike
    ) -> BoundSelector[Any]:
        """Bind this selector to data, with the subjects only if it takes subjects."""
        return self.bind(X, y, groups if self.supports_subjects else None)

    @abstractmethod
    def _select_many(
        self,
        X: MatrixLike,
        y: IndexArray,
        rows: RowLists,
        rngs: Sequence[np.random.Generator],
    ) -> Any:  # noqa: ANN401  (each kind of selector has its form of preference)
        """Return the preferences on each resample."""

    def _validate_data(self, X: MatrixLike, y: LabelsLike) -> tuple[Any, IndexArray]:
        checks = {
            "dtype": [np.float64, np.float32],
            "accept_sparse": self._sparse_format if self.supports_sparse else False,
            "ensure_all_finite": "allow-nan" if self.supports_missing else True,
            "ensure_min_samples": 2,
        }
        if is_sparse(X) and X.format in ("csr", "csc"):  # SciPy trusts their indices
            check_indices(X)
        if not self._needs_classes:
            data = validate_data(self, X, **checks)
            return data, np.zeros(data.shape[0], dtype=np.intp)
        data, target = validate_data(self, X, y, **checks)
        check_classification_targets(target)
        # selectors work on codes; labels of any type and order give the same selection
        self.classes_, codes = np.unique(target, return_inverse=True)
        # variances within classes need two samples of each
        check_classes(codes)
        return data, codes

    def _set_subjects(self, groups: LabelsLike, X: MatrixLike) -> None:
        """Store the subject of each sample; None if samples are independent."""
        if groups is None:
            self._subjects = None
            return
        if not self.supports_subjects:
            raise InvalidInputError(
                f"{type(self).__name__} draws no samples, so it cannot use subjects; leave groups "
                "out."
            )
        check_consistent_length(X, groups)
        self._subjects = np.asarray(groups)

    def _set_sample_weight(self, weights: FloatArray | None, X: MatrixLike) -> None:
        """Store the weight of each sample; None if all count the same."""
        if weights is not None:
            if not self.supports_sample_weight:
                raise InvalidInputError(
                    f"{type(self).__name__} does not weigh samples; leave sample_weight out."
                )
            check_consistent_length(X, weights)
        self._sample_weight = weights

    def _feature_names(self) -> NDArray[np.object_] | None:
        return getattr(self, "feature_names_in_", None)

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        support: BoolArray = self.support_
        return support

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_classes
        tags.input_tags.allow_nan = self.supports_missing
        tags.input_tags.sparse = self.supports_sparse
        return tags


class BoundSelector(Generic[Preferences]):
    """A selector bound to a data set, ready to run on resamples of it; see `Selector.bind`."""

    def __init__(
        self,
        selector: Selector,
        X: MatrixLike,
        y: LabelsLike,
        groups: LabelsLike = None,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self._worker = clone(selector)  # fitted attributes of the selector stay as they are
        self._data, self._codes = self._worker._validate_data(X, y)
        self._worker._set_subjects(groups, self._data)
        self._worker._set_sample_weight(sample_weight, self._data)

    @property
    def n_features(self) -> int:
        """Number of features of the data."""
        return int(self._data.shape[1])

    @property
    def feature_names(self) -> NDArray[np.object_] | None:
        """Names of the features, None if the data have no names."""
        names: NDArray[np.object_] | None = self._worker._feature_names()
        return names

    def select_resamples(self, rows: RowLists, first: int = 0) -> Preferences:
        """Return the preferences on each resample; see `Ranker.rank_resamples`."""
        preferences: Preferences = self._worker._select_many(
            self._data, self._codes, *self._check_and_seed(rows, first)
        )
        return preferences

    @property
    def found_counts(self) -> list[int] | None:
        """How many features have an order on each resample of the last call; None if all have."""
        counts: list[int] | None = getattr(self._worker, "_found_counts", None)
        return counts

    def score(self, rows: RowLists, first: int = 0) -> Weights:
        """Return the scores of a `Scorer` on each resample."""
        scores = self._worker._score_many(
            self._data, self._codes, *self._check_and_seed(rows, first)
        )
        return Weights(scores, feature_names=self.feature_names)

    def _check_and_seed(
        self, rows: RowLists, first: int
    ) -> tuple[list[IndexArray], list[np.random.Generator]]:
        """Return the checked rows, and one generator per resample, seeded by its position."""
        codes = self._codes if self._worker._needs_classes else None
        checked = check_rows(rows, self._data.shape[0], codes)
        # the position, not the block, seeds a resample: results do not depend on how blocks are cut
        return checked, list(generators(self._worker.random_state, len(checked), first))


def check_classes(codes: IndexArray, name: str = "y") -> None:
    """Raise if there is only one class, or a class with a single sample."""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if len(counts) < 2:
        raise InvalidInputError(
            f"{name} holds one class only; selecting features needs at least two."
        )
    if counts.min() < 2:
        remedy = "Drop or merge rare classes" if name == "y" else "Draw stratified resamples"
        raise InvalidInputError(
            f"{name} holds a class with a single sample; each class needs at least two. {remedy}."
        )


def check_class_weights(codes: IndexArray, weights: FloatArray, name: str) -> None:
    """Raise if all samples of a class have the weight 0."""
    classes = np.unique(codes)
    without = classes[np.bincount(codes, weights)[classes] <= 0]
    if len(without):
        raise InvalidInputError(
            f"{name} holds {'classes' if len(without) > 1 else 'a class'} whose samples all have "
            "the weight 0, so nothing can be learned of it. Leave samples of weight 0 out of the "
            "data, or give them a small weight."
        )


def ignored_weights_sentence(listed: str, count: int) -> str:
    """Return the sentence on selectors and classifiers that do not use the weights of samples."""
    return (
        f"{listed} {'ignores' if count == 1 else 'ignore'} the sample weights: "
        "all samples count the same there."
    )


def check_rows(rows: RowLists, n_samples: int, codes: IndexArray | None) -> list[IndexArray]:
    """Check the rows of resamples: in range and, if classes are needed, with usable classes."""
    checked = [np.asarray(indices) for indices in rows]
    if not checked:
        raise InvalidInputError("at least one resample is needed, got none.")
    for position, indices in enumerate(checked):
        are_indices = indices.dtype.kind in "iu" and indices.ndim == 1 and indices.size > 0
        if not are_indices or indices.min() < 0 or indices.max() >= n_samples:
            raise InvalidInputError(
                f"resample {position} must be row numbers from 0 to {n_samples - 1:,}; "
                "for a mask use np.flatnonzero(mask)."
            )
        if codes is not None:
            check_classes(codes[indices], f"resample {position}")
    return [indices.astype(np.intp, copy=False) for indices in checked]


def map_resamples(
    hook: Callable[[MatrixLike, IndexArray, np.random.Generator], Result],
    X: MatrixLike,
    y: IndexArray,
    rows: RowLists,
    rngs: Sequence[np.random.Generator],
) -> list[Result]:
    """Call a hook on the data of each resample, with classes renumbered and its generator."""
    return [
        hook(X[indices], renumber_classes(y[indices]), generator)
        for indices, generator in zip(rows, rngs, strict=True)
    ]


def row_counts(rows: RowLists, n_samples: int, dtype: DTypeLike) -> AnyArray:
    """Return how often each resample (row) holds each sample (column)."""
    return np.array([np.bincount(indices, minlength=n_samples) for indices in rows], dtype=dtype)


def resample_subjects(subjects: AnyArray | None, rows: NDArray[np.integer]) -> AnyArray | None:
    """Return the subject of each row of a resample; copies of a row count as one subject.

    None if all rows are independent. Copies must stay together, or the same sample would be on
    both sides of a split.
    """
    if subjects is not None:
        labels: AnyArray = subjects[rows]
        return labels
    # copies of a sample in two parts would leak: they are kept together like a subject
    return rows if len(np.unique(rows)) < len(rows) else None


def renumber_classes(codes: IndexArray) -> IndexArray:
    """Number the classes that occur in a resample from 0, without gaps."""
    return np.unique(codes, return_inverse=True)[1]
