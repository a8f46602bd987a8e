"""A rehearsal on a little noise: options that cannot be are told before work starts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from sklearn.base import clone

from holdfast.errors import InvalidInputError
from holdfast.select import AnySelector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.select import Selector

EACH = 10
"""Samples of each class."""
FEATURES = 3
"""Features that classifiers see."""


def rehearse(
    selectors: Mapping[str, Selector],
    classifiers: Mapping[str, Any],
    n_features: int,
    n_classes: int,
) -> None:
    """Let selectors of this package and classifiers of scikit-learn try their options.

    Other people's code is first run in worker processes, where it may do no harm.
    """
    y = np.repeat(np.arange(n_classes), EACH)
    X = np.random.default_rng(0).normal(size=(len(y), n_features))
    for name, thing in (*selectors.items(), *classifiers.items()):
        _try_sending(name, thing)
    for name, selector in selectors.items():
        if _is_of(selector, "holdfast") and not isinstance(selector, AnySelector):
            _try_selector(name, selector, X, y)
    for name, classifier in classifiers.items():
        if _is_of(classifier, "sklearn"):
            _try_classifier(name, classifier, X[:, :FEATURES], y)


def _is_of(thing: object, package: str) -> bool:
    return type(thing).__module__.partition(".")[0] == package


def _try_sending(name: str, thing: object) -> None:
    try:
        cloudpickle.dumps(thing)
    except Exception as error:
        raise InvalidInputError(
            f"{name} cannot be sent to other processes ({error}); what it holds must be picklable."
        ) from error


def _try_selector(name: str, selector: Selector, X: NDArray[Any], y: NDArray[np.intp]) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about noise; the work warns by itself
            selector.on(X, y).judge([np.arange(len(y))])
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"selector {name}: {error}") from error


def _try_classifier(name: str, classifier: Any, X: NDArray[Any], y: NDArray[np.intp]) -> None:  # noqa: ANN401
    try:
        clone(classifier).fit(X, y)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"classifier {name}: {error}") from error
