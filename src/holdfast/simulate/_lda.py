"""Linear discriminant analysis of two classes, also of more features than samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import lapack, svd

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_SINGULAR = 1e-10  # reciprocal condition below which the Gram matrix is not trusted


class LinearRule(NamedTuple):
    """The class at +mu where the weighted sum and the offset together are above 0.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        The weight of each feature.
    offset : float
        What is added to the weighted sum.

    Examples
    --------
    >>> from holdfast.simulate import GaussianModel, LinearRule
    >>> rule = LinearRule(weights=[2.0], offset=0.0)
    >>> round(float(GaussianModel([1.0]).linear_error(*rule)), 4)
    0.1587
    """

    weights: NDArray[np.float64]
    offset: float


def lda(X: ArrayLike, positive: ArrayLike) -> LinearRule:
    r"""Fit linear discriminant analysis to two classes that are equally likely.

    .. math:: w = S^+ (\bar x_+ - \bar x_-), \qquad b = -w^\top (\bar x_+ + \bar x_-) / 2

    S is the covariance within classes, pooled with n - 2 degrees of freedom. From n - 2 features
    on (or with features that depend on each other) it has no inverse, and its pseudo-inverse takes
    the place; nothing of size d x d is formed then. Where S says nothing at all (features that are
    constant within both classes) the weights are 0.

    Parameters
    ----------
    X : array-like of shape (n, d)
        One row a sample, at least three.
    positive : array-like of bool of shape (n,)
        Which samples are of the class at +mu; both classes must occur.

    Returns
    -------
    LinearRule
        Its exact error is ``model.linear_error(*rule, features=...)``.

    References
    ----------
    Dernoncourt et al. 2014, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.simulate import GaussianModel, lda
    >>> model = GaussianModel(np.full(5, 0.5))
    >>> X, positive = model.draw(1000, np.random.default_rng(0))
    >>> rule = lda(X, positive)
    >>> bool(0 < model.linear_error(*rule) - model.bayes_error() < 0.002)
    True
    """
    data, plus = _check_training_data(X, positive)
    halves = data[plus], data[~plus]
    means = [half.mean(axis=0) for half in halves]
    within = np.concatenate([_contrasts(*pair) for pair in zip(halves, means, strict=True)])
    weights = len(within) * _solve(within, means[0] - means[1])
    return LinearRule(weights, float(-weights @ (means[0] + means[1]) / 2))


def _contrasts(X: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn n samples into n - 1 rows of the same scatter around 0.

    A Householder reflection moves the mean into the first row, which is left out: the rows are
    then as many as the degrees of freedom, and their Gram matrix can be inverted.
    """
    root = np.sqrt(len(X))
    if len(X) == 1:
        return X[:0]
    shift = (root * mean - X[0]) / (root - 1)
    return np.asarray(X[1:] - shift)


def _solve(within: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pseudo-inverse of within' within, times the target.

    The smaller of the two Gram matrices does it: A' (A A')^-2 A is the pseudo-inverse of A' A
    where the rows of A are independent.
    """
    n, d = within.shape
    if not within.size:
        return np.zeros(d)
    if d <= n:
        solved = _regular(within.T @ within, target, times=1)
    else:
        inner = _regular(within @ within.T, within @ target, times=2)
        solved = None if inner is None else within.T @ inner
    return _by_singular_values(within, target) if solved is None else solved


def _regular(
    gram: NDArray[np.float64], target: NDArray[np.float64], *, times: int
) -> NDArray[np.float64] | None:
    """Solve a system, `times` times over; None where the matrix is nearly singular."""
    norm = np.abs(gram).sum(axis=0).max()
    factor, info = lapack.dpotrf(gram)
    if info or lapack.dpocon(factor, norm)[0] < _SINGULAR:
        return None
    for _ in range(times):
        target = lapack.dpotrs(factor, target)[0]
    return target


def _by_singular_values(
    within: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    _, values, right = svd(within, full_matrices=False, check_finite=False)
    sure = values > max(within.shape) * np.finfo(np.float64).eps * values[0]
    right = right[sure]
    return np.asarray(right.T @ ((right @ target) / values[sure] ** 2))


def _check_training_data(
    X: ArrayLike, positive: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    data, plus = np.asarray(X, dtype=np.float64), np.asarray(positive)
    if data.ndim != 2 or len(data) < 3 or not np.isfinite(data).all():
        raise InvalidInputError(
            "X must be a table of finite numbers with at least three rows; received shape "
            f"{data.shape}" + ("." if np.isfinite(data).all() else " with values that are not.")
        )
    if plus.dtype != np.bool_ or plus.shape != data.shape[:1] or plus.all() or not plus.any():
        raise InvalidInputError(
            f"positive must be {len(data):,} values True or False, both of them; received "
            f"{plus.dtype} of shape {plus.shape}. Compare labels with the class at +mu, as in "
            "y == 'case'."
        )
    return data, plus
