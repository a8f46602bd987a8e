"""Tests of a difference in error, and what many of them cost."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import bdtr, stdtr

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures._interval import ROUNDING, student_interval, student_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from holdfast.measures._interval import Bounds

    Array = NDArray[np.float64]


Correction: TypeAlias = 'Literal["holm"] | None'
BestCorrection: TypeAlias = 'Literal["chosen_best", "holm"] | None'


def mcnemar(wrong_a: ArrayLike, wrong_b: ArrayLike) -> float:
    r"""Test whether two classifiers err equally often, by McNemar's exact test.

    Of the :math:`n_{10}` samples that only the first gets wrong and the :math:`n_{01}` that only
    the second does, each is as likely to be of either kind if both err equally often. The
    p-value is two-sided:

    .. math:: p = \min\Bigl(1,\; 2 \sum_{i=0}^{\min(n_{10}, n_{01})}
              \binom{n_{10} + n_{01}}{i} 2^{-(n_{10} + n_{01})}\Bigr)

    Samples must have been predicted once each, by both.

    Parameters
    ----------
    wrong_a, wrong_b : bool array-like of shape (n,)
        Whether each sample is misclassified.

    Returns
    -------
    float
        The p-value; 1 where both are wrong about the same samples.

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
            "both must say of the same samples whether they are misclassified; received the "
            f"shapes {a.shape} and {b.shape}."
        )
    return float(mcnemar_p(np.sum(a & ~b), np.sum(~a & b)))


def mcnemar_p(only_a: ArrayLike, only_b: ArrayLike) -> Array:
    """Return the p-values of McNemar's test for counts of samples that one alone gets wrong."""
    a, b = np.asarray(only_a, dtype=np.float64), np.asarray(only_b, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        tail = 2 * np.asarray(bdtr(np.minimum(a, b), (a + b).astype(np.int64), 0.5), dtype=float)
    return np.where(a + b == 0, 1.0, np.minimum(tail, 1.0))


def corrected_t_test(differences: ArrayLike, overlap: float) -> float:
    r"""Test whether two classifiers err equally often, where samples are tested repeatedly.

    With the differences d of their errors on k test parts, whose mean and standard deviation are
    :math:`\bar d` and s,

    .. math:: t = \frac{\bar d}{s \sqrt{1/k + n_{test}/n_{train}}}

    is compared with Student's t of k - 1 degrees of freedom. The second term under the root makes
    up for training parts that overlap; without it the test finds differences where there are none.

    Parameters
    ----------
    differences : array-like of shape (k,)
        Difference of the errors on each test part; NaN is left out.
    overlap : float
        :math:`n_{test}/n_{train}`; 0 where each test part comes with a data set of its own.

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
    given = np.asarray(differences, dtype=np.float64)
    if given.ndim != 1 or not overlap >= 0:
        raise InvalidInputError(
            "differences must be one number a test part, and overlap a number from 0 on; "
            f"received the shape {given.shape} and {overlap!r}."
        )
    return float(corrected_t_p(given[None], overlap)[0])


def corrected_t_p(differences: Array, overlap: float) -> Array:
    """Return the p-values of the corrected resampled t-test for rows of differences."""
    return t_p(*mean_and_corrected_error(differences, overlap))


def t_p(mean: Array, spread: Array, count: Array) -> Array:
    """Return the p-values of a t-test: means, their standard errors, and numbers of values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(mean / spread))
    flat = spread == 0
    p = np.where(flat, (np.abs(mean) <= EQUALITY_TOLERANCE).astype(np.float64), p)
    return np.where(count < 2, np.nan, p)


def holm(p_values: ArrayLike) -> Array:
    r"""Correct p-values for being many, by Holm's method.

    The i-th smallest of m p-values is multiplied by :math:`m - i + 1`, and is never less than the
    one before nor more than 1. If hypotheses are refused where the corrected value is at most
    :math:`\alpha`, the probability to refuse any true one is at most :math:`\alpha`, however the
    tests depend on each other.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        NaN where there was no test: it stays and does not count.

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
    p[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return p


def correct_for_best(p_values: ArrayLike) -> Array:
    r"""Correct p-values of tests against the best, where the same data say which is the best.

    Against a best one that was chosen by the data, each of the :math:`m(m-1)/2` comparisons of m
    pairs might have been made. So pairs are eliminated one after the other, the smallest p-value
    first, as in a model confidence set: while r pairs are left, the best among them, the p-value
    is multiplied by :math:`r(r-1)/2`. It is never less than the one before nor more than 1. If
    all are equally good, the probability to call any of them worse is at most :math:`\alpha`,
    however the tests depend on each other.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        Those of the tests against the best; NaN where there was no test, as for the best itself.

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
    left = np.arange(len(order), 0, -1) + 1
    p[order] = np.minimum(np.maximum.accumulate(p[order] * left * (left - 1) / 2), 1.0)
    return p


