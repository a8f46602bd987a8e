"""Minimum redundancy, maximum relevance: a greedy ranking of features that share little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from scipy.stats import rankdata

from holdfast._kernels.discretization import NATS, n_log_n
from holdfast._kernels.redundancy import (
    BinArray,
    add_correlations,
    add_mutual_information,
    bin_sums,
)
from holdfast._random import RandomState
from holdfast._typing import AnyArray, FloatArray, IndexArray, MatrixLike
from holdfast._validation import check_choice, check_integer
from holdfast.preferences import rank_weights
from holdfast.select._information import ResampleCounts, bin_scores
from holdfast.select._ranker import Ranker
from holdfast.select._registry import selector
from holdfast.select._univariate import FScore

Criterion = Literal["quotient", "difference"]
Relevance = Literal["f", "mutual_information"]
Redundancy = Literal["correlation", "mutual_information"]
LEAST_REDUNDANCY = 1e-3
"""Redundancies below this count as this, so that quotients stay finite; that of mrmr-selection."""
ROUNDING = 1e-12
"""How far the correlation of equal columns may be from 1: far above n roundings."""


@selector(
    name="mrmr",
    title="minimum redundancy, maximum relevance",
    references=("ding2005",),
)
class MRMR(Ranker):
    r"""Rank features greedily by relevance to the classes, and redundancy with those before them.

    The first feature is the most relevant one. After the features S, the next is the one with the
    largest

    .. math:: \frac{V_f}{W_f} \text{ (quotient)} \quad \text{or} \quad V_f - W_f
        \text{ (difference)}, \qquad W_f = \frac{1}{|S|} \sum_{g \in S} w_{fg}

    where V is the relevance of a feature and w the redundancy of two. The relevance is the F
    statistic of :class:`FScore` or the mutual information of :class:`MutualInformation`; the
    redundancy is the absolute Pearson correlation, or the mutual information of the binned features
    in nats. The four combinations of the literature are FCQ (the default), FCD, MIQ and MID.

    The search ends with the last selected feature. All other features follow in the order of the
    criterion at this point, so they are not compared with one another. ``n_features_to_select=1.0``
    searches through all features. The first features do not depend on where the search ends.

    Parameters
    ----------
    criterion : {"quotient", "difference"}, default "quotient"
        How redundancy counts.
    relevance : {"f", "mutual_information"}, default "f"
        The relevance of a feature to the classes.
    redundancy : {"correlation", "mutual_information"}, default "correlation"
        The redundancy of two features.
    n_bins : int, default 10
        Number of bins of equal frequency for mutual information, 2 or more; equal values always
        share a bin (see :class:`SymmetricalUncertainty`). No effect without mutual information.
    n_features_to_select : int, float or None, default None
        How many features to search and keep: a count, a fraction, or None for half of them. A study
        sets it to its largest size.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of tied features.

    Attributes
    ----------
    relevance_ : array of shape (p,)
        The relevance of each feature.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    The time grows with the number of samples, the number of features and the number searched: each
    step takes one pass over the data.

    In the quotient, a redundancy below 0.001 counts as 0.001. A feature with a mean correlation of
    1, a copy of those selected, has the quotient 0. Features with relevance 0, among them constant
    ones, come last. All three follow the package mrmr-selection, whose ranking this is for FCQ. The
    difference compares two numbers of different scales if the relevance is F: with many samples,
    relevance outweighs redundancy.

    References
    ----------
    C. Ding, H. Peng (2005). Minimum redundancy feature selection from microarray gene expression
    data. Journal of Bioinformatics and Computational Biology 3(2), 185-205.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> hf.MRMR(n_features_to_select=3).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']

    By relevance alone, the third is a feature that is much like the flavanoids:

    >>> hf.FScore(n_features_to_select=3).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    >>> X[["od280/od315_of_diluted_wines", "color_intensity"]].corrwith(X["flavanoids"]).round(2)
    od280/od315_of_diluted_wines    0.79
    color_intensity                -0.17
    dtype: float64
    """

    def __init__(
        self,
        *,
        criterion: Criterion = "quotient",
        relevance: Relevance = "f",
        redundancy: Redundancy = "correlation",
        n_bins: int = 10,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.criterion = criterion
        self.relevance = relevance
        self.redundancy = redundancy
        self.n_bins = n_bins
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def searches_to_size(self) -> bool:
        """Whether only as many features as are selected are put in order one by one."""
        return True

    def _rank(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        quotient = check_choice(self.criterion, "criterion", get_args(Criterion)) == "quotient"
        check_choice(self.relevance, "relevance", get_args(Relevance))
        check_choice(self.redundancy, "redundancy", get_args(Redundancy))
        n_bins = min(check_integer(self.n_bins, "n_bins", 2), len(y))
        data = np.asarray(X, dtype=np.float64)
        self.relevance_ = _measure_relevance(data, y, self.relevance, n_bins, generator)
        floor = LEAST_REDUNDANCY if quotient else 0.0
        if self.redundancy == "correlation":
            add_redundancies = _correlations(data, floor)
            largest = 1.0 - ROUNDING
        else:
            add_redundancies = _mutual_information(data, n_bins, floor)
            largest = np.inf

        def score(redundancy: FloatArray) -> FloatArray:
            if not quotient:
                return self.relevance_ - redundancy
            with np.errstate(over="ignore"):  # perfect features have the largest number there is
                return np.where(redundancy >= largest, 0.0, self.relevance_ / redundancy)

        return rank_greedily(
            self.relevance_, add_redundancies, score, self._count(X.shape[1]), generator
        )


def _measure_relevance(
    data: FloatArray, y: IndexArray, relevance: str, n_bins: int, generator: np.random.Generator
) -> FloatArray:
    """Return the relevance of each feature to the classes."""
    if relevance == "f":
        return FScore()._score(data, y, generator)
    (scores,) = bin_scores(data, ResampleCounts.from_rows(y), NATS, n_bins)
    return np.asarray(scores)


AddRedundancies = Callable[[int, FloatArray], None]
"""Adds to the sums of all features their redundancies with one feature."""


def _correlations(data: FloatArray, floor: float) -> AddRedundancies:
    """Return what adds absolute correlations."""
    # powers of two keep squares in range, and the division exact
    standardized = np.ldexp(data, -np.frexp(np.abs(data).max(axis=0))[1])
    varies = standardized.min(axis=0) < standardized.max(axis=0)
    standardized -= standardized.mean(axis=0)
    norms = np.sqrt(np.square(standardized).sum(axis=0))
    standardized *= np.divide(1.0, norms, out=np.zeros(len(norms)), where=varies & (norms > 0))
    return lambda selected, sums: add_correlations(standardized, selected, floor, sums)


def _mutual_information(data: FloatArray, n_bins: int, floor: float) -> AddRedundancies:
    """Return what adds the mutual information of binned features."""
    bins, table = bin_by_rank(data, n_bins), n_log_n(len(data))
    terms = bin_sums(bins, n_bins, table)
    return lambda selected, sums: add_mutual_information(
        bins, terms, n_bins, selected, table, floor, sums
    )


def bin_by_rank(data: FloatArray, n_bins: int) -> BinArray:
    """Return the bin of equal frequency of each value, features in rows."""
    # twice the mean rank is an integer, so the bins are exact
    doubled = (2 * rankdata(data, axis=0)).astype(np.int64).T
    return np.ascontiguousarray((doubled - 1) * n_bins // (2 * len(data)), dtype=np.int32)


def rank_greedily(
    relevance: FloatArray,
    add_redundancies: AddRedundancies,
    score: Callable[[FloatArray], FloatArray],
    n_steps: int,
    generator: np.random.Generator,
) -> AnyArray:
    """Return ranks by a greedy search; see :class:`MRMR`.

    Parameters
    ----------
    relevance : ndarray of shape (p,)
        Relevances; features with 0 are ranked last.
    add_redundancies : callable
        Adds the redundancies with a feature to the sums of all.
    score : callable
        Returns the criterion of all features, from their mean redundancies.
    n_steps : int
        How many features are ranked one by one.
    generator : Generator
        Orders tied features.
    """
    keys = generator.random(len(relevance))
    ranks = np.zeros(len(relevance), dtype=np.int32)
    left = relevance > 0
    scores, sums = np.where(left, relevance, -np.inf), np.zeros(len(relevance))
    n_searched = min(n_steps, int(left.sum()))
    for step in range(1, n_searched + 1):
        tied = np.flatnonzero(scores == scores.max())
        best = int(tied[keys[tied].argmax()])
        ranks[best], left[best] = step, False
        add_redundancies(best, sums)
        scores = np.where(left, score(sums / step), -np.inf)
    others = np.flatnonzero(ranks == 0)
    ranks[others] = n_searched + rank_weights(scores[others], "random", generator)
    return ranks
