"""The criterion for the Gaussian classifier: a class is normal, with a covariance of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

from holdfast._kernels import gaussian as kernels
from holdfast.select._search._criterion import Criterion, Moves, RefitCriterion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.select._search._criterion import CriterionSplits, Features, Values

    Ints = NDArray[np.intp]
    Floats = NDArray[np.float64]


TOO_FEW_SAMPLES = "a training part has a single class, or a class with a single sample"
CROWDED = "a class has too few samples for so many features"
SINGULAR = "the covariance of a class is not of full rank"


@dataclass(eq=False)
class Gaussian(Criterion):
    """The accuracy of quadratic discriminant analysis, without fitting each subset anew.

    A covariance that is not of full rank counts as one that cannot be fitted. scikit-learn has it
    so too, but for early versions, which only warn.

    Attributes
    ----------
    samples : Samples
        What is fitted and tested.
    rule : Rule
        How covariances are estimated.
    exact : Refit
        Settles what rounding errors could decide, by scikit-learn's own.
    """

    samples: kernels.SplitSamples
    rule: kernels.CovarianceRule
    exact: RefitCriterion

    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added."""
        values = np.where(self._crowded(len(base) + np.diff(moves.starts)), -np.inf, 0.0)
        open_ = values == 0.0
        if np.any(open_):
            kernels.score_additions(self.samples, self.rule, base, *moves, values)
        if np.any(values[open_] == -np.inf):
            self.failure = SINGULAR
        unclear = np.flatnonzero(np.isnan(values))
        if len(unclear):
            values[unclear] = self.exact.added(base, Moves.of(_units(moves, unclear)))
            self.failure = self.exact.failure or self.failure
        return values

    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit."""
        sizes = len(base) - np.diff(moves.starts)
        values = np.where(self._crowded(sizes), -np.inf, np.nan)
        if len(base) <= self.rule.room:
            values[:] = 0.0
            places = np.searchsorted(base, moves.features)
            kernels.score_removals(self.samples, self.rule, base, places, moves.starts, values)
        unclear = np.flatnonzero(np.isnan(values))
        if len(unclear):
            left = [np.setdiff1d(base, unit) for unit in _units(moves, unclear)]
            values[unclear] = self.added(base[:0], Moves.of(left))
        return values

    def _crowded(self, sizes: Ints) -> NDArray[np.bool_]:
        """Tell which sizes are too large for the smallest class."""
        crowded: NDArray[np.bool_] = sizes > self.rule.room
        if crowded.any():
            self.failure = CROWDED if self.rule.room else TOO_FEW_SAMPLES
        return crowded


def _units(moves: Moves, which: Ints) -> list[Features]:
    return [moves.features[moves.starts[i] : moves.starts[i + 1]] for i in which]


def gaussian(
    classifier: Any,  # noqa: ANN401
    trials: CriterionSplits,
    *,
    balanced: bool,
    scaled: bool,
) -> Gaussian | None:
    """Return the criterion for quadratic discriminant analysis by singular values, else None."""
    if not _supports_classifier(classifier):
        return None
    counts = np.array(
        [np.bincount(trials.y[train], minlength=trials.n_classes) for train, _ in trials.splits]
    )
    priors = _priors(classifier.priors, counts)
    if priors is None:
        return None
    rule = _rule(float(classifier.reg_param), float(classifier.tol), counts)
    samples = _samples(trials, counts, priors, balanced=balanced, scaled=scaled)
    kernels.fill_moments(samples, rule)
    whole = make_pipeline(StandardScaler(), classifier) if scaled else classifier
    return Gaussian(samples, rule, RefitCriterion(whole, trials, _scorer(balanced)))


def _supports_classifier(classifier: Any) -> bool:  # noqa: ANN401
    """Tell whether all parameters are ones that scikit-learn allows and that are known here."""
    if type(classifier) is not QuadraticDiscriminantAnalysis:
        return False
    given = {
        "solver": "svd",
        "shrinkage": None,
        "covariance_estimator": None,
    }  # not in all versions
    if any(getattr(classifier, name, value) != value for name, value in given.items()):
        return False
    ridge, bound = classifier.reg_param, classifier.tol
    numbers = isinstance(ridge, Real) and isinstance(bound, Real)
    return numbers and 0.0 <= ridge <= 1.0 and bound >= 0.0


def _priors(given: Any, counts: Ints) -> Floats | None:  # noqa: ANN401
    """Return the prior probabilities by split; None if not every class has one of its own."""
    present = counts > 0
    if given is None:
        shares: Floats = counts / counts.sum(axis=1, keepdims=True)
        return shares
    try:
        priors = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if priors.shape != counts.shape[1:] or not present.all() or not (priors > 0.0).all():
        return None
    return np.tile(priors, (len(counts), 1))


def _rule(ridge: float, bound: float, counts: Ints) -> kernels.CovarianceRule:
    """Say how covariances are estimated.

    With fewer samples than features, a class has fewer singular values than features. With as
    many, the lowest one is 0, whatever rounding makes of it.
    """
    possible = ((counts > 0).sum(axis=1) > 1).all() and (counts != 1).all()
    room = counts[counts > 0].min() - (bound >= ridge and bound > 0.0) if possible else 0
    return kernels.CovarianceRule(ridge, bound, _lost_degrees_of_freedom(), int(room))


@cache
def _lost_degrees_of_freedom() -> int:
    """Degrees of freedom that scikit-learn takes off for the mean: 1 in earlier versions."""
    fitted = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [0.0], [2.0]], [0, 0, 1, 1])
    return 2 - round(2.0 / float(fitted.scalings_[0][0]))


def _samples(
    trials: CriterionSplits, counts: Ints, priors: Floats, *, balanced: bool, scaled: bool
) -> kernels.SplitSamples:
    """Put the data in the order of the kernels; moments are still to be filled in."""
    p = trials.X.shape[1]
    factors = 1.0 / trials.scales()[1] if scaled else np.ones((len(counts), p))
    train = [rows[np.argsort(trials.y[rows], kind="stable")] for rows, _ in trials.splits]
    ends = np.cumsum(counts).reshape(counts.shape)
    test = trials.test
    with np.errstate(divide="ignore"):  # of classes that are not there
        log_priors = np.log(priors)
    moments = np.empty((2, *counts.shape, p))
    return kernels.SplitSamples(
        np.array(trials.X.T, order="C"),
        factors,
        np.concatenate(train),
        np.column_stack([ends[:, 0] - counts[:, 0], ends]),
        test.rows,
        test.starts,
        trials.y[test.rows],
        trials.weights(balanced=balanced),
        log_priors,
        moments[0],
        moments[1],
    )


def _scorer(balanced: bool) -> Any:  # noqa: ANN401
    """Return a scorer by which samples, or classes, count alike."""

    def score(fitted: Any, X: Floats, y: Ints) -> float:  # noqa: ANN401
        weights = compute_sample_weight("balanced" if balanced else None, y)
        return float(accuracy_score(y, fitted.predict(X), sample_weight=weights))

    return score
