"""Dense groups: features close to a mode of the density of features, by mean shift."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray
from threadpoolctl import threadpool_limits

from holdfast._kernels import mean_shift as kernels
from holdfast._random import RandomState
from holdfast._typing import AnyArray, BoolArray, FloatArray, IndexArray, IntArray, MatrixLike
from holdfast._validation import check_choice, check_flag, check_integer, check_positive_number
from holdfast.errors import HoldfastWarning
from holdfast.select._groups._group_selector import (
    GroupSelector,
    SelectedGroups,
    representatives,
    standardise_features,
)
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from holdfast.select._groups._group_selector import Output


# Mean shift from every point, by matrix products in blocks.

MAX_BLOCK_PRODUCTS = 1 << 20
"""Products in a block: bounds the memory; chosen by hand."""
COARSE_STEP, MERGE_DISTANCE, FINE_STEP = 1e-3, 1e-2, 1e-9
"""Step length that ends the single-precision ascent, distance at which points are merged before
the double-precision one, and step length that ends that; all in bandwidths, chosen by hand."""
MAX_ASCENT_STEPS = 20_000
"""Steps after which an ascent is stopped with a warning; chosen by hand."""
MIN_LOG_WEIGHT = -60.0
"""Smaller log-weights are raised to this, which avoids slow subnormal numbers: exp(-60) is
negligible in a sum of at least 1, even in double precision."""


class PointSet(NamedTuple):
    """Points, prepared for their products with other points."""

    points: FloatArray
    transposed: FloatArray
    single: NDArray[np.float32]
    slack: float

    @classmethod
    def from_points(cls, points: FloatArray) -> PointSet:
        """Prepare points, one per row."""
        squares = np.square(points).sum(axis=1)
        # with a last coordinate of 1 in the centres, one product gives c x - x x / 2
        transposed = np.vstack([points.T, -0.5 * squares])
        # the error of a sum of n products is below n roundings of its largest possible value
        slack = 2.0**-24 * (points.shape[1] + 10) * 1.5 * squares.max(initial=0.0)
        return cls(points, transposed, transposed.astype(np.float32), float(slack))

    def products(self, centres: FloatArray) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Yield blocks of centres with their products, c·x - x·x/2, with all points."""
        for rows in _blocks(len(centres), len(self.points)):
            yield rows, _append_ones(centres[rows], np.float32) @ self.single


class Modes(NamedTuple):
    """The modes: points where mean shift ends."""

    places: FloatArray
    counts: IntArray
    """The number of points within the bandwidth of each."""
    firsts: IntArray
    """The first of these points; if there is none, the number of points."""

    def take(self, which: slice | BoolArray | IndexArray) -> Modes:
        """Return a part of the modes."""
        return Modes(self.places[which], self.counts[which], self.firsts[which])


def mean_distances(
    point_set: PointSet, centres: FloatArray, k: int, left_out: IntArray | None = None
) -> FloatArray:
    """Return the mean distance of each centre to its k nearest points.

    `left_out` is the point that each centre ignores, usually itself.
    """
    means = np.zeros(len(centres))
    if k == 0:
        return means
    out = np.full(len(centres), -1) if left_out is None else left_out
    for rows, products in point_set.products(centres):
        kernels.mean_nearest_distances(
            products, point_set.slack, point_set.points, centres[rows], out[rows], k, means[rows]
        )
    return means


def flat_kernel_modes(point_set: PointSet, radius: float) -> Modes:
    """Return the modes of mean shift with the flat kernel, without repeats.

    The next point of an ascent depends on the current one only, so ascents that meet are followed
    once. A point is a mean of features, and the same features have the same mean to the last bit:
    an ascent ends when its point repeats.
    """
    modes = [_shift_centres(point_set, point_set.points[:0], radius)]  # if there are no points
    visited: set[bytes] = set()
    active = _keep_unvisited(point_set.points, visited)
    while len(active):
        shifted = _shift_centres(point_set, active, radius)
        # exact comparison: the same members have the same mean to the last bit
        still = (shifted.places == active).all(axis=1)
        modes.append(shifted.take(still))
        active = _keep_unvisited(shifted.places[~still], visited)
    return Modes(*(np.concatenate(part) for part in zip(*modes, strict=True)))


def _keep_unvisited(places: FloatArray, visited: set[bytes]) -> FloatArray:
    """Return the points that no ascent has reached so far, and remember them."""
    new = []
    for row, point in enumerate(places):
        key = point.tobytes()
        if key not in visited:
            visited.add(key)
            new.append(row)
    return places[new]


