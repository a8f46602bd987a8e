"""How many samples a wanted stability needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast._checks import between, one_of
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.theory._formulas import Expected, known_measure, value_of
from holdfast.theory._scores import scores_of
from holdfast.theory._selection import LAWS, read_population

if TYPE_CHECKING:
    from holdfast.theory._effects import Effect, Population
    from holdfast.theory._selection import Law

FEWEST, MOST = 2, 10**9
"""Samples of the first class that are tried."""


@dataclass(frozen=True, kw_only=True)
class RequiredSamples:
    """The fewest samples that reach a stability.

    Attributes
    ----------
    n_per_class : tuple of int
        Samples of either class.
    n_samples : int
        Samples of both.
    expected : float
        The expected stability of so many.
    """

    n_per_class: tuple[int, int]
    expected: float

    @property
    def n_samples(self) -> int:
        """Samples of both classes."""
        return sum(self.n_per_class)


def required_samples(
    target: float,
    measure: str = "nogueira",
    *,
    effect: Effect,
    n_informative: int | None = None,
    n_features: int,
    n_selected: int,
    ratio: float = 1.0,
    law: Law = "f",
) -> RequiredSamples:
    """Find the fewest samples whose selections by the t-score are as stable as wanted.

    The answer to the inverse question of :func:`expected_stability`, which grows with the number
    of samples: found by bisection.

    Parameters
    ----------
    target : float
        The wanted stability, above 0 and below 1.
    measure : str, default "nogueira"
        What it is measured by; a similarity that :func:`expected_stability` knows.
    effect, n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    ratio : float, default 1.0
        Samples of the second class for each of the first, rounded, at least 2.

    Returns
    -------
    RequiredSamples
        With ``.n_per_class``, ``.n_samples`` and the stability ``.expected`` of so many.

    Raises
    ------
    InvalidInputError
        No number of samples is enough: where more features are selected than have an effect,
        or fewer than have the same effect, some are chosen at random for ever. The message names
        the stability that a thousand million samples reach.

    Examples
    --------
    >>> from holdfast.theory import required_samples
    >>> found = required_samples(
    ...     0.8, effect=0.35, n_informative=20, n_features=500, n_selected=20
    ... )
    >>> found.n_samples, found.n_per_class, round(found.expected, 3)
    (144, (72, 72), 0.804)
    """
    name = known_measure(measure)
    if get_measure(name).distance:
        raise InvalidInputError(f"{name} is a distance; name a similarity, such as nogueira.")
    wanted, more = between(target, "target", 1.0), between(ratio, "ratio", math.inf)
    population = read_population(effect, n_informative, n_features, n_selected)
    search = _Search(name, population, n_selected, more, one_of(law, "law", LAWS))
    best = search.stability(MOST)
    if best < wanted:
        raise InvalidInputError(_unreachable(name, wanted, best, population, n_selected))
    first = search.fewest(wanted)
    return RequiredSamples(n_per_class=search.classes(first), expected=search.stability(first))


@dataclass(frozen=True)
class _Search:
    measure: str
    population: Population
    n_selected: int
    ratio: float
    law: str

    def classes(self, first: int) -> tuple[int, int]:
        return first, max(FEWEST, round(self.ratio * first))

    def stability(self, first: int) -> float:
        scores = scores_of(self.classes(first), self.law)
        return value_of(self.measure, Expected(self.population, scores, self.n_selected))

    def fewest(self, wanted: float) -> int:
        low, high = FEWEST - 1, MOST
        while high - low > 1:
            middle = math.isqrt(low * high) if high > 4 * low else (low + high) // 2
            low, high = (low, middle) if self.stability(middle) >= wanted else (middle, high)
        return high


def _unreachable(
    name: str, wanted: float, best: float, population: Population, n_selected: int
) -> str:
    known = int(population.counts[population.effects > 0].sum())
    return (
        f"{name} cannot reach {wanted:g} here: {MOST:,} samples a class give {best:.3f}. "
        f"{n_selected:,} features are selected and {known:,} have an effect; those that are equal "
        "or have none are chosen at random. Select another number of features, or lower the "
        "target."
    )
