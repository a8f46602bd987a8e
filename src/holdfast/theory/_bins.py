"""Many different effects as a few: neighbours that no sample can tell apart are joined."""

from __future__ import annotations

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
    """Groups of similar shifts, with the place of each of the shifts that were joined."""

    shifts: Array
    counts: Array
    places: Array
    wanted: Array

    def spread(self, probabilities: Array) -> Array:
        """Return the probabilities of the shifts that were joined."""
        if len(self.wanted) == len(self.places):
            return probabilities
        apart = np.diff(self.places, prepend=-np.inf) > CLOSE
        curve = CubicSpline(self.places[apart], probabilities[apart])
        return np.clip(curve(self.wanted), 0.0, 1.0)


def merged(scores: Scores, shifts: Array, counts: Array, n_selected: int, few: int = FEW) -> Merged:
    """Join shifts where there are more than `few`.

    Close to the threshold, bins are narrow compared with the spread of a score; far from it,
    features are surely selected or surely not, so that one bin is enough on either side. A bin
    becomes two groups with the bin's mean and variance, so that its curvature is not lost.
    """
    places = scores.place(shifts)
    if len(shifts) <= few:
        return Merged(shifts, counts, places, places)
    rough, _, sums = _joined(np.floor(places / ROUGH), places, counts)
    middle = middle_of(rough, sums, n_selected)
    width = FINE * FEW / few
    bins = np.floor(np.clip((places - middle) / width, -REACH / width - 1, REACH / width))
    bins[0], bins[-1] = bins[0] - 1, bins[-1] + 1  # the ends stay as they are
    mean, deviation, sums = _joined(bins, places, counts)
    deviation[deviation < CLOSE] = 0.0
    both = np.stack([mean - deviation, mean + deviation], axis=1).ravel()
    groups, position = np.unique(both, return_inverse=True)
    halves = np.bincount(position, weights=np.repeat(sums / 2, 2)).astype(np.float64)
    return Merged(scores.score(groups), halves, groups, places)


def _joined(bins: Array, places: Array, counts: Array) -> tuple[Array, Array, Array]:
    """Return mean, deviation and number of the places in each bin; places are ascending."""
    starts = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
    sums = np.add.reduceat(counts, starts)
    mean = np.add.reduceat(counts * places, starts) / sums
    gaps = places - np.repeat(mean, np.diff(starts, append=len(places)))
    return mean, np.sqrt(np.add.reduceat(counts * gaps**2, starts) / sums), sums
