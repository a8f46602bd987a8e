"""Lists of features, the best first, cut at many sizes: overlaps of all pairs in one pass."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.profile import extend_overlaps
from holdfast.measures._tables import SubsetTables
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Lists = Sequence[NDArray[np.integer]]


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


def stacked(lists: Lists, depth: int) -> NDArray[np.int32]:
    """Return lists as the rows of a table, each as far as depth."""
    return np.array([row[:depth] for row in lists], dtype=np.int32)


def overlaps_by_size(lists: NDArray[np.int32], sizes: Iterable[int]) -> Iterator[NDArray[np.int64]]:
    """Yield the overlaps of all pairs of lists cut at each size; sizes ascend.

    The table is the same each time, so copy what is to be kept.
    """
    numbered = _numbered(lists)
    m = len(lists)
    table = np.zeros((m, m), dtype=np.int64)
    owners = np.zeros((int(numbered.max(initial=0)) + 1, m), dtype=np.uint8)
    done = 0
    for size in sizes:
        extend_overlaps(table, owners, numbered, done, size)
        done = size
        yield table


def _numbered(lists: NDArray[np.int32]) -> NDArray[np.int32]:
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
