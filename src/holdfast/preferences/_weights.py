"""Weights: how good each feature is said to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural
from holdfast.preferences._rankings import Rankings
from holdfast.preferences._storage import empty_table
from holdfast.preferences._subsets import Subsets, stacked
from holdfast.preferences._tabular import Tabular, read_table
from holdfast.preferences._ties import RandomState, Ties, checked_ties, generators, ranks_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Weights(Tabular):
    """m vectors of weights for p features; a higher weight is better.

    Parameters
    ----------
    data : array, frame, sequence, iterator or sequence of fitted estimators
        An m x p array (a memory-mapped one is not copied), a pandas or polars frame with one
        column a feature, a sequence of vectors, an iterator of vectors (written to a temporary
        file as they come, so that m x p may exceed memory), or fitted scikit-learn estimators
        with ``scores_``, ``feature_importances_`` or ``coef_`` (absolute values, summed over
        classes).
    n_features : int, optional
        Number of features, checked against the data.
    feature_names : iterable of str, optional
        Names of the features.

    Raises
    ------
    InvalidInputError
        Missing or infinite values, rows of different lengths, no rows.

    Examples
    --------
    >>> import holdfast as hf
    >>> w = hf.Weights([[0.9, 0.1, 0.5], [0.8, 0.3, 0.1]])
    >>> w.to_rankings().values.tolist()
    [[1, 3, 2], [1, 2, 3]]
    >>> w.top(2)[0]
    array([0, 2], dtype=int32)
    """

    __slots__ = ()
    form = "weights"

    def __init__(
        self,
        data: Any,  # noqa: ANN401  (many containers; the docstring lists them)
        *,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        attributes = ("scores_", "feature_importances_", "coef_")
        self._set(*read_table(data, attributes, n_features, feature_names))

    def to_rankings(self, *, ties: Ties = "random", random_state: RandomState = 0) -> Rankings:
        """Rank the features of each preference.

        Parameters
        ----------
        ties : {"random", "average", "index"}, default "random"
            Equal weights get ranks in random order, their average rank, or ranks in the order
            of features. Ties by index create agreement that is not there, average ranks may.
        random_state : int, Generator, RandomState or None, default 0
            Seed of the random order; preference i is seeded by its position alone. So rank all
            preferences of a selector in one call, not in batches that each begin at position 0,
            and give two selectors that are to be compared two different seeds: else their ties
            are broken alike, which looks like agreement.

        Returns
        -------
        Rankings
        """
        ties = checked_ties(ties)
        dtype = np.float64 if ties == "average" else np.int32
        table = empty_table(self._values.shape, dtype)
        seeded = generators(random_state, len(self))
        for index, generator in enumerate(seeded):
            table[index] = ranks_of(self._values[index], ties, generator)
        return Rankings._of(table, self._features)

    def top(self, k: float, *, ties: Ties = "random", random_state: RandomState = 0) -> Subsets:
        """Select the k features of highest weight in each preference.

        Parameters
        ----------
        k : int or float
            A count, or a fraction of the features (rounded to nearest, at least 1).
        ties, random_state
            As in :meth:`to_rankings`; ``"average"`` leaves the choice among features that tie
            for the last places to chance, too.

        Returns
        -------
        Subsets
        """
        return self.to_rankings(ties=ties, random_state=random_state).top(
            k, random_state=random_state
        )

    def above(self, threshold: float) -> Subsets:
        """Select the features whose weight is at least `threshold`, as for scores."""
        return self._where(lambda row: row >= threshold)

    def below(self, threshold: float) -> Subsets:
        """Select the features whose value is at most `threshold`, as for p-values."""
        return self._where(lambda row: row <= threshold)

    def _where(self, test: Any) -> Subsets:  # noqa: ANN401
        rows: list[NDArray[np.integer]] = [
            np.flatnonzero(test(row)).astype(np.int32) for row in self
        ]
        return Subsets._of(*stacked(rows), self._features)

    def _summary(self) -> tuple[str, str]:
        return (
            f"{plural(len(self), 'vector')} of weights for {plural(self.n_features, 'feature')}",
            'weights.top(10) or hf.measure("pearson", weights)',
        )
