"""What all selectors share: validation, ranking, selection, many resamples at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.errors import InvalidInputError
from holdfast.preferences import Rankings, Weights
from holdfast.preferences._ties import RandomState, count_of, generators, ranks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Rows = Sequence[NDArray[np.integer]]


class Ranker(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A selector that ranks features; children say how.

    ``fit`` validates, asks the hook for ranks and keeps the best. The parameters
    ``n_features_to_select`` and ``random_state`` belong to every child.
    """

    n_features_to_select: float | None
    random_state: RandomState
    _allow_nan = False
    _allow_sparse = False

    @abstractmethod
    def _rank(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> NDArray[Any]:  # noqa: ANN401
        """Return the ranks of all features, 1 the best."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ANN401
        """Rank the features of labelled data and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.

        Returns
        -------
        self
        """
        data, codes = self._validated(X, y)
        if self.n_features_to_select is not None:  # a mistake is told before the work
            count_of(self.n_features_to_select, data.shape[1], "n_features_to_select")
        generator = next(generators(self.random_state, 1))
        self.ranking_ = self._rank(data, codes, generator)
        self.support_ = self.ranking_ <= self._count(data.shape[1])
        return self

    def rank_resamples(self, X: Any, y: Any, rows: Rows) -> Rankings:  # noqa: ANN401
        """Rank the features on each of many resamples, as that many fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.

        Returns
        -------
        Rankings
        """
        worker = clone(self)  # what this selector was fitted to stays
        data, codes = worker._validated(X, y)
        checked = checked_rows(rows, codes)
        seeded = generators(self.random_state, len(checked))
        ranks = [
            worker._rank(data[own], present(codes[own]), generator)
            for own, generator in zip(checked, seeded, strict=True)
        ]
        return Rankings(np.array(ranks), feature_names=worker._names())

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:  # noqa: ANN401
        data, target = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            accept_sparse="csc" if self._allow_sparse else False,
            ensure_all_finite="allow-nan" if self._allow_nan else True,
            ensure_min_samples=2,
        )
        check_classification_targets(target)
        self.classes_, codes = np.unique(target, return_inverse=True)
        check_classes(codes)
        return data, codes

    def _count(self, n_features: int) -> int:
        if self.n_features_to_select is None:
            return max(1, n_features // 2)
        return count_of(self.n_features_to_select, n_features, "n_features_to_select")

    def _names(self) -> NDArray[np.object_] | None:
        return getattr(self, "feature_names_in_", None)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        support: NDArray[np.bool_] = self.support_
        return support

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self._allow_nan
        tags.input_tags.sparse = self._allow_sparse
        return tags


class Scorer(Ranker):
    """A selector that gives each feature a score, higher being better; children say how."""

    @abstractmethod
    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401
        """Return the scores of all features."""

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Array:
        """Return the scores on each resample; children share work between resamples here."""
        return np.array(
            [
                self._score(X[own], present(y[own]), generator)
                for own, generator in zip(rows, seeded, strict=True)
            ]
        )

    def _rank(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> NDArray[Any]:  # noqa: ANN401
        self.scores_ = self._score(X, y, generator)
        return ranks_of(self.scores_, "random", generator)

    def score_resamples(self, X: Any, y: Any, rows: Rows) -> Weights:  # noqa: ANN401
        """Score the features on each of many resamples in one call, as that many fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.

        Returns
        -------
        Weights
            One row of scores a resample.
        """
        scores, _, names = self._scored(X, y, rows)
        return Weights(scores, feature_names=names)

    def rank_resamples(self, X: Any, y: Any, rows: Rows) -> Rankings:  # noqa: ANN401
        """Rank the features on each of many resamples, as that many fits would."""
        scores, seeded, names = self._scored(X, y, rows)
        for row, generator in enumerate(seeded):
            scores[row] = ranks_of(scores[row], "random", generator)
        return Rankings(scores, feature_names=names)

    def _scored(
        self,
        X: Any,  # noqa: ANN401
        y: Any,  # noqa: ANN401
        rows: Rows,
    ) -> tuple[Array, list[np.random.Generator], NDArray[np.object_] | None]:
        """Return scores by resample, the generators as scoring left them, and feature names."""
        worker = clone(self)  # what this selector was fitted to stays
        data, codes = worker._validated(X, y)
        checked = checked_rows(rows, codes)
        seeded = list(generators(self.random_state, len(checked)))
        return worker._score_many(data, codes, checked, seeded), seeded, worker._names()


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


def checked_rows(rows: Rows, codes: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Check the rows of resamples: in range, all with classes to tell apart."""
    checked = [np.asarray(own) for own in rows]
    if not checked:
        raise InvalidInputError("at least one resample is needed, got none.")
    for position, own in enumerate(checked):
        whole = own.dtype.kind in "iu" and own.ndim == 1 and own.size > 0
        if not whole or own.min() < 0 or own.max() >= len(codes):
            raise InvalidInputError(
                f"resample {position} must be row numbers from 0 to {len(codes) - 1:,}; "
                "for a mask use np.flatnonzero(mask)."
            )
        check_classes(codes[own], f"resample {position}")
    return [own.astype(np.intp, copy=False) for own in checked]


def present(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number the classes that occur in a resample from 0 on."""
    return np.unique(codes, return_inverse=True)[1]
