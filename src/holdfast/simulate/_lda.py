"""Linear discriminant analysis of two classes, also with more features than samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack, solve, svd

from holdfast._typing import BoolArray, FloatArray
from holdfast.errors import InvalidInputError

_MIN_RECIPROCAL_CONDITION = 1e-10
"""Below it the Gram matrix counts as singular and the SVD is used; chosen by hand."""


class LinearRule(NamedTuple):
    """A linear rule: predicts the class at +mu where weighted sum plus offset is above 0.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        The weight of each feature.
    offset : float
        Constant added to the weighted sum.

    Examples
    --------
    >>> from holdfast.simulate import GaussianModel, LinearRule
    >>> rule = LinearRule(weights=[2.0], offset=0.0)
    >>> round(float(GaussianModel([1.0]).linear_error(*rule)), 4)
    0.1587
    """

    weights: FloatArray
    offset: float


def lda(X: ArrayLike, positive: ArrayLike, *, shrinkage: bool = False) -> LinearRule:
    r"""Fit linear discriminant analysis to two equally likely classes.

    .. math:: w = S^+ (\bar x_+ - \bar x_-), \qquad b = -w^\top (\bar x_+ + \bar x_-) / 2

    S is the pooled covariance within classes, with n - 2 degrees of freedom. With more than n - 2
    features, or with linearly dependent features, S is singular and its pseudo-inverse is used;
    with more than n - 2 features no d x d matrix is formed. If all features are constant within
    both classes, the weights are 0.

    The error of this rule is highest where d is near n - 2, as the smallest eigenvalues of S are
    then near 0. With `shrinkage`, S is replaced by :math:`(1 - \delta) S + \delta m I`, where m is
    the mean variance and :math:`\delta` the oracle approximating shrinkage,

    .. math:: \delta = \min\Bigl(1, \frac{\operatorname{tr} S^2 / d^2 + m^2}
              {(n - 1) (\operatorname{tr} S^2 / d^2 - m^2 / d)}\Bigr),

    which minimises the mean squared error for Gaussian data, and needs nothing but S.

    Parameters
    ----------
    X : array-like of shape (n, d)
        One row per sample, at least three.
    positive : array-like of bool of shape (n,)
        Whether each sample is of the class at +mu; both classes must occur.
    shrinkage : bool, default False
        Whether to shrink the covariance matrix, instead of taking its pseudo-inverse.

    Returns
    -------
    LinearRule
        Its exact error in a `GaussianModel` is ``model.linear_error(*rule, features=...)``.

    References
    ----------
    Dernoncourt et al. 2014, section 4.1.

    Y. Chen, A. Wiesel, Y. C. Eldar, A. O. Hero (2010). Shrinkage algorithms for MMSE covariance
    estimation. IEEE Transactions on Signal Processing 58(10), 5016-5029.

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
    within = np.concatenate(
        [_center_by_reflection(*pair) for pair in zip(halves, means, strict=True)]
    )
    difference, freedom = means[0] - means[1], len(within)
    weights = (
        shrunken_weights(within, freedom, difference)
        if shrinkage
        else freedom * _apply_pseudo_inverse(within, difference)
    )
    return LinearRule(weights, float(-weights @ (means[0] + means[1]) / 2))


def _center_by_reflection(X: FloatArray, mean: FloatArray) -> FloatArray:
    """Turn n samples into n - 1 rows with the same scatter matrix around 0.

    A Householder reflection moves the mean into the first row, which is dropped. There are then
    as many rows as degrees of freedom, so that their Gram matrix can be inverted.
    """
    root = np.sqrt(len(X))
    if len(X) == 1:
        return X[:0]
    # a Householder reflection maps the vector of ones to the first
    # axis: the other n - 1 rows hold the deviations from the mean
    shift = (root * mean - X[0]) / (root - 1)
    return np.asarray(X[1:] - shift)


