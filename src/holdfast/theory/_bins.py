"""Many different effects as a few: neighbours that no sample can tell apart are joined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.interpolate import CubicSpline

from holdfast.theory._scores import REACH
from holdfast.theory._threshold import middle_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.theory._scores import Scores

    Array: TypeAlias = NDArray[np.float64]

FEW = 128
"""So many different effects are kept as they are."""
ROUGH, FINE = 0.5, 0.25
"""Widths of bins, in standard deviations of a score: to find the threshold, and around it."""
CLOSE = 1e-4
"""Groups that are closer than this are one."""


@dataclass(frozen=True, eq=False)
class Merged:
    """Groups of similar shifts, with the place of each of the shifts that were joined.

    The threshold lies about `middle`, nowhere near places that are farther from it than REACH.
    """

    shifts: Array
    counts: Array
    places: Array
    wanted: Array
    middle: float = 0.0

    def spread(self, probabilities: Array) -> Array:
        """Return the probabilities of the shifts that were joined."""
        if self.wanted is self.places:
            return probabilities
        found = (self.wanted > self.middle).astype(np.float64)  # far ones are sure
        near = np.abs(self.wanted - self.middle) <= REACH
        found[near] = self._between(probabilities, self.wanted[near])
        return found

    def _between(self, probabilities: Array, wanted: Array) -> Array:
        """Interpolate the probabilities of groups."""
        apart = np.diff(self.places, prepend=-np.inf) > CLOSE
        if apart.sum() == 1:  # no sample tells any of the features apart
            return np.full(len(wanted), np.average(probabilities, weights=self.counts))
        curve = CubicSpline(self.places[apart], probabilities[apart])
        return np.clip(curve(wanted), 0.0, 1.0)


def merged(scores: Scores, shifts: Array, counts: Array, n_selected: int, few: int = FEW) -> Merged:
    """Join shifts where there are more than `few`.

    Close to the threshold, bins are narrow compared with the spread of a score, and each becomes
    two groups with the bin's mean and variance, so that its curvature is not lost. Far from the
    threshold, features are surely selected or surely not: one bin, of any width, is enough on
    either side. It becomes one group at its mean, as two might lie on the threshold.
    """
    places = scores.place(shifts)
    if len(shifts) <= few:
        return Merged(shifts, counts, places, places)
    rough, _, sums = _joined(np.floor(places / ROUGH), places, counts)
    middle = middle_of(rough, sums, n_selected)
    width = FINE * FEW / few
    most = math.ceil(REACH / width)
    bins = np.clip(np.floor((places - middle) / width), -most - 1, most)
    bins[0], bins[-1] = bins[0] - 1, bins[-1] + 1  # the ends stay as they are
    mean, deviation, sums = _joined(bins, places, counts)
    deviation[(deviation < CLOSE) | (np.abs(mean - middle) >= most * width)] = 0.0
    both = np.stack([mean - deviation, mean + deviation], axis=1).ravel()
    groups, position = np.unique(both, return_inverse=True)
    halves = np.bincount(position, weights=np.repeat(sums / 2, 2)).astype(np.float64)
    return Merged(scores.score(groups), halves, groups, places, middle)


def _joined(bins: Array, places: Array, counts: Array) -> tuple[Array, Array, Array]:
    """Return mean, deviation and number of the places in each bin; places are ascending."""
    starts = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
    sums = np.add.reduceat(counts, starts)
    mean = np.add.reduceat(counts * places, starts) / sums
    gaps = places - np.repeat(mean, np.diff(starts, append=len(places)))
    return mean, np.sqrt(np.add.reduceat(counts * gaps**2, starts) / sums), sums
