"""Features in the order in which they enter linear models as an L1 penalty falls."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

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
from holdfast._validation import check_integer, check_positive_number, one_of
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import present

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows


# The models of one data set as an L1 penalty falls, and the order in which features enter.

NEVER = np.iinfo(np.int32).max
"""The place of a feature that does not enter."""
EXPLAINED = 0.999
"""Share of the deviance past which a path ends: coefficients then grow without bound."""


class Entries(NamedTuple):
    """When features enter: a row a data set, a column a feature.

    `places` is 1 for the feature that enters first and `NEVER` for those that do not; of features
    that enter at the same penalty, the one of the larger coefficient comes first. `penalties` are
    relative to the largest, 0 for those that do not enter.
    """

    places: NDArray[np.int32]
    penalties: Array

    @classmethod
    def none(cls, n_rows: int, n_features: int) -> Entries:
        """Return those of data sets in which nothing has entered yet."""
        shape = n_rows, n_features
        return cls(np.full(shape, NEVER, dtype=np.int32), np.zeros(shape))


class Path:
    """The models of one data set, from the largest penalty on downwards.

    Coefficients have one row, or one a class in the multinomial family. A feature joins those at
    work as soon as its slope exceeds the penalty, and the slopes of all features are looked
    at after every solution: at no penalty is a feature left out that belongs in.
    """

    def __init__(self, Z: Array, y: NDArray[Any], family: int, tolerance: float) -> None:
        self._Z, self._family, self._tolerance = Z, family, tolerance
        self._Y, self._eta = _targets(y, family)
        self._who = np.empty(0, dtype=np.int64)
        self._seen = np.zeros(len(Z), dtype=bool)
        self._null = loss(family, self._Y, self._eta)
        first = residuals(family, self._Y, self._eta)
        self._slopes = _finite(np.array([weights(Z, row) for row in first]) / Z.shape[1])
        self.coefficients: Array = np.zeros((len(first), len(Z)))
        self.largest = float(np.abs(self._slopes).max())
        self.violation = 0.0

    def walk(self, shares: Array) -> Iterator[float]:
        """Go through falling penalties, given as shares of the largest."""
        if self.largest == 0.0:  # no feature varies along with the target
            return
        for share in shares:
            self._solve(float(share) * self.largest)
            yield float(share)
            if loss(self._family, self._Y, self._eta) <= (1.0 - EXPLAINED) * self._null:
                return

    def enter(self, shares: Array, most: int, places: NDArray[np.int32], penalties: Array) -> None:
        """Note when features enter, the first `most` of them, in a row of `Entries`."""
        count = 0
        for share in self.walk(shares):
            sizes = np.abs(self.coefficients).sum(axis=0)
            new = np.flatnonzero((sizes > 0) & (penalties == 0))
            new = new[np.argsort(-sizes[new], kind="stable")[: most - count]]
            places[new] = np.arange(count + 1, count + len(new) + 1)
            penalties[new] = share
            count += len(new)
            if count == most:
                return

    def _solve(self, penalty: float) -> None:
        slack = self._tolerance * penalty
        newcomers = self._newcomers(penalty + slack)
        while True:
            self._admit(newcomers)
            left = solve(
                self._Z, self._Y, self._family, self._who, self.coefficients, self._eta,
                penalty, slack,
            )  # fmt: skip
            self.violation = max(self.violation, left / penalty)
            self._slopes = slopes(self._Z, residuals(self._family, self._Y, self._eta))
            newcomers = self._newcomers(penalty + slack)
            if not len(newcomers):
                return

    def _newcomers(self, limit: float) -> NDArray[np.intp]:
        return np.flatnonzero((np.abs(self._slopes).max(axis=0) > limit) & ~self._seen)

    def _admit(self, newcomers: NDArray[np.intp]) -> None:
        """Let features join; of equal ones the first stands for all."""
        for feature in newcomers:
            self._seen[feature] = True
            if not has_twin(self._Z, self._who, feature):
                self._who = np.append(self._who, feature)


def _targets(y: NDArray[Any], family: int) -> tuple[Array, Array]:
    """Return targets and the predictors of the model without features, one row a class."""
    if family == GAUSSIAN:
        target = _unit(y)
        target = _unit(target - target.mean())[None]
        return target, np.zeros_like(target)
    first = 1 if family == LOGISTIC else 0
    target = np.array([y == code for code in range(first, y.max() + 1)], dtype=np.float64)
    odds = target.mean(axis=1, keepdims=True)
    if family == LOGISTIC:
        odds /= 1.0 - odds
    return target, np.repeat(np.log(odds), len(y), axis=1)


def _unit(y: Array) -> Array:
    """Bring numbers into -1..1, so that no sum leaves their range; penalties are relative."""
    return y / (np.abs(y).max() or 1.0)


def _finite(slopes: Array) -> Array:
    if not np.isfinite(slopes).all():
        raise InvalidInputError(
            "X holds values too large or too close together for a path: their widths leave "
            "the range of floating-point numbers. Rescale the features first."
        )
    return slopes


# Features in the order in which they enter linear models as an L1 penalty falls.

FAMILIES = {"gaussian": GAUSSIAN, "logistic": LOGISTIC, "multinomial": MULTINOMIAL}


@selector(
    name="l1_path",
    title="Order of entry on the lasso path",
    references=("tibshirani1996", "friedman2010"),
)
class L1Path(Scorer):
    r"""Score features by how early they enter a linear model whose L1 penalty falls.

    .. math:: \hat\beta(\lambda) = \arg\min_{\beta, \beta_0} \frac{1}{n} \sum_i
              \ell(y_i, \beta_0 + x_i^\top \beta) + \lambda \lVert \beta \rVert_1,
              \qquad s_j = \max \{\lambda : \hat\beta_j(\lambda) \ne 0\} \,/\, \lambda_{\max}

    The loss is minus the log-likelihood of a logistic model for two classes and of a
    multinomial one (softmax, one row of coefficients a class) for more; a feature is in when any
    class has a coefficient other than 0. Offsets are not penalised. :math:`\lambda_{\max}` is
    the smallest penalty at which no feature is in. Penalties fall in equal ratios from there;
    :math:`s_j` is that of the first model on this grid that the feature is in, and 0 if it
    enters none. Scores lie in 0..1.

    Parameters
    ----------
    family : {"auto", "gaussian", "logistic", "multinomial"}, default "auto"
        The model. "auto" is logistic for two classes, multinomial for more, and gaussian (the
        lasso) for regression in :class:`StabilitySelection`. "gaussian" on two classes predicts
        0 and 1 by least squares.
    n_penalties : int, default 100
        Length of the grid of penalties, the largest included.
    smallest : float, default 0.01
        The last penalty, as a share of the largest. Where there are far more samples than
        features, a smaller one lets more features in.
    standardise : bool, default True
        Whether features are brought to unit variance, in each resample anew. They are always
        centred.
    tolerance : float, default 1e-7
        Largest violation of the optimality conditions, as a share of the penalty.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores: those that enter at the same penalty of
        the grid, and those that never enter.

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

    Coefficients at the end of the path do not decide between features that enter together: with
    more features than samples the end of the path is where the model fits anything, and the
    features that are best by then are not those that were found first.

    A path ends early when the model explains 99.9 % of the deviance, as it will where a
    hyperplane separates the classes. There are never more features in a model than samples
    (times classes), so with many features most of them share the score 0; so do constant ones.
    Of features that are equal, or each other's negative or multiple, the first enters and stands
    for all. (Without standardising the one of the largest variance does.)

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

    def entries(self, X: Any, y: NDArray[Any], rows: Rows, most: int) -> Array:  # noqa: ANN401
        """Return the relative penalty at which each feature enters on each of many resamples.

        Parameters
        ----------
        X, y, rows, most
            As for `entered`.

        Returns
        -------
        array of shape (len(rows), p)
            Penalties as shares of the largest one of the resample; 0 for features that do not
            enter.
        """
        return self.entered(X, y, rows, most).penalties

    def entered(self, X: Any, y: NDArray[Any], rows: Rows, most: int) -> Entries:  # noqa: ANN401
        """Return in which order, and at which penalties, features enter on each resample.

        Parameters
        ----------
        X : array of shape (n, p)
            Finite data, samples in rows.
        y : array of shape (n,)
            Class numbers (whole), or the values of a regression (floating-point).
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times.
        most : int
            Each path ends when so many features have entered. Where the last penalty lets in
            more than there is room for, those with the largest absolute coefficients there
            are kept (summed over classes; of equal ones the first). So no path yields more than
            `most` features, as the error bounds of stability selection demand, and a larger
            `most` only adds features.

        Returns
        -------
        Entries
            One row a resample.
        """
        self._check(y)
        check_integer(most, "most", 1)
        shares, worst = self.shares(), 0.0
        entries = Entries.none(len(rows), X.shape[1])
        for path, places, penalties in zip(self._paths(X, y, rows), *entries, strict=True):
            path.enter(shares, most, places, penalties)
            worst = max(worst, path.violation)
        _tell_unsolved(worst, self.tolerance)
        return entries

    def shares(self) -> Array:
        """Return the grid of penalties below the largest, as shares of it, falling."""
        steps = np.arange(1, self.n_penalties) / (self.n_penalties - 1)
        return np.asarray(float(self.smallest) ** steps)

    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401, ARG002
        scores: Array = self._score_many(X, y, [np.arange(len(y))], [])[0]
        return scores

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],  # noqa: ARG002
    ) -> Array:
        return self.entries(X, y, rows, X.shape[1])

    def _paths(self, X: Any, y: NDArray[Any], rows: Rows) -> Iterator[Path]:  # noqa: ANN401
        X = np.asarray(X)  # kernels do not know memory maps
        kind = STANDARD if self.standardise else CENTRE
        for own in rows:
            numbers, counts = own.astype(np.int64, copy=False), np.ones(len(own))
            Z = scale_columns(X, numbers, counts, kind, 0, X.shape[1])
            if not self.standardise:
                Z /= np.abs(Z).max() or 1.0  # penalties are relative; squares stay in range
            target = y[own] if y.dtype.kind == "f" else present(y[own])
            yield Path(Z, target, self._family(target), self.tolerance)

    def _family(self, y: NDArray[Any]) -> int:
        if self.family != "auto":
            return FAMILIES[self.family]
        if y.dtype.kind == "f":
            return GAUSSIAN
        return LOGISTIC if y.max() == 1 else MULTINOMIAL

    def _check(self, y: NDArray[Any]) -> None:
        """Refuse wrong settings, and a family that does not fit the target."""
        one_of(self.family, "family", ("auto", *FAMILIES))
        check_integer(self.n_penalties, "n_penalties", 2)
        for name in ("smallest", "tolerance"):
            check_positive_number(getattr(self, name), name, 1.0)
        _check_target(self.family, y)


def _check_target(family: str, y: NDArray[Any]) -> None:
    numbers, classes = y.dtype.kind == "f", len(np.unique(y))
    if numbers and family in ("logistic", "multinomial"):
        raise InvalidInputError(
            f"the {family} family needs classes, got numbers; use family='gaussian' or 'auto'."
        )
    if not numbers and classes > 2 and family in ("gaussian", "logistic"):
        raise InvalidInputError(
            f"the {family} family tells two classes apart, got {classes}; "
            "use family='multinomial' or 'auto'."
        )


def _tell_unsolved(violation: float, tolerance: float) -> None:
    if violation > tolerance:
        warnings.warn(
            f"a path was not solved to the tolerance {tolerance:g} (violation {violation:.2g}); "
            "features of close entries may change places. Raise tolerance or smallest.",
            HoldfastWarning,
            stacklevel=3,
        )
