"""The table of errors: each selector with each classifier at each size."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast.study._predicted import predictions_of
from holdfast.study._scores import auc_error, aucs, class_counts, recalls, shares_wrong
from holdfast.study._store import to_integers
from holdfast.study._view import TESTED, size_label

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
        error = self._pooled_error(found) if self._once else self._mean_error(found)
        balanced = self._balanced(found)
        area = self._auc(found)
        return {
            "error": error.value,
            "standard_error": error.error,
            "balanced_accuracy": balanced.value,
            "balanced_accuracy_error": balanced.error,
            "auc": area.value,
            "auc_error": area.error,
            "n": len(found.actual),
            "resamples": len(found.resamples),
        }

    def _pooled_error(self, found: Predictions) -> Mean:
        share = float(np.mean(found.actual != found.predicted))
        return Mean(share, float(np.sqrt(share * (1 - share) / len(found.actual))))

    def _mean_error(self, found: Predictions) -> Mean:
        return self._mean(shares_wrong(found.actual, found.predicted, found.group))

    def _balanced(self, found: Predictions) -> Mean:
        group = np.zeros_like(found.group) if self._once else found.group
        shares = recalls(found.actual, found.predicted, group, self._n_classes)
        if not self._once:
            return self._mean(shares.mean(axis=1))
        counts = class_counts(found.actual, group, self._n_classes)[0]
        with np.errstate(invalid="ignore", divide="ignore"):  # a class without a prediction
            variance = np.sum(shares[0] * (1 - shares[0]) / counts)
        return Mean(float(shares[0].mean()), float(np.sqrt(variance) / self._n_classes))

    def _auc(self, found: Predictions) -> Mean:
        """Average over test parts that hold all classes; where most do not, pool all of them."""
        counts = class_counts(found.actual, found.group, self._n_classes)
        whole = int(np.count_nonzero(counts.min(axis=1)))
        if 2 * whole >= len(counts):
            return self._mean(aucs(found.actual, found.scores, found.group, self._n_classes))
        everything = np.zeros_like(found.group)
        area = aucs(found.actual, found.scores, everything, self._n_classes)[0]
        spread = np.nan
        if self._once:
            spread = auc_error(found.actual, found.scores, self._n_classes)
        return Mean(float(area), spread)

    def _mean(self, values: NDArray[np.float64]) -> Mean:
        """Average over resamples, those without a value left out."""
        values = values[np.isfinite(values)]
        k = len(values)
        if k == 0:
            return Mean()
        spread = values.std(ddof=1) if k > 1 else np.nan
        return Mean(float(values.mean()), float(spread * np.sqrt(1 / k + self._overlap)))

    @cached_property
    def _overlap(self) -> float:
        """How many samples are tested for each that trains; 0 where data sets are independent."""
        if self._view.drawn:
            return 0.0
        parts = self._view.parts
        rows = self._view.store.query("SELECT resample, train FROM resamples")
        trained = [len(np.unique(to_integers(t))) for i, t in rows if parts[i].role in TESTED]
        tested = [part.n_test for part in parts.values() if part.role in TESTED]
        return float(np.sum(tested) / np.sum(trained))
