"""Choice of the criterion: from a user's classifier, splits and score to the fastest code."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import cloudpickle
import joblib
import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from holdfast._classifiers import as_classifier, classification_steps
from holdfast._formatting import did_you_mean
from holdfast._typing import AnyArray, EstimatorLike, IndexArray, ProtocolLike
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample import CrossValidation, Protocol, Subsampling, Units, as_protocol
from holdfast.select._search._criterion import Criterion, CriterionSplits, RefitCriterion
from holdfast.select._search._gaussian_criterion import gaussian_criterion
from holdfast.select._search._nearest_svm_criteria import nearest_neighbor_criterion, svm_criterion

if TYPE_CHECKING:
    from holdfast.select._search._search_state import SearchSpace


Split = tuple[IndexArray, IndexArray]


DEFAULT_CLASSIFIER = "knn3"
SPLITTING_PROTOCOLS = ("subsampling", "cross_validation", "bootstrap", "splits")
"""Protocols that only split the samples into training and test samples."""


def resolve_classifier(classifier: EstimatorLike) -> EstimatorLike:
    """Return the classifier; one given by name is put behind a scaler."""
    estimator = as_classifier(DEFAULT_CLASSIFIER if classifier is None else classifier)[1]
    if classifier is None or isinstance(classifier, str):
        return Pipeline(classification_steps(estimator, impute=False))
    return estimator


def fill_open_seeds(classifier: EstimatorLike, seed: int) -> EstimatorLike:
    """Return a clone whose seeds are set if they are None."""
    copy = clone(classifier)
    parameters = copy.get_params() if hasattr(copy, "get_params") else {}
    seeds = [
        key
        for key, value in parameters.items()
        if key.split("__")[-1] == "random_state" and value is None
    ]
    return copy.set_params(**dict.fromkeys(seeds, seed)) if seeds else copy


def fingerprint(
    classifier: EstimatorLike,
    split_data: CriterionSplits,
    scoring: EstimatorLike,
    space: SearchSpace,
) -> str:
    """Return a hash of everything that the moves of a search, and their values, depend on."""
    estimators = classifier, scoring
    try:
        serialized: bytes = cloudpickle.dumps(estimators)  # also pickles lambdas
    except (TypeError, AttributeError, pickle.PicklingError):
        # what cannot be pickled is identified by its text
        serialized = repr(estimators).encode()
    digest: str = joblib.hash(
        (
            serialized,
            (split_data.X, split_data.labels, list(split_data.splits)),
            (space.units, space.forced, space.free),
        )
    )
    return digest


def draw_splits(
    cv: ProtocolLike, y: IndexArray, subjects: AnyArray | None, seed: int
) -> list[Split]:
    """Draw the splits of a search."""
    protocol = _resolve_protocol(cv)
    if protocol.record.name not in SPLITTING_PROTOCOLS:
        raise InvalidInputError(
            f"cv must split the samples, as {', '.join(SPLITTING_PROTOCOLS)} do; got {cv!r}."
        )
    resamples = protocol.draw(y, subjects, random_state=seed)
    for position, resample in enumerate(resamples):
        if not len(resample.test):
            raise InvalidInputError(f"cv leaves no test samples in split {position}.")
    return [(resample.train, resample.test) for resample in resamples]


def draw_folds(
    cv: ProtocolLike, y: IndexArray, subjects: AnyArray | None, seed: int, most: int
) -> list[Split]:
    """Draw splits whose training parts hold all classes; without `cv` at most `most` folds."""
    if cv is None:  # with no more folds than a class has samples, none takes all of them
        cv = max(2, min(most, int(Units.from_labels(y, subjects).holders.min())))
    splits = draw_splits(cv, y, subjects, seed)
    for position, (train, _) in enumerate(splits):
        if len(np.unique(y[train])) < y.max() + 1:
            raise InvalidInputError(
                f"cv leaves a class without training samples in split {position}; use fewer folds."
            )
    return splits


def _resolve_protocol(cv: ProtocolLike) -> Protocol:
    if cv is None:
        return Subsampling(10, 2 / 3)
    if isinstance(cv, int):
        return CrossValidation(check_integer(cv, "cv", 2))
    try:
        return as_protocol(cv)
    except UnknownNameError as error:
        raise UnknownNameError(f"cv: {error}") from error
    except InvalidInputError as error:
        raise InvalidInputError(f"cv: {error}") from error


# The fastest criterion for a classifier and a score.

FAST_CRITERIA = (nearest_neighbor_criterion, gaussian_criterion, svm_criterion)
COUNTING_SCORES = {"accuracy": False, "balanced_accuracy": True}
"""Scores that are weighted sums over the correct predictions; True if classes weigh equally."""


def choose_criterion(
    classifier: EstimatorLike,
    split_data: CriterionSplits,
    scoring: EstimatorLike,
    n_jobs: int | None,
) -> Criterion:
    """Return a compiled criterion if there is one for the classifier, else one that refits."""
    bare, scaled = _strip_scaler(classifier)
    # compiled criteria take sums of squares, which must not overflow
    if isinstance(scoring, str) and scoring in COUNTING_SCORES and split_data.can_be_squared:
        for make_criterion in FAST_CRITERIA:
            criterion = make_criterion(
                bare, split_data, balanced=COUNTING_SCORES[scoring], scaled=scaled
            )
            if criterion is not None:
                return criterion
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        hint = did_you_mean(scoring, get_scorer_names())
        raise InvalidInputError(f"scoring: no score is called {scoring!r}.{hint}")
    try:
        scorer = check_scoring(classifier, scoring)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"scoring cannot be used: {error}") from error
    return RefitCriterion(classifier, split_data, scorer, n_jobs)


def _strip_scaler(classifier: EstimatorLike) -> tuple[Any, bool]:
    """Return the classifier without its StandardScaler, and whether it has one."""
    if type(classifier) is not Pipeline or len(classifier.steps) != 2:
        return classifier, False
    scaler, last = classifier[0], classifier[1]
    # a subclass, or a scaler with other settings, may scale in another way
    plain = type(scaler) is StandardScaler and scaler.with_mean and scaler.with_std
    return (last, True) if plain else (classifier, False)
