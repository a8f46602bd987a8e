"""Integration over the threshold, the score of the last selected feature.

**Selection.** A feature is selected if it scores z and at most d − 1 of the others score more, or
if it scores above the range of thresholds. This is integrated over z by Gauss-Legendre quadrature
on panels. The range of thresholds is found by bisection, with Bennett's inequality [Bennett1962]_
as the proof that nearly all of the distribution of the threshold lies in it.

**Counts.** The number of features that score above z is a sum of independent binomial counts, one
per group of equal features. Its distribution comes from its characteristic function at the points
of a discrete Fourier transform [Hong2013]_ that is as long as the count is spread, not as long as
there are features: the cost depends neither on the number of features nor on how many are selected.

**Merging.** Many different effects are replaced by a few: neighbours that a sample can hardly tell
apart are merged, with the mean and variance of their places kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from holdfast._typing import BoolArray, FloatArray
from holdfast.theory._t_score import MAX_SCORE_DEVIATIONS, TScoreDistribution

ComplexArray: TypeAlias = NDArray[np.complex128]

MAX_THRESHOLD_EXPONENT = 24.0
"""Thresholds less likely than exp(-24), 4e-11, are left out; chosen by hand."""
NODES_PER_PANEL = 32
MAX_PANEL_LENGTH = 3.0
"""Quadrature nodes per panel of the range of thresholds, and its largest length; chosen by hand."""
BISECTION_STEPS, NEWTON_STEPS, TIGHTENING_STEPS = 40, 3, 4
"""Steps of bisection and of Newton's method to the middle of the range of thresholds, and steps of
bisection that tighten its ends; chosen by hand."""
MAX_FREQUENCY_EXPONENT = 28.0
"""Values of a characteristic function below exp(-28), 7e-13, are left out; chosen by hand."""
MAX_CELLS_PER_PART = 2**20
"""Complex numbers that are held at a time; chosen by hand."""
COUNT_DEVIATIONS, EXTRA_COUNTS = 7.5, 15
"""Counts are resolved this many standard deviations, and this many more, around their mean;
chosen by hand so that aliasing stays below 1e-8 (``tests/theory/test_t_score.py``)."""
MAX_DISTINCT_EFFECTS = 128
"""Up to this many different effects are kept as they are; chosen by hand."""
ROUGH_BIN_WIDTH, FINE_BIN_WIDTH = 0.5, 0.25
"""Widths of bins, in standard deviations of a score: to find the threshold, and around it;
chosen by hand so that merging costs less than 1e-4
(``tests/theory/test_selection_probability.py``)."""
MIN_GROUP_DISTANCE = 1e-4
"""Groups closer than this, in standard deviations of a score, are one; chosen by hand."""


@dataclass(frozen=True)
class ThresholdGrid:
    """Groups of features of equal shift that compete to be selected, on a grid of thresholds.

    Attributes
    ----------
    counts : ndarray of shape (k,)
        Features of each group.
    n_selected : int
        How many features are selected.
    tails, densities : ndarray of shape (k, n_places)
        Tails and densities of the scores of each group at the places z of the grid.
    above : ndarray of shape (k,)
        Probability to score above the grid.
    weights : ndarray of shape (n_places,)
        Quadrature weights.
    """

    counts: FloatArray
    n_selected: int
    tails: FloatArray
    densities: FloatArray
    above: FloatArray
    weights: FloatArray

    def probabilities(self) -> FloatArray:
        """Return the selection probability of the features of each group.

        p_k = above_k + ∫ f_k(z) P(at most d − 1 of the others score above z) dz.
        """
        # a score above the range of thresholds is selected almost surely
        total = self.above.copy()
        for part in self._parts(len(self.counts)):
            spectrum = compute_spectrum(self.tails[:, part], self.counts)
            others_below = spectrum.cdf_without_one(self.n_selected - 1)
            total += (self.densities[:, part] * others_below) @ self.weights[part]
        return np.clip(total, 0.0, 1.0)

    def pairs(self) -> FloatArray:
        """Return the probabilities that two features of two groups are both selected.

        One of them scores z, the other more, and at most d − 2 of the rest more than z; or both
        score above the grid.
        """
        total = np.multiply.outer(self.above, self.above)
        for part in self._parts(len(self.counts)):
            tails = self.tails[:, part].T
            rates = self.densities[:, part].T * self.weights[part, np.newaxis]
            others_below = compute_spectrum(tails.T, self.counts).cdf_without_two(
                self.n_selected - 2
            )
            # the feature of group k scores z, that of group
            # l more; the other order is the transpose
            half = np.einsum("mk,ml,mkl->kl", rates, tails, others_below, optimize=True)
            total += half + half.T
        return np.clip(total, 0.0, 1.0)

    def _parts(self, groups: int) -> Iterator[slice]:
        """Divide the places so that the spectra of one part fit into memory."""
        step = max(1, MAX_CELLS_PER_PART // (64 * groups))
        return (slice(start, start + step) for start in range(0, len(self.weights), step))


def evaluate_thresholds(
    scores: TScoreDistribution, shifts: FloatArray, counts: FloatArray, n_selected: int
) -> ThresholdGrid:
    """Find the range of thresholds and evaluate tails and densities over it."""
    centres = scores.to_place(shifts)
    low, high = _threshold_range(scores, shifts, counts, n_selected)
    z, weights = _quadrature_nodes(centres, low, high)
    return ThresholdGrid(
        counts=counts,
        n_selected=n_selected,
        tails=scores.tails(shifts, z),
        densities=scores.densities(shifts, z),
        above=scores.tails(shifts, np.array([high]))[:, 0],
        weights=weights,
    )


def _threshold_range(
    scores: TScoreDistribution, shifts: FloatArray, counts: FloatArray, n_selected: int
) -> tuple[float, float]:
    """Bracket the threshold: below it more than d features score almost surely, above it fewer."""
    side = np.array([-1.0, 1.0])
    last = float(scores.to_place(shifts).max()) + MAX_SCORE_DEVIATIONS

    def is_certain(z: FloatArray) -> BoolArray:
        tails = scores.tails(shifts, z)
        mean, variance = counts @ tails, counts @ (tails * (1 - tails))
        right = side * (n_selected - mean) > 0
        return (
            # the count deviates by |d - mean| with a probability of at most exp(-exponent); at
            # places 0 and `last` there is nothing left to exclude
            right & (_bennett_exponent(variance, n_selected - mean) > MAX_THRESHOLD_EXPONENT)
            | (z <= 0)
            | (z >= last)
        )

    inner, step = _locate_middle(scores, shifts, counts, n_selected)
    outer = np.clip(inner + step * side, 0.0, last)
    # each end moves outwards in doubled steps until it is certain; `inner` stays uncertain
    while not (certain := is_certain(outer)).all():
        inner, step = np.where(certain, inner, outer), 2 * step
        outer = np.where(certain, outer, np.clip(outer + step * side, 0.0, last))
    # a shorter range needs fewer panels for the same accuracy
    for _ in range(TIGHTENING_STEPS):
        between = (inner + outer) / 2
        certain = is_certain(between)
        inner, outer = np.where(certain, inner, between), np.where(certain, between, outer)
    return float(outer[0]), float(outer[1])


def _locate_middle(
    scores: TScoreDistribution, shifts: FloatArray, counts: FloatArray, n_selected: int
) -> tuple[FloatArray, float]:
    """Return, twice, the place above which d features are expected, and a first step away from it.

    Newton's steps correct the normal approximation of `approximate_middle`.
    """
    z = np.array([approximate_middle(scores.to_place(shifts), counts, n_selected)])
    for _ in range(NEWTON_STEPS):
        tails = scores.tails(shifts, z)
        slope = counts @ scores.densities(shifts, z)
        if not slope > 0.0:
            break
        # the count falls with z: its derivative is minus the sum of the densities
        z = np.maximum(z + np.clip((counts @ tails - n_selected) / slope, -0.5, 0.5), 0.0)
    # the standard deviation of the count, as a distance of places
    spread = np.sqrt(counts @ (tails * (1 - tails))) / np.maximum(slope, 1e-300)
    return np.repeat(z, 2), float(np.clip(6 * spread, 1e-9, 1.0)[0])


def approximate_middle(centres: FloatArray, counts: FloatArray, n_selected: int) -> float:
    """Return the place above which about d features are expected; places are about normal."""
    low, high = 0.0, float(centres.max()) + MAX_SCORE_DEVIATIONS
    for _ in range(BISECTION_STEPS):
        z = (low + high) / 2
        more = counts @ (ndtr(centres - z) + ndtr(-centres - z)) > n_selected
        low, high = (z, high) if more else (low, z)
    return (low + high) / 2


def _bennett_exponent(variance: FloatArray, distance: FloatArray) -> FloatArray:
    """Return −log of Bennett's bound for a deviation of the count from its mean."""
    # V h(x / V) with h(u) = (1 + u) log(1 + u) - u, Bennett's bound for summands of at most 1
    bounded = np.maximum(variance, 1e-30)
    ratio = np.abs(distance) / bounded
    return bounded * ((1 + ratio) * np.log1p(ratio) - ratio)


