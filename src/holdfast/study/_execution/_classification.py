"""Classify the test part of a resample by nested selections of features, scaled once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn import config_context
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from holdfast._classifiers import CLASSIFIERS, classification_steps, median_imputer
from holdfast._kernels.nested_subsets import LINEAR, count_nested_votes, nested_decisions
from holdfast._typing import AnyArray, EstimatorLike, FloatArray, IndexArray
from holdfast.errors import InvalidInputError
from holdfast.select import TrainingPart, has_many_samples, linear_svm_decisions
from holdfast.study._planning._sample_weights import classification_weights

MAX_DISTANCES = 4_000_000
"""Largest table of distances or products in memory, 32 MB. Larger tables of distances to neighbours
are processed in parts; SVMs that need more products are left to scikit-learn."""
MAX_DECISIONS = 2_000
"""Largest number of decisions between two classes; chosen: of more, some are probably in doubt."""
DECIDE_BY_SCORE = (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RandomForestClassifier,
)
"""Classifiers that predict the class with the highest score, so that scores are enough."""


class Prediction(NamedTuple):
    """Labels of the test part and its scores, None if the classifier has none.

    Scores have one column for two classes (higher means class 1), else one column per class; a
    class that the training part lacks gets the lowest score.
    """

    labels: IndexArray
    scores: FloatArray | None


PredictionsByCount: TypeAlias = dict[int, Prediction]
"""The predictions by the first features, by how many there are."""


@dataclass(frozen=True, eq=False)
class ScaledSplit:
    """A training and a test part, scaled by the training part; the best feature comes first."""

    train: AnyArray
    y: IndexArray
    test: AnyArray
    n_classes: int

    @classmethod
    def make(
        cls, train: AnyArray, y: IndexArray, test: AnyArray, n_classes: int, *, impute: bool
    ) -> ScaledSplit:
        """Impute and scale both parts as scikit-learn does in a pipeline, all features at once."""
        # features in columns that are contiguous: sums do not depend on how many there are
        train, test = np.asfortranarray(train), np.asfortranarray(test)
        if impute and train.shape[1] > 0:
            imputer = median_imputer()
            train, test = imputer.fit_transform(train), imputer.transform(test)
        train, test = standardize(train, test)
        return cls(train, y, test, n_classes)

    @cached_property
    def classes(self) -> IndexArray:
        """The classes of the training part."""
        return np.unique(self.y)

    @cached_property
    def codes(self) -> IndexArray:
        """Which of `classes` each training sample has."""
        return np.searchsorted(self.classes, self.y)

    @cached_property
    def is_finite(self) -> bool:
        """Whether scaling has kept all numbers finite."""
        return bool(np.isfinite(self.train).all() and np.isfinite(self.test).all())

    @cached_property
    def feature_rows(self) -> tuple[FloatArray, FloatArray]:
        """Training part and test part with features in rows."""
        return (
            np.ascontiguousarray(self.train.T, dtype=np.float64),
            np.ascontiguousarray(self.test.T, dtype=np.float64),
        )

    def first_features(self, count: int) -> tuple[AnyArray, AnyArray]:
        """Return both parts with the first features only, in the layout of all features."""
        return self.train[:, :count].copy("K"), self.test[:, :count].copy("K")

    def predict_largest_class(self) -> Prediction:
        """Predict the largest class, as without features."""
        return predict_largest_class(np.bincount(self.y), len(self.test), self.n_classes)

    def fit_predict(self, classifier: EstimatorLike, count: int) -> Prediction:
        """Fit a classifier to the first features, and predict."""
        train, test = self.first_features(count)
        with _skip_checks(classifier) if self.is_finite else nullcontext():
            classifier.fit(train, self.y)
            decides_by_score = type(classifier) in DECIDE_BY_SCORE
            values = _model_scores(classifier, test) if decides_by_score else None
            if values is not None:
                labels = classifier.classes_[_highest_score(values)]
            else:
                labels = classifier.predict(test)
                check_labels(labels, self.n_classes)
                values = _model_scores(classifier, test)
        scores = None
        if values is not None:
            scores = class_scores(values, classifier.classes_, self.n_classes)
        return Prediction(labels, scores)


def trial_splits(n_samples: int) -> Iterator[ScaledSplit]:
    """Yield small data to load compiled code by, for a study of a number of samples."""
    for n in (10, n_samples)[: 1 + has_many_samples(n_samples, 1)]:
        X = np.linspace(-5.0, 5.0, n)[:, None]
        yield ScaledSplit(X, np.arange(n) * 2 // n, np.array([[-1.0], [1.0]]), 2)


def fit_pipeline(
    classifier: EstimatorLike, train: TrainingPart, test: AnyArray, n_classes: int, *, impute: bool
) -> Prediction:
    """Fit a classifier on the training part in a pipeline, with its weights, and predict.

    The pipeline imputes and scales; a classifier of counts gets them as they are.
    """
    weights = classification_weights(classifier, train.sample_weight)
    if test.shape[1] == 0:
        totals = np.bincount(train.y, train.sample_weight if weights else None)
        return predict_largest_class(totals, test.shape[0], n_classes)
    model = Pipeline(classification_steps(classifier, impute=impute))
    model.fit(train.X, train.y, **weights)
    labels, values = model.predict(test), _model_scores(model, test)
    check_labels(labels, n_classes)
    scores = None if values is None else class_scores(values, model.classes_, n_classes)
    return Prediction(labels, scores)


def predict_largest_class(totals: AnyArray, n_test: int, n_classes: int) -> Prediction:
    """Predict the class of the largest total, as without features."""
    shape = (n_test,) if n_classes == 2 else (n_test, n_classes)
    return Prediction(np.full(n_test, totals.argmax()), np.zeros(shape))


def check_labels(labels: AnyArray, n_classes: int) -> None:
    """Raise if a classifier predicts something else than the classes."""
    if not np.isin(labels, np.arange(n_classes)).all():
        raise InvalidInputError("the classifier predicts a label that is none of the classes.")


def class_scores(values: FloatArray, classes: IndexArray, n_classes: int) -> FloatArray:
    """Return scores of all classes from those of a model's own classes."""
    if n_classes == 2:
        return values if values.ndim == 1 else values[:, 1]
    if values.ndim == 1:  # the training part holds only two of the classes
        values = np.column_stack((-values, values))
    # a class without training samples is less likely than any other
    scores = np.full((len(values), n_classes), values.min(initial=0.0) - 1.0)
    scores[:, classes] = values
    return scores


