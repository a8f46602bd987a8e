"""Base classes of selectors that rank or score all features, or cut at a score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np

from holdfast._formatting import format_list
from holdfast._random import generators
from holdfast._typing import AnyArray, FloatArray, IndexArray, LabelsLike, MatrixLike, RowLists
from holdfast._validation import check_finite_number
from holdfast.errors import InvalidInputError
from holdfast.preferences import Rankings, Weights, as_feature_count, check_finite, rank_weights
from holdfast.select._selector import BoundSelector, Selector, map_resamples


class Ranker(Selector):
    """Base class of selectors that rank all features.

    Children implement ``_rank``; ``fit`` validates the data, calls it and selects the features
    of the best ranks. Every child has the parameters ``n_features_to_select`` and
    ``random_state``.
    """

    n_features_to_select: float | None

    @abstractmethod
    def _rank(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        """Return the ranks of all features, 1 the best."""

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
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
        data, codes = self._validate_data(X, y)
        if self.n_features_to_select is not None:  # fail before the work, not after it
            as_feature_count(self.n_features_to_select, data.shape[1], "n_features_to_select")
        # the stream of resample 0: a fit equals the first resample of a batch of the same data
        generator = next(generators(self.random_state, 1))
        self.ranking_ = self._rank(data, codes, generator)
        self.support_ = self.ranking_ <= self._count(data.shape[1])
        return self

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return type(self)._rank_many is not Ranker._rank_many

    def bind(
        self,
        X: MatrixLike,
        y: LabelsLike,
        groups: LabelsLike = None,
        sample_weight: FloatArray | None = None,
    ) -> BoundSelector[tuple[Weights | None, Rankings]]:
        """Bind this selector to data; see `Selector.bind`."""
        return BoundSelector(self, X, y, groups, sample_weight)

    def rank_resamples(
        self, X: MatrixLike, y: LabelsLike, rows: RowLists, *, first: int = 0
    ) -> Rankings:
        """Rank the features on each resample, as separate fits would.

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
        Rankings
        """
        return self.select_resamples(X, y, rows, first=first)[1]

    def select_resamples(
        self, X: MatrixLike, y: LabelsLike, rows: RowLists, *, first: int = 0
    ) -> tuple[Weights | None, Rankings]:
        """Return the weights, if the selector gives any, and the ranks on each resample.

        The parameters are those of `rank_resamples`.
        """
        return self.bind(X, y).select_resamples(rows, first)

    def _select_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> tuple[Weights | None, Rankings]:
        return None, Rankings(
            self._rank_many(X, y, rows, rngs), feature_names=self._feature_names()
        )

    def _rank_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> AnyArray:
        """Return the ranks on each resample; children override it to share work."""
        return np.array(map_resamples(self._rank, X, y, rows, rngs))

    def _count(self, n_features: int) -> int:
        if self.n_features_to_select is None:
            return max(1, n_features // 2)
        return as_feature_count(self.n_features_to_select, n_features, "n_features_to_select")


class Scorer(Ranker):
    """Base class of selectors that score each feature, higher being better."""

    @abstractmethod
    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        """Return the scores of all features."""

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        """Return the scores on each resample; children override it to share work."""
        return np.array(map_resamples(self._score, X, y, rows, rngs))

    def _rank(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        self.scores_ = self._score(X, y, generator)
        check_finite(self.scores_[None])
        return rank_weights(self.scores_, "random", generator)

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return type(self)._score_many is not Scorer._score_many

    def score_resamples(
        self, X: MatrixLike, y: LabelsLike, rows: RowLists, *, first: int = 0
    ) -> Weights:
        """Score the features on each resample, as separate fits would.

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
            One row of scores per resample.
        """
        return self.bind(X, y).score(rows, first)

    def _select_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> tuple[Weights | None, Rankings]:
        scores = self._score_many(X, y, rows, rngs)
        weights = Weights(scores, feature_names=self._feature_names())
        # ranks of all resamples are kept: half the memory of 64 bits
        ranks = np.empty(scores.shape, dtype=np.int32)
        # ties are broken with the generator that scored, in its state after scoring, as in `fit`
        for row, generator in enumerate(rngs):
            ranks[row] = rank_weights(scores[row], "random", generator)
        return weights, Rankings(ranks, feature_names=self._feature_names())


# Filters that select by a cut instead of a count: scores above a threshold, or p-values.


class ThresholdScorer(Scorer):
    """Base class of filters that select a number of features, or all with high enough scores.

    Children have the parameters ``threshold`` and ``n_features_to_select``, of which only one may
    be set. With a threshold the data decide the number of features, which may be 0.
    """

    _cut_parameters: tuple[str, ...] = ("threshold",)
    threshold: float | None

    @property
    def selects_own_size(self) -> bool:
        """Whether a cut, and not a count, determines the number of selected features."""
        return any(getattr(self, name) is not None for name in self._cut_parameters)

    def with_size(self, size: int) -> Self:
        """Return an unfitted copy that selects this many features, without a cut."""
        copy: Self = super().with_size(size).set_params(**dict.fromkeys(self._cut_parameters))
        return copy

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Score the features of labelled data, and select the best, or those above the cut.

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
        self._check_cut()
        super().fit(X, y)
        self._apply_cut()
        return self

    def _check_cut(self) -> None:
        """Raise if a cut is not usable, or more than one rule is set."""
        rules = [*self._cut_parameters, "n_features_to_select"]
        given = [name for name in rules if getattr(self, name) is not None]
        if len(given) > 1:
            raise InvalidInputError(
                f"{format_list(given)} are different rules for what is selected; set one of them "
                "and leave the others None."
            )
        if self.threshold is not None:
            check_finite_number(self.threshold, "threshold")

    def _apply_cut(self) -> None:
        """Select by the cut, if one is set."""
        if self.threshold is not None:
            self.support_ = self.scores_ >= self.threshold
