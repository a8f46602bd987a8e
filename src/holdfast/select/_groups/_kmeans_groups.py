"""Groups of features by K-means: every feature in the cluster whose centre is nearest."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.select._groups._group_selector import (
    likenesses,
    representatives,
    standardise_features,
)
from holdfast.select._groups._relevance_groups import RelevanceGrouper, best_first
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._groups._group_selector import Grouped, Output
    from holdfast.select._selector import Array

DEFAULT_MAX_CLUSTERS = 50
"""Clusters at most, where their number is left open."""
MAX_KMEANS_ROUNDS = 10_000
"""Rounds after which a run ends in any case; 3,000 features come to rest within some 50."""


@selector(
    name="kmeans_groups",
    title="K-means feature clusters",
    references=("yu2008",),
)
class KMeansGroups(RelevanceGrouper):
    r"""Cluster the features by K-means and rank the clusters by their representatives.

    The features are standardised and seen as points x_j in the space of the samples, so that
    features of correlation r are :math:`\sqrt{2n(1 - r)}` apart. K-means looks for the clusters
    C_k, with centres m_k, of the least

    .. math:: \sum_{k=1}^{K} \sum_{j \in C_k} \lVert x_j - m_k \rVert^2

    from several random starts, each run until no feature changes its cluster (for 10,000 rounds
    at most), and the best result is kept. A cluster is represented by the member with the highest
    mean correlation with the others, which is the member nearest to the centre, and scored by its
    relevance.

    Parameters
    ----------
    n_clusters : int or None, default None
        K. None: half as many as there are features that vary, rounded up, at most 50. Where
        fewer features vary than clusters are wanted, each of them is a cluster.
    n_groups : int or None, default None
        How many clusters to select, the most relevant first; None: all of them.
    central : int or None, default None
        A group holds so many features of its cluster, those nearest to the centre (the
        original study took 5); None: the whole cluster.
    relevance : Scorer, estimator, callable or str, default "f_score"
        What scores the representatives: a selector that gives scores, or its name.
    n_init : int, default 50
        Random starts.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` gives: the representatives, all features of the selected groups, or the
        mean of each group, its features standardised.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the starts.

    Attributes
    ----------
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives.
    group_scores_ : array of shape (n_selected_groups,)
        The relevance of the representatives, falling.
    representatives_ : array of shape (n_selected_groups,)
        The feature that stands for each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Constant features are in no cluster. Features that are copies of each other may leave fewer
    clusters than wanted. Features of correlation -1 are as far apart as can be.

    Every feature belongs to a cluster, whether others are near it or not: clusters change
    more from sample to sample than dense groups do.

    References
    ----------
    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> clusters = hf.KMeansGroups(n_clusters=5, n_groups=2).fit(X, y)
    >>> clusters.get_feature_names_out().tolist()
    ['alcohol', 'flavanoids']
    >>> X.columns[clusters.groups_[0][1]].tolist()
    ['alcohol', 'color_intensity', 'proline']
    """

    def __init__(
        self,
        *,
        n_clusters: int | None = None,
        n_groups: int | None = None,
        central: int | None = None,
        relevance: Any = "f_score",  # noqa: ANN401  (a selector, or what becomes one)
        n_init: int = 50,
        output: Output = "representatives",
        random_state: RandomState = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_groups = n_groups
        self.central = central
        self.relevance = relevance
        self.n_init = n_init
        self.output = output
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.n_init, "n_init", 1)
        for name in ("n_clusters", "central"):
            if getattr(self, name) is not None:
                check_integer(getattr(self, name), name, 1)

    def _group_rows(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Grouped:
        points, usable = standardise_features(X[own])
        clusters = self._clusters(points, np.flatnonzero(usable), generator)
        chosen = representatives(points, clusters)
        members = [self._members(points, *pair) for pair in zip(clusters, chosen, strict=True)]
        return best_first(members, chosen, self._relevances(X, y, own, generator)[chosen])

    def _clusters(
        self, points: Array, usable: NDArray[np.intp], generator: np.random.Generator
    ) -> list[NDArray[np.intp]]:
        count = self._count(len(points), len(usable))
        labels = self._labels(points[usable], count, generator)
        return [usable[labels == label] for label in np.unique(labels)]

    def _count(self, n_features: int, n_usable: int) -> int:
        if self.n_clusters is None:
            return min(DEFAULT_MAX_CLUSTERS, (n_usable + 1) // 2)
        if self.n_clusters > n_features:
            raise InvalidInputError(
                f"n_clusters must be at most the {n_features:,} features of the data, "
                f"got {self.n_clusters:,}; None chooses a number."
            )
        return min(self.n_clusters, n_usable)

    def _labels(
        self, points: Array, count: int, generator: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return the cluster of each point."""
        if count == 0:
            return np.zeros(0, dtype=np.int32)
        means = KMeans(
            count,
            init="random",
            n_init=self.n_init,
            tol=0,
            max_iter=MAX_KMEANS_ROUNDS,
            random_state=int(generator.integers(2**31)),
        )
        with warnings.catch_warnings(), threadpool_limits(1):  # threads would change the bits
            warnings.simplefilter("ignore", ConvergenceWarning)  # copies leave fewer clusters
            return np.asarray(means.fit(points).labels_)

    def _members(
        self, points: Array, cluster: NDArray[np.intp], representative: np.intp
    ) -> NDArray[np.intp]:
        """Return a cluster, or its most central features; all are equally far from the origin."""
        if self.central is None or len(cluster) <= self.central:
            return cluster
        likeness = likenesses(points, cluster)
        likeness[cluster == representative] = np.inf  # it may be tied with others
        return np.sort(cluster[np.argsort(-likeness, kind="stable")[: self.central]])
