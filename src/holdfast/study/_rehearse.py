"""A rehearsal on a little noise: options that cannot be are told before work starts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from sklearn.base import clone

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import AnySelector, SubsetSelector
from holdfast.select._adapter import SparseModelError
from holdfast.study._training import offered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.select import Selector
    from holdfast.study._work import Work

EACH = 10
"""Samples of each class."""
FEATURES = 3
"""Features that classifiers see."""


def rehearse(
    selectors: Mapping[str, Selector],
    classifiers: Mapping[str, Any],
    data: Dataset,
    features: NDArray[np.intp] | None,
) -> None:
    """Let selectors of this package and classifiers of scikit-learn try their options.

    Other people's code is first run in worker processes, where it may do no harm.

    Parameters
    ----------
    selectors, classifiers : mapping
        By name; selectors go by the numbers of features.
    data : Dataset
        The data of the study, of which the classes and subjects are used.
    features : ndarray of int or None
        The features that a resample offers, where it does not offer all.
    """
    y = np.repeat(np.arange(len(data.classes)), EACH)
    X = _noise(len(y), data.n_features)
    for name, thing in (*selectors.items(), *classifiers.items()):
        _try_sending(name, thing)
    for name, selector in selectors.items():
        if isinstance(selector, AnySelector) or not _is_known(selector):
            continue
        if isinstance(selector, SubsetSelector):
            _try_selector(name, *_as_in_study(selector, data, features))
        else:
            _try_selector(name, selector, X, y)
    for name, classifier in classifiers.items():
        if _is_of(classifier, "sklearn"):
            _try_classifier(name, classifier, X[:, :FEATURES], y)


def check_sparse_models(work: Work, names: Sequence[str]) -> None:
    """Refuse a size that a sparse model of scikit-learn does not reach on the first resample.

    Models that may be slow, and other people's, are left to the workers, where a size that is not
    reached is a failed unit.
    """
    for position, selector in enumerate(work.selectors):
        if not is_sparse_model(selector):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                work.try_selector(position)
            except SparseModelError as error:
                raise InvalidInputError(f"selector {names[position]}: {error}") from error
            except (ValueError, TypeError, ArithmeticError):
                continue  # a unit fails in the same way and says so


def is_sparse_model(selector: Selector) -> bool:
    """Return whether a selector wraps a model of scikit-learn with an L1 penalty."""
    model: Any = selector.estimator if isinstance(selector, AnySelector) else None
    if not hasattr(model, "fit") or not hasattr(model, "get_params"):
        return False
    options = model.get_params()
    parts = [model, *(one for one in options.values() if hasattr(one, "fit"))]
    if not all(_is_of(part, "sklearn") for part in parts):
        return False
    penalised = any(
        value in ("l1", "elasticnet")
        for key, value in options.items()
        if key.endswith("penalty") and isinstance(value, str)
    )
    mixed = any(
        isinstance(value, int | float) and value > 0
        for key, value in options.items()
        if key.endswith("l1_ratio")
    )
    named = any("Lasso" in type(part).__name__ for part in parts)
    return penalised or mixed or named


def _noise(n_samples: int, n_features: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((n_samples, n_features), dtype=np.float32)


def _as_in_study(
    selector: Selector, data: Dataset, features: NDArray[np.intp] | None
) -> tuple[Selector, NDArray[Any], NDArray[np.intp], NDArray[Any] | None]:
    """Return noise with the classes and subjects of the data, which splits are made of."""
    n_offered = data.n_features if features is None else len(features)
    subjects = data.groups if selector.takes_subjects else None
    noise = _noise(data.n_samples, n_offered)
    return offered(selector, features, data.n_features), noise, data.codes, subjects


def _is_known(selector: Selector) -> bool:
    """Tell whether a selector is of this package, as is what judges its subsets, or of sklearn."""
    judge = getattr(selector, "classifier", None)
    known = not hasattr(judge, "fit") or _is_of(judge, "sklearn")
    return known and _is_of(selector, "holdfast")


def _is_of(thing: object, package: str) -> bool:
    return type(thing).__module__.partition(".")[0] == package


def _try_sending(name: str, thing: object) -> None:
    try:
        cloudpickle.dumps(thing)
    except Exception as error:
        raise InvalidInputError(
            f"{name} cannot be sent to other processes ({error}); what it holds must be picklable."
        ) from error


def _try_selector(
    name: str,
    selector: Selector,
    X: NDArray[Any],
    y: NDArray[np.intp],
    subjects: NDArray[Any] | None = None,
) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about noise; the work warns by itself
            selector.try_out(X, y, subjects)
    except UnknownNameError as error:
        raise UnknownNameError(f"selector {name}: {error}") from error
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"selector {name}: {error}") from error


def _try_classifier(name: str, classifier: Any, X: NDArray[Any], y: NDArray[np.intp]) -> None:  # noqa: ANN401
    try:
        clone(classifier).fit(X, y)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"classifier {name}: {error}") from error
