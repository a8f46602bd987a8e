"""Where the last selected feature scores: the places that decide what is selected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from holdfast.theory._t_score import MAX_SCORE_DEVIATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.theory._t_score import Scores

    Array: TypeAlias = NDArray[np.float64]
    Complex: TypeAlias = NDArray[np.complex128]


UNLIKELY = 24.0
"""Thresholds that are less likely than exp(-24) are left out."""
NODES = 32
PANEL = 3.0
"""Nodes of a piece of the range of thresholds, and its largest length."""
STEPS, NEWTON, BACK = 40, 3, 4
"""Steps that find the middle of the range of thresholds, exactly, and from outside its ends."""


@dataclass(frozen=True)
class ThresholdGrid:
    """Groups of features of equal shift that compete for `n_selected` places.

    Places z run over the range in which the threshold lies. `above` is what scores beyond it.
    """

    counts: Array
    n_selected: int
    tails: Array
    densities: Array
    above: Array
    weights: Array

    def probabilities(self) -> Array:
        """Return the probability of each group's features to be selected.

        A feature is selected if it scores z and at most d − 1 of the others score more.
        """
        total = self.above.copy()
        for part in self._parts(len(self.counts)):
            spectrum = spectrum_of(self.tails[:, part], self.counts)
            chance = spectrum.without_one(self.n_selected - 1)
            total += (self.densities[:, part] * chance) @ self.weights[part]
        return np.clip(total, 0.0, 1.0)

    def pairs(self) -> Array:
        """Return the probabilities that two features of two groups are both selected."""
        total = np.multiply.outer(self.above, self.above)
        for part in self._parts(len(self.counts)):
            tails = self.tails[:, part].T
            rates = self.densities[:, part].T * self.weights[part, np.newaxis]
            chance = spectrum_of(tails.T, self.counts).without_two(self.n_selected - 2)
            half = np.einsum("mk,ml,mkl->kl", rates, tails, chance, optimize=True)
            total += half + half.T
        return np.clip(total, 0.0, 1.0)

    def _parts(self, groups: int) -> Iterator[slice]:
        """Cut the places so that the spectra of a part stay small."""
        step = max(1, CELLS // (64 * groups))
        return (slice(start, start + step) for start in range(0, len(self.weights), step))


def evaluate_thresholds(
    scores: Scores, shifts: Array, counts: Array, n_selected: int
) -> ThresholdGrid:
    """Find the range of thresholds and evaluate tails and densities over it."""
    centres = scores.place(shifts)
    low, high = _range(scores, shifts, counts, n_selected)
    z, weights = _nodes(centres, low, high)
    return ThresholdGrid(
        counts=counts,
        n_selected=n_selected,
        tails=scores.tails(shifts, z),
        densities=scores.densities(shifts, z),
        above=scores.tails(shifts, np.array([high]))[:, 0],
        weights=weights,
    )


def _range(scores: Scores, shifts: Array, counts: Array, n_selected: int) -> tuple[float, float]:
    """Bracket the threshold: below, surely more than d features score; above, surely fewer."""
    side = np.array([-1.0, 1.0])
    last = float(scores.place(shifts).max()) + MAX_SCORE_DEVIATIONS

    def sure(z: Array) -> NDArray[np.bool_]:
        tails = scores.tails(shifts, z)
        mean, variance = counts @ tails, counts @ (tails * (1 - tails))
        right = side * (n_selected - mean) > 0
        return (
            right & (_bennett_exponent(variance, n_selected - mean) > UNLIKELY)
            | (z <= 0)
            | (z >= last)
        )

    inner, step = _middle(scores, shifts, counts, n_selected)
    outer = np.clip(inner + step * side, 0.0, last)
    while not (known := sure(outer)).all():
        inner, step = np.where(known, inner, outer), 2 * step
        outer = np.where(known, outer, np.clip(outer + step * side, 0.0, last))
    for _ in range(BACK):
        between = (inner + outer) / 2
        known = sure(between)
        inner, outer = np.where(known, inner, between), np.where(known, between, outer)
    return float(outer[0]), float(outer[1])


def _middle(scores: Scores, shifts: Array, counts: Array, n_selected: int) -> tuple[Array, float]:
    """Return twice where about d features are expected to score more, and a first step from it.

    Newton's steps make the place exact.
    """
    z = np.array([middle_of(scores.place(shifts), counts, n_selected)])
    for _ in range(NEWTON):
        tails = scores.tails(shifts, z)
        slope = counts @ scores.densities(shifts, z)
        if not slope > 0.0:
            break
        z = np.maximum(z + np.clip((counts @ tails - n_selected) / slope, -0.5, 0.5), 0.0)
    spread = np.sqrt(counts @ (tails * (1 - tails))) / np.maximum(slope, 1e-300)
    return np.repeat(z, 2), float(np.clip(6 * spread, 1e-9, 1.0)[0])


def middle_of(centres: Array, counts: Array, n_selected: int) -> float:
    """Return where about d features are expected to score more; places are about normal."""
    low, high = 0.0, float(centres.max()) + MAX_SCORE_DEVIATIONS
    for _ in range(STEPS):
        z = (low + high) / 2
        more = counts @ (ndtr(centres - z) + ndtr(-centres - z)) > n_selected
        low, high = (z, high) if more else (low, z)
    return (low + high) / 2


def _bennett_exponent(variance: Array, distance: Array) -> Array:
    """Return −log of Bennett's bound of the probability to be so far from the mean."""
    known = np.maximum(variance, 1e-30)
    ratio = np.abs(distance) / known
    return known * ((1 + ratio) * np.log1p(ratio) - ratio)


