"""How much of what is selected do resamples agree on, at each size, beyond chance?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.judge._jackknife import means_without_each
from holdfast.judge._top_lists import overlaps_by_size
from holdfast.measures._interval import MIN_PREFERENCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

REACH = 3.0  # the next features are those up to so many times as many


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of top-k lists of one selector against k, with replicates for its noise.

    Attributes
    ----------
    sizes : array of shape (s,)
        The sizes k, ascending.
    n_features : int
        Number of all features, p.
    agreed : array of shape (s,)
        Number of features agreed on beyond chance, see :func:`agreed_features`.
    replicates : array of shape (r, s)
        The same with one part of the resamples left out each; r = 0 where there are too few.
    """

    sizes: NDArray[np.int64]
    n_features: int
    agreed: Array
    replicates: Array

    def share(self, agreed: Array) -> Array:
        """Return the share of the selected features that is agreed on."""
        return np.asarray(agreed / self.sizes)

    def share_of_next(self, agreed: Array) -> Array:
        """Return the share of the next features that is agreed on; NaN beyond the last size."""
        start, stop = self.sizes, self.stops
        later = np.array([np.interp(stop, start, row) for row in np.atleast_2d(agreed)])
        later = later.reshape(agreed.shape)
        with np.errstate(divide="ignore", invalid="ignore"):  # at p there is no next one
            share = (later - agreed) / (stop - start)
        return np.asarray(np.where(stop <= start[-1], share, np.nan))

    @property
    def stops(self) -> Array:
        """For each size where the next features end: three times as many, half of the rest."""
        half_way = (self.sizes + self.n_features) / 2
        return np.asarray(np.minimum(REACH * self.sizes, half_way), dtype=np.float64)


def agreement(
    groups: Sequence[NDArray[np.int32]], sizes: NDArray[np.int64], n_features: int
) -> Agreement:
    """Compare top-k lists within groups of resamples, at each size.

    Parameters
    ----------
    groups : sequence of arrays of shape (m, depth)
        The features of each resample, best first; resamples of one array are compared.
    sizes : array
        Sizes below the number of features, none beyond depth.
    n_features : int
        Number of all features.
    """
    overlaps = [_overlaps(group, sizes) for group in groups]
    mean = np.mean([own.mean(axis=0) for own in overlaps], axis=0)
    return Agreement(
        sizes,
        n_features,
        agreed_features(mean, sizes, n_features),
        agreed_features(_without_each(overlaps), sizes, n_features),
    )


def agreed_features(overlap: Array, sizes: NDArray[Any], n_features: int) -> Array:
    r"""Return how many always-selected features would explain an overlap, p c / (1 + c).

    With overlap r(k), :math:`c(k) = (r(k) - k^2/p)\, p / (p - k)^2` does not change, on average,
    while features are added at random: K features that all resamples select, joined by random
    ones, give K at each size k ≥ K. Features whose order is noise, but the same noise in
    resamples that overlap, make it grow; if all agree it is k. It is never below -k.
    """
    p = float(n_features)
    excess = (overlap - sizes * (sizes / p)) * p / np.square(p - sizes)
    with np.errstate(divide="ignore"):  # lists that overlap as little as lists of k of p can
        agreed = p * excess / np.maximum(1 + excess, 0.0)
    return np.asarray(np.maximum(agreed, -sizes), dtype=np.float64)


def _overlaps(group: NDArray[np.int32], sizes: NDArray[np.int64]) -> Array:
    """Return the mean overlap of each resample with the others, at each size."""
    tables = overlaps_by_size(group, sizes)
    shared = [table.sum(axis=1) - size for table, size in zip(tables, sizes, strict=True)]
    return np.array(shared).T / (len(group) - 1)


def _without_each(overlaps: list[Array]) -> Array:
    """Return mean overlaps without each resample, or without each group where there are some."""
    if len(overlaps) > 1:
        return means_without_each(np.array([own.mean(axis=0) for own in overlaps]))
    own = overlaps[0]
    m = len(own)
    return own[:0] if m < MIN_PREFERENCES else (own.sum(axis=0) - 2 * own) / (m - 2)
