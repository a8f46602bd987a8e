"""Predictions: as arrays for the table of errors, as tables for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast.judge import Pair, Tested
from holdfast.study._storage._reader import DONE, TESTED, size_label
from holdfast.study._storage._store import to_floats, to_integers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from holdfast.study._storage._reader import View

    Rows = dict[int, NDArray[np.int32]]


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
        samples=_join_arrays(tests),
        actual=_join_arrays([_actual(view, row[0], row[3]) for row in rows]),
        predicted=_join_arrays([to_integers(row[1]) for row in rows]),
        scores=np.concatenate(
            [_scores(row[2], len(test), width) for row, test in zip(rows, tests, strict=True)]
        ),
    )


def _join_arrays(parts: list[Any]) -> NDArray[np.int64]:
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


# The predictions of a study, all pairs side by side, as those who judge take them.


class Chosen(NamedTuple):
    """Some of the resamples, as a condition for the store."""

    condition: str
    values: tuple[int, ...] = ()


COUNTING = Chosen(f"role IN {TESTED}")
"""The resamples that errors come from."""


def tested_of(view: View) -> Tested | None:
    """Read the predictions that errors come from; None if there are none."""
    once = view.plan["protocol"]["tested"] == "once" and not view.drawn
    return _read(view, COUNTING, once=once)


def inner_tested(view: View) -> dict[int, Tested]:
    """Read the predictions on inner test parts, by the number of the outer resample."""
    outer = {i: part.outer for i, part in view.parts.items() if part.role == "outer"}
    inner = {
        i: Chosen("role = 'inner' AND outer_resample = ?", (number,))
        for i, number in outer.items()
        if number is not None
    }
    read = {i: _read(view, chosen, once=None) for i, chosen in inner.items()}
    return {i: tested for i, tested in read.items() if tested is not None}


def _read(view: View, chosen: Chosen, *, once: bool | None) -> Tested | None:
    """Read the predictions on some test parts; whether once is told from them if not given."""
    tests = _tests(view, chosen)
    cells = _cells(view)
    wrong, known = _read_errors(view, cells, tests, chosen)
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
        overlap=overlap_of(view, chosen),
        units=group if view.drawn else subjects_of(view, samples),
    )


def _cells(view: View) -> dict[tuple[int, int, int], Pair]:
    """Name all pairs, in the order of the table of errors."""
    return {
        (selector, classifier, size): Pair(name, called, size_label(size))
        for selector, name in enumerate(view.selectors)
        for classifier, called in enumerate(view.classifiers)
        for size in view.sizes(selector)
    }


def _tests(view: View, chosen: Chosen) -> Rows:
    """Return the rows of test parts."""
    return {i: to_integers(test) for i, test in _query_resample_columns(view, "test", chosen)}


def overlap_of(view: View, chosen: Chosen = COUNTING) -> float:
    """Return how many samples are tested for each that trains; 0 for independent data sets."""
    if view.drawn:
        return 0.0
    rows = _query_resample_columns(view, "train, test", chosen)
    trained = sum(len(np.unique(to_integers(train))) for _, train, _ in rows)
    tested = sum(len(to_integers(test)) for _, _, test in rows)
    return float(tested / trained)


def _query_resample_columns(view: View, what: str, chosen: Chosen) -> list[tuple[Any, ...]]:
    return _query_resamples(view, f"resample, {what} FROM resamples WHERE", chosen)


def _read_errors(
    view: View, cells: Iterable[tuple[int, int, int]], tests: Rows, chosen: Chosen
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which predictions are wrong, and which there are: a row a pair."""
    rows = {cell: row for row, cell in enumerate(cells)}
    ends = np.cumsum([len(test) for test in tests.values()], dtype=np.int64)
    spans = {i: slice(end - len(tests[i]), end) for i, end in zip(tests, ends, strict=True)}
    wrong, known = np.zeros((2, len(rows), int(ends.max(initial=0))), dtype=bool)
    what = f"selector, classifier, size, resample, predicted, actual FROM predictions {DONE}"
    for *cell, number, predicted, drawn in _query_resamples(view, what, chosen):
        actual = view.classes[tests[number]] if drawn is None else to_integers(drawn)
        wrong[rows[tuple(cell)], spans[number]] = to_integers(predicted) != actual
        known[rows[tuple(cell)], spans[number]] = True
    return wrong, known


def _query_resamples(view: View, what: str, chosen: Chosen) -> list[tuple[Any, ...]]:
    """Read what the store holds of some resamples, in their order."""
    numbers = f"SELECT resample FROM resamples WHERE {chosen.condition}"
    text = f"SELECT {what} resample IN ({numbers}) ORDER BY resample"
    return view.store.query(text, chosen.values)


def subjects_of(view: View, samples: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the subject of each of some samples, None where samples belong to none."""
    rows = view.store.query("SELECT subject FROM samples ORDER BY sample")
    names = [name for (name,) in rows]
    if None in names:
        return None
    return np.unique(names, return_inverse=True)[1].astype(np.int64)[samples]
