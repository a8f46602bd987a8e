"""Lasso and elastic net for classes, with the penalty chosen by cross-validation."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, NamedTuple, get_args

import numpy as np

from holdfast._kernels.l1_path import LOGISTIC, MULTINOMIAL
from holdfast._kernels.svm_elimination import STANDARD, scale_columns
from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IndexArray,
    MatrixLike,
    ProtocolLike,
)
from holdfast._validation import check_choice, check_integer, check_positive_number
from holdfast.preferences import as_feature_count
from holdfast.select._l1_path import PenaltyPath, warn_unsolved
from holdfast.select._registry import selector
from holdfast.select._search._criterion_choice import Split, draw_folds
from holdfast.select._search._subset_selector import SubsetSelector
from holdfast.select._selector import renumber_classes

PenaltyRule = Literal["min", "1se"]
MAX_FOLDS = 10
"""Folds without `cv`, if every class has as many samples: glmnet's standard."""
SMALLEST_SHARES = 1e-2, 1e-4
"""The last penalty as a share of the largest, for more features than samples, and for fewer:
glmnet's standards."""
MIN_PROBABILITY = 1e-5
"""Smallest probability in a deviance of left-out samples: glmnet's standard."""


class PenaltyChoice(NamedTuple):
    """The models of all penalties, and the one that was chosen.

    Attributes
    ----------
    penalties : ndarray of shape (n_penalties,)
        The penalties, falling.
    deviances : ndarray of shape (n_folds, n_penalties)
        The mean deviance of the left-out samples of each fold.
    mean, error : ndarray of shape (n_penalties,)
        Their mean over all samples, and its standard error.
    chosen : int
        The position of the chosen penalty.
    coefficients : ndarray of shape (rows, p)
        The coefficients at the chosen penalty.
    """

    penalties: FloatArray
    deviances: FloatArray
    mean: FloatArray
    error: FloatArray
    chosen: int
    coefficients: FloatArray


