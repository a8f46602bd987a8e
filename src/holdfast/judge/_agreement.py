"""Agreement of top-k lists beyond chance, at each size k."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels.overlaps import extend_overlaps
from holdfast._typing import AnyArray, FloatArray, IntArray
from holdfast.judge._significance import means_without_each
from holdfast.measures import MIN_PREFERENCES, SubsetTables
from holdfast.preferences import Subsets

Lists = Sequence[NDArray[np.integer]]


NEXT_FEATURES_FACTOR = 3.0
"""The next features after k are those up to this multiple of k; chosen by hand."""


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
        The same, leaving out one resample or group each; r = 0 where there are too few.
    """

    sizes: IntArray
    n_features: int
    agreed: FloatArray
    replicates: FloatArray

    def share(self, agreed: FloatArray) -> FloatArray:
        """Return the share of the selected features that is agreed on."""
        return np.asarray(agreed / self.sizes)

    def share_of_next(self, agreed: FloatArray) -> FloatArray:
        """Return the share of the next features that is agreed on; NaN beyond the last size."""
        start, stop = self.sizes, self.stops
        later = np.array([np.interp(stop, start, row) for row in np.atleast_2d(agreed)])
        later = later.reshape(agreed.shape)
        with np.errstate(divide="ignore", invalid="ignore"):  # at p there is no next one
            share = (later - agreed) / (stop - start)
        return np.asarray(np.where(stop <= start[-1], share, np.nan))

    @property
    def stops(self) -> FloatArray:
        """Where the next features of each size end: three times the size, at most half way to p."""
        half_way = (self.sizes + self.n_features) / 2
        return np.asarray(np.minimum(NEXT_FEATURES_FACTOR * self.sizes, half_way), dtype=np.float64)


def agreement(groups: Sequence[NDArray[np.int32]], sizes: IntArray, n_features: int) -> Agreement:
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
    overlaps = [_mean_overlaps(group, sizes) for group in groups]
    mean = np.mean([group.mean(axis=0) for group in overlaps], axis=0)
    return Agreement(
        sizes,
        n_features,
        agreed_features(mean, sizes, n_features),
        agreed_features(_jackknife_overlaps(overlaps), sizes, n_features),
    )


def agreed_features(overlap: FloatArray, sizes: AnyArray, n_features: int) -> FloatArray:
    r"""Return how many always-selected features would explain an overlap, p c / (1 + c).

    With overlap r(k), :math:`c(k) = (r(k) - k^2/p)\, p / (p - k)^2` is constant on average while
    features are added at random: K features that all resamples select, followed by random ones,
    give K at each size k ≥ K. Features whose order is noise that overlapping resamples share make
    it grow; if all resamples agree it is k. It is at least -k.
    """
    p = float(n_features)
    excess = (overlap - sizes * (sizes / p)) * p / np.square(p - sizes)
    with np.errstate(
        divide="ignore"
    ):  # lists with the smallest overlap that lists of k of p can have
        agreed = p * excess / np.maximum(1 + excess, 0.0)
    return np.asarray(np.maximum(agreed, -sizes), dtype=np.float64)


def _mean_overlaps(group: NDArray[np.int32], sizes: IntArray) -> FloatArray:
    """Return the mean overlap of each resample with the others, at each size."""
    tables = overlaps_by_size(group, sizes)
    shared = [table.sum(axis=1) - size for table, size in zip(tables, sizes, strict=True)]
    return np.array(shared).T / (len(group) - 1)


def _jackknife_overlaps(overlaps: list[FloatArray]) -> FloatArray:
    """Return mean overlaps that leave out each group, or each resample of a single group."""
    if len(overlaps) > 1:
        return means_without_each(np.array([group.mean(axis=0) for group in overlaps]))
    by_resample = overlaps[0]
    m = len(by_resample)
    if m < MIN_PREFERENCES:
        return by_resample[:0]
    return np.asarray((by_resample.sum(axis=0) - 2 * by_resample) / (m - 2))


class TopTables(SubsetTables):
    """Subset tables of lists cut at one size, with known overlaps.

    The subsets themselves are only built for measures that need them.
    """

    def __init__(self, lists: NDArray[np.int32], n_features: int, overlaps: IntArray) -> None:
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
    def _frequencies(self) -> IntArray:
        """How often each of all features was selected."""
        counts = np.zeros(self.p, dtype=np.int64)
        for row in self._lists:
            counts[row] += 1
        return counts

    @cached_property
    def union(self) -> AnyArray:
        """Features selected at least once, ascending."""
        return np.flatnonzero(self._frequencies)

    @property
    def counts(self) -> AnyArray:
        """How often each feature of the union was selected, h."""
        return np.asarray(self._frequencies[self.union])

    def sums_by_subset(self, values: AnyArray) -> FloatArray:
        """Sum `values`, one per feature of the union, over the features of each subset."""
        spread = np.zeros(self.p)
        spread[self.union] = values
        return np.array([spread[row].sum() for row in self._lists])

    def overlaps(self, rows: slice) -> FloatArray:
        """Sizes of the intersections of the subsets in `rows` with all subsets."""
        return self._known[rows].astype(np.float64)


def stack_lists(lists: Lists, depth: int) -> NDArray[np.int32]:
    """Return lists, cut at `depth`, as the rows of a table."""
    return np.array([row[:depth] for row in lists], dtype=np.int32)


def overlaps_by_size(lists: NDArray[np.int32], sizes: Iterable[int]) -> Iterator[IntArray]:
    """Yield the overlaps of all pairs of lists cut at each size; sizes ascend.

    The same table is reused, so copy what is to be kept.
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
    """Renumber the features that occur without gaps, to save memory."""
    seen = np.zeros(int(lists.max(initial=0)) + 1, dtype=bool)
    seen[lists] = True
    if seen.all():
        return lists
    return (np.cumsum(seen, dtype=np.int32) - 1)[lists]


def tables_by_size(
    lists: NDArray[np.int32], n_features: int, sizes: Iterable[int]
) -> Iterator[TopTables]:
    """Yield the subset tables of the lists cut at each size; sizes ascend."""
    sizes = list(sizes)
    for size, overlaps in zip(sizes, overlaps_by_size(lists, sizes), strict=True):
        yield TopTables(lists[:, :size], n_features, overlaps)