def correct_p_values(p_values: Array, correction: BestCorrection) -> Array:
    """Return p-values, corrected in the way that was asked for."""
    if correction is None:
        return p_values
    return correct_for_best(p_values) if correction == "chosen_best" else holm(p_values)


def check_correction(correction: Any, allowed: tuple[str, ...] = ("holm",)) -> None:  # noqa: ANN401
    """Refuse a correction that there is not."""
    if correction is not None and correction not in allowed:
        names = ", ".join(map(repr, allowed))
        raise UnknownNameError(f"correction must be {names} or None, got {correction!r}.")


# Standard errors of errors: how much an estimate varies from one data set to the next.
#
# Two things vary. First the samples that are tested: a sample, or a subject, that is tested several
# times is one unit, so its contributions are summed before they are squared. Then what is learned:
# all test parts share their training samples, and each sample helps to classify those that help to
# classify it. No unbiased estimate of the second part exists where each sample is predicted once
# (Bengio & Grandvalet 2004). On simulated data it falls with the number of units, so that the
# variance is enlarged by `shared_training`. Where samples are predicted repeatedly, how often two
# predictions of the same sample disagree says how much depends on what is learned; see
# `learned_variance`. ``python -m benchmarks.claims error_spreads`` compares both with the truth.

EQUALITY_TOLERANCE = 1e-12
"""Differences of shares that are less apart than this differ by rounding only."""
UNITS_OF_DOUBLE_VARIANCE = 40
"""Up to how many units the variance is doubled where each sample is predicted once.

Calibrated on simulated data: the ratio of the true variance to that of fixed classifiers was 1.0 to
2.4, about 1 + 40 / units in the middle.
"""


def shared_training(n_units: float) -> float:
    """Return by which share of itself the variance grows because all units train each other."""
    return min(1.0, UNITS_OF_DOUBLE_VARIANCE / n_units) if n_units > 0 else 1.0


def learned_variance(disagreement: Array, single: Array, overlap: float) -> Array:
    r"""Return how much of the variance of a prediction comes from what is learned.

    If scores are normal and two training parts share the part :math:`\omega` of their samples,
    predictions near the border disagree with probability :math:`\arccos(\omega)/\pi`, and
    :math:`2/\pi` of their variance is linear in the training samples. So a mean squared
    difference D of two predictions of one sample means :math:`D / (2 \arccos \omega)`, and never
    more than all of the variance.

    Parameters
    ----------
    disagreement : ndarray of shape (rows,)
        Mean squared difference of two predictions of the same sample; NaN where there are none.
    single : ndarray of shape (rows,)
        Variance of one prediction.
    overlap : float
        How many samples are tested for each that trains.
    """
    shared = 1 / (1 + overlap)
    return np.asarray(np.minimum(disagreement / (2 * np.arccos(shared)), single))


def mean_and_corrected_error(values: Array, overlap: float) -> tuple[Array, Array, Array]:
    """Return mean, enlarged standard error and number of the known values of each row.

    The standard error is that of Nadeau & Bengio (2003), see `corrected_t_test`.
    """
    known = np.isfinite(values)
    count = known.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / count
        apart = np.where(known, values - mean[:, None], 0.0)
        apart[np.abs(apart) <= EQUALITY_TOLERANCE] = 0.0
        spread = np.sqrt((apart**2).sum(axis=1) / (count - 1) * (1 / count + overlap))
    return mean, np.where(count > 1, spread, np.nan), count


def clustered_variance(parts: Array, shares: Array, times: NDArray[np.integer]) -> Array:
    r"""Return the variance of a mean, in rows, from what its units (columns) contribute.

    A unit, such as a subject, contributes the sum :math:`u_g` of what its samples do, measured
    from the mean; units are independent, samples of one unit are not. With the shares
    :math:`a_g` that units have in the mean the variance is :math:`\sum_g u_g^2 / (1 - a_g)`; for
    G equal units this is :math:`G/(G-1) \sum_g u_g^2`. Missing where there are fewer than two.

    `times` says how often each unit was drawn; shares are those of one copy.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(shares > 0, parts**2 / (1 - shares), 0.0)
    variance = squares @ times
    return np.where((shares > 0) @ times > 1, variance, np.nan)


def clustered_shares(wrong: Array, every: Array) -> tuple[Array, Array]:
    """Return the share of what is wrong in each row, and the standard error between units.

    `wrong` and `every` hold sums over the samples of each unit (columns).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = every.sum(axis=1)
        share = wrong.sum(axis=1) / whole
        parts = (wrong - share[:, None] * every) / whole[:, None]
        weights = every / whole[:, None]
    variance = clustered_variance(parts, weights, np.ones(parts.shape[1], dtype=np.intp))
    return share, np.sqrt(variance)


# Standard errors and 95% intervals from values without a resample, or a group of them, each.
#
# Intervals take Student's t with one degree of freedom less than resamples or groups.

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
