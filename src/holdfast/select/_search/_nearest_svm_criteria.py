"""Compiled criteria for k nearest neighbours and for support vector machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from holdfast._kernels.nearest_neighbors import NeighborData
from holdfast._kernels.nearest_neighbors import score_units as score_neighbor_units
from holdfast._kernels.svm import LINEAR
from holdfast._kernels.svm import score_units as score_svm_units
from holdfast._typing import EstimatorLike, FloatArray, IndexArray
from holdfast.select._search._criterion import Criterion, CriterionSplits, Moves, SplitIndices


def nearest_neighbor_criterion(
    classifier: EstimatorLike, split_data: CriterionSplits, *, balanced: bool, scaled: bool
) -> Criterion | None:
    """Return the criterion for k nearest neighbours (Euclidean, equal votes), None for others."""
    if not _supports_classifier(classifier, min(len(train) for train, _ in split_data.splits)):
        return None
    weights = np.ones((len(split_data.splits), split_data.X.shape[1]))
    if scaled:
        # scaling a feature by its deviation multiplies its squared differences
        weights = 1.0 / split_data.scales()[1] ** 2
    return NearestNeighborCriterion(
        int(classifier.n_neighbors), split_data, split_data.weights(balanced=balanced), weights
    )


def _supports_classifier(classifier: EstimatorLike, smallest: int) -> bool:
    """Return whether the criterion gives the same predictions as the classifier."""
    if type(classifier) is not KNeighborsClassifier or classifier.metric_params is not None:
        return False
    k, metric = classifier.n_neighbors, (classifier.metric, classifier.p)
    euclidean = metric[0] == "euclidean" or metric == ("minkowski", 2)
    # scikit-learn raises for k above the training rows; the refitting criterion reports that
    counted = isinstance(k, int | np.integer) and 1 <= int(k) <= smallest
    return euclidean and counted and classifier.weights in ("uniform", None)


class NearestNeighborCriterion(Criterion):
    """The accuracy of k nearest neighbours, averaged over the splits.

    Squared distances are updated by one unit of features at a time. Among classes with equal
    votes the lowest wins, as in scikit-learn. Of training rows at equal distance the earlier one
    is nearer; scikit-learn's choice depends on its tree, or on the order in its heap.

    Parameters
    ----------
    k : int
        Number of neighbours.
    split_data : CriterionSplits
        The data and the splits.
    prediction_weights : ndarray
        The weight of a correct prediction, for each test row of all splits.
    weights : ndarray of shape (splits, p)
        Factors of the squared differences of each feature, in each split.
    """

    def __init__(
        self,
        k: int,
        split_data: CriterionSplits,
        prediction_weights: FloatArray,
        weights: FloatArray,
    ) -> None:
        X = np.ascontiguousarray(split_data.X)
        lows, highs = X.min(axis=0), X.max(axis=0)
        self._data = NeighborData(X, split_data.y, lows, highs, split_data.n_classes, k)
        self._splits = (weights, *split_data.train, *split_data.test, prediction_weights)

    def values_with(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` with each unit added."""
        return self._values(base, moves, 1.0)

    def values_without(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` without each unit."""
        return self._values(base, moves, -1.0)

    def _values(self, base: IndexArray, moves: Moves, sign: float) -> FloatArray:
        return score_neighbor_units(self._data, *self._splits, base, *moves, sign)


# Support vector machines: each is solved starting from the solution of a neighbouring subset.

SUPPORTED_SVM_PARAMETERS: dict[str, tuple[Any, ...]] = {
    "kernel": ("linear", "rbf"),
    "class_weight": (None,),  # with "balanced", LIBSVM's offset can depend on rounding errors
    "probability": (False, "deprecated"),
    "break_ties": (False,),
    "max_iter": (-1,),
}
MAX_TRAINING_ROWS = 3000
"""Largest training part: Gram matrices of 72 MB are kept."""
MAX_CANCELLATION = 1e5
"""Ratio of the squares of the base to those left above which subtracting loses too many digits:
5 of 16 are lost at most; chosen by hand."""


def svm_criterion(
    classifier: EstimatorLike, split_data: CriterionSplits, *, balanced: bool, scaled: bool
) -> Criterion | None:
    """Return the criterion for a linear or RBF SVM, None for others."""
    if type(classifier) is not SVC or not _supports_svm(classifier):
        return None
    for train, _ in split_data.splits:
        if len(train) > MAX_TRAINING_ROWS or len(np.unique(split_data.y[train])) < 2:
            return None
    return SVMCriterion.from_classifier(classifier, split_data, balanced=balanced, scaled=scaled)


def _supports_svm(classifier: SVC) -> bool:
    """Return whether the kernel supports all parameters of the SVM."""
    parameters = classifier.get_params()
    return (
        all(
            parameters.get(name, values[0]) in values
            for name, values in SUPPORTED_SVM_PARAMETERS.items()
        )
        and (parameters["gamma"] in ("scale", "auto") or _is_positive(parameters["gamma"]))
        and _is_positive(parameters["C"])
    )


def _is_positive(value: object) -> bool:
    return isinstance(value, Real) and 0.0 < float(value) < np.inf


@dataclass(frozen=True, eq=False)
class SVMCriterion(Criterion):
    """The accuracy of SVMs, one for each pair of classes, which vote.

    Attributes
    ----------
    gamma : float or str
        As in SVC, or `LINEAR`.
    score_units : callable
        The kernel, with the data and the splits bound.
    centres, variances, peaks : ndarray of shape (n_splits, n_features)
        Mean and variance of each (scaled) feature in the training part, and its largest square in
        all rows.
    """

    gamma: Any
    score_units: Callable[..., FloatArray]
    centres: FloatArray
    variances: FloatArray
    peaks: FloatArray

    @classmethod
    def from_classifier(
        cls, classifier: SVC, split_data: CriterionSplits, *, balanced: bool, scaled: bool
    ) -> SVMCriterion:
        """Prepare everything that does not depend on subsets."""
        means, widths = split_data.scales()
        if not scaled:
            widths = np.ones_like(widths)
        parts = [train for train, _ in split_data.splits]
        by_class = [train[np.argsort(split_data.y[train], kind="stable")] for train in parts]
        rows = (
            *SplitIndices.from_parts(by_class),
            *split_data.test,
            split_data.weights(balanced=balanced),
        )
        # exactly 0 for constant features, whose computed variance may be a rounding error
        varies = [np.ptp(split_data.X[train], axis=0) > 0.0 for train in parts]
        variances = np.where(varies, [split_data.X[train].var(axis=0) for train in parts], 0.0)
        # a shift of the data does not change an SVM, and centred data lose fewer digits
        data = (np.ascontiguousarray(split_data.X.T), split_data.y, *rows, means, widths)
        extremes = np.maximum(split_data.X.max(axis=0) - means, means - split_data.X.min(axis=0))
        return cls(
            gamma=LINEAR if classifier.kernel == "linear" else classifier.gamma,
            score_units=partial(score_svm_units, *data, float(classifier.C)),
            centres=np.zeros_like(means) if scaled else means,
            variances=variances / widths**2,
            peaks=(extremes / widths) ** 2,
        )

    def values_with(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` with each unit added."""
        return self._values(base, moves, [np.union1d(base, unit) for unit in moves.units], 1.0)

    def values_without(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` without each unit.

        If a subtraction would cancel, the remaining features are summed up from scratch.
        """
        subsets = [np.setdiff1d(base, unit) for unit in moves.units]
        rebuild = np.array([self._loses_digits(base, subset) for subset in subsets], dtype=bool)
        values = np.empty(len(subsets))
        for which, start, units, sign in (
            (np.flatnonzero(rebuild), base[:0], subsets, 1.0),
            (np.flatnonzero(~rebuild), base, moves.units, -1.0),
        ):
            if len(which) > 0:
                part = Moves.from_units([units[i] for i in which])
                values[which] = self._values(start, part, [subsets[i] for i in which], sign)
        return values

    def _loses_digits(self, base: IndexArray, left: IndexArray) -> bool:
        """Return whether rounding errors of the sums over the base could show in the rest."""
        whole, rest = self.peaks[:, base].sum(axis=1), self.variances[:, left].sum(axis=1)
        return bool(np.any(whole > MAX_CANCELLATION * rest))

    def _values(
        self, base: IndexArray, moves: Moves, subsets: list[IndexArray], sign: float
    ) -> FloatArray:
        gammas = np.array([self._split_gammas(subset) for subset in (base, *subsets)]).T
        return self.score_units(base, *moves, sign, np.ascontiguousarray(gammas))

    def _split_gammas(self, subset: IndexArray) -> FloatArray:
        """Return the gamma of each split; with no features its value does not matter."""
        if self.gamma == "scale" and len(subset) > 0:
            # 1 / (number of features * variance of all entries), as in scikit-learn; the variance
            # is that within features plus that between their means
            centres = self.centres[:, subset]
            between = (centres - centres.mean(axis=1, keepdims=True)) ** 2
            variance = (self.variances[:, subset] + between).mean(axis=1)
            return 1.0 / np.where(variance > 0.0, len(subset) * variance, 1.0)
        gamma = 1.0 / max(len(subset), 1) if isinstance(self.gamma, str) else self.gamma
        return np.full(len(self.centres), float(gamma))
