"""Selectors that give a subset and no order, of a size that they choose themselves."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast.preferences import Subsets
from holdfast.preferences._ties import generators
from holdfast.select._selector import Judge, Selector, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Rows


class SubsetSelector(Selector):
    """A selector that gives a subset of the features; children say how.

    ``fit`` validates and asks the hook for the subset. The parameters ``n_features_to_select``
    and ``random_state`` belong to every child; sizes that a study asks for do not apply, since
    the subset of a size need not hold the one of a smaller size.
    """

    n_features_to_select: Any

    @abstractmethod
    def _choose(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        subjects: NDArray[Any] | None,
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Return which features are chosen.

        `y` numbers ``classes_``, of which a resample may lack some; `subjects` says which samples
        belong together.
        """

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return True

    @property
    def chooses_size(self) -> bool:
        """Whether the selector decides itself how much it selects."""
        return True

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return False

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: ANN401
        """Choose a subset of the features.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample: a subject is never on both sides of a split.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        data, codes = self._validated(X, y)
        self._learn(data, codes, next(generators(self.random_state, 1)))
        return self

    def _learn(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> None:  # noqa: ANN401
        """Set what a fit leaves behind; children that have more to tell do so here."""
        self.support_ = self._choose(X, y, self._subjects, generator)

    def on(self, X: Any, y: Any, groups: Any = None) -> Judge[Subsets]:  # noqa: ANN401
        """Return this selector on data that are checked once; see `Selector.on`."""
        return Judge(self, X, y, groups)

    def select_resamples(
        self,
        X: Any,  # noqa: ANN401
        y: Any,  # noqa: ANN401
        rows: Rows,
        *,
        first: int = 0,
    ) -> Subsets:
        """Choose a subset on each of many resamples, as that many fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times, and its copies then stay on
            one side of every split.
        first : int, default 0
            Position of the first resample, where these are a part of a longer list: resamples
            are seeded by their positions, so the parts together give what the whole gives.

        Returns
        -------
        Subsets
        """
        return self.on(X, y).judge(rows, first)

    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Subsets:
        chosen = [
            self._choose(X[own], y[own], together(self._subjects, own), generator)
            for own, generator in zip(rows, seeded, strict=True)
        ]
        return Subsets(np.array(chosen), feature_names=self._names())
