"""Comparison of two selectors: is one more stable, under this protocol on these samples?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.special

from holdfast._random import RandomState, generators
from holdfast.errors import InvalidInputError
from holdfast.measures._interval import (
    Bounds,
    jackknife_variance,
    student_interval,
    student_quantile,
)
from holdfast.measures._measure import check_confidence, check_options, estimate_all
from holdfast.measures._registry import Estimate, get_measure
from holdfast.preferences import Preferences, Weights


@dataclass(frozen=True)
class Comparison:
    """How much more stable one selector is than another, on resamples of the same samples.

    Attributes
    ----------
    measure : str
        The measure that was compared.
    first, second : float
        Its value for both selectors.
    difference : float
        First minus second.
    low, high : float
        Confidence interval of the difference; NaN for fewer than three preferences, and where
        leaving out any one of them gives the same difference.
    statistic, p_value : float
        The difference over its standard error, and the two-sided p-value of "no difference if
        this protocol is repeated on these samples", NaN for fewer than ten preferences and where
        there is no interval.
    method : str
        Method of the standard error, and the degrees of freedom of Student's t.
    """

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    method: str

    @property
    def about(self) -> str:
        """What the interval and the p-value refer to."""
        return ABOUT

    def __str__(self) -> str:
        interval = "" if np.isnan(self.low) else f" [{self.low:+.3f}, {self.high:+.3f}]"
        return (
            f"{self.measure}: {self.first:.3f} against {self.second:.3f}, difference "
            f"{self.difference:+.3f}{interval}, {format_p_value(self.statistic, self.p_value)} "
            f"({self.about})"
        )


def compare(
    first: Preferences,
    second: Preferences,
    measure: str = "nogueira",
    *,
    paired: bool = False,
    confidence: float = 0.95,
    **options: Any,
) -> Comparison:
    r"""Compare the stability of two selectors on resamples of the same samples.

    The question is what repeating this protocol on these samples would give. To compare selectors
    for new data take ``hf.compare_replication``: resamples of one data set overlap, so a
    difference that is certain here may be an accident of these samples. With 100 subsamples of
    90% two equally good selectors differ "significantly" in three data sets of four.

    Parameters
    ----------
    first, second : Weights, Rankings, Subsets or Groups
        The preferences of two selectors.
    measure : str, default "nogueira"
        The measure to compare.
    paired : bool, default False
        Whether preference i of both selectors comes from the same resample. Then the jackknife
        leaves out the same resample on both sides, and effects of a resample on both cancel.
    confidence : float, default 0.95
        Level of the interval of the difference.
    **options
        Options of the measure, as in :func:`measure`.

    Returns
    -------
    Comparison
        Values, difference, interval and p-value. Fewer than ten preferences on a side give no
        p-value, fewer than three no interval.

    Notes
    -----
    If paired, the standard error of the difference is the jackknife's over resamples, and Student's
    law has m - 1 degrees of freedom. Else the variances of both sides are added, and the degrees
    of freedom are Welch and Satterthwaite's. The interval is cut to the differences that the range
    of the measure allows. If preferences come from independent samples instead of resamples, the
    test is about the population. For selections that are nearly random the standard error is too
    large, and a difference is found too rarely.

    Examples
    --------
    >>> import holdfast as hf
    >>> a = hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 1]] * 5, n_features=50)
    >>> b = hf.Subsets([[0, 1], [2, 3], [0, 4], [5, 1]] * 5, n_features=50)
    >>> print(hf.compare(a, b, paired=True))
    nogueira: 0.794 against 0.315, difference +0.480 [+0.324, +0.635], p = 3.4e-06
    (about repeating this protocol on these samples)
    """
    record = get_measure(measure)
    check_confidence(confidence)
    check_options([record], options)
    if paired and len(first) != len(second):
        raise InvalidInputError(
            f"paired preferences come from the same resamples, but there are {len(first)} and "
            f"{len(second)} of them."
        )
    if record.form == "ranking":
        first, second = _rank_weights(first, second, options.get("random_state", 0))
    one, two = (
        estimate_all([record], preferences, "raise", None, options)[0]
        for preferences in (first, second)
    )
    error = _difference_error(one, two, paired=paired)
    difference = one.value - two.value
    minimum, maximum = record.range_with(options)
    # the range of a difference of two values of the measure
    bounds = (minimum - maximum, maximum - minimum)
    low, high = _difference_interval(difference, error, confidence, bounds)
    statistic = standardized_difference(difference, error.variance)
    tail = student_p_value(-abs(statistic), error.freedom, min(len(first), len(second)))
    return Comparison(
        measure=record.name,
        first=one.value,
        second=two.value,
        difference=difference,
        low=low,
        high=high,
        statistic=statistic,
        p_value=2 * tail,
        method=f"{error.method}, t with {error.freedom:.4g} df",
    )


class _DifferenceError(NamedTuple):
    """The variance of a difference, and the degrees of freedom behind it."""

    variance: float
    freedom: float
    method: str


def _difference_error(one: Estimate, two: Estimate, *, paired: bool) -> _DifferenceError:
    # what a resample does to both selectors cancels in the difference of their jackknife values
    if paired:
        without = one.leave_one_out - two.leave_one_out
        return _DifferenceError(jackknife_variance(without), len(without) - 1, "paired jackknife")
    parts = np.array([jackknife_variance(side.leave_one_out) for side in (one, two)])
    each = np.array([len(side.leave_one_out) - 1 for side in (one, two)])
    with np.errstate(divide="ignore", invalid="ignore"):  # no variance, too few preferences
        # Welch and Satterthwaite's degrees of freedom
        freedom = float(parts.sum() ** 2 / (parts**2 / each).sum())
    return _DifferenceError(float(parts.sum()), freedom, "unpaired jackknife")


def _difference_interval(
    difference: float, error: _DifferenceError, confidence: float, bounds: Bounds
) -> tuple[float, float]:
    if not error.variance > 0:
        return np.nan, np.nan
    quantile = student_quantile(error.freedom, confidence)
    low, high = student_interval(difference, np.sqrt(error.variance), quantile, bounds)
    return float(low), float(high)


def _rank_weights(
    first: Preferences, second: Preferences, random_state: RandomState
) -> tuple[Preferences, Preferences]:
    """Rank weights on both sides, with ties broken independently of each other."""
    # with one seed for both, the same ties would be broken alike on both sides
    seeds = next(generators(random_state, 1)).integers(2**63, size=2)
    ranked = [
        side.to_rankings(random_state=int(seed)) if isinstance(side, Weights) else side
        for side, seed in zip((first, second), seeds, strict=True)
    ]
    return ranked[0], ranked[1]


# P-values of statements about repeating a protocol.

MIN_RESAMPLES = 10
"""Resamples below which no p-value is given; chosen by hand."""
ABOUT = "about repeating this protocol on these samples"
"""What intervals and tests over resamples are about."""


def standardized_difference(difference: float, variance: float) -> float:
    """Return a difference in standard errors: infinite if the variance is 0, NaN if both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(difference) / np.sqrt(variance))


def student_p_value(statistic: float, freedom: float, resamples: int) -> float:
    """Return the one-sided p-value of Student's t: the probability below the statistic.

    NaN for few resamples, and for an infinite statistic, whose variance is unknown.
    """
    if resamples < MIN_RESAMPLES or not np.isfinite(statistic):
        return np.nan
    return float(scipy.special.stdtr(freedom, statistic))


def format_p_value(statistic: float, p_value: float) -> str:
    """Return ``p = 0.013``, or why there is none."""
    if not np.isnan(p_value):
        return f"p = {p_value:.3g}"
    if np.isfinite(statistic):
        return f"no p-value below {MIN_RESAMPLES} resamples"
    return "no p-value, as leaving out any one resample changes nothing"
