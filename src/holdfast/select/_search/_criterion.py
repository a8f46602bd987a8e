"""What a criterion is: a value for every subset that one move leads to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Scorer = Callable[[Any, Any, Any], float]


Features: TypeAlias = NDArray[np.intp]
Values: TypeAlias = NDArray[np.float64]


class Moves(NamedTuple):
    """Features that could be added or removed, one unit of them at a time.

    Unit i holds ``features[starts[i]:starts[i + 1]]``; most often that is a single feature.
    """

    features: Features
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, units: Sequence[Features]) -> Moves:
        """Join units of features."""
        starts = np.cumsum([0, *map(len, units)])
        features = np.concatenate([np.empty(0, dtype=np.intp), *units])
        return cls(features.astype(np.intp, copy=False), starts.astype(np.intp, copy=False))

    @property
    def units(self) -> list[Features]:
        """The features of each unit."""
        return np.split(self.features, self.starts[1:-1])


class Criterion(ABC):
    """A value for subsets of features, higher being better, always on the same splits.

    A subset that the classifier cannot be fitted to has the value minus infinity.

    Attributes
    ----------
    failure : str
        Why the classifier could not be fitted to some subset, empty if that never happened or
        is not known.
    """

    failure: str = ""

    @abstractmethod
    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added; `base` may be empty, and is sorted."""

    @abstractmethod
    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit; something is always left."""


# The data of a search, and the splits on which all its subsets are compared.

HUGE, TINY = 1e100, 1e-100


class SplitIndices(NamedTuple):
    """Rows of several splits, one split after the other: split s has ``rows[starts[s]:...]``."""

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, rows: Sequence[NDArray[np.intp]]) -> SplitIndices:
        """Join the rows of all splits."""
        return cls(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


@dataclass(frozen=True, eq=False)
class CriterionSplits:
    """Labelled data, and splits of them that are drawn once.

    Attributes
    ----------
    X : ndarray of shape (n, p), float64
        The data.
    y : ndarray of shape (n,), intp
        Classes, numbered from 0.
    splits : sequence of (train, test)
        Rows to fit on and rows to test on, in order; no row is on both sides.
    labels : ndarray of shape (n,)
        Classes as the user calls them.
    """

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
    labels: NDArray[Any] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def train(self) -> SplitIndices:
        """The rows to fit on."""
        return SplitIndices.of([train for train, _ in self.splits])

    @property
    def test(self) -> SplitIndices:
        """The rows to test on."""
        return SplitIndices.of([test for _, test in self.splits])

    @property
    def can_be_squared(self) -> bool:
        """Whether values, and differences that are not 0, are neither huge nor tiny."""
        ranges = np.ptp(self.X, axis=0)
        return bool(np.abs(self.X).max() < HUGE and ranges[ranges > 0].min(initial=1.0) > TINY)

    def weights(self, *, balanced: bool) -> NDArray[np.float64]:
        """Return what a right prediction is worth, for the rows of `test`.

        Over a split these sum to 1: each test sample counts alike, or each class that is tested
        counts alike (`balanced`).
        """
        return np.concatenate([_weights(self.y[test], balanced) for _, test in self.splits])

    def scales(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and standard deviation of each feature, by the training part of each split.

        A row a split; the deviation of a constant feature is 1, as scikit-learn has it.
        """
        pairs = [_scale(self.X[train]) for train, _ in self.splits]
        means, deviations = zip(*pairs, strict=True)
        return np.array(means), np.array(deviations)


def _scale(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and deviation of each feature; of constants, up to rounding, it is 1."""
    n, eps = len(X), np.finfo(np.float64).eps
    mean = X.mean(axis=0)
    variance = np.square(X - mean).mean(axis=0)
    constant = variance <= n * eps * variance + (n * mean * eps) ** 2  # scikit-learn's bound
    return mean, np.where(constant, 1.0, np.sqrt(variance))


def _weights(tested: NDArray[np.intp], balanced: bool) -> NDArray[np.float64]:
    if not balanced:
        return np.full(len(tested), 1.0 / len(tested))
    counts = np.bincount(tested)
    return 1.0 / (np.count_nonzero(counts) * counts[tested])


# The criterion for any classifier: it is fitted anew for each subset and split.


@dataclass
class RefitCriterion(Criterion):
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
    trials: CriterionSplits
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
    trials: CriterionSplits,
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
