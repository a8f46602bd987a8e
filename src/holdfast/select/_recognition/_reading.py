"""A reading: what an estimator or a function said about the features, in one form."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from holdfast._formatting import format_list, plural
from holdfast._typing import BoolArray, FloatArray, IndexArray, MatrixLike
from holdfast.errors import InvalidInputError

SUBSET, WEIGHTS, RANKING = "subset", "weights", "ranking"
"""The forms of readings."""


class UnreadableSelectorError(InvalidInputError):
    """A fitted estimator has no attribute that says what it selects."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What a fitted estimator, or the output of a function, says about the features.

    Attributes
    ----------
    form : {"subset", "weights", "ranking"}
        A subset of its own size, a weight for each feature, or a ranking of all features.
    source : str
        What was read, such as ``"coef_"``.
    returns : str
        The value of the parameter `returns` that declares this form.
    scores : ndarray of shape (p,)
        The order of the features, higher being better.
    eligible : ndarray of bool, shape (p,)
        The features that may be selected if a size is requested. The others have no order.
    subset : ndarray of bool, shape (p,), or None
        The subset of its own size; None if there is none.
    is_sparse : bool
        Whether the subset consists of the features with a weight other than 0.
    """

    form: str
    source: str
    returns: str
    scores: FloatArray
    eligible: BoolArray
    subset: BoolArray | None = None
    is_sparse: bool = False

    @property
    def n_eligible(self) -> int:
        """Number of features that may be selected if a size is requested."""
        return int(np.count_nonzero(self.eligible))

    def embed(self, columns: IndexArray, n_features: int) -> Reading:
        """Return the reading for all features, of which it has seen these columns.

        Features that it has not seen come last and cannot be selected.
        """
        if len(columns) == n_features and np.array_equal(columns, np.arange(n_features)):
            return self
        lowest = float(self.scores.min(initial=0.0))
        scores = np.full(n_features, lowest - 1.0 if lowest < 0 else 0.0)
        scores[columns] = self.scores
        masks = []
        for mask in (self.eligible, self.subset):
            embedded = np.zeros(n_features, dtype=bool)
            embedded[columns] = False if mask is None else mask
            masks.append(embedded)
        subset = None if self.subset is None else masks[1]
        return replace(self, scores=scores, eligible=masks[0], subset=subset)

    @property
    def summary(self) -> str:
        """The form in words, with numbers of features."""
        total = f"{len(self.scores):,} features"
        if self.subset is not None:
            return f"a subset of {np.count_nonzero(self.subset):,} of {total}"
        if self.form == RANKING:
            return f"a ranking of {total}"
        return f"weights of {total}, {self.n_eligible:,} of them not 0"

    def __str__(self) -> str:
        return f"{self.summary} ({self.source})"


def read_mask(mask: BoolArray, source: str, returns: str) -> Reading:
    """Return the reading of a subset without an order."""
    return Reading(SUBSET, source, returns, mask.astype(np.float64), mask, mask)


def read_order(
    features: IndexArray, n_features: int, source: str, returns: str, *, ordered: bool = True
) -> Reading:
    """Return the reading of a subset given by its features, best first."""
    mask = np.zeros(n_features, dtype=bool)
    mask[features] = True
    if not ordered:
        return read_mask(mask, source, returns)
    scores = np.zeros(n_features)
    scores[features] = np.arange(len(features), 0, -1)
    return Reading(SUBSET, source, returns, scores, mask, mask)


def read_scores(scores: FloatArray, source: str, X: MatrixLike, advice: str = "") -> Reading:
    """Return the reading of one score per feature, in which a weight of 0 is no weight.

    The advice is given if a score is missing.
    """
    clean = replace_missing_scores(scores, X, advice)
    # scores of both signs have no zero weights: 0 is then a score like any other
    eligible = clean > 0 if clean.min(initial=0.0) >= 0 else np.ones(len(clean), dtype=bool)
    return Reading(WEIGHTS, source, "scores", clean, eligible)


def read_ranks(ranks: FloatArray, source: str) -> Reading:
    """Return the reading of one rank per feature, the lowest being the best."""
    return Reading(RANKING, source, "ranking", -ranks, np.ones(len(ranks), dtype=bool))


def replace_missing_scores(scores: FloatArray, X: MatrixLike, advice: str) -> FloatArray:
    """Give constant features without a score the lowest one; replace infinity by large numbers."""
    if np.isfinite(scores).all():
        return scores
    finite = np.nan_to_num(scores)
    missing = np.isnan(scores)
    # a test statistic of a constant feature is 0/0; any other NaN is a fault of the scorer
    not_constant = np.flatnonzero(missing & varying_features(X))
    if not_constant.size:
        raise InvalidInputError(
            f"{plural(not_constant.size, 'feature')} got no score (NaN) although the values "
            f"differ: {format_list(not_constant)}.{advice}"
        )
    finite[missing] = finite[~missing].min(initial=0.0) if missing.all() else finite[~missing].min()
    return finite


def varying_features(X: MatrixLike) -> BoolArray:
    """Return which features have more than one value."""
    if hasattr(X, "toarray"):  # a sparse matrix, which is not made dense
        return np.asarray((X.max(axis=0) - X.min(axis=0)).toarray().ravel() > 0)
    return np.asarray(np.ptp(np.asarray(X), axis=0) > 0)
