"""Mean shift: which points lie within a radius of a centre, their mean, the nearest of them.

A matrix product in single precision settles nearly all pairs of a centre c and a point x: with
products c·x - x·x/2 the squared distance is c·c minus twice the product. Pairs that are nearer
to the limit than the product is exact are decided by their distance in double precision, summed
in the order of the coordinates. So decisions do not depend on how the product was computed:
neither on blocks nor on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Single = NDArray[np.float32]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]


@kernel
def squared_distance(a: Floats, b: Floats) -> float:
    """Sum the squared differences in the order of the coordinates."""
    total = 0.0
    for k in range(len(a)):
        total += (a[k] - b[k]) ** 2
    return total


@kernel
def _limits(centre: Floats, radius2: float, slack: float) -> tuple[np.float32, np.float32]:
    """Products below the first are beyond the radius for sure, from the second on within it."""
    middle = 0.5 * ((centre * centre).sum() - radius2)
    return np.float32(middle - slack), np.float32(middle + slack)


@kernel
def shift(
    products: Single,
    slack: float,
    points: Floats,
    centres: Floats,
    radius2: float,
    means: Floats,
    counts: Ints,
    firsts: Ints,
) -> None:
    """Write the mean, the number and the first of the points within the radius of each centre.

    Points are added in their order: the same points have the same mean to the last bit. A centre
    with no point in reach stays where it is.
    """
    for c in range(len(centres)):
        low, high = _limits(centres[c], radius2, slack)
        count = 0
        firsts[c] = len(points)
        mean = np.zeros(points.shape[1])
        for i in range(len(points)):
            got = products[c, i]
            if got < low:
                continue
            if got >= high or squared_distance(points[i], centres[c]) <= radius2:
                mean += points[i]
                count += 1
                firsts[c] = min(firsts[c], i)
        counts[c] = count
        means[c] = mean / count if count > 0 else centres[c]


@kernel
def mark_within_radius(
    products: Single, slack: float, points: Floats, centres: Floats, radius2: float, flags: Flags
) -> None:
    """Mark the points within the radius of each centre."""
    for c in range(len(centres)):
        low, high = _limits(centres[c], radius2, slack)
        for i in range(len(points)):
            got = products[c, i]
            flags[c, i] = got >= low and (
                got >= high or squared_distance(points[i], centres[c]) <= radius2
            )


@kernel
def nearest(
    products: Single,
    slack: float,
    points: Floats,
    centres: Floats,
    left_out: Ints,
    k: int,
    means: Floats,
) -> None:
    """Write the mean distance of each centre to its k nearest points, one point left out.

    The products choose candidates, among which distances in double precision decide.
    """
    best = np.empty(k, dtype=np.float32)
    chosen = np.empty(len(points))
    for c in range(len(centres)):
        floor = _kth_largest(products[c], left_out[c], best) - 2.0 * slack
        count = 0
        for i in range(len(points)):
            if products[c, i] >= floor and i != left_out[c]:
                chosen[count] = squared_distance(points[i], centres[c])
                count += 1
        means[c] = np.sqrt(np.sort(chosen[:count])[:k]).sum() / k


@kernel
def _kth_largest(row: Single, left_out: int, best: Single) -> float:
    """Return the k-th largest value of a row, k being the length of `best`, which is scratch."""
    best[:] = -np.inf
    last = len(best) - 1
    for i in range(len(row)):
        if row[i] > best[last] and i != left_out:
            at = last
            while at > 0 and best[at - 1] < row[i]:
                best[at] = best[at - 1]
                at -= 1
            best[at] = row[i]
    return float(best[last])


@kernel
def absorb(
    products: Single, slack: float, peaks: Floats, first: int, radius2: float, alive: Flags
) -> None:
    """Let each living peak of a block that starts at `first` end all later ones in its radius."""
    for row in range(len(products)):
        own = first + row
        if not alive[own]:
            continue
        low, high = _limits(peaks[own], radius2, slack)
        for i in range(own + 1, len(peaks)):
            got = products[row, i]
            if alive[i] and got >= low:
                alive[i] = got < high and squared_distance(peaks[i], peaks[own]) > radius2
