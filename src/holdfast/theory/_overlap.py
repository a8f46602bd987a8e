"""The overlap of two selections of equal size from independent samples.

The overlap R is the sum over features of the indicators that both samples select a feature. With
p_j the probability that one sample selects feature j, and p_jk that it selects both j and k:

* mean: E[R] = Σ p_j², as the samples are independent;
* variance: indicators j and k are both 1 with probability p_jk², so
  Var[R] = Σ_j (p_j² - p_j⁴) + Σ_{j≠k} (p_jk² - p_j² p_k²);
* shape: that of independent indicators, a Poisson-binomial distribution computed from its
  characteristic function by FFT [Hong2013]_, tilted exponentially to this mean and variance: of all
  distributions with these moments it is the nearest by relative entropy [Csiszar1975]_. With more
  than 400 selected features R is taken as normal, and expectations by Gauss-Hermite quadrature;
* bounds for convex functions: of all distributions on the integers with a given mean, the two
  integers next to it have the lowest expectation (Jensen's inequality on the lattice) and the two
  ends of the range the highest (Edmundson and Madansky).

Mean and variance are exact up to quadrature and, with many different effects, up to merging them
into groups; the shape is an approximation. Expected Jaccard indices were within 5e-4 of exact ones
(``tests/theory/test_expected_stability.py``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdfast._typing import FloatArray
from holdfast.theory._effects import Population
from holdfast.theory._selection_threshold import evaluate_thresholds, merge_shifts
from holdfast.theory._t_score import TScoreDistribution

MAX_PAIR_GROUPS = 48
"""Groups of features for probabilities of pairs; chosen by hand: a variance needs no more."""
MAX_LISTED_OVERLAPS = 400
"""Up to this many selected features the overlaps are listed one by one; chosen by hand."""
MAX_NEWTON_STEPS = 50
MOMENT_TOLERANCE = 1e-7
"""Steps of Newton's method, and tolerance of the moments in standard deviations; chosen by hand."""
MIN_VARIANCE = 1e-9
"""A variance below this counts as 0; chosen by hand."""
HERMITE_NODES = 7
"""Nodes for a normal overlap; chosen by hand: exact for polynomials up to degree 13."""


def overlap_probabilities(
    population: Population, scores: TScoreDistribution, n_selected: int
) -> tuple[FloatArray, FloatArray]:
    """Return the selection probabilities of groups of features, and the sizes of the groups."""
    shifts = scores.shifts(population.effects)
    groups = merge_shifts(scores, shifts, population.counts, n_selected)
    grid = evaluate_thresholds(scores, groups.shifts, groups.counts, n_selected)
    return grid.probabilities(), groups.counts


def overlap_variance(population: Population, scores: TScoreDistribution, n_selected: int) -> float:
    """Return the variance of the overlap, from the probabilities of selecting two features."""
    shifts = scores.shifts(population.effects)
    groups = merge_shifts(scores, shifts, population.counts, n_selected, max_groups=MAX_PAIR_GROUPS)
    grid, counts = (
        evaluate_thresholds(scores, groups.shifts, groups.counts, n_selected),
        groups.counts,
    )
    single = np.square(grid.probabilities())
    # Var R = sum_j (p_j² - p_j⁴) + sum_{j≠k} (p_jk² - p_j² p_k²), summed over groups
    # all pairs of groups are counted, so the pairs j = k are taken out of the double sum again
    excess = np.square(grid.pairs()) - np.multiply.outer(single, single)
    diagonal = counts @ (single - np.square(single)) - counts @ np.diagonal(excess)
    return max(float(diagonal + counts @ excess @ counts), 0.0)


