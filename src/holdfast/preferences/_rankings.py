"""Rankings: the order in which features are preferred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural, shortened
from holdfast.errors import InvalidInputError
from holdfast.preferences._features import Features
from holdfast.preferences._storage import empty_table
from holdfast.preferences._subsets import Subsets, stacked
from holdfast.preferences._tabular import Tabular, read_table
from holdfast.preferences._ties import RandomState, count_of, generators, ranks_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Rankings(Tabular):
    """m rankings of p features; rank 1 is the best.

    Parameters
    ----------
    data : array, frame, sequence, iterator or sequence of fitted estimators
        Ranks as an m x p array (a memory-mapped one of proper ranks is not copied), a pandas or
        polars frame, a sequence or an iterator of vectors; or fitted scikit-learn estimators
        with ``ranking_``; or a sequence of lists of all feature names, the best first.
        Tied features may share a rank in any of the usual ways; the average rank is stored.
    n_features : int, optional
        Number of features, checked against the data.
    feature_names : iterable of str, optional
        Names of the features.

    Raises
    ------
    InvalidInputError
        Ranks below 1 or above p, missing or infinite values, a name missing from an order.

    Examples
    --------
    >>> import holdfast as hf
    >>> r = hf.Rankings([["b", "a", "c"], ["b", "c", "a"]], feature_names=["a", "b", "c"])
    >>> r.values.tolist()
    [[2, 1, 3], [3, 1, 2]]
    >>> r.top(1)[0]
    array([1], dtype=int32)
    >>> hf.Rankings([[1, 1, 2]]).values.tolist()
    [[1.5, 1.5, 3.0]]
    """

    __slots__ = ()
    form = "ranking"

    def __init__(
        self,
        data: Any,  # noqa: ANN401  (many containers; the docstring lists them)
        *,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        if _is_orders(data):
            self._set(*_from_orders(data, Features.of(n_features, feature_names)))
            return
        table, features = read_table(data, ("ranking_",), n_features, feature_names)
        self._set(_proper(table), features)

    def top(self, k: float, *, random_state: RandomState = 0) -> Subsets:
        """Select the k best features of each preference.

        Parameters
        ----------
        k : int or float
            A count, or a fraction of the features (rounded to nearest, at least 1).
        random_state : int, Generator, RandomState or None, default 0
            Seed of the choice among features that tie for the last places.

        Returns
        -------
        Subsets
        """
        count = count_of(k, self.n_features)
        seeded = generators(random_state, len(self))
        rows = [_best(row, count, generator) for row, generator in zip(self, seeded, strict=True)]
        return Subsets._of(*stacked(rows), self._features)

    def _summary(self) -> tuple[str, str]:
        return (
            f"{plural(len(self), 'ranking')} of {plural(self.n_features, 'feature')}",
            'rankings.top(10) or hf.measure("spearman", rankings)',
        )


def _best(ranks: NDArray[Any], count: int, generator: np.random.Generator) -> NDArray[np.integer]:
    last = np.partition(ranks, count - 1)[count - 1]
    sure, tied = np.flatnonzero(ranks < last), np.flatnonzero(ranks == last)
    drawn = tied
    if len(sure) + len(tied) > count:
        drawn = generator.choice(tied, count - len(sure), replace=False)
    return np.sort(np.concatenate((sure, drawn))).astype(np.int32)


def _proper(table: NDArray[Any]) -> NDArray[Any]:
    """Return the table itself if all rows are permutations or average ranks; else re-rank it."""
    for index, row in enumerate(table):
        if row.min() < 1 or row.max() > len(row):
            raise InvalidInputError(
                f"row {index} holds ranks from {row.min()} to {row.max()}; "
                f"ranks run from 1 (best) to {len(row):,}."
            )
    if all(_is_permutation(row) for row in table):
        return table if isinstance(table, np.memmap) else table.astype(np.int32)
    generator = np.random.default_rng(0)  # average ranks leave nothing to chance
    proper = empty_table(table.shape, np.float64)
    for index, row in enumerate(table):
        proper[index] = ranks_of(-row.astype(np.float64), "average", generator)
    return proper


def _is_permutation(row: NDArray[Any]) -> bool:
    seen = np.zeros(len(row) + 1, dtype=bool)
    whole = row.astype(np.int64)
    seen[whole] = True
    return bool(seen[1:].all()) and (row.dtype.kind in "iu" or bool((whole == row).all()))


def _is_orders(data: Any) -> bool:  # noqa: ANN401
    if not isinstance(data, list | tuple) or not data:
        return False
    return all(
        isinstance(row, list | tuple) and row and all(isinstance(x, str) for x in row)
        for row in data
    )


def _from_orders(
    orders: Sequence[Sequence[str]], features: Features
) -> tuple[NDArray[np.int32], Features]:
    if features.names is None:
        features = Features(features.count, tuple(orders[0]))
    index_of = features.index_of()
    table = np.empty((len(orders), len(index_of)), dtype=np.int32)
    for position, order in enumerate(orders):
        odd = set(order) ^ set(index_of)
        if odd or len(order) != len(index_of):
            raise InvalidInputError(
                f"ranking {position} must name each of the {len(index_of):,} features once; "
                f"missing, unknown or repeated: {shortened(sorted(odd) or order)}."
            )
        table[position, [index_of[name] for name in order]] = np.arange(1, len(order) + 1)
    return table, features.with_count(len(index_of), "the rankings")
