"""Curves along which stability may grow with the number of samples.

A curve of the overlap of selections belongs to a law of effects: how many features are
informative, and how unlike they are. What is unknown besides is the scale of the effects, and
that moves a curve along the axis of log n. So one table of curves serves every number of samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import gammaincinv, ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

PLACES = np.linspace(-3.0, 12.0, 121)
"""Places on the axis of log n, up to the scale of the effects, at which curves are tabulated."""
INFORMATIVE = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, np.inf)
"""Informative features for each feature that is selected."""
SHAPES = (2.0, np.inf)
"""Shapes of gamma laws of effects: very unlike effects, and all alike."""
STEEPNESS = (0.5, 0.7, 1.0, 1.4, 2.0)
CEILINGS = (0.25, 0.5, 0.75, 1.0)
NOTHING = 0.1
"""Prior weight of there being nothing to find: stability stays at chance."""
FLAT = 0.05
"""Prior share of the places where a curve does not rise."""
NODES = 100
REACH = 9.0
"""Standard deviations beyond which no score lies."""
HALVINGS = 25


@dataclass(frozen=True, eq=False)
class Family:
    """Curves from 0 (chance) to at most 1 (perfect), tabulated at `PLACES`; the last is all 0."""

    values: Array

    @classmethod
    def of(cls, rising: Array) -> Family:
        """Add the curve that never rises."""
        return cls(np.vstack([rising, np.zeros(len(PLACES))]))

    @property
    def prior(self) -> Array:
        """Weights of all curves at all places, before anything is observed.

        Any stability that a curve can reach is as likely as any other: places count by how much
        the curve rises there. The little that is added keeps flat parts possible. The last curve
        is the one that never rises.
        """
        rise = np.gradient(self.values, axis=1).clip(0.0)
        weights = rise + FLAT * self.values.max(axis=1, keepdims=True) / len(PLACES)
        weights *= (1 - NOTHING) / weights.sum()
        weights[-1] = NOTHING / len(PLACES)
        return np.asarray(weights)

    def moved(self, steps: Array) -> Array:
        """Return the values of all curves from all places, so many steps further on.

        The shape of the result is (curves, places, steps).
        """
        places = PLACES[:, np.newaxis] + steps
        return np.stack([np.interp(places, PLACES, curve) for curve in self.values])


@lru_cache(maxsize=64)
def overlap_family(n_features: int, size: int, *, tanimoto: bool = False) -> Family:
    """Return curves of the overlap of two selections, corrected for chance.

    With `tanimoto`, of the overlap as a part of the union.
    """
    curves = np.array(
        [_overlap(*_effects(n_features, *law), size) for law in _laws(n_features, size)]
    )
    chance = size / n_features
    if tanimoto:
        curves, chance = curves / (2 - curves), chance / (2 - chance)
    rising = np.maximum.accumulate((curves - chance) / (1 - chance), axis=1)  # but for rounding
    return Family.of(rising.clip(0.0, 1.0))


@lru_cache(maxsize=1)
def growth_family() -> Family:
    """Return curves c x^b / (x^b + 1); with c = b = 1, the Spearman-Brown formula."""
    grown = [1 / (1 + np.exp(-b * PLACES)) for b in STEEPNESS]
    return Family.of(np.array([ceiling * curve for ceiling in CEILINGS for curve in grown]))


def _laws(n_features: int, size: int) -> list[tuple[float, float]]:
    """Return numbers of informative features and shapes, each once.

    Where all features are alike there is nothing to find, with any number of samples.
    """
    counts = [min(max(part * size, 1.0), float(n_features)) for part in INFORMATIVE]
    laws = dict.fromkeys(product(counts, SHAPES))
    return [law for law in laws if law != (n_features, np.inf)]


def _effects(n_features: int, informative: float, shape: float) -> tuple[Array, Array]:
    """Return effects with a mean of 1 and how many features have each; the others have 0."""
    nodes = 1 if np.isinf(shape) else int(min(informative, NODES))
    middles = (np.arange(nodes) + 0.5) / nodes
    effects = np.ones(nodes) if np.isinf(shape) else gammaincinv(shape, middles) / shape
    counts = np.full(nodes, informative / nodes)
    return np.append(effects, 0.0), np.append(counts, n_features - informative)


def _overlap(effects: Array, counts: Array, size: int) -> Array:
    """Return the expected share of a selection that another one holds, at all places.

    Scores are normal, with means that grow as the root of n. Selected is what lies above the
    threshold beyond which `size` scores are expected.
    """
    shifts = effects[:, np.newaxis] * np.exp(PLACES / 2)
    low, high = np.zeros(len(PLACES)), shifts.max(axis=0) + REACH
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        many = counts @ _tails(shifts, middle) > size
        low, high = np.where(many, middle, low), np.where(many, high, middle)
    tails = _tails(shifts, (low + high) / 2)
    return np.asarray((counts @ np.square(tails)) / (counts @ tails))


def _tails(shifts: Array, threshold: Array) -> Array:
    return np.asarray(ndtr(shifts - threshold) + ndtr(-shifts - threshold))
