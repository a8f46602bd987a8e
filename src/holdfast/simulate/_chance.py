"""Random numbers that are the same on every machine and with every version of NumPy.

NumPy promises to keep the bits of its bit generators, not what its distributions make of them;
so the bits are turned into numbers here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray


_WORD = 32  # bits


class Chance:
    """A stream of random numbers, told apart from others by whole numbers."""

    def __init__(self, *keys: int) -> None:
        self._bits = np.random.PCG64(_seed(keys))

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the open interval (0, 1)."""
        raw = self._bits.random_raw(int(np.prod(shape)))
        return ((raw >> np.uint64(11)).astype(np.float64) + 0.5).reshape(shape) * 2.0**-53

    def normal(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the standard normal distribution."""
        return np.asarray(ndtri(self.uniform(*shape)))

    def triangular(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the density 2 - 2x on (0, 1): small values are the likely ones."""
        return 1.0 - np.sqrt(1.0 - self.uniform(*shape))

    def order(self, count: int) -> NDArray[np.intp]:
        """Draw an order of `count` things."""
        return np.argsort(self.uniform(count), kind="stable")


def _seed(keys: tuple[int, ...]) -> np.random.SeedSequence:
    """Return a seed of its own for each list of keys.

    NumPy cuts numbers into words of 32 bits and forgets where one ended; so what is above them
    stands apart, behind its lengths.
    """
    above = [key >> _WORD for key in keys]
    if not any(above):
        return np.random.SeedSequence(keys)
    below = [key % (1 << _WORD) for key in keys]
    lengths = [part.bit_length() for part in above]
    return np.random.SeedSequence(below, spawn_key=(*lengths, *above))
