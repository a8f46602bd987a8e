"""From mass spectra to peaks: smoothing, baseline removal, detection, alignment.

Classes are never looked at. All spectra are taken together, once, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import ndimage, signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.io import Dataset

    Array: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.intp]

PREFIX = "mz_"
NORMAL = 1.4826  # from the median absolute deviation to the standard deviation of normal noise


@dataclass(frozen=True, kw_only=True)
class Peaks:
    """How peaks are found.

    Attributes
    ----------
    smooth, order : int
        Points and degree of the Savitzky-Golay filter.
    baseline : int
        Points of the moving minimum below a spectrum, and of the maximum and the mean over it.
    noise : int
        Points of the moving median over the noise, the residuals of smoothing.
    prominence : float
        A peak stands out by at least so many times the noise.
    tolerance : float
        Peaks of different spectra are the same within this share of their m/z, or if they are
        neighbours.
    share : float
        A peak must be found in at least this share of the spectra.
    """

    smooth: int = 9
    order: int = 2
    baseline: int = 201
    noise: int = 501
    prominence: float = 3.0
    tolerance: float = 0.001
    share: float = 0.13


def peaks_of(data: Dataset, how: Peaks) -> Dataset:
    """Return the heights of aligned peaks as a data set; features keep the name of their m/z."""
    masses = np.array([mass(name) for name in data.feature_names])
    used = np.flatnonzero(masses > 0)
    heights, places = peak_heights(np.asarray(data.X[:, used], dtype=float), masses[used], how)
    names = tuple(data.feature_names[used[place]] for place in places)
    return replace(data, X=heights.astype(np.float32), feature_names=names, source=None)


def mass(name: str) -> float:
    """Return the m/z that a feature is called by."""
    return float(name.removeprefix(PREFIX))


def peak_heights(spectra: Array, masses: Array, how: Peaks) -> tuple[Array, Places]:
    """Return the height of each peak in each spectrum, and the places of the peaks.

    Parameters
    ----------
    spectra : array of shape (n, p)
        Intensities.
    masses : array of shape (p,)
        The m/z values, all above 0, ascending.
    how : Peaks
        How peaks are found.
    """
    smooth = signal.savgol_filter(spectra, how.smooth, how.order, axis=1, mode="nearest")
    signals = smooth - baseline(smooth, how.baseline)
    counts = peak_counts(signals / noise(spectra - smooth, how.noise), how.prominence)
    places = aligned(counts, masses, how.tolerance, how.share * len(spectra))
    return heights_at(signals, places, masses, how.tolerance), places


def baseline(spectra: Array, points: int) -> Array:
    """Return the slow part below each spectrum: a moving minimum, filled up and smoothed."""
    lowest = ndimage.minimum_filter1d(spectra, points, axis=1, mode="nearest")
    opened = ndimage.maximum_filter1d(lowest, points, axis=1, mode="nearest")
    return np.asarray(ndimage.uniform_filter1d(opened, points, axis=1, mode="nearest"))


def noise(residuals: Array, points: int) -> Array:
    """Return the standard deviation of the noise at each place, the same for all spectra.

    It differs by orders of magnitude along a spectrum, so it is taken from the neighbourhood.
    """
    typical = np.median(np.abs(residuals), axis=0)
    local = NORMAL * ndimage.median_filter(typical, points, mode="nearest")
    return np.maximum(local, np.finfo(np.float32).tiny)


def peak_counts(signals: Array, prominence: float) -> Places:
    """Count, at each place, the spectra that have a peak there."""
    counts = np.zeros(signals.shape[1], dtype=np.intp)
    for row in signals:
        counts[signal.find_peaks(row, prominence=prominence)[0]] += 1
    return counts


def aligned(counts: Places, masses: Array, tolerance: float, least: float) -> Places:
    """Return where peaks of many spectra lie together, in order.

    The place with the most peaks within the tolerance comes first, of equal ones the one with
    the most peaks of its own; its peaks are used up, and so on until fewer than `least` are left
    anywhere.
    """
    left = counts.copy()
    places: list[int] = []
    low, high = within(masses, tolerance)
    while True:
        summed = np.concatenate([[0], np.cumsum(left)])
        near = summed[high] - summed[low]
        best = int(np.argmax(near * (left.max() + 1) + left))
        if near[best] < max(least, 1):
            return np.sort(np.array(places, dtype=np.intp))
        places.append(best)
        left[low[best] : high[best]] = 0


def within(masses: Array, tolerance: float) -> tuple[Places, Places]:
    """Return, for each m/z, the first place within the tolerance and the first one beyond it.

    The neighbouring places always count: where m/z values are far apart, peaks differ by one.
    """
    places = np.arange(len(masses))
    low = np.searchsorted(masses, masses * (1 - tolerance), side="left")
    high = np.searchsorted(masses, masses * (1 + tolerance), side="right")
    first, beyond = np.maximum(places - 1, 0), np.minimum(places + 2, len(masses))
    return np.minimum(low, first), np.maximum(high, beyond)


def heights_at(signals: Array, places: Places, masses: Array, tolerance: float) -> Array:
    """Return the highest signal around each place: within the tolerance, and nearest to it.

    Each point belongs to one peak only, so that neighbours are no copies of each other.
    """
    low, high = (ends[places] for ends in within(masses, tolerance))
    middle = (places[1:] + places[:-1] + 1) // 2
    low[1:], high[:-1] = np.maximum(low[1:], middle), np.minimum(high[:-1], middle)
    heights = [signals[:, a:b].max(axis=1) for a, b in zip(low, high, strict=True)]
    return np.stack(heights, axis=1)
