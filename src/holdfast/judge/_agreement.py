"""How much of what is selected do resamples agree on, at each size, beyond chance?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.overlaps import extend_overlaps
from holdfast.judge._significance import means_without_each
from holdfast.measures._interval import MIN_PREFERENCES
from holdfast.measures._subset_tables import SubsetTables
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Lists = Sequence[NDArray[np.integer]]


NEXT_FEATURES_FACTOR = 3.0  # the next features are those up to so many times as many


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
        return np.asarray(np.minimum(NEXT_FEATURES_FACTOR * self.sizes, half_way), dtype=np.float64)


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


# Lists of features, the best first, cut at many sizes: overlaps of all pairs in one pass.


class TopTables(SubsetTables):
    """What measures need of lists that are cut at one size, their overlaps being known.

    The subsets themselves are only made for measures that look further.
    """

    def __init__(
        self, lists: NDArray[np.int32], n_features: int, overlaps: NDArray[np.int64]
    ) -> None:
        self.m, size = lists.shape
        self.n_features = n_features
        self.sizes = np.full(self.m, size)
        self.q = self.m * size
        self._lists = lists
        self._known = overlaps

    @cached_property
    def subsets(self) -> Subsets:  # type: ignore[override]
        """The subsets."""
        return Subsets(list(self._lists), n_features=self.n_features)

    @cached_property
    def _frequencies(self) -> NDArray[np.int64]:
        """How often each of all features was selected."""
        counts = np.zeros(self.p, dtype=np.int64)
        for row in self._lists:
            counts[row] += 1
        return counts

    @cached_property
    def union(self) -> NDArray[Any]:
        """Features selected at least once, ascending."""
        return np.flatnonzero(self._frequencies)

    @property
    def counts(self) -> NDArray[Any]:
        """How often each feature of the union was selected, h."""
        return np.asarray(self._frequencies[self.union])

    def within(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Sum `values`, one per feature of the union, over the features of each subset."""
        spread = np.zeros(self.p)
        spread[self.union] = values
        return np.array([spread[row].sum() for row in self._lists])

    def overlaps(self, rows: slice) -> NDArray[np.float64]:
        """Sizes of the intersections of the subsets in `rows` with all subsets."""
        return self._known[rows].astype(np.float64)


def stack_lists(lists: Lists, depth: int) -> NDArray[np.int32]:
    """Return lists as the rows of a table, each as far as depth."""
    return np.array([row[:depth] for row in lists], dtype=np.int32)


def overlaps_by_size(lists: NDArray[np.int32], sizes: Iterable[int]) -> Iterator[NDArray[np.int64]]:
    """Yield the overlaps of all pairs of lists cut at each size; sizes ascend.

    The table is the same each time, so copy what is to be kept.
    """
    numbered = _number_features(lists)
    m = len(lists)
    table = np.zeros((m, m), dtype=np.int64)
    owners = np.zeros((int(numbered.max(initial=0)) + 1, m), dtype=np.uint8)
    done = 0
    for size in sizes:
        extend_overlaps(table, owners, numbered, done, size)
        done = size
        yield table


def _number_features(lists: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the features that occur, without gaps, so that those that do not take no room."""
    seen = np.zeros(int(lists.max(initial=0)) + 1, dtype=bool)
    seen[lists] = True
    if seen.all():
        return lists
    return (np.cumsum(seen, dtype=np.int32) - 1)[lists]


def tables_by_size(
    lists: NDArray[np.int32], n_features: int, sizes: Iterable[int]
) -> Iterator[TopTables]:
    """Yield what measures need of the lists cut at each size; sizes ascend."""
    sizes = list(sizes)
    for size, overlaps in zip(sizes, overlaps_by_size(lists, sizes), strict=True):
        yield TopTables(lists[:, :size], n_features, overlaps)
