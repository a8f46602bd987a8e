"""Which features are found in one group again and again: counted, then joined to groups."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Array

BLOCK = 1 << 22
"""Pairs of features that are counted together."""
BATCH = 1 << 10
"""Features of small parts that are looked at together."""
LIMIT = 10_000
"""Features of the largest part: their distances take 400 MB, and as much again to join them."""
ROUNDING = 1e-9
"""Mean shares that differ by less are equal."""


class Comembership:
    """How often features were in one group, over several results on the same features.

    Only the memberships are kept; counts of pairs are made from them where they are needed, so
    that nothing of size p x p is ever held.

    Parameters
    ----------
    results : sequence of sequences of arrays
        ``results[i][g]`` holds the features of group g of result i; groups may overlap.
    n_features : int
        Number of features, p.
    """

    def __init__(self, results: Sequence[Sequence[NDArray[np.integer]]], n_features: int) -> None:
        self._memberships = [_membership(groups, n_features) for groups in results]
        self._n_features = n_features

    @property
    def presence(self) -> Array:
        """The share of results that have a feature in some group."""
        found = [np.diff(one.indptr) > 0 for one in self._memberships]
        return np.asarray(np.mean(found, axis=0))

    def turned(self, features: NDArray[np.intp]) -> list[csr_array]:
        """Return tables of groups by features, one a result."""
        return [csr_array(one[features].T) for one in self._memberships]

    def counts(self, features: NDArray[np.intp], others: list[csr_array]) -> csr_array:
        """Return in how many results features have a group in common with others, turned."""
        total: Any = csr_array((len(features), others[0].shape[1]), dtype=np.int32)
        for one, other in zip(self._memberships, others, strict=True):
            together = one[features] @ other
            together.data[:] = 1  # two groups in common count once
            total = total + together
        return csr_array(total)

    def joined(self, agreement: float) -> list[NDArray[np.intp]]:
        """Return the groups of average linkage, joined down to a mean share of results.

        Two groups are joined while the mean over their pairs of features, one of each, of the
        share of results that have both in a group is at least `agreement`; the pair of groups with
        the highest mean goes first. A mean reaches `agreement` only where a pair does, so the
        parts that are connected by such pairs are joined one by one, which is exact; within a
        part all shares count, the low ones too.

        Raises
        ------
        InvalidInputError
            A part is too large for the table of its distances.
        """
        groups = []
        for parts in _batches(self._parts(agreement)):
            for own, distances in zip(parts, self._distances(parts), strict=True):
                labels = fcluster(
                    linkage(distances, "average"), 1 - agreement + ROUNDING, "distance"
                )
                groups += [own[labels == label] for label in np.unique(labels)]
        return groups + self._single(groups, agreement)

    def _parts(self, agreement: float) -> list[NDArray[np.intp]]:
        """Return the features that are connected by pairs of at least this share of results."""
        everyone = np.arange(self._n_features)
        labels: NDArray[np.integer] = everyone
        turned = self.turned(everyone)
        step = max(1, BLOCK // self._n_features)
        for start in range(0, self._n_features, step):
            counts = self.counts(everyone[start : start + step], turned).tocoo()
            strong = counts.data >= (agreement - ROUNDING) * len(self._memberships)
            labels = _connected(labels, counts.row[strong] + start, counts.col[strong])
        order = np.argsort(labels, kind="stable")
        bounds = np.flatnonzero(np.diff(labels[order])) + 1
        return [_checked(part) for part in np.split(order, bounds) if len(part) > 1]

    def _distances(self, parts: list[NDArray[np.intp]]) -> list[Array]:
        """Return the share of results that part features, as a condensed table of each part."""
        features, sizes = np.concatenate(parts), np.array([len(part) for part in parts])
        ends = np.repeat(np.cumsum(sizes), sizes)
        bounds = np.concatenate(([0], np.cumsum(sizes * (sizes - 1) // 2)))
        flat, at, turned = np.empty(bounds[-1]), 0, self.turned(features)
        step = max(1, BLOCK // len(features))
        for start in range(0, len(features), step):
            counts = self.counts(features[start : start + step], turned).toarray()
            for place, row in enumerate(counts, start):
                following = row[place + 1 : ends[place]]
                flat[at : at + len(following)] = 1 - following / len(self._memberships)
                at += len(following)
        return [flat[first:last] for first, last in pairwise(bounds)]

    def _single(self, groups: list[NDArray[np.intp]], agreement: float) -> list[NDArray[np.intp]]:
        """Return the features that are in some group often enough, but with no others."""
        alone = self.presence >= agreement - ROUNDING
        for group in groups:
            alone[group] = False
        return [np.array([feature]) for feature in np.flatnonzero(alone)]


def _membership(groups: Sequence[NDArray[np.integer]], n_features: int) -> csr_array:
    """Return a table of features by groups: 1 for members."""
    sizes = [len(group) for group in groups]
    members = np.concatenate([*groups, np.zeros(0, dtype=np.intp)]).astype(np.intp)
    of = np.repeat(np.arange(len(groups)), sizes)
    ones = np.ones(len(members), dtype=np.int32)
    return csr_array(coo_array((ones, (members, of)), shape=(n_features, max(1, len(groups)))))


def _connected(
    labels: NDArray[np.integer], left: NDArray[np.integer], right: NDArray[np.integer]
) -> NDArray[np.integer]:
    """Number the parts anew that some more pairs leave."""
    ones = np.ones(len(left), dtype=np.int8)
    pairs = coo_array((ones, (labels[left], labels[right])), shape=(len(labels), len(labels)))
    return np.asarray(connected_components(pairs, directed=False)[1][labels])


def _checked(part: NDArray[np.intp]) -> NDArray[np.intp]:
    if len(part) <= LIMIT:
        return part
    raise InvalidInputError(
        f"{len(part):,} features are linked to each other by groups that come back, more than the "
        f"{LIMIT:,} that can be joined in memory. Raise agreement, or choose a base that "
        "finds smaller groups."
    )


def _batches(parts: list[NDArray[np.intp]]) -> Iterator[list[NDArray[np.intp]]]:
    """Yield parts together as long as they are small."""
    batch: list[NDArray[np.intp]] = []
    for part in parts:
        if batch and sum(map(len, batch)) + len(part) > BATCH:
            yield batch
            batch = []
        batch.append(part)
    if batch:
        yield batch
