"""The table of errors: each selector with each classifier at each size."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast.judge._spreads import clustered, summed
from holdfast.study._predicted import predictions_of
from holdfast.study._scores import auc_error, aucs, class_counts, recalls, shares_wrong
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
        wrong, n = found.actual != found.predicted, len(found.actual)
        share = float(wrong.mean())
        spread = self._by_subject(found, (wrong - share) / n)
        return Mean(share, float(np.sqrt(share * (1 - share) / n)) if spread is None else spread)

    def _by_subject(self, found: Predictions, parts: NDArray[np.float64]) -> float | None:
        """Return the standard error of what predictions contribute; None: each is its own subject.

        Samples of one subject are not independent; their contributions are summed first.
        """
        subjects = self._subjects
        if subjects is None:
            return None
        mine = subjects[found.samples]
        sums = np.asarray(np.bincount(mine, weights=parts), dtype=np.float64)
        return float(clustered(sums[None], np.bincount(mine)[None] > 0)[0])

    @cached_property
    def _subjects(self) -> NDArray[np.int64] | None:
        """The subject of each sample; None where none has several."""
        n = len(self._view.classes)
        subjects = subjects_of(self._view, np.arange(n))
        return None if subjects is None or len(np.unique(subjects)) == n else subjects

    def _mean_error(self, found: Predictions) -> Mean:
        return self._mean(shares_wrong(found.actual, found.predicted, found.group))

    def _balanced(self, found: Predictions) -> Mean:
        if self._once:
            return self._pooled_balanced(found)
        shares = recalls(found.actual, found.predicted, found.group, self._n_classes)
        return self._mean(shares.mean(axis=1))

    def _pooled_balanced(self, found: Predictions) -> Mean:
        together = np.zeros_like(found.group)
        shares = recalls(found.actual, found.predicted, together, self._n_classes)[0]
        counts = class_counts(found.actual, together, self._n_classes)[0]
        right = found.actual == found.predicted
        parts = (right - shares[found.actual]) / (counts[found.actual] * self._n_classes)
        spread = self._by_subject(found, parts)
        if spread is None:
            with np.errstate(invalid="ignore", divide="ignore"):  # a class without a prediction
                variance = np.sum(shares * (1 - shares) / counts)
            spread = float(np.sqrt(variance) / self._n_classes)
        mean = float(shares.mean())
        return Mean(mean, spread if np.isfinite(mean) else np.nan)

    def _auc(self, found: Predictions) -> Mean:
        """Average over test parts that hold all classes; where most do not, pool all of them.

        DeLong's standard error of pooled scores takes all samples for independent, those of one
        subject too.
        """
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
        (mean,), (spread,), _ = summed(values[None], self._overlap)
        return Mean(float(mean), float(spread))

    @cached_property
    def _overlap(self) -> float:
        return overlap_of(self._view)
