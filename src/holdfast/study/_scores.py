"""How good predictions are: arrays in, arrays out, for many test parts at once.

`group` says which test part each prediction belongs to, 0, 1, ..., behind each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


def shares_wrong(actual: Integers, predicted: Integers, group: Integers) -> Floats:
    """Return for each test part the share of samples that are misclassified."""
    wrong = np.bincount(group, weights=actual != predicted)
    return np.asarray(wrong / np.bincount(group), dtype=np.float64)


def class_counts(actual: Integers, group: Integers, n_classes: int) -> Integers:
    """Return how many samples of each class (columns) each test part (rows) has."""
    cells = (group[-1] + 1) * n_classes
    counts = np.bincount(group * n_classes + actual, minlength=cells)
    return counts.reshape(-1, n_classes).astype(np.int64)


def recalls(actual: Integers, predicted: Integers, group: Integers, n_classes: int) -> Floats:
    """Return the share of each class (columns) that each test part (rows) gets right.

    NaN where a class is missing.
    """
    right = actual == predicted
    cells = (group[-1] + 1) * n_classes
    hits = np.bincount(group[right] * n_classes + actual[right], minlength=cells)
    with np.errstate(invalid="ignore"):
        shares = hits.reshape(-1, n_classes) / class_counts(actual, group, n_classes)
    return np.asarray(shares, dtype=np.float64)


def aucs(actual: Integers, scores: Floats, group: Integers, n_classes: int) -> Floats:
    """Return the area under the ROC curve of each test part, NaN where a class is missing.

    Scores have one column for two classes (higher speaks for class 1), else one a class: then
    the areas of each class against the rest are averaged, all with the same weight.
    """
    positives = positive_classes(n_classes)
    areas = [
        _areas(actual == positive, scores[:, column], group)
        for column, positive in enumerate(positives)
    ]
    return np.asarray(np.mean(areas, axis=0), dtype=np.float64)


def _areas(positive: NDArray[np.bool_], scores: Floats, group: Integers) -> Floats:
    """Return the share of pairs of one positive and one other that are in order; ties count half.

    It is had from the rank sum of the positives.
    """
    ranks = _ranks_within(scores, group)
    n = np.bincount(group)
    ones = np.bincount(group, weights=positive)
    sums = np.bincount(group, weights=ranks * positive)
    sick = np.bincount(group, weights=~np.isfinite(scores)) > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        areas = (sums - ones * (ones + 1) / 2) / (ones * (n - ones))
    return np.where(sick, np.nan, areas)


def _ranks_within(scores: Floats, group: Integers) -> Floats:
    """Return the rank of each score within its test part, ties averaged, 1 the lowest."""
    order = np.lexsort((scores, group))
    ordered, owner = scores[order], group[order]
    new = np.concatenate(([True], (ordered[1:] != ordered[:-1]) | (owner[1:] != owner[:-1])))
    starts = np.flatnonzero(new)
    lengths = np.diff(starts, append=len(order))
    first = np.concatenate(([0], np.cumsum(np.bincount(group))))[owner]
    ranks = np.empty(len(order))
    ranks[order] = np.repeat(starts + (lengths + 1) / 2, lengths) - first
    return ranks


def placements(
    positive: NDArray[np.bool_], scores: Floats, group: Integers
) -> tuple[Floats, Integers, Integers]:
    """Return the share of the other side that each score is in order with, in its test part.

    Also how many samples its own side has, and the other one.
    """
    side = 2 * group + positive
    count = np.bincount(side, minlength=2 * (int(group.max()) + 1))
    own, other = count[side], count[side + 1 - 2 * positive]
    below = _ranks_within(scores, group) - _ranks_within(scores, side)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = below / other
    return np.where(positive, share, 1 - share), own.astype(np.int64), other.astype(np.int64)


def positive_classes(n_classes: int) -> range:
    """Return the classes that have an area, and a column of scores, each."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def auc_error(actual: Integers, scores: Floats, n_classes: int) -> float:
    """Return the standard error of the area over one set of independent predictions.

    Each prediction's share in the area is its placement among the others; the variance of the
    shares within each class gives the error (DeLong, DeLong & Clarke-Pearson 1988), here also
    of a mean of several areas.
    """
    counts = np.bincount(actual, minlength=n_classes)
    if counts.min() < 2 or not np.isfinite(scores).all():
        return np.nan
    positives = positive_classes(n_classes)
    placed = [
        _placements(actual == positive, scores[:, column])
        for column, positive in enumerate(positives)
    ]
    shares = np.mean(placed, axis=0)
    variances = [shares[actual == c].var(ddof=1) * counts[c] for c in range(n_classes)]
    return float(np.sqrt(sum(variances)))


def _placements(positive: NDArray[np.bool_], scores: Floats) -> Floats:
    """Return the share of the other side that each score is in order with, over its own side."""
    ranks = rankdata(scores)
    placed = np.empty(len(scores))
    for side, sign in ((positive, 1.0), (~positive, -1.0)):
        below = (ranks[side] - rankdata(scores[side])) / (~side).sum()
        placed[side] = (below if sign > 0 else 1 - below) / side.sum()
    return placed
