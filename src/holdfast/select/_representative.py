"""Features as points: standardised, and the member of a group that is most like the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROUNDING = 1e-12
"""What is this small beside the values is rounding: a spread of nothing, a tie."""


class Standard(NamedTuple):
    """What brings each feature to mean 0 and standard deviation 1: (x/size - mean)/spread."""

    size: Array
    """The largest absolute value, so that extreme units cost no digits; 1 where all are 0."""
    mean: Array
    spread: Array
    """Infinite for features whose values differ by no more than rounding: they become 0."""

    @classmethod
    def of(cls, X: Any) -> Standard:  # noqa: ANN401
        """Return the standard of data, samples in rows."""
        return cls._applied(_points(X))

    @classmethod
    def _applied(cls, points: Array) -> Standard:
        """Standardise features, one a row, in place; return how."""
        size = np.abs(points).max(axis=1)
        size[size == 0] = 1.0
        points /= size[:, None]
        constant = np.ptp(points, axis=1) <= ROUNDING
        mean = points.mean(axis=1)
        points -= mean[:, None]
        spread = np.sqrt(np.square(points).mean(axis=1))
        spread[constant] = np.inf
        points /= spread[:, None]
        return cls(size, mean, spread)

    def centre(self, X: Any, own: NDArray[np.intp]) -> Array:  # noqa: ANN401
        """Return the mean of some features, standardised, for each sample."""
        deviations = (X[:, own] / self.size[own] - self.mean[own]) / self.spread[own]
        return np.asarray(deviations.mean(axis=1))


def standardised(X: Any) -> tuple[Array, NDArray[np.bool_]]:  # noqa: ANN401
    """Return the features as points of mean 0 and standard deviation 1, one a row.

    The deviation divides by n, so the squared distance of two points is 2n(1 - r) for features
    of correlation r.

    Parameters
    ----------
    X : array of shape (n, p)
        Finite data, samples in rows.

    Returns
    -------
    points : array of shape (p, n)
        Features whose values differ by no more than rounding are rows of zeros.
    usable : array of bool, shape (p,)
        Which features are not constant.
    """
    points = _points(X)
    return points, np.isfinite(Standard._applied(points).spread)


def _points(X: Any) -> Array:  # noqa: ANN401
    """Return a copy of the data with features in rows."""
    return np.array(np.asarray(X).T, dtype=np.float64, order="C")


def representatives(points: Array, members: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return of each group the member with the highest mean correlation with the others.

    The sum of the correlations of one member with all members is its product with the sum of
    their points, so a group of m features costs m products, not m². Members that differ
    by no more than rounding are tied, and the first of them represents: so in every group of two.

    Parameters
    ----------
    points : array of shape (p, n)
        Standardised features in rows, as `standardised` gives them.
    members : sequence of arrays of int
        The sorted feature numbers of each group; none is empty.

    Returns
    -------
    array of int
        One feature a group.
    """
    return np.array([_central(points, own) for own in members], dtype=np.intp)


def likenesses(points: Array, own: NDArray[np.intp]) -> Array:
    """Return for each member the sum of n r over all members, r being correlations."""
    return np.asarray(points[own] @ points[own].sum(axis=0))


def _central(points: Array, own: NDArray[np.intp]) -> int:
    likeness = likenesses(points, own)
    tied = likeness >= likeness.max() - ROUNDING * len(own) * points.shape[1]
    return int(own[np.argmax(tied)])
