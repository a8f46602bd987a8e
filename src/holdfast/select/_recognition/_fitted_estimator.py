"""A fitted estimator: its support, coefficients, importances or ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_outlier_detector
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from holdfast._typing import AnyArray, BoolArray, EstimatorLike, FloatArray, MatrixLike
from holdfast.select._recognition._expected_form import is_sparse_model
from holdfast.select._recognition._reading import (
    SUBSET,
    Reading,
    UnreadableSelectorError,
    read_mask,
    read_ranks,
    read_scores,
    varying_features,
)

ATTRIBUTES = ("get_support()", "support_", "coef_", "feature_importances_", "ranking_", "scores_")
"""What is looked for, in this order."""


class FoundWeights(NamedTuple):
    """Weights of a fitted estimator, by the attribute that holds them."""

    values: FloatArray
    source: str
    is_sparse: bool
    """Whether a weight of 0 means that the model leaves the feature out."""


def read_fitted(fitted: EstimatorLike, X: MatrixLike, returns: str | None = None) -> Reading:
    """Return the reading of a fitted estimator.

    Parameters
    ----------
    fitted : estimator
        A fitted estimator that is neither a pipeline nor a search.
    X : array or sparse matrix of shape (n, p)
        The data that it was fitted to.
    returns : {"scores", "ranking", "subset"}, optional
        The form it is declared to give; None takes the first that it has.
    """
    if _describes_samples(fitted):
        raise UnreadableSelectorError(
            f"{type(fitted).__name__} finds outliers or estimates a covariance: a mask of it is "
            "one of samples, so it selects no features that can be read. Give a selector of "
            "features, or a function f(X, y) that returns scores."
        )
    reading = _read_subset(fitted, X, returns) if returns in (None, "subset") else None
    if reading is None and returns != "subset":
        reading = _read_all_features(fitted, X, returns)
    if reading is not None:
        return reading
    support = np.asarray(getattr(fitted, "support_", None))
    no_mask = ""
    if support.shape == (X.shape[1],) and support.dtype != bool:
        no_mask = " Its support_ is not a mask of truth values (bool)."
    declared = "" if returns is None else f" that returns={returns!r} stands for"
    raise UnreadableSelectorError(
        f"{type(fitted).__name__} has none of {', '.join(ATTRIBUTES)}{declared} with one entry per "
        f"feature, so it selects nothing that can be read.{no_mask} Give a function "
        "f(X, y) that returns scores, such as permutation importances."
    )


def _describes_samples(fitted: EstimatorLike) -> bool:
    """Return whether an estimator detects outliers, or estimates a covariance without them."""
    if callable(getattr(fitted, "get_support", None)):
        return False
    if hasattr(fitted, "support_") and (
        hasattr(fitted, "location_") or hasattr(fitted, "covariance_")
    ):
        return True
    try:
        return bool(is_outlier_detector(fitted))
    except (AttributeError, TypeError):  # estimators of other packages may have no tags
        return False


def _read_subset(fitted: EstimatorLike, X: MatrixLike, returns: str | None) -> Reading | None:
    """Return the reading of a subset of its own size; None if the estimator has none."""
    support = find_support(fitted, X.shape[1])
    if support is not None:
        return _read_support(fitted, support, X)
    weights = find_weights(fitted, X)
    if weights is None or not (weights.is_sparse or returns == "subset"):
        return None
    reading = read_scores(weights.values, weights.source, X)
    return replace(
        reading,
        form=SUBSET,
        source=f"{weights.source}, the features with a weight other than 0",
        returns="subset",
        subset=reading.eligible,
        is_sparse=True,
    )


def _read_all_features(fitted: EstimatorLike, X: MatrixLike, returns: str | None) -> Reading | None:
    """Return the reading of weights or of a ranking; None if the estimator has neither."""
    scores = _numbers(fitted, "scores_", X.shape[1])
    ranks = _numbers(fitted, "ranking_", X.shape[1])
    weights = find_weights(fitted, X)
    if returns == "scores" and scores is not None:
        return read_scores(scores, "scores_", X)
    if returns != "ranking" and weights is not None:
        return read_scores(weights.values, weights.source, X)
    if returns != "scores" and ranks is not None:
        return read_ranks(ranks, "ranking_, 1 the best")
    return None if returns == "ranking" or scores is None else read_scores(scores, "scores_", X)


def find_support(fitted: EstimatorLike, n_features: int) -> BoolArray | None:
    """Return the mask of the features that an estimator selected; None if it selects none."""
    if callable(getattr(fitted, "get_support", None)):
        mask = np.asarray(fitted.get_support())
        if mask.shape == (n_features,) and mask.dtype.kind in "biu":
            return mask.astype(bool)
    # other estimators have indices of samples, as support vectors, under this name
    mask = np.asarray(getattr(fitted, "support_", None))
    return mask if mask.dtype == bool and mask.shape == (n_features,) else None


def find_weights(fitted: EstimatorLike, X: MatrixLike) -> FoundWeights | None:
    """Return coefficients, summed over classes without signs, or importances; None without any."""
    if isinstance(fitted, OneVsRestClassifier | OneVsOneClassifier):
        return _sum_weights([find_weights(one, X) for one in fitted.estimators_])
    n_features = X.shape[1]
    table = _find_coefficients(fitted, n_features)
    if table is not None:
        # signs depend on the coding of the classes, sizes do not
        values = np.abs(table).sum(axis=0)
        absent = bool(np.any((values == 0) & varying_features(X)))
        return FoundWeights(values, "coef_", absent or is_sparse_model(fitted))
    importances = _numbers(fitted, "feature_importances_", n_features)
    if importances is None:
        return None
    return FoundWeights(importances, "feature_importances_", is_sparse=False)


IMPORTANCE_TOLERANCE = 1e-3
"""Relative difference up to which importances are multiples of coefficients; chosen by hand, as
XGBoost rounds importances to 32 bits."""


def _find_coefficients(fitted: EstimatorLike, n_features: int) -> FloatArray | None:
    """Return ``coef_`` with one row per class, or a single row; None if it has another form.

    Columns are features in scikit-learn. Other packages also store one row per feature, and
    XGBoost's linear boosters give the weights of three or more classes feature by feature, but cut
    into rows as if they came class by class. These have importances of one row per feature, which
    show the order.
    """
    coefficients = getattr(fitted, "coef_", None)
    if coefficients is None:
        return None
    table = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
    table = np.asarray(table, dtype=np.float64)
    importances = np.asarray(getattr(fitted, "feature_importances_", None))
    by_feature = importances.ndim == 2 and importances.dtype.kind in "iuf"
    if by_feature and len(importances) == n_features and table.size == importances.size:
        return _order_coefficients(fitted, table, importances.astype(np.float64))
    table = np.atleast_2d(table)
    n_classes = len(np.atleast_1d(getattr(fitted, "classes_", ())))
    if table.shape == (n_features, 1) or (
        table.shape == (n_features, n_classes) and n_classes != n_features
    ):
        table = table.T
    if table.ndim == 2 and table.shape[1] == n_features:
        return table
    if n_features > 0 and table.shape == (1, n_features * n_classes) and n_classes > 1:
        raise UnreadableSelectorError(
            f"coef_ of {type(fitted).__name__} holds the weights of {n_features:,} features and "
            f"{n_classes:,} classes in one row: which weight belongs to which feature is not "
            "known. Give a function f(X, y) that returns one score per feature."
        )
    return None


def _order_coefficients(
    fitted: EstimatorLike, table: FloatArray, importances: FloatArray
) -> FloatArray:
    """Return coefficients with features in columns, in the order that importances show."""
    n_features, n_rows = importances.shape
    flat = table.ravel()
    for candidate in (flat.reshape(n_rows, n_features), flat.reshape(n_features, n_rows).T):
        if _are_multiples(candidate.T, importances):
            return candidate
    raise UnreadableSelectorError(
        f"coef_ of {type(fitted).__name__} contradicts its feature_importances_, which have one "
        "row per feature: which weight belongs to which feature is not known. Give a function "
        "f(X, y) that returns one score per feature."
    )


def _are_multiples(values: FloatArray, others: FloatArray) -> bool:
    """Return whether two tables are equal up to a factor, signs included or not."""
    values, others = np.abs(values), np.abs(others)
    if not values.any():
        return True
    scaled = others * (values.max() / others.max()) if others.any() else others
    return np.allclose(values, scaled, rtol=0, atol=IMPORTANCE_TOLERANCE * values.max())


def _sum_weights(parts: list[FoundWeights | None]) -> FoundWeights | None:
    """Return the weights of one model per class, summed."""
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts):
        return None
    values = np.sum([part.values for part in found], axis=0)
    is_sparse = all(part.is_sparse for part in found)
    return FoundWeights(values, f"{found[0].source} of one model per class", is_sparse)


def _numbers(fitted: EstimatorLike, attribute: str, n_features: int) -> FloatArray | None:
    """Return an attribute with one number per feature; None if it is not like this."""
    stored: Any = getattr(fitted, attribute, None)
    if stored is None or isinstance(stored, dict):  # LogisticRegressionCV has one
        return None
    values: AnyArray = np.asarray(stored)
    is_vector = values.shape == (n_features,) and values.dtype.kind in "iuf"
    return values.astype(np.float64) if is_vector else None


def _read_support(fitted: EstimatorLike, support: BoolArray, X: MatrixLike) -> Reading:
    """Return the reading of a selected subset, with the order of the features if there is one."""
    name = "get_support()" if hasattr(fitted, "get_support") else "support_"
    order = _read_order_of_selector(fitted, X)
    if order is None:
        return read_mask(support, name, "subset")
    source = f"{name}; ordered by {order.source}"
    return replace(order, form=SUBSET, source=source, returns="subset", subset=support)


def _read_order_of_selector(fitted: EstimatorLike, X: MatrixLike) -> Reading | None:
    """Return the order in which a selector would select another number of features."""
    scores = _numbers(fitted, "scores_", X.shape[1])
    if scores is not None:
        return read_scores(scores, "scores_", X)
    weights, source = find_weights(fitted, X), ""
    if weights is None:
        ranks = _numbers(fitted, "ranking_", X.shape[1])
        if ranks is not None:
            return read_ranks(ranks, "ranking_")
        # the model inside, as of SelectFromModel
        model = getattr(fitted, "estimator_", None)
        weights = None if model is None else find_weights(model, X)
        source = "" if model is None else f" of {type(model).__name__}"
    if weights is None:
        return None
    return read_scores(weights.values, f"{weights.source}{source}", X)
