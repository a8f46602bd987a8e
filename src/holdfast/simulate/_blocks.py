"""Blocks of equally correlated features, without their covariance matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1 << 20  # values that get their common factors together


def distances(
    mu: NDArray[np.float64], blocks: NDArray[np.intp] | None, correlation: float
) -> NDArray[np.float64]:
    r"""Return :math:`\mu^\top \Sigma^{-1} \mu` along the last axis.

    `blocks` are the blocks of the features, None where all are independent. A block of s features
    with mean m and squared deviations D from it gives
    :math:`D / (1 - \rho) + s m^2 / (1 + (s - 1) \rho)`: no difference of large numbers is taken.
    """
    if blocks is None:
        return np.asarray(np.sum(mu**2, axis=-1))
    sizes = block_sums(np.ones(blocks.shape), blocks)
    means = block_sums(mu, blocks) / np.maximum(sizes, 1)
    deviations = mu - np.take_along_axis(means, blocks, axis=-1)
    common = np.sum(sizes * means**2 / (1 + (sizes - 1) * correlation), axis=-1)
    return np.asarray(np.sum(deviations**2, axis=-1) / (1 - correlation) + common)


def block_sums(values: NDArray[np.float64], blocks: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the sum of each block along the last axis."""
    n_blocks = int(blocks.max(initial=-1)) + 1
    rows = blocks.shape[:-1]
    first = np.arange(int(np.prod(rows))).reshape(*rows, 1) * n_blocks
    total = np.bincount(
        (blocks + first).ravel(), values.ravel(), minlength=int(np.prod(rows)) * n_blocks
    )
    return total.astype(np.float64, copy=False).reshape(*rows, n_blocks)  # empty ones are whole


def correlate(
    X: NDArray[np.float64], block_size: int, correlation: float, generator: np.random.Generator
) -> None:
    """Turn independent standard normal values into correlated ones, in place."""
    n, p = X.shape
    X *= np.sqrt(1 - correlation)
    factors = np.sqrt(correlation) * generator.standard_normal((n, -(-p // block_size)))
    step = max(1, _AT_ONCE // p)
    for start in range(0, n, step):
        part = factors[start : start + step]
        X[start : start + step] += np.repeat(part, block_size, axis=1)[:, :p]
