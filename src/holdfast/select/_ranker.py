"""Selectors that rank or score all features, on one data set or on many resamples at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast.preferences import Rankings, Weights
from holdfast.preferences._ranks import count_of, generators, ranks_of
from holdfast.preferences._scores import check_finite
from holdfast.select._selector import Judge, Selector, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Array, Rows


class Ranker(Selector):
    """A selector that ranks features; children say how.

    ``fit`` validates, asks the hook for ranks and keeps the best. The parameters
    ``n_features_to_select`` and ``random_state`` belong to every child.
    """

    n_features_to_select: float | None

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
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return type(self)._rank_many is not Ranker._rank_many

    def on(
        self,
        X: Any,  # noqa: ANN401
        y: Any,  # noqa: ANN401
        groups: Any = None,  # noqa: ANN401
    ) -> Judge[tuple[Weights | None, Rankings]]:
        """Return this selector on data that are checked once; see `Selector.on`."""
        return Judge(self, X, y, groups)

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

    def _count(self, n_features: int) -> int:
        if self.n_features_to_select is None:
            return max(1, n_features // 2)
        return count_of(self.n_features_to_select, n_features, "n_features_to_select")


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
