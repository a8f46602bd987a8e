"""Features that differ from their knockoffs, at a false discovery rate, over many draws."""

from __future__ import annotations

from typing import Self

import numpy as np

from holdfast._kernels.svm_elimination import STANDARD, scale_columns
from holdfast._random import RandomState
from holdfast._typing import BoolArray, FloatArray, IndexArray, LabelsLike, MatrixLike
from holdfast._validation import check_choice, check_integer, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.select._false_discoveries._knockoff_model import DISTANCES, KnockoffModel
from holdfast.select._false_discoveries._lasso_effects import (
    check_max_features,
    class_indicators,
    lasso_coefficients,
)
from holdfast.select._false_discoveries._mirror_statistics import ROUNDING, STATISTICS, check_offset
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._univariate import FScore

MAX_FEATURES = 2_000
"""Most features: three matrices of p x p, and a time that grows with the third power of p."""

SHARE_OF_SAMPLES = 1 / 5
"""Features and knockoffs of a lasso model as a share of the samples, if no number is given: chosen
by hand; larger models have more knockoffs among their features, and find less."""


def knockoff_threshold(statistics: FloatArray, fdr: float, offset: int = 1) -> float:
    r"""Return the threshold of the knockoff filter.

    .. math:: T = \min \Bigl\{t > 0: \frac{a + \#\{j: W_j \le -t\}}{\#\{j: W_j \ge t\} \vee 1}
              \le q \Bigr\}

    Parameters
    ----------
    statistics : ndarray of shape (p,)
        Statistics W, positive if a feature has more weight than its knockoff.
    fdr : float
        The level q.
    offset : {0, 1}, default 1
        The number a.

    Returns
    -------
    float
        Infinite if no threshold keeps the level.
    """
    check_offset(offset)
    cuts = np.unique(np.abs(statistics[statistics != 0]))
    above = np.count_nonzero(statistics >= cuts[:, np.newaxis], axis=1)
    below = np.count_nonzero(statistics <= -cuts[:, np.newaxis], axis=1)
    kept = (offset + below <= fdr * (1 + ROUNDING) * above) & (above > 0)
    return float(cuts[kept.argmax()]) if kept.any() else np.inf


def knockoff_e_values(statistics: FloatArray, fdr: float) -> FloatArray:
    r"""Return the e-values of features from the statistics of one draw of knockoffs.

    .. math:: e_j = \frac{p \, 1[W_j \ge T]}{1 + \#\{k: W_k \le -T\}}

    with the threshold T at the level `fdr`. For features without effect, given all others, they
    add up to at most p in the mean.

    Parameters
    ----------
    statistics : ndarray of shape (p,)
        Statistics W.
    fdr : float
        Level of the threshold.

    Returns
    -------
    ndarray of shape (p,)
    """
    threshold = knockoff_threshold(statistics, fdr)
    below = np.count_nonzero(statistics <= -threshold)
    return np.asarray(len(statistics) * (statistics >= threshold) / (1.0 + below))


def select_by_e_values(e_values: FloatArray, fdr: float) -> BoolArray:
    r"""Select features by e-values at a false discovery rate (the e-BH procedure).

    The features with the k largest e-values, for the largest k with
    :math:`e_{(k)} \ge p / (q k)`. The rate holds whatever their dependence.

    Parameters
    ----------
    e_values : ndarray of shape (p,)
        E-values, 0 or more.
    fdr : float
        The level q.

    Returns
    -------
    ndarray of bool, shape (p,)
    """
    order = np.sort(e_values)[::-1]
    needed = len(e_values) / (fdr * np.arange(1, len(e_values) + 1))
    kept = np.flatnonzero(order >= needed * (1 - ROUNDING))
    return e_values >= (order[kept[-1]] if len(kept) else np.inf)


