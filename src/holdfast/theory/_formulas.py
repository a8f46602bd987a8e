"""Expected measures of stability, from the expected overlap of two selections of equal size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdfast._kernels.chance import overlap_distributions
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.theory._overlap import (
    expected_of_overlap,
    overlap_probabilities,
    overlap_variance,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.theory._effects import Population
    from holdfast.theory._scores import Scores

    Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Expected:
    """What is expected of selections of d features by independent samples."""

    population: Population
    scores: Scores
    n_selected: int
    n_runs: int | None = None
    plug_in: bool = False

    @cached_property
    def p(self) -> float:
        """The number of features."""
        return float(self.population.counts.sum())

    @cached_property
    def _groups(self) -> tuple[Array, Array]:
        if self.n_selected >= self.p:
            return np.ones(1), np.array([self.p])
        return overlap_probabilities(self.population, self.scores, self.n_selected)

    @cached_property
    def overlap(self) -> float:
        """The expected overlap of two selections: a feature is in both with p_j²."""
        probabilities, counts = self._groups
        return float(counts @ np.square(probabilities))

    @cached_property
    def jaccard(self) -> float:
        """The expected Jaccard index, by the distribution of the overlap."""
        d = self.n_selected
        if d >= self.p:
            return 1.0
        variance = overlap_variance(self.population, self.scores, d)
        return expected_of_overlap(lambda r: r / (2 * d - r), *self._groups, variance, d)

    @property
    def jaccard_of_chance(self) -> float:
        """The expected Jaccard index of random selections."""
        d = np.array([self.n_selected])
        _, overlaps, pmf = overlap_distributions(int(self.p), d, d)
        return float(pmf @ (overlaps / (2 * self.n_selected - overlaps)))

    @property
    def consistency(self) -> float:
        """The expected weighted consistency, or that of expected frequencies."""
        expected = self.overlap / self.n_selected
        if not self.plug_in:
            return expected
        assert self.n_runs is not None
        return (self.n_runs * expected - 1) / (self.n_runs - 1)

    @property
    def relative_consistency(self) -> float:
        """The expected weighted consistency between its bounds for so many runs."""
        low = self._least_consistency
        if low >= 1:
            return self.consistency
        return (self.consistency - low) / (1 - low)

    @property
    def _least_consistency(self) -> float:
        d, m = self.n_selected, self.n_runs
        if m is None:
            return d / self.p
        p, q = int(self.p), m * d
        rest = q % p
        return (q * q - p * (q - rest) - rest * rest) / (p * q * (m - 1))


def _share(of: Expected) -> float:
    return of.overlap / of.n_selected


def _beyond_chance(of: Expected) -> float:
    d = of.n_selected
    return (of.overlap * of.p / d - d) / (of.p - d)


def _lustgarten(of: Expected) -> float:
    d = of.n_selected
    return (of.overlap - d * d / of.p) / (d - max(0.0, 2 * d - of.p))


def _distance(of: Expected) -> float:
    return 2 * (of.n_selected - of.overlap) / of.p


def _ati_pa(of: Expected) -> float:
    chance = of.jaccard_of_chance
    return max((of.jaccard - chance) / (1 - chance), 0.0)


FORMULAS: dict[str, Callable[[Expected], float]] = {
    "relative_weighted_consistency": lambda of: of.relative_consistency,
    "weighted_consistency": lambda of: of.consistency,
    "jaccard": lambda of: of.jaccard,
    "ati_pa": _ati_pa,
    "kuncheva": _beyond_chance,
    "nogueira": _beyond_chance,
    "dice": _share,
    "pog": _share,
    "ochiai": _share,
    "npog": _beyond_chance,
    "phi": _beyond_chance,
    "kappa": _beyond_chance,
    "wald": _beyond_chance,
    "unadjusted": _beyond_chance,
    "lustgarten": _lustgarten,
    "hamming": lambda of: 1 - _distance(of),
    "anhd": _distance,
    "relative_anhd": lambda of: 1 - of.relative_consistency,
}
PLUGGED = ("relative_weighted_consistency", "weighted_consistency")


def known_measure(name: str) -> str:
    """Return the name of a measure whose expectation is known, given it or an alias."""
    full = get_measure(name).name
    if full not in FORMULAS:
        raise InvalidInputError(
            f"theory has no expectation of {full}; it has those of {', '.join(FORMULAS)}."
        )
    return full


def value_of(name: str, expected: Expected) -> float:
    """Return an expectation; what is corrected for chance needs features that are left out."""
    if expected.n_selected >= expected.p and get_measure(name).corrected:
        raise InvalidInputError(
            f"{name} is undefined where all features are selected: n_selected must be below "
            f"n_features ({expected.p:,.0f})."
        )
    value = FORMULAS[name](expected)
    assert not math.isnan(value)
    return value
