"""The recommended pair, fitted to all data."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from holdfast._classifiers import classifying, median_imputer, seeded
from holdfast._text import did_you_mean, plural
from holdfast.errors import InvalidInputError, StudyError, UnknownNameError
from holdfast.io import Dataset, from_arrays
from holdfast.study._make_plan import prepared
from holdfast.study._objects import is_opaque, made
from holdfast.study._seeds import CLASSIFICATION, SELECTOR, seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.judge import Pair, Recommendation
    from holdfast.select import Selector
    from holdfast.study._objects import JSON


def fitted_pipeline(
    plan: dict[str, JSON],
    chosen: Recommendation | Pair,
    X: Any,  # noqa: ANN401  (a matrix, a frame, or a Dataset)
    y: Any = None,  # noqa: ANN401
    *,
    names: Sequence[str] | None = None,
    nominal: tuple[int, ...] | None = None,
) -> Pipeline:
    """Fit the selector and the classifier of a pair as the study does, on all these data.

    Features are selected, scaled and classified; where values are missing, medians take their
    place, before the selector where it does not take missing values. The seeds are those of a
    resample after the last.

    Parameters
    ----------
    plan : dict
        The plan of the study, as JSON.
    chosen : Recommendation or Pair
        The selector, the classifier (None: the pipeline ends with the selector) and the size.
    X : array-like of shape (n, p), frame or Dataset
        The data, with the features of the study; of a Dataset their names are kept.
    y : array-like of shape (n,)
        The class of each sample; these are the labels that the pipeline predicts.
    names : sequence of str, optional
        The names of the features in the study; data that have other names are refused. Arrays
        have no names.
    nominal : tuple of int, optional
        Which features were nominal in the study; by default those of the Dataset.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps ``select``, ``scale`` and ``classify``, and ``impute`` where needed.
    """
    data = _checked(plan, X, y)
    _check_names(data.feature_names, names)
    if names is not None:  # arrays have none, and selectors may name features
        data = dataclasses.replace(data, feature_names=tuple(names))
    if nominal is not None:
        data = dataclasses.replace(data, nominal=nominal)
    missing = bool(np.isnan(data.X).any())
    number = _number("selector", chosen.selector, [one["name"] for one in plan["selectors"]])
    selector = _selector(plan, number, chosen.size, data)
    steps: list[tuple[str, Any]] = [("select", selector)]
    before = missing and not selector.takes_missing
    if before:
        steps.insert(0, ("impute", median_imputer()))
    if chosen.classifier is not None:
        classifier = _classifier(plan, number, chosen.classifier)
        steps += classifying(classifier, impute=missing and not before)
    subjects = data.groups if selector.takes_subjects else None
    return _fitted(Pipeline(steps), chosen, *_given(X, y), subjects)


def _checked(plan: dict[str, JSON], X: Any, y: Any) -> Dataset:  # noqa: ANN401
    """Return the data in the form that the study knows, if they have the same features."""
    if isinstance(X, Dataset) == (y is not None):
        raise InvalidInputError("give X and y, or a Dataset alone, which has its labels.")
    data = X if isinstance(X, Dataset) else from_arrays(X, y)
    wanted = int(plan["data"]["n_features"])
    if data.n_features != wanted:
        raise InvalidInputError(
            f"the study was made on {plural(wanted, 'feature')}, these data have "
            f"{data.n_features:,}; give data with the same features in the same order."
        )
    return data


def _check_names(given: Sequence[str], wanted: Sequence[str] | None) -> None:
    """Refuse features that are called otherwise, or come in another order, than in the study."""
    unnamed = [f"f{position}" for position in range(len(given))]  # those of arrays
    if wanted is None or list(given) == unnamed or list(wanted) == unnamed:
        return
    apart = [i for i, pair in enumerate(zip(given, wanted, strict=True)) if pair[0] != pair[1]]
    if apart:
        first = apart[0]
        raise InvalidInputError(
            f"these data have other features than the study, or the same in another order: "
            f"feature {first + 1} is {given[first]!r}, in the study it is {wanted[first]!r} "
            f"({len(apart):,} of {len(given):,} names differ). Give the same features in the order "
            "of the study, or an array if they are the same under other names."
        )


def _given(X: Any, y: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return data and labels as scikit-learn takes them; those of users stay as they are."""
    if isinstance(X, Dataset):
        return pd.DataFrame(X.X, columns=list(X.feature_names)), X.y
    return X, y


def _selector(plan: dict[str, JSON], number: int, size: int | str, data: Dataset) -> Selector:
    selector: Selector = _made(plan["selectors"][number])
    ready = prepared(selector, seed_of(int(plan["seed"]), SELECTOR, number), data)
    return ready if isinstance(size, str) else ready.sized(int(size))


def _classifier(plan: dict[str, JSON], selector: int, name: str) -> Any:  # noqa: ANN401
    place = _number("classifier", name, [one["name"] for one in plan["classifiers"]])
    after = int(plan["protocol"]["resamples"])
    seed = seed_of(int(plan["seed"]), CLASSIFICATION, selector, after, place)
    return seeded(_made(plan["classifiers"][place]), seed)


def _number(what: str, name: str, names: list[str]) -> int:
    if name not in names:
        raise UnknownNameError(
            f"no {what} of this study is called {name!r}.{did_you_mean(name, names)}"
        )
    return names.index(name)


def _made(part: JSON) -> Any:  # noqa: ANN401
    if is_opaque(part["object"]):
        raise StudyError(
            f"{part['name']} cannot be made again from the plan, because it cannot be imported: "
            "define it in a module, not in a notebook or script, and run the study again; or "
            "make the pipeline by hand."
        )
    return made(part["object"])


def _fitted(
    pipeline: Pipeline,
    chosen: Recommendation | Pair,
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    subjects: NDArray[Any] | None,
) -> Pipeline:
    """Fit a pipeline; say so where the selector leaves nothing to classify by."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "No features were selected", UserWarning)
            more = {} if subjects is None else {"select__groups": subjects}
            return pipeline.fit(X, y, **more)
    except UserWarning as warning:
        raise InvalidInputError(
            f"{chosen.selector} selects no feature of these data, so there is nothing to "
            "classify by; choose another selector or size."
        ) from warning
