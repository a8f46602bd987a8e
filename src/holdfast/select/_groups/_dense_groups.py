"""Dense groups of features: what lies close to the peaks of the density of features."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from threadpoolctl import threadpool_limits

from holdfast._kernels import mean_shift as kernels
from holdfast._validation import check_integer, check_positive_number, flag, one_of
from holdfast.errors import HoldfastWarning
from holdfast.select._groups._group_selector import (
    Grouped,
    Grouper,
    representatives,
    standardise_features,
)
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._groups._group_selector import Output

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


# Mean shift from every point, by matrix products in blocks.

ENTRIES = 1 << 20
"""Products in a block."""
COARSE, NEAR, FINE = 1e-3, 1e-2, 1e-9
"""Steps that end the fast part of a climb, distance of climbs that go on as one, steps that end
the exact part; all in bandwidths."""
MAX_ASCENT_STEPS = 20_000
"""Steps after which a climb ends wherever it is, which is told."""
MIN_LOG_WEIGHT = -60.0
"""Weights below the exponential of this are nothing beside the others, which sum to 1 or more."""


class PointSet(NamedTuple):
    """Points, with what their products with other points need."""

    points: Array
    turned: Array
    single: NDArray[np.float32]
    slack: float

    @classmethod
    def of(cls, points: Array) -> PointSet:
        """Prepare points, one a row."""
        squares = np.square(points).sum(axis=1)
        turned = np.vstack([points.T, -0.5 * squares])
        # a sum of n products is off by less than n roundings of its largest possible value
        slack = 2.0**-24 * (points.shape[1] + 10) * 1.5 * squares.max(initial=0.0)
        return cls(points, turned, turned.astype(np.float32), float(slack))

    def products(self, centres: Array) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Yield blocks of centres with their products, c·x - x·x/2, with all points."""
        for at in _blocks(len(centres), len(self.points)):
            yield at, _append_ones(centres[at], np.float32) @ self.single


class Modes(NamedTuple):
    """Places where mean shift ends."""

    places: Array
    counts: Ints
    """How many points are within the bandwidth of each."""
    firsts: Ints
    """The first of these points; without any, the number of points."""

    def chosen(self, which: slice | NDArray[np.bool_] | NDArray[np.intp]) -> Modes:
        """Return some of the peaks."""
        return Modes(self.places[which], self.counts[which], self.firsts[which])


def mean_distances(cloud: PointSet, centres: Array, k: int, left_out: Ints | None = None) -> Array:
    """Return the mean distance of each centre to its k nearest points.

    `left_out` names a point for each centre that does not count.
    """
    means = np.zeros(len(centres))
    if k == 0:
        return means
    out = np.full(len(centres), -1) if left_out is None else left_out
    for at, products in cloud.products(centres):
        kernels.nearest(products, cloud.slack, cloud.points, centres[at], out[at], k, means[at])
    return means


