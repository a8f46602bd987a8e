"""Nogueira, Sechidis and Brown: a frequency measure with a variance and tests of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.special

from holdfast.errors import InvalidInputError
from holdfast.measures._estimate import Chance, Estimate
from holdfast.measures._interval import jackknife_variance
from holdfast.measures._p_values import ABOUT, p_value_text, standardised, student_p_value
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

    The interval is that of all measures, by jackknife and Student's t. The authors' asymptotic
    variance is too small for few subsets; :func:`nogueira_variance` computes it.

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
        undefined="" if np.isfinite(value) else all_empty(tables) or "all subsets are full",
    )


def _bias(tables: SubsetTables) -> float:
    """Expectation for random subsets of the same sizes; 0 if sizes are equal."""
    p, m = tables.p, tables.m
    mean = tables.q / m
    if mean in (0, p):
        return np.nan
    return 0.0 - float(tables.sizes.var()) / ((m - 1) * mean * (p - mean))


def nogueira_variance(subsets: Subsets) -> float:
    r"""Return the published asymptotic variance of Nogueira's stability.

    .. math:: \frac{4}{m^2} \sum_i (\hat\Phi_i - \bar\Phi)^2

    with the terms of the paper, and the plus sign before Φ/2 that the delta method gives (a
    published R script has a minus). It is far too small for few subsets, and the intervals
    of :func:`holdfast.measure` do not use it.

    Parameters
    ----------
    subsets : Subsets
        The selections; the number of features must be known.

    Returns
    -------
    float
        NaN where the stability is undefined: all subsets are empty, or all are full.

    References
    ----------
    Nogueira, Sechidis and Brown (2018), section 4.

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 3]], n_features=30)
    >>> round(hf.measures.nogueira_variance(s), 5)
    0.00448
    """
    tables = SubsetTables(subsets)
    return _published_variance(tables, nogueira.estimate(tables, None, {}).value)


def _published_variance(tables: SubsetTables, value: float) -> float:
    p, m = tables.p, tables.m
    size, mean = tables.sizes / p, tables.q / (m * p)
    shared = tables.within(tables.counts / m) / p
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full
        parts = shared - size * mean + value / 2 * (2 * size * mean - size - mean + 1)
        parts = parts / (mean * (1 - mean))
    return float(4 / m**2 * np.square(parts - parts.mean()).sum())


class Outcome(NamedTuple):
    """Outcome of a test: the standardised statistic and its p-value, NaN where there is none."""

    statistic: float
    p_value: float

    @property
    def about(self) -> str:
        """What the test is about, and what it is not."""
        return (
            f"{ABOUT}; resamples of one data set overlap, so subsamples of pure noise exceed 0 "
            "nearly always"
        )

    def __str__(self) -> str:
        found = p_value_text(self.statistic, self.p_value)
        return f"statistic {self.statistic:.3g}, {found} ({self.about})"


def nogueira_test(subsets: Subsets, stability: float = 0.0, *, published: bool = False) -> Outcome:
    r"""Test whether Nogueira's stability exceeds a given value.

    The test is about repeating the protocol on the same samples. It is no test for noise:
    resamples of one data set overlap, and so do selections from them. Subsamples of pure noise
    are called more stable than 0 nearly always. Whether features would be found again is a
    question about new samples, see :func:`holdfast.replication`.

    Parameters
    ----------
    subsets : Subsets
        The selections; the number of features must be known.
    stability : float, default 0.0
        The value Φ₀ that the stability does not exceed under the null hypothesis.
    published : bool, default False
        Take the asymptotic variance and the normal law of the paper, for any number of subsets:
        to compare with published numbers. For few subsets it rejects a true hypothesis far too
        often.

    Returns
    -------
    Outcome
        ``statistic`` :math:`(\hat\Phi - \Phi_0) / \widehat{se}` with the standard error of the
        jackknife, and the one-sided ``p_value`` by Student's law with m - 1 degrees of freedom:
        NaN for fewer than 10 subsets, and where leaving out any one of them gives the same value.
        The statistic then is infinite, or NaN where both values are equal, too. If subsets are
        random and Φ₀ is 0, the jackknife's error is too large and the test rejects too rarely.
        For the test of two selectors see :func:`holdfast.compare`.

    References
    ----------
    Nogueira, Sechidis and Brown (2018), section 4.

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 3]] * 4, n_features=30)
    >>> print(hf.measures.nogueira_test(s, 0.4))
    statistic 6.15, p = 9.37e-06 (about repeating this protocol on these samples; resamples of one
    data set overlap, so subsamples of pure noise exceed 0 nearly always)
    """
    if not -1 <= stability <= 1:
        raise InvalidInputError(f"stability must lie between -1 and 1, got {stability}.")
    tables = SubsetTables(subsets)
    estimate = nogueira.estimate(tables, None, {})
    difference = estimate.value - stability
    if published:
        statistic = standardised(difference, _published_variance(tables, estimate.value))
        return Outcome(statistic, float(scipy.special.ndtr(-statistic)))
    statistic = standardised(difference, jackknife_variance(estimate.leave_one_out))
    return Outcome(statistic, student_p_value(-statistic, tables.m - 1, tables.m))
