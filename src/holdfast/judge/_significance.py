r"""Tests of a difference in error, corrections for multiple testing, and standard errors.

Method
------
*Tests*: McNemar's exact test (`mcnemar`), the corrected resampled t-test (`corrected_t_test`), and
a t-test with a given standard error (`t_test_p_values`). *Corrections*: Holm's (`holm`), and one
for tests against the best candidate of the same data (`correct_for_best`): the elimination of a
model confidence set, with Bonferroni's bound over all comparisons that could have been made in
place of the bootstrap.

*Variance of an error between data sets.* Two things vary. First the samples that are tested: a
sample, or a subject, that is tested several times is one unit, so its contributions are summed
before they are squared (`clustered_variance`, the linearised variance of a weighted mean of
clusters). Then what is learned: all test parts share their training samples, and each sample helps
to classify the samples that help to classify it. No unbiased estimate of this second part exists
where each sample is predicted once (Bengio & Grandvalet 2004), so the variance is multiplied by
:math:`1 + \min(1, 40/n)` for n units (`training_variance_ratio`; calibrated, not derived). Where
samples are predicted repeatedly, the disagreement of two predictions of one sample shows how much
depends on what is learned (`learned_variance`; derived for Gaussian scores).
``python -m benchmarks.claims error_spreads`` compares both with the truth; the guide, page "How we
know", has the table.

*Jackknife.* With the replicates :math:`v_{(g)}` that leave one of G resamples or groups out,
:math:`SE^2 = \frac{G-1}{G} \sum_g (v_{(g)} - \bar v)^2`, and intervals are
:math:`v \pm t_{G-1} \cdot SE`.

References
----------
[Mcnemar1947]_, [Nadeau2003]_, [Bengio2004]_, [Holm1979]_, [Hansen2011]_.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, stdtr

from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures import ROUNDING, Bounds, student_interval, student_quantile

Correction: TypeAlias = 'Literal["holm"] | None'
BestCorrection: TypeAlias = 'Literal["chosen_best", "holm"] | None'


def mcnemar(wrong_a: ArrayLike, wrong_b: ArrayLike) -> float:
    r"""Test whether two classifiers err equally often, by McNemar's exact test.

    Let only the first classifier be wrong on :math:`n_{10}` samples, and only the second on
    :math:`n_{01}`. If both err equally often, each of these samples is of either kind with
    probability 1/2. The p-value is two-sided:

    .. math:: p = \min\Bigl(1,\; 2 \sum_{i=0}^{\min(n_{10}, n_{01})}
              \binom{n_{10} + n_{01}}{i} 2^{-(n_{10} + n_{01})}\Bigr)

    Each sample must have been predicted once by both.

    Parameters
    ----------
    wrong_a, wrong_b : bool array-like of shape (n,)
        Whether each sample is misclassified.

    Returns
    -------
    float
        The p-value; 1 where both are wrong on the same samples.

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12(2), 153-157.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.judge.mcnemar([True] * 6 + [False] * 4, [False] * 10)
    0.03125
    """
    a, b = np.asarray(wrong_a, dtype=bool), np.asarray(wrong_b, dtype=bool)
    if a.ndim != 1 or a.shape != b.shape:
        raise InvalidInputError(
            "both must say for the same samples whether they are misclassified; got the "
            f"shapes {a.shape} and {b.shape}."
        )
    return float(mcnemar_p_values(np.sum(a & ~b), np.sum(~a & b)))


def mcnemar_p_values(only_a: ArrayLike, only_b: ArrayLike) -> FloatArray:
    """Return p-values of McNemar's test from counts of samples that only one of both gets wrong."""
    a, b = np.asarray(only_a, dtype=np.float64), np.asarray(only_b, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        tail = 2 * np.asarray(bdtr(np.minimum(a, b), (a + b).astype(np.int64), 0.5), dtype=float)
    return np.where(a + b == 0, 1.0, np.minimum(tail, 1.0))


def corrected_t_test(differences: ArrayLike, overlap: float) -> float:
    r"""Test whether two classifiers err equally often, where samples are tested repeatedly.

    With the mean :math:`\bar d` and the standard deviation s of the differences of their errors on
    k test parts,

    .. math:: t = \frac{\bar d}{s \sqrt{1/k + n_{test}/n_{train}}}

    is compared with Student's t with k - 1 degrees of freedom. The second term under the root
    accounts for overlapping training parts; without it the test finds differences too often.

    Parameters
    ----------
    differences : array-like of shape (k,)
        Difference of the errors on each test part; NaN values are left out.
    overlap : float
        :math:`n_{test}/n_{train}`; 0 where each test part belongs to a separate data set.

    Returns
    -------
    float
        The two-sided p-value. 1 where all differences are 0; 0 where they are equal but not 0;
        NaN where there are fewer than two.

    References
    ----------
    C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52(3),
    239-281.

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.judge.corrected_t_test([0.1, 0.0, 0.2, 0.1, 0.1], overlap=1 / 9), 4)
    0.0643
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not overlap >= 0:
        raise InvalidInputError(
            "differences must have one number per test part, and overlap must be at least 0; "
            f"got the shape {values.shape} and {overlap!r}."
        )
    return float(corrected_t_p_values(values[None], overlap)[0])


def corrected_t_p_values(differences: FloatArray, overlap: float) -> FloatArray:
    """Return the p-values of the corrected resampled t-test for rows of differences."""
    return t_test_p_values(*mean_and_corrected_error(differences, overlap))


def t_test_p_values(mean: FloatArray, standard_error: FloatArray, count: FloatArray) -> FloatArray:
    """Return two-sided p-values of means with `count` - 1 degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(mean / standard_error))
    constant = standard_error == 0
    p = np.where(constant, (np.abs(mean) <= EQUALITY_TOLERANCE).astype(np.float64), p)
    return np.where(count < 2, np.nan, p)


