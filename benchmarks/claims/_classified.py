"""Data sets with known truth, classified on resamples: what claims about errors are tested on."""

from __future__ import annotations

import numpy as np

BLOCK, CORRELATION, N_EFFECTS = 5, 0.6, 30
"""Features come in blocks that correlate; effects fall linearly to 0."""
SELECTED = 10


def noise(rng, n, p):
    """Draw features of unit variance, in correlated blocks."""
    shared = np.repeat(rng.normal(size=(n, p // BLOCK)), BLOCK, axis=1)
    return np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * rng.normal(size=(n, p))


def effects(p, largest):
    """Return by how much the classes differ in each feature."""
    falling = largest * (1 - np.arange(N_EFFECTS) / N_EFFECTS)
    return np.concatenate([falling, np.zeros(p - N_EFFECTS)])


def draw(rng, n, p=300, largest=1.1, minority=0.5, samples_per_subject=1):
    """Draw a data set of two classes; return features, classes and subjects.

    Half of the variance within classes is that of subjects, where these have several samples.
    """
    count = n // samples_per_subject
    subject = np.repeat(np.arange(count), samples_per_subject)
    y = (np.arange(count) < round(count * minority)).astype(int)[subject]
    X = noise(rng, n, p)
    if samples_per_subject > 1:
        X = (X + noise(rng, count, p)[subject]) / np.sqrt(2)
    return X + np.outer(y, effects(p, largest)), y, subject


def cross_validation(rng, y, subject, n_folds):
    """Return which samples train each fold: shape (folds, samples)."""
    classes = np.zeros(subject.max() + 1, dtype=int)
    classes[subject] = y
    fold, start = np.zeros(len(classes), dtype=int), 0
    for label in (0, 1):
        own = rng.permutation(np.flatnonzero(classes == label))
        fold[own] = (np.arange(len(own)) + start) % n_folds
        start += len(own)
    return fold[subject] != np.arange(n_folds)[:, None]


def subsampling(rng, y, subject, count, share):
    """Return which samples train each of many subsamples, classes in equal shares."""
    classes = np.zeros(subject.max() + 1, dtype=int)
    classes[subject] = y
    trains = np.ones((count, len(classes)), dtype=bool)
    for label in (0, 1):
        own = np.flatnonzero(classes == label)
        n_left = max(1, round(len(own) * (1 - share)))
        for row in trains:
            row[rng.permutation(own)[:n_left]] = False
    return trains[:, subject]


def class_scores(X, y, trains, classifier="centroid", size=SELECTED):
    """Select by t-score on each training part and score all samples; positive for class 1."""
    weights = [(trains & (y == label)).astype(float) for label in (0, 1)]
    counts = [one.sum(axis=1)[:, None] for one in weights]
    means = [one @ X / count for one, count in zip(weights, counts, strict=True)]
    squares = sum(
        one @ X**2 - count * mean**2
        for one, count, mean in zip(weights, counts, means, strict=True)
    )
    spread = np.sqrt(squares / (counts[0] + counts[1] - 2))
    top = np.argpartition(-np.abs(means[1] - means[0]) / spread, size - 1, axis=1)[:, :size]
    found = np.empty(trains.shape)
    for row, (train, chosen) in enumerate(zip(trains, top, strict=True)):
        scaled = X[:, chosen] / spread[row, chosen]
        if classifier == "knn3":
            found[row] = neighbour_votes(scaled[train], y[train], scaled) - 0.5
            continue
        far = [
            np.square(scaled - mean[row, chosen] / spread[row, chosen]).sum(axis=1)
            for mean in means
        ]
        found[row] = far[0] - far[1]
    return found


def neighbour_votes(train, classes, test):
    """Return the share of class 1 among the three nearest neighbours."""
    far = np.square(test[:, None] - train).sum(axis=2)
    return classes[np.argpartition(far, 2, axis=1)[:, :3]].mean(axis=1)
