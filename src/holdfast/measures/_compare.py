"""Is one selector more stable than another?"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.measures._estimate import jackknife_variance, variance_of
from holdfast.measures._measure import check_confidence, check_options, estimate_all
from holdfast.measures._nogueira import normal_test
from holdfast.measures._record import get_measure
from holdfast.preferences import Weights
from holdfast.preferences._ties import RandomState, generators

if TYPE_CHECKING:
    from holdfast.measures._estimate import Estimate
    from holdfast.preferences import Preferences


@dataclass(frozen=True)
class Comparison:
    """How much more stable one selector is than another.

    Attributes
    ----------
    measure : str
        The measure that was compared.
    first, second : float
        Its value for both selectors.
    difference : float
        First minus second.
    low, high : float
        Confidence interval of the difference.
    statistic, p_value : float
        The difference over its standard error, and the two-sided p-value of "no difference".
    method : str
        How the standard error was found.
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

    def __str__(self) -> str:
        return (
            f"{self.measure}: {self.first:.3f} against {self.second:.3f}, difference "
            f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.3g}"
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
    r"""Compare the stability of two selectors.

    Parameters
    ----------
    first, second : Weights, Rankings, Subsets or Groups
        The preferences of two selectors.
    measure : str, default "nogueira"
        The measure to compare.
    paired : bool, default False
        Whether preference i of both selectors comes from the same resample. Then the jackknife
        leaves out the same resample on both sides, and what both selectors owe to it cancels.
    confidence : float, default 0.95
        Level of the interval of the difference.
    **options
        Options of the measure, as in :func:`measure`.

    Returns
    -------
    Comparison
        Values, difference, interval and p-value.

    Notes
    -----
    The test uses the normal law and the standard error of the difference: by the jackknife over
    resamples if paired; else the root of the sum of both variances (for ``nogueira`` the
    asymptotic ones, which is the authors' two-sample test). Like the intervals of
    :func:`measure` it speaks about repeating the protocol on the same data, not about new data.
    At least three preferences are needed on each side, two for ``nogueira`` unpaired.

    Examples
    --------
    >>> import holdfast as hf
    >>> a = hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 1]], n_features=50)
    >>> b = hf.Subsets([[0, 1], [2, 3], [0, 4], [5, 1]], n_features=50)
    >>> print(hf.compare(a, b, paired=True))
    nogueira: 0.740 against 0.132, difference +0.608 [-0.051, +1.267], p = 0.0707
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
        first, second = _ranked(first, second, options.get("random_state", 0))
    one, two = (
        estimate_all([record], preferences, "raise", None, options)[0]
        for preferences in (first, second)
    )
    variance, method = _variance(one, two, paired=paired)
    difference = one.value - two.value
    half = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance)
    outcome = normal_test(difference, variance, two_sided=True)
    return Comparison(
        measure=record.name,
        first=one.value,
        second=two.value,
        difference=difference,
        low=float(difference - half),
        high=float(difference + half),
        statistic=outcome.statistic,
        p_value=outcome.p_value,
        method=method,
    )


def _ranked(
    first: Preferences, second: Preferences, random_state: RandomState
) -> tuple[Preferences, Preferences]:
    """Rank weights on both sides, with ties broken independently of each other."""
    seeds = next(generators(random_state, 1)).integers(2**63, size=2)
    ranked = [
        side.to_rankings(random_state=int(seed)) if isinstance(side, Weights) else side
        for side, seed in zip((first, second), seeds, strict=True)
    ]
    return ranked[0], ranked[1]


def _variance(one: Estimate, two: Estimate, *, paired: bool) -> tuple[float, str]:
    if paired:
        return jackknife_variance(one.leave_one_out - two.leave_one_out), "paired jackknife"
    (first, method), (second, _) = variance_of(one), variance_of(two)
    return first + second, f"unpaired, {method}"
