"""The sampling distribution of the t-score of a Gaussian feature.

With class means at ±μ standard deviations, the pooled t-score is (Z + δ) / W: Z is standard
normal, δ = 2μ √(n₁n₂ / (n₁ + n₂)) its shift, and W² a mean square with n₁ + n₂ − 2 degrees of
freedom. Tails are normal tails averaged over W. The trapezoid rule on log W does that to nearly
full precision for any shift and any degrees of freedom, in one way for all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

MAX_SCORE_DEVIATIONS = 9.0
"""Standard deviations beyond which nothing happens."""
DIGITS = 28.0
"""Parts of the integral over log W that are smaller than exp(-28) are left out."""
CELLS = 2**15
"""So many numbers are worked on at a time: they fit into a cache."""


@dataclass(frozen=True)
class Scores:
    """The law of t-scores of a design; infinite degrees of freedom stand for known variances.

    Places on the scale of scores are given by z = √(ν log(1 + t²/ν)), on which every score has
    a spread of about 1, whatever its shift and the degrees of freedom ν.
    """

    shift_per_effect: float
    freedom: float

    def shifts(self, effects: Array) -> Array:
        """Return the means of the numerators of the scores."""
        return self.shift_per_effect * np.abs(effects)

    def place(self, t: Array) -> Array:
        """Return z of t."""
        if math.isinf(self.freedom):
            return t
        return np.sqrt(self.freedom * np.log1p(t * (t / self.freedom)))

    def score(self, z: Array) -> Array:
        """Return t of z."""
        if math.isinf(self.freedom):
            return z
        return np.sqrt(self.freedom * np.expm1(z * (z / self.freedom)))

    def tails(self, shifts: Array, z: Array) -> Array:
        """Return how likely scores are beyond ±t(z), for all shifts (rows) and places (columns)."""
        near = self._averaged(shifts, z, lambda gap, _: ndtr(gap))
        low = shifts < MAX_SCORE_DEVIATIONS  # the score of others hardly ever has the wrong sign
        near[low] += self._averaged(-shifts[low], z, lambda gap, _: ndtr(gap))
        return np.minimum(near, 1.0)

    def densities(self, shifts: Array, z: Array) -> Array:
        """Return the densities of places, for all shifts (rows) and places (columns)."""
        near = self._averaged(shifts, z, _bell)
        low = shifts < MAX_SCORE_DEVIATIONS
        near[low] += self._averaged(-shifts[low], z, _bell)
        return near * self._stretch(z, self.score(z))

    def _averaged(
        self, shifts: Array, z: Array, function: Callable[[Array, Array], Array]
    ) -> Array:
        """Average a function of δ − W t and of W over W, some values of W at a time."""
        total = np.zeros((len(shifts), len(z)))
        if total.size == 0:
            return total
        t = self.score(z)
        spreads, weights = self._spreads(float(np.abs(shifts).max()), float(t.max()))
        some = max(1, CELLS // total.size)
        for start in range(0, len(spreads), some):
            own = spreads[start : start + some, np.newaxis, np.newaxis]
            values = function(shifts[:, np.newaxis] - own * t, own)
            total += np.tensordot(weights[start : start + some], values, 1)
        return total

    def _stretch(self, z: Array, t: Array) -> Array:
        """Return dt/dz."""
        if math.isinf(self.freedom):
            return np.ones_like(z)
        ratio = np.divide(z, t, out=np.ones_like(z), where=t > 0)
        return ratio * (1 + t * (t / self.freedom))

    def _spreads(self, shift: float, t: float) -> tuple[Array, Array]:
        """Return values of W and their weights, dense enough for shifts and scores up to these."""
        nu = self.freedom
        if math.isinf(nu):
            return np.ones(1), np.ones(1)
        low = (DIGITS + math.sqrt(DIGITS**2 + 4 * DIGITS * nu)) / (2 * nu)
        root = math.sqrt(DIGITS / nu)
        high = min(root, 0.5 * math.log1p(2 * (DIGITS / nu + root)))
        # the normal tail has its edge where W t = δ: the step follows the steeper of both
        steep = min(t * math.exp(high), shift + MAX_SCORE_DEVIATIONS)
        step = min(0.18, 0.95 / math.sqrt(2 * nu + steep**2))
        logs = step * np.arange(-math.ceil(low / step), math.ceil(high / step) + 1)
        weights = np.exp(nu * (logs - 0.5 * np.expm1(2 * logs)))
        return np.exp(logs), weights / weights.sum()


def _bell(gap: Array, spread: Array) -> Array:
    return spread * np.exp(-0.5 * np.square(gap)) / math.sqrt(2 * math.pi)


def scores_of(classes: tuple[int, int], law: str) -> Scores:
    """Return the law of scores of two classes of given sizes."""
    first, second = classes
    shift = 2.0 * math.sqrt(first * second / (first + second))
    return Scores(shift, math.inf if law == "chi2" else float(first + second - 2))
