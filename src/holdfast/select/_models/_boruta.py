"""Boruta: features that are more important than shuffled copies of features."""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

import numpy as np
from scipy.special import bdtr

from holdfast._kernels.impurity_forest import forest_importances, shuffle_features
from holdfast._random import RandomState
from holdfast._typing import AnyArray, BoolArray, FloatArray, IndexArray, LabelsLike, MatrixLike
from holdfast._validation import check_flag, check_integer, check_positive_number
from holdfast.preferences import rank_weights
from holdfast.select._p_values import adjust_p_values
from holdfast.select._ranker import Ranker
from holdfast.select._registry import selector

REJECTED, TENTATIVE, CONFIRMED = -1, 0, 1
MIN_SHADOWS = 5
"""Fewer features are shuffled several times; that of boruta_py."""
TRIALS_PER_FEATURE = 100
"""How often a forest of automatic size tries each feature on average; that of boruta_py."""


class ShadowRounds(NamedTuple):
    """The outcome of all rounds.

    Attributes
    ----------
    decisions : ndarray of int8, shape (p,)
        `CONFIRMED`, `TENTATIVE` or `REJECTED`.
    hits : ndarray of int, shape (p,)
        In how many rounds the feature was more important than the shadows.
    importances : ndarray of shape (rounds, p)
        The importance of each feature in each round, NaN after its rejection.
    thresholds : ndarray of shape (rounds,)
        The importance of the shadows in each round.
    """

    decisions: AnyArray
    hits: IndexArray
    importances: FloatArray
    thresholds: FloatArray


