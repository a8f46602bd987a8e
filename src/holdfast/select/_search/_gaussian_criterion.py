"""The compiled criterion for the Gaussian classifier (quadratic discriminant analysis)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

from holdfast._kernels import gaussian as kernels
from holdfast._typing import BoolArray, EstimatorLike, FloatArray, IndexArray
from holdfast.select._search._criterion import Criterion, CriterionSplits, Moves, RefitCriterion

TOO_FEW_SAMPLES = "a training part has a single class, or a class with a single sample"
TOO_MANY_FEATURES = "a class has too few samples for this many features"
SINGULAR = "the covariance of a class is not of full rank"


@dataclass(eq=False)
class GaussianCriterion(Criterion):
    """The accuracy of quadratic discriminant analysis, without a new fit for each subset.

    A covariance that is not of full rank counts as a failed fit, as in scikit-learn since 1.8.
    Earlier versions only warn and fit; with these every subset is refitted.

    Attributes
    ----------
    samples : SplitSamples
        The training and test samples.
    rule : CovarianceRule
        How covariances are estimated.
    exact : RefitCriterion
        Decides the cases that depend on rounding errors, by scikit-learn's implementation.
    """

    samples: kernels.SplitSamples
    rule: kernels.CovarianceRule
    exact: RefitCriterion

    def values_with(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` with each unit added."""
        values = np.where(self._exceeds_capacity(len(base) + np.diff(moves.starts)), -np.inf, 0.0)
        possible = values == 0.0
        if np.any(possible):
            kernels.score_additions(self.samples, self.rule, base, *moves, values)
        if np.any(values[possible] == -np.inf):
            self.failure = SINGULAR
        # NaN: rounding errors could decide; see the kernel
        unclear = np.flatnonzero(np.isnan(values))
        if len(unclear):
            values[unclear] = self.exact.values_with(
                base, Moves.from_units(_take_units(moves, unclear))
            )
            self.failure = self.exact.failure or self.failure
        return values

    def values_without(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` without each unit."""
        sizes = len(base) - np.diff(moves.starts)
        values = np.where(self._exceeds_capacity(sizes), -np.inf, np.nan)
        if len(base) <= self.rule.max_features:
            # the base fits, so do its subsets
            values[:] = 0.0
            places = np.searchsorted(base, moves.features)
            kernels.score_removals(self.samples, self.rule, base, places, moves.starts, values)
        unclear = np.flatnonzero(np.isnan(values))
        if len(unclear):
            subsets = [np.setdiff1d(base, unit) for unit in _take_units(moves, unclear)]
            values[unclear] = self.values_with(base[:0], Moves.from_units(subsets))
        return values

    def _exceeds_capacity(self, sizes: IndexArray) -> BoolArray:
        """Return which sizes are too large for the smallest class."""
        too_large: BoolArray = sizes > self.rule.max_features
        if too_large.any():
            self.failure = TOO_MANY_FEATURES if self.rule.max_features else TOO_FEW_SAMPLES
        return too_large


def _take_units(moves: Moves, which: IndexArray) -> list[IndexArray]:
    return [moves.features[moves.starts[i] : moves.starts[i + 1]] for i in which]


def gaussian_criterion(
    classifier: EstimatorLike, split_data: CriterionSplits, *, balanced: bool, scaled: bool
) -> GaussianCriterion | None:
    """Return the criterion for quadratic discriminant analysis by SVD, None for others."""
    if not _supports_classifier(classifier):
        return None
    counts = np.array(
        [
            np.bincount(split_data.y[train], minlength=split_data.n_classes)
            for train, _ in split_data.splits
        ]
    )
    priors = _prior_probabilities(classifier.priors, counts)
    if priors is None:
        return None
    # With fewer samples than features, a class has fewer singular values than features. With
    # equally many, the lowest one is 0 up to rounding.
    ridge, bound = float(classifier.reg_param), float(classifier.tol)
    possible = ((counts > 0).sum(axis=1) > 1).all() and (counts != 1).all()
    max_features = counts[counts > 0].min() - (bound >= ridge and bound > 0.0) if possible else 0
    rule = kernels.CovarianceRule(ridge, bound, _lost_degrees_of_freedom(), int(max_features))
    samples = _split_samples(split_data, counts, priors, balanced=balanced, scaled=scaled)
    kernels.fill_moments(samples, rule)
    whole = make_pipeline(StandardScaler(), classifier) if scaled else classifier
    return GaussianCriterion(
        samples, rule, RefitCriterion(whole, split_data, _make_scorer(balanced))
    )


def _supports_classifier(classifier: EstimatorLike) -> bool:
    """Return whether all parameters are valid in scikit-learn and supported here."""
    if type(classifier) is not QuadraticDiscriminantAnalysis:
        return False
    # scikit-learn has these parameters since 1.8, which also refuses singular covariances
    required = {"solver": "svd", "shrinkage": None, "covariance_estimator": None}
    if any(getattr(classifier, name, "missing") != value for name, value in required.items()):
        return False
    ridge, bound = classifier.reg_param, classifier.tol
    numbers = isinstance(ridge, Real) and isinstance(bound, Real)
    return numbers and 0.0 <= ridge <= 1.0 and bound >= 0.0


def _prior_probabilities(priors: ArrayLike | None, counts: IndexArray) -> FloatArray | None:
    """Return the prior probabilities of each split; None if a class has none."""
    if priors is None:
        shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
        return shares
    try:
        fixed = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if fixed.shape != counts.shape[1:] or not (counts > 0).all() or not (fixed > 0.0).all():
        return None
    return np.tile(fixed, (len(counts), 1))


@cache
def _lost_degrees_of_freedom() -> int:
    """Return the degrees of freedom that scikit-learn subtracts: 1 in early versions, else 0."""
    fitted = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [0.0], [2.0]], [0, 0, 1, 1])
    # the values 0 and 2 have the squares 2 about their mean: the variance is 2 / divisor
    return 2 - round(2.0 / float(fitted.scalings_[0][0]))


def _split_samples(
    split_data: CriterionSplits,
    counts: IndexArray,
    priors: FloatArray,
    *,
    balanced: bool,
    scaled: bool,
) -> kernels.SplitSamples:
    """Return the data in the layout of the kernels; moments are filled in later."""
    p = split_data.X.shape[1]
    factors = 1.0 / split_data.scales()[1] if scaled else np.ones((len(counts), p))
    train = [rows[np.argsort(split_data.y[rows], kind="stable")] for rows, _ in split_data.splits]
    ends = np.cumsum(counts).reshape(counts.shape)
    test = split_data.test
    with np.errstate(divide="ignore"):  # classes without training samples have the prior 0
        log_priors = np.log(priors)
    moments = np.empty((2, *counts.shape, p))
    return kernels.SplitSamples(
        np.array(split_data.X.T, order="C"),
        factors,
        np.concatenate(train),
        np.column_stack([ends[:, 0] - counts[:, 0], ends]),
        test.rows,
        test.starts,
        split_data.y[test.rows],
        split_data.weights(balanced=balanced),
        log_priors,
        moments[0],
        moments[1],
    )


def _make_scorer(balanced: bool) -> EstimatorLike:
    """Return a scorer that weighs samples, or classes, equally."""

    def score(fitted: EstimatorLike, X: FloatArray, y: IndexArray) -> float:
        weights = compute_sample_weight("balanced" if balanced else None, y)
        return float(accuracy_score(y, fitted.predict(X), sample_weight=weights))

    return score
