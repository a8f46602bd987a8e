"""The predictions of a study, and its table of errors by selector, classifier and size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from holdfast._typing import BoolArray, FloatArray, IntArray
from holdfast.judge import (
    Pair,
    PredictionErrors,
    Tested,
    clustered_variance,
    mean_and_corrected_error,
)
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
    rows = reader.query_units(
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
        actual=_join_arrays(
            [
                reader.classes[test] if row[3] is None else to_integers(row[3])
                for row, test in zip(rows, tests, strict=True)
            ]
        ),
        predicted=_join_arrays([to_integers(row[1]) for row in rows]),
        scores=np.concatenate(
            [
                np.full((len(test), width), np.nan)
                if row[2] is None
                else to_floats(row[2]).reshape(len(test), width)
                for row, test in zip(rows, tests, strict=True)
            ]
        ),
    )


def _join_arrays(parts: list[Any]) -> IntArray:
    return np.concatenate(parts).astype(np.int64)


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
            "selector": _to_categorical(np.full(n, selector), reader.selectors),
            "classifier": _to_categorical(np.full(n, classifier), reader.classifiers),
            "size": np.full(n, size) if size else np.full(n, size_label(size), dtype=object),
            "resample": predictions.resamples[predictions.group],
            "sample": predictions.samples,
            "actual": _to_categorical(predictions.actual, reader.labels),
            "predicted": _to_categorical(predictions.predicted, reader.labels),
            **dict(zip(_score_names(reader), predictions.scores.T, strict=True)),
        }
    )


def _to_categorical(codes: IntArray, names: tuple[str, ...]) -> pd.Categorical[str]:
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
    test_parts = _query_resample_columns(reader, "test", which)
    tests = {resample: to_integers(rows) for resample, rows in test_parts}
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
        (selector, classifier, size): Pair(selector_name, classifier_name, size_label(size))
        for selector, selector_name in enumerate(reader.selectors)
        for classifier, classifier_name in enumerate(reader.classifiers)
        for size in reader.sizes(selector)
    }


def ratio_of_test_samples(reader: StudyReader, which: ResampleFilter = TESTED_RESAMPLES) -> float:
    """Return the ratio of test samples to training samples; 0 for independent data sets."""
    if reader.is_drawn:
        return 0.0
    rows = _query_resample_columns(reader, "train, test", which)
    # a training sample that was drawn twice counts once
    n_train = sum(len(np.unique(to_integers(train))) for _, train, _ in rows)
    n_test = sum(len(to_integers(test)) for _, _, test in rows)
    return float(n_test / n_train)


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
    return reader.query_units(text, which.values)


def read_subjects(reader: StudyReader, samples: IntArray) -> IntArray | None:
    """Return the subjects of samples; None if samples have no subjects."""
    rows = reader.store.query("SELECT subject FROM samples ORDER BY sample")
    names = [name for (name,) in rows]
    if None in names:
        return None
    return np.unique(names, return_inverse=True)[1].astype(np.int64)[samples]


# The table of errors: one row per selector, classifier and size.

ERROR_COLUMNS = [
    *("selector", "classifier", "size", "error", "standard_error"),
    *("balanced_accuracy", "balanced_accuracy_error", "auc", "auc_error"),
    *("n", "resamples"),
]


class Mean(NamedTuple):
    """A mean and its standard error."""

    value: float = np.nan
    error: float = np.nan


def errors_table(reader: StudyReader) -> pd.DataFrame:
    """Compute the errors of all candidates."""
    tested = reader.plan["protocol"]["tested"]
    if tested == "never":
        return pd.DataFrame(columns=ERROR_COLUMNS)
    calculator = ErrorCalculator(reader, once=tested == "once" and not reader.is_drawn)
    rows = []
    for i, selector in enumerate(reader.selectors):
        for j, classifier in enumerate(reader.classifiers):
            for size in reader.sizes(i):
                numbers = calculator.row(read_candidate_predictions(reader, i, size, j))
                names = {"selector": selector, "classifier": classifier}
                rows.append({**names, "size": size_label(size), **numbers})
    return pd.DataFrame(rows, columns=ERROR_COLUMNS)


class PredictionContributions(NamedTuple):
    """Contributions of predictions to a mean over test parts, as deviations from that mean."""

    values: FloatArray
    """Their sum is the estimate minus its expectation."""
    leverage: FloatArray
    """The weight of each prediction in the means of its class."""
    weight: FloatArray
    """The weight of each prediction in the overall mean."""
    twice: float = 0.0
    """What the squares count twice: both samples of a pair contribute to an area."""


class ErrorCalculator:
    """Computes errors, according to how often the study tests each sample."""

    def __init__(self, reader: StudyReader, *, once: bool) -> None:
        self._reader = reader
        self._once = once
        self._n_classes = len(reader.labels)

    def row(self, predictions: Predictions | None) -> dict[str, Any]:
        """Return the errors of one candidate."""
        if predictions is None:
            return {"n": 0, "resamples": 0}
        units = self._independent_units(predictions)
        scored = PredictionErrors(self._to_tested(predictions, units)).candidate_errors()
        # what shared training samples add is estimated once, from the errors
        ratio = float(scored.training_variance_ratio[0])
        balanced = self._balanced_accuracy(predictions, units, ratio)
        area = self._auc(predictions, units, ratio)
        return {
            "error": float(scored.errors[0]),
            "standard_error": float(scored.standard_errors[0]),
            "balanced_accuracy": balanced.value,
            "balanced_accuracy_error": balanced.error,
            "auc": area.value,
            "auc_error": area.error,
            "n": len(predictions.actual),
            "resamples": len(predictions.resamples),
        }

    def _independent_units(self, predictions: Predictions) -> IntArray:
        """Return the independent unit of each prediction: data set, subject or sample."""
        if self._reader.is_drawn:
            return predictions.group
        samples = predictions.samples
        return samples if self._subjects is None else self._subjects[samples]

    @cached_property
    def _subjects(self) -> IntArray | None:
        """The subject of each sample; None if no subject has several samples."""
        n = len(self._reader.classes)
        subjects = read_subjects(self._reader, np.arange(n))
        return None if subjects is None or len(np.unique(subjects)) == n else subjects

    def _to_tested(self, predictions: Predictions, units: IntArray) -> Tested:
        wrong = (predictions.actual != predictions.predicted)[None]
        return Tested(
            pairs=(Pair("", None, 0),),
            wrong=wrong,
            known=np.ones_like(wrong),
            samples=predictions.samples,
            group=predictions.group,
            once=self._once,
            overlap=self._overlap,
            units=units,
        )

    def _balanced_accuracy(self, predictions: Predictions, units: IntArray, ratio: float) -> Mean:
        """Average the recalls of the classes, over all predictions or over test parts."""
        # each sample tested once: all predictions are one large test part
        group = np.zeros_like(predictions.group) if self._once else predictions.group
        counts = class_counts(predictions.actual, group, self._n_classes)
        whole = counts.min(axis=1) > 0
        if not whole.any():
            return Mean()
        shares = recalls(predictions.actual, predictions.predicted, group, self._n_classes)
        if self._reader.is_drawn:
            return _average_independent(shares[whole].mean(axis=1))
        by_class = shares[whole].mean(axis=0)
        kept = whole[group]
        actual, part, n = predictions.actual[kept], group[kept], int(whole.sum())
        leverage = 1 / (n * counts[part, actual])
        right = actual == predictions.predicted[kept]
        parts = PredictionContributions(
            values=(right - by_class[actual]) * leverage / self._n_classes,
            leverage=leverage,
            weight=1 / (n * counts[part].sum(axis=1)),
        )
        error = self._standard_error(parts, units[kept], ratio)
        return Mean(float(by_class.mean()), error)

    def _auc(self, predictions: Predictions, units: IntArray, ratio: float) -> Mean:
        """Average over test parts that hold all classes; pool all if most do not.

        DeLong's standard error of pooled scores treats all samples as independent, even those
        of one subject.
        """
        counts = class_counts(predictions.actual, predictions.group, self._n_classes)
        areas = aucs(predictions.actual, predictions.scores, predictions.group, self._n_classes)
        if 2 * np.count_nonzero(counts.min(axis=1)) < len(counts):
            everything = np.zeros_like(predictions.group)
            area = aucs(predictions.actual, predictions.scores, everything, self._n_classes)[0]
            error = np.nan
            if self._once:
                error = auc_error(predictions.actual, predictions.scores, self._n_classes)
            return Mean(float(area), float(error * np.sqrt(1 + ratio)))
        whole = np.isfinite(areas)
        if not whole.any():
            return Mean()
        if self._reader.is_drawn:
            return _average_independent(areas[whole])
        kept = whole[predictions.group]
        parts = self._auc_contributions(predictions, kept)
        error = self._standard_error(parts, units[kept], ratio)
        return Mean(float(areas[whole].mean()), error)

    def _auc_contributions(
        self, predictions: Predictions, kept: BoolArray
    ) -> PredictionContributions:
        """Return the contributions of predictions to the mean area: their placements."""
        group = np.unique(predictions.group[kept], return_inverse=True)[1]
        n = int(group[-1]) + 1
        values, leverage, twice = np.zeros(len(group)), np.zeros(len(group)), 0.0
        classes = positive_classes(self._n_classes)
        for column, positive in enumerate(classes):
            is_positive = predictions.actual[kept] == positive
            scores = predictions.scores[kept, column]
            placed, n_same, n_other = placements(is_positive, scores, group)
            mean = float((placed / (n * n_same))[is_positive].sum())
            values += (placed - mean) / (n * n_same * len(classes))
            leverage += 1 / (n * n_same * len(classes))
            # ordered pairs: squared differences from the mean, summed over all pairs
            squares = placed * (1 - 2 * mean) + mean**2
            shares = 1 / (n * len(classes)) ** 2 / (n_same**2 * n_other)
            twice += float((squares * shares)[is_positive].sum())
        weight = 1 / (n * np.bincount(group)[group])
        return PredictionContributions(values, leverage, weight, twice)

    def _standard_error(
        self, parts: PredictionContributions, units: IntArray, ratio: float
    ) -> float:
        """Return the standard error between data sets; see `holdfast.judge._significance`."""
        unit = np.unique(units, return_inverse=True)[1]
        count = int(unit.max()) + 1
        sums = np.bincount(unit, weights=parts.values)[None].astype(np.float64)
        # bounded, as a unit that is most of a class would make 1 / (1 - share) explode
        shares = np.minimum(np.bincount(unit, weights=parts.leverage), 0.5)[None]
        between = clustered_variance(sums, shares, np.ones(count, dtype=np.intp))[0] - parts.twice
        # `ratio` refers to the variance of units that are tested once each; repeated tests
        # average the variance of the units, but not what is learned from shared samples
        single = between
        if not self._once:
            squares = float((parts.values**2 / parts.weight).sum())
            single = squares * between / (between + parts.twice) / count if between > 0 else 0.0
        return float(np.sqrt(max(between, 0.0) + ratio * max(single, 0.0)))

    @cached_property
    def _overlap(self) -> float:
        return ratio_of_test_samples(self._reader)


def _average_independent(values: FloatArray) -> Mean:
    """Average over independent data sets."""
    (mean,), (error,), _ = mean_and_corrected_error(values[None], 0.0)
    return Mean(float(mean), float(error))


# Error measures: arrays in, arrays out, for many test parts at once.
#
# `group` is the test part of each prediction: 0, 1, ..., in ascending order.


def shares_wrong(actual: IntArray, predicted: IntArray, group: IntArray) -> FloatArray:
    """Return the share of misclassified samples of each test part."""
    wrong = np.bincount(group, weights=actual != predicted)
    return np.asarray(wrong / np.bincount(group), dtype=np.float64)


def class_counts(actual: IntArray, group: IntArray, n_classes: int) -> IntArray:
    """Return the number of samples per test part (rows) and class (columns)."""
    cells = (group[-1] + 1) * n_classes
    counts = np.bincount(group * n_classes + actual, minlength=cells)
    return counts.reshape(-1, n_classes).astype(np.int64)


def recalls(actual: IntArray, predicted: IntArray, group: IntArray, n_classes: int) -> FloatArray:
    """Return the recall per test part (rows) and class (columns); NaN if a class is missing."""
    right = actual == predicted
    cells = (group[-1] + 1) * n_classes
    hits = np.bincount(group[right] * n_classes + actual[right], minlength=cells)
    with np.errstate(invalid="ignore"):
        shares = hits.reshape(-1, n_classes) / class_counts(actual, group, n_classes)
    return np.asarray(shares, dtype=np.float64)


def aucs(actual: IntArray, scores: FloatArray, group: IntArray, n_classes: int) -> FloatArray:
    """Return the area under the ROC curve of each test part; NaN if a class is missing.

    Scores have one column for two classes (higher means class 1), else one per class: then the
    areas of each class against the rest are averaged with equal weights.
    """
    positives = positive_classes(n_classes)
    areas = [
        _areas_within(actual == positive, scores[:, column], group)
        for column, positive in enumerate(positives)
    ]
    return np.asarray(np.mean(areas, axis=0), dtype=np.float64)


def _areas_within(positive: BoolArray, scores: FloatArray, group: IntArray) -> FloatArray:
    """Return the share of ordered pairs of a positive and another; ties count half.

    It follows from the rank sum of the positives (Mann-Whitney).
    """
    ranks = _ranks_within(scores, group)
    n = np.bincount(group)
    n_positive = np.bincount(group, weights=positive)
    sums = np.bincount(group, weights=ranks * positive)
    undefined = np.bincount(group, weights=~np.isfinite(scores)) > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        areas = (sums - n_positive * (n_positive + 1) / 2) / (n_positive * (n - n_positive))
    return np.where(undefined, np.nan, areas)


def _ranks_within(scores: FloatArray, group: IntArray) -> FloatArray:
    """Return the rank of each score within its test part; ties are averaged, 1 is the lowest."""
    order = np.lexsort((scores, group))
    sorted_scores, part = scores[order], group[order]
    changes = (sorted_scores[1:] != sorted_scores[:-1]) | (part[1:] != part[:-1])
    starts = np.flatnonzero(np.concatenate(([True], changes)))  # of runs of tied scores
    lengths = np.diff(starts, append=len(order))
    first = np.concatenate(([0], np.cumsum(np.bincount(group))))[part]
    ranks = np.empty(len(order))
    ranks[order] = np.repeat(starts + (lengths + 1) / 2, lengths) - first
    return ranks


def placements(
    positive: BoolArray, scores: FloatArray, group: IntArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the share of the other class that each score is ordered with, in its test part.

    Also return the sizes of its class and of the other class.
    """
    side = 2 * group + positive
    count = np.bincount(side, minlength=2 * (int(group.max()) + 1))
    n_same, n_other = count[side], count[side + 1 - 2 * positive]
    # the rank among all minus the rank within the class counts the others below
    below = _ranks_within(scores, group) - _ranks_within(scores, side)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = below / n_other
    return np.where(positive, share, 1 - share), n_same.astype(np.int64), n_other.astype(np.int64)


