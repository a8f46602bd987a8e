"""Expectations over random subsets of given sizes, for measures of whole systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels.chance import poisson_binomial, union_distribution

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.measures._types import Array

EXACT_STEPS = 200_000  # subsets times union size up to which the union is followed step by step


def expected_square(p: int, sizes: NDArray[np.int64]) -> float:
    """Expectation of the sum of squared frequencies.

    A feature is in subset i with probability k_i / p, independently of the other subsets.
    """
    share = sizes / p
    return float(p * ((share * (1 - share)).sum() + share.sum() ** 2))


def expected_of_frequency(p: int, sizes: NDArray[np.int64], of: Callable[[Array], Array]) -> float:
    """Expectation of the sum over all features of a function of their frequency."""
    pmf = poisson_binomial(sizes / p)
    return float(p * (pmf * of(np.arange(len(pmf), dtype=np.float64))).sum())


def expected_of_union(p: int, sizes: NDArray[np.int64], of: Callable[[Array], Array]) -> float:
    """Expectation of a function of the size of the union; the empty union counts as NaN.

    Exact for small systems. For large ones the size is taken as normal with its exact mean and
    variance; for smooth functions, such as the inverse, the relative error lies below 1e-6.
    """
    if sizes.sum() == 0:
        return np.nan
    if len(sizes) * min(p, sizes.sum()) <= EXACT_STEPS:
        pmf = union_distribution(p, sizes)[1:]
        return float((pmf * of(np.arange(1.0, len(pmf) + 1))).sum())
    mean, deviation = _union_moments(p, sizes)
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    points = np.maximum(mean + deviation * nodes, 1.0)
    return float((weights * of(points)).sum() / weights.sum())


def _union_moments(p: int, sizes: NDArray[np.int64]) -> tuple[float, float]:
    """Mean and standard deviation of the size of the union.

    They follow from the probabilities that one given feature, and two given features, are in
    no subset; the variance is arranged so that nothing cancels.
    """
    left = p - sizes
    if left.min() == 0:
        return float(p), 0.0
    none = float(np.exp(np.log1p(-sizes / p).sum()))
    with np.errstate(divide="ignore"):  # a subset of all but one feature leaves no two
        excess = float(np.expm1(np.log1p(-sizes / ((p - 1.0) * left)).sum()))
    variance = p * none * (1 - none) + p * (p - 1.0) * none**2 * excess
    return p * (1 - none), float(np.sqrt(max(variance, 0.0)))
