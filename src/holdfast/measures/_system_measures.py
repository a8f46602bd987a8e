"""Measures of a whole system of subsets, computed from the selection frequencies."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.overlaps import poisson_binomial, union_distribution
from holdfast._typing import FloatArray, IntArray, PreferenceView
from holdfast.measures._pair_measures import chance_corrected
from holdfast.measures._registry import Estimate, Measure, zero_chance

if TYPE_CHECKING:
    from holdfast.measures._subset_tables import SubsetTables


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemMeasure(Measure):
    """A measure whose `function` returns an `Estimate`."""

    def estimate(
        self, view: PreferenceView, fill: float | None, options: Mapping[str, Any]
    ) -> Estimate:
        estimate: Estimate = self.function(view, **options)
        if fill is not None and np.isnan(estimate.value):
            return dataclasses.replace(estimate, value=fill, undefined="")
        return estimate


@dataclass(frozen=True)
class Totals:
    """Sums over features of a function of their frequencies, with all subsets and without each.

    `number` is the number of subsets and `q` the number of selections. The arrays hold the whole
    system first, then the m systems without one subset.
    """

    number: FloatArray
    q: FloatArray
    total: FloatArray


def frequency_totals(tables: SubsetTables, function: Callable[[FloatArray], FloatArray]) -> Totals:
    """Sum a function of h over all features of the union, with all subsets and without each.

    Without a subset, h is lower by one for its features and the same for all others.
    """
    h = tables.counts.astype(np.float64)
    total = function(h).sum()
    without = total - tables.sums_by_subset(function(h) - function(h - 1))
    return Totals(
        number=counts_with_and_without(tables.m),
        q=np.concatenate(([tables.q], tables.q - tables.sizes)).astype(np.float64),
        total=np.concatenate(([total], without)),
    )


def counts_with_and_without(m: int) -> FloatArray:
    """Return the number of subsets of the whole system, then of each system without one."""
    return np.concatenate(([float(m)], np.full(m, m - 1.0)))


def correct_for_chance(
    values: FloatArray,
    tables: SubsetTables,
    expected: Callable[[IntArray], float],
    best: FloatArray | float,
) -> Estimate:
    """Correct the value of a system for the chance level of its subset sizes.

    `values` holds the whole system first, then the systems without one subset. `expected` returns
    the chance level for an array of sizes; it is called once per distinct size left out.
    """
    sizes = tables.sizes
    level = np.empty(len(values))
    level[0] = expected(sizes)
    without = [
        expected(np.delete(sizes, np.flatnonzero(sizes == size)[0]))
        for size in tables.distinct_sizes
    ]
    level[1:] = np.array(without)[tables.size_class]
    corrected = chance_corrected(values, level, best)
    why = "" if np.isfinite(corrected[0]) else "chance alone gives the maximum"
    return Estimate(
        value=float(corrected[0]),
        leave_one_out=corrected[1:],
        chance=zero_chance,
        undefined=why,
    )


def explain_if_all_empty(tables: SubsetTables) -> str:
    """Return the reason of an undefined value if all subsets are empty, else nothing."""
    return "all subsets are empty" if tables.q == 0 else ""


# Expectations over random subsets of given sizes, for measures of whole systems.

MAX_EXACT_STEPS = 200_000  # subsets times union size up to which the distribution is exact


def expected_square(p: int, sizes: IntArray) -> float:
    """Expectation of the sum of squared frequencies.

    A feature is in subset i with probability k_i / p, independently of the other subsets.
    """
    share = sizes / p
    return float(p * ((share * (1 - share)).sum() + share.sum() ** 2))


def expected_of_frequency(
    p: int, sizes: IntArray, function: Callable[[FloatArray], FloatArray]
) -> float:
    """Expectation of the sum over all features of a function of their frequency."""
    pmf = poisson_binomial(sizes / p)
    return float(p * (pmf * function(np.arange(len(pmf), dtype=np.float64))).sum())


def expected_of_union(
    p: int, sizes: IntArray, function: Callable[[FloatArray], FloatArray]
) -> float:
    """Expectation of a function of the size of the union; the empty union counts as NaN.

    Exact for small systems. For large ones the size is treated as normal with its exact mean and
    variance; for smooth functions, such as the inverse, the relative error lies below 1e-6.
    """
    if sizes.sum() == 0:
        return np.nan
    if len(sizes) * min(p, sizes.sum()) <= MAX_EXACT_STEPS:
        pmf = union_distribution(p, sizes)[1:]
        return float((pmf * function(np.arange(1.0, len(pmf) + 1))).sum())
    mean, deviation = _union_moments(p, sizes)
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    points = np.maximum(mean + deviation * nodes, 1.0)
    return float((weights * function(points)).sum() / weights.sum())


def _union_moments(p: int, sizes: IntArray) -> tuple[float, float]:
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
