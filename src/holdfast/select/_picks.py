"""What a base selector picks on each subsample, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import generators, ranks_of
from holdfast.select._adapter import AnySelector
from holdfast.select._base import Ranker
from holdfast.select._given import as_selector, given_by
from holdfast.select._penalty_path import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Rows = Sequence[NDArray[np.intp]]


class Data(NamedTuple):
    """A data set: samples, codes of classes or numbers, and the classes, None for numbers."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    subjects: NDArray[Any] | None


class Picks(NamedTuple):
    """The features picked on each subsample: a row a subsample, a column a feature.

    `positions` is 1 for the feature picked first, 2 for the next, and `NEVER` for those not picked.
    `penalties` are those at which features entered, relative to the largest; None without a path.
    """

    positions: NDArray[np.int32]
    penalties: Array | None

    def first(self, q: int) -> Picks:
        """Return the picks of the first q places only."""
        late = self.positions > q
        penalties = None if self.penalties is None else np.where(late, 0.0, self.penalties)
        return Picks(np.where(late, NEVER, self.positions), penalties)

    def counts(self) -> NDArray[np.int64]:
        """Return how often each feature is picked."""
        counts: NDArray[np.int64] = np.count_nonzero(self.positions < NEVER, axis=0)
        return counts

    def counts_by_size(self, most: int) -> NDArray[np.int64]:
        """Return how often each feature is among the first 1, 2, ..., most; a row a number."""
        table = np.zeros((most, self.positions.shape[1]), dtype=np.int64)
        sample, feature = np.nonzero(self.positions <= most)
        np.add.at(table, (self.positions[sample, feature] - 1, feature), 1)
        return np.cumsum(table, axis=0)


def base_of(given: Any, usual: Callable[[], Ranker]) -> Ranker:  # noqa: ANN401
    """Return the base selector that is meant; it must rank features."""
    base = usual() if given is None else as_selector(given)
    if isinstance(base, Ranker):
        return base
    raise InvalidInputError(
        f"stability selection needs a base that ranks features; {given_by(base)}."
    )


def regresses(base: Ranker, y: Any) -> bool:  # noqa: ANN401
    """Tell whether a target holds numbers for a base, not classes."""
    values = np.asarray(y)
    if _fractional(values):
        return True
    wrapped = getattr(base, "estimator", None)
    if hasattr(wrapped, "fit"):
        return bool(is_regressor(wrapped))
    gaussian = getattr(base, "family", None) == "gaussian"
    return gaussian and values.dtype.kind in "iuf" and len(np.unique(values)) > 2


def _fractional(values: NDArray[Any]) -> bool:
    """Tell whether numbers have fractions, or are too large for any."""
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return False
    return bool(((values % 1 != 0) | (np.abs(np.spacing(values)) >= 1)).any())


def picked(base: Ranker, data: Data, rows: Rows, most: int, seed: int) -> Picks:
    """Pick at most so many features on each of many subsamples."""
    base.set_params(random_state=seed)
    if hasattr(base, "entered"):
        return Picks(*base.entered(data.X, data.y, rows, most))
    if data.classes is None:
        ranks = _numeric_ranks(base, data, rows, seed)
    else:
        ranks = _ranks(base, data, rows)
    return Picks(np.where(ranks <= most, ranks, NEVER).astype(np.int32, copy=False), None)


def _ranks(base: Ranker, data: Data, rows: Rows) -> NDArray[Any]:
    subjects = data.subjects if base.takes_subjects else None
    return base.on(data.X, data.y, subjects).judge(rows)[1].values


def _numeric_ranks(base: Ranker, data: Data, rows: Rows, seed: int) -> NDArray[Any]:
    """Rank by an estimator or a function, which take any target."""
    if not isinstance(base, AnySelector):
        raise InvalidInputError(
            f"{type(base).__name__} needs classes, and y holds numbers that are none. For such a "
            "target leave the base out, or give an estimator or a function for regression."
        )
    return np.array(
        [
            ranks_of(base._score(data.X[own], data.y[own], generator), "random", generator)
            for own, generator in zip(rows, generators(seed, len(rows)), strict=True)
        ]
    )
