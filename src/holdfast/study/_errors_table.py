"""The table of errors: each selector with each classifier at each size."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast.judge import Pair, Tested
from holdfast.judge._scored import Sheet
from holdfast.judge._spreads import clustered_variance, summed
from holdfast.study._predicted import predictions_of
from holdfast.study._scores import (
    auc_error,
    aucs,
    class_counts,
    placements,
    positive_classes,
    recalls,
)
from holdfast.study._tested import overlap_of, subjects_of
from holdfast.study._view import size_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.study._predicted import Predictions
    from holdfast.study._view import View

COLUMNS = [
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
        return pd.DataFrame(columns=COLUMNS)
    judge = Judge(view, once=tested == "once" and not view.drawn)
    rows = [
        {"selector": name, "classifier": called, "size": size_label(size), **judge.row(found)}
        for selector, name in enumerate(view.selectors)
        for classifier, called in enumerate(view.classifiers)
        for size in view.sizes(selector)
        for found in [predictions_of(view, selector, size, classifier)]
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


class Parts(NamedTuple):
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
        scored = Sheet(self._tested(found, units)).weighed()
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
        parts = Parts(
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

    def _placed(self, found: Predictions, kept: NDArray[np.bool_]) -> Parts:
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
        return Parts(values, leverage, weight, twice)

    def _spread(self, parts: Parts, units: NDArray[np.int64], learned: float) -> float:
        """Return the standard error between data sets; see `holdfast.judge._spreads`."""
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
    (mean,), (spread,), _ = summed(values[None], 0.0)
    return Mean(float(mean), float(spread))