class PenalisedSelection(SubsetSelector):
    """Base class of linear models that select the features with non-zero coefficients."""

    rule: PenaltyRule
    cv: ProtocolLike
    n_penalties: int
    smallest: float | None
    tolerance: float

    @abstractmethod
    def _l1_ratio(self) -> float:
        """Return the share of the L1 penalty; raise if it is out of range."""

    def _fit_subset(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> None:
        choice = self._choose_penalty(X, y, self._subjects, generator)
        self.coef_ = choice.coefficients
        self.penalties_, self.penalty_ = choice.penalties, float(choice.penalties[choice.chosen])
        self.deviances_ = choice.deviances
        self.mean_deviance_, self.deviance_error_ = choice.mean, choice.error
        self.support_ = self._largest_weights(choice.coefficients)

    def _choose(
        self,
        X: MatrixLike,
        y: IndexArray,
        subjects: AnyArray | None,
        generator: np.random.Generator,
    ) -> BoolArray:
        return self._largest_weights(self._choose_penalty(X, y, subjects, generator).coefficients)

    def _largest_weights(self, coefficients: FloatArray) -> BoolArray:
        """Return the features with a coefficient, at most as many as requested."""
        weights = np.abs(coefficients).sum(axis=0)
        support: BoolArray = weights > 0
        if self.n_features_to_select is not None:
            most = as_feature_count(self.n_features_to_select, len(weights), "n_features_to_select")
            support[np.argsort(-weights, kind="stable")[most:]] = False
        return support

    def _choose_penalty(
        self,
        X: MatrixLike,
        y: IndexArray,
        subjects: AnyArray | None,
        generator: np.random.Generator,
    ) -> PenaltyChoice:
        """Fit the path of all samples, then those of the folds on the same penalties."""
        self._check_parameters(X.shape[1])
        codes, l1_ratio = renumber_classes(y), self._l1_ratio()
        splits = draw_folds(self.cv, codes, subjects, int(generator.integers(2**31)), MAX_FOLDS)
        X, rows = np.asarray(X), np.arange(len(codes))  # numba does not accept memory maps
        path, _ = self._make_path(X, codes, (rows, rows[:0]), l1_ratio)
        models = [np.zeros((len(path.coefficients), 0))]
        active = [rows[:0]]
        for _ in path.solve_path(self._shares(X)[1:]):
            active.append(np.flatnonzero(path.coefficients.any(axis=0)))
            models.append(path.coefficients[:, active[-1]])
        l1_penalties = path.largest * self._shares(X)[: len(models)]
        deviances, violation = np.empty((len(splits), len(models))), path.violation
        for fold, split in zip(deviances, splits, strict=True):
            violation = max(violation, self._score_fold(X, codes, split, l1_penalties, fold))
        warn_unsolved(violation, self.tolerance)
        sizes = np.array([len(test) for _, test in splits], dtype=np.float64)
        mean, error, chosen = apply_penalty_rule(deviances, sizes, self.rule)
        coefficients = np.zeros((len(path.coefficients), X.shape[1]))
        coefficients[:, active[chosen]] = models[chosen]
        return PenaltyChoice(l1_penalties / l1_ratio, deviances, mean, error, chosen, coefficients)

    def _check_parameters(self, n_features: int) -> None:
        check_choice(self.rule, "rule", get_args(PenaltyRule))
        check_integer(self.n_penalties, "n_penalties", 2)
        check_positive_number(self.tolerance, "tolerance", 1.0)
        if self.smallest is not None:
            check_positive_number(self.smallest, "smallest", 1.0)
        if self.n_features_to_select is not None:
            as_feature_count(self.n_features_to_select, n_features, "n_features_to_select")

    def _shares(self, X: AnyArray) -> FloatArray:
        """Return the penalties as shares of the largest, falling from 1."""
        smallest = self.smallest
        if smallest is None:
            smallest = SMALLEST_SHARES[X.shape[1] <= len(X)]
        return np.asarray(float(smallest) ** np.linspace(0.0, 1.0, self.n_penalties))

    def _make_path(
        self, X: AnyArray, y: IndexArray, split: Split, l1_ratio: float
    ) -> tuple[PenaltyPath, FloatArray]:
        """Return the path of the training samples, and the test samples on the same scale."""
        train, test = split
        rows = np.concatenate([train, test]).astype(np.int64)
        counts = np.repeat([1.0, 0.0], [len(train), len(test)])
        Z = scale_columns(X, rows, counts, STANDARD, 0, X.shape[1])
        family = LOGISTIC if y.max() == 1 else MULTINOMIAL
        training = np.ascontiguousarray(Z[:, : len(train)])
        ratio = (1.0 - l1_ratio) / l1_ratio
        return PenaltyPath(training, y[train], family, self.tolerance, ratio), Z[:, len(train) :]

    def _score_fold(
        self,
        X: AnyArray,
        y: IndexArray,
        split: Split,
        l1_penalties: FloatArray,
        deviances: FloatArray,
    ) -> float:
        """Write the mean deviance of the test samples at each penalty; return the violation."""
        path, test = self._make_path(X, y, split, self._l1_ratio())
        truth = y[split[1]]
        deviances[:] = mean_deviance(path.predict(test), truth)
        if path.largest > 0:
            # where a path ends early, its last model stands for the penalties below
            for step, _ in enumerate(path.solve_path(l1_penalties / path.largest)):
                deviances[step:] = mean_deviance(path.predict(test), truth)
        return path.violation


def mean_deviance(predictors: FloatArray, y: IndexArray) -> float:
    """Return twice the mean negative log-likelihood, with probabilities of 1e-5 or more.

    Parameters
    ----------
    predictors : ndarray of shape (rows, n)
        Linear predictors: of the second class if there is one row, else of each class.
    y : ndarray of shape (n,)
        The classes, numbered from 0.
    """
    if len(predictors) == 1:
        predictors = np.vstack([np.zeros_like(predictors), predictors])
    top = predictors.max(axis=0)
    shares = np.exp(predictors - top)
    probabilities = shares[y, np.arange(len(y))] / shares.sum(axis=0)
    return float(-2.0 * np.log(np.clip(probabilities, MIN_PROBABILITY, 1 - MIN_PROBABILITY)).mean())


def apply_penalty_rule(
    deviances: FloatArray, sizes: FloatArray, rule: str
) -> tuple[FloatArray, FloatArray, int]:
    """Return the mean deviance of each penalty, its standard error, and the chosen position.

    Parameters
    ----------
    deviances : ndarray of shape (n_folds, n_penalties)
        The mean deviance of each fold, penalties falling.
    sizes : ndarray of shape (n_folds,)
        The samples of each fold.
    rule : {"min", "1se"}
        The smallest mean deviance, or the largest penalty within one standard error of it.
    """
    shares = sizes / sizes.sum()
    mean = shares @ deviances
    error = np.sqrt(shares @ np.square(deviances - mean) / (len(sizes) - 1))
    best = int(np.argmin(mean))
    if rule == "1se":
        best = int(np.argmax(mean <= mean[best] + error[best]))
    return mean, error, best


@selector(
    name="lasso",
    title="Lasso (L1-penalised logistic regression)",
    references=("tibshirani1996", "friedman2010"),
)
class LassoSelection(PenalisedSelection):
    r"""Select the features with non-zero coefficients in a logistic model with an L1 penalty.

    .. math:: \hat\beta = \arg\min_{\beta, \beta_0} \frac{1}{n} \sum_i
              \ell(y_i, \beta_0 + x_i^\top \beta) + \lambda \lVert \beta \rVert_1

    for features of unit variance. The loss is minus the log-likelihood of a logistic model for two
    classes and of a multinomial model, with a row of coefficients for each class, for more. The
    penalty :math:`\lambda` is chosen by cross-validation, as by glmnet.

    Parameters
    ----------
    rule : {"min", "1se"}, default "min"
        Which penalty: that of the smallest mean deviance of left-out samples, or the largest whose
        mean deviance is within one standard error of the smallest. The second selects fewer
        features, often none.
    cv : None, int, splitter, protocol, str or pairs, default None
        How samples are left out, as for :class:`ForwardSelection`. None: 10 stratified folds, or as
        many as the smallest class has samples.
    n_penalties : int, default 100
        Length of the grid of penalties, which falls in equal ratios from the largest, at which no
        feature is selected.
    smallest : float or None, default None
        The last penalty, as a share of the largest. None: 0.01 with more features than samples,
        else 0.0001.
    tolerance : float, default 1e-7
        Largest violation of the optimality conditions, as a share of the penalty.
    n_features_to_select : int, float or None, default None
        The most features to select, as a count or a fraction: those with the largest absolute
        coefficients (summed over classes). A model with fewer non-zero coefficients selects fewer.
        None: no limit.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the folds.

    Attributes
    ----------
    coef_ : array of shape (1, p) or (c, p)
        The coefficients of features of unit variance, for the second class or for each class.
    penalty_ : float
        The chosen penalty.
    penalties_ : array
        All penalties, falling; fewer than `n_penalties` if the model explains the classes early.
    deviances_ : array of shape (n_folds, n_penalties)
        The mean deviance of the left-out samples of each fold.
    mean_deviance_, deviance_error_ : array of shape (n_penalties,)
        Their mean, weighted by the size of the folds, and its standard error.
    support_ : array of shape (p,)
        Which features are selected; none if no model predicts better than the class frequencies.

    Notes
    -----
    The penalties of all folds are those of the full data. Where the path of a fold ends early, its
    last model stands for the smaller penalties. Probabilities below 1e-5 count as 1e-5 in a
    deviance. Of features that are equal only the first is selected; see :class:`L1Path`, which
    ranks features by the penalty at which they enter.

    References
    ----------
    R. Tibshirani (1996). Regression shrinkage and selection via the lasso. Journal of the
    Royal Statistical Society B 58(1), 267-288.

    J. Friedman, T. Hastie, R. Tibshirani (2010). Regularization paths for generalized linear
    models via coordinate descent. Journal of Statistical Software 33(1).

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> small = hf.LassoSelection(rule="1se").fit(X, y)
    >>> large = hf.LassoSelection(rule="min").fit(X, y)
    >>> int(small.get_support().sum()), int(large.get_support().sum())
    (10, 17)
    >>> small.set_params(n_features_to_select=3).fit(X, y).get_feature_names_out().tolist()
    ['radius error', 'worst radius', 'worst concave points']
    """

    def __init__(
        self,
        *,
        rule: PenaltyRule = "min",
        cv: ProtocolLike = None,
        n_penalties: int = 100,
        smallest: float | None = None,
        tolerance: float = 1e-7,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.rule = rule
        self.cv = cv
        self.n_penalties = n_penalties
        self.smallest = smallest
        self.tolerance = tolerance
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _l1_ratio(self) -> float:
        return 1.0


@selector(
    name="elastic_net",
    title="Elastic net (L1 and L2 penalised logistic regression)",
    references=("zou2005", "friedman2010"),
    aliases=("elasticnet",),
)
class ElasticNetSelection(PenalisedSelection):
    r"""Select the features with non-zero coefficients in a logistic model with an elastic net.

    .. math:: \hat\beta = \arg\min_{\beta, \beta_0} \frac{1}{n} \sum_i
              \ell(y_i, \beta_0 + x_i^\top \beta) + \lambda \left( \alpha \lVert \beta \rVert_1 +
              \frac{1 - \alpha}{2} \lVert \beta \rVert_2^2 \right)

    for features of unit variance, as :class:`LassoSelection`, which is the case :math:`\alpha = 1`.
    Correlated features share a coefficient instead of replacing each other; equal features have
    equal coefficients.

    Parameters
    ----------
    l1_ratio : float, default 0.5
        The share :math:`\alpha` of the L1 penalty, above 0 and up to 1.
    rule : {"min", "1se"}, default "min"
        Which penalty; this and all other parameters are those of :class:`LassoSelection`.
    cv : None, int, splitter, protocol, str or pairs, default None
        How samples are left out.
    n_penalties : int, default 100
        Length of the grid of penalties.
    smallest : float or None, default None
        The last penalty, as a share of the largest.
    tolerance : float, default 1e-7
        Largest violation of the optimality conditions, as a share of the L1 penalty.
    n_features_to_select : int, float or None, default None
        The most features to select; a model with fewer non-zero coefficients selects fewer.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the folds.

    Attributes
    ----------
    coef_ : array of shape (1, p) or (c, p)
        The coefficients of features of unit variance, for the second class or for each class.
    penalty_ : float
        The chosen penalty.
    penalties_ : array
        All penalties, falling; the largest is that of the lasso divided by `l1_ratio`.
    deviances_ : array of shape (n_folds, n_penalties)
        The mean deviance of the left-out samples of each fold.
    mean_deviance_, deviance_error_ : array of shape (n_penalties,)
        Their mean, weighted by the size of the folds, and its standard error.
    support_ : array of shape (p,)
        Which features are selected; none if no model predicts better than the class frequencies.

    References
    ----------
    H. Zou, T. Hastie (2005). Regularization and variable selection via the elastic net. Journal of
    the Royal Statistical Society B 67(2), 301-320.

    J. Friedman, T. Hastie, R. Tibshirani (2010). Regularization paths for generalized linear
    models via coordinate descent. Journal of Statistical Software 33(1).

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> net = hf.ElasticNetSelection(rule="1se").fit(X, y)
    >>> int(net.get_support().sum()), round(net.penalty_, 3)
    (21, 0.008)
    """

    def __init__(
        self,
        *,
        l1_ratio: float = 0.5,
        rule: PenaltyRule = "min",
        cv: ProtocolLike = None,
        n_penalties: int = 100,
        smallest: float | None = None,
        tolerance: float = 1e-7,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.rule = rule
        self.cv = cv
        self.n_penalties = n_penalties
        self.smallest = smallest
        self.tolerance = tolerance
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _l1_ratio(self) -> float:
        return check_positive_number(self.l1_ratio, "l1_ratio", 1.0, inclusive=True)
