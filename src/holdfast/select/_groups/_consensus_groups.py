"""Consensus groups: features that are in one group on many bags of the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, MatrixLike, SelectorLike
from holdfast._validation import check_integer, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.select._adapter import as_selector, wrong_kind_error
from holdfast.select._ensemble._members import bag_protocol, draw_bags
from holdfast.select._groups._group_selector import (
    GroupSelector,
    SelectedGroups,
    representatives,
    standardise_features,
)
from holdfast.select._groups._relevance_groups import RelevanceGrouper, mean_relevances, sort_groups
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from holdfast.select._groups._group_selector import Output


DEFAULT_BASE = "dense_groups"
"""The base that is used if none is given."""


@selector(
    name="consensus_groups",
    title="consensus feature groups",
    references=("loscalzo2009", "yu2008"),
)
class ConsensusGroups(RelevanceGrouper):
    r"""Find groups of features on many bags of the samples, and link features that recur together.

    A group selector is run on each of t bags. The agreement of two features i and j is the share
    of bags

    .. math:: w_{ij} = \frac{1}{t} \sum_{b=1}^{t} [\text{bag } b \text{ has a group with both}].

    Average linkage merges features into groups: the two groups A and B with the highest mean
    :math:`\overline{w_{ij}}` over i in A and j in B are merged, as long as that mean is at least
    `agreement`. The groups do not overlap. A group is scored by the mean relevance of its members.

    Parameters
    ----------
    base : GroupSelector or str, default None
        The group selector that is run on each bag, or its name as on the command line, such as
        ``"kmeans_groups:n_clusters=20"``. None is :class:`holdfast.DenseGroups`. If its
        `n_groups` is set, only that many groups of each bag are used.
    n_groups : int or None, default None
        How many groups to select, the most relevant first; None: all of them.
    n_bags : int, default 20
        Number of bags.
    bag_size : float or int, default 1.0
        Size of a bag: a fraction of the samples (rounded up), or a count. If samples belong to
        subjects, subjects are counted.
    replace : bool, default True
        Draw bags with replacement (bootstrap), or without (subsamples, smaller than the data).
        Both are stratified by class.
    agreement : float, default 0.5
        Mean share of the bags, above 0 and up to 1, at which groups are merged.
    min_size : int, default 1
        Smaller groups are left out. A single feature is a group if it belongs to a group on at
        least the share `agreement` of the bags, but with no other feature often enough.
    relevance : Scorer, estimator, callable or str, default "f_score"
        The selector that scores the features, or its name.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` returns: the representatives, all features of the selected groups, or
        the mean of the standardised features of each group.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the bags and of the base (it replaces the base's seed).

    Attributes
    ----------
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives: the
        members with the highest mean correlation with the others, on all samples.
    group_scores_ : array of shape (n_selected_groups,)
        The mean relevance of the members of each group, in descending order.
    representatives_ : array of shape (n_selected_groups,)
        The representative feature of each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    With few bags, shares are often equal, and the result may depend on which of several equal
    pairs is merged first; the order of the features decides. Average linkage is run on each set
    of features that are connected by pairs of at least the share `agreement`, which gives the
    same result as on all features. A connected set of more than 10,000 features is refused.

    References
    ----------
    S. Loscalzo, L. Yu, C. Ding (2009). Consensus group stable feature selection. KDD 2009,
    567-576.

    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> consensus = hf.ConsensusGroups(n_groups=2).fit(X, y)
    >>> consensus.get_feature_names_out().tolist()
    ['mean concavity', 'worst radius']
    >>> X.columns[consensus.groups_[0][0]].tolist()
    ['mean radius', 'mean perimeter', 'mean area', 'worst radius', 'worst perimeter', 'worst area']
    """

    def __init__(
        self,
        base: SelectorLike = None,
        *,
        n_groups: int | None = None,
        n_bags: int = 20,
        bag_size: float = 1.0,
        replace: bool = True,
        agreement: float = 0.5,
        min_size: int = 1,
        relevance: SelectorLike = "f_score",
        output: Output = "representatives",
        random_state: RandomState = 0,
    ) -> None:
        self.base = base
        self.n_groups = n_groups
        self.n_bags = n_bags
        self.bag_size = bag_size
        self.replace = replace
        self.agreement = agreement
        self.min_size = min_size
        self.relevance = relevance
        self.output = output
        self.random_state = random_state

    @property
    def supports_subjects(self) -> bool:
        """Whether it draws samples and keeps those of one subject together."""
        return True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.n_bags, "n_bags", 1)
        check_integer(self.min_size, "min_size", 1)
        check_positive_number(self.agreement, "agreement", 1.0, inclusive=True)
        self._base()

    def _group_rows(
        self,
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> SelectedGroups:
        """Return the groups that bags of the given rows agree on."""
        groups_by_bag = self._group_bags(X, y, rows, generator)
        linked = Comembership(groups_by_bag, X.shape[1]).link_groups(self.agreement)
        members = [group for group in linked if len(group) >= self.min_size]
        central = representatives(standardise_features(X[rows])[0], members)
        scores = self._relevances(X, y, rows, generator)
        return sort_groups(members, central, mean_relevances(scores, members))

    def _group_bags(
        self,
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> list[tuple[IndexArray, ...]]:
        """Return the groups that the base finds on each bag."""
        seed, base_seed = generator.integers(2**31, size=2).tolist()
        protocol = bag_protocol(self.n_bags, self.bag_size, self.replace)
        bags = draw_bags(protocol, y, self._subjects, rows, seed)
        base = self._base().set_params(random_state=base_seed)
        bound = base._bind_supported(X, y, self._subjects)
        return [groups.best(base.n_groups).members for groups in bound.select_resamples(bags)]

    def _base(self) -> GroupSelector:
        base = as_selector(DEFAULT_BASE if self.base is None else self.base)
        if isinstance(base, GroupSelector):
            return base
        raise wrong_kind_error(
            base, "base must be a selector that finds groups, such as 'kmeans_groups'"
        )


# Counts of how often features share a group, and groups linked from them.

MAX_PAIRS_PER_BLOCK = 1 << 22
"""Pairs of features that are counted at a time: bounds the memory; chosen by hand."""
MAX_BATCH_FEATURES = 1 << 10
"""Features of small connected sets that are processed at a time; chosen by hand."""
MAX_LINKED_FEATURES = 10_000
"""Features of the largest connected set: distances take 400 MB, and linkage as much again."""
ROUNDING = 1e-9
"""Mean shares that differ by less are equal: well above rounding errors; chosen by hand."""


class Comembership:
    """How often features share a group, over several results on the same features.

    Only the memberships are stored; counts of pairs are computed from them in blocks, so that no
    matrix of size p x p is formed.

    Parameters
    ----------
    results : sequence of sequences of arrays
        ``results[i][g]`` holds the features of group g of result i; groups may overlap.
    n_features : int
        Number of features, p.
    """

    def __init__(self, results: Sequence[Sequence[NDArray[np.integer]]], n_features: int) -> None:
        self._memberships = [_membership_table(groups, n_features) for groups in results]
        self._n_features = n_features

    @property
    def presence(self) -> FloatArray:
        """The share of results that have a feature in a group."""
        grouped = [np.diff(membership.indptr) > 0 for membership in self._memberships]
        return np.asarray(np.mean(grouped, axis=0))

    def transpose_memberships(self, features: IndexArray) -> list[csr_array]:
        """Return one table of groups by features per result."""
        return [csr_array(membership[features].T) for membership in self._memberships]

    def counts(self, features: IndexArray, others: list[csr_array]) -> csr_array:
        """Return in how many results features share a group with others (transposed tables)."""
        total: Any = csr_array((len(features), others[0].shape[1]), dtype=np.int32)
        for membership, other in zip(self._memberships, others, strict=True):
            shared = membership[features] @ other
            shared.data[:] = 1  # overlapping groups: two shared groups count once
            total = total + shared
        return csr_array(total)

    def link_groups(self, agreement: float) -> list[IndexArray]:
        """Return the groups of average linkage, cut at a mean share of results.

        Two groups are merged while the mean share of results in which a feature of one and a
        feature of the other share a group is at least `agreement`; the groups with the highest
        mean are merged first. A mean reaches `agreement` only if a pair does, so it is exact to
        treat the sets that are connected by such pairs separately; within a set all shares count,
        low ones too.

        Raises
        ------
        InvalidInputError
            A connected set is too large for the table of its distances.
        """
        groups = []
        for parts in _batches(self._connected_parts(agreement)):
            for features, distances in zip(parts, self._condensed_distances(parts), strict=True):
                labels = fcluster(
                    linkage(distances, "average"), 1 - agreement + ROUNDING, "distance"
                )
                groups += [features[labels == label] for label in np.unique(labels)]
        # features that are in a group often enough, but linked to no other
        single = self.presence >= agreement - ROUNDING
        for group in groups:
            single[group] = False
        return groups + [np.array([feature]) for feature in np.flatnonzero(single)]

    def _connected_parts(self, agreement: float) -> list[IndexArray]:
        """Return the sets of features connected by pairs of at least this share of results."""
        all_features = np.arange(self._n_features)
        labels: NDArray[np.integer] = all_features
        transposed = self.transpose_memberships(all_features)
        step = max(1, MAX_PAIRS_PER_BLOCK // self._n_features)
        for start in range(0, self._n_features, step):
            counts = self.counts(all_features[start : start + step], transposed).tocoo()
            strong = counts.data >= (agreement - ROUNDING) * len(self._memberships)
            # join the sets found so far: a block sees some of the pairs only
            left, right = labels[counts.row[strong] + start], labels[counts.col[strong]]
            joined = coo_array(
                (np.ones(len(left), dtype=np.int8), (left, right)), shape=2 * (len(labels),)
            )
            # average linkage never joins two connected sets: their mean share is below the cut
            labels = np.asarray(connected_components(joined, directed=False)[1][labels])
        order = np.argsort(labels, kind="stable")
        bounds = np.flatnonzero(np.diff(labels[order])) + 1
        return [_check_part_size(part) for part in np.split(order, bounds) if len(part) > 1]

    def _condensed_distances(self, parts: list[IndexArray]) -> list[FloatArray]:
        """Return the share of results that separate two features, condensed, for each set."""
        features, sizes = np.concatenate(parts), np.array([len(part) for part in parts])
        ends = np.repeat(np.cumsum(sizes), sizes)
        bounds = np.concatenate(([0], np.cumsum(sizes * (sizes - 1) // 2)))
        flat, filled, transposed = np.empty(bounds[-1]), 0, self.transpose_memberships(features)
        step = max(1, MAX_PAIRS_PER_BLOCK // len(features))
        for start in range(0, len(features), step):
            counts = self.counts(features[start : start + step], transposed).toarray()
            for position, row in enumerate(counts, start):
                # the condensed form of SciPy: pairs (i, j) with j > i, row by row
                following = row[position + 1 : ends[position]]
                flat[filled : filled + len(following)] = 1 - following / len(self._memberships)
                filled += len(following)
        return [flat[first:last] for first, last in pairwise(bounds)]


def _membership_table(groups: Sequence[NDArray[np.integer]], n_features: int) -> csr_array:
    """Return a table of features by groups: 1 for members."""
    sizes = [len(group) for group in groups]
    # the empty array is for results without groups, which cannot be concatenated
    members = np.concatenate([*groups, np.zeros(0, dtype=np.intp)]).astype(np.intp)
    columns = np.repeat(np.arange(len(groups)), sizes)
    ones = np.ones(len(members), dtype=np.int32)
    shape = n_features, max(1, len(groups))
    return csr_array(coo_array((ones, (members, columns)), shape=shape))


def _check_part_size(part: IndexArray) -> IndexArray:
    if len(part) <= MAX_LINKED_FEATURES:
        return part
    raise InvalidInputError(
        f"{len(part):,} features are linked to each other by recurring groups, more than the "
        f"{MAX_LINKED_FEATURES:,} that fit into memory. Raise agreement, or choose a base that "
        "finds smaller groups."
    )


def _batches(parts: list[IndexArray]) -> Iterator[list[IndexArray]]:
    """Yield connected sets in batches, so that many small ones are processed at a time."""
    batch: list[IndexArray] = []
    for part in parts:
        if batch and sum(map(len, batch)) + len(part) > MAX_BATCH_FEATURES:
            yield batch
            batch = []
        batch.append(part)
    if batch:
        yield batch