def _shift_centres(point_set: PointSet, centres: FloatArray, radius: float) -> Modes:
    """Move centres to the means of the points within the radius."""
    moved = Modes(np.empty_like(centres), *np.empty((2, len(centres)), dtype=np.int64))
    for rows, products in point_set.products(centres):
        block = moved.take(rows)  # a view, which the kernel fills
        kernels.shift_centres(
            products, point_set.slack, point_set.points, centres[rows], radius**2,
            block.places, block.counts, block.firsts,
        )  # fmt: skip
    return moved


def gaussian_kernel_modes(point_set: PointSet, radius: float, width: float) -> Modes:
    """Return the modes of mean shift with a Gaussian kernel of a width.

    Ascents run in single precision until steps are short. Those that are then close to each other
    are merged and continued in double precision until convergence, so that the mode does not
    depend on the rounding of the first part. Matrix products run in one thread, so that the
    result does not depend on the number of threads.
    """
    with threadpool_limits(1):
        rough = _ascend(point_set, point_set.points, width, COARSE_STEP * radius, point_set.single)
        apart = find_distinct_places(rough, MERGE_DISTANCE * radius)
        places = _ascend(point_set, rough[apart], width, FINE_STEP * radius, point_set.transposed)
    return _shift_centres(point_set, places, radius)._replace(places=places)


def _ascend(
    point_set: PointSet,
    starts: FloatArray,
    width: float,
    least: float,
    transposed: NDArray[np.floating],
) -> FloatArray:
    """Ascend from each start until steps are short, in the precision of `transposed`."""
    ends, active = starts.copy(), np.arange(len(starts))
    for _ in range(MAX_ASCENT_STEPS):
        if not len(active):
            break
        before = ends[active]
        for rows in _blocks(len(active), len(point_set.points)):
            ends[active[rows]] = _weighted_means(before[rows], width, transposed)
        steps = np.sqrt(np.square(ends[active] - before).sum(axis=1))
        active = active[steps > least]
    if len(active):
        _warn_not_converged(len(active))
    return ends


def _warn_not_converged(count: int) -> None:
    warnings.warn(
        f"mean shift did not converge for {count:,} points within {MAX_ASCENT_STEPS:,} steps, so "
        "modes may be missed; try another width of the kernel.",
        HoldfastWarning,
        stacklevel=2,
    )


def _weighted_means(
    centres: FloatArray, width: float, transposed: NDArray[np.floating]
) -> FloatArray:
    """Return the means of the points, weighted by the kernel around each centre."""
    weights = _gaussian_weights(centres, width, transposed)
    sums = weights @ transposed[:-1].T
    return np.asarray(sums / weights.sum(axis=1, dtype=np.float64, keepdims=True))


def _gaussian_weights(
    centres: FloatArray, width: float, transposed: NDArray[np.floating]
) -> AnyArray:
    """Return the kernel around each centre at all points, in the precision of `transposed`."""
    weights = _append_ones(centres, transposed.dtype) @ transposed
    # exponent -|c - x|^2 / (2 width^2), from the products above
    weights -= 0.5 * np.square(centres).sum(axis=1, keepdims=True)
    weights /= width**2
    np.exp(np.maximum(weights, MIN_LOG_WEIGHT, out=weights), out=weights)
    return np.asarray(weights)


def gaussian_densities(point_set: PointSet, places: FloatArray, width: float) -> FloatArray:
    """Return the mean kernel around each place over all points, in double precision."""
    densities = np.empty(len(places))
    with threadpool_limits(1):  # as for the modes: the same on any number of threads
        for rows in _blocks(len(places), len(point_set.points)):
            weights = _gaussian_weights(places[rows], width, point_set.transposed)
            densities[rows] = weights.mean(axis=1)
    return densities


def find_distinct_places(places: FloatArray, radius: float) -> IndexArray:
    """Return which points remain if each, in turn, removes the later ones within the radius."""
    alive = np.ones(len(places), dtype=bool)
    point_set = PointSet.from_points(places)
    for rows, products in point_set.products(places):
        kernels.drop_nearby_peaks(products, point_set.slack, places, rows.start, radius**2, alive)
    return np.flatnonzero(alive)


