"""The data of a search, and the splits on which all its subsets are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HUGE, TINY = 1e100, 1e-100


class Parts(NamedTuple):
    """Rows of several splits, one split after the other: split s has ``rows[starts[s]:...]``."""

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, rows: Sequence[NDArray[np.intp]]) -> Parts:
        """Join the rows of all splits."""
        return cls(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


@dataclass(frozen=True, eq=False)
class Trials:
    """Labelled data, and splits of them that are drawn once.

    Attributes
    ----------
    X : ndarray of shape (n, p), float64
        The data.
    y : ndarray of shape (n,), intp
        Classes, numbered from 0.
    splits : sequence of (train, test)
        Rows to fit on and rows to test on, in order; no row is on both sides.
    labels : ndarray of shape (n,)
        Classes as the user calls them.
    """

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
    labels: NDArray[Any] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def train(self) -> Parts:
        """The rows to fit on."""
        return Parts.of([train for train, _ in self.splits])

    @property
    def test(self) -> Parts:
        """The rows to test on."""
        return Parts.of([test for _, test in self.splits])

    @property
    def can_be_squared(self) -> bool:
        """Whether values, and differences that are not 0, are neither huge nor tiny."""
        ranges = np.ptp(self.X, axis=0)
        return bool(np.abs(self.X).max() < HUGE and ranges[ranges > 0].min(initial=1.0) > TINY)

    def weights(self, *, balanced: bool) -> NDArray[np.float64]:
        """Return what a right prediction is worth, for the rows of `test`.

        Over a split these sum to 1: each test sample counts alike, or each class that is tested
        counts alike (`balanced`).
        """
        return np.concatenate([_weights(self.y[test], balanced) for _, test in self.splits])

    def scales(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and standard deviation of each feature, by the training part of each split.

        A row a split; the deviation of a constant feature is 1, as scikit-learn has it.
        """
        pairs = [_scale(self.X[train]) for train, _ in self.splits]
        means, deviations = zip(*pairs, strict=True)
        return np.array(means), np.array(deviations)


def _scale(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and deviation of each feature; of constants, up to rounding, it is 1."""
    n, eps = len(X), np.finfo(np.float64).eps
    mean = X.mean(axis=0)
    variance = np.square(X - mean).mean(axis=0)
    constant = variance <= n * eps * variance + (n * mean * eps) ** 2  # scikit-learn's bound
    return mean, np.where(constant, 1.0, np.sqrt(variance))


def _weights(tested: NDArray[np.intp], balanced: bool) -> NDArray[np.float64]:
    if not balanced:
        return np.full(len(tested), 1.0 / len(tested))
    counts = np.bincount(tested)
    return 1.0 / (np.count_nonzero(counts) * counts[tested])
