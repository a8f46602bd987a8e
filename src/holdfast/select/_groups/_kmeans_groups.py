"""Groups of features by K-means clustering."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, MatrixLike, SelectorLike
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.select._groups._group_selector import (
    correlation_sums,
    representatives,
    standardise_features,
)
from holdfast.select._groups._relevance_groups import RelevanceGrouper, sort_groups
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from holdfast.select._groups._group_selector import Output, SelectedGroups

DEFAULT_MAX_CLUSTERS = 50
"""Largest default number of clusters; chosen by hand."""
MAX_KMEANS_ROUNDS = 10_000
"""Iterations after which a run is stopped; 3,000 features converge within about 50."""


@selector(
    name="kmeans_groups",
    title="K-means feature clusters",
    references=("yu2008",),
)
class KMeansGroups(RelevanceGrouper):
    r"""Cluster the features by K-means and rank the clusters by their representatives.

    The features are standardised and treated as points x_j in the space of the samples, so that
    features of correlation r have the distance :math:`\sqrt{2n(1 - r)}`. K-means searches for the
    clusters C_k, with centres m_k, that minimise

    .. math:: \sum_{k=1}^{K} \sum_{j \in C_k} \lVert x_j - m_k \rVert^2

    from several random starts, each run until no feature changes its cluster (at most 10,000
    iterations); the best result is kept. A cluster is represented by the member with the highest
    mean correlation with the others, which is the member nearest to the centre, and scored by the
    relevance of that member.

    Parameters
    ----------
    n_clusters : int or None, default None
        K. None: half the number of features that are not constant, rounded up, at most 50. If
        fewer features than clusters are not constant, each of them is a cluster.
    n_groups : int or None, default None
        How many clusters to select, the most relevant first; None: all of them.
    central : int or None, default None
        A group holds this many features of its cluster, those nearest to the centre (the
        original study took 5); None: the whole cluster.
    relevance : Scorer, estimator, callable or str, default "f_score"
        The selector that scores the representatives, or its name.
    n_init : int, default 50
        Number of random starts.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` returns: the representatives, all features of the selected groups, or
        the mean of the standardised features of each group.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the starts.

    Attributes
    ----------
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives.
    group_scores_ : array of shape (n_selected_groups,)
        The relevance of the representatives, in descending order.
    representatives_ : array of shape (n_selected_groups,)
        The representative feature of each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Constant features are in no cluster. Copies of features may leave fewer clusters than
    requested. Features of correlation -1 have the largest possible distance.

    Every feature belongs to a cluster, whether or not others are near it, so clusters vary more
    from sample to sample than dense groups do.

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
        relevance: SelectorLike = "f_score",
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
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> SelectedGroups:
        points, usable = standardise_features(X[rows])
        features = np.flatnonzero(usable)
        count = self._cluster_count(len(points), len(features))
        labels = self._cluster_labels(points[features], count, generator)
        clusters = [features[labels == label] for label in np.unique(labels)]
        central = representatives(points, clusters)
        members = [
            self._central_members(points, *pair) for pair in zip(clusters, central, strict=True)
        ]
        return sort_groups(members, central, self._relevances(X, y, rows, generator)[central])

    def _cluster_count(self, n_features: int, n_usable: int) -> int:
        if self.n_clusters is None:
            # about two features per cluster
            return min(DEFAULT_MAX_CLUSTERS, (n_usable + 1) // 2)
        if self.n_clusters > n_features:
            raise InvalidInputError(
                f"n_clusters must be at most the {n_features:,} features of the data, "
                f"got {self.n_clusters:,}; None chooses a number."
            )
        return min(self.n_clusters, n_usable)

    def _cluster_labels(
        self, points: FloatArray, count: int, generator: np.random.Generator
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
        # one thread: the order of additions, and so the last bits, depend on the number of threads
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # copies leave fewer clusters
            return np.asarray(means.fit(points).labels_)

    def _central_members(
        self, points: FloatArray, cluster: IndexArray, representative: np.intp
    ) -> IndexArray:
        """Return a cluster, or its features nearest to the centre.

        All points have the same length, so the nearest have the highest mean correlation.
        """
        if self.central is None or len(cluster) <= self.central:
            return cluster
        sums = correlation_sums(points, cluster)
        sums[cluster == representative] = np.inf  # it may be tied with others
        return np.sort(cluster[np.argsort(-sums, kind="stable")[: self.central]])
