"""Nogueira, Sechidis and Brown: a frequency measure with a variance and tests of its own."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.measures._estimate import Chance, Estimate
from holdfast.measures._system import all_empty, subset_system, totals
from holdfast.measures._tables import SubsetTables

if TYPE_CHECKING:
    from holdfast.preferences import Subsets


@subset_system(
    title="Nogueira's stability Φ",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("nogueira2018",),
)
def nogueira(tables: SubsetTables) -> Estimate:
    r"""One minus the observed variance of selection over the variance at random.

    .. math:: \hat\Phi = 1 -
       \frac{\frac1p \sum_f \frac{m}{m-1} \frac{h_f}{m}\left(1 - \frac{h_f}{m}\right)}
       {\frac{\bar k}{p}\left(1 - \frac{\bar k}{p}\right)}, \qquad \bar k = q / m

    For subsets of one size it is ``kuncheva``, and random subsets average to 0. With sizes k_i
    that differ they average to a little less, which is the chance level in the table:

    .. math:: -\frac{\overline{(k_i - \bar k)^2}}{(m - 1)\,\bar k\,(p - \bar k)}

    The lowest value is -1/(m - 1).

    The interval is the authors' asymptotic one, with the plus sign before Φ/2 that the delta
    method gives (a published R script has a minus). It needs no jackknife, is not clipped to
    the range, and is too narrow for few subsets.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     -0.25
    all 10, 4 of 10    -0.4286
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("nogueira", hf.Subsets([[0, 1], [0, 1], [0, 2]], n_features=10)), 4)
    0.5833
    """
    p = tables.p
    sums = totals(tables, np.square)
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full, one subset left
        share = sums.q / (sums.number * p)
        spread = (share - sums.total / (p * sums.number**2)) * sums.number / (sums.number - 1)
        values = 1 - spread / (share * (1 - share))
    value = float(values[0])
    return Estimate(
        value=value,
        leave_one_out=values[1:],
        chance=lambda: Chance(_bias(tables)),
        variance=_variance(tables, value),
        undefined="" if np.isfinite(value) else all_empty(tables) or "all subsets are full",
    )


def _variance(tables: SubsetTables, value: float) -> float:
    """Return the asymptotic variance of the estimate."""
    p, m = tables.p, tables.m
    size, mean = tables.sizes / p, tables.q / (m * p)
    shared = tables.within(tables.counts / m) / p
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full
        parts = shared - size * mean + value / 2 * (2 * size * mean - size - mean + 1)
        parts = parts / (mean * (1 - mean))
    return float(4 / m**2 * np.square(parts - parts.mean()).sum())


def _bias(tables: SubsetTables) -> float:
    """Expectation for random subsets of the same sizes; 0 if sizes are equal."""
    p, m = tables.p, tables.m
    mean = tables.q / m
    if mean in (0, p):
        return np.nan
    return 0.0 - float(tables.sizes.var()) / ((m - 1) * mean * (p - mean))


class Outcome(NamedTuple):
    """Outcome of a test: the standardised statistic and its p-value."""

    statistic: float
    p_value: float


def nogueira_test(subsets: Subsets, stability: float = 0.0) -> Outcome:
    r"""Test whether Nogueira's stability exceeds a given value.

    Parameters
    ----------
    subsets : Subsets
        The selections; the number of features must be known.
    stability : float, default 0.0
        The value Φ₀ that the stability does not exceed under the null hypothesis.

    Returns
    -------
    Outcome
        ``statistic`` :math:`(\hat\Phi - \Phi_0) / \sqrt{\widehat{var}}` and the one-sided
        ``p_value``, by the normal approximation. With variance 0 the statistic is infinite, or
        NaN where both values are equal. For the test of two selectors see
        :func:`holdfast.compare`.

    References
    ----------
    Nogueira, Sechidis and Brown (2018), section 4.

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 3]], n_features=30)
    >>> round(hf.measures.nogueira_test(s, 0.4).p_value, 4)
    0.0109
    """
    if not -1 <= stability <= 1:
        raise InvalidInputError(f"stability must lie between -1 and 1, got {stability}.")
    estimate = nogueira.estimate(SubsetTables(subsets), None, {})
    return normal_test(estimate.value - stability, estimate.variance or 0.0, two_sided=False)


def normal_test(difference: float, variance: float, *, two_sided: bool) -> Outcome:
    """Compare a difference with its standard error under the normal law."""
    with np.errstate(divide="ignore", invalid="ignore"):  # variance 0
        statistic = float(np.float64(difference) / np.sqrt(variance))
    if np.isnan(statistic):
        return Outcome(np.nan, np.nan)
    tail = NormalDist().cdf(-abs(statistic) if two_sided else -statistic)
    return Outcome(statistic, 2 * tail if two_sided else tail)
