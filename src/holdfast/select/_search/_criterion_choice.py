"""What a user gives for a criterion becomes a classifier and splits."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import cloudpickle
import joblib
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from holdfast._classifiers import as_classifier, classifying
from holdfast._formatting import did_you_mean
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample import CrossValidation, Subsampling, as_protocol
from holdfast.select._search._criterion import RefitCriterion
from holdfast.select._search._gaussian_criterion import gaussian
from holdfast.select._search._nearest_svm_criteria import nearest, svm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from holdfast.resample import Protocol
    from holdfast.select._search._criterion import Criterion, CriterionSplits
    from holdfast.select._search._search_state import SearchSpace

    Split = tuple[NDArray[np.intp], NDArray[np.intp]]


DEFAULT_CLASSIFIER = "knn3"
SPLITTING = ("subsampling", "cross_validation", "bootstrap", "splits")
"""Protocols that do no more than divide the samples into two sides."""


def classifier_of(given: Any) -> Any:  # noqa: ANN401
    """Return the classifier that is meant; one that goes by a name sees scaled features."""
    classifier = as_classifier(DEFAULT_CLASSIFIER if given is None else given)[1]
    if given is None or isinstance(given, str):
        return Pipeline(classifying(classifier, impute=False))
    return classifier


def seeded_where_open(classifier: Any, seed: int) -> Any:  # noqa: ANN401
    """Return a clone whose seeds are set where they are None."""
    new = clone(classifier)
    given = new.get_params() if hasattr(new, "get_params") else {}
    seeds = [key for key in given if key.split("__")[-1] == "random_state" and given[key] is None]
    return new.set_params(**dict.fromkeys(seeds, seed)) if seeds else new


def fingerprint(classifier: Any, trials: CriterionSplits, scoring: Any, space: SearchSpace) -> str:  # noqa: ANN401
    """Return what tells searches apart whose moves, or the values of these, may differ."""
    found: str = joblib.hash(
        (
            _serialize_estimators(classifier, scoring),
            (trials.X, trials.labels, list(trials.splits)),
            (space.units, space.forced, space.free),
        )
    )
    return found


def _serialize_estimators(*judges: Any) -> bytes:
    """Return a classifier and a scorer as bytes; what cannot be stored goes by its name."""
    try:
        stored: bytes = cloudpickle.dumps(judges)  # takes functions of all kinds
    except (TypeError, AttributeError, pickle.PicklingError):
        return repr(judges).encode()
    return stored


def drawn_splits(
    cv: Any,  # noqa: ANN401
    y: NDArray[np.intp],
    subjects: NDArray[Any] | None,
    seed: int,
) -> list[Split]:
    """Draw the splits of a search."""
    protocol = _protocol(cv)
    if protocol.record.name not in SPLITTING:
        raise InvalidInputError(
            f"cv must split the samples, as {', '.join(SPLITTING)} do; received {cv!r}."
        )
    resamples = protocol.draw(y, subjects, random_state=seed)
    for position, one in enumerate(resamples):
        if not len(one.test):
            raise InvalidInputError(f"cv leaves nothing to test on in split {position}.")
    return [(one.train, one.test) for one in resamples]


def _protocol(cv: Any) -> Protocol:  # noqa: ANN401
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


# Which criterion is the fastest for a classifier and a score.

FAST = (nearest, gaussian, svm)
SCORES = {"accuracy": False, "balanced_accuracy": True}
"""Scores that are sums over the test samples predicted rightly; whether classes count alike."""


def criterion_of(
    classifier: Any,  # noqa: ANN401
    trials: CriterionSplits,
    scoring: Any,  # noqa: ANN401
    n_jobs: int | None,
) -> Criterion:
    """Return a criterion of its own for a known classifier, else one that refits any."""
    bare, scaled = _strip_scaler(classifier)
    if isinstance(scoring, str) and scoring in SCORES and trials.can_be_squared:
        for known in FAST:
            criterion = known(bare, trials, balanced=SCORES[scoring], scaled=scaled)
            if criterion is not None:
                return criterion
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        near = did_you_mean(scoring, get_scorer_names())
        raise InvalidInputError(f"scoring: no score is called {scoring!r}.{near}")
    try:
        scorer = check_scoring(classifier, scoring)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"scoring cannot be used: {error}") from error
    return RefitCriterion(classifier, trials, scorer, n_jobs)


def _strip_scaler(classifier: Any) -> tuple[Any, bool]:  # noqa: ANN401
    """Return the classifier behind a plain scaler, and whether there is one."""
    if type(classifier) is not Pipeline or len(classifier.steps) != 2:
        return classifier, False
    scaler, last = classifier[0], classifier[1]
    plain = type(scaler) is StandardScaler and scaler.with_mean and scaler.with_std
    return (last, True) if plain else (classifier, False)
