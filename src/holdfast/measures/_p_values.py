"""P-values of statements about repeating a protocol, and where there are none."""

from __future__ import annotations

import numpy as np
import scipy.special

MIN_RESAMPLES = 10
"""Resamples below which no p-value is given."""
ABOUT = "about repeating this protocol on these samples"
"""What intervals and tests over resamples are about."""


def standardised(difference: float, variance: float) -> float:
    """Return a difference in standard errors: infinite where the variance is 0, NaN if both are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(difference) / np.sqrt(variance))


def student_p_value(statistic: float, freedom: float, resamples: int) -> float:
    """Return the share of Student's law below a statistic.

    NaN from few resamples, and for an infinite statistic, whose variance is not known.
    """
    if resamples < MIN_RESAMPLES or not np.isfinite(statistic):
        return np.nan
    return float(scipy.special.stdtr(freedom, statistic))


def p_value_text(statistic: float, p_value: float) -> str:
    """Return ``p = 0.013``, or why there is none."""
    if not np.isnan(p_value):
        return f"p = {p_value:.3g}"
    if np.isfinite(statistic):
        return f"no p-value below {MIN_RESAMPLES} resamples"
    return "no p-value, as leaving out any one resample changes nothing"