def holm(p_values: ArrayLike) -> FloatArray:
    r"""Correct p-values for multiple testing by Holm's method.

    The i-th smallest of m p-values is multiplied by :math:`m - i + 1`; corrected values are made
    monotone and at most 1. If hypotheses are rejected where the corrected value is at most
    :math:`\alpha`, the probability of rejecting any true hypothesis is at most :math:`\alpha`,
    whatever the dependence between the tests.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        NaN where there was no test; it stays NaN and does not count.

    Returns
    -------
    ndarray of shape (m,)

    References
    ----------
    S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6(2), 65-70.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.judge.holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    # [Holm1979]_: the i-th smallest times the number of hypotheses left; never below the one before
    p[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return p


def correct_for_best(p_values: ArrayLike) -> FloatArray:
    r"""Correct p-values of tests against the best candidate, where the same data show the best.

    If the data decide which of m candidates is the best, each of the :math:`m(m-1)/2` comparisons
    could have been made. Candidates are therefore eliminated one by one, the smallest p-value
    first, as in a model confidence set: while r candidates are left, including the best, the
    p-value is multiplied by :math:`r(r-1)/2` (Bonferroni). Corrected values are made monotone and
    at most 1. If all candidates are equally good, the probability of calling any of them worse is
    at most :math:`\alpha`, whatever the dependence between the tests.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        P-values of the tests against the best; NaN where there was no test, as for the best itself.

    Returns
    -------
    ndarray of shape (m,)

    References
    ----------
    P. R. Hansen, A. Lunde, J. M. Nason (2011). The model confidence set. Econometrica 79(2),
    453-497.

    Examples
    --------
    >>> import numpy as np
    >>> import holdfast as hf
    >>> hf.judge.correct_for_best([np.nan, 0.001, 0.04, 0.01]).tolist()
    [nan, 0.006, 0.04, 0.03]
    """
    p = np.array(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    # with m candidates left, the best and the other may be any of m (m - 1) / 2 pairs
    left = np.arange(len(order), 0, -1) + 1
    p[order] = np.minimum(np.maximum.accumulate(p[order] * left * (left - 1) / 2), 1.0)
    return p


def correct_p_values(p_values: FloatArray, correction: BestCorrection) -> FloatArray:
    """Return p-values with the requested correction."""
    if correction is None:
        return p_values
    return correct_for_best(p_values) if correction == "chosen_best" else holm(p_values)


def check_correction(correction: object, allowed: tuple[str, ...] = ("holm",)) -> None:
    """Raise if there is no such correction."""
    if correction is not None and correction not in allowed:
        names = ", ".join(map(repr, allowed))
        raise UnknownNameError(f"correction must be {names} or None, got {correction!r}.")


# Standard errors of errors between data sets.

EQUALITY_TOLERANCE = 1e-12
"""Shares that differ by no more than this are equal up to rounding; chosen by hand."""
UNITS_OF_DOUBLE_VARIANCE = 40
"""Number of units up to which the variance is doubled where each sample is predicted once.

