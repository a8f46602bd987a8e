"""Mean shift from every point, by matrix products in blocks."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from holdfast._kernels import mean_shift as kernels
from holdfast.errors import HoldfastWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

ENTRIES = 1 << 20
"""Products in a block."""
COARSE, NEAR, FINE = 1e-3, 1e-2, 1e-9
"""Steps that end the fast part of a climb, distance of climbs that go on as one, steps that end
the exact part; all in bandwidths."""
CLIMB = 20_000
"""Steps after which a climb ends wherever it is, which is told."""
FAINT = -60.0
"""Weights below the exponential of this are nothing beside the others, which sum to 1 or more."""


class Cloud(NamedTuple):
    """Points, with what their products with other points need."""

    points: Array
    turned: Array
    single: NDArray[np.float32]
    slack: float

    @classmethod
    def of(cls, points: Array) -> Cloud:
        """Prepare points, one a row."""
        squares = np.square(points).sum(axis=1)
        turned = np.vstack([points.T, -0.5 * squares])
        # a sum of n products is off by less than n roundings of its largest possible value
        slack = 2.0**-24 * (points.shape[1] + 10) * 1.5 * squares.max(initial=0.0)
        return cls(points, turned, turned.astype(np.float32), float(slack))

    def products(self, centres: Array) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Yield blocks of centres with their products, c·x - x·x/2, with all points."""
        for at in _blocks(len(centres), len(self.points)):
            yield at, _extended(centres[at], np.float32) @ self.single


class Peaks(NamedTuple):
    """Places where mean shift ends."""

    places: Array
    counts: Ints
    """How many points are within the bandwidth of each."""
    firsts: Ints
    """The first of these points; without any, the number of points."""

    def chosen(self, which: slice | NDArray[np.bool_] | NDArray[np.intp]) -> Peaks:
        """Return some of the peaks."""
        return Peaks(self.places[which], self.counts[which], self.firsts[which])


def mean_distances(cloud: Cloud, centres: Array, k: int, left_out: Ints | None = None) -> Array:
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


def flat_peaks(cloud: Cloud, radius: float) -> Peaks:
    """Return the places where mean shift with the flat kernel ends, each once.

    Where a climb goes on depends on its place alone, so of all climbs that meet one is followed.
    A place is a mean of points, and the same points have the same mean to the last bit:
    climbs end where the place repeats.
    """
    found = [_shifted(cloud, cloud.points[:0], radius)]  # none: there may be no points
    seen: set[bytes] = set()
    active = _unseen(cloud.points, seen)
    while len(active):
        shifted = _shifted(cloud, active, radius)
        still = (shifted.places == active).all(axis=1)
        found.append(shifted.chosen(still))
        active = _unseen(shifted.places[~still], seen)
    return Peaks(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _unseen(places: Array, seen: set[bytes]) -> Array:
    """Return the places that no climb has come to so far."""
    new = []
    for row, place in enumerate(places):
        key = place.tobytes()
        if key not in seen:
            seen.add(key)
            new.append(row)
    return places[new]


def _shifted(cloud: Cloud, centres: Array, radius: float) -> Peaks:
    """Move centres to the means of the points in reach."""
    moved = Peaks(np.empty_like(centres), *np.empty((2, len(centres)), dtype=np.int64))
    for at, products in cloud.products(centres):
        own = moved.chosen(at)  # a view
        kernels.shift(
            products, cloud.slack, cloud.points, centres[at], radius**2,
            own.places, own.counts, own.firsts,
        )  # fmt: skip
    return moved


def gaussian_peaks(cloud: Cloud, radius: float, width: float) -> Peaks:
    """Return places where mean shift with the Gaussian kernel of a width ends.

    Climbs run in single precision until steps are short. Those that are then next to each other
    go on as one, in double precision, to where nothing moves: the place is that of the
    mode, however the first part was rounded. Matrix products run in one thread, so that the
    number of threads changes nothing.
    """
    with threadpool_limits(1):
        rough = _climbed(cloud, cloud.points, width, COARSE * radius, cloud.single)
        apart = merged(rough, NEAR * radius)
        places = _climbed(cloud, rough[apart], width, FINE * radius, cloud.turned)
    return _shifted(cloud, places, radius)._replace(places=places)


def _climbed(
    cloud: Cloud,
    starts: Array,
    width: float,
    least: float,
    turned: NDArray[np.floating],
) -> Array:
    """Climb from each start until the steps are short; the type of `turned` is the precision."""
    ends, active = starts.copy(), np.arange(len(starts))
    for _ in range(CLIMB):
        if not len(active):
            break
        before = ends[active]
        for at in _blocks(len(active), len(cloud.points)):
            ends[active[at]] = _weighted_means(before[at], width, turned)
        steps = np.sqrt(np.square(ends[active] - before).sum(axis=1))
        active = active[steps > least]
    if len(active):
        _warn_of_unrest(len(active))
    return ends


def _warn_of_unrest(count: int) -> None:
    warnings.warn(
        f"{count:,} climbs had not come to rest after {CLIMB:,} steps and end where they are, so "
        "that peaks may be missed; another width of the kernel may help.",
        HoldfastWarning,
        stacklevel=2,
    )


def _weighted_means(centres: Array, width: float, turned: NDArray[np.floating]) -> Array:
    """Return the means of the points, weighted by the kernel around each centre."""
    weights = _extended(centres, turned.dtype) @ turned
    weights -= 0.5 * np.square(centres).sum(axis=1, keepdims=True)
    weights /= width**2
    np.exp(np.maximum(weights, FAINT, out=weights), out=weights)
    sums = weights @ turned[:-1].T
    return np.asarray(sums / weights.sum(axis=1, dtype=np.float64, keepdims=True))


def merged(places: Array, radius: float) -> NDArray[np.intp]:
    """Return which places remain when each, in turn, ends the later ones within the radius."""
    alive = np.ones(len(places), dtype=bool)
    cloud = Cloud.of(places)
    for at, products in cloud.products(places):
        kernels.absorb(products, cloud.slack, places, at.start, radius**2, alive)
    return np.flatnonzero(alive)


def members(cloud: Cloud, centres: Array, radius: float) -> list[NDArray[np.intp]]:
    """Return the points within the radius of each centre."""
    found: list[NDArray[np.intp]] = []
    for at, products in cloud.products(centres):
        flags = np.empty(products.shape, dtype=bool)
        kernels.within(products, cloud.slack, cloud.points, centres[at], radius**2, flags)
        found.extend(np.flatnonzero(row) for row in flags)
    return found


def _blocks(count: int, width: int) -> Iterator[slice]:
    height = max(1, ENTRIES // max(1, width))
    for start in range(0, count, height):
        yield slice(start, min(start + height, count))


def _extended(centres: Array, dtype: DTypeLike) -> NDArray[Any]:
    """Return the centres with a coordinate of 1 each, for the squares of the points."""
    own = np.ones((len(centres), centres.shape[1] + 1), dtype=dtype)
    own[:, :-1] = centres
    return own
