"""Moderated t and F statistics: variances are shrunk towards a common one by empirical Bayes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, fdtrc, logsumexp, polygamma, stdtr

from holdfast._kernels.moments import LARGEST_FLOAT, fill_missing_squares, sums_of_squares
from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, MatrixLike, RowLists
from holdfast.select._p_values import Correction, PValueScorer
from holdfast.select._registry import selector
from holdfast.select._selector import row_counts
from holdfast.select._univariate import class_counts, moment_blocks

LEAST_VARIANCE_SHARE = 1e-5
"""Smallest variance from which the prior is estimated, as a share of the median; limma's."""
NEWTON_TOLERANCE = 1e-14
"""Relative step at which the inverse of trigamma is found; chosen, near the rounding error."""


class VariancePrior(NamedTuple):
    """The prior distribution of the variances within classes.

    Attributes
    ----------
    degrees_of_freedom : float
        How many degrees of freedom the prior counts for; infinite if all variances are equal.
    log_variance : float
        Logarithm of the prior variance.
    """

    degrees_of_freedom: float
    log_variance: float


@selector(
    name="moderated_t_score",
    title="moderated t-score (absolute, empirical Bayes variance)",
    references=("smyth2004",),
    aliases=("limma", "moderated_t"),
)
class ModeratedTScore(PValueScorer):
    r"""Score features by the absolute moderated t statistic of limma.

    With means :math:`\bar x_k`, the pooled variance s² within classes, d = n - c degrees of freedom
    for n samples of c classes, and the prior variance :math:`s_0^2` with :math:`d_0` degrees of
    freedom, the score of two classes is

    .. math:: |\tilde t| = \frac{|\bar x_1 - \bar x_2|}{\tilde s \sqrt{1/n_1 + 1/n_2}}, \qquad
        \tilde s^2 = \frac{d_0 s_0^2 + d s^2}{d_0 + d}

    and with more classes the moderated F, the mean square between classes over
    :math:`\tilde s^2`. The prior is estimated from all features: with
    :math:`e = \ln s^2 - \psi(d/2) + \ln(d/2)` of each feature,

    .. math:: \psi'(d_0 / 2) = \mathrm{var}(e) - \psi'(d/2), \qquad
        \ln s_0^2 = \bar e + \psi(d_0/2) - \ln(d_0/2)

    with the digamma function ψ and the trigamma function ψ'. If the variances differ by no more
    than chance, :math:`d_0` is infinite and :math:`s_0^2` is their mean.

    Parameters
    ----------
    threshold : float or None, default None
        Select all features that score at least this much, instead of a number of them.
    alpha : float or None, default None
        Select all features with a corrected p-value of at most this level, instead of a number of
        them.
    correction : {"fdr_bh", "bonferroni", "none"}, default "fdr_bh"
        How p-values are corrected for the number of features: Benjamini and Hochberg's rule, which
        controls the false discovery rate if tests are independent or positively dependent;
        Bonferroni's, which controls the probability of any false selection; or not at all.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them, if no cut is set.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores.

    Attributes
    ----------
    prior_degrees_of_freedom_ : float
        d_0: how strongly the variances are shrunk, from 0 (a single feature) to infinity.
    prior_variance_ : float
        The variance s_0² towards which they are shrunk.
    scores_ : array of shape (p,)
        Scores, 0 or more. A constant feature has 0. A feature that is constant within every class,
        but not the same in all, has a finite score: its variance is shrunk, too.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.
    pvalues_, qvalues_ : array of shape (p,)
        The p-values, and the corrected ones; only if `alpha` is set.

    Notes
    -----
    Unlike the t-score, the moderated t of a feature depends on the other features of the data, and
    on their units: all features must be measured on one scale, as the genes of one array are.
    Standardising them first is possible, but takes the differences of the variances away.

    The p-values behind `alpha` come from Student's distribution with d_0 + d degrees of freedom,
    for more than two classes from the F distribution with c - 1 and d_0 + d. As in limma, d_0 + d
    counts no more than the d p degrees of freedom that all features have together. Samples must be
    independent: on a bootstrap resample, whose rows repeat, p-values are too small.

    Variances below 1e-5 of their median are set to that for the estimation of the prior, as limma
    does. If more than half of the variances are 0, the median is that of the others (limma takes 1,
    whatever the units are).

    References
    ----------
    G. K. Smyth (2004). Linear models and empirical Bayes methods for assessing differential
    expression in microarray experiments. Statistical Applications in Genetics and Molecular Biology
    3(1), article 3.

    Examples
    --------
    Variances that are drawn around 1, as from a prior with 8 degrees of freedom:

    >>> import numpy as np
    >>> import holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 5)
    >>> X = rng.normal(size=(10, 2000)) * np.sqrt(8 / rng.chisquare(8, 2000))
    >>> X[:, :3] += 4 * y[:, None]
    >>> moderated = hf.ModeratedTScore(n_features_to_select=3).fit(X, y)
    >>> moderated.get_support(indices=True).tolist()
    [0, 1, 2]
    >>> round(moderated.prior_degrees_of_freedom_, 1), round(moderated.prior_variance_, 2)
    (8.3, 1.0)
    """

    _allow_sparse = True

    def __init__(
        self,
        *,
        threshold: float | None = None,
        alpha: float | None = None,
        correction: Correction = "fdr_bh",
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.threshold = threshold
        self.alpha = alpha
        self.correction = correction
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        ((scores, prior),) = moderated_scores(X, y, np.ones((1, len(y))))
        self.prior_degrees_of_freedom_ = prior.degrees_of_freedom
        self.prior_variance_ = float(np.exp(prior.log_variance))
        return scores

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        weights = row_counts(rows, len(y), float)
        return np.array([scores for scores, _ in moderated_scores(X, y, weights)])

    def _p_values(self, X: MatrixLike, y: IndexArray, scores: FloatArray) -> FloatArray:
        between = int(y.max())
        d = len(y) - between - 1
        total = min(self.prior_degrees_of_freedom_ + d, float(d * len(scores)))
        t_or_f = 2.0 * stdtr(total, -scores) if between == 1 else fdtrc(between, total, scores)
        return np.asarray(t_or_f)


def moderated_scores(
    X: MatrixLike, y: IndexArray, weights: FloatArray
) -> list[tuple[FloatArray, VariancePrior]]:
    """Return the moderated statistics and the prior of each resample (row of weights)."""
    counts = class_counts(y, weights)
    between = np.empty((len(weights), X.shape[1]))
    within = np.empty_like(between)
    log_scales = np.empty(X.shape[1])
    for columns, block, exponents, sums, squares in moment_blocks(X, y, weights, False):
        # all arrays in C order: a kernel is compiled again for each other layout
        block_between, block_within = np.empty((2, len(weights), block.shape[1]))
        sums_of_squares(sums, squares, counts, block_between, block_within)
        if np.isnan(block_within).any():
            fill_missing_squares(
                np.ascontiguousarray(block),
                y,
                weights,
                counts.shape[1],
                block_between,
                block_within,
            )
        between[:, columns], within[:, columns] = block_between, block_within
        log_scales[columns] = 2 * math.log(2) * exponents
    return [
        _moderate(between[r], within[r], log_scales, counts[r][counts[r] > 0])
        for r in range(len(weights))
    ]


def _moderate(
    between: FloatArray, within: FloatArray, log_scales: FloatArray, counts: FloatArray
) -> tuple[FloatArray, VariancePrior]:
    """Return the moderated statistics of one resample, and the prior.

    Sums of squares are those of scaled features; `log_scales` are the logarithms of the squared
    scales. Everything is done in logarithms, so that no unit is too large or too small.
    """
    d = counts.sum() - len(counts)
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, as it should be
        log_variances = np.log(within / d) + log_scales
        log_between = np.log(between / (len(counts) - 1)) + log_scales
        prior = estimate_prior(log_variances, float(d))
        log_prior_part = np.log(prior.degrees_of_freedom) + prior.log_variance
    if math.isinf(prior.degrees_of_freedom):
        log_posterior: float | FloatArray = prior.log_variance
    else:
        log_posterior = np.logaddexp(log_prior_part, math.log(d) + log_variances)
        log_posterior -= math.log(prior.degrees_of_freedom + d)
    with np.errstate(over="ignore", invalid="ignore"):  # both are replaced below
        log_f = log_between - log_posterior
        scores = np.exp(log_f / 2 if len(counts) == 2 else log_f)
    return np.where(between > 0, np.minimum(scores, LARGEST_FLOAT), 0.0), prior


def estimate_prior(log_variances: FloatArray, degrees_of_freedom: float) -> VariancePrior:
    """Estimate the prior of variances by the moments of their logarithms ([Smyth2004]_, 6.2).

    Parameters
    ----------
    log_variances : ndarray of shape (p,)
        Logarithms of the variances within classes, -inf for 0.
    degrees_of_freedom : float
        Degrees of freedom of each of them.
    """
    varying = log_variances[np.isfinite(log_variances)]
    if len(log_variances) == 1 or len(varying) == 0:
        # a single variance says nothing about how variances differ
        return VariancePrior(0.0, float(log_variances.max()))
    median = _log_median(log_variances)
    if not math.isfinite(median):
        median = _log_median(varying)
    logs = np.maximum(log_variances, median + math.log(LEAST_VARIANCE_SHARE))
    half = degrees_of_freedom / 2
    excess = float(np.var(logs, ddof=1) - polygamma(1, half))
    if excess <= 0:
        return VariancePrior(math.inf, float(logsumexp(logs) - math.log(len(logs))))
    prior_half = invert_trigamma(excess)
    mean = float(logs.mean() - digamma(half)) + math.log(half)
    log_variance = mean + float(digamma(prior_half)) - math.log(prior_half)
    return VariancePrior(2 * prior_half, log_variance)


def _log_median(logs: FloatArray) -> float:
    """Return the logarithm of the median of numbers that are given by their logarithms."""
    middle = len(logs) // 2
    ordered = np.sort(logs)
    lower = ordered[middle - 1] if len(logs) % 2 == 0 else ordered[middle]
    return float(np.logaddexp(lower, ordered[middle]) - math.log(2))


def invert_trigamma(value: float) -> float:
    """Return the x with trigamma(x) = value, for a value above 0.

    Newton's method for 1 / trigamma, which is convex and nearly linear, and above x - 1/2: from
    1/2 + 1 / value on the iterates fall to the solution ([Smyth2004]_, appendix).
    """
    x = 0.5 + 1 / value
    step = math.inf
    while abs(step) > NEWTON_TOLERANCE * x:
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        if step >= 0:  # the iterates fall until rounding is all that is left
            break
        x += step
    return x
