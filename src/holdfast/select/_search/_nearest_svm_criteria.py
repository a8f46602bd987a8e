"""The criterion for k nearest neighbours: distances change by one unit of features at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from holdfast._kernels.nearest_neighbors import NeighborData, score_units
from holdfast._kernels.svm import LINEAR
from holdfast._kernels.svm import score_units as judge_svm
from holdfast.select._search._criterion import Criterion, Moves, SplitIndices

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.select._search._criterion import CriterionSplits, Features, Values

    Floats = NDArray[np.float64]


def nearest(
    classifier: Any,  # noqa: ANN401
    trials: CriterionSplits,
    *,
    balanced: bool,
    scaled: bool,
) -> Criterion | None:
    """Return the criterion for k nearest neighbours in Euclidean distance with equal votes."""
    if not _supports_classifier(classifier, min(len(train) for train, _ in trials.splits)):
        return None
    weights = np.ones((len(trials.splits), trials.X.shape[1]))
    if scaled:
        weights = 1.0 / trials.scales()[1] ** 2
    return Nearest(int(classifier.n_neighbors), trials, trials.weights(balanced=balanced), weights)


def _supports_classifier(classifier: Any, smallest: int) -> bool:  # noqa: ANN401
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
        self,
        k: int,
        trials: CriterionSplits,
        worth: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        X = np.ascontiguousarray(trials.X)
        lows, highs = X.min(axis=0), X.max(axis=0)
        self._data = NeighborData(X, trials.y, lows, highs, trials.n_classes, k)
        self._splits = (weights, *trials.train, *trials.test, worth)

    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added."""
        return self._values(base, moves, 1.0)

    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit."""
        return self._values(base, moves, -1.0)

    def _values(self, base: Features, moves: Moves, sign: float) -> Values:
        return score_units(self._data, *self._splits, base, *moves, sign)


# The criterion for support vector machines: each is solved from a neighbouring subset's.

KNOWN: dict[str, tuple[Any, ...]] = {
    "kernel": ("linear", "rbf"),
    "class_weight": (None,),  # balanced ones leave the offset open: LIBSVM's is by rounding error
    "probability": (False, "deprecated"),
    "break_ties": (False,),
    "max_iter": (-1,),
}
MOST_ROWS = 3000  # to fit on: matrices of this size squared are kept
CANCELS = 1e5  # the base's squares over those left from where on taking away costs digits


def svm(
    classifier: Any,  # noqa: ANN401
    trials: CriterionSplits,
    *,
    balanced: bool,
    scaled: bool,
) -> Criterion | None:
    """Return the criterion of a linear or RBF machine, or None where it is of another sort."""
    if type(classifier) is not SVC or not (_known_svm(classifier) and _feasible(trials)):
        return None
    return _Machines.of(classifier, trials, balanced=balanced, scaled=scaled)


def _known_svm(classifier: SVC) -> bool:
    """Whether the machine has parameters of which the kernel knows what they mean."""
    given = classifier.get_params()
    return (
        all(given.get(name, values[0]) in values for name, values in KNOWN.items())
        and (given["gamma"] in ("scale", "auto") or _positive(given["gamma"]))
        and _positive(given["C"])
    )


def _positive(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, Real) and 0.0 < float(value) < np.inf


def _feasible(trials: CriterionSplits) -> bool:
    """Whether matrices of the samples fit into memory, and each training part has two classes."""
    return max(len(train) for train, _ in trials.splits) <= MOST_ROWS and all(
        len(np.unique(trials.y[train])) > 1 for train, _ in trials.splits
    )


@dataclass(frozen=True, eq=False)
class _Machines(Criterion):
    """Accuracy of the votes of one machine for each pair of classes.

    Attributes
    ----------
    gamma : float or str
        As in SVC, or `LINEAR`.
    judge : callable
        The kernel, which has been given the data and the splits.
    centres, variances, peaks : ndarray of shape (n_splits, n_features)
        Mean and variance of each feature as the machine sees it in the training part, and its
        largest square in all rows.
    """

    gamma: Any
    judge: Callable[..., Values]
    centres: Floats
    variances: Floats
    peaks: Floats

    @classmethod
    def of(
        cls, classifier: SVC, trials: CriterionSplits, *, balanced: bool, scaled: bool
    ) -> _Machines:
        """Prepare all that does not depend on subsets."""
        means, widths = trials.scales()
        if not scaled:
            widths = np.ones_like(widths)
        rows = (*_by_class(trials), *trials.test, trials.weights(balanced=balanced))
        # a shift of the data changes no machine, and centred data lose fewer digits
        data = (np.ascontiguousarray(trials.X.T), trials.y, *rows, means, widths)
        extremes = np.maximum(trials.X.max(axis=0) - means, means - trials.X.min(axis=0))
        return cls(
            gamma=LINEAR if classifier.kernel == "linear" else classifier.gamma,
            judge=partial(judge_svm, *data, float(classifier.C)),
            centres=np.zeros_like(means) if scaled else means,
            variances=_variances(trials) / widths**2,
            peaks=(extremes / widths) ** 2,
        )

    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added."""
        return self._judged(base, moves, [np.union1d(base, unit) for unit in moves.units], 1.0)

    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit.

        Where that would leave the difference of two large numbers, what is left is added up anew.
        """
        subsets = [np.setdiff1d(base, unit) for unit in moves.units]
        anew = np.array([self._cancels(base, subset) for subset in subsets], dtype=bool)
        values = np.empty(len(subsets))
        for chosen, start, units, sign in (
            (np.flatnonzero(anew), base[:0], subsets, 1.0),
            (np.flatnonzero(~anew), base, moves.units, -1.0),
        ):
            if len(chosen) > 0:
                some = Moves.of([units[i] for i in chosen])
                values[chosen] = self._judged(start, some, [subsets[i] for i in chosen], sign)
        return values

    def _cancels(self, base: Features, left: Features) -> bool:
        """Whether rounding errors of the base's sums could be felt in what is left of them."""
        whole, rest = self.peaks[:, base].sum(axis=1), self.variances[:, left].sum(axis=1)
        return bool(np.any(whole > CANCELS * rest))

    def _judged(self, base: Features, moves: Moves, subsets: list[Features], sign: float) -> Values:
        gammas = np.array([self._gammas(subset) for subset in (base, *subsets)]).T
        return self.judge(base, *moves, sign, np.ascontiguousarray(gammas))

    def _gammas(self, subset: Features) -> Floats:
        """Return the gamma of each split; that of no features serves for nothing."""
        if self.gamma == "scale" and len(subset) > 0:
            return self._scale(subset)
        gamma = 1.0 / max(len(subset), 1) if isinstance(self.gamma, str) else self.gamma
        return np.full(len(self.centres), float(gamma))

    def _scale(self, subset: Features) -> Floats:
        """Return gamma="scale": 1 / (number of features * variance of all entries)."""
        centres = self.centres[:, subset]
        between = (centres - centres.mean(axis=1, keepdims=True)) ** 2
        variance = (self.variances[:, subset] + between).mean(axis=1)
        return 1.0 / np.where(variance > 0.0, len(subset) * variance, 1.0)


def _by_class(trials: CriterionSplits) -> SplitIndices:
    """Return the rows to fit on, each split's in the order of their classes."""
    return SplitIndices.of(
        [train[np.argsort(trials.y[train], kind="stable")] for train, _ in trials.splits]
    )


def _variances(trials: CriterionSplits) -> Floats:
    """Return the variance of each feature in each training part, 0 if it is constant."""
    parts = [trials.X[train] for train, _ in trials.splits]
    return np.array([np.where(np.ptp(part, axis=0) > 0.0, part.var(axis=0), 0.0) for part in parts])