def standardize(train: AnyArray, test: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return what `sklearn.preprocessing.StandardScaler` returns for complete data, to the bit.

    Before scikit-learn 1.8, it scaled single precision by numbers in double precision.

    Parameters
    ----------
    train, test : ndarray of shapes (n_train, p) and (n_test, p)
        Samples without missing values. Features are scaled by the training part.

    Returns
    -------
    tuple of ndarray
        Both parts, in their own precision.
    """
    n = np.float64(len(train))
    means = train.sum(axis=0, dtype=np.float64) / n
    deviations = train - means
    correction = deviations.sum(axis=0)
    deviations **= 2
    # the sum of the deviations, 0 but for rounding, corrects the variance
    variances = (deviations.sum(axis=0) - correction**2 / n) / n
    eps = np.finfo(np.float64).eps
    constant = variances <= n * eps * variances + (n * means * eps) ** 2
    widths = np.sqrt(variances)
    widths[constant] = 1.0
    means, widths = means.astype(train.dtype), widths.astype(train.dtype)
    return (train - means) / widths, (test - means) / widths


def _skip_checks(classifier: EstimatorLike) -> AbstractContextManager[None]:
    """Skip checks by registered classifiers: the data and trial fits have been checked before."""
    if any(type(classifier) is record.kind for record in CLASSIFIERS.values()):
        skip: AbstractContextManager[None] = config_context(
            assume_finite=True, skip_parameter_validation=True
        )
        return skip
    return nullcontext()


def _highest_score(values: FloatArray) -> IndexArray:
    return (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)


def _model_scores(model: EstimatorLike, test: AnyArray) -> FloatArray | None:
    """Return the scores of a fitted model; one-vs-one scores have no column per class."""
    classifier = model[-1] if isinstance(model, Pipeline) else model
    shape = getattr(classifier, "decision_function_shape", None)
    one_vs_one = len(model.classes_) > 2 and shape == "ovo"
    names = ["predict_proba"] if one_vs_one else ["decision_function", "predict_proba"]
    for name in names:
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(test), dtype=np.float64)
    return None


# Compiled classifiers, for all counts together.

NestedClassifier: TypeAlias = Callable[[ScaledSplit, Sequence[int]], PredictionsByCount]
"""Predicts by the first features, for several counts; omits what only scikit-learn can decide."""


def nested_classifier(classifier: EstimatorLike) -> NestedClassifier:
    """Return compiled code that predicts as a classifier does, or code that predicts nothing."""
    kind = type(classifier)
    given = classifier.get_params(deep=False) if kind in (KNeighborsClassifier, SVC) else {}
    if kind is KNeighborsClassifier and _differs_only_in(
        classifier, "n_neighbors", "leaf_size", "n_jobs"
    ):
        return partial(_predict_by_neighbors, given["n_neighbors"])
    if (
        kind is SVC
        and given["kernel"] in ("linear", "rbf")
        and _differs_only_in(
            classifier, "C", "tol", "kernel", "gamma", "degree", "coef0", "cache_size",
            "random_state",
        )
    ):  # fmt: skip
        return partial(_predict_by_svm, given)
    return _predict_nothing


def _differs_only_in(classifier: EstimatorLike, *names: str) -> bool:
    """Return whether all parameters but these have their defaults."""
    defaults = type(classifier)().get_params(deep=False)
    given = classifier.get_params(deep=False)
    return all(given[name] == default for name, default in defaults.items() if name not in names)


def _predict_nothing(_split: ScaledSplit, _counts: Sequence[int]) -> PredictionsByCount:
    return {}


def _predict_by_neighbors(k: int, split: ScaledSplit, counts: Sequence[int]) -> PredictionsByCount:
    """Predict as `KNeighborsClassifier`, except where samples at equal distance decide."""
    n_train, n_test, n_classes = len(split.train), len(split.test), len(split.classes)
    if not (split.is_finite and n_classes > 1 and k <= n_train):
        return {}
    train, test = split.feature_rows
    votes = np.empty((len(counts), n_test, n_classes))
    doubtful = np.zeros(len(counts), dtype=np.bool_)
    step = max(1, MAX_DISTANCES // n_train)
    for start in range(0, n_test, step):
        part = np.ascontiguousarray(test[:, start : start + step])
        own = np.zeros((len(counts), part.shape[1], n_classes))
        count_nested_votes(train, part, split.codes, np.array(counts), k, own, doubtful)
        votes[:, start : start + step] = own
    return {
        count: Prediction(
            split.classes[shares.argmax(axis=1)],
            class_scores(shares, split.classes, split.n_classes),
        )
        for count, shares, doubt in zip(counts, votes / k, doubtful, strict=True)
        if not doubt
    }


def _predict_by_svm(
    given: Mapping[str, Any], split: ScaledSplit, counts: Sequence[int]
) -> PredictionsByCount:
    """Predict as `SVC`: by the exact optimum on many samples, otherwise step by step."""
    if not split.is_finite or len(split.classes) < 2:
        return {}
    found = _predict_by_optimal_svm(given, split, counts) if given["kernel"] == "linear" else {}
    return found | _predict_by_libsvm(given, split, [k for k in counts if k not in found])


def _predict_by_optimal_svm(
    given: Mapping[str, Any], split: ScaledSplit, counts: Sequence[int]
) -> PredictionsByCount:
    """Predict by linear SVMs without a Gram matrix, if all pairs of classes have many samples."""
    smallest_pair = int(np.sort(np.bincount(split.codes))[:2].sum())
    train, test = split.feature_rows
    C, pairs = float(given["C"]), [*zip(*np.triu_indices(len(split.classes), 1), strict=True)]
    found = {}
    for count in counts:
        if not has_many_samples(smallest_pair, count):
            continue
        decisions = []
        for first, second in pairs:
            inside = np.flatnonzero((split.codes == first) | (split.codes == second))
            signs = np.where(split.codes[inside] == first, 1.0, -1.0)
            part = np.take(train[:count], inside, axis=1)
            decisions.append(linear_svm_decisions(part, signs, test[:count], C))
        solved = [own for own in decisions if own is not None]
        if len(solved) == len(pairs):
            found[count] = _vote_in_pairs(split, np.array(solved))
    return found


def _predict_by_libsvm(
    given: Mapping[str, Any], split: ScaledSplit, counts: Sequence[int]
) -> PredictionsByCount:
    """Predict in the steps of LIBSVM, except where a decision is within the tolerance of 0."""
    n_train, n_test, n_classes = len(split.train), len(split.test), len(split.classes)
    n_pairs = n_classes * (n_classes - 1) // 2
    if not (
        counts
        and n_train * max(n_train, n_test) <= MAX_DISTANCES
        and n_pairs * n_test <= MAX_DECISIONS
    ):
        return {}
    order = np.argsort(split.codes, kind="stable")
    bounds = np.searchsorted(split.codes[order], np.arange(n_classes + 1))
    train, test = split.feature_rows
    gammas = np.array([_gamma(given, split.train[:, :count]) for count in counts])
    decisions = np.empty((len(counts), n_pairs, n_test))
    nested_decisions(
        np.ascontiguousarray(train[:, order]), test, bounds, np.array(counts),
        float(given["C"]), float(given["tol"]), gammas, decisions,
    )  # fmt: skip
    return {
        count: _vote_in_pairs(split, own)
        for count, own in zip(counts, decisions, strict=True)
        if (np.abs(own) > given["tol"]).all()
    }


def _gamma(given: Mapping[str, Any], X: AnyArray) -> float:
    """Return gamma as `SVC` sets it from the training part."""
    if given["kernel"] == "linear":
        return LINEAR
    if isinstance(given["gamma"], Real):
        return float(given["gamma"])
    n_features = int(X.shape[1])
    if given["gamma"] == "auto":
        return 1.0 / n_features
    variance = float(np.ascontiguousarray(X, dtype=np.float64).var())
    return 1.0 / (n_features * variance) if variance != 0 else 1.0


def _vote_in_pairs(split: ScaledSplit, decisions: FloatArray) -> Prediction:
    """Let the SVMs of all pairs of classes vote; return labels and scores as `SVC` has them.

    Parameters
    ----------
    decisions : ndarray of shape (n_pairs, n_test)
        A decision above 0 is a vote for the first class of the pair.
    """
    if len(decisions) == 1:
        labels = split.classes[(decisions[0] <= 0).astype(np.intp)]
        return Prediction(labels, class_scores(-decisions[0], split.classes, split.n_classes))
    n_classes, n_test = len(split.classes), decisions.shape[1]
    votes, confidences = np.zeros((n_test, n_classes)), np.zeros((n_test, n_classes))
    for decision, i, j in zip(decisions, *np.triu_indices(n_classes, 1), strict=True):
        votes[:, i] += decision > 0
        votes[:, j] += decision <= 0
        confidences[:, i] += decision
        confidences[:, j] -= decision
    # bounded by a third, so that confidences only break ties of votes
    values = votes + confidences / (3 * (np.abs(confidences) + 1))
    labels = split.classes[votes.argmax(axis=1)]
    return Prediction(labels, class_scores(values, split.classes, split.n_classes))
