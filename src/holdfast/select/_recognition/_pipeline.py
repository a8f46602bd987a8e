"""Pipelines and searches: what their last selection means for the features of the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.preprocessing import FunctionTransformer

from holdfast._typing import EstimatorLike, IndexArray, MatrixLike
from holdfast.errors import InvalidInputError
from holdfast.select._recognition._expected_form import (
    is_pipeline,
    is_supervised_selector,
    searched_estimator,
)
from holdfast.select._recognition._fitted_estimator import find_support, read_fitted
from holdfast.select._recognition._reading import SUBSET, Reading, UnreadableSelectorError


def read_estimator(fitted: EstimatorLike, X: MatrixLike, returns: str | None = None) -> Reading:
    """Return the reading of a fitted estimator: also of a pipeline, or of a search.

    Parameters are those of `read_fitted`.
    """
    if searched_estimator(fitted) is not None:
        best = getattr(fitted, "best_estimator_", None)
        if best is None:
            raise InvalidInputError(
                f"{type(fitted).__name__} keeps no fitted estimator; set refit=True."
            )
        reading = read_estimator(best, X, returns)
        return replace(reading, source=f"best_estimator_: {reading.source}")
    if is_pipeline(fitted):
        return _read_pipeline(fitted, X, returns)
    return read_fitted(fitted, X, returns)


def _read_pipeline(pipeline: EstimatorLike, X: MatrixLike, returns: str | None) -> Reading:
    """Return the reading of the last step that selects, or weighs, features."""
    columns = np.arange(X.shape[1])
    selected: Reading | None = None
    for name, step in _transformers(pipeline):
        if is_supervised_selector(step):
            seen = read_fitted(step, X[:, columns])
            selected = _in_step(seen, name).embed(columns, X.shape[1])
        columns = columns[_trace_columns(name, step, len(columns))]
    name, last = pipeline.steps[-1]
    if last in (None, "passthrough"):
        return _require_reading(selected, name)
    try:
        seen = read_estimator(last, X[:, columns], returns)
    except InvalidInputError:
        # a classifier without weights, which uses what a selector before it selected
        if selected is None or returns not in (None, "subset"):
            raise
        return selected
    reading = _in_step(seen, name).embed(columns, X.shape[1])
    if selected is None or reading.form == SUBSET or returns is not None:
        return reading
    # a classifier with weights, too: its weights order what was selected before it
    source = f"{selected.source}; then ordered by {reading.source}"
    return replace(reading, form=SUBSET, source=source, returns="subset", subset=selected.subset)


def _in_step(reading: Reading, name: str) -> Reading:
    return replace(reading, source=f"{reading.source}, in the step {name!r} of the pipeline")


def _require_reading(selected: Reading | None, name: str) -> Reading:
    if selected is None:
        raise UnreadableSelectorError(
            f"the pipeline ends in the step {name!r}, which passes everything through, and no step "
            "before it selects features."
        )
    return selected


def _transformers(pipeline: EstimatorLike) -> Iterator[tuple[str, EstimatorLike]]:
    """Yield the steps before the last one that may change columns."""
    for name, step in pipeline.steps[:-1]:
        # samplers of other packages change rows only
        if step not in (None, "passthrough") and hasattr(step, "transform"):
            yield name, step


def _trace_columns(name: str, step: EstimatorLike, n_columns: int) -> IndexArray:
    """Return the column of the input that each column of the output of a fitted step is."""
    support = find_support(step, n_columns)
    if support is not None:
        return np.flatnonzero(support)
    function = getattr(step, "func", None)
    by_element = isinstance(step, FunctionTransformer) and (
        function is None or isinstance(function, np.ufunc)
    )
    if by_element or isinstance(step, OneToOneFeatureMixin):
        return np.arange(n_columns)
    if is_pipeline(step):
        traced: IndexArray = np.arange(n_columns)
        for inner_name, inner in step.steps:
            if inner not in (None, "passthrough"):
                traced = traced[_trace_columns(f"{name}: {inner_name}", inner, len(traced))]
        return traced
    named = _trace_names(step, n_columns)
    if named is None:
        remedy = (
            "set feature_names_out='one-to-one' if each column depends on one column only"
            if isinstance(step, FunctionTransformer)
            else "put the selector before it, or leave it out"
        )
        raise InvalidInputError(
            f"the step {name!r} of the pipeline ({type(step).__name__}) makes new features, so "
            f"those selected after it are not features of the data; {remedy}."
        )
    return named


def _trace_names(step: EstimatorLike, n_columns: int) -> IndexArray | None:
    """Return the input of each output by the names a step gives; None if one is no input."""
    known = getattr(step, "feature_names_in_", None)
    names = [f"x{j}" for j in range(n_columns)] if known is None else [str(n) for n in known]
    if not hasattr(step, "get_feature_names_out"):
        return None
    try:
        outputs = list(map(str, step.get_feature_names_out(np.array(names, dtype=object))))
    except (AttributeError, TypeError, ValueError):
        return None
    numbers = {name: position for position, name in enumerate(names)}
    # ColumnTransformer writes the name of the transformer before that of the feature
    places = [numbers.get(name, numbers.get(name.partition("__")[2], -1)) for name in outputs]
    if -1 in places or len(set(places)) < len(places):
        return None
    return np.array(places, dtype=np.intp)
