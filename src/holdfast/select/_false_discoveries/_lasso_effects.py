"""Coefficients of linear models with an L1 penalty on class indicators, and their refit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels.svm_elimination import STANDARD, scale_columns
from holdfast._typing import AnyArray, FloatArray, IndexArray, RowLists
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.select._false_discoveries._mirror_statistics import HalfEffects
from holdfast.select._l1_path import L1Path

SHARE_OF_HALF = 1 / 4
"""Features of a lasso model as a share of the samples of a half, if no number is given: chosen by
hand, such that a refit by least squares has four samples per coefficient."""


def class_indicators(y: IndexArray) -> FloatArray:
    """Return one row per class, 1 for its samples and 0 for others; one row for two classes."""
    classes = np.unique(y)
    return np.array([y == k for k in classes[1 if len(classes) == 2 else 0 :]], dtype=np.float64)


def check_max_features(max_features: int | None, n_samples: int, share: float) -> int:
    """Return how many features a lasso model may have, at most two less than its samples.

    Parameters
    ----------
    max_features : int or None
        The parameter.
    n_samples : int
        Number of samples that the model is fitted to.
    share : float
        The number of features without the parameter, as a share of the samples.
    """
    if max_features is None:
        return max(1, math.floor(share * n_samples))
    count = check_integer(max_features, "max_features", 1)
    if count > n_samples - 2:
        raise InvalidInputError(
            f"max_features must leave samples to estimate coefficients: at most {n_samples - 2:,} "
            f"with {n_samples:,} samples; got {count:,}."
        )
    return count


def lasso_coefficients(
    X: AnyArray, targets: FloatArray, rows: NDArray[np.integer], max_features: int
) -> FloatArray:
    """Return the largest models on the lasso path with at most this many features.

    Features have unit variance within the rows. The penalty does not depend on the order of the
    features, nor on the signs of their values.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data.
    targets : ndarray of shape (c, n)
        Numbers to regress on; each has a path.
    rows : ndarray of int
        The rows that the models are fitted to.
    max_features : int
        Largest number of features of each model.

    Returns
    -------
    ndarray of shape (c, p)
        Coefficients in units of the targets; all 0 where the first step of the path already has
        more features.
    """
    coefficients = np.zeros((len(targets), X.shape[1]))
    lasso = L1Path()
    for number, target in enumerate(targets):
        (path,) = lasso._paths(X, target, [rows.astype(np.intp, copy=False)])
        for _ in path.solve_path(lasso.shares()):
            if np.count_nonzero(path.coefficients) > max_features:
                break
            coefficients[number] = path.coefficients[0]
        # paths are fitted to targets between -1 and 1
        coefficients[number] *= np.abs(target[rows] - target[rows].mean()).max()
    return coefficients


def refit(
    X: AnyArray, targets: FloatArray, rows: NDArray[np.integer], features: IndexArray
) -> FloatArray:
    """Return least-squares coefficients of some features, all others 0.

    Parameters
    ----------
    X, targets, rows
        As in `lasso_coefficients`.
    features : ndarray of int
        The features of the model; of dependent ones the shortest solution is returned.

    Returns
    -------
    ndarray of shape (c, p)
        Coefficients for features of unit variance within the rows.
    """
    Z = scale_columns(
        np.ascontiguousarray(X[np.ix_(rows, features)]),
        np.arange(len(rows)), np.ones(len(rows)), STANDARD, 0, len(features),
    )  # fmt: skip
    centred = targets[:, rows] - targets[:, rows].mean(axis=1, keepdims=True)
    coefficients = np.zeros((len(targets), X.shape[1]))
    coefficients[:, features] = np.linalg.lstsq(Z.T, centred.T, rcond=None)[0].T
    return coefficients


def lasso_effects(
    X: AnyArray, y: IndexArray, halves: RowLists, max_features: int | None
) -> HalfEffects:
    """Return lasso coefficients on first halves, and least squares on second halves.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data.
    y : ndarray of int, shape (n,)
        The classes, numbered from 0.
    halves : sequence of ndarray of int
        The rows of the first half, the second half of each split, in this order.
    max_features : int or None
        Largest number of features of a model; None: a quarter of the samples of a half.
    """
    splits = list(zip(halves[::2], halves[1::2], strict=True))
    effects = HalfEffects(*np.zeros((3, len(splits), X.shape[1])))
    targets = class_indicators(y)
    for agreement, first, second, (one, other) in zip(*effects, splits, strict=True):
        least = min(len(one), len(other))
        # models of several classes share the number of features
        count = max(1, check_max_features(max_features, least, SHARE_OF_HALF) // len(targets))
        selected = lasso_coefficients(X, targets, one, count)
        fitted = refit(X, targets, other, np.flatnonzero(selected.any(axis=0)))
        agreement[:] = (selected * fitted).sum(axis=0)
        first[:] = np.sqrt(np.square(selected).sum(axis=0))
        second[:] = np.sqrt(np.square(fitted).sum(axis=0))
    return effects