def flat_peaks(cloud: PointSet, radius: float) -> Modes:
    """Return the places where mean shift with the flat kernel ends, each once.

    Where a climb goes on depends on its place alone, so of all climbs that meet one is followed.
    A place is a mean of points, and the same points have the same mean to the last bit:
    climbs end where the place repeats.
    """
    found = [_shift_centres(cloud, cloud.points[:0], radius)]  # none: there may be no points
    seen: set[bytes] = set()
    active = _unseen(cloud.points, seen)
    while len(active):
        shifted = _shift_centres(cloud, active, radius)
        still = (shifted.places == active).all(axis=1)
        found.append(shifted.chosen(still))
        active = _unseen(shifted.places[~still], seen)
    return Modes(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _unseen(places: Array, seen: set[bytes]) -> Array:
    """Return the places that no climb has come to so far."""
    new = []
    for row, place in enumerate(places):
        key = place.tobytes()
        if key not in seen:
            seen.add(key)
            new.append(row)
    return places[new]


def _shift_centres(cloud: PointSet, centres: Array, radius: float) -> Modes:
    """Move centres to the means of the points in reach."""
    moved = Modes(np.empty_like(centres), *np.empty((2, len(centres)), dtype=np.int64))
    for at, products in cloud.products(centres):
        own = moved.chosen(at)  # a view
        kernels.shift(
            products, cloud.slack, cloud.points, centres[at], radius**2,
            own.places, own.counts, own.firsts,
        )  # fmt: skip
    return moved


def gaussian_peaks(cloud: PointSet, radius: float, width: float) -> Modes:
    """Return places where mean shift with the Gaussian kernel of a width ends.

    Climbs run in single precision until steps are short. Those that are then next to each other
    go on as one, in double precision, to where nothing moves: the place is that of the
    mode, however the first part was rounded. Matrix products run in one thread, so that the
    number of threads changes nothing.
    """
    with threadpool_limits(1):
        rough = _ascend(cloud, cloud.points, width, COARSE * radius, cloud.single)
        apart = find_distinct_places(rough, NEAR * radius)
        places = _ascend(cloud, rough[apart], width, FINE * radius, cloud.turned)
    return _shift_centres(cloud, places, radius)._replace(places=places)


def _ascend(
    cloud: PointSet,
    starts: Array,
    width: float,
    least: float,
    turned: NDArray[np.floating],
) -> Array:
    """Climb from each start until the steps are short; the type of `turned` is the precision."""
    ends, active = starts.copy(), np.arange(len(starts))
    for _ in range(MAX_ASCENT_STEPS):
        if not len(active):
            break
        before = ends[active]
        for at in _blocks(len(active), len(cloud.points)):
            ends[active[at]] = _weighted_means(before[at], width, turned)
        steps = np.sqrt(np.square(ends[active] - before).sum(axis=1))
        active = active[steps > least]
    if len(active):
        _warn_not_converged(len(active))
    return ends


def _warn_not_converged(count: int) -> None:
    warnings.warn(
        f"{count:,} climbs had not come to rest after {MAX_ASCENT_STEPS:,} steps and end "
        "where they are, so "
        "that peaks may be missed; another width of the kernel may help.",
        HoldfastWarning,
        stacklevel=2,
    )


def _weighted_means(centres: Array, width: float, turned: NDArray[np.floating]) -> Array:
    """Return the means of the points, weighted by the kernel around each centre."""
    weights = _append_ones(centres, turned.dtype) @ turned
    weights -= 0.5 * np.square(centres).sum(axis=1, keepdims=True)
    weights /= width**2
    np.exp(np.maximum(weights, MIN_LOG_WEIGHT, out=weights), out=weights)
    sums = weights @ turned[:-1].T
    return np.asarray(sums / weights.sum(axis=1, dtype=np.float64, keepdims=True))


def find_distinct_places(places: Array, radius: float) -> NDArray[np.intp]:
    """Return which places remain when each, in turn, ends the later ones within the radius."""
    alive = np.ones(len(places), dtype=bool)
    cloud = PointSet.of(places)
    for at, products in cloud.products(places):
        kernels.absorb(products, cloud.slack, places, at.start, radius**2, alive)
    return np.flatnonzero(alive)


def members(cloud: PointSet, centres: Array, radius: float) -> list[NDArray[np.intp]]:
    """Return the points within the radius of each centre."""
    found: list[NDArray[np.intp]] = []
    for at, products in cloud.products(centres):
        flags = np.empty(products.shape, dtype=bool)
        kernels.mark_within_radius(
            products, cloud.slack, cloud.points, centres[at], radius**2, flags
        )
        found.extend(np.flatnonzero(row) for row in flags)
    return found


def _blocks(count: int, width: int) -> Iterator[slice]:
    height = max(1, ENTRIES // max(1, width))
    for start in range(0, count, height):
        yield slice(start, min(start + height, count))


def _append_ones(centres: Array, dtype: DTypeLike) -> NDArray[Any]:
    """Return the centres with a coordinate of 1 each, for the squares of the points."""
    own = np.ones((len(centres), centres.shape[1] + 1), dtype=dtype)
    own[:, :-1] = centres
    return own


# Dense groups of features: what lies close to the peaks of the density of features.

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
            check_integer(getattr(self, name), name, 1)
        for name in ("count_itself", "density_filter"):
            flag(getattr(self, name), name)
        check_positive_number(self.width, "width", math.inf)
        if self.bandwidth is not None:
            check_positive_number(self.bandwidth, "bandwidth", math.inf)

    def _group(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Grouped:  # noqa: ANN401, ARG002
        return self._dense(X)

    def _dense(self, X: Any) -> Grouped:  # noqa: ANN401
        """Return all groups, the densest first."""
        points, usable = standardise_features(X)
        own = np.flatnonzero(usable)
        cloud = PointSet.of(points[own])
        self.bandwidth_ = self._bandwidth(cloud)
        radius = self.bandwidth_ + TIE * math.sqrt(X.shape[0])
        peaks = self._dense_peaks(cloud, radius)
        groups = [own[near] for near in members(cloud, peaks.places, radius)]
        return Grouped(tuple(groups), representatives(points, groups), peaks.counts.astype(float))

    def _bandwidth(self, cloud: PointSet) -> float:
        if self.bandwidth is not None:
            return float(self.bandwidth)
        count = len(cloud.points)
        if self.count_itself:
            means = mean_distances(cloud, cloud.points, min(self.n_neighbors, count))
        else:
            others = min(self.n_neighbors, max(count - 1, 0))
            means = mean_distances(cloud, cloud.points, others, np.arange(count))
        return float(means.mean()) if count else 0.0

    def _dense_peaks(self, cloud: PointSet, radius: float) -> Modes:
        """Return the peaks of the groups, the densest first."""
        peaks = self._peaks(cloud, radius)
        spread = mean_distances(cloud, peaks.places, min(self.n_neighbors, len(cloud.points)))
        tied = np.round(spread / (TIE * math.sqrt(cloud.points.shape[1])))
        order = np.lexsort((peaks.firsts, tied, -peaks.counts))
        order = order[find_distinct_places(peaks.places[order], radius)]
        if len(order) == 1:
            self._warn_of_one_peak(len(cloud.points))
        dense = (spread[order] <= radius) | (not self.density_filter)
        return peaks.chosen(order[dense & (peaks.counts[order] >= self.min_size)])

    def _peaks(self, cloud: PointSet, radius: float) -> Modes:
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