def _nodes(centres: Array, low: float, high: float) -> tuple[Array, Array]:
    """Return Gauss-Legendre nodes and weights where some feature may score, gaps left out."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    places, weights = [], []
    for start, end in _reachable_intervals(centres, low, high):
        edges = np.linspace(start, end, int((end - start) // PANEL) + 2)
        half = np.diff(edges)[:, np.newaxis] / 2
        places.append((edges[:-1, np.newaxis] + half * (1 + x)).ravel())
        weights.append((half * w).ravel())
    return np.concatenate(places), np.concatenate(weights)


def _reachable_intervals(centres: Array, low: float, high: float) -> Iterator[tuple[float, float]]:
    """Return the parts of the range that are within reach of a centre."""
    near = np.sort(
        centres[(centres + MAX_SCORE_DEVIATIONS > low) & (centres - MAX_SCORE_DEVIATIONS < high)]
    )
    starts, ends = (
        np.maximum(near - MAX_SCORE_DEVIATIONS, low),
        np.minimum(near + MAX_SCORE_DEVIATIONS, high),
    )
    gaps = np.flatnonzero(starts[1:] > ends[:-1])
    return zip(starts[np.r_[0, gaps + 1]], ends[np.r_[gaps, -1]], strict=True)


# How many of many independent features score above a place.
#
# The count is a sum of independent binomial counts, one a group of equal features. Its
# distribution comes from its characteristic function at the points of a discrete Fourier transform
# that is as long as the count is spread, not as long as there are features. So the cost depends
# neither on the number of features nor on that of selected ones, and the result is exact up to
# what lies outside of some eight standard deviations.

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


# Many different effects as a few: neighbours that no sample can tell apart are joined.

MAX_DISTINCT_EFFECTS = 128
"""So many different effects are kept as they are."""
ROUGH, FINE = 0.5, 0.25
"""Widths of bins, in standard deviations of a score: to find the threshold, and around it."""
CLOSE = 1e-4
"""Groups that are closer than this are one."""


@dataclass(frozen=True, eq=False)
class MergedShifts:
    """Groups of similar shifts, with the place of each of the shifts that were joined.

    The threshold lies about `middle`, nowhere near places that are farther from it than REACH.
    """

    shifts: Array
    counts: Array
    places: Array
    wanted: Array
    middle: float = 0.0

    def spread(self, probabilities: Array) -> Array:
        """Return the probabilities of the shifts that were joined."""
        if self.wanted is self.places:
            return probabilities
        found = (self.wanted > self.middle).astype(np.float64)  # far ones are sure
        near = np.abs(self.wanted - self.middle) <= MAX_SCORE_DEVIATIONS
        found[near] = self._between(probabilities, self.wanted[near])
        return found

    def _between(self, probabilities: Array, wanted: Array) -> Array:
        """Interpolate the probabilities of groups."""
        apart = np.diff(self.places, prepend=-np.inf) > CLOSE
        if apart.sum() == 1:  # no sample tells any of the features apart
            return np.full(len(wanted), np.average(probabilities, weights=self.counts))
        curve = CubicSpline(self.places[apart], probabilities[apart])
        return np.clip(curve(wanted), 0.0, 1.0)


def merge_shifts(
    scores: Scores, shifts: Array, counts: Array, n_selected: int, few: int = MAX_DISTINCT_EFFECTS
) -> MergedShifts:
    """Join shifts where there are more than `few`.

    Close to the threshold, bins are narrow compared with the spread of a score, and each becomes
    two groups with the bin's mean and variance, so that its curvature is not lost. Far from the
    threshold, features are surely selected or surely not: one bin, of any width, is enough on
    either side. It becomes one group at its mean, as two might lie on the threshold.
    """
    places = scores.place(shifts)
    if len(shifts) <= few:
        return MergedShifts(shifts, counts, places, places)
    rough, _, sums = _bin_moments(np.floor(places / ROUGH), places, counts)
    middle = middle_of(rough, sums, n_selected)
    width = FINE * MAX_DISTINCT_EFFECTS / few
    most = math.ceil(MAX_SCORE_DEVIATIONS / width)
    bins = np.clip(np.floor((places - middle) / width), -most - 1, most)
    bins[0], bins[-1] = bins[0] - 1, bins[-1] + 1  # the ends stay as they are
    mean, deviation, sums = _bin_moments(bins, places, counts)
    deviation[(deviation < CLOSE) | (np.abs(mean - middle) >= most * width)] = 0.0
    both = np.stack([mean - deviation, mean + deviation], axis=1).ravel()
    groups, position = np.unique(both, return_inverse=True)
    halves = np.bincount(position, weights=np.repeat(sums / 2, 2)).astype(np.float64)
    return MergedShifts(scores.score(groups), halves, groups, places, middle)


def _bin_moments(bins: Array, places: Array, counts: Array) -> tuple[Array, Array, Array]:
    """Return mean, deviation and number of the places in each bin; places are ascending."""
    starts = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
    sums = np.add.reduceat(counts, starts)
    mean = np.add.reduceat(counts * places, starts) / sums
    gaps = places - np.repeat(mean, np.diff(starts, append=len(places)))
    return mean, np.sqrt(np.add.reduceat(counts * gaps**2, starts) / sums), sums
