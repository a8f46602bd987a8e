"""Classes keep their shares: how many units of each class are drawn, and which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.resample._units import Units


@dataclass(frozen=True, eq=False)
class Strata:
    """Units by class; one stratum of all units where classes are not to be kept.

    Attributes
    ----------
    labels : ndarray of int
        The stratum of each unit.
    order : ndarray of int
        The units by stratum.
    starts, sizes : ndarray of int
        Where each stratum starts in `order`, and its number of units.
    least : ndarray of int
        So many units of each stratum stay in every training part.
    """

    labels: NDArray[np.intp]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    least: NDArray[np.intp]

    @classmethod
    def of(cls, units: Units, *, stratify: bool) -> Strata:
        """Sort units by class, or take them all together."""
        present, labels = np.unique(units.labels, return_inverse=True)
        least = units.keep[present]
        if not stratify:
            labels, least = np.zeros_like(labels), least.max(keepdims=True)
        sizes = np.bincount(labels)
        order = np.argsort(labels, kind="stable")
        return cls(labels, order, np.cumsum(sizes) - sizes, sizes, least)

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """The place of each unit of `order` within its stratum, from 0."""
        return np.arange(len(self.order)) - np.repeat(self.starts, self.sizes)

    def shuffled(self, generator: np.random.Generator) -> NDArray[np.intp]:
        """Return the units by stratum, in random order within each."""
        return np.lexsort((generator.random(len(self.labels)), self.labels))

    def first(self, ordered: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the first units of each stratum, so many as `counts` says."""
        return ordered[self.place < np.repeat(counts, self.sizes)]

    def with_replacement(
        self, counts: NDArray[np.intp], generator: np.random.Generator
    ) -> NDArray[np.intp]:
        """Draw so many units of each stratum as `counts` says; a unit may be drawn again."""
        sizes, starts = np.repeat(self.sizes, counts), np.repeat(self.starts, counts)
        return self.order[starts + (generator.random(len(sizes)) * sizes).astype(np.intp)]


class Shares:
    """How many of a total each stratum gets: largest remainders, ties at random.

    Every stratum gets `least`, or all it has; strata above their share make room.
    """

    def __init__(self, strata: Strata, total: int) -> None:
        self._quotas = total * strata.sizes / strata.sizes.sum()
        self._lower = np.minimum(strata.least, strata.sizes)
        self._upper = strata.sizes
        self._total = total
        if self._lower.sum() > total:
            raise InvalidInputError(
                f"training parts of {total:,} are too small: with as many of every class as "
                f"selectors need they have at least {self._lower.sum():,}"
            )
        self._settled = lru_cache(maxsize=1024)(self._settle)  # few classes: few orders
        priority = range(len(self._quotas))
        one, other = self._settled(tuple(priority)), self._settled(tuple(reversed(priority)))
        self._fixed = one if (one == other).all() else None  # None: ties are to be broken

    def counts(self, generator: np.random.Generator) -> NDArray[np.intp]:
        """Return the number for each stratum."""
        if self._fixed is not None:
            return self._fixed
        return self._settled(tuple(generator.permutation(len(self._quotas)).tolist()))

    def _settle(self, priority: tuple[int, ...]) -> NDArray[np.intp]:
        """Settle the shares one unit at a time; `priority` decides between equal claims."""
        counts: NDArray[np.intp] = np.floor(self._quotas).astype(np.intp)
        counts = np.clip(counts, self._lower, self._upper)
        while counts.sum() < self._total:
            claims = np.where(counts < self._upper, self._quotas - counts, -np.inf)
            counts[_largest(claims, priority)] += 1
        while counts.sum() > self._total:
            excess = np.where(counts > self._lower, counts - self._quotas, -np.inf)
            counts[_largest(excess, priority)] -= 1
        return counts


def _largest(claims: NDArray[np.float64], priority: tuple[int, ...]) -> int:
    rounded = np.round(claims, 9)  # claims that differ by rounding errors alone are equal
    return int(np.lexsort((np.asarray(priority), rounded))[-1])


def require(units: Units, needed: Callable[[int], int], why: str, *, stratify: bool) -> None:
    """Refuse data in which a class has too few units.

    Without stratification it is the number of all units that counts.

    Parameters
    ----------
    units : Units
        The units.
    needed : callable
        Tells how many units a class needs, of which a training part must keep so many.
    why : str
        Completes the sentence; ``{needed}`` and ``{keep}`` stand for these two numbers.
    stratify : bool
        Whether classes count.
    """
    counts, keeps = np.bincount(units.labels, minlength=len(units.classes)), units.keep
    if not stratify:
        counts, keeps = counts.sum(keepdims=True), keeps.max(keepdims=True)
    small = [code for code, keep in enumerate(keeps.tolist()) if 0 < counts[code] < needed(keep)]
    if small:
        keep = int(keeps[small[0]])
        found = ", ".join(_found(units, code, int(counts[code]), stratify) for code in small)
        raise InvalidInputError(f"{found}; {why.format(needed=needed(keep), keep=keep)}")


def _found(units: Units, code: int, count: int, stratify: bool) -> str:
    amount = plural(count, units.noun)
    return f"class {units.class_name(code)} has {amount}" if stratify else f"there are {amount}"
