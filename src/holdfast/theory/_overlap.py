"""How many features two selections from independent samples share."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdfast.theory._selection_threshold import evaluate_thresholds, merge_shifts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.theory._effects import Population
    from holdfast.theory._t_score import Scores

    Array: TypeAlias = NDArray[np.float64]

GROUPS = 48
"""Groups that pairs of features are told apart by: enough for a variance."""
LISTED = 400
"""Up to so many selected features, the overlaps are listed one by one."""
NEWTON, MET = 50, 1e-7
"""Steps that bend a distribution, and how near, in standard deviations, its moments must come."""
TINY = 1e-9
"""A smaller variance than this is as good as none."""


def overlap_probabilities(
    population: Population, scores: Scores, n_selected: int
) -> tuple[Array, Array]:
    """Return probabilities of groups of features to be selected, and the sizes of the groups."""
    shifts = scores.shifts(population.effects)
    groups = merge_shifts(scores, shifts, population.counts, n_selected)
    own = evaluate_thresholds(scores, groups.shifts, groups.counts, n_selected)
    return own.probabilities(), groups.counts


def overlap_variance(population: Population, scores: Scores, n_selected: int) -> float:
    """Return the variance of the overlap, from the probabilities that two features are selected.

    The overlap is a sum of indicators, one a feature, of a selection by both samples: two of
    them are 1 together with the squared probability that one sample selects both features.
    """
    shifts = scores.shifts(population.effects)
    groups = merge_shifts(scores, shifts, population.counts, n_selected, few=GROUPS)
    own, counts = (
        evaluate_thresholds(scores, groups.shifts, groups.counts, n_selected),
        groups.counts,
    )
    single = np.square(own.probabilities())
    excess = np.square(own.pairs()) - np.multiply.outer(single, single)
    alone = counts @ (single - np.square(single)) - counts @ np.diagonal(excess)
    return max(float(alone + counts @ excess @ counts), 0.0)


def expected_of_overlap(
    function: Callable[[Array], Array],
    probabilities: Array,
    counts: Array,
    variance: float,
    n_selected: int,
) -> float:
    """Return the expectation of a smooth convex function of the overlap.

    Of all overlaps with the same mean, the two whole numbers next to it give the least
    expectation, the smallest and the largest possible overlap the most. The value is kept between
    these bounds, and the variance between those of these overlaps: it comes from other groups
    than the mean, and the two may not fit each other.
    """
    low = max(0.0, 2.0 * n_selected - round(float(counts.sum())))
    mean = float(np.clip(counts @ np.square(probabilities), low, n_selected))
    next_to = np.clip(np.floor(mean) + np.arange(2), low, n_selected)
    bounds = (next_to, np.array([low, float(n_selected)]))
    least, most = (float(np.interp(mean, ends, function(ends))) for ends in bounds)
    narrow, wide = (float((mean - below) * (above - mean)) for below, above in bounds)
    fitting = min(max(variance, narrow), wide)
    if n_selected > LISTED:
        value = _of_normal(function, mean, fitting)
    elif (
        pmf := _overlap_distribution(probabilities, counts, n_selected, mean, fitting)
    ) is not None:
        value = float(pmf @ function(np.arange(n_selected + 1.0)))
    else:  # a mixture of both bounds has this mean and this variance
        value = least + (most - least) * (fitting - narrow) / max(wide - narrow, TINY)
    return min(max(value, least), most)


def _of_normal(function: Callable[[Array], Array], mean: float, variance: float) -> float:
    """Return the expectation for an overlap that is normal."""
    x, weights = np.polynomial.hermite_e.hermegauss(7)
    return float(weights @ function(mean + np.sqrt(variance) * x) / weights.sum())


def _overlap_distribution(
    probabilities: Array, counts: Array, most: int, mean: float, variance: float
) -> Array | None:
    """Return the probabilities of overlaps from 0 to `most`, or None if they cannot be found."""
    if variance < TINY:
        return None
    logs = _independent(np.square(probabilities), counts, most)
    logs[: max(0, 2 * most - round(float(counts.sum())))] = -np.inf  # so few are impossible
    return _tilt_to_moments(logs, np.arange(most + 1.0), mean, variance)


def _independent(chances: Array, counts: Array, most: int) -> Array:
    """Return logarithms of probabilities of 0 to `most`, were features selected independently."""
    length = 4 * most + 64
    turn = np.expm1(-2j * np.pi / length * np.arange(length // 2 + 1))
    logs = np.log(1 + np.multiply.outer(np.minimum(chances, 1 - 1e-12), turn))
    pmf = np.fft.irfft(np.exp(np.tensordot(counts, logs, 1)), length)
    return np.log(np.maximum(pmf[: most + 1], 1e-18))


def _tilt_to_moments(logs: Array, overlaps: Array, mean: float, variance: float) -> Array | None:
    """Return the distribution nearest to a given one that has a given mean and variance.

    Nearest by relative entropy: a factor exp(a r + b r²), whose a and b Newton's method finds.
    None if it does not find them, as may be where the variance is the least that is possible.
    """
    gaps = overlaps - mean
    powers = np.stack([gaps / np.sqrt(variance), gaps**2 / variance])
    wanted, tilt = np.array([0.0, 1.0]), np.zeros(2)
    for _ in range(NEWTON):
        exponent = logs + tilt @ powers
        pmf = np.exp(exponent - exponent.max())
        pmf /= pmf.sum()
        now = powers @ pmf
        if np.abs(wanted - now).max() < MET:
            return np.asarray(pmf)
        matrix = (powers * pmf) @ powers.T - np.multiply.outer(now, now)
        step = np.linalg.lstsq(matrix, wanted - now, rcond=1e-10)[0]
        tilt += step / max(1.0, float(np.abs(step).max()))
    return None