def members_within(point_set: PointSet, centres: FloatArray, radius: float) -> list[IndexArray]:
    """Return the points within the radius of each centre."""
    groups: list[IndexArray] = []
    for rows, products in point_set.products(centres):
        flags = np.empty(products.shape, dtype=bool)
        kernels.mark_within_radius(
            products, point_set.slack, point_set.points, centres[rows], radius**2, flags
        )
        groups.extend(np.flatnonzero(row) for row in flags)
    return groups


def _blocks(count: int, width: int) -> Iterator[slice]:
    height = max(1, MAX_BLOCK_PRODUCTS // max(1, width))
    for start in range(0, count, height):
        yield slice(start, min(start + height, count))


def _append_ones(centres: FloatArray, dtype: DTypeLike) -> AnyArray:
    """Return the centres with a last coordinate of 1, which multiplies the squares of points."""
    extended = np.ones((len(centres), centres.shape[1] + 1), dtype=dtype)
    extended[:, :-1] = centres
    return extended


# The selector.

Kernel = Literal["flat", "gaussian"]
DISTANCE_TOLERANCE = 1e-9
"""Distances that differ by less, relative to the length of a feature, are equal; chosen by hand."""


@selector(
    name="dense_groups",
    title="dense feature groups (DGF)",
    references=("yu2008",),
    aliases=("dgf", "dense_group_finder"),
)
class DenseGroups(GroupSelector):
    r"""Find groups of densely clustered features, without using the classes.

    The features are standardised and treated as points x_j in the space of the samples, so that
    features of correlation r have the distance :math:`\sqrt{2n(1 - r)}`. From every feature,
    mean shift moves step by step to the weighted mean of the features around it,

    .. math:: c \leftarrow \frac{\sum_j x_j K(\lVert c - x_j \rVert / h)}
              {\sum_j K(\lVert c - x_j \rVert / h)}

    until it converges to a mode (peak) of the density. The bandwidth h is the mean, over all
    features, of the mean distance to the K nearest features. Of peaks that are at most h apart
    the densest remains, that is the one with most features within h. A group consists of the
    features within h of a peak; it is dropped if the mean distance of the peak to its K nearest
    features is above h. Groups may overlap, and most features are in none.

    Parameters
    ----------
    n_groups : int or None, default None
        How many groups to select, the densest first; None: all of them.
    kernel : {"flat", "gaussian"}, default "flat"
        The weights K: 1 up to a distance of h and 0 beyond, or a Gaussian curve.
    n_neighbors : int, default 5
        K, the number of neighbours that determine the bandwidth and the density of peaks; at most
        all features.
    count_itself : bool, default True
        Whether a feature counts as the first of its K nearest neighbours, at the distance 0, in
        the bandwidth. (Features near a peak count in any case.)
    bandwidth : float or None, default None
        h, between features of standard deviation 1; None: computed from the neighbours.
    width : float, default 0.4
        Standard deviation of the Gaussian kernel as a multiple of h; not used by the flat kernel.
        The number of peaks falls quickly as it grows: with 1, all features of microarray data
        converge to one peak. More samples and features need a smaller value: 0.4 gives some
        hundred groups of 2,000 genes in 62 samples, but for 12,533 genes in 181 samples a single
        peak without any gene within h, and so no group.
    min_size : int, default 1
        Smaller groups are dropped.
    density_filter : bool, default True
        Whether groups whose peaks are not dense are dropped.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` returns: the representatives, all features of the selected groups, or
        the mean of the standardised features of each group.
    random_state : int, Generator, RandomState or None, default 0
        Not used: the selector is deterministic.

    Attributes
    ----------
    bandwidth_ : float
        h.
    groups_ : Groups
        One result: the selected groups, the densest first, with representatives: the members
        with the highest mean correlation with the other members.
    group_scores_ : array of shape (n_selected_groups,)
        The number of features within h of the peak, in descending order. Of equally large groups
        the one with the nearer K features comes first.
    group_densities_ : array of shape (n_selected_groups,)
        The density of features at the peak c of each group,
        :math:`\frac{1}{p} \sum_j K(\lVert c - x_j \rVert / h)` over the p features that are not
        constant: the kernel density estimate without its factor :math:`h^{-n}`, which is the same
        for all groups. With the flat kernel it is the share of features within h of the peak.
    representatives_ : array of shape (n_selected_groups,)
        The representative feature of each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Constant features are in no group and do not count as neighbours. Copies of a feature have the
    distance 0. With K = 1 the bandwidth is 0 and every feature is a group, except for copies.
    Most groups are single features with near neighbours: see `min_size`. A distance that equals h
    up to rounding is within h. If no group is left, nothing is selected.

    Two details differ from Algorithm 1 of the paper. It takes the features in their order and
    merges each peak with the closest one before it, so its groups depend on the order of the
    columns; here the densest of near peaks remains, whatever the order. And it counts distances
    below h, here those up to h count.

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
    >>> dense.group_densities_.tolist()
    [0.2, 0.2, 0.1]
    >>> X.columns[dense.groups_[0][2]].tolist()
    ['radius error', 'perimeter error', 'area error']
    """

    _needs_classes = False

    def __init__(
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
        check_choice(self.kernel, "kernel", get_args(Kernel))
        for name in ("n_neighbors", "min_size"):
            check_integer(getattr(self, name), name, 1)
        for name in ("count_itself", "density_filter"):
            check_flag(getattr(self, name), name)
        check_positive_number(self.width, "width", math.inf)
        if self.bandwidth is not None:
            check_positive_number(self.bandwidth, "bandwidth", math.inf)

    def _group(
        self, X: MatrixLike, y: IndexArray, generator: np.random.Generator
    ) -> SelectedGroups:
        return self._find_dense_groups(X)

    def _find_dense_groups(self, X: MatrixLike) -> SelectedGroups:
        """Return all groups, the densest first."""
        points, usable = standardise_features(X)
        features = np.flatnonzero(usable)
        point_set = PointSet.from_points(points[features])
        self.bandwidth_ = self._compute_bandwidth(point_set)
        # standardised features have the length sqrt(n); ties at the radius count as within it
        radius = self.bandwidth_ + DISTANCE_TOLERANCE * math.sqrt(X.shape[0])
        peaks = self._dense_peaks(point_set, radius)
        groups = [features[near] for near in members_within(point_set, peaks.places, radius)]
        counts = peaks.counts.astype(float)
        if self._uses_flat_kernel:
            densities = counts / max(len(features), 1)
        else:
            width = self.width * self.bandwidth_
            densities = gaussian_densities(point_set, peaks.places, width)
        return SelectedGroups(tuple(groups), representatives(points, groups), counts, densities)

    def _store_groups(self, groups: SelectedGroups, data: AnyArray) -> None:
        super()._store_groups(groups, data)
        self.group_densities_ = groups.densities

    @property
    def _uses_flat_kernel(self) -> bool:
        """Whether the kernel is flat; a Gaussian of width 0 is undefined."""
        return self.kernel == "flat" or self.bandwidth_ == 0

    def _compute_bandwidth(self, point_set: PointSet) -> float:
        if self.bandwidth is not None:
            return float(self.bandwidth)
        count = len(point_set.points)
        if self.count_itself:
            means = mean_distances(point_set, point_set.points, min(self.n_neighbors, count))
        else:
            others = min(self.n_neighbors, max(count - 1, 0))
            means = mean_distances(point_set, point_set.points, others, np.arange(count))
        return float(means.mean()) if count else 0.0

    def _dense_peaks(self, point_set: PointSet, radius: float) -> Modes:
        """Return the peaks of the groups, the densest first."""
        if self._uses_flat_kernel:
            peaks = flat_kernel_modes(point_set, radius)
        else:
            peaks = gaussian_kernel_modes(point_set, radius, self.width * self.bandwidth_)
        spread = mean_distances(
            point_set, peaks.places, min(self.n_neighbors, len(point_set.points))
        )
        # spreads that agree up to rounding tie, so that the last bits do not decide the order
        tied = np.round(spread / (DISTANCE_TOLERANCE * math.sqrt(point_set.points.shape[1])))
        order = np.lexsort((peaks.firsts, tied, -peaks.counts))
        # of peaks within the radius of each other the densest remains
        order = order[find_distinct_places(peaks.places[order], radius)]
        if len(order) == 1:
            self._warn_of_one_peak(len(point_set.points))
        dense = (spread[order] <= radius) | (not self.density_filter)
        return peaks.take(order[dense & (peaks.counts[order] >= self.min_size)])

    def _warn_of_one_peak(self, n_features: int) -> None:
        """Warn if a smaller kernel could separate more peaks."""
        parameter = "width" if self.kernel == "gaussian" else "bandwidth"
        if n_features > 1 and (self.kernel == "gaussian" or self.bandwidth is not None):
            warnings.warn(
                f"all {n_features:,} features converge to one peak: {parameter}="
                f"{getattr(self, parameter):g} separates no groups; choose a smaller value.",
                HoldfastWarning,
                stacklevel=2,
            )
