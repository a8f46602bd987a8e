"""A value with what is needed for its interval, its chance level and its explanation."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


FEW = 10  # preferences below which an asymptotic interval comes with a warning word


class Chance(NamedTuple):
    """Expected value for random preferences of the same sizes, and its standard error.

    The error is 0 where the expectation is exact.
    """

    value: float
    error: float = 0.0
    note: str = ""


def no_chance_level() -> Chance:
    """Return the chance level of a measure that has none."""
    return Chance(np.nan, 0.0, "no chance level is defined")


def zero_chance() -> Chance:
    """Return the chance level of a measure that is corrected for chance."""
    return Chance(0.0)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The value of a measure for one system of preferences.

    Attributes
    ----------
    value : float
        NaN where the measure is undefined; `undefined` then says why.
    leave_one_out : array of shape (m,)
        The value without preference i; the jackknife is made of these.
    chance : callable
        Gives the chance level; called only when somebody asks.
    variance : float or None
        Variance of the value by the measure's own formula; None means: by jackknife.
    """

    value: float
    leave_one_out: NDArray[np.float64]
    chance: Callable[[], Chance]
    variance: float | None = None
    undefined: str = ""


class Interval(NamedTuple):
    """A confidence interval and how it was made."""

    low: float
    high: float
    method: str
    note: str = ""


def jackknife_variance(leave_one_out: NDArray[np.float64]) -> float:
    r"""Return :math:`\frac{m-1}{m}\sum_i(\theta_{(i)}-\bar\theta)^2`."""
    m = len(leave_one_out)
    if m < 3:
        return np.nan
    return float((m - 1) / m * np.square(leave_one_out - leave_one_out.mean()).sum())


def variance_of(estimate: Estimate) -> tuple[float, str]:
    """Return the variance of an estimate and the name of the method behind it."""
    if estimate.variance is not None:
        return estimate.variance, "asymptotic"
    return jackknife_variance(estimate.leave_one_out), "jackknife"


def interval_of(estimate: Estimate, confidence: float) -> Interval:
    """Return the normal interval value ± z · standard error, not clipped to the range."""
    variance, method = variance_of(estimate)
    if np.isnan(estimate.value):
        return Interval(np.nan, np.nan, method)
    if np.isnan(variance):
        few = len(estimate.leave_one_out) < 3
        why = "fewer than 3 preferences" if few else "undefined without one of the preferences"
        return Interval(np.nan, np.nan, method, f"no interval: {why}")
    half = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance)
    few = method == "asymptotic" and len(estimate.leave_one_out) < FEW
    note = "an asymptotic interval from so few preferences is too narrow" if few else ""
    return Interval(estimate.value - half, estimate.value + half, method, note)