def positive_classes(n_classes: int) -> range:
    """Return the classes that have an area and a column of scores."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def auc_error(actual: IntArray, scores: FloatArray, n_classes: int) -> float:
    """Return the standard error of the area over one set of independent predictions.

    The contribution of a prediction to the area is its placement among the others; the variance
    of the contributions within each class gives the error (DeLong, DeLong & Clarke-Pearson
    1988), here also of a mean of several areas.
    """
    counts = np.bincount(actual, minlength=n_classes)
    if counts.min() < 2 or not np.isfinite(scores).all():
        return np.nan
    positives = positive_classes(n_classes)
    placed = [
        _placements_per_sample(actual == positive, scores[:, column])
        for column, positive in enumerate(positives)
    ]
    shares = np.mean(placed, axis=0)
    variances = [shares[actual == c].var(ddof=1) * counts[c] for c in range(n_classes)]
    return float(np.sqrt(sum(variances)))


def _placements_per_sample(positive: BoolArray, scores: FloatArray) -> FloatArray:
    """Return the share of the other class that each score is ordered with, per class size."""
    ranks = rankdata(scores)
    placed = np.empty(len(scores))
    for side in (positive, ~positive):
        below = (ranks[side] - rankdata(scores[side])) / (~side).sum()
        placed[side] = (below if side is positive else 1 - below) / side.sum()
    return placed
