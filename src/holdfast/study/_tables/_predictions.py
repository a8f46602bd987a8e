"""Read the predictions of a study as arrays and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from holdfast._typing import AnyArray, BoolArray, FloatArray, IntArray
from holdfast.judge import Pair, Tested
from holdfast.study._storage._reader import DONE_UNITS_SQL, TESTED_ROLES, StudyReader, size_label
from holdfast.study._storage._store import to_floats, to_integers

Rows = dict[int, NDArray[np.int32]]


@dataclass(frozen=True, slots=True)
class Predictions:
    """All predictions of one selector with one classifier at one size, concatenated."""

    resamples: IntArray
    """Positions of the resamples."""
    group: IntArray
    """Index into `resamples` of each prediction."""
    samples: IntArray
    actual: IntArray
    predicted: IntArray
    scores: FloatArray
    """One column for two classes, else one per class; NaN if the classifier has no scores."""


def read_candidate_predictions(
    reader: StudyReader, selector: int, size: int, classifier: int
) -> Predictions | None:
    """Read the test predictions of a candidate; None if there are none."""
    rows = reader.store.query(
        f"SELECT resample, predicted, scores, actual FROM predictions {DONE_UNITS_SQL} "
        "selector = ? AND size = ? AND classifier = ? ORDER BY resample",
        (selector, size, classifier),
    )
    rows = [row for row in rows if len(reader.test_rows.get(row[0], ()))]
    if not rows:
        return None
    tests = [reader.test_rows[row[0]] for row in rows]
    width = 1 if len(reader.labels) == 2 else len(reader.labels)
    return Predictions(
        resamples=np.array([row[0] for row in rows], dtype=np.int64),
        group=np.repeat(np.arange(len(rows)), [len(test) for test in tests]),
        samples=_join_arrays(tests),
        actual=_join_arrays([_actual_classes(reader, row[0], row[3]) for row in rows]),
        predicted=_join_arrays([to_integers(row[1]) for row in rows]),
        scores=np.concatenate(
            [_score_matrix(row[2], len(test), width) for row, test in zip(rows, tests, strict=True)]
        ),
    )


def _join_arrays(parts: list[Any]) -> IntArray:
    return np.concatenate(parts).astype(np.int64)


def _actual_classes(reader: StudyReader, resample: int, drawn: bytes | None) -> AnyArray:
    return reader.classes[reader.test_rows[resample]] if drawn is None else to_integers(drawn)


def _score_matrix(data: bytes | None, count: int, width: int) -> FloatArray:
    if data is None:
        return np.full((count, width), np.nan)
    return to_floats(data).reshape(count, width)


def prediction_frames(reader: StudyReader) -> Iterator[pd.DataFrame]:
    """Yield one table of predictions per selector, classifier and size."""
    for selector in range(len(reader.selectors)):
        for classifier in range(len(reader.classifiers)):
            for size in reader.sizes(selector):
                predictions = read_candidate_predictions(reader, selector, size, classifier)
                if predictions is not None:
                    yield _prediction_frame(reader, predictions, (selector, classifier, size))


def empty_predictions(reader: StudyReader) -> pd.DataFrame:
    """Return the table of predictions without rows."""
    empty = np.empty(0, dtype=np.int64)
    scores = np.empty((0, len(_score_names(reader))))
    predictions = Predictions(empty, empty, empty, empty, empty, scores)
    return _prediction_frame(reader, predictions, (0, 0, 0)).iloc[:0]


def _prediction_frame(
    reader: StudyReader, predictions: Predictions, cell: tuple[int, int, int]
) -> pd.DataFrame:
    """Return a table with categorical names, as there may be millions of rows."""
    n = len(predictions.actual)
    selector, classifier, size = cell
    return pd.DataFrame(
        {
            "selector": _categories(np.full(n, selector), reader.selectors),
            "classifier": _categories(np.full(n, classifier), reader.classifiers),
            "size": np.full(n, size) if size else np.full(n, size_label(size), dtype=object),
            "resample": predictions.resamples[predictions.group],
            "sample": predictions.samples,
            "actual": _categories(predictions.actual, reader.labels),
            "predicted": _categories(predictions.predicted, reader.labels),
            **dict(zip(_score_names(reader), predictions.scores.T, strict=True)),
        }
    )


def _categories(codes: IntArray, names: tuple[str, ...]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes.astype(np.intp), categories=pd.Index(names))


def _score_names(reader: StudyReader) -> list[str]:
    if len(reader.labels) == 2:
        return ["score"]
    return [f"score_{label}" for label in reader.labels]


# Test predictions of all candidates as one array.


class ResampleFilter(NamedTuple):
    """A condition on resamples, as SQL with its values."""

    condition: str
    values: tuple[int, ...] = ()


TESTED_RESAMPLES = ResampleFilter(f"role IN {TESTED_ROLES}")
"""The resamples that errors are computed on."""


def read_predictions(reader: StudyReader) -> Tested | None:
    """Read the predictions that errors are computed on; None if there are none."""
    once = reader.plan["protocol"]["tested"] == "once" and not reader.is_drawn
    return _read_tested(reader, TESTED_RESAMPLES, once=once)


def read_inner_predictions(reader: StudyReader) -> dict[int, Tested]:
    """Read the predictions on inner test parts, by position of the outer resample."""
    outer = {i: part.outer for i, part in reader.resamples.items() if part.role == "outer"}
    inner = {
        i: ResampleFilter("role = 'inner' AND outer_resample = ?", (number,))
        for i, number in outer.items()
        if number is not None
    }
    predictions = {i: _read_tested(reader, which, once=None) for i, which in inner.items()}
    return {i: tested for i, tested in predictions.items() if tested is not None}


def _read_tested(reader: StudyReader, which: ResampleFilter, *, once: bool | None) -> Tested | None:
    """Read the predictions on some test parts; `once` is derived from them if None."""
    tests = _read_test_rows(reader, which)
    cells = _candidates(reader)
    wrong, known = _read_errors(reader, cells, tests, which)
    if not known.any():
        return None
    samples = np.concatenate(list(tests.values())).astype(np.int64)
    group = np.repeat(list(tests), [len(test) for test in tests.values()])
    if once is None:
        once = len(np.unique(samples)) == len(samples)
    return Tested(
        pairs=tuple(cells.values()),
        wrong=wrong,
        known=known,
        samples=samples,
        group=group,
        once=once,
        overlap=ratio_of_test_samples(reader, which),
        units=group if reader.is_drawn else read_subjects(reader, samples),
    )


def _candidates(reader: StudyReader) -> dict[tuple[int, int, int], Pair]:
    """Return all candidates in the order of the table of errors."""
    return {
        (selector, classifier, size): Pair(name, called, size_label(size))
        for selector, name in enumerate(reader.selectors)
        for classifier, called in enumerate(reader.classifiers)
        for size in reader.sizes(selector)
    }


def _read_test_rows(reader: StudyReader, which: ResampleFilter) -> Rows:
    """Return the rows of the test parts."""
    return {i: to_integers(test) for i, test in _query_resample_columns(reader, "test", which)}


def ratio_of_test_samples(reader: StudyReader, which: ResampleFilter = TESTED_RESAMPLES) -> float:
    """Return the ratio of test samples to training samples; 0 for independent data sets."""
    if reader.is_drawn:
        return 0.0
    rows = _query_resample_columns(reader, "train, test", which)
    trained = sum(len(np.unique(to_integers(train))) for _, train, _ in rows)
    tested = sum(len(to_integers(test)) for _, _, test in rows)
    return float(tested / trained)


def _query_resample_columns(
    reader: StudyReader, columns: str, which: ResampleFilter
) -> list[tuple[Any, ...]]:
    return _query_resamples(reader, f"resample, {columns} FROM resamples WHERE", which)


def _read_errors(
    reader: StudyReader, cells: Iterable[tuple[int, int, int]], tests: Rows, which: ResampleFilter
) -> tuple[BoolArray, BoolArray]:
    """Return which predictions are wrong, and which exist: one row per candidate."""
    rows = {cell: row for row, cell in enumerate(cells)}
    ends = np.cumsum([len(test) for test in tests.values()], dtype=np.int64)
    spans = {i: slice(end - len(tests[i]), end) for i, end in zip(tests, ends, strict=True)}
    wrong, known = np.zeros((2, len(rows), int(ends.max(initial=0))), dtype=bool)
    columns = (
        f"selector, classifier, size, resample, predicted, actual FROM predictions {DONE_UNITS_SQL}"
    )
    for *cell, number, predicted, drawn in _query_resamples(reader, columns, which):
        actual = reader.classes[tests[number]] if drawn is None else to_integers(drawn)
        wrong[rows[tuple(cell)], spans[number]] = to_integers(predicted) != actual
        known[rows[tuple(cell)], spans[number]] = True
    return wrong, known


def _query_resamples(
    reader: StudyReader, columns: str, which: ResampleFilter
) -> list[tuple[Any, ...]]:
    """Query columns of some resamples, in their order."""
    numbers = f"SELECT resample FROM resamples WHERE {which.condition}"
    text = f"SELECT {columns} resample IN ({numbers}) ORDER BY resample"
    return reader.store.query(text, which.values)


def read_subjects(reader: StudyReader, samples: IntArray) -> IntArray | None:
    """Return the subjects of samples; None if samples have no subjects."""
    rows = reader.store.query("SELECT subject FROM samples ORDER BY sample")
    names = [name for (name,) in rows]
    if None in names:
        return None
    return np.unique(names, return_inverse=True)[1].astype(np.int64)[samples]
