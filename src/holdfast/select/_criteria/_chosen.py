"""Which criterion is the fastest for a classifier and a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError
from holdfast.select._criteria._gaussian import gaussian
from holdfast.select._criteria._nearest import nearest
from holdfast.select._criteria._refit import Refit
from holdfast.select._criteria._svm import svm

if TYPE_CHECKING:
    from holdfast.select._criteria._criterion import Criterion
    from holdfast.select._criteria._trials import Trials

FAST = (nearest, gaussian, svm)
SCORES = {"accuracy": False, "balanced_accuracy": True}
"""Scores that are sums over the test samples predicted rightly; whether classes count alike."""


def criterion_of(
    classifier: Any,  # noqa: ANN401
    trials: Trials,
    scoring: Any,  # noqa: ANN401
    n_jobs: int | None,
) -> Criterion:
    """Return a criterion of its own for a known classifier, else one that refits any."""
    bare, scaled = _unscaled(classifier)
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
    return Refit(classifier, trials, scorer, n_jobs)


def _unscaled(classifier: Any) -> tuple[Any, bool]:  # noqa: ANN401
    """Return the classifier behind a plain scaler, and whether there is one."""
    if type(classifier) is not Pipeline or len(classifier.steps) != 2:
        return classifier, False
    scaler, last = classifier[0], classifier[1]
    plain = type(scaler) is StandardScaler and scaler.with_mean and scaler.with_std
    return (last, True) if plain else (classifier, False)