def _quadrature_nodes(
    centres: FloatArray, low: float, high: float
) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights where some feature can score, without gaps."""
    x, w = np.polynomial.legendre.leggauss(NODES_PER_PANEL)
    places, weights = [], []
    for start, end in _reachable_intervals(centres, low, high):
        edges = np.linspace(start, end, int((end - start) // MAX_PANEL_LENGTH) + 2)
        half = np.diff(edges)[:, np.newaxis] / 2
        places.append((edges[:-1, np.newaxis] + half * (1 + x)).ravel())
        weights.append((half * w).ravel())
    return np.concatenate(places), np.concatenate(weights)


def _reachable_intervals(
    centres: FloatArray, low: float, high: float
) -> Iterator[tuple[float, float]]:
    """Return the parts of the range that lie within reach of a centre."""
    near = np.sort(
        centres[(centres + MAX_SCORE_DEVIATIONS > low) & (centres - MAX_SCORE_DEVIATIONS < high)]
    )
    starts, ends = (
        np.maximum(near - MAX_SCORE_DEVIATIONS, low),
        np.minimum(near + MAX_SCORE_DEVIATIONS, high),
    )
    # centres far apart leave stretches where no feature scores; no nodes are spent there
    gaps = np.flatnonzero(starts[1:] > ends[:-1])
    return zip(starts[np.r_[0, gaps + 1]], ends[np.r_[gaps, -1]], strict=True)


@dataclass(frozen=True)
class CountSpectrum:
    """Characteristic functions of counts at several places.

    Attributes
    ----------
    first, length : ndarray of shape (n_places,)
        The lowest count that is resolved, and how many are.
    angles : ndarray of shape (n_places, n_frequencies)
        The frequencies of the transform.
    total : ndarray of shape (n_places, n_frequencies)
        The characteristic function of the count, shifted by `first`.
    factors : ndarray of shape (k, n_places, n_frequencies)
        The factor of one feature of each group.
    """

    first: FloatArray
    length: FloatArray
    angles: FloatArray
    total: ComplexArray
    factors: ComplexArray

    def cdf_without_one(self, most: int) -> FloatArray:
        """Return P(count without one feature of a group ≤ most), groups in rows."""
        level, wave = self._cumulative_factors(most)
        # dividing by one factor takes one feature out of the product over all features
        parts = np.einsum("mq,kmq->km", wave, 1 / self.factors)
        return np.asarray(np.clip(level + parts.real, 0.0, 1.0))

    def cdf_without_two(self, most: int) -> FloatArray:
        """Return P(count without two features of two groups ≤ most), of shape (n_places, k, k)."""
        level, wave = self._cumulative_factors(most)
        inverse = np.moveaxis(1 / self.factors, 0, 1)
        parts = (inverse * wave[:, np.newaxis, :]) @ np.swapaxes(inverse, 1, 2)
        return np.clip(level[:, np.newaxis, np.newaxis] + parts.real, 0.0, 1.0)

    def _cumulative_factors(self, most: int) -> tuple[FloatArray, ComplexArray]:
        """Return what turns characteristic functions into cumulative probabilities up to `most`.

        P(count ≤ most) is the mean over the frequencies of φ(θ) times a geometric sum of exp(-iθ
        r); the frequency 0 gives the first result, the others, in conjugate pairs, the second.
        """
        terms = np.clip(most - self.first + 1, 0, self.length)
        turns = (1 - np.exp(-1j * self.angles * terms[:, np.newaxis])) / (
            1 - np.exp(-1j * self.angles)
        )
        return terms / self.length, 2 / self.length[:, np.newaxis] * turns * self.total


def compute_spectrum(tails: FloatArray, counts: FloatArray) -> CountSpectrum:
    """Return the spectra of counts; `tails` has one row per group of `counts` features."""
    mean, variance = counts @ tails, counts @ (tails * (1 - tails))
    # counts farther from the mean would be aliased to others, but are too unlikely to matter
    half = np.ceil(COUNT_DEVIATIONS * np.sqrt(variance) + EXTRA_COUNTS)
    length, first = 2 * half + 1, np.round(mean) - half
    angles = (
        2 * np.pi / length[:, np.newaxis] * np.arange(1, _count_frequencies(variance, half) + 1)
    )
    fall = -np.expm1(1j * angles)
    factors = 1 - tails[:, :, np.newaxis] * fall
    total = np.exp(_log_of_product(factors, counts) - 1j * angles * first[:, np.newaxis])
    total[angles > np.pi] = 0.0  # lengths differ: some places have fewer frequencies
    return CountSpectrum(first, length, angles, total, factors)


def _log_of_product(factors: ComplexArray, counts: FloatArray) -> ComplexArray:
    """Return the logarithm of the product over groups; its parts are faster one by one."""
    size = np.square(factors.real) + np.square(factors.imag)
    turn = np.arctan2(factors.imag, factors.real)
    return np.tensordot(counts, 0.5 * np.log(size), 1) + 1j * np.tensordot(counts, turn, 1)


def _count_frequencies(variance: FloatArray, half: FloatArray) -> int:
    """Return how many frequencies matter.

    Derived: |1 - p + p exp(iθ)|² = 1 - 2 p(1 - p)(1 - cos θ), so |φ(θ)| ≤ exp(-V (1 - cos θ)) with
    the variance V of the count.
    """
    cosine = 1 - np.minimum(MAX_FREQUENCY_EXPONENT / np.maximum(variance, 1.0), 2.0)
    needed = np.arccos(cosine) * (2 * half + 1) / (2 * math.pi)
    return int(np.minimum(np.ceil(needed), half).max())


@dataclass(frozen=True, eq=False)
class MergedShifts:
    """Groups of similar shifts.

    Attributes
    ----------
    shifts, counts, places : ndarray of shape (k,)
        Shift, number of features and place of each group.
    original_places : ndarray of shape (n_shifts,)
        The places of the shifts that were merged.
    middle : float
        About where the threshold lies. Shifts whose places are farther from it than
        `MAX_SCORE_DEVIATIONS` are selected, or not, with near certainty.
    """

    shifts: FloatArray
    counts: FloatArray
    places: FloatArray
    original_places: FloatArray
    middle: float = 0.0

    def spread_to_shifts(self, probabilities: FloatArray) -> FloatArray:
        """Return the probabilities of the shifts that were merged."""
        if self.original_places is self.places:
            return probabilities
        # selection is certain far from the threshold, and interpolated near it
        all_probabilities = (self.original_places > self.middle).astype(np.float64)
        near = np.abs(self.original_places - self.middle) <= MAX_SCORE_DEVIATIONS
        apart = np.diff(self.places, prepend=-np.inf) > MIN_GROUP_DISTANCE
        if apart.sum() == 1:  # all features are equal
            all_probabilities[near] = np.average(probabilities, weights=self.counts)
        else:
            curve = CubicSpline(self.places[apart], probabilities[apart])
            all_probabilities[near] = np.clip(curve(self.original_places[near]), 0.0, 1.0)
        return all_probabilities


def merge_shifts(
    scores: TScoreDistribution,
    shifts: FloatArray,
    counts: FloatArray,
    n_selected: int,
    max_groups: int = MAX_DISTINCT_EFFECTS,
) -> MergedShifts:
    """Merge shifts where there are more than `max_groups`.

    Close to the threshold, bins are narrow compared with the spread of a score, and each becomes
    two groups with the bin's mean and variance, so that curvature is not lost. Far from the
    threshold features are selected, or not, with near certainty: one bin of any width is enough on
    either side. It becomes one group at its mean, as two might lie on the threshold.
    """
    places = scores.to_place(shifts)
    if len(shifts) <= max_groups:
        return MergedShifts(shifts, counts, places, places)
    rough_means, _, sums = _bin_moments(np.floor(places / ROUGH_BIN_WIDTH), places, counts)
    middle = approximate_middle(rough_means, sums, n_selected)
    # fewer groups over the same range of places: wider bins
    width = FINE_BIN_WIDTH * MAX_DISTINCT_EFFECTS / max_groups
    max_bin = math.ceil(MAX_SCORE_DEVIATIONS / width)
    bins = np.clip(np.floor((places - middle) / width), -max_bin - 1, max_bin)
    bins[0], bins[-1] = bins[0] - 1, bins[-1] + 1  # keep the first and the last shift as they are
    mean, deviation, sums = _bin_moments(bins, places, counts)
    deviation[(deviation < MIN_GROUP_DISTANCE) | (np.abs(mean - middle) >= max_bin * width)] = 0.0
    group_places = np.stack([mean - deviation, mean + deviation], axis=1).ravel()
    groups, position = np.unique(group_places, return_inverse=True)
    halves = np.bincount(position, weights=np.repeat(sums / 2, 2)).astype(np.float64)
    return MergedShifts(scores.to_score(groups), halves, groups, places, middle)


def _bin_moments(
    bins: FloatArray, places: FloatArray, counts: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean, standard deviation and number of the ascending places in each bin."""
    starts = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
    sums = np.add.reduceat(counts, starts)
    mean = np.add.reduceat(counts * places, starts) / sums
    gaps = places - np.repeat(mean, np.diff(starts, append=len(places)))
    return mean, np.sqrt(np.add.reduceat(counts * gaps**2, starts) / sums), sums
