"""Consensus groups: features that many bags of the samples put into one group."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from holdfast._validation import check_integer, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.select._adapter import as_selector, given_by
from holdfast.select._ensemble._members import bagging, drawn_bags
from holdfast.select._groups._group_selector import (
    Grouped,
    Grouper,
    representatives,
    standardise_features,
)
from holdfast.select._groups._relevance_groups import RelevanceGrouper, best_first, mean_relevances
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._groups._group_selector import Output
    from holdfast.select._selector import Array


DEFAULT = "dense_groups"
"""What finds the groups where no base is given."""


@selector(
    name="consensus_groups",
    title="consensus feature groups",
    references=("loscalzo2009", "yu2008"),
)
class ConsensusGroups(RelevanceGrouper):
    r"""Find groups of features on many bags of the samples, and join what comes back together.

    A group selector works on each of t bags. Two features i and j agree to the share

    .. math:: w_{ij} = \frac{1}{t} \sum_{b=1}^{t} [\text{bag } b \text{ has a group with both}]

    of the bags. Average linkage joins features to groups: the two groups A and B with the
    highest mean :math:`\overline{w_{ij}}` over i in A and j in B are joined, as long as that
    mean is at least `agreement`. The groups do not overlap. A group is scored by the mean
    relevance of its members.

    Parameters
    ----------
    base : Grouper or str, default None
        What finds the groups on a bag: a group selector, or its name as on the command line, such
        as ``"kmeans_groups:n_clusters=20"``. None is :class:`holdfast.DenseGroups`. Where it
        has `n_groups`, only so many of each bag count.
    n_groups : int or None, default None
        How many groups to select, the most relevant first; None: all of them.
    n_bags : int, default 20
        How many bags.
    bag_size : float or int, default 1.0
        Size of a bag: a fraction of the samples (rounded up), or a count. Where samples belong
        to subjects it counts subjects.
    replace : bool, default True
        Draw bags with replacement (bootstrap), or without (subsamples, smaller than the data).
        Both keep the shares of the classes.
    agreement : float, default 0.5
        Share of the bags, above 0 and up to 1, that must agree on average.
    min_size : int, default 1
        Groups of fewer features are left out. A single feature is a group where it is in some
        group of at least the share `agreement` of the bags, but with no other often enough.
    relevance : Scorer, estimator, callable or str, default "f_score"
        What scores the features: a selector that gives scores, or its name.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` gives: the representatives, all features of the selected groups, or the
        mean of each group, its features standardised.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the bags, and of the base, in place of its own.

    Attributes
    ----------
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives: the
        members with the highest mean correlation with the others, on all samples.
    group_scores_ : array of shape (n_selected_groups,)
        The mean relevance of the members of each group, falling.
    representatives_ : array of shape (n_selected_groups,)
        The feature that stands for each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Shares of few bags are often equal, and which of several equal pairs is joined first may
    matter; it is then decided by the order of the features. Pairs are counted
    where groups hold them, and average linkage works on the parts that pairs of at least the
    share `agreement` connect: the result is that of average linkage on all features. A part of
    more than 10,000 features is refused.

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

    def __init__(  # noqa: PLR0913  (all of them are for users)
        self,
        base: Any = None,  # noqa: ANN401  (a group selector, or its name)
        *,
        n_groups: int | None = None,
        n_bags: int = 20,
        bag_size: float = 1.0,
        replace: bool = True,
        agreement: float = 0.5,
        min_size: int = 1,
        relevance: Any = "f_score",  # noqa: ANN401  (a selector, or what becomes one)
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
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.n_bags, "n_bags", 1)
        check_integer(self.min_size, "min_size", 1)
        check_positive_number(self.agreement, "agreement", 1.0, inclusive=True)
        self._base()

    def _group_rows(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Grouped:
        """Return the groups that bags of some rows of the data agree on."""
        found = self._found(X, y, own, generator)
        joined = Comembership(found, X.shape[1]).joined(self.agreement)
        members = [group for group in joined if len(group) >= self.min_size]
        chosen = representatives(standardise_features(X[own])[0], members)
        scores = self._relevances(X, y, own, generator)
        return best_first(members, chosen, mean_relevances(scores, members))

    def _found(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> list[tuple[NDArray[np.intp], ...]]:
        """Return the groups that the base finds on each bag."""
        seed, other = generator.integers(2**31, size=2).tolist()
        drawing = bagging(self.n_bags, self.bag_size, self.replace)
        bags = drawn_bags(drawing, y, self._subjects, own, seed)
        base = self._base().set_params(random_state=other)
        judge = base.on(X, y, self._subjects if base.takes_subjects else None)
        return [one.best(base.n_groups).members for one in judge.judge(bags)]

    def _base(self) -> Grouper:
        base = as_selector(DEFAULT if self.base is None else self.base)
        if not isinstance(base, Grouper):
            raise InvalidInputError(
                "base must be a selector that finds groups, such as 'kmeans_groups'; "
                f"{given_by(base)}. hf.list_selectors() says what each gives."
            )
        return base


# Which features are found in one group again and again: counted, then joined to groups.

BLOCK = 1 << 22
"""Pairs of features that are counted together."""
BATCH = 1 << 10
"""Features of small parts that are looked at together."""
MAX_LINKED_FEATURES = 10_000
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
            labels = _connect_parts(labels, counts.row[strong] + start, counts.col[strong])
        order = np.argsort(labels, kind="stable")
        bounds = np.flatnonzero(np.diff(labels[order])) + 1
        return [_check_part_size(part) for part in np.split(order, bounds) if len(part) > 1]

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


def _connect_parts(
    labels: NDArray[np.integer], left: NDArray[np.integer], right: NDArray[np.integer]
) -> NDArray[np.integer]:
    """Number the parts anew that some more pairs leave."""
    ones = np.ones(len(left), dtype=np.int8)
    pairs = coo_array((ones, (labels[left], labels[right])), shape=(len(labels), len(labels)))
    return np.asarray(connected_components(pairs, directed=False)[1][labels])


def _check_part_size(part: NDArray[np.intp]) -> NDArray[np.intp]:
    if len(part) <= MAX_LINKED_FEATURES:
        return part
    raise InvalidInputError(
        f"{len(part):,} features are linked to each other by groups that come back, more than the "
        f"{MAX_LINKED_FEATURES:,} that can be joined in memory. Raise agreement, or choose "
        "a base that "
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