def _apply_pseudo_inverse(within: FloatArray, target: FloatArray) -> FloatArray:
    """Return the pseudo-inverse of within' within, times the target.

    The smaller of the two Gram matrices is inverted: A' (A A')^-2 A is the pseudo-inverse of A' A
    if the rows of A are linearly independent. If it is nearly singular, the slower SVD is used.
    """
    n, d = within.shape
    if not within.size:
        return np.zeros(d)
    if d <= n:
        solved = _solve_positive_definite(within.T @ within, target, times=1)
    else:
        # pinv(W'W) = W' (WW')^-2 W for W of full row rank
        inner = _solve_positive_definite(within @ within.T, within @ target, times=2)
        solved = None if inner is None else within.T @ inner
    if solved is not None:
        return solved
    _, values, right = svd(within, full_matrices=False, check_finite=False)
    nonzero = values > max(within.shape) * np.finfo(np.float64).eps * values[0]
    right = right[nonzero]
    return np.asarray(right.T @ ((right @ target) / values[nonzero] ** 2))


def shrunken_weights(root: FloatArray, freedom: int, difference: FloatArray) -> FloatArray:
    """Return the weights of LDA with a shrunken covariance matrix.

    Parameters
    ----------
    root : ndarray of shape (h, d)
        A root of the scatter matrix within classes: ``root.T @ root`` is the matrix.
    freedom : int
        The degrees of freedom of the scatter matrix.
    difference : ndarray of shape (d,)
        The difference of the class means.
    """
    height, n_features = root.shape
    # both products have the same trace and the same sum of squares; the smaller one is cheaper
    wide = n_features > height
    gram = (root @ root.T if wide else root.T @ root) / freedom
    variance = np.trace(gram) / max(1, n_features)
    if variance == 0:  # nothing varies within the classes
        return np.zeros(n_features)
    share = _oracle_shrinkage(float(np.square(gram).sum()), variance, freedom, n_features)
    ridge = share * variance
    shrunken = (1 - share) * gram
    shrunken[np.diag_indices_from(shrunken)] += ridge
    if not wide:
        return np.asarray(solve(shrunken, difference, assume_a="pos", check_finite=False))
    # Woodbury: (c R'R + a I)^-1 = (I - c R' (c RR' + a I)^-1 R) / a
    inner = solve(shrunken, root @ difference, assume_a="pos", check_finite=False)
    return np.asarray((difference - (1 - share) / freedom * (root.T @ inner)) / ridge)


def _oracle_shrinkage(squares: float, variance: float, n_samples: int, n_features: int) -> float:
    """Return the oracle approximating shrinkage from tr S², the mean variance, n and d."""
    mean_square = squares / n_features**2
    excess = (n_samples + 1) * (mean_square - variance**2 / n_features)
    # S is a multiple of the identity up to rounding: any shrinkage leaves it as it is
    if excess <= np.finfo(np.float64).eps * mean_square:
        return 1.0
    return min(1.0, (mean_square + variance**2) / excess)


def _solve_positive_definite(
    gram: FloatArray, target: FloatArray, *, times: int
) -> FloatArray | None:
    """Multiply by the inverse of `gram`, `times` times; None if `gram` is nearly singular."""
    norm = np.abs(gram).sum(axis=0).max()
    factor, info = lapack.dpotrf(gram)
    if info or lapack.dpocon(factor, norm)[0] < _MIN_RECIPROCAL_CONDITION:
        return None
    for _ in range(times):
        target = lapack.dpotrs(factor, target)[0]
    return target


def _check_training_data(X: ArrayLike, positive: ArrayLike) -> tuple[FloatArray, BoolArray]:
    data, plus = np.asarray(X, dtype=np.float64), np.asarray(positive)
    if data.ndim != 2 or len(data) < 3 or not np.isfinite(data).all():
        raise InvalidInputError(
            "X must be a table of finite numbers with at least three rows; got shape "
            f"{data.shape}" + ("." if np.isfinite(data).all() else " with NaN or infinity.")
        )
    if plus.dtype != np.bool_ or plus.shape != data.shape[:1] or plus.all() or not plus.any():
        raise InvalidInputError(
            f"positive must be {len(data):,} booleans, with both True and False; got "
            f"{plus.dtype} of shape {plus.shape}. Compare labels with the class at +mu, e.g. "
            "y == 'case'."
        )
    return data, plus
