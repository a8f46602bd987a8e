"""Intervals of measures: a jackknife over preferences with Student's t, cut to the range.

One method serves all measures. The standard error comes from the values without one preference
each, the quantile from Student's t with m - 1 degrees of freedom, and the interval is cut to the
range of the measure. Intervals on log odds, another way to stay within the range, had no better
coverage and were wider for few preferences.
``benchmarks/claims/measure_intervals.py`` measures the coverage.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from holdfast._typing import FloatArray
from holdfast.measures._registry import Estimate

Bounds: TypeAlias = tuple[float, float]
"""Least and largest value of a measure; infinite if there is none."""
MIN_PREFERENCES = 3
"""Preferences, or groups of them, below which there is no interval; chosen by hand."""
ROUNDING = 1e-12
"""Relative spread up to which values count as equal except for rounding; chosen by hand."""
METHOD = "jackknife"


class Interval(NamedTuple):
    """A confidence interval and its method."""

    low: float
    high: float
    method: str
    note: str = ""


def jackknife_variance(leave_one_out: FloatArray) -> float:
    r"""Return :math:`\frac{m-1}{m}\sum_i(\theta_{(i)}-\bar\theta)^2`; NaN below three values.

    It is exactly 0 where the values differ by rounding only.
    """
    m = len(leave_one_out)
    if m < MIN_PREFERENCES:
        return np.nan
    spread = leave_one_out - leave_one_out.mean()
    # values that differ by rounding only have no spread: a tiny interval would look exact
    if np.abs(spread).max() <= ROUNDING * max(1.0, float(np.abs(leave_one_out).max())):
        return 0.0
    return float((m - 1) / m * np.square(spread).sum())


def student_quantile(freedom: float, confidence: float) -> float:
    """Return the half width of a two-sided interval in standard errors."""
    return float(scipy.special.stdtrit(freedom, (1 + confidence) / 2))


def student_interval(
    value: ArrayLike, error: ArrayLike, quantile: float, bounds: Bounds
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of values with these standard errors, cut to the bounds.

    NaN if an error is 0 or unknown: a value that has not varied yet may still vary.
    """
    centre, known = np.asarray(value, dtype=np.float64), np.asarray(error, dtype=np.float64)
    reach = quantile * np.where(known > 0, known, np.nan)
    return np.maximum(centre - reach, bounds[0]), np.minimum(centre + reach, bounds[1])


def estimate_interval(estimate: Estimate, confidence: float, bounds: Bounds) -> Interval:
    """Return the interval of an estimate, cut to the bounds, or a note why there is none.

    A value beyond the bounds (possible if undefined pairs are filled) is not cut.
    """
    value, m = estimate.value, len(estimate.leave_one_out)
    if np.isnan(value):
        return Interval(np.nan, np.nan, METHOD)
    variance = jackknife_variance(estimate.leave_one_out)
    # a value outside the range (by a choice of options) would be cut off its own interval
    if not bounds[0] <= value <= bounds[1]:
        bounds = (-np.inf, np.inf)
    quantile = student_quantile(max(m - 1, 1), confidence)
    low, high = student_interval(value, np.sqrt(variance), quantile, bounds)
    note = f"no interval: {_explain_missing_interval(m, variance)}" if np.isnan(low) else ""
    return Interval(float(low), float(high), METHOD, note)


def _explain_missing_interval(m: int, variance: float) -> str:
    if m < MIN_PREFERENCES:
        return f"fewer than {MIN_PREFERENCES} preferences"
    if np.isnan(variance):
        return "undefined without one of the preferences"
    return "the value is the same without any one of the preferences"
