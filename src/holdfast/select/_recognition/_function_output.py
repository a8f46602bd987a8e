"""The output of a function f(X, y): scores, a ranking, a mask, indices or names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from holdfast._formatting import did_you_mean, plural
from holdfast._typing import AnyArray, FloatArray, IndexArray, MatrixLike
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._recognition._reading import (
    SUBSET,
    Reading,
    read_mask,
    read_order,
    read_ranks,
    read_scores,
    varying_features,
)

FUNCTION_FORMS = ("scores", "ranking", "mask", "indices", "names")
"""What a function can be declared to return."""
PHRASES = {"scores": "a score per feature", "ranking": "a ranking", "mask": "a mask",
           "indices": "indices"}  # fmt: skip


def read_output(
    output: object, X: MatrixLike, names: Sequence[str] | None, returns: str | None
) -> Reading:
    """Return the reading of what a function returned.

    Parameters
    ----------
    output : object
        What the function returned.
    X : array or sparse matrix of shape (n, p)
        The data that it was called with.
    names : sequence of str or None
        The names of the features.
    returns : str or None
        What it is declared to return; None if that is to be recognised.
    """
    # such as (scores, p-values) of scikit-learn, or (selected, relevance) of others
    if isinstance(output, tuple) and output and _is_list(output[0]):
        output = output[0]
    labelled = _read_labels(output, X.shape[1], names)
    if labelled is not None:
        columns, values = labelled
        if _are_of_selected_features(values, X.shape[1], returns):
            return _read_scored_features(columns, values, X.shape[1])
        # in the order of the features; indices are no values of features
        output = values if returns == "indices" else values[np.argsort(columns)]
    ordered = not isinstance(output, set | frozenset)
    values = _as_values(output if ordered else list(output))  # type: ignore[call-overload]
    form = _recognise_form(values, X.shape[1]) if returns is None else returns
    if form == "names":
        values = _find_names(values, names)
    elif values.dtype.kind == "U":
        raise InvalidInputError(f"the function gave text, but is declared to return {form}.")
    if form in ("names", "indices"):
        return _read_features(values, X.shape[1], form, ordered=ordered)
    _check_one_per_feature(values, X.shape[1], form)
    if form == "mask":
        return _read_mask_values(values)
    if form == "ranking":
        return _read_rank_values(values.astype(np.float64))
    advice = " If a feature without a score is not selected, return only the selected features."
    source = "scores that the function returned"
    reading = read_scores(values.astype(np.float64), source, X, advice)
    if returns is None:
        _refuse_signed_sparse(reading.scores, X)
    return reading


def _is_list(item: object) -> bool:
    return hasattr(item, "__len__") and not isinstance(item, str | bytes)


def _as_values(output: object) -> AnyArray:
    """Return an output as a one-dimensional array of numbers, truth values or text."""
    if isinstance(output, np.ma.MaskedArray) and np.ma.is_masked(output):
        raise InvalidInputError(
            "the function gave a masked array, in which masked features have no score. Return the "
            "indices or names of the selected features, or fill the masked values."
        )
    try:
        values = np.asarray(output)
    except ValueError:  # parts of different lengths
        values = np.empty((0, 0))
    if values.dtype == object and values.ndim == 1:
        values = _without_objects(values)
    if values.ndim != 1 or values.dtype.kind not in "biufU":
        what = repr(output)[:60]
        if values.ndim > 0 and values.size:
            what = f"{type(output).__name__} of the shape {values.shape}"
        raise InvalidInputError(
            "one score per feature is needed, or a ranking, or a mask, indices or names of the "
            f"selected features; the function gave {what}."
        )
    return values


def _without_objects(values: AnyArray) -> AnyArray:
    """Return an array of objects as text or numbers, if all are of one kind."""
    for kinds, dtype in (
        (str, str),
        (bool | np.bool_, bool),
        (int | np.integer, np.int64),
        (int | float | np.integer | np.floating, np.float64),
    ):
        if all(isinstance(value, kinds) for value in values):
            return values.astype(dtype)
    return values


def _recognise_form(values: AnyArray, n_features: int) -> str:
    """Return what an array holds; raise if it may hold several things."""
    kind, count = values.dtype.kind, len(values)
    if kind in "Ub":
        return "names" if kind == "U" else "mask"
    if count != n_features:
        return "scores" if kind == "f" and count else "indices"
    if kind == "f" and not _may_be_ranks_or_mask(values):
        return "scores"
    low, high = values.min(), values.max()
    distinct = len(np.unique(values)) == count
    if distinct and (low, high) == (1, count):
        return "ranking"
    others = []
    if low >= 0 and high <= 1:
        others.append("mask")
    if (low == 1 and high <= count) or _are_average_ranks(values):  # with ties
        others.append("ranking")
    if distinct and (low, high) == (0, count - 1):
        others += ["ranking", "indices"]
    if not others:
        return "scores"
    forms = ["scores", *others]
    candidates = " or ".join(PHRASES[form] for form in forms)
    declared = " or ".join(f"returns={form!r}" for form in forms)
    raise InvalidInputError(
        f"the function gave {count:,} numbers for {n_features:,} features, which may be "
        f"{candidates}. Declare which in hf.AnySelector(f, returns=...), by {declared}."
    )


def _may_be_ranks_or_mask(values: AnyArray) -> bool:
    """Return whether fractions are whole numbers, as ranks are, or ranks averaged over ties.

    Zeros only are scores of features without information.
    """
    if len(values) < 2 or not np.isfinite(values).all() or not values.any():
        return False
    return bool(np.all(values % 1 == 0)) or _are_average_ranks(values)


def _are_average_ranks(values: AnyArray) -> bool:
    """Return whether numbers are ranks from 1, averaged over ties."""
    count = len(values)
    return bool(
        np.all(values * 2 % 1 == 0)
        and 1 <= values.min() <= values.max() <= count
        and values.sum() == count * (count + 1) / 2
    )


def _check_one_per_feature(values: AnyArray, n_features: int, form: str) -> None:
    if len(values) != n_features:
        noun = {"scores": "score", "ranking": "rank", "mask": "entry of a mask"}[form]
        raise InvalidInputError(
            f"one {noun} per feature is needed, that is {n_features:,}; the function gave "
            f"{len(values):,}. It can also return the selected features: whole numbers counted "
            "from 0, or names."
        )


def _refuse_signed_sparse(scores: FloatArray, X: MatrixLike) -> None:
    """Refuse scores of both signs with several zeros: they may be coefficients of a model."""
    zeros = scores == 0
    if scores.min(initial=0.0) >= 0 or np.count_nonzero(zeros) < 2:
        return
    count = int(np.count_nonzero(zeros & varying_features(X)))
    if count > 1:
        raise InvalidInputError(
            f"the function gave negative scores, and 0 for {plural(count, 'feature')}: they may be "
            "coefficients of a sparse model, of which the absolute values count, or scores, of "
            "which the highest are the best. Return absolute values, or declare scores by "
            "hf.AnySelector(f, returns='scores')."
        )


def _read_rank_values(ranks: FloatArray) -> Reading:
    if not np.isfinite(ranks).all():
        raise InvalidInputError("the function gave a rank that is not a finite number.")
    return read_ranks(ranks, "ranks that the function returned, the lowest the best")


def _read_mask_values(values: AnyArray) -> Reading:
    if not np.isin(values, (0, 1)).all():
        raise InvalidInputError("a mask holds only True and False, or 1 and 0.")
    return read_mask(values.astype(bool), "a mask that the function returned", "mask")


# Features by index, or by name.


def _read_features(
    features: AnyArray, n_features: int, form: str, *, ordered: bool = True
) -> Reading:
    if features.dtype.kind not in "iu" and features.size:
        raise InvalidInputError("indices of features are whole numbers; the function gave others.")
    features = features.astype(np.intp)
    repeated = len(np.unique(features)) < len(features)
    if repeated or np.any((features < 0) | (features >= n_features)):
        problem = "one of them twice" if repeated else f"not all between 0 and {n_features - 1:,}"
        raise InvalidInputError(
            f"the function gave {plural(len(features), 'whole number')} for {n_features:,} "
            f"features, which are read as indices, but {problem}. Return each selected feature "
            "once, counted from 0; or one score per feature."
        )
    order = ", read as best first" if ordered else ""
    source = f"{form} that the function returned{order}"
    return read_order(features, n_features, source, form, ordered=ordered)


def _find_names(values: AnyArray, names: Sequence[str] | None) -> IndexArray:
    """Return the indices of features by name."""
    if names is None:
        raise InvalidInputError(
            "the function gave names, but the data have no names of features. Return indices, or "
            "give the data as a data frame."
        )
    numbers = {str(name): position for position, name in enumerate(names)}
    counts = Counter(map(str, values.tolist()))
    for name, count in counts.items():
        if name not in numbers:
            raise UnknownNameError(
                f"the function gave {name!r}, which is not the name of a feature."
                f"{did_you_mean(name, numbers)}"
            )
        if count > 1:
            raise InvalidInputError(
                f"the function gave the name {name!r} {count:,} times. Return each selected "
                "feature once."
            )
    return np.array([numbers[str(name)] for name in values.tolist()], dtype=np.intp)


# Scores by name: a dictionary, or a series of pandas.


def _read_labels(
    output: object, n_features: int, names: Sequence[str] | None
) -> tuple[IndexArray, AnyArray] | None:
    """Return features and their values, if the output is labelled by them; else None."""
    if isinstance(output, Mapping):
        labels, values = list(output), _as_values(list(output.values()))
    elif hasattr(output, "index") and hasattr(output, "to_numpy"):
        labels, values = list(output.index), _as_values(output)
        if labels == list(range(len(labels))):  # rows without labels
            return None
    else:
        return None
    if values.dtype.kind not in "biuf":
        return None
    if all(isinstance(label, str) for label in labels):
        columns = _find_names(np.array(labels, dtype=str), names)
    else:
        columns = np.asarray(labels)
    _read_features(columns, n_features, "labels")
    return columns.astype(np.intp), values


def _are_of_selected_features(values: AnyArray, n_features: int, returns: str | None) -> bool:
    """Return whether labelled values are scores of selected features, which may be all."""
    return len(values) < n_features or (returns == "names" and values.dtype.kind == "f")


def _read_scored_features(columns: IndexArray, values: AnyArray, n_features: int) -> Reading:
    """Return the reading of scores of some features: the others were not selected."""
    reading = _read_features(columns, n_features, "names")
    problem = ""
    if values.dtype.kind == "b":
        problem = "are truth values"
    elif not np.isfinite(values).all():
        problem = "are not all finite numbers"
    elif values.dtype.kind != "f" or _may_be_ranks_or_mask(values):
        problem = "may be scores or ranks"
    if problem:
        raise InvalidInputError(
            f"the function gave values of {len(columns):,} of {n_features:,} features, which "
            f"{problem}. Return the indices or names of the selected features, best first."
        )
    scores = np.full(n_features, values.min(initial=0.0) - 1.0)
    scores[columns] = values
    source = "scores of some features that the function returned"
    return Reading(SUBSET, source, "names", scores, reading.eligible, reading.subset)
