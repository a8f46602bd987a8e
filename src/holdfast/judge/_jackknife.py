"""Standard errors and 95% intervals from values without a resample, or a group of them, each.

Intervals take Student's t with one degree of freedom less than resamples or groups.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from holdfast.measures._interval import (
    ROUNDING,
    student_interval,
    student_quantile,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.measures._interval import Bounds

    Array = NDArray[np.float64]

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


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


def half_width(replicates: Array, *, intervals: int = 1) -> Array:
    """Return half the width of an interval from what leaves a resample, or a group, out each.

    With many intervals all of them hold at once with 95% confidence (Bonferroni).
    """
    level = 1 - (1 - CONFIDENCE) / intervals
    freedom = max(len(replicates) - 1, 1)
    return student_quantile(freedom, level) * jackknife_error(replicates)


def replicate_interval(values: Array, replicates: Array, bounds: Bounds) -> tuple[Array, Array]:
    """Return the intervals of values from their replicates along axis 0, within bounds.

    NaN where there are no replicates, or where they are equal.
    """
    error = jackknife_error(replicates)
    error = np.where(error > ROUNDING * np.maximum(1.0, np.abs(values)), error, np.nan)
    quantile = student_quantile(max(len(replicates) - 1, 1), CONFIDENCE)
    return student_interval(values, error, quantile, bounds)


def interval_of_mean(groups: Array, bounds: Bounds) -> tuple[float, float]:
    """Return the interval of a mean over groups, within the bounds of the measure.

    NaN for a single group, and where they do not differ.
    """
    low, high = replicate_interval(groups.mean(), means_without_each(groups), bounds)
    return float(low), float(high)