@selector(
    name="knockoffs",
    title="derandomised Gaussian knockoffs",
    references=("candes2018", "ren2024", "spector2022"),
    aliases=("knockoff", "model_x_knockoffs"),
)
class Knockoffs(Scorer):
    r"""Select the features that differ from their knockoffs, at a false discovery rate.

    *Knockoffs* are random copies of the features that have the same correlations with each other
    and with the other features, but are drawn without the classes. A feature that has an effect
    given all others has a larger weight than its knockoff; without effect, either may be larger.
    So the statistics :math:`W_j`, the weight of the feature minus that of its knockoff, estimate
    how many of those above a threshold T are false, and each draw gives e-values

    .. math:: e_j = \frac{p \, 1[W_j \ge T]}{1 + \#\{k: W_k \le -T\}}.

    Their mean over many draws, which hardly depends on the seed, selects the features with the k
    largest e-values, for the largest k with :math:`e_{(k)} \ge p / (q k)` (Ren and Barber).

    Parameters
    ----------
    fdr : float, default 0.1
        The nominal false discovery rate q: the mean share of false features among those selected.
    statistic : {"l1_path", "t_score"}, default "l1_path"
        The weights: absolute coefficients of a lasso on features and knockoffs together, or
        absolute t statistics, which find less if features are correlated.
    method : {"mvr", "equicorrelated"}, default "mvr"
        How the correlation of each feature with its knockoff is chosen: such that features are
        hardest to reconstruct (Spector and Janson), or the same for all, as low as possible.
    n_draws : int, default 30
        Number of draws of all knockoffs.
    draw_fdr : float or None, default None
        Level of the thresholds of single draws. None: half of `fdr`, as Ren and Barber advise, or
        `fdr` if there is one draw, which makes it the knockoff filter.
    max_features : int or None, default None
        With ``"l1_path"``, the largest number of features and knockoffs in the lasso: its penalty
        is the smallest on the path with no more. None: a fifth of the samples.
    n_features_to_select : int, float or None, default None
        None: the features that the rate allows. A count or a fraction selects those of the highest
        e-values instead, to which no rate applies.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the knockoffs, and of the order of features with equal e-values.

    Attributes
    ----------
    scores_, e_values_ : array of shape (p,)
        Mean e-values, 0 or more.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected; possibly none.
    statistics_ : array of shape (n_draws, p)
        The statistics W of each draw; 0 for constant features.

    Notes
    -----
    The rate is kept if the features are normal with known correlations. Correlations are
    estimated, by shrinkage, so it is kept as well as they are; transform skewed features first.
    A feature that is correlated with one that has an effect, but has none given that one, is false
    here, unlike for :class:`DataSplitting` with t-scores.

    A draw finds no less than 1/`draw_fdr` features or none, so that with the defaults fewer than
    20 effects are not found.

    Memory and time grow with the square and the third power of the number of features, which is
    limited to 2,000: 30 draws for 200 samples then take about 0.6 GB and 20 seconds, for 1,000
    features 4 seconds. Reduce the features first by a rule that does not use the classes.

    With more than two classes the lasso is fitted to each class against the rest, and the weight
    of a feature is the length of its vector of coefficients; the t statistic becomes the root of F.

    References
    ----------
    E. Candès, Y. Fan, L. Janson, J. Lv (2018). Panning for gold: 'model-X' knockoffs for high
    dimensional controlled variable selection. Journal of the Royal Statistical Society B 80(3),
    551-577.

    Z. Ren, R. F. Barber (2024). Derandomised knockoffs: leveraging e-values for false discovery
    rate control. Journal of the Royal Statistical Society B 86(1), 122-154.

    A. Spector, L. Janson (2022). Powerful knockoffs via minimizing reconstructability. Annals of
    Statistics 50(1), 252-276.

    Examples
    --------
    >>> import holdfast as hf
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 2
    >>> X = rng.normal(size=(300, 100))
    >>> X[:, :25] += y[:, None]
    >>> chosen = hf.Knockoffs(fdr=0.2, n_draws=10).fit(X, y).get_support(indices=True)
    >>> int((chosen < 25).sum()), int((chosen >= 25).sum())
    (25, 2)
    """

    def __init__(
        self,
        fdr: float = 0.1,
        *,
        statistic: str = "l1_path",
        method: str = "mvr",
        n_draws: int = 30,
        draw_fdr: float | None = None,
        max_features: int | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.fdr = fdr
        self.statistic = statistic
        self.method = method
        self.n_draws = n_draws
        self.draw_fdr = draw_fdr
        self.max_features = max_features
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def selects_own_size(self) -> bool:
        """Whether the false discovery rate determines the number of selected features."""
        return self.n_features_to_select is None

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Draw knockoffs, and select the features that differ from theirs.

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
        # left behind by `_score`; not kept, as it is no fitted attribute
        self.statistics_: FloatArray = self.__dict__.pop("_statistics")
        self.e_values_ = self.scores_
        if self.n_features_to_select is None:
            self.support_ = select_by_e_values(self.e_values_, self.fdr)
        return self

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        draw_fdr = self._check_parameters(X)
        n, p = X.shape
        Z = scale_columns(np.asarray(X), np.arange(n), np.ones(n), STANDARD, 0, p).T
        Z *= np.sqrt(n / (n - 1.0))  # so that the covariance with divisor n has 1 in its diagonal
        varying = np.flatnonzero((Z != 0).any(axis=0))  # constant features have no knockoffs
        statistics = np.zeros((self.n_draws, p))
        if len(varying):
            model = KnockoffModel.from_features(np.ascontiguousarray(Z[:, varying]), self.method)
            for row in statistics:
                both = np.hstack([Z[:, varying], model.draw(generator)])
                weights = self._weights(both, y)
                row[varying] = weights[: len(varying)] - weights[len(varying) :]
        self._statistics = statistics
        return np.asarray(np.mean([knockoff_e_values(row, draw_fdr) for row in statistics], axis=0))

    def _weights(self, X: FloatArray, y: IndexArray) -> FloatArray:
        """Return the weights of features and knockoffs."""
        if self.statistic == "t_score":
            return np.asarray(np.sqrt(FScore()._score_many(X, y, [np.arange(len(y))], [])[0]))
        targets = class_indicators(y)
        count = check_max_features(self.max_features, len(y), SHARE_OF_SAMPLES)
        count = max(1, count // len(targets))
        coefficients = lasso_coefficients(X, targets, np.arange(len(y)), count)
        return np.asarray(np.sqrt(np.square(coefficients).sum(axis=0)))

    def _check_parameters(self, X: MatrixLike) -> float:
        """Check the parameters; return the level of the thresholds of single draws."""
        fdr = check_positive_number(self.fdr, "fdr", 1.0)
        check_choice(self.statistic, "statistic", STATISTICS)
        check_choice(self.method, "method", DISTANCES)
        check_integer(self.n_draws, "n_draws", 1)
        check_max_features(self.max_features, X.shape[0], SHARE_OF_SAMPLES)
        if X.shape[1] > MAX_FEATURES:
            raise InvalidInputError(
                f"knockoffs take at most {MAX_FEATURES:,} features, as memory and time grow with "
                f"the square and the third power of their number; got {X.shape[1]:,}. Reduce them "
                "first without using the classes, or take data_splitting."
            )
        if self.draw_fdr is None:
            return fdr if self.n_draws == 1 else fdr / 2.0
        return check_positive_number(self.draw_fdr, "draw_fdr", 1.0)
