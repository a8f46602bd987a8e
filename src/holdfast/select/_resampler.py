"""Scorers that draw samples of the data themselves: bags, or halves."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast.select._base import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Array, Rows


class Resampler(Scorer):
    """A scorer that draws samples itself, on each resample anew; children say how."""

    @abstractmethod
    def _scores_on(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[Any],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Array:
        """Return the scores on some rows of the data, which may repeat."""

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return True

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls: each is drawn from."""
        return False

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: ANN401
        """Score the features on samples drawn from the data, and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample: whole subjects are then drawn, each with all its samples.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        return super().fit(X, y)

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[Any],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Array:
        scores = np.empty((len(rows), X.shape[1]))
        for row, own, generator in zip(scores, rows, seeded, strict=True):
            row[:] = self._scores_on(X, y, own, generator)
        return scores
