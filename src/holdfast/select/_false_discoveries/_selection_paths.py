"""Shares of subsamples that select a feature, along penalties or thresholds of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast._random import generators
from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError
from holdfast.select._adapter import AnySelector
from holdfast.select._l1_path import L1Path
from holdfast.select._ranker import Scorer

if TYPE_CHECKING:
    from holdfast.select._ensemble._stability_path import Halves, LabelledSamples
    from holdfast.select._ranker import Ranker

N_THRESHOLDS = 100
"""Number of thresholds of scores; standard: that of the package ipss."""
SMALLEST_THRESHOLD = 1e-8
"""The last threshold, as a share of the largest score; standard: that of the package ipss."""


class SelectionPaths(NamedTuple):
    """The share of subsamples that select each feature, at falling penalties or thresholds.

    Attributes
    ----------
    steps : array of shape (s,)
        Penalties, or thresholds of scores, relative to the largest: from 1 down.
    probabilities : array of shape (s, p)
        One row per step.
    """

    steps: FloatArray
    probabilities: FloatArray


def compute_selection_paths(
    base: Ranker, data: LabelledSamples, halves: Halves, seed: int
) -> SelectionPaths:
    """Run the base on each subsample, and count at each step which features it selects.

    A path selector selects the features of its model at each penalty. Of other selectors the
    scores are compared with thresholds; features with scores of 0 or less are never selected.
    """
    base.set_params(random_state=seed)
    if isinstance(base, L1Path):
        steps = np.concatenate([[1.0], base.shares()])
        counts = np.zeros((len(steps), data.X.shape[1]), dtype=np.int64)
        for active in base.active_features(data.X, data.y, halves):
            counts[1:] += active
    else:
        steps = np.geomspace(1.0, SMALLEST_THRESHOLD, N_THRESHOLDS)
        counts = count_scores_above(_score_halves(base, data, halves, seed), steps)
    return SelectionPaths(steps, counts / len(halves))


def count_scores_above(scores: FloatArray, steps: FloatArray) -> FloatArray:
    """Return how many rows of scores exceed each threshold; one row per threshold.

    Parameters
    ----------
    scores : array of shape (m, p)
        One row per subsample.
    steps : array of shape (s,)
        Thresholds as shares of the largest score; all are positive.
    """
    largest = max(float(scores.max()), 0.0)
    return np.array([np.count_nonzero(scores > max(step * largest, 0.0), axis=0) for step in steps])


def _score_halves(base: Ranker, data: LabelledSamples, halves: Halves, seed: int) -> FloatArray:
    """Return the scores of all features on each subsample."""
    name = type(base).__name__
    if not isinstance(base, Scorer):
        raise InvalidInputError(
            f"integrated paths need a base that scores features, or an L1 path; {name} gives "
            "ranks only."
        )
    if data.classes is not None:
        bound = base._bind_supported(data.X, data.y, data.subjects)
        return bound.score(halves).values
    if not isinstance(base, AnySelector):
        raise InvalidInputError(
            f"{name} needs classes, but y holds numbers to regress on. Leave the base out, or "
            "give an estimator or a function for regression."
        )
    return np.array(
        [
            base._score(data.X[half], data.y[half], generator)
            for half, generator in zip(halves, generators(seed, len(halves)), strict=True)
        ]
    )
