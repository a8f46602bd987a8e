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
from holdfast.preferences._tabular import check_finite
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

    @property
    def takes_missing(self) -> bool:
        """Whether the data may hold missing values (NaN)."""
        return self._allow_nan

    @property
    def chooses_size(self) -> bool:
        """Whether the selector decides itself how many features it selects."""
        return False

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return type(self)._rank_many is not Ranker._rank_many

    def rank_resamples(self, X: Any, y: Any, rows: Rows, *, first: int = 0) -> Rankings:  # noqa: ANN401
        """Rank the features on each of many resamples, as that many fits would.

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
        Rankings
        """
        return self.judge_resamples(X, y, rows, first=first)[1]

    def on(self, X: Any, y: Any) -> Judge:  # noqa: ANN401
        """Return this selector on data that are checked once, ready for any resamples of them.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.

        Returns
        -------
        Judge
        """
        return Judge(self, X, y)

    def judge_resamples(
        self,
        X: Any,  # noqa: ANN401
        y: Any,  # noqa: ANN401
        rows: Rows,
        *,
        first: int = 0,
    ) -> tuple[Weights | None, Rankings]:
        """Return weights, where there are any, and ranks on each of many resamples.

        Parameters are those of `rank_resamples`.
        """
        return self.on(X, y).judge(rows, first)

    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> tuple[Weights | None, Rankings]:
        return None, Rankings(self._rank_many(X, y, rows, seeded), feature_names=self._names())

    def _rank_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> NDArray[Any]:
        """Return the ranks on each resample; children share work between resamples here."""
        return np.array(
            [
                self._rank(X[own], present(y[own]), generator)
                for own, generator in zip(rows, seeded, strict=True)
            ]
        )

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
        check_finite(self.scores_[None])
        return ranks_of(self.scores_, "random", generator)

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return type(self)._score_many is not Scorer._score_many

    def score_resamples(self, X: Any, y: Any, rows: Rows, *, first: int = 0) -> Weights:  # noqa: ANN401
        """Score the features on each of many resamples in one call, as that many fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.
        first : int, default 0
            Position of the first resample, as for `rank_resamples`.

        Returns
        -------
        Weights
            One row of scores a resample.
        """
        return self.on(X, y).score(rows, first)

    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> tuple[Weights | None, Rankings]:
        scores = self._score_many(X, y, rows, seeded)
        weights = Weights(scores, feature_names=self._names())
        ranks = np.empty(scores.shape, dtype=np.int32)
        for row, generator in enumerate(seeded):  # as scoring left them
            ranks[row] = ranks_of(scores[row], "random", generator)
        return weights, Rankings(ranks, feature_names=self._names())


class Judge:
    """A selector on one data set, ready to judge resamples of it; made by `Ranker.on`."""

    def __init__(self, selector: Ranker, X: Any, y: Any) -> None:  # noqa: ANN401
        self._worker = clone(selector)  # what the selector was fitted to stays
        self._data, self._codes = self._worker._validated(X, y)

    def judge(self, rows: Rows, first: int = 0) -> tuple[Weights | None, Rankings]:
        """Return weights, where there are any, and ranks; see `Ranker.rank_resamples`."""
        checked, seeded = self._checked(rows, first)
        judged: tuple[Weights | None, Rankings] = self._worker._judge(
            self._data, self._codes, checked, seeded
        )
        return judged

    def score(self, rows: Rows, first: int = 0) -> Weights:
        """Return the scores of a `Scorer`."""
        checked, seeded = self._checked(rows, first)
        scores = self._worker._score_many(self._data, self._codes, checked, seeded)
        return Weights(scores, feature_names=self._worker._names())

    def _checked(
        self, rows: Rows, first: int
    ) -> tuple[list[NDArray[np.intp]], list[np.random.Generator]]:
        checked = checked_rows(rows, self._codes)
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
