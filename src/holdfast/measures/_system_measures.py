"""Measures of a whole system of subsets, through how often each feature was selected."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.overlaps import poisson_binomial, union_distribution
from holdfast.measures._pair_measures import chance_corrected
from holdfast.measures._registry import Estimate, Measure, register, zero_chance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from holdfast.measures._registry import Array
    from holdfast.measures._subset_tables import SubsetTables


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemMeasure(Measure):
    """A measure whose `function` returns an `Estimate`."""

    def estimate(self, view: Any, fill: float | None, options: Mapping[str, Any]) -> Estimate:  # noqa: ANN401
        estimate: Estimate = self.function(view, **options)
        if fill is not None and np.isnan(estimate.value):
            return dataclasses.replace(estimate, value=fill, undefined="")
        return estimate


def subset_system(  # noqa: PLR0913  (they are the fields of the record)
    *,
    title: str,
    minimum: float,
    maximum: float,
    references: tuple[str, ...],
    needs: Iterable[str] = (),
    aliases: tuple[str, ...] = (),
    corrected: bool = False,
    distance: bool = False,
    identical: str = "",
) -> Callable[[Callable[..., Estimate]], Measure]:
    """Register a measure of a whole system of subsets."""

    def record(function: Callable[..., Estimate]) -> Measure:
        return register(
            SystemMeasure(
                name=function.__name__,
                title=title,
                form="subset",
                minimum=minimum,
                maximum=maximum,
                references=references,
                needs=frozenset(needs),
                aliases=aliases,
                corrected=corrected,
                distance=distance,
                identical=identical,
                function=function,
            )
        )

    return record


@dataclass(frozen=True)
class Totals:
    """A sum over features of a function of their frequencies: with all subsets, and without one.

    `number` is how many subsets and `q` how many selections go into each; the arrays hold the
    whole system first, then the m systems without one subset.
    """

    number: Array
    q: Array
    total: Array


def totals(tables: SubsetTables, of: Callable[[Array], Array]) -> Totals:
    """Sum a function of h over all features of the union, and again without each subset in turn.

    Taking out a subset lowers h by one for its features and leaves all others alone.
    """
    h = tables.counts.astype(np.float64)
    total = of(h).sum()
    without = total - tables.within(of(h) - of(h - 1))
    return Totals(
        number=with_and_without(tables.m),
        q=np.concatenate(([tables.q], tables.q - tables.sizes)).astype(np.float64),
        total=np.concatenate(([total], without)),
    )


def with_and_without(m: int) -> Array:
    """Return how many subsets the whole system has, then how many each system without one."""
    return np.concatenate(([float(m)], np.full(m, m - 1.0)))


def corrected_by(
    values: Array,
    tables: SubsetTables,
    expected: Callable[[NDArray[np.int64]], float],
    best: Array | float,
) -> Estimate:
    """Correct a system's value for the chance level that its subset sizes imply.

    `values` holds the whole system first, then the systems without one subset; `expected`
    gives the chance level for a list of sizes, computed once per distinct size left out.
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


def all_empty(tables: SubsetTables) -> str:
    """Explain an undefined value if no subset holds any feature."""
    return "all subsets are empty" if tables.q == 0 else ""


# Expectations over random subsets of given sizes, for measures of whole systems.

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
