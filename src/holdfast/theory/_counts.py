"""How many of many independent features score above a place.

The count is a sum of independent binomial counts, one a group of equal features. Its
distribution comes from its characteristic function at the points of a discrete Fourier transform
that is as long as the count is spread, not as long as there are features. So the cost depends
neither on the number of features nor on that of selected ones, and the result is exact up to
what lies outside of some eight standard deviations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Complex: TypeAlias = NDArray[np.complex128]

NEGLIGIBLE = 28.0
"""Parts smaller than exp(-28) are left out."""
CELLS = 2**20
"""So many complex numbers are held at a time."""


@dataclass(frozen=True)
class Spectrum:
    """Characteristic functions of counts at several places.

    Arrays have a row a place and a column a frequency; `factors` has a leading axis for groups.
    """

    first: Array
    length: Array
    angles: Array
    total: Complex
    factors: Complex

    def without_one(self, most: int) -> Array:
        """Return P(count without a feature of a group ≤ most), groups in rows."""
        level, wave = self._summed(most)
        parts = np.einsum("mq,kmq->km", wave, 1 / self.factors)
        return np.asarray(np.clip(level + parts.real, 0.0, 1.0))

    def without_two(self, most: int) -> Array:
        """Return P(count without two features of two groups ≤ most), of shape (place, k, k)."""
        level, wave = self._summed(most)
        inverse = np.moveaxis(1 / self.factors, 0, 1)
        parts = (inverse * wave[:, np.newaxis, :]) @ np.swapaxes(inverse, 1, 2)
        return np.clip(level[:, np.newaxis, np.newaxis] + parts.real, 0.0, 1.0)

    def _summed(self, most: int) -> tuple[Array, Complex]:
        """Return what turns characteristic functions into a sum of probabilities up to `most`."""
        terms = np.clip(most - self.first + 1, 0, self.length)
        turns = (1 - np.exp(-1j * self.angles * terms[:, np.newaxis])) / (
            1 - np.exp(-1j * self.angles)
        )
        return terms / self.length, 2 / self.length[:, np.newaxis] * turns * self.total


def spectrum_of(tails: Array, counts: Array) -> Spectrum:
    """Return the spectra of counts; `tails` has a row a group of `counts` features."""
    mean, variance = counts @ tails, counts @ (tails * (1 - tails))
    half = np.ceil(7.5 * np.sqrt(variance) + 15)
    length, first = 2 * half + 1, np.round(mean) - half
    angles = 2 * np.pi / length[:, np.newaxis] * np.arange(1, _frequencies(variance, half) + 1)
    fall = -np.expm1(1j * angles)
    factors = 1 - tails[:, :, np.newaxis] * fall
    total = np.exp(_logarithm(factors, counts) - 1j * angles * first[:, np.newaxis])
    total[angles > np.pi] = 0.0  # the lengths differ: some places have fewer frequencies
    return Spectrum(first, length, angles, total, factors)


def _logarithm(factors: Complex, counts: Array) -> Complex:
    """Return the logarithm of the product over groups; its parts are faster by themselves."""
    size = np.square(factors.real) + np.square(factors.imag)
    turn = np.arctan2(factors.imag, factors.real)
    return np.tensordot(counts, 0.5 * np.log(size), 1) + 1j * np.tensordot(counts, turn, 1)


def _frequencies(variance: Array, half: Array) -> int:
    """Return how many frequencies matter: φ(θ) is at most exp(-V (1 - cos θ)) in size."""
    cosine = 1 - np.minimum(NEGLIGIBLE / np.maximum(variance, 1.0), 2.0)
    wanted = np.arccos(cosine) * (2 * half + 1) / (2 * math.pi)
    return int(np.minimum(np.ceil(wanted), half).max())
