"""Standard errors, and half widths of 95% intervals, from values without a part of the resamples.

Over resamples intervals are value ± z · standard error; over groups of resamples, which are
independent of each other and few, ± t · standard error with one degree of freedom less than groups.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
FEW = 3  # resamples below which there is no standard error


def means_without_each(groups: Array) -> Array:
    """Return the means of the groups along axis 0 without each of them; none of a single group."""
    if len(groups) < 2:
        return groups[:0]
    return np.asarray((groups.sum(axis=0) - groups) / (len(groups) - 1))


def jackknife_error(replicates: Array) -> Array:
    """Return the standard error of what the replicates along axis 0 replicate; NaN without any."""
    count = len(replicates)
    if count == 0:
        return np.full(replicates.shape[1:], np.nan)
    spread = np.square(replicates - replicates.mean(axis=0)).sum(axis=0)
    return np.asarray(np.sqrt((count - 1) / count * spread))


def half_width(replicates: Array, *, grouped: bool, intervals: int = 1) -> Array:
    """Return half the width of an interval from what leaves a resample, or a group, out each.

    With many intervals all of them hold at once with 95% confidence (Bonferroni).
    """
    level = 1 - (1 - CONFIDENCE) / (2 * intervals)
    if not grouped:
        return NormalDist().inv_cdf(level) * jackknife_error(replicates)
    freedom = max(len(replicates) - 1, 1)
    return float(scipy.stats.t.ppf(level, freedom)) * jackknife_error(replicates)


def half_width_of_mean(groups: Array) -> Array:
    """Return half the width of the interval of a mean over groups; NaN of a single group.

    It is t · standard deviation / sqrt(number of groups).
    """
    return half_width(means_without_each(groups), grouped=True)