def expectation_over_overlap(
    function: Callable[[FloatArray], FloatArray],
    probabilities: FloatArray,
    counts: FloatArray,
    variance: float,
    n_selected: int,
) -> float:
    """Return the expectation of a smooth convex function of the overlap.

    The value is kept between the bounds for convex functions, and the variance between the
    variances of the two distributions that attain them: it comes from other groups than the mean,
    and the two may not be compatible.
    """
    # two subsets of d of p features share at least 2 d - p
    low = max(0.0, 2.0 * n_selected - round(float(counts.sum())))
    mean = float(np.clip(counts @ np.square(probabilities), low, n_selected))
    # the lattice version of Jensen's bound, and the two ends of the range
    neighbours = np.clip(np.floor(mean) + np.arange(2), low, n_selected)
    bounds = (neighbours, np.array([low, float(n_selected)]))
    least, most = (float(np.interp(mean, ends, function(ends))) for ends in bounds)
    # variance of a two-point law on a < mean < b: (mean - a)(b - mean)
    narrow, wide = (float((mean - below) * (above - mean)) for below, above in bounds)
    bounded_variance = min(max(variance, narrow), wide)
    if n_selected > MAX_LISTED_OVERLAPS:
        x, weights = np.polynomial.hermite_e.hermegauss(HERMITE_NODES)
        value = float(weights @ function(mean + np.sqrt(bounded_variance) * x) / weights.sum())
    elif (
        pmf := _overlap_distribution(probabilities, counts, n_selected, mean, bounded_variance)
    ) is not None:
        value = float(pmf @ function(np.arange(n_selected + 1.0)))
    else:  # the mixture of the two bounding distributions with this mean and variance
        value = least + (most - least) * (bounded_variance - narrow) / max(
            wide - narrow, MIN_VARIANCE
        )
    return min(max(value, least), most)


def _overlap_distribution(
    probabilities: FloatArray, counts: FloatArray, largest: int, mean: float, variance: float
) -> FloatArray | None:
    """Return the probabilities of overlaps from 0 to `largest`; None if tilting fails."""
    if variance < MIN_VARIANCE:
        return None
    log_pmf = _log_poisson_binomial(np.square(probabilities), counts, largest)
    fewest = max(0, 2 * largest - round(float(counts.sum())))  # 2 d - p
    # independent indicators allow overlaps that subsets of size d cannot have
    log_pmf[:fewest] = -np.inf
    return _tilt_to_moments(log_pmf, np.arange(largest + 1.0), mean, variance)


def _log_poisson_binomial(chances: FloatArray, counts: FloatArray, largest: int) -> FloatArray:
    """Return log probabilities of 0 to `largest` successes in independent trials.

    `counts` trials have the probability `chances`; counts need not be integers. Probabilities of
    success are kept 1e-12 below 1, and results above 1e-18, so that logarithms are finite.
    """
    # derived: the mean is at most `largest`, so a count beyond the length, which would be aliased,
    # is less likely than exp(-100) by Chernoff's bound
    length = 4 * largest + 64
    # characteristic function prod_j (1 - c_j + c_j exp(-iθ))^n_j, inverted by a real FFT
    turns = np.expm1(-2j * np.pi / length * np.arange(length // 2 + 1))
    logs = np.log(1 + np.multiply.outer(np.minimum(chances, 1 - 1e-12), turns))
    pmf = np.fft.irfft(np.exp(np.tensordot(counts, logs, 1)), length)
    return np.log(np.maximum(pmf[: largest + 1], 1e-18))


def _tilt_to_moments(
    log_pmf: FloatArray, overlaps: FloatArray, mean: float, variance: float
) -> FloatArray | None:
    """Return the distribution nearest to a given one that has a given mean and variance.

    Nearest by relative entropy: the given one times exp(a r + b r²), normalised. Newton's method
    finds a and b; steps are limited to 1 in each. None if it does not converge, as may be where the
    variance is the smallest possible.
    """
    deviations = overlaps - mean
    # standardised powers: both moments have the same scale, so one tolerance serves both
    powers = np.stack([deviations / np.sqrt(variance), deviations**2 / variance])
    target, tilt = np.array([0.0, 1.0]), np.zeros(2)
    for _ in range(MAX_NEWTON_STEPS):
        exponent = log_pmf + tilt @ powers
        pmf = np.exp(exponent - exponent.max())
        pmf /= pmf.sum()
        moments = powers @ pmf
        if np.abs(target - moments).max() < MOMENT_TOLERANCE:
            return np.asarray(pmf)
        # the Hessian of the log of the norming constant is the covariance of the powers
        matrix = (powers * pmf) @ powers.T - np.multiply.outer(moments, moments)
        # least squares: the covariance is singular if only two overlaps are likely
        step = np.linalg.lstsq(matrix, target - moments, rcond=1e-10)[0]
        # far from the solution a whole Newton step may overshoot
        tilt += step / max(1.0, float(np.abs(step).max()))
    return None
