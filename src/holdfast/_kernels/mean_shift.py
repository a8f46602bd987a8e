"""Mean shift: the points within a radius of a centre, their mean, and the nearest points.

**Method.** With the flat kernel, a centre moves to the mean of the points within a radius. A matrix
product in single precision decides nearly all pairs of a centre c and a point x: from the products
c·x - x·x/2 follows the squared distance, c·c minus twice the product. Pairs closer to the radius
than the product is exact are decided by their distance in double precision.

**Reference.** [Fukunaga1975]_ for mean shift, [Cheng1995]_ for the flat kernel, [Yu2008]_ for its
use on features.

**Deviations.** None; the caller iterates, merges peaks and implements the Gaussian kernel.

**Rounding.** Distances are summed in double precision in the order of the coordinates, and `slack`,
a bound of the error of a product (see ``PointSet`` of the caller), is added on both sides. So
decisions depend neither on how the product was computed, nor on blocks, nor on the number of
threads. Points are added in their order: the same points have the same mean to the last bit.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import BoolArray, FloatArray, IntArray

Float32Array: TypeAlias = NDArray[np.float32]


@subroutine
def squared_distance(a: FloatArray, b: FloatArray) -> float:
    """Sum the squared differences of `a` and `b`, both of shape (n,), in their order."""
    total = 0.0
    for k in range(len(a)):
        total += (a[k] - b[k]) ** 2
    return total


@subroutine
def _product_limits(
    centre: FloatArray, radius2: float, slack: float
) -> tuple[np.float32, np.float32]:
    """Return limits of products: below the first, points are outside; from the second on, inside.

    `centre` has shape (n,). From |c - x|² = c·c - 2 (c·x - x·x/2) ≤ r² follows
    c·x - x·x/2 ≥ (c·c - r²) / 2.
    """
    square = 0.0
    for value in centre:
        square += value * value
    middle = 0.5 * (square - radius2)
    return np.float32(middle - slack), np.float32(middle + slack)


@kernel
def shift_centres(
    products: Float32Array,
    slack: float,
    points: FloatArray,
    centres: FloatArray,
    radius2: float,
    means: FloatArray,
    counts: IntArray,
    firsts: IntArray,
) -> None:
    """Write the mean, the number and the first of the points within the radius of each centre.

    A centre with no point in reach stays where it is.

    Parameters
    ----------
    products : ndarray of shape (n_centres, n_points)
        c·x - x·x/2 in single precision.
    slack : float
        A bound of the error of the products.
    points, centres : ndarray of shapes (n_points, n) and (n_centres, n)
        The points and the centres in double precision.
    radius2 : float
        The squared radius.
    means : ndarray of shape (n_centres, n)
        Receives the means.
    counts : ndarray of shape (n_centres,)
        Receives the number of points in reach.
    firsts : ndarray of shape (n_centres,)
        Receives the first of them; without any, n_points.
    """
    n = points.shape[1]
    mean = np.empty(n)
    for c in range(len(centres)):
        low, high = _product_limits(centres[c], radius2, slack)
        count = 0
        firsts[c] = len(points)
        # points are added in their order, so the same points have the same mean to the last bit
        for j in range(n):
            mean[j] = 0.0
        for i in range(len(points)):
            product = products[c, i]
            if product < low:
                continue
            if product >= high or squared_distance(points[i], centres[c]) <= radius2:
                for j in range(n):
                    mean[j] += points[i, j]
                count += 1
                # the first point in reach breaks ties between peaks that are equally dense
                firsts[c] = min(firsts[c], i)
        counts[c] = count
        for j in range(n):
            means[c, j] = mean[j] / count if count > 0 else centres[c, j]


@kernel
def mark_within_radius(
    products: Float32Array,
    slack: float,
    points: FloatArray,
    centres: FloatArray,
    radius2: float,
    flags: BoolArray,
) -> None:
    """Mark the points within the radius of each centre.

    Parameters
    ----------
    products, points, centres : ndarray
        As in `shift_centres`.
    flags : ndarray of shape (n_centres, n_points)
        Receives the marks.
    """
    for c in range(len(centres)):
        low, high = _product_limits(centres[c], radius2, slack)
        for i in range(len(points)):
            product = products[c, i]
            flags[c, i] = product >= low and (
                product >= high or squared_distance(points[i], centres[c]) <= radius2
            )


@kernel
def mean_nearest_distances(
    products: Float32Array,
    slack: float,
    points: FloatArray,
    centres: FloatArray,
    left_out: IntArray,
    k: int,
    means: FloatArray,
) -> None:
    """Write the mean distance of each centre to its k nearest points, one point left out.

    The products choose candidates, among which distances in double precision decide. Each product
    is off by at most `slack`, so every one of the k nearest has a product no lower than the k-th
    largest minus twice the slack.

    Parameters
    ----------
    products, points, centres : ndarray
        As in `shift_centres`.
    left_out : ndarray of shape (n_centres,)
        A point that does not count for each centre; -1 for none.
    means : ndarray of shape (n_centres,)
        Receives the mean distances.
    """
    best, nearest = np.empty(k, np.float32), np.empty(k)
    for c in range(len(centres)):
        floor = _kth_largest(products[c], left_out[c], best) - 2.0 * slack
        count = 0
        for i in range(len(points)):
            if products[c, i] >= floor and i != left_out[c]:
                distance = squared_distance(points[i], centres[c])
                if count < k:
                    count += 1
                elif distance >= nearest[k - 1]:
                    continue
                position = count - 1
                while position > 0 and nearest[position - 1] > distance:
                    nearest[position] = nearest[position - 1]
                    position -= 1
                nearest[position] = distance
        total = 0.0
        for position in range(count):
            total += math.sqrt(nearest[position])
        means[c] = total / k


@subroutine
def _kth_largest(row: Float32Array, left_out: int, best: Float32Array) -> float:
    """Return the k-th largest value of a row.

    `row` has shape (n_points,); `best`, of shape (k,), is scratch.
    """
    # insertion into a sorted list: k is small, and few values enter it
    last = len(best) - 1
    for position in range(len(best)):
        best[position] = -np.inf
    for i in range(len(row)):
        if row[i] > best[last] and i != left_out:
            position = last
            while position > 0 and best[position - 1] < row[i]:
                best[position] = best[position - 1]
                position -= 1
            best[position] = row[i]
    return float(best[last])


@kernel
def drop_nearby_peaks(
    products: Float32Array,
    slack: float,
    peaks: FloatArray,
    first: int,
    radius2: float,
    alive: BoolArray,
) -> None:
    """Mark later peaks within the radius of an earlier one that is still alive as dead.

    Parameters
    ----------
    products : ndarray of shape (n_block, n_peaks)
        Products of a block of peaks, which begins at peak `first`, with all peaks.
    peaks : ndarray of shape (n_peaks, n)
        The peaks, in order of preference.
    alive : ndarray of shape (n_peaks,)
        Which peaks remain, changed in place.
    """
    for row in range(len(products)):
        peak = first + row
        if not alive[peak]:
            continue
        low, high = _product_limits(peaks[peak], radius2, slack)
        for i in range(peak + 1, len(peaks)):
            product = products[row, i]
            if alive[i] and product >= low:
                alive[i] = product < high and squared_distance(peaks[i], peaks[peak]) > radius2
