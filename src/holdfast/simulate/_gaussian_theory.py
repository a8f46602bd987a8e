"""The best features of a size, where features are correlated in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class _Best(NamedTuple):
    """The best subsets of blocks of equal size.

    `order` sorts each block by its means; the best s features of a block have the squared
    distance `gains[s]` and are the `tops[s]` last and the s - tops[s] first of that order.
    """

    order: NDArray[np.intp]
    gains: NDArray[np.float64]
    tops: NDArray[np.intp]


def best_features(
    mu: NDArray[np.float64], block_size: int, correlation: float, size: int
) -> NDArray[np.intp]:
    """Return the features of the largest squared distance, in rising order."""
    blocks = list(_solve_blocks(mu, block_size, correlation, size))
    shares = _shares([best.gains for best in blocks], size)
    chosen = [
        best.order[_ends(len(best.order), int(share), int(best.tops[share]))] + at * block_size
        for at, (best, share) in enumerate(zip(blocks, shares, strict=True))
    ]
    return np.sort(np.concatenate(chosen))


def _ends(length: int, size: int, top: int) -> NDArray[np.intp]:
    return np.concatenate([np.arange(size - top), np.arange(length - top, length)])


def _solve_blocks(
    mu: NDArray[np.float64], block_size: int, correlation: float, size: int
) -> Iterator[_Best]:
    """Solve all whole blocks together, then the shorter one that may be left."""
    whole = len(mu) - len(mu) % block_size
    for part in (mu[:whole].reshape(-1, block_size), mu[np.newaxis, whole:]):
        if part.size:
            best = _in_blocks(part, correlation, min(size, part.shape[1]))
            yield from map(_Best, *best)


def _in_blocks(mu: NDArray[np.float64], correlation: float, most: int) -> _Best:
    """Find the best subset of each size up to `most` in each row of `mu`."""
    order = np.argsort(mu, axis=1, kind="stable")
    means = np.take_along_axis(mu, order, axis=1)
    sums = [(_heads(v), _heads(v[:, ::-1])) for v in (means, means**2)]
    gains = np.zeros((len(mu), most + 1))
    tops = np.zeros((len(mu), most + 1), dtype=np.intp)
    for s in range(1, most + 1):
        total, squares = (low[:, s::-1] + high[:, : s + 1] for low, high in sums)
        shared = correlation / (1 + (s - 1) * correlation)
        forms = (squares - shared * total**2) / (1 - correlation)
        tops[:, s] = forms.argmax(axis=1)
        gains[:, s] = forms.max(axis=1)
    return _Best(order, gains, tops)


def _heads(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of the first 0, 1, 2 ... values of each row."""
    return np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)


def _shares(gains: list[NDArray[np.float64]], size: int) -> NDArray[np.intp]:
    """Share out `size` features among blocks for the largest sum of gains.

    What a block gains need not be concave in its share (two features may be worth little alone
    and much together), so every share of every block is tried.
    """
    total = np.full(size + 1, -np.inf)
    total[0] = 0.0
    taken = np.zeros((len(gains), size + 1), dtype=np.int32)
    for block, gain in enumerate(gains):
        total = _with_block(total, gain, taken[block])
    return _trace_shares(taken, size)


def _with_block(
    before: NDArray[np.float64], gain: NDArray[np.float64], taken: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Add a block to the best sums of every size, and note its share in `taken`."""
    total = before.copy()
    for share in range(1, len(gain)):
        tried = before[:-share] + gain[share]
        better = tried > total[share:]
        total[share:][better] = tried[better]
        taken[share:][better] = share
    return total


def _trace_shares(taken: NDArray[np.int32], size: int) -> NDArray[np.intp]:
    shares = np.zeros(len(taken), dtype=np.intp)
    for block in range(len(taken) - 1, -1, -1):
        shares[block] = taken[block, size]
        size -= int(shares[block])
    return shares


# Blocks of equally correlated features, without their covariance matrix.

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