Calibrated by ``benchmarks/claims/error_spreads.py``: the ratio of the true variance to that of
fixed classifiers was 1.0 to 2.4 on simulated data, about 1 + 40 / units in the middle.
"""


def training_variance_ratio(n_units: FloatArray) -> FloatArray:
    """Return the variance that shared training samples add, relative to that of the units."""
    with np.errstate(divide="ignore"):
        return np.where(n_units > 0, np.minimum(1.0, UNITS_OF_DOUBLE_VARIANCE / n_units), 1.0)


def learned_variance(disagreement: FloatArray, single: FloatArray, overlap: float) -> FloatArray:
    r"""Return how much of the variance of a prediction comes from what is learned.

    Assume that the scores of two classifiers for one sample near the decision border are bivariate
    normal, with the correlation :math:`\omega` of the training samples that both share, here
    :math:`\omega = 1/(1 + n_{test}/n_{train})`. Their signs differ with probability
    :math:`\arccos(\omega)/\pi` (Sheppard's formula), while :math:`2/\pi` of the variance of a sign
    is linear in the score. A mean squared difference D of two predictions of one sample therefore
    corresponds to the linear variance :math:`D / (2 \arccos \omega)`. It is capped at the whole
    variance of a prediction.

    Parameters
    ----------
    disagreement : ndarray of shape (rows,)
        Mean squared difference of two predictions of the same sample; NaN where there are none.
    single : ndarray of shape (rows,)
        Variance of a single prediction.
    overlap : float
        Test samples per training sample.
    """
    shared = 1 / (1 + overlap)
    return np.asarray(np.minimum(disagreement / (2 * np.arccos(shared)), single))


def mean_and_corrected_error(
    values: FloatArray, overlap: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean, the corrected standard error and the number of known values of each row.

    The standard error is that of Nadeau & Bengio (2003); see `corrected_t_test`.
    """
    known = np.isfinite(values)
    count = known.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / count
        deviations = np.where(known, values - mean[:, None], 0.0)
        deviations[np.abs(deviations) <= EQUALITY_TOLERANCE] = 0.0
        error = np.sqrt((deviations**2).sum(axis=1) / (count - 1) * (1 / count + overlap))
    return mean, np.where(count > 1, error, np.nan), count


def clustered_variance(
    contributions: FloatArray, shares: FloatArray, counts: NDArray[np.integer]
) -> FloatArray:
    r"""Return the variance of means (rows) from the contributions of their units (columns).

    A unit, such as a subject, contributes the sum :math:`u_g` of the weighted deviations of its
    samples from the mean. Units are independent; samples of one unit are not. With the shares
    :math:`a_g` of the units in the mean, the variance is :math:`\sum_g u_g^2 / (1 - a_g)`; for
    G equal units this is :math:`G/(G-1) \sum_g u_g^2`. NaN for fewer than two units.

    `counts` says how often each unit was drawn; shares are those of one copy.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(shares > 0, contributions**2 / (1 - shares), 0.0)
    variance = squares @ counts
    return np.where((shares > 0) @ counts > 1, variance, np.nan)


def clustered_error(wrong: FloatArray, known: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of wrong predictions in each row, and its standard error between units.

    `wrong` and `known` hold sums over the predictions of each unit (columns).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        total = known.sum(axis=1)
        share = wrong.sum(axis=1) / total
        contributions = (wrong - share[:, None] * known) / total[:, None]
        weights = known / total[:, None]
    counts = np.ones(contributions.shape[1], dtype=np.intp)
    return share, np.sqrt(clustered_variance(contributions, weights, counts))


# Standard errors and 95% intervals from jackknife replicates, which leave one resample or one group
# of resamples out. Intervals use Student's t with one degree of freedom per replicate but one.

CONFIDENCE = 0.95
"""Level of all intervals over resamples; standard."""
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def means_without_each(groups: FloatArray) -> FloatArray:
    """Return the means along axis 0 that leave each group out; none for a single group."""
    if len(groups) < 2:
        return groups[:0]
    return np.asarray((groups.sum(axis=0) - groups) / (len(groups) - 1))


def jackknife_error(replicates: FloatArray) -> FloatArray:
    """Return the jackknife standard error from replicates along axis 0; NaN without replicates."""
    count = len(replicates)
    if count == 0:
        return np.full(replicates.shape[1:], np.nan)
    squares = np.square(replicates - replicates.mean(axis=0)).sum(axis=0)
    return np.asarray(np.sqrt((count - 1) / count * squares))


def half_width(replicates: FloatArray, *, intervals: int = 1) -> FloatArray:
    """Return half the width of the interval from jackknife replicates along axis 0.

    Several `intervals` hold simultaneously with 95% confidence (Bonferroni).
    """
    level = 1 - (1 - CONFIDENCE) / intervals
    freedom = max(len(replicates) - 1, 1)
    return student_quantile(freedom, level) * jackknife_error(replicates)


def replicate_interval(
    values: FloatArray, replicates: FloatArray, bounds: Bounds
) -> tuple[FloatArray, FloatArray]:
    """Return jackknife intervals of values from replicates along axis 0, cut to the bounds.

    NaN where there are no replicates, or where all are equal.
    """
    error = jackknife_error(replicates)
    error = np.where(error > ROUNDING * np.maximum(1.0, np.abs(values)), error, np.nan)
    quantile = student_quantile(max(len(replicates) - 1, 1), CONFIDENCE)
    return student_interval(values, error, quantile, bounds)


def interval_of_mean(groups: FloatArray, bounds: Bounds) -> tuple[float, float]:
    """Return the interval of a mean over groups, cut to the bounds of the measure.

    NaN for a single group, and where all groups are equal.
    """
    low, high = replicate_interval(groups.mean(), means_without_each(groups), bounds)
    return float(low), float(high)
