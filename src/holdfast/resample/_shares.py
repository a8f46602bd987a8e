"""Classes keep their shares: how many units of each class are drawn, and which."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.resample._strata import Strata, require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.resample._units import Units


class Drawing:
    """Units drawn at random, so many in all, each class in its share.

    Parameters
    ----------
    units : Units
        The units.
    total : int
        How many are drawn.
    who : str
        Who draws, as the message says it that refuses classes of one unit.
    stratify : bool
        Whether classes keep their shares.
    """

    def __init__(self, units: Units, total: int, who: str, *, stratify: bool) -> None:
        why = f"{who} needs at least 2 {units.noun}s of every class"
        require(units, lambda _: 2, why, stratify=stratify)
        self._strata = Strata.of(units, stratify=stratify)
        self._shares = Shares(self._strata, total)

    def without_replacement(self, generator: np.random.Generator) -> NDArray[np.intp]:
        """Draw each unit once at most."""
        shuffled = self._strata.shuffled(generator)
        return self._strata.first(shuffled, self._shares.counts(generator))

    def with_replacement(self, generator: np.random.Generator) -> NDArray[np.intp]:
        """Draw units; one that was drawn may be drawn again."""
        return self._strata.with_replacement(self._shares.counts(generator), generator)


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
                f"selectors need they have at least {self._lower.sum():,}."
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
