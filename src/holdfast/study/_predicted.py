"""Predictions: as arrays for the table of errors, as tables for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast.study._store import to_floats, to_integers
from holdfast.study._view import DONE, size_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.study._view import View


@dataclass(frozen=True, slots=True)
class Predictions:
    """All predictions of one selector with one classifier at one size, behind each other."""

    resamples: NDArray[np.int64]
    """Numbers of the resamples."""
    group: NDArray[np.int64]
    """Which of these resamples each prediction belongs to."""
    samples: NDArray[np.int64]
    actual: NDArray[np.int64]
    predicted: NDArray[np.int64]
    scores: NDArray[np.float64]
    """One column for two classes, else one a class; NaN where the classifier has none."""


def predictions_of(view: View, selector: int, size: int, classifier: int) -> Predictions | None:
    """Read the predictions that count; None if there are none."""
    rows = view.store.query(
        f"SELECT resample, predicted, scores, actual FROM predictions {DONE} "
        "selector = ? AND size = ? AND classifier = ? ORDER BY resample",
        (selector, size, classifier),
    )
    rows = [row for row in rows if len(view.tests.get(row[0], ()))]
    if not rows:
        return None
    tests = [view.tests[row[0]] for row in rows]
    width = 1 if len(view.labels) == 2 else len(view.labels)
    return Predictions(
        resamples=np.array([row[0] for row in rows], dtype=np.int64),
        group=np.repeat(np.arange(len(rows)), [len(test) for test in tests]),
        samples=_joined(tests),
        actual=_joined([_actual(view, row[0], row[3]) for row in rows]),
        predicted=_joined([to_integers(row[1]) for row in rows]),
        scores=np.concatenate(
            [_scores(row[2], len(test), width) for row, test in zip(rows, tests, strict=True)]
        ),
    )


def _joined(parts: list[Any]) -> NDArray[np.int64]:
    return np.concatenate(parts).astype(np.int64)


def _actual(view: View, resample: int, drawn: bytes | None) -> NDArray[Any]:
    return view.classes[view.tests[resample]] if drawn is None else to_integers(drawn)


def _scores(data: bytes | None, count: int, width: int) -> NDArray[np.float64]:
    if data is None:
        return np.full((count, width), np.nan)
    return to_floats(data).reshape(count, width)


def prediction_frames(view: View) -> Iterator[pd.DataFrame]:
    """Yield the predictions as tables, one for each selector, classifier and size."""
    for selector in range(len(view.selectors)):
        for classifier in range(len(view.classifiers)):
            for size in view.sizes(selector):
                found = predictions_of(view, selector, size, classifier)
                if found is not None:
                    yield _frame(view, found, (selector, classifier, size))


def no_predictions(view: View) -> pd.DataFrame:
    """Return the table without a row."""
    empty = np.empty(0, dtype=np.int64)
    scores = np.empty((0, len(_score_names(view))))
    found = Predictions(empty, empty, empty, empty, empty, scores)
    return _frame(view, found, (0, 0, 0)).iloc[:0]


def _frame(view: View, found: Predictions, cell: tuple[int, int, int]) -> pd.DataFrame:
    """Return a table whose words are categories, for there are millions of rows."""
    n = len(found.actual)
    selector, classifier, size = cell
    return pd.DataFrame(
        {
            "selector": _words(np.full(n, selector), view.selectors),
            "classifier": _words(np.full(n, classifier), view.classifiers),
            "size": np.full(n, size) if size else np.full(n, size_label(size), dtype=object),
            "resample": found.resamples[found.group],
            "sample": found.samples,
            "actual": _words(found.actual, view.labels),
            "predicted": _words(found.predicted, view.labels),
            **dict(zip(_score_names(view), found.scores.T, strict=True)),
        }
    )


def _words(codes: NDArray[np.int64], words: tuple[str, ...]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes.astype(np.intp), categories=pd.Index(words))


def _score_names(view: View) -> list[str]:
    if len(view.labels) == 2:
        return ["score"]
    return [f"score_{label}" for label in view.labels]
