"""The table of errors: each selector with each classifier at each size."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from holdfast.judge import Pair, Tested
from holdfast.judge._error_comparison import PredictionErrors
from holdfast.judge._significance import clustered_variance, mean_and_corrected_error
from holdfast.study._storage._reader import size_label
from holdfast.study._tables._predictions import overlap_of, predictions_of, subjects_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.study._storage._reader import View
    from holdfast.study._tables._predictions import Predictions

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


ERROR_COLUMNS = [
    *("selector", "classifier", "size", "error", "standard_error"),
    *("balanced_accuracy", "balanced_accuracy_error", "auc", "auc_error"),
    *("n", "resamples"),
]


class Mean(NamedTuple):
    """A mean and its standard error."""

    value: float = np.nan
    error: float = np.nan


def errors_table(view: View) -> pd.DataFrame:
    """Sum up all predictions that count."""
    tested = view.plan["protocol"]["tested"]
    if tested == "never":
        return pd.DataFrame(columns=ERROR_COLUMNS)
    judge = Judge(view, once=tested == "once" and not view.drawn)
    rows = [
        {"selector": name, "classifier": called, "size": size_label(size), **judge.row(found)}
        for selector, name in enumerate(view.selectors)
        for classifier, called in enumerate(view.classifiers)
        for size in view.sizes(selector)
        for found in [predictions_of(view, selector, size, classifier)]
    ]
    return pd.DataFrame(rows, columns=ERROR_COLUMNS)


class PredictionContributions(NamedTuple):
    """What predictions contribute to a mean over test parts, measured from that mean."""

    values: NDArray[np.float64]
    """Their sum is the estimate minus what it estimates."""
    leverage: NDArray[np.float64]
    """The share that each has in the means of its class."""
    weight: NDArray[np.float64]
    """The share of a prediction in all of them."""
    twice: float = 0.0
    """What is counted twice in the squares, as both samples of a two in an area have it."""


class Judge:
    """Errors, by the way the study tests."""

    def __init__(self, view: View, *, once: bool) -> None:
        self._view = view
        self._once = once
        self._n_classes = len(view.labels)

    def row(self, found: Predictions | None) -> dict[str, Any]:
        """Return the numbers of one selector with one classifier at one size."""
        if found is None:
            return {"n": 0, "resamples": 0}
        units = self._units(found)
        scored = PredictionErrors(self._tested(found, units)).weighed()
        learned = float(scored.learned[0])
        balanced = self._balanced(found, units, learned)
        area = self._auc(found, units, learned)
        return {
            "error": float(scored.errors[0]),
            "standard_error": float(scored.spreads[0]),
            "balanced_accuracy": balanced.value,
            "balanced_accuracy_error": balanced.error,
            "auc": area.value,
            "auc_error": area.error,
            "n": len(found.actual),
            "resamples": len(found.resamples),
        }

    def _units(self, found: Predictions) -> NDArray[np.int64]:
        """Return what is independent: the data set, the subject or the sample of a prediction."""
        if self._view.drawn:
            return found.group
        return found.samples if self._subjects is None else self._subjects[found.samples]

    @cached_property
    def _subjects(self) -> NDArray[np.int64] | None:
        """The subject of each sample; None where none has several."""
        n = len(self._view.classes)
        subjects = subjects_of(self._view, np.arange(n))
        return None if subjects is None or len(np.unique(subjects)) == n else subjects

    def _tested(self, found: Predictions, units: NDArray[np.int64]) -> Tested:
        wrong = (found.actual != found.predicted)[None]
        return Tested(
            pairs=(Pair("", None, 0),),
            wrong=wrong,
            known=np.ones_like(wrong),
            samples=found.samples,
            group=found.group,
            once=self._once,
            overlap=self._overlap,
            units=units,
        )

    def _balanced(self, found: Predictions, units: NDArray[np.int64], learned: float) -> Mean:
        """Average the shares of each class that are right: over all, or over test parts."""
        group = np.zeros_like(found.group) if self._once else found.group
        counts = class_counts(found.actual, group, self._n_classes)
        whole = counts.min(axis=1) > 0
        if not whole.any():
            return Mean()
        shares = recalls(found.actual, found.predicted, group, self._n_classes)
        if self._view.drawn:
            return _mean(shares[whole].mean(axis=1))
        by_class = shares[whole].mean(axis=0)
        kept = whole[group]
        actual, part, n = found.actual[kept], group[kept], int(whole.sum())
        leverage = 1 / (n * counts[part, actual])
        right = actual == found.predicted[kept]
        parts = PredictionContributions(
            values=(right - by_class[actual]) * leverage / self._n_classes,
            leverage=leverage,
            weight=1 / (n * counts[part].sum(axis=1)),
        )
        return Mean(float(by_class.mean()), self._spread(parts, units[kept], learned))

    def _auc(self, found: Predictions, units: NDArray[np.int64], learned: float) -> Mean:
        """Average over test parts that hold all classes; where most do not, pool all of them.

        DeLong's standard error of pooled scores takes all samples for independent, those of one
        subject too.
        """
        counts = class_counts(found.actual, found.group, self._n_classes)
        areas = aucs(found.actual, found.scores, found.group, self._n_classes)
        if 2 * np.count_nonzero(counts.min(axis=1)) < len(counts):
            everything = np.zeros_like(found.group)
            area = aucs(found.actual, found.scores, everything, self._n_classes)[0]
            spread = np.nan
            if self._once:
                spread = auc_error(found.actual, found.scores, self._n_classes)
            return Mean(float(area), float(spread * np.sqrt(1 + learned)))
        whole = np.isfinite(areas)
        if not whole.any():
            return Mean()
        if self._view.drawn:
            return _mean(areas[whole])
        kept = whole[found.group]
        parts = self._placed(found, kept)
        return Mean(float(areas[whole].mean()), self._spread(parts, units[kept], learned))

    def _placed(self, found: Predictions, kept: NDArray[np.bool_]) -> PredictionContributions:
        """Return what predictions contribute to the mean area: their placements."""
        group = np.unique(found.group[kept], return_inverse=True)[1]
        n = int(group[-1]) + 1
        values, leverage, twice = np.zeros(len(group)), np.zeros(len(group)), 0.0
        classes = positive_classes(self._n_classes)
        for column, positive in enumerate(classes):
            is_positive = found.actual[kept] == positive
            placed, own, other = placements(is_positive, found.scores[kept, column], group)
            mean = float((placed / (n * own))[is_positive].sum())
            values += (placed - mean) / (n * own * len(classes))
            leverage += 1 / (n * own * len(classes))
            # twos in order or not: squares of the differences from the mean, summed over all
            squares = placed * (1 - 2 * mean) + mean**2
            shares = 1 / (n * len(classes)) ** 2 / (own**2 * other)
            twice += float((squares * shares)[is_positive].sum())
        weight = 1 / (n * np.bincount(group)[group])
        return PredictionContributions(values, leverage, weight, twice)

    def _spread(
        self, parts: PredictionContributions, units: NDArray[np.int64], learned: float
    ) -> float:
        """Return the standard error between data sets; see `holdfast.judge._significance`."""
        unit = np.unique(units, return_inverse=True)[1]
        count = int(unit.max()) + 1
        sums = np.bincount(unit, weights=parts.values)[None].astype(np.float64)
        shares = np.minimum(np.bincount(unit, weights=parts.leverage), 0.5)[None]
        between = clustered_variance(sums, shares, np.ones(count, dtype=np.intp))[0] - parts.twice
        more = between
        if not self._once:
            squares = float((parts.values**2 / parts.weight).sum())
            more = squares * between / (between + parts.twice) / count if between > 0 else 0.0
        return float(np.sqrt(max(between, 0.0) + learned * max(more, 0.0)))

    @cached_property
    def _overlap(self) -> float:
        return overlap_of(self._view)


def _mean(values: NDArray[np.float64]) -> Mean:
    """Average over independent data sets."""
    (mean,), (spread,), _ = mean_and_corrected_error(values[None], 0.0)
    return Mean(float(mean), float(spread))


# How good predictions are: arrays in, arrays out, for many test parts at once.
#
# `group` says which test part each prediction belongs to, 0, 1, ..., behind each other.


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
