"""Nogueira's stability with its published variance and test, and Sechidis's extension."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.special

from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError
from holdfast.measures._comparison import (
    ABOUT,
    format_p_value,
    standardized_difference,
    student_p_value,
)
from holdfast.measures._feature_similarity import Similarity
from holdfast.measures._interval import jackknife_variance
from holdfast.measures._registry import ChanceLevel, Estimate, register_measure
from holdfast.measures._subset_tables import (
    SubsetTables,
    SystemMeasure,
    counts_with_and_without,
    explain_if_all_empty,
    frequency_totals,
)
from holdfast.preferences import Subsets


@register_measure(
    SystemMeasure,
    title="Nogueira's stability Φ",
    focus="features",
    registers="selection",
    size_biased=False,
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
    sums = frequency_totals(tables, np.square)
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full, one subset left
        share = sums.q / (sums.number * p)
        # mean over features of the unbiased sample variance m / (m - 1) f (1 - f), with f = h / m
        variance = (share - sums.total / (p * sums.number**2)) * sums.number / (sums.number - 1)
        values = 1 - variance / (share * (1 - share))
    value = float(values[0])
    return Estimate(
        value=value,
        leave_one_out=values[1:],
        chance=lambda: ChanceLevel(_chance_bias(tables)),
        undefined=""
        if np.isfinite(value)
        else explain_if_all_empty(tables) or "all subsets are full",
    )


def _chance_bias(tables: SubsetTables) -> float:
    """Expectation for random subsets of the same sizes; 0 if sizes are equal."""
    p, m = tables.p, tables.m
    mean = tables.q / m
    if mean in (0, p):
        return np.nan
    # 0.0 - x: never -0.0
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
    shared = tables.sums_by_subset(tables.counts / m) / p
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full
        # phi_i in the variance of [Nogueira2018]_
        parts = shared - size * mean + value / 2 * (2 * size * mean - size - mean + 1)
        parts = parts / (mean * (1 - mean))
    return float(4 / m**2 * np.square(parts - parts.mean()).sum())


class Outcome(NamedTuple):
    """Outcome of a test: the standardised statistic and its p-value, NaN if there is none."""

    statistic: float
    p_value: float

    @property
    def about(self) -> str:
        """What the test refers to, and what it does not."""
        return (
            f"{ABOUT}; resamples of one data set overlap, so subsamples of pure noise exceed 0 "
            "nearly always"
        )

    def __str__(self) -> str:
        p_value = format_p_value(self.statistic, self.p_value)
        return f"statistic {self.statistic:.3g}, {p_value} ({self.about})"


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
        statistic = standardized_difference(difference, _published_variance(tables, estimate.value))
        return Outcome(statistic, float(scipy.special.ndtr(-statistic)))
    statistic = standardized_difference(difference, jackknife_variance(estimate.leave_one_out))
    return Outcome(statistic, student_p_value(-statistic, tables.m - 1, tables.m))


# Sechidis et al.: Nogueira's measure in which correlated features share their variance.


@register_measure(
    SystemMeasure,
    title="Sechidis's effective stability",
    focus="features",
    registers="selection",
    size_biased=False,
    minimum=-np.inf,
    maximum=np.inf,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("sechidis2020",),
    identical="identical subsets give 1, yet there is no upper bound",
)
def sechidis(tables: SubsetTables, *, graph: Similarity) -> Estimate:
    r"""Nogueira's stability with the variance of selection weighted by similarity.

    .. math:: 1 - \frac{\operatorname{tr}(C S)}{\operatorname{tr}(C \Sigma)}

    C holds the similarities of at least the threshold and a diagonal of 1, S is the covariance
    (divisor m - 1) of the m vectors of 0 and 1, and Σ that of random subsets: with k̄ the mean
    size, k̄/p (1 - k̄/p) on the diagonal and (mean k² - k̄) / (p² - p) - k̄²/p² off it. Give
    ``similarity=`` or ``data=``, and ``threshold=`` (0.9). Identical subsets give 1; there are
    no bounds, as thresholding can leave C indefinite. Random subsets average to
    :math:`-\overline{(k_i - \bar k)^2}\,\sum C / ((m - 1)\,p^2 \operatorname{tr}(C\Sigma))`, 0
    for equal sizes. Without similar features and with equal sizes it is ``nogueira``.

    Only features that were selected enter tr(CS), so nothing of size p x p is formed.

    Edge cases, without similar features:

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
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3], [0, 2]], n_features=5)
    >>> round(hf.measure("sechidis", s, similarity=similar), 4)
    0.9693
    """
    total = graph.total
    observed = _observed_variance(tables, graph)
    null = _null_variance(tables, total)
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full, one subset left
        values = 1 - observed / null
    values[~np.isfinite(values)] = np.nan
    whole = (total + tables.p) / tables.p**2
    level = -tables.sizes.var() * whole / (tables.m - 1) / (null[0] or np.nan)
    full = "all subsets are full" if tables.q == tables.m * tables.p else ""
    why = (
        explain_if_all_empty(tables)
        or full
        or "random subsets have no variance by these similarities"
    )
    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=lambda: ChanceLevel(float(level) + 0.0),
        undefined=why if np.isnan(values[0]) else "",
    )


def _observed_variance(tables: SubsetTables, graph: Similarity) -> FloatArray:
    """Return tr(CS) with all subsets and without each, from products on the union only."""
    # features outside the union have frequency 0, so they add nothing to the trace
    similar = graph.submatrix(tables.union)
    h = tables.counts.astype(np.float64)
    reach = similar @ h + h
    within = np.asarray((tables.incidence @ similar).multiply(tables.incidence).sum(axis=1)).ravel()
    within = within + tables.sizes
    whole, with_h = float(h @ reach), tables.sums_by_subset(reach)
    m = counts_with_and_without(tables.m)
    singles = np.concatenate(([within.sum()], within.sum() - within))
    # h'Sh without subset x: (h - x)'S(h - x) = h'Sh - 2 x'Sh + x'Sx
    squares = np.concatenate(([whole], whole - 2 * with_h + within))
    with np.errstate(divide="ignore", invalid="ignore"):  # one subset left
        return np.asarray((singles - squares / m) / (m - 1))


def _null_variance(tables: SubsetTables, total: float) -> FloatArray:
    """Return tr(CΣ) with all subsets and without each."""
    p, sizes = tables.p, tables.sizes.astype(np.float64)
    m = counts_with_and_without(tables.m)
    mean = np.concatenate(([sizes.sum()], sizes.sum() - sizes)) / m
    squares = np.square(sizes)
    square = np.concatenate(([squares.sum()], squares.sum() - squares)) / m
    # Σ, the covariance under the null, has one value on its diagonal and one off it
    diagonal = mean / p * (1 - mean / p)
    off = (square - mean) / (p * p - p) - (mean / p) ** 2 if p > 1 else 0.0 * mean
    return np.asarray(p * diagonal + total * off)
