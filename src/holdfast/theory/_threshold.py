"""Where the last selected feature scores: the places that decide what is selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtr

from holdfast.theory._counts import CELLS, spectrum_of
from holdfast.theory._scores import REACH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.theory._scores import Scores

    Array: TypeAlias = NDArray[np.float64]

UNLIKELY = 24.0
"""Thresholds that are less likely than exp(-24) are left out."""
NODES = 32
PANEL = 3.0
"""Nodes of a piece of the range of thresholds, and its largest length."""
STEPS, NEWTON, BACK = 40, 3, 4
"""Steps that find the middle of the range of thresholds, exactly, and from outside its ends."""


@dataclass(frozen=True)
class Ranked:
    """Groups of features of equal shift that compete for `n_selected` places.

    Places z run over the range in which the threshold lies. `above` is what scores beyond it.
    """

    counts: Array
    n_selected: int
    tails: Array
    densities: Array
    above: Array
    weights: Array

    def probabilities(self) -> Array:
        """Return the probability of each group's features to be selected.

        A feature is selected if it scores z and at most d − 1 of the others score more.
        """
        total = self.above.copy()
        for part in self._parts(len(self.counts)):
            spectrum = spectrum_of(self.tails[:, part], self.counts)
            chance = spectrum.without_one(self.n_selected - 1)
            total += (self.densities[:, part] * chance) @ self.weights[part]
        return np.clip(total, 0.0, 1.0)

    def pairs(self) -> Array:
        """Return the probabilities that two features of two groups are both selected."""
        total = np.multiply.outer(self.above, self.above)
        for part in self._parts(len(self.counts)):
            tails = self.tails[:, part].T
            rates = self.densities[:, part].T * self.weights[part, np.newaxis]
            chance = spectrum_of(tails.T, self.counts).without_two(self.n_selected - 2)
            half = np.einsum("mk,ml,mkl->kl", rates, tails, chance, optimize=True)
            total += half + half.T
        return np.clip(total, 0.0, 1.0)

    def _parts(self, groups: int) -> Iterator[slice]:
        """Cut the places so that the spectra of a part stay small."""
        step = max(1, CELLS // (64 * groups))
        return (slice(start, start + step) for start in range(0, len(self.weights), step))


def ranked(scores: Scores, shifts: Array, counts: Array, n_selected: int) -> Ranked:
    """Find the range of thresholds and evaluate tails and densities over it."""
    centres = scores.place(shifts)
    low, high = _range(scores, shifts, counts, n_selected)
    z, weights = _nodes(centres, low, high)
    return Ranked(
        counts=counts,
        n_selected=n_selected,
        tails=scores.tails(shifts, z),
        densities=scores.densities(shifts, z),
        above=scores.tails(shifts, np.array([high]))[:, 0],
        weights=weights,
    )


def _range(scores: Scores, shifts: Array, counts: Array, n_selected: int) -> tuple[float, float]:
    """Bracket the threshold: below, surely more than d features score; above, surely fewer."""
    side = np.array([-1.0, 1.0])
    last = float(scores.place(shifts).max()) + REACH

    def sure(z: Array) -> NDArray[np.bool_]:
        tails = scores.tails(shifts, z)
        mean, variance = counts @ tails, counts @ (tails * (1 - tails))
        right = side * (n_selected - mean) > 0
        return right & (_bound(variance, n_selected - mean) > UNLIKELY) | (z <= 0) | (z >= last)

    inner, step = _middle(scores, shifts, counts, n_selected)
    outer = np.clip(inner + step * side, 0.0, last)
    while not (known := sure(outer)).all():
        inner, step = np.where(known, inner, outer), 2 * step
        outer = np.where(known, outer, np.clip(outer + step * side, 0.0, last))
    for _ in range(BACK):
        between = (inner + outer) / 2
        known = sure(between)
        inner, outer = np.where(known, inner, between), np.where(known, between, outer)
    return float(outer[0]), float(outer[1])


def _middle(scores: Scores, shifts: Array, counts: Array, n_selected: int) -> tuple[Array, float]:
    """Return twice where about d features are expected to score more, and a first step from it.

    Newton's steps make the place exact.
    """
    z = np.array([middle_of(scores.place(shifts), counts, n_selected)])
    for _ in range(NEWTON):
        tails = scores.tails(shifts, z)
        slope = counts @ scores.densities(shifts, z)
        if not slope > 0.0:
            break
        z = np.maximum(z + np.clip((counts @ tails - n_selected) / slope, -0.5, 0.5), 0.0)
    spread = np.sqrt(counts @ (tails * (1 - tails))) / np.maximum(slope, 1e-300)
    return np.repeat(z, 2), float(np.clip(6 * spread, 1e-9, 1.0)[0])


def middle_of(centres: Array, counts: Array, n_selected: int) -> float:
    """Return where about d features are expected to score more; places are about normal."""
    low, high = 0.0, float(centres.max()) + REACH
    for _ in range(STEPS):
        z = (low + high) / 2
        more = counts @ (ndtr(centres - z) + ndtr(-centres - z)) > n_selected
        low, high = (z, high) if more else (low, z)
    return (low + high) / 2


def _bound(variance: Array, distance: Array) -> Array:
    """Return −log of Bennett's bound of the probability to be so far from the mean."""
    known = np.maximum(variance, 1e-30)
    ratio = np.abs(distance) / known
    return known * ((1 + ratio) * np.log1p(ratio) - ratio)


def _nodes(centres: Array, low: float, high: float) -> tuple[Array, Array]:
    """Return Gauss-Legendre nodes and weights where some feature may score, gaps left out."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    places, weights = [], []
    for start, end in _pieces(centres, low, high):
        edges = np.linspace(start, end, int((end - start) // PANEL) + 2)
        half = np.diff(edges)[:, np.newaxis] / 2
        places.append((edges[:-1, np.newaxis] + half * (1 + x)).ravel())
        weights.append((half * w).ravel())
    return np.concatenate(places), np.concatenate(weights)


def _pieces(centres: Array, low: float, high: float) -> Iterator[tuple[float, float]]:
    """Return the parts of the range that are within reach of a centre."""
    near = np.sort(centres[(centres + REACH > low) & (centres - REACH < high)])
    starts, ends = np.maximum(near - REACH, low), np.minimum(near + REACH, high)
    gaps = np.flatnonzero(starts[1:] > ends[:-1])
    return zip(starts[np.r_[0, gaps + 1]], ends[np.r_[gaps, -1]], strict=True)
