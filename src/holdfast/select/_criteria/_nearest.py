"""The criterion for k nearest neighbours: distances change by one unit of features at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from holdfast._kernels.nearest import Data, judge
from holdfast.select._criteria._criterion import Criterion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.select._criteria._criterion import Features, Moves, Values
    from holdfast.select._criteria._trials import Trials


def nearest(
    classifier: Any,  # noqa: ANN401
    trials: Trials,
    *,
    balanced: bool,
    scaled: bool,
) -> Criterion | None:
    """Return the criterion for k nearest neighbours in Euclidean distance with equal votes."""
    if not _known(classifier, min(len(train) for train, _ in trials.splits)):
        return None
    weights = np.ones((len(trials.splits), trials.X.shape[1]))
    if scaled:
        weights = 1.0 / trials.scales()[1] ** 2
    return Nearest(int(classifier.n_neighbors), trials, trials.weights(balanced=balanced), weights)


def _known(classifier: Any, smallest: int) -> bool:  # noqa: ANN401
    """Tell whether a classifier is one that this criterion equals."""
    if type(classifier) is not KNeighborsClassifier or classifier.metric_params is not None:
        return False
    k, metric = classifier.n_neighbors, (classifier.metric, classifier.p)
    euclidean = metric[0] == "euclidean" or metric == ("minkowski", 2)
    counted = isinstance(k, int | np.integer) and 1 <= int(k) <= smallest
    return euclidean and counted and classifier.weights in ("uniform", None)


class Nearest(Criterion):
    """The worth of right predictions by k nearest neighbours, a mean over the splits.

    Among classes with equal votes the lowest wins, as in scikit-learn. Of training rows at equal
    distance the earlier one is nearer; scikit-learn's choice there depends on its tree or on the
    order in which its heap was filled.

    Parameters
    ----------
    k : int
        How many neighbours vote.
    trials : Trials
        The data and the splits.
    worth : ndarray
        What a right prediction is worth, for each tested row of all splits.
    weights : ndarray of shape (splits, p)
        What the squared differences of a feature are multiplied by, in each split.
    """

    def __init__(
        self, k: int, trials: Trials, worth: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> None:
        X = np.ascontiguousarray(trials.X)
        lows, highs = X.min(axis=0), X.max(axis=0)
        self._data = Data(X, trials.y, lows, highs, trials.n_classes, k)
        self._splits = (weights, *trials.train, *trials.test, worth)

    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added."""
        return self._values(base, moves, 1.0)

    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit."""
        return self._values(base, moves, -1.0)

    def _values(self, base: Features, moves: Moves, sign: float) -> Values:
        return judge(self._data, *self._splits, base, *moves, sign)
