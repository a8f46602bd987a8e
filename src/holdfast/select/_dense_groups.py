"""Dense groups of features: what lies close to the peaks of the density of features."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from holdfast._checks import between, flag, one_of, whole
from holdfast.errors import HoldfastWarning
from holdfast.select._grouper import Grouped, Grouper
from holdfast.select._mean_shift import (
    Cloud,
    Peaks,
    flat_peaks,
    gaussian_peaks,
    mean_distances,
    members,
    merged,
)
from holdfast.select._record import selector
from holdfast.select._representative import representatives, standardised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.preferences._ties import RandomState
    from holdfast.select._grouper import Output

Kernel = Literal["flat", "gaussian"]
TIE = 1e-9
"""Distances that differ by less, beside the length of a feature, are equal."""


@selector(
    name="dense_groups",
    title="dense feature groups (DGF)",
    references=("yu2008",),
)
class DenseGroups(Grouper):
    r"""Find groups of features that lie densely together; no classes are needed.

    The features are standardised and seen as points x_j in the space of the samples, so that
    features of correlation r are :math:`\sqrt{2n(1 - r)}` apart. From every feature a climb
    starts that moves, step by step, to the weighted mean of the features around it (mean shift),

    .. math:: c \leftarrow \frac{\sum_j x_j K(\lVert c - x_j \rVert / h)}
              {\sum_j K(\lVert c - x_j \rVert / h)}

    until it rests on a peak of the density. The bandwidth h is the mean, over all features, of
    the mean distance to the K nearest features. Of peaks that are at most h apart the densest
    remains, that is the one with most features within h. A group is what lies within h of a
    peak; it is dropped if the mean distance of the peak to its K nearest features is above h.
    Groups may overlap, and most features are in none.

    Parameters
    ----------
    n_groups : int or None, default None
        How many groups to select, the densest first; None: all of them.
    kernel : {"flat", "gaussian"}, default "flat"
        The weights K: 1 up to a distance of h and 0 beyond, or a Gaussian curve.
    n_neighbors : int, default 5
        K, the neighbours that set the bandwidth and tell dense peaks; at most all features.
    count_itself : bool, default True
        Whether a feature is the first of its own K nearest neighbours, at the distance 0, when
        the bandwidth is set. (Features near a peak count in any case.)
    bandwidth : float or None, default None
        h, between features of standard deviation 1; None: from the neighbours.
    width : float, default 0.4
        Standard deviation of the Gaussian kernel as a multiple of h; the flat kernel has no use
        for it. Peaks get fewer quickly as it grows: with 1 all features of microarray data climb
        to one peak. More samples and features ask for less: 0.4 leaves some hundred groups of
        2,000 genes in 62 samples, but of 12,533 genes in 181 one peak that no gene is within h
        of, and so no group.
    min_size : int, default 1
        Groups of fewer features are dropped.
    density_filter : bool, default True
        Whether groups are dropped whose peaks are not dense.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` gives: the representatives, all features of the selected groups, or the
        mean of each group, its features standardised.
    random_state : int, Generator, RandomState or None, default 0
        Not used: nothing is drawn.

    Attributes
    ----------
    bandwidth_ : float
        h.
    groups_ : Groups
        One result: the selected groups, the densest first, with representatives: the members
        with the highest mean correlation with the other members.
    group_scores_ : array of shape (n_selected_groups,)
        The number of features within h of the peak, falling. Of equally large groups that with
        the nearer K features comes first.
    representatives_ : array of shape (n_selected_groups,)
        The feature that stands for each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Constant features are in no group and do not count as neighbours. Copies of a feature are at
    the distance 0. With K = 1 the bandwidth is 0 and every feature a group, but for copies.
    Most groups are single features that have near neighbours: see `min_size`. A distance
    that equals h but for rounding is within h. Where no group is left, nothing is selected.

    References
    ----------
    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> dense = hf.DenseGroups().fit(X)
    >>> dense.group_scores_.tolist()
    [6.0, 6.0, 3.0]
    >>> X.columns[dense.groups_[0][2]].tolist()
    ['radius error', 'perimeter error', 'area error']
    """

    _needs_classes = False

    def __init__(  # noqa: PLR0913  (each setting has a use of its own)
        self,
        *,
        n_groups: int | None = None,
        kernel: Kernel = "flat",
        n_neighbors: int = 5,
        count_itself: bool = True,
        bandwidth: float | None = None,
        width: float = 0.4,
        min_size: int = 1,
        density_filter: bool = True,
        output: Output = "representatives",
        random_state: RandomState = 0,
    ) -> None:
        self.n_groups = n_groups
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.count_itself = count_itself
        self.bandwidth = bandwidth
        self.width = width
        self.min_size = min_size
        self.density_filter = density_filter
        self.output = output
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of(self.kernel, "kernel", get_args(Kernel))
        for name in ("n_neighbors", "min_size"):
            whole(getattr(self, name), name, 1)
        for name in ("count_itself", "density_filter"):
            flag(getattr(self, name), name)
        between(self.width, "width", math.inf)
        if self.bandwidth is not None:
            between(self.bandwidth, "bandwidth", math.inf)

    def _group(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Grouped:  # noqa: ANN401, ARG002
        return self._dense(X)

    def _dense(self, X: Any) -> Grouped:  # noqa: ANN401
        """Return all groups, the densest first."""
        points, usable = standardised(X)
        own = np.flatnonzero(usable)
        cloud = Cloud.of(points[own])
        self.bandwidth_ = self._bandwidth(cloud)
        radius = self.bandwidth_ + TIE * math.sqrt(X.shape[0])
        peaks = self._dense_peaks(cloud, radius)
        groups = [own[near] for near in members(cloud, peaks.places, radius)]
        return Grouped(tuple(groups), representatives(points, groups), peaks.counts.astype(float))

    def _bandwidth(self, cloud: Cloud) -> float:
        if self.bandwidth is not None:
            return float(self.bandwidth)
        count = len(cloud.points)
        if self.count_itself:
            means = mean_distances(cloud, cloud.points, min(self.n_neighbors, count))
        else:
            others = min(self.n_neighbors, max(count - 1, 0))
            means = mean_distances(cloud, cloud.points, others, np.arange(count))
        return float(means.mean()) if count else 0.0

    def _dense_peaks(self, cloud: Cloud, radius: float) -> Peaks:
        """Return the peaks of the groups, the densest first."""
        peaks = self._peaks(cloud, radius)
        spread = mean_distances(cloud, peaks.places, min(self.n_neighbors, len(cloud.points)))
        tied = np.round(spread / (TIE * math.sqrt(cloud.points.shape[1])))
        order = np.lexsort((peaks.firsts, tied, -peaks.counts))
        order = order[merged(peaks.places[order], radius)]
        if len(order) == 1:
            self._warn_of_one_peak(len(cloud.points))
        dense = (spread[order] <= radius) | (not self.density_filter)
        return peaks.chosen(order[dense & (peaks.counts[order] >= self.min_size)])

    def _peaks(self, cloud: Cloud, radius: float) -> Peaks:
        if self.kernel == "flat" or self.bandwidth_ == 0:  # a kernel of no width sees copies only
            return flat_peaks(cloud, radius)
        return gaussian_peaks(cloud, radius, self.width * self.bandwidth_)

    def _warn_of_one_peak(self, n_features: int) -> None:
        """Say so where a smaller kernel could tell more peaks apart."""
        chosen = "width" if self.kernel == "gaussian" else "bandwidth"
        if n_features > 1 and (self.kernel == "gaussian" or self.bandwidth is not None):
            warnings.warn(
                f"all {n_features:,} features climb to one peak: {chosen}="
                f"{getattr(self, chosen):g} tells no groups apart; choose a smaller one.",
                HoldfastWarning,
                stacklevel=2,
            )
