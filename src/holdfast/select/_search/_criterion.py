"""Criteria of subset searches: the value of every subset that one move leads to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from holdfast._typing import AnyArray, EstimatorLike, FloatArray, IndexArray, LabelsLike, MatrixLike
from holdfast.errors import InvalidInputError

Scorer = Callable[[Any, Any, Any], float]


class Moves(NamedTuple):
    """Features that could be added or removed, one unit of them at a time.

    Unit i holds ``features[starts[i]:starts[i + 1]]``; most often that is a single feature.
    """

    features: IndexArray
    starts: IndexArray

    @classmethod
    def from_units(cls, units: Sequence[IndexArray]) -> Moves:
        """Concatenate units of features."""
        starts = np.cumsum([0, *map(len, units)])
        features = np.concatenate([np.empty(0, dtype=np.intp), *units])
        return cls(features.astype(np.intp, copy=False), starts.astype(np.intp, copy=False))

    @property
    def units(self) -> list[IndexArray]:
        """The features of each unit."""
        return np.split(self.features, self.starts[1:-1])


class Criterion(ABC):
    """The value of subsets of features on fixed splits, higher being better.

    A subset to which the classifier cannot be fitted has the value minus infinity.

    Attributes
    ----------
    failure : str
        Why the classifier could not be fitted to a subset; empty if that did not happen, or the
        reason is not known.
    """

    failure: str = ""

    @abstractmethod
    def values_with(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` with each unit added; `base` may be empty, and is sorted."""

    @abstractmethod
    def values_without(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` without each unit; something is always left."""


# The data of a search, and the splits on which all subsets are compared.

MAX_SQUARABLE, MIN_SQUARABLE = 1e100, 1e-100
"""Range of values whose squares and sums of squares neither overflow nor underflow: the square
root of the range of floats, with a wide margin."""


class SplitIndices(NamedTuple):
    """Rows of several splits, one split after the other: split s has ``rows[starts[s]:...]``."""

    rows: IndexArray
    starts: IndexArray

    @classmethod
    def from_parts(cls, rows: Sequence[IndexArray]) -> SplitIndices:
        """Concatenate the rows of all splits."""
        return cls(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


@dataclass(frozen=True, eq=False)
class CriterionSplits:
    """Labelled data, and the splits of them, which are drawn once.

    Attributes
    ----------
    X : ndarray of shape (n, p), float64
        The data.
    y : ndarray of shape (n,), intp
        Classes, numbered from 0.
    splits : sequence of (train, test)
        Rows to fit on and rows to test on, in order; no row is on both sides.
    labels : ndarray of shape (n,)
        Classes with the names of the user.
    """

    X: FloatArray
    y: IndexArray
    splits: Sequence[tuple[IndexArray, IndexArray]]
    labels: AnyArray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def train(self) -> SplitIndices:
        """The rows to fit on."""
        return SplitIndices.from_parts([train for train, _ in self.splits])

    @property
    def test(self) -> SplitIndices:
        """The rows to test on."""
        return SplitIndices.from_parts([test for _, test in self.splits])

    @property
    def can_be_squared(self) -> bool:
        """Whether values, and differences that are not 0, are neither huge nor tiny."""
        ranges = np.ptp(self.X, axis=0)
        return bool(
            np.abs(self.X).max() < MAX_SQUARABLE
            and ranges[ranges > 0].min(initial=1.0) > MIN_SQUARABLE
        )

    def weights(self, *, balanced: bool) -> FloatArray:
        """Return the weight of a correct prediction, for the rows of `test`.

        The weights of a split sum to 1: test samples have equal weights or, if `balanced`, the
        classes of the test samples have.
        """
        weights = []
        for _, test in self.splits:
            if balanced:
                classes = self.y[test]
                counts = np.bincount(classes)
                # hits then add up to the mean recall over the classes in the test part
                weights.append(1.0 / (np.count_nonzero(counts) * counts[classes]))
            else:
                weights.append(np.full(len(test), 1.0 / len(test)))
        return np.concatenate(weights)

    def scales(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of each feature in the training part of each split.

        One row per split; the deviation of a constant feature is 1, as in scikit-learn.
        """
        eps = np.finfo(np.float64).eps
        means, deviations = [], []
        for train, _ in self.splits:
            part, n = self.X[train], len(train)
            mean = part.mean(axis=0)
            variance = np.square(part - mean).mean(axis=0)
            # scikit-learn's bound for features that are constant up to rounding
            constant = variance <= n * eps * variance + (n * mean * eps) ** 2
            means.append(mean)
            deviations.append(np.where(constant, 1.0, np.sqrt(variance)))
        return np.array(means), np.array(deviations)


# The criterion for any classifier, which is refitted for each subset and split.


@dataclass
class RefitCriterion(Criterion):
    """The mean score over the splits of a classifier that is fitted to each training part.

    Attributes
    ----------
    classifier : estimator
        Any classifier with scikit-learn's interface.
    split_data : CriterionSplits
        The data and the splits.
    scorer : callable
        ``scorer(fitted, X, y)``, higher being better.
    n_jobs : int or None
        How many subsets are evaluated in parallel, as for joblib.
    """

    classifier: Any
    split_data: CriterionSplits
    scorer: Scorer
    n_jobs: int | None = None

    def values_with(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` with each unit added."""
        return self._values([np.union1d(base, unit) for unit in moves.units])

    def values_without(self, base: IndexArray, moves: Moves) -> FloatArray:
        """Return the value of `base` without each unit."""
        return self._values([np.setdiff1d(base, unit) for unit in moves.units])

    def _values(self, subsets: list[IndexArray]) -> FloatArray:
        results = Parallel(n_jobs=self.n_jobs)(
            delayed(_mean_score)(self.classifier, self.split_data, self.scorer, subset)
            for subset in subsets
        )
        self.failure = next((failure for _, failure in results if failure), self.failure)
        return np.array([value for value, _ in results])


def _mean_score(
    classifier: EstimatorLike, split_data: CriterionSplits, scorer: Scorer, subset: IndexArray
) -> tuple[float, str]:
    """Return the mean score over all splits, and why fitting failed, if it did."""
    X, y = split_data.X[:, subset], split_data.y if split_data.labels is None else split_data.labels
    scores = []
    for train, test in split_data.splits:
        try:
            fitted = clone(classifier).fit(X[train], y[train])
        # such a subset is worse than any other, but not the end of the search
        except (ValueError, np.linalg.LinAlgError) as error:  # too many, or constant, features
            return -np.inf, f"{type(error).__name__}: {error}"
        scores.append(_score_fit(scorer, fitted, X[test], y[test]))
    return float(np.mean(scores)), ""


def _score_fit(scorer: Scorer, fitted: EstimatorLike, X: MatrixLike, y: LabelsLike) -> float:
    try:
        score = float(scorer(fitted, X, y))
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"the classifier cannot be scored: {error}") from error
    if np.isnan(score):
        raise InvalidInputError("the classifier cannot be scored: the score is not a number.")
    return score
