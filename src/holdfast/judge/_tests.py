"""Tests of a difference in error, and what many of them cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import bdtr, stdtr

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._spreads import EQUAL, summed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

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
    return t_p(*summed(differences, overlap))


def t_p(mean: Array, spread: Array, count: Array) -> Array:
    """Return the p-values of a t-test: means, their standard errors, and numbers of values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(mean / spread))
    flat = spread == 0
    p = np.where(flat, (np.abs(mean) <= EQUAL).astype(np.float64), p)
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


def corrected(p_values: Array, correction: BestCorrection) -> Array:
    """Return p-values, corrected in the way that was asked for."""
    if correction is None:
        return p_values
    return correct_for_best(p_values) if correction == "chosen_best" else holm(p_values)


def check_correction(correction: Any, allowed: tuple[str, ...] = ("holm",)) -> None:  # noqa: ANN401
    """Refuse a correction that there is not."""
    if correction is not None and correction not in allowed:
        names = ", ".join(map(repr, allowed))
        raise UnknownNameError(f"correction must be {names} or None, got {correction!r}.")
