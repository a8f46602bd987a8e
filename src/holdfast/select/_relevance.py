"""Groups that are scored by the relevance of their features to the classes."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.select._base import Scorer
from holdfast.select._given import as_selector, given_by
from holdfast.select._grouper import Grouped, Grouper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Array, Rows


class RelevanceGrouper(Grouper):
    """A selector that scores groups by what another selector says of their features.

    The parameter ``relevance`` belongs to every child. It may be a selector that draws samples
    itself; those of a subject, and copies of one sample in a resample, then stay together.
    Children work on rows of the data, not on a part of them, so that this is known.
    """

    relevance: Any

    @property
    def takes_subjects(self) -> bool:
        """Whether the relevance draws samples, and then keeps those of one subject together."""
        return self._scorer().takes_subjects

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return False

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:  # noqa: ANN401
        """Find groups of features and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample, where the selector or its relevance draws samples: they
            are then drawn subject by subject, each with all its samples.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        return super().fit(X, y)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._scorer()

    @abstractmethod
    def _group_rows(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Grouped:
        """Return all groups on some rows of the data, the best first."""

    def _group(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Grouped:  # noqa: ANN401
        return self._group_rows(X, y, np.arange(len(X)), generator)

    def _group_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> list[Grouped]:
        return [
            self._group_rows(X, y, own, generator)
            for own, generator in zip(rows, seeded, strict=True)
        ]

    def _relevances(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Array:
        """Return the score of each feature on some rows of the data."""
        scorer = self._scorer().set_params(random_state=int(generator.integers(2**31)))
        judge = scorer.on(X, y, self._subjects if scorer.takes_subjects else None)
        scores: Array = judge.score([own]).values[0]
        return scores

    def _scorer(self) -> Scorer:
        scorer = as_selector(self.relevance)
        if not isinstance(scorer, Scorer):
            raise InvalidInputError(
                "relevance must be a selector that scores features, such as 'f_score' or "
                f"'relieff'; {given_by(scorer)}."
            )
        return scorer


def mean_relevances(scores: Array, members: Sequence[NDArray[np.intp]]) -> Array:
    """Return the mean score of each group; scores may be the largest number there is."""
    return np.array([_mean(scores[own]) for own in members], dtype=np.float64)


def _mean(scores: Array) -> float:
    with np.errstate(over="ignore"):  # rounding may carry it beyond
        mean = (scores / len(scores)).sum()
    return float(np.clip(mean, scores.min(), scores.max()))


def best_first(
    members: Sequence[NDArray[np.intp]], representatives: NDArray[np.intp], scores: Array
) -> Grouped:
    """Put groups into the order of falling scores; equal ones by their representatives."""
    order = np.lexsort((representatives, -scores))
    return Grouped(tuple(members[i] for i in order), representatives[order], scores[order])