@selector(
    name="boruta",
    title="Boruta (random forest with shadow features)",
    references=("kursa2010", "breiman2001"),
)
class Boruta(Ranker):
    r"""Select all features that are more important in a random forest than shuffled features.

    Each round adds a shuffled copy, the *shadow*, of every feature that is not rejected, and grows
    a forest on both. A feature scores a hit if its importance exceeds the largest (or a percentile)
    of the importances of the shadows. After r rounds the h hits of a feature are compared with a
    fair coin:

    .. math:: P(H \ge h) \le \text{level: confirmed}, \qquad P(H \le h) \le \text{level: rejected},
        \qquad H \sim \text{Binomial}(r, 1/2)

    until every feature is decided, or after `max_rounds`. Rejected features leave the forest.
    Confirmed ones are selected; undecided ones are *tentative*.

    Unlike a ranking, this looks for all relevant features, redundant ones included, and determines
    their number itself.

    Parameters
    ----------
    n_estimators : int or "auto", default "auto"
        Trees per round. "auto": as many as try each feature and shadow 100 times on average if
        trees have as many splits as they are deep, that is
        :math:`100 \sqrt{2 q} / d` for q features that are not rejected and depth d.
    max_depth : int or None, default 5
        Depth of the trees; None grows them until the leaves are pure, and counts as 10 for "auto".
    percentile : float, default 100
        Which percentile of the importances of the shadows is to be exceeded; 100 is the largest.
        Lower values confirm more, and more false ones.
    alpha : float, default 0.05
        The level of the tests.
    two_step : bool, default True
        The correction for many tests. True: Benjamini and Hochberg's rule over the features that
        are not rejected, and in addition alpha / r after r rounds, as boruta_py does. False:
        Bonferroni's correction alpha / p for p features, as in the publication.
    max_rounds : int, default 100
        Largest number of rounds.
    rough_fix : bool, default False
        Also select the tentative features whose median importance exceeds the median of that of
        the shadows.
    n_features_to_select : int, float or None, default None
        None: the confirmed features. A count or a fraction selects the first of the ranking
        instead, whether confirmed or not.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the forests, the shuffles and the order of ties.

    Attributes
    ----------
    confirmed_, tentative_ : array of bool, shape (p,)
        Which features are confirmed, and which undecided; the others are rejected.
    hits_ : array of int, shape (p,)
        In how many rounds each feature exceeded the shadows. Rejected features have no hits after
        their rejection.
    n_rounds_ : int
        How many rounds were run.
    importance_history_ : array of shape (rounds, p)
        The importances by round; NaN after a rejection.
    shadow_history_ : array of shape (rounds,)
        The importance of the shadows by round.
    ranking_ : array of shape (p,)
        Ranks: confirmed features come first, then tentative, then rejected ones. Within these they
        are ordered by hits, and by their mean importance if hits are equal.
    support_ : array of shape (p,)
        Which features are selected; possibly none.

    Notes
    -----
    Importances are mean decreases of Gini impurity. Trees try the square root of the number of
    columns at each split. Forests are compiled; they agree with those of scikit-learn but for the
    random numbers. boruta_py, whose rules these are, runs one round less than its `max_iter`.

    A copy of a sample, as in a bootstrap resample, may be on both sides of a split like any other.
    The tests treat the rounds as independent, although all use the same samples: they say whether
    more trees would still prefer the feature to shuffled ones in these data, not whether a new
    study would. On samples without any signal a feature that is related to the classes by chance
    may be confirmed.

    References
    ----------
    M. B. Kursa, W. R. Rudnicki (2010). Feature selection with the Boruta package. Journal of
    Statistical Software 36(11), 1-13.

    L. Breiman (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> import numpy as np
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> noise = np.random.default_rng(0).permuted(X, axis=0)   # without relation to the classes
    >>> boruta = hf.Boruta().fit(np.hstack([X, noise]), y)
    >>> boruta.get_support(indices=True).tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    >>> int(boruta.tentative_.sum())
    0
    """

    def __init__(
        self,
        *,
        n_estimators: int | Literal["auto"] = "auto",
        max_depth: int | None = 5,
        percentile: float = 100,
        alpha: float = 0.05,
        two_step: bool = True,
        max_rounds: int = 100,
        rough_fix: bool = False,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.percentile = percentile
        self.alpha = alpha
        self.two_step = two_step
        self.max_rounds = max_rounds
        self.rough_fix = rough_fix
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def selects_own_size(self) -> bool:
        """Whether the selector chooses the number of features itself."""
        return self.n_features_to_select is None

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Compare the features of labelled data with their shadows, and select the confirmed ones.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.

        Returns
        -------
        self
        """
        super().fit(X, y)
        # left behind by `_rank`; not kept, as it is no fitted attribute
        outcome: ShadowRounds = self.__dict__.pop("_outcome")
        self.confirmed_ = outcome.decisions == CONFIRMED
        self.tentative_ = outcome.decisions == TENTATIVE
        self.hits_, self.n_rounds_ = outcome.hits, len(outcome.thresholds)
        self.importance_history_ = outcome.importances
        self.shadow_history_ = outcome.thresholds
        if self.n_features_to_select is None:
            self.support_ = self.confirmed_ | self._fix_tentative(outcome)
        return self

    def _fix_tentative(self, outcome: ShadowRounds) -> BoolArray:
        """Return the tentative features that are selected nevertheless."""
        fixed: BoolArray = np.zeros(len(outcome.hits), dtype=bool)
        if self.rough_fix:
            tentative = outcome.decisions == TENTATIVE
            medians = np.median(outcome.importances[:, tentative], axis=0)
            fixed[tentative] = medians > np.median(outcome.thresholds)
        return fixed

    def _rank(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        self._check_parameters()
        self._outcome = outcome = self._run_rounds(np.asarray(X, np.float64), y, generator)
        n_compared = np.isfinite(outcome.importances).sum(axis=0)
        mean_importances = np.nansum(outcome.importances, axis=0) / n_compared
        # one number in this order of priority: decision, hits, position by importance
        positions = np.unique(mean_importances, return_inverse=True)[1]
        by_hits = outcome.decisions * np.int64(self.max_rounds + 1) + outcome.hits
        return rank_weights(by_hits * np.int64(len(positions)) + positions, "random", generator)

    def _check_parameters(self) -> None:
        if self.n_estimators != "auto":
            check_integer(self.n_estimators, "n_estimators", 1)
        if self.max_depth is not None:
            check_integer(self.max_depth, "max_depth", 1)
        check_positive_number(self.percentile, "percentile", 100.0, inclusive=True)
        check_positive_number(self.alpha, "alpha", 1.0)
        check_integer(self.max_rounds, "max_rounds", 1)
        check_flag(self.two_step, "two_step")
        check_flag(self.rough_fix, "rough_fix")

    def _run_rounds(
        self, data: FloatArray, y: IndexArray, generator: np.random.Generator
    ) -> ShadowRounds:
        features = np.ascontiguousarray(data.T)
        order = np.argsort(features, axis=1)  # the only sort of all features, for all rounds
        p = len(features)
        decisions, hits = np.zeros(p, dtype=np.int8), np.zeros(p, dtype=np.intp)
        history: list[FloatArray] = []
        thresholds: list[float] = []
        while (decisions == TENTATIVE).any() and len(thresholds) < self.max_rounds:
            active = np.flatnonzero(decisions != REJECTED)
            real, shadows = self._compare(features[active], order[active], y, generator)
            thresholds.append(float(np.percentile(shadows, self.percentile)))
            importances = np.full(p, np.nan)
            importances[active] = real
            history.append(importances)
            hits[active] += real > thresholds[-1]
            decide(decisions, hits, len(thresholds), self.alpha, self.two_step)
        return ShadowRounds(decisions, hits, np.array(history), np.array(thresholds))

    def _compare(
        self,
        features: FloatArray,
        order: IndexArray,
        y: IndexArray,
        generator: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the importances of features and of their shadows in one forest."""
        q, n_copies = len(features), 1
        while n_copies * q < MIN_SHADOWS:
            n_copies *= 2
        copies = np.tile(np.arange(q), n_copies)
        shadows, shadow_order = shuffle_features(features[copies], order[copies], generator)
        importances = forest_importances(
            np.concatenate([features, shadows]),
            np.concatenate([order, shadow_order]),
            y.astype(np.int64),
            int(y.max()) + 1,
            self._n_trees(q),
            int(np.sqrt(q + len(shadows))),
            -1 if self.max_depth is None else self.max_depth,
            generator,
        )
        return importances[:q], importances[q:]

    def _n_trees(self, n_active: int) -> int:
        if self.n_estimators != "auto":
            return int(self.n_estimators)
        depth = 10 if self.max_depth is None else self.max_depth
        return max(1, int(TRIALS_PER_FEATURE * np.sqrt(2 * n_active) / depth))


def decide(
    decisions: AnyArray, hits: IndexArray, n_rounds: int, alpha: float, two_step: bool
) -> None:
    """Confirm and reject tentative features by their hits, in place.

    Parameters
    ----------
    decisions : ndarray of int8, shape (p,)
        The decisions so far.
    hits : ndarray of int, shape (p,)
        Hits in all rounds.
    n_rounds : int
        The rounds so far.
    alpha : float
        The level.
    two_step : bool
        Which correction; see :class:`Boruta`.
    """
    active = np.flatnonzero(decisions != REJECTED)
    # P(H >= h) = P(H <= r - h) for a fair coin
    tails = np.asarray(bdtr(np.arange(n_rounds + 1), n_rounds, 0.5), dtype=np.float64)
    verdicts = []
    for p_values in (tails[n_rounds - hits[active]], tails[hits[active]]):
        if two_step:
            verdict = (p_values <= alpha / n_rounds) & (
                adjust_p_values(p_values, "fdr_bh") <= alpha
            )
        else:
            verdict = p_values <= alpha / len(decisions)
        verdicts.append(verdict & (decisions[active] == TENTATIVE))
    decisions[active[verdicts[0]]] = CONFIRMED
    decisions[active[verdicts[1]]] = REJECTED
