"""Best subsets, distances and samples of features that are correlated in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast._typing import FloatArray, IndexArray


class _BestSubsets(NamedTuple):
    """The best subsets of blocks of equal size.

    `order` sorts each block by its means. The best s features of a block have the squared
    distance `gains[s]`; they are the last `tops[s]` and the first ``s - tops[s]`` in that order.
    """

    order: IndexArray
    gains: FloatArray
    tops: IndexArray


def best_features(mu: FloatArray, block_size: int, correlation: float, size: int) -> IndexArray:
    """Return the `size` features with the largest squared distance, in ascending order."""
    blocks = list(_solve_blocks(mu, block_size, correlation, size))
    sizes = _allocate_sizes([best.gains for best in blocks], size)
    chosen = []
    for block, (best, n) in enumerate(zip(blocks, sizes, strict=True)):
        n_first, n_last = int(n - best.tops[n]), int(best.tops[n])
        order = best.order + block * block_size
        chosen += [order[:n_first], order[len(order) - n_last :]]
    return np.sort(np.concatenate(chosen))


def _solve_blocks(
    mu: FloatArray, block_size: int, correlation: float, size: int
) -> Iterator[_BestSubsets]:
    """Solve all complete blocks together, then the shorter last block, if any."""
    n_complete = len(mu) - len(mu) % block_size
    for part in (mu[:n_complete].reshape(-1, block_size), mu[np.newaxis, n_complete:]):
        if part.size:
            best = _solve_equal_blocks(part, correlation, min(size, part.shape[1]))
            yield from map(_BestSubsets, *best)


def _solve_equal_blocks(mu: FloatArray, correlation: float, max_size: int) -> _BestSubsets:
    """Find the best subset of each size up to `max_size` in each row of `mu`."""
    order = np.argsort(mu, axis=1, kind="stable")
    means = np.take_along_axis(mu, order, axis=1)
    sums = [(_prefix_sums(v), _prefix_sums(v[:, ::-1])) for v in (means, means**2)]
    gains = np.zeros((len(mu), max_size + 1))
    tops = np.zeros((len(mu), max_size + 1), dtype=np.intp)
    # the squared distance is convex in each mean, so the best s features have the lowest and the
    # highest means: only the number from each end is to be found
    for s in range(1, max_size + 1):
        total, squares = (low[:, s::-1] + high[:, : s + 1] for low, high in sums)
        # mu' Sigma^-1 mu of s equally correlated features, by the Sherman-Morrison formula
        shared = correlation / (1 + (s - 1) * correlation)
        squared = (squares - shared * total**2) / (1 - correlation)
        tops[:, s] = squared.argmax(axis=1)
        gains[:, s] = squared.max(axis=1)
    return _BestSubsets(order, gains, tops)


def _prefix_sums(values: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, 2 ... values of each row."""
    return np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)


def _allocate_sizes(gains: list[FloatArray], size: int) -> IndexArray:
    """Distribute `size` features over the blocks so that the sum of gains is largest.

    The gain of a block need not be concave in its number of features (two features may be worth
    little alone and much together), so every number is tried in every block.
    """
    # dynamic programme over blocks: the best sum of gains for each number of features so far
    total = np.full(size + 1, -np.inf)
    total[0] = 0.0
    taken = np.zeros((len(gains), size + 1), dtype=np.int32)
    for block, gain in enumerate(gains):
        total = _add_block(total, gain, taken[block])
    sizes = np.zeros(len(gains), dtype=np.intp)
    for block in range(len(gains) - 1, -1, -1):  # trace the choices back from the last block
        sizes[block] = taken[block, size]
        size -= int(sizes[block])
    return sizes


def _add_block(before: FloatArray, gain: FloatArray, taken: NDArray[np.int32]) -> FloatArray:
    """Add a block to the best sums of every size; write its number of features to `taken`."""
    total = before.copy()
    for n in range(1, len(gain)):
        candidate = before[:-n] + gain[n]
        better = candidate > total[n:]
        total[n:][better] = candidate[better]
        taken[n:][better] = n
    return total


# Blocks of equally correlated features, without their covariance matrix.

_MAX_VALUES_PER_BATCH = 1 << 20  # limits the memory of the repeated factors to 8 MB


def squared_distances(mu: FloatArray, blocks: IndexArray | None, correlation: float) -> FloatArray:
    r"""Return :math:`\mu^\top \Sigma^{-1} \mu` along the last axis.

    `blocks` has the block of each feature, or is None if all features are independent. A block of
    s features with mean m and sum of squared deviations D contributes
    :math:`D / (1 - \rho) + s m^2 / (1 + (s - 1) \rho)`, which avoids cancellation.
    """
    if blocks is None:
        return np.asarray(np.sum(mu**2, axis=-1))
    sizes = block_sums(np.ones(blocks.shape), blocks)
    # split into deviations from the block mean and the mean itself: the difference of squares of
    # the direct formula would lose digits at high correlations
    means = block_sums(mu, blocks) / np.maximum(sizes, 1)
    deviations = mu - np.take_along_axis(means, blocks, axis=-1)
    common = np.sum(sizes * means**2 / (1 + (sizes - 1) * correlation), axis=-1)
    return np.asarray(np.sum(deviations**2, axis=-1) / (1 - correlation) + common)


def block_sums(values: FloatArray, blocks: IndexArray) -> FloatArray:
    """Return the sum of each block along the last axis."""
    n_blocks = int(blocks.max(initial=-1)) + 1
    rows = blocks.shape[:-1]
    first_bins = np.arange(int(np.prod(rows))).reshape(*rows, 1) * n_blocks
    total = np.bincount(
        (blocks + first_bins).ravel(), values.ravel(), minlength=int(np.prod(rows)) * n_blocks
    )
    # bincount of nothing is of integers
    return total.astype(np.float64, copy=False).reshape(*rows, n_blocks)


def correlate_blocks(
    X: FloatArray, block_size: int, correlation: float, generator: np.random.Generator
) -> None:
    """Correlate independent standard normal values within blocks, in place."""
    n, p = X.shape
    # sqrt(1 - r) z + sqrt(r) factor has variance 1 and correlation r within a block
    X *= np.sqrt(1 - correlation)
    factors = np.sqrt(correlation) * generator.standard_normal((n, -(-p // block_size)))
    step = max(1, _MAX_VALUES_PER_BATCH // p)
    for start in range(0, n, step):
        part = factors[start : start + step]
        X[start : start + step] += np.repeat(part, block_size, axis=1)[:, :p]
