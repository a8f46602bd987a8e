"""The criterion for any classifier: it is fitted anew for each subset and split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from holdfast.errors import InvalidInputError
from holdfast.select._criteria._criterion import Criterion

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.select._criteria._criterion import Features, Moves, Values
    from holdfast.select._criteria._trials import Trials

    Scorer = Callable[[Any, Any, Any], float]


@dataclass
class Refit(Criterion):
    """The mean score over the splits of a classifier that is fitted to each training part.

    Attributes
    ----------
    classifier : estimator
        Any of scikit-learn's manner.
    trials : Trials
        The data and the splits.
    scorer : callable
        ``scorer(fitted, X, y)``, higher being better.
    n_jobs : int or None
        How many subsets are judged at once, as for joblib.
    """

    classifier: Any
    trials: Trials
    scorer: Scorer
    n_jobs: int | None = None

    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added."""
        return self._values([np.union1d(base, unit) for unit in moves.units])

    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit."""
        return self._values([np.setdiff1d(base, unit) for unit in moves.units])

    def _values(self, subsets: list[Features]) -> Values:
        judged = Parallel(n_jobs=self.n_jobs)(
            delayed(_value)(self.classifier, self.trials, self.scorer, subset) for subset in subsets
        )
        self.failure = next((failure for _, failure in judged if failure), self.failure)
        return np.array([value for value, _ in judged])


def _value(
    classifier: Any,  # noqa: ANN401
    trials: Trials,
    scorer: Scorer,
    subset: Features,
) -> tuple[float, str]:
    """Return the mean score over all splits, and what went wrong in fitting, if anything."""
    X, y = trials.X[:, subset], trials.y if trials.labels is None else trials.labels
    scores = []
    for train, test in trials.splits:
        try:
            fitted = clone(classifier).fit(X[train], y[train])
        except (ValueError, np.linalg.LinAlgError) as error:  # of too many, or constant features
            return -np.inf, f"{type(error).__name__}: {error}"
        scores.append(_score(scorer, fitted, X[test], y[test]))
    return float(np.mean(scores)), ""


def _score(scorer: Scorer, fitted: Any, X: Any, y: Any) -> float:  # noqa: ANN401
    try:
        score = float(scorer(fitted, X, y))
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"the classifier cannot be scored: {error}") from error
    if np.isnan(score):
        raise InvalidInputError("the classifier cannot be scored: the score is not a number.")
    return score
