"""What all selectors share, whatever form their preference has: data, names, seeds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from holdfast._formatting import did_you_mean, format_list
from holdfast._object_spec import parse_list
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.preferences import Weights
from holdfast.preferences._ranks import RandomState, generators

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Rows = Sequence[NDArray[np.integer]]


# Features as parameters of selectors name them: by number, by name, as a mask, in groups.


class OfferedFeatures:
    """The features of some data, and those of them that a selector is offered.

    Parameters
    ----------
    n_features : int
        How many features the data have.
    names : sequence of str, optional
        Their names; without them features go by number alone.
    offered : ndarray of int, optional
        The features that a selector sees, in this order; None: all of them.
    """

    def __init__(
        self,
        n_features: int,
        names: Sequence[str] | NDArray[np.object_] | None = None,
        offered: NDArray[np.intp] | None = None,
    ) -> None:
        self.n_features = n_features
        self.numbers = {} if names is None else {name: i for i, name in enumerate(names)}
        self._places = None if offered is None else {int(f): at for at, f in enumerate(offered)}

    def read(self, given: Any, what: str) -> list[int]:  # noqa: ANN401
        """Return the numbers of some features; on the command line these are ``(name,name)``."""
        if given is None:
            return []
        if isinstance(given, str) and given not in self.numbers:
            given = [int(one) if one.isdecimal() else one for one in parse_list(given)]
        if isinstance(given, str) or not isinstance(given, Iterable):
            given = [given]
        if isinstance(given, np.ndarray) and given.dtype == bool:
            given = self._marked(given, what)
        numbers = [self._number(one, what) for one in given]
        if len(set(numbers)) < len(numbers):
            raise InvalidInputError(f"{what} names a feature twice: {format_list(list(given))}.")
        return numbers

    def read_groups(self, given: Any, what: str) -> list[list[int]]:  # noqa: ANN401
        """Return the numbers of groups of features; these are spelled ``((a,b),(c,d))``."""
        given = [] if given is None else given
        groups = parse_list(given) if isinstance(given, str) else list(given)
        if any(isinstance(one, str) and not one.startswith("(") for one in groups):
            raise InvalidInputError(f"{what} must be lists of features; received {given!r}.")
        return [self.read(group, what) for group in groups]

    def among(self, numbers: Iterable[int]) -> list[int]:
        """Return the places of features among those offered; those that are not are left out."""
        if self._places is None:
            return list(numbers)
        return [self._places[one] for one in numbers if one in self._places]

    def called(self, features: Iterable[int]) -> str:
        """Return some features by name, or by number where they have none."""
        names = {number: name for name, number in self.numbers.items()}
        return format_list([names.get(int(one), int(one)) for one in features])

    def _marked(self, mask: NDArray[np.bool_], what: str) -> NDArray[np.intp]:
        if mask.shape != (self.n_features,):
            raise InvalidInputError(
                f"{what} as a mask must have one value a feature, that is {self.n_features:,}; "
                f"received the shape {mask.shape}."
            )
        return np.flatnonzero(mask)

    def _number(self, one: Any, what: str) -> int:  # noqa: ANN401
        if isinstance(one, str):
            if one not in self.numbers:
                near = did_you_mean(one, self.numbers) if self.numbers else " The data have none."
                raise UnknownNameError(f"{what}: no feature is called {one!r}.{near}")
            return self.numbers[one]
        whole = isinstance(one, int | np.integer) and not isinstance(one, bool)
        if not whole or not 0 <= one < self.n_features:
            raise InvalidInputError(
                f"{what} must name features, or number them from 0 to {self.n_features - 1:,}; "
                f"received {one!r}."
            )
        return int(one)


def checked_nominal(nominal: ArrayLike | None, n_features: int) -> NDArray[np.bool_]:
    """Return a mask of the nominal features from indices or a mask."""
    mask = np.zeros(n_features, dtype=bool)
    given = np.asarray([] if nominal is None else nominal)
    if given.size == 0:
        return mask
    if not _is_mask(given, n_features) and not _are_indices(given, n_features):
        raise InvalidInputError(
            f"nominal must hold indices from 0 to {n_features - 1:,}, or be a boolean mask of "
            f"{n_features:,} features; got {nominal!r}."
        )
    mask[given] = True
    return mask


def _is_mask(given: NDArray[Any], n_features: int) -> bool:
    return given.dtype == bool and given.shape == (n_features,)


def _are_indices(given: NDArray[Any], n_features: int) -> bool:
    whole = given.dtype.kind in "iu" and given.ndim == 1
    return whole and bool(given.min() >= 0 and given.max() < n_features)


# What all selectors share, whatever form their preference has: data, names, seeds.

Verdict = TypeVar("Verdict")


class Selector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator that prefers some features to others.

    Children rank all features (:class:`holdfast.select.Ranker`), find groups of them
    (:class:`holdfast.select.Grouper`) or choose a subset
    (:class:`holdfast.select.SubsetSelector`). The parameter ``random_state`` belongs to every
    child.
    """

    random_state: RandomState
    _allow_nan = False
    _allow_sparse = False
    _needs_classes = True
    _size_parameter = "n_features_to_select"
    _subjects: NDArray[Any] | None = None
    """The subject of each sample of the data at hand, for selectors that take subjects."""

    @property
    def takes_missing(self) -> bool:
        """Whether the data may hold missing values (NaN)."""
        return self._allow_nan

    @property
    def takes_sparse(self) -> bool:
        """Whether the data may be a sparse matrix."""
        return self._allow_sparse

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return False

    @property
    def takes_nominal(self) -> bool:
        """Whether nominal features can be named, and are not taken for numbers."""
        return "nominal" in self.get_params(deep=False)

    @property
    def chooses_size(self) -> bool:
        """Whether the selector decides itself how much it selects."""
        return False

    @property
    @abstractmethod
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""

    def signed_statistics(
        self,
        X: NDArray[np.float64],  # noqa: ARG002
        y: NDArray[np.intp],  # noqa: ARG002
        rows: Rows,  # noqa: ARG002
    ) -> NDArray[np.float64] | None:
        """Return t statistics with their signs, where the selector ranks by their absolute values.

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

    def sized(self, size: int) -> Self:
        """Return an unfitted copy that selects so many features, or groups."""
        copy: Self = clone(self).set_params(**{self._size_parameter: size})
        return copy

    def among(self, columns: OfferedFeatures) -> Self:
        """Return an unfitted copy whose parameters number the features that are offered.

        Names become numbers; features that are not offered are left out. Selectors within this
        one are told, too.
        """
        within = {key: one for key, one in self.get_params().items() if isinstance(one, Selector)}
        numbered = self._numbered(columns)
        for key, one in within.items():
            numbered |= {f"{key}__{name}": new for name, new in one._numbered(columns).items()}
        copy: Self = clone(self).set_params(**numbered)
        return copy

    def _numbered(self, columns: OfferedFeatures) -> dict[str, Any]:
        """Return the parameters that name features, with the numbers of those offered."""
        nominal = getattr(self, "nominal", None)
        if nominal is None:
            return {}
        named = np.flatnonzero(checked_nominal(nominal, columns.n_features))
        return {"nominal": columns.among(named.tolist())}

    def try_out(self, X: Any, y: Any, groups: Any = None) -> None:  # noqa: ANN401
        """Refuse parameters that cannot be used, by a try on data that are little or noise."""
        self.on(X, y, groups if self.takes_subjects else None).judge([np.arange(len(y))])

    def on(self, X: Any, y: Any, groups: Any = None) -> Judge[Any]:  # noqa: ANN401
        """Return this selector on data that are checked once, ready for any resamples of them.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        groups : array-like of shape (n,), optional
            The subject of each sample, for selectors that take subjects.

        Returns
        -------
        Judge
        """
        return Judge(self, X, y, groups)

    @abstractmethod
    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Any:  # noqa: ANN401
        """Return what the selector prefers on each resample."""

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:  # noqa: ANN401
        checks = {
            "dtype": [np.float64, np.float32],
            "accept_sparse": "csc" if self.takes_sparse else False,
            "ensure_all_finite": "allow-nan" if self.takes_missing else True,
            "ensure_min_samples": 2,
        }
        if not self._needs_classes:
            data = validate_data(self, X, **checks)
            return data, np.zeros(data.shape[0], dtype=np.intp)
        data, target = validate_data(self, X, y, **checks)
        check_classification_targets(target)
        self.classes_, codes = np.unique(target, return_inverse=True)
        check_classes(codes)
        return data, codes

    def _set_subjects(self, groups: Any, X: Any) -> None:  # noqa: ANN401
        """Keep the subjects of the samples at hand; None where each sample is by itself."""
        if groups is None:
            self._subjects = None
            return
        if not self.takes_subjects:
            raise InvalidInputError(
                f"{type(self).__name__} draws no samples, so subjects mean nothing to it; leave "
                "groups out."
            )
        check_consistent_length(X, groups)
        self._subjects = np.asarray(groups)

    def _names(self) -> NDArray[np.object_] | None:
        return getattr(self, "feature_names_in_", None)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        support: NDArray[np.bool_] = self.support_
        return support

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_classes
        tags.input_tags.allow_nan = self.takes_missing
        tags.input_tags.sparse = self.takes_sparse
        return tags


class Judge(Generic[Verdict]):
    """A selector on one data set, ready to judge resamples of it; made by `Selector.on`."""

    def __init__(self, selector: Selector, X: Any, y: Any, groups: Any = None) -> None:  # noqa: ANN401
        self._worker = clone(selector)  # what the selector was fitted to stays
        self._data, self._codes = self._worker._validated(X, y)
        self._worker._set_subjects(groups, self._data)

    @property
    def n_features(self) -> int:
        """Number of features of the data."""
        return int(self._data.shape[1])

    @property
    def feature_names(self) -> NDArray[np.object_] | None:
        """Names of the features, None where the data have none."""
        names: NDArray[np.object_] | None = self._worker._names()
        return names

    def judge(self, rows: Rows, first: int = 0) -> Verdict:
        """Return what the selector prefers on each resample; see `Ranker.rank_resamples`."""
        verdict: Verdict = self._worker._judge(self._data, self._codes, *self._checked(rows, first))
        return verdict

    def score(self, rows: Rows, first: int = 0) -> Weights:
        """Return the scores of a `Scorer`."""
        scores = self._worker._score_many(self._data, self._codes, *self._checked(rows, first))
        return Weights(scores, feature_names=self.feature_names)

    def _checked(
        self, rows: Rows, first: int
    ) -> tuple[list[NDArray[np.intp]], list[np.random.Generator]]:
        codes = self._codes if self._worker._needs_classes else None
        checked = checked_rows(rows, self._data.shape[0], codes)
        return checked, list(generators(self._worker.random_state, len(checked), first))


def check_classes(codes: NDArray[np.intp], where: str = "y") -> None:
    """Refuse data with one class only, or a class with one sample only."""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if len(counts) < 2:
        raise InvalidInputError(
            f"{where} holds one class only; selecting features needs at least two."
        )
    if counts.min() < 2:
        remedy = "Drop or merge rare classes" if where == "y" else "Draw stratified resamples"
        raise InvalidInputError(
            f"{where} holds a class with a single sample; each class needs at least two. {remedy}."
        )


def checked_rows(
    rows: Rows, n_samples: int, codes: NDArray[np.intp] | None
) -> list[NDArray[np.intp]]:
    """Check the rows of resamples: in range, all with classes to tell apart where these count."""
    checked = [np.asarray(own) for own in rows]
    if not checked:
        raise InvalidInputError("at least one resample is needed, got none.")
    for position, own in enumerate(checked):
        whole = own.dtype.kind in "iu" and own.ndim == 1 and own.size > 0
        if not whole or own.min() < 0 or own.max() >= n_samples:
            raise InvalidInputError(
                f"resample {position} must be row numbers from 0 to {n_samples - 1:,}; "
                "for a mask use np.flatnonzero(mask)."
            )
        if codes is not None:
            check_classes(codes[own], f"resample {position}")
    return [own.astype(np.intp, copy=False) for own in checked]


def together(subjects: NDArray[Any] | None, rows: NDArray[np.integer]) -> NDArray[Any] | None:
    """Return which rows of a resample stay together: a subject's, and copies of one sample.

    None where each is by itself.
    """
    if subjects is not None:
        own: NDArray[Any] = subjects[rows]
        return own
    return rows if len(np.unique(rows)) < len(rows) else None


def present(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number the classes that occur in a resample from 0 on."""
    return np.unique(codes, return_inverse=True)[1]
