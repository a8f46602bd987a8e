"""The sampling distribution of the t-score of a Gaussian feature.

With class means at ±μ standard deviations, the pooled t-score is (Z + δ) / W: Z is standard normal,
δ = 2μ √(n₁n₂ / (n₁ + n₂)) its shift, and W² a mean square with ν = n₁ + n₂ − 2 degrees of freedom.
Tails are normal tails averaged over W by the trapezoid rule on log W, which converges exponentially
for such integrands [Trefethen2014]_ and serves all shifts and degrees of freedom.

Scores t are placed at z = √(ν log(1 + t²/ν)), Wallace's transformation [Wallace1959]_: on this
scale every score has a standard deviation of about 1, whatever its shift and degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from holdfast._typing import FloatArray

MAX_SCORE_DEVIATIONS = 9.0
"""Standard deviations beyond which a normal tail (1e-19) is negligible; chosen by hand."""
MAX_WEIGHT_EXPONENT = 28.0
"""Weights of log W below exp(-28), 7e-13 of the largest, are left out; chosen by hand."""
MAX_CELLS_PER_PASS = 2**15
"""Numbers that are computed at a time: they fit into a cache; chosen by hand."""
MAX_STEP, STEP_SHARE = 0.18, 0.95
"""Steps of the trapezoid rule, at most and relative to the width of the integrand; chosen by hand
so that tails agree with direct integration to 1e-9 (``tests/theory/test_t_score.py``)."""


@dataclass(frozen=True)
class TScoreDistribution:
    """The distribution of t-scores; infinite degrees of freedom stand for known variances.

    Attributes
    ----------
    shift_per_effect : float
        δ / μ.
    freedom : float
        The degrees of freedom ν.
    """

    shift_per_effect: float
    freedom: float

    @classmethod
    def from_class_sizes(cls, sizes: tuple[int, int], law: str) -> TScoreDistribution:
        """Return the distribution for two classes; the law "chi2" has known variances."""
        first, second = sizes
        shift = 2.0 * math.sqrt(first * second / (first + second))
        return cls(shift, math.inf if law == "chi2" else float(first + second - 2))

    def shifts(self, effects: FloatArray) -> FloatArray:
        """Return the shifts δ of the scores of features with these effects."""
        return self.shift_per_effect * np.abs(effects)

    def to_place(self, t: FloatArray) -> FloatArray:
        """Return the places z of scores t."""
        if math.isinf(self.freedom):
            return t
        # t (t / nu) instead of t^2 / nu: the square of a large score would overflow
        return np.sqrt(self.freedom * np.log1p(t * (t / self.freedom)))

    def to_score(self, z: FloatArray) -> FloatArray:
        """Return the scores t at places z."""
        if math.isinf(self.freedom):
            return z
        return np.sqrt(self.freedom * np.expm1(z * (z / self.freedom)))

    def tails(self, shifts: FloatArray, z: FloatArray) -> FloatArray:
        """Return P(|T| > t(z)) for all shifts (rows) and places (columns)."""
        # T > t if and only if Z + shift > W t; the second sum is the other tail, T < -t
        total = self._average_over_spread(shifts, z, lambda gap, _: ndtr(gap))
        # scores of larger shifts practically never have the wrong sign
        low = shifts < MAX_SCORE_DEVIATIONS
        total[low] += self._average_over_spread(-shifts[low], z, lambda gap, _: ndtr(gap))
        return np.minimum(total, 1.0)

    def densities(self, shifts: FloatArray, z: FloatArray) -> FloatArray:
        """Return the densities of places z for all shifts (rows) and places (columns)."""
        total = self._average_over_spread(shifts, z, _normal_density)
        low = shifts < MAX_SCORE_DEVIATIONS
        total[low] += self._average_over_spread(-shifts[low], z, _normal_density)
        return total * self._score_slope(z, self.to_score(z))

    def _average_over_spread(
        self,
        shifts: FloatArray,
        z: FloatArray,
        function: Callable[[FloatArray, FloatArray], FloatArray],
    ) -> FloatArray:
        """Average a function of δ − W t and of W over W, several values of W at a time."""
        total = np.zeros((len(shifts), len(z)))
        if total.size == 0:
            return total
        t = self.to_score(z)
        spreads, weights = self._spread_nodes(float(np.abs(shifts).max()), float(t.max()))
        n_at_once = max(1, MAX_CELLS_PER_PASS // total.size)
        for start in range(0, len(spreads), n_at_once):
            part = spreads[start : start + n_at_once, np.newaxis, np.newaxis]
            values = function(shifts[:, np.newaxis] - part * t, part)
            total += np.tensordot(weights[start : start + n_at_once], values, 1)
        return total

    def _score_slope(self, z: FloatArray, t: FloatArray) -> FloatArray:
        """Return dt/dz."""
        if math.isinf(self.freedom):
            return np.ones_like(z)
        ratio = np.divide(z, t, out=np.ones_like(z), where=t > 0)
        return ratio * (1 + t * (t / self.freedom))

    def _spread_nodes(self, shift: float, t: float) -> tuple[FloatArray, FloatArray]:
        """Return values of W and their weights, dense enough for shifts and scores up to these."""
        nu = self.freedom
        if math.isinf(nu):
            return np.ones(1), np.ones(1)
        # derived: log W = l has the weight exp(ν (l - expm1(2 l) / 2)), whose exponent is at most
        # -ν l² / (1 + |l|) for l < 0 and -ν l² for l > 0
        low = (
            MAX_WEIGHT_EXPONENT + math.sqrt(MAX_WEIGHT_EXPONENT**2 + 4 * MAX_WEIGHT_EXPONENT * nu)
        ) / (2 * nu)
        root = math.sqrt(MAX_WEIGHT_EXPONENT / nu)
        high = min(root, 0.5 * math.log1p(2 * (MAX_WEIGHT_EXPONENT / nu + root)))
        # the normal tail falls where W t = δ; the step follows the steeper of tail and weight
        steep = min(t * math.exp(high), shift + MAX_SCORE_DEVIATIONS)
        step = min(MAX_STEP, STEP_SHARE / math.sqrt(2 * nu + steep**2))
        logs = step * np.arange(-math.ceil(low / step), math.ceil(high / step) + 1)
        weights = np.exp(nu * (logs - 0.5 * np.expm1(2 * logs)))
        return np.exp(logs), weights / weights.sum()


def _normal_density(gap: FloatArray, spread: FloatArray) -> FloatArray:
    return spread * np.exp(-0.5 * np.square(gap)) / math.sqrt(2 * math.pi)
