"""Samples of simple populations, and t-scores on many resamples at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

POPULATIONS = ("independent", "blocks", "noise")
N_FEATURES = 200


def draw_samples(
    rng: np.random.Generator, population: str, samples: int, n_sets: int = 1
) -> tuple[Array, Array]:
    """Return data sets of shape (n_sets, samples, features) and the classes, alternately 0 and 1.

    Twenty features have effects from 1.5 down to 0.3 standard deviations, none in noise; in blocks
    of ten, features have correlations of 0.6.
    """
    y = np.arange(samples) % 2
    x = rng.normal(size=(n_sets, samples, N_FEATURES))
    if population == "blocks":
        common = rng.normal(size=(n_sets, samples, N_FEATURES // 10))
        x = np.sqrt(0.4) * x + np.sqrt(0.6) * np.repeat(common, 10, axis=2)
    if population != "noise":
        x[:, :, :40:2] += y[:, None] * np.linspace(1.5, 0.3, 20)
    return x, y


def draw_resamples(rng: np.random.Generator, y: Array, share: float, number: int) -> Array:
    """Return which samples are in each of many subsamples, the same share of each class."""
    chosen = np.zeros((number, len(y)))
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        kept = np.argsort(rng.random((number, len(rows))), axis=1)[:, : round(share * len(rows))]
        np.put_along_axis(chosen, rows[kept], 1.0, axis=1)
    return chosen


def t_scores(x: Array, y: Array, weights: Array) -> Array:
    """Return absolute t-scores of features on resamples: weights of shape (resamples, samples)."""
    means, errors = [], []
    for label in (0, 1):
        own, part = weights[:, y == label], x[y == label]
        count = own.sum(axis=1, keepdims=True)
        mean = own @ part / count
        means.append(mean)
        errors.append((own @ part**2 / count - mean**2) / (count - 1))
    return np.asarray(np.abs(means[1] - means[0]) / np.sqrt(errors[0] + errors[1]))


def t_scores_of_sets(x: Array, y: Array) -> Array:
    """Return absolute t-scores on data sets of shape (n_sets, samples, features)."""
    one, two = x[:, y == 0], x[:, y == 1]
    error = one.var(axis=1, ddof=1) / one.shape[1] + two.var(axis=1, ddof=1) / two.shape[1]
    return np.asarray(np.abs(two.mean(axis=1) - one.mean(axis=1)) / np.sqrt(error))


def best_features(scores: Array, size: int) -> NDArray[np.intp]:
    """Return the features of the highest scores in each row."""
    return np.argpartition(-scores, size, axis=1)[:, :size]
