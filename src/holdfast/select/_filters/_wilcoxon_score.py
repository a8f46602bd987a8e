"""Rank sum statistic of Wilcoxon, and of Kruskal and Wallis for more than two classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import chdtrc, ndtr

from holdfast._kernels.ranks import rank_statistics
from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, MatrixLike, RowLists
from holdfast.select._information import MAX_BLOCK_ENTRIES, ResampleCounts, sorted_blocks
from holdfast.select._p_values import Correction, PValueScorer
from holdfast.select._registry import selector


@selector(
    name="wilcoxon_score",
    title="Wilcoxon rank sum statistic (absolute)",
    references=("wilcoxon1945", "kruskal1952"),
    aliases=("wilcoxon", "mann_whitney", "rank_sum"),
)
class WilcoxonScore(PValueScorer):
    r"""Score features by the rank sum statistic between the classes.

    With two classes of n_1 and n_2 samples, n in total, and the sum R_1 of the ranks of the first
    class, the score is

    .. math:: |z| = \frac{|R_1 - n_1 (n + 1) / 2|}
        {\sqrt{\frac{n_1 n_2}{12} \left( n + 1 - \frac{\sum_t (t^3 - t)}{n (n - 1)} \right)}}

    where t is the number of samples at each distinct value; equal values share their mean rank.
    This is the test of Wilcoxon, Mann and Whitney with its correction for ties. With more classes
    the score is the statistic of Kruskal and Wallis,

    .. math:: H = \frac{12}{n (n + 1)} \sum_k n_k \left( \bar r_k - \frac{n + 1}{2} \right)^2
        \bigg/ \left( 1 - \frac{\sum_t (t^3 - t)}{n^3 - n} \right)

    with the mean rank :math:`\bar r_k` of class k. With two classes H is z².

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
    scores_ : array of shape (p,)
        Scores, 0 or more; a constant feature has 0. A feature that is constant within every class,
        but not the same in any two, has the largest possible score: the square root of n - 1 for
        two classes, n - 1 for more.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.
    pvalues_, qvalues_ : array of shape (p,)
        The p-values, and the corrected ones; only if `alpha` is set.

    Notes
    -----
    Only the order of the values counts: no monotone transformation of a feature changes its score,
    and outliers count no more than other values. Small samples have few possible scores, so many
    features tie: with 2 x 4 samples there are nine values without ties.

    z has no continuity correction; ``scipy.stats.mannwhitneyu`` subtracts 1/2 from the distance
    unless ``use_continuity=False``. Sparse matrices stay sparse.

    The p-values behind `alpha` are two-sided, by the normal distribution, for more than two classes
    by the chi-square distribution with c - 1 degrees of freedom. Both are approximations for large
    samples. Samples must be independent: on a bootstrap resample, whose rows repeat, p-values are
    too small.

    References
    ----------
    F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.

    W. H. Kruskal, W. A. Wallis (1952). Use of ranks in one-criterion variance analysis. Journal of
    the American Statistical Association 47(260), 583-621.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> wilcoxon = hf.WilcoxonScore(n_features_to_select=2).fit(X, y)
    >>> wilcoxon.get_feature_names_out().tolist()
    ['worst radius', 'worst perimeter']
    >>> wilcoxon.scores_[:2].round(2).tolist()
    [17.46, 11.01]
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
        (scores,) = rank_scores(X, ResampleCounts.from_rows(y))
        return np.asarray(scores)

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        return rank_scores(X, ResampleCounts.from_rows(y, rows))

    def _p_values(self, X: MatrixLike, y: IndexArray, scores: FloatArray) -> FloatArray:
        freedom = int(y.max())
        return np.asarray(2.0 * ndtr(-scores) if freedom == 1 else chdtrc(freedom, scores))


def rank_scores(X: MatrixLike, resamples: ResampleCounts) -> FloatArray:
    """Return the rank sum statistic of each column on each resample, block of columns by block."""
    n_resamples, n_features = len(resamples.weights), X.shape[1]
    width = max(1, MAX_BLOCK_ENTRIES // max(resamples.weights.shape))
    scores = np.empty((n_resamples, n_features))
    for columns, block in sorted_blocks(X, width):
        block_scores = np.empty((n_resamples, len(block.stop)))
        rank_statistics(*block, *resamples, block_scores)
        scores[:, columns] = block_scores
    return scores
