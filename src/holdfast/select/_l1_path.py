"""The order in which features enter linear models as the L1 penalty falls."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels.l1_path import (
    GAUSSIAN,
    LOGISTIC,
    MULTINOMIAL,
    has_twin,
    loss,
    residuals,
    slopes,
    solve,
)
from holdfast._kernels.svm_elimination import CENTRE, STANDARD, scale_columns, weights
from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IndexArray,
    MatrixLike,
    RowLists,
)
from holdfast._validation import check_choice, check_integer, check_positive_number
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import renumber_classes

# The models of one data set along the path of falling penalties.

NEVER = np.iinfo(np.int32).max
"""The entry position of a feature that does not enter."""
MAX_EXPLAINED_DEVIANCE = 0.999
"""Explained share of the deviance at which a path ends: glmnet's standard; beyond it, coefficients
grow without bound."""


class Entries(NamedTuple):
    """When features enter the path: one row per resample, one column per feature.

    `places` is 1 for the feature that enters first and `NEVER` for those that do not enter; of
    features that enter at the same penalty, the one with the larger coefficient comes first.
    `penalties` are relative to the largest, 0 for features that do not enter.
    """

    places: NDArray[np.int32]
    penalties: FloatArray

    @classmethod
    def empty(cls, n_rows: int, n_features: int) -> Entries:
        """Return entries in which no feature has entered yet."""
        shape = n_rows, n_features
        return cls(np.full(shape, NEVER, dtype=np.int32), np.zeros(shape))


class PenaltyPath:
    """The models of one data set, from the largest penalty downwards.

    `ridge_ratio` times the L1 penalty is the ridge penalty of an elastic net; 0 for the lasso.
    Coefficients have one row, or one row per class in the multinomial family. A feature becomes
    active as soon as its gradient exceeds the penalty, and the gradients of all features are
    checked after every solution, so no feature is missed at any penalty.
    """

    def __init__(
        self, Z: FloatArray, y: AnyArray, family: int, tolerance: float, ridge_ratio: float = 0.0
    ) -> None:
        self._Z, self._family, self._tolerance = Z, family, tolerance
        self._ridge_ratio = ridge_ratio
        self._Y, self._eta = _null_model(y, family)
        self._active = np.empty(0, dtype=np.int64)
        self._seen = np.zeros(len(Z), dtype=bool)
        self._null = loss(family, self._Y, self._eta)
        first = residuals(family, self._Y, self._eta)
        # `weights` sets sums that cancel up to rounding to 0, so that they do not start a path
        self._slopes = np.array([weights(Z, row) for row in first]) / Z.shape[1]
        if not np.isfinite(self._slopes).all():
            raise InvalidInputError(
                "X holds values too large or too close together for a path: their ranges leave "
                "the range of floating-point numbers. Rescale the features first."
            )
        self.coefficients: FloatArray = np.zeros((len(first), len(Z)))
        # at this penalty all coefficients are 0, by the optimality conditions
        self.largest = float(np.abs(self._slopes).max())
        self.violation = 0.0

    def solve_path(self, shares: FloatArray) -> Iterator[float]:
        """Solve the models of falling penalties, given as shares of the largest; yield each."""
        if self.largest == 0.0:  # no feature is correlated with the target
            return
        for share in shares:
            self._solve(float(share) * self.largest)
            yield float(share)
            if (
                loss(self._family, self._Y, self._eta)
                <= (1.0 - MAX_EXPLAINED_DEVIANCE) * self._null
            ):
                return

    def record_entries(
        self, shares: FloatArray, most: int, places: NDArray[np.int32], penalties: FloatArray
    ) -> None:
        """Write when the first `most` features enter into one row of `Entries`."""
        count = 0
        for share in self.solve_path(shares):
            # a feature counts from its first non-zero coefficient on, even if it leaves again
            sizes = np.abs(self.coefficients).sum(axis=0)
            new = np.flatnonzero((sizes > 0) & (penalties == 0))
            # features that enter at the same grid penalty are ordered by their coefficients
            new = new[np.argsort(-sizes[new], kind="stable")[: most - count]]
            places[new] = np.arange(count + 1, count + len(new) + 1)
            penalties[new] = share
            count += len(new)
            if count == most:
                return

    def predict(self, Z: FloatArray) -> FloatArray:
        """Return the linear predictors of samples (columns of `Z`) on the scale of the path."""
        active = np.flatnonzero(self.coefficients.any(axis=0))
        weights_of_active = self.coefficients[:, active]
        # the offset is what the features leave of the predictors, the same for all samples
        offsets = (self._eta - weights_of_active @ self._Z[active]).mean(axis=1, keepdims=True)
        return np.asarray(offsets + weights_of_active @ Z[active])

    def _solve(self, penalty: float) -> None:
        slack = self._tolerance * penalty
        # the solution on the working set is the whole one
        # if no feature outside violates its condition
        newcomers = self._newcomers(penalty + slack)
        while True:
            for feature in newcomers:
                self._seen[feature] = True
                # of equal features only the first is active: the lasso cannot tell them apart;
                # an elastic net gives them equal coefficients
                if self._ridge_ratio > 0 or not has_twin(self._Z, self._active, feature):
                    self._active = np.append(self._active, feature)
            left = solve(
                self._Z, self._Y, self._family, self._active, self.coefficients, self._eta,
                penalty, self._ridge_ratio * penalty, slack,
            )  # fmt: skip
            self.violation = max(self.violation, left / penalty)
            self._slopes = slopes(self._Z, residuals(self._family, self._Y, self._eta))
            newcomers = self._newcomers(penalty + slack)
            if not len(newcomers):
                return

    def _newcomers(self, limit: float) -> IndexArray:
        return np.flatnonzero((np.abs(self._slopes).max(axis=0) > limit) & ~self._seen)


def _null_model(y: AnyArray, family: int) -> tuple[FloatArray, FloatArray]:
    """Return the targets and the linear predictors without features, one row per class."""
    if family == GAUSSIAN:
        # scaled before the mean, whose sum could overflow, and again after centring
        target = _scale_to_unit(y)
        target = _scale_to_unit(target - target.mean())[None]
        return target, np.zeros_like(target)
    # two classes need one row: the probability of the second
    first = 1 if family == LOGISTIC else 0
    target = np.array([y == code for code in range(first, y.max() + 1)], dtype=np.float64)
    odds = target.mean(axis=1, keepdims=True)
    if family == LOGISTIC:
        odds /= 1.0 - odds
    return target, np.repeat(np.log(odds), len(y), axis=1)


def _scale_to_unit(y: FloatArray) -> FloatArray:
    """Scale numbers to -1..1, so that sums do not overflow; penalties are relative anyway."""
    return y / (np.abs(y).max() or 1.0)


# The selector.

FAMILIES = {"gaussian": GAUSSIAN, "logistic": LOGISTIC, "multinomial": MULTINOMIAL}


@selector(
    name="l1_path",
    title="Order of entry on the lasso path",
    references=("tibshirani1996", "friedman2010"),
    aliases=("lasso_path",),
)
class L1Path(Scorer):
    r"""Score features by how early they enter a linear model as its L1 penalty falls.

    .. math:: \hat\beta(\lambda) = \arg\min_{\beta, \beta_0} \frac{1}{n} \sum_i
              \ell(y_i, \beta_0 + x_i^\top \beta) + \lambda \lVert \beta \rVert_1,
              \qquad s_j = \max \{\lambda : \hat\beta_j(\lambda) \ne 0\} \,/\, \lambda_{\max}

    The loss is minus the log-likelihood of a logistic model for two classes and of a multinomial
    model (softmax, one row of coefficients per class) for more; a feature is in the model if any
    class has a non-zero coefficient for it. Offsets are not penalised. :math:`\lambda_{\max}` is
    the smallest penalty at which no feature is in the model. Penalties fall from there in equal
    ratios; :math:`s_j` is that of the first model on this grid that contains the feature, and 0
    if none does. Scores lie in 0..1.

    Parameters
    ----------
    family : {"auto", "gaussian", "logistic", "multinomial"}, default "auto"
        The model. "auto" is logistic for two classes, multinomial for more, and gaussian (the
        lasso) for regression in :class:`StabilitySelection`. "gaussian" on two classes predicts
        0 and 1 by least squares.
    n_penalties : int, default 100
        Length of the grid of penalties, the largest included.
    smallest : float, default 0.01
        The last penalty, as a share of the largest. With far more samples than features, a
        smaller value lets more features in.
    standardise : bool, default True
        Whether features are scaled to unit variance, in each resample separately. They are
        always centred.
    tolerance : float, default 1e-7
        Largest violation of the optimality conditions, as a share of the penalty.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores: those that enter at the same penalty of
        the grid, and those that do not enter.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The relative penalties at entry.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.
    classes_ : array of shape (c,)
        The classes.

    Notes
    -----
    The method is that of Friedman et al.: coordinate descent from one penalty to the next. The
    optimality conditions of all features are checked at every penalty, so no feature is missed.

    Ties between features that enter together are not broken by the coefficients at the end of
    the path: with more features than samples the model fits anything there, and its largest
    coefficients are not those of the features that entered first.

    A path ends early when the model explains 99.9 % of the deviance, as it does if a hyperplane
    separates the classes. A model never holds more features than samples (times classes), so with
    many features most of them share the score 0; so do constant ones. Of features that are equal,
    or negatives or multiples of each other, only the first enters. (Without standardising, it is
    the one with the largest variance.)

    References
    ----------
    R. Tibshirani (1996). Regression shrinkage and selection via the lasso. Journal of the
    Royal Statistical Society B 58(1), 267-288.

    J. Friedman, T. Hastie, R. Tibshirani (2010). Regularization paths for generalized linear
    models via coordinate descent. Journal of Statistical Software 33(1).

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> hf.L1Path(n_features_to_select=3).fit(X, y).get_feature_names_out().tolist()
    ['alcohol', 'od280/od315_of_diluted_wines', 'proline']
    """

    def __init__(
        self,
        *,
        family: str = "auto",
        n_penalties: int = 100,
        smallest: float = 0.01,
        standardise: bool = True,
        tolerance: float = 1e-7,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.family = family
        self.n_penalties = n_penalties
        self.smallest = smallest
        self.standardise = standardise
        self.tolerance = tolerance
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def entries(self, X: MatrixLike, y: AnyArray, rows: RowLists, most: int) -> FloatArray:
        """Return the relative penalty at which each feature enters, on each resample.

        Parameters
        ----------
        X, y, rows, most
            As for `entry_order`.

        Returns
        -------
        array of shape (len(rows), p)
            Penalties as shares of the largest one of the resample; 0 for features that do not
            enter.
        """
        return self.entry_order(X, y, rows, most).penalties

    def entry_order(self, X: MatrixLike, y: AnyArray, rows: RowLists, most: int) -> Entries:
        """Return the order and the penalties in which features enter, on each resample.

        Parameters
        ----------
        X : array of shape (n, p)
            Finite data, samples in rows.
        y : array of shape (n,)
            Classes numbered from 0 (integers), or the target of a regression (floats).
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.
        most : int
            Each path ends when this many features have entered. If too many enter at the last
            penalty, those with the largest absolute coefficients are kept (summed over classes;
            of equal ones the first). So no path yields more than `most` features, as the error
            bounds of stability selection require, and a larger `most` only adds features.

        Returns
        -------
        Entries
            One row per resample.
        """
        self._check_parameters(y)
        check_integer(most, "most", 1)
        shares, worst = self.shares(), 0.0
        entries = Entries.empty(len(rows), X.shape[1])
        for path, places, penalties in zip(self._paths(X, y, rows), *entries, strict=True):
            path.record_entries(shares, most, places, penalties)
            worst = max(worst, path.violation)
        warn_unsolved(worst, self.tolerance)
        return entries

    def active_features(self, X: MatrixLike, y: AnyArray, rows: RowLists) -> Iterator[BoolArray]:
        """Yield which features are in the model at each penalty, on each resample.

        Parameters
        ----------
        X, y, rows
            As for `entry_order`.

        Yields
        ------
        array of shape (len(shares()), p)
            One row per penalty of the grid, falling. Where a path ends early, its last model
            stands for the penalties below.
        """
        self._check_parameters(y)
        shares, worst = self.shares(), 0.0
        for path in self._paths(X, y, rows):
            active = np.zeros((len(shares), X.shape[1]), dtype=np.bool_)
            for step, _ in enumerate(path.solve_path(shares)):
                active[step:] = (path.coefficients != 0).any(axis=0)
            worst = max(worst, path.violation)
            yield active
        warn_unsolved(worst, self.tolerance)

    def shares(self) -> FloatArray:
        """Return the grid of penalties below the largest, as shares of it, falling."""
        steps = np.arange(1, self.n_penalties) / (self.n_penalties - 1)
        return np.asarray(float(self.smallest) ** steps)

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        scores: FloatArray = self._score_many(X, y, [np.arange(len(y))], [])[0]
        return scores

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        return self.entries(X, y, rows, X.shape[1])

    def _paths(self, X: MatrixLike, y: AnyArray, rows: RowLists) -> Iterator[PenaltyPath]:
        """Yield the path of each resample."""
        X = np.asarray(X)  # numba does not accept memory maps
        kind = STANDARD if self.standardise else CENTRE
        for indices in rows:
            numbers, counts = indices.astype(np.int64, copy=False), np.ones(len(indices))
            Z = scale_columns(X, numbers, counts, kind, 0, X.shape[1])
            if not self.standardise:
                Z /= np.abs(Z).max() or 1.0  # keeps squares in range; penalties are relative
            target = y[indices] if y.dtype.kind == "f" else renumber_classes(y[indices])
            yield PenaltyPath(Z, target, self._family(target), self.tolerance)

    def _family(self, y: AnyArray) -> int:
        if self.family != "auto":
            return FAMILIES[self.family]
        if y.dtype.kind == "f":
            return GAUSSIAN
        return LOGISTIC if y.max() == 1 else MULTINOMIAL

    def _check_parameters(self, y: AnyArray) -> None:
        """Raise if a parameter is invalid, or the family does not match the target."""
        family = check_choice(self.family, "family", ("auto", *FAMILIES))
        check_integer(self.n_penalties, "n_penalties", 2)
        for name in ("smallest", "tolerance"):
            check_positive_number(getattr(self, name), name, 1.0)
        is_regression, n_classes = y.dtype.kind == "f", len(np.unique(y))
        if is_regression and family in ("logistic", "multinomial"):
            raise InvalidInputError(
                f"the {family} family needs classes, got numbers; use family='gaussian' or 'auto'."
            )
        if not is_regression and n_classes > 2 and family in ("gaussian", "logistic"):
            raise InvalidInputError(
                f"the {family} family needs two classes, got {n_classes}; "
                "use family='multinomial' or 'auto'."
            )


def warn_unsolved(violation: float, tolerance: float) -> None:
    """Warn if the optimality conditions are violated by more than the tolerance."""
    if violation > tolerance:
        warnings.warn(
            f"a path was not solved to the tolerance {tolerance:g} (violation {violation:.2g}); "
            "features that enter close together may swap ranks. Raise tolerance or smallest.",
            HoldfastWarning,
            stacklevel=3,
        )
