"""Units by class: what is drawn is drawn within each stratum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural, shortened
from holdfast.errors import InvalidInputError
from holdfast.resample._mixtures import least_of, like_classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.resample._units import Units

MANY = 3
"""Classes that messages name; more that are too small are hardly classes."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Units of like classes; one stratum of all units where classes are not to be kept.

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
        """Sort units by their classes, or take them all together."""
        if stratify:
            labels = like_classes(units.table)
            least = least_of(labels, units.table)
        else:
            labels = np.zeros(units.count, dtype=np.intp)
            least = units.keep.max(keepdims=True)
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
    counts, keeps = units.holders, units.keep
    if not stratify:
        counts, keeps = np.array([units.count]), keeps.max(keepdims=True)
    small = [code for code, keep in enumerate(keeps.tolist()) if counts[code] < needed(keep)]
    if small:
        keep = int(keeps[small[0]])
        found = [_found(units, code, int(counts[code]), stratify) for code in small]
        asked = " Are these classes, and not numbers?" if len(found) > MANY else ""
        raise InvalidInputError(
            f"{shortened(found, MANY)}; {why.format(needed=needed(keep), keep=keep)}.{asked}"
        )


def _found(units: Units, code: int, count: int, stratify: bool) -> str:
    amount = plural(count, units.noun)
    return f"class {units.class_name(code)} has {amount}" if stratify else f"there are {amount}"
