"""How a selector will be read, in words; and a rehearsal that settles what only a fit shows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from holdfast._memory import is_sparse, to_dense
from holdfast._typing import LabelsLike, MatrixLike, SelectorLike
from holdfast.errors import InvalidInputError
from holdfast.io import as_canonical_csr
from holdfast.select._adapter import AnySelector, named_selector
from holdfast.select._recognition._expected_form import is_from_scikit_learn
from holdfast.select._recognition._reading import (
    RANKING,
    SUBSET,
    WEIGHTS,
    Reading,
    UnreadableSelectorError,
)
from holdfast.select._registry import form_of
from holdfast.select._selector import Selector

N_TRIAL_SAMPLES, N_TRIAL_FEATURES = 40, 20
"""Size of the noise that estimators of scikit-learn are tried on; chosen by hand to be fast."""
FORM_SENTENCES = {
    SUBSET: "a subset of its own size",
    WEIGHTS: "a weight for each feature, of which a size selects the highest",
    RANKING: "a ranking of all features, of which a size selects the first",
    "groups": "groups of features",
    None: "what a fit shows",
}


@dataclass(frozen=True)
class SelectorExplanation:
    """How a selector is read; its text is the explanation.

    Attributes
    ----------
    name : str
        The name of the selector.
    form : {"subset", "weights", "ranking", "groups"} or None
        The form it gives; None if only a fit shows it.
    source : str
        What is read.
    size : str
        What determines the number of features.
    reading : Reading or None
        The reading of a fit to the given data.
    """

    name: str
    form: str | None
    source: str
    size: str
    reading: Any = None

    def __str__(self) -> str:
        lines = [f"{self.name} gives {FORM_SENTENCES[self.form]}: {self.source}.", self.size]
        if self.reading is not None:
            lines.append(f"A fit to these data gives {self.reading.summary}.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def explain_selector(
    selector: SelectorLike, X: MatrixLike = None, y: LabelsLike = None
) -> SelectorExplanation:
    """Explain how a selector is read: in which form, of what size, and from what.

    Parameters
    ----------
    selector : selector, estimator, callable or str
        As a study takes it.
    X : array-like or sparse matrix of shape (n, p), optional
        Data to fit it to once. Without data, what is known before a fit is explained; functions
        and estimators of other packages need data.
    y : array-like of shape (n,), optional
        The class of each sample of `X`.

    Returns
    -------
    SelectorExplanation
        Its text is the explanation; ``form``, ``source`` and ``size`` are its parts.

    Raises
    ------
    InvalidInputError
        The selector cannot be read.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.linear_model import LassoCV
    >>> hf.explain_selector(LassoCV())
    lasso_cv gives a subset of its own size: coef_, as a penalty makes weights 0.
    A study keeps all features with a weight, or as many of the best as its sizes say.
    """
    if (X is None) != (y is None):
        raise InvalidInputError("X and y are needed together, or neither of them.")
    name, instance = named_selector(selector)
    if not isinstance(instance, AnySelector):
        form = form_of(type(instance))
        if instance.selects_own_size and form in (WEIGHTS, RANKING):
            form = SUBSET
        return SelectorExplanation(name, form, "a selector of holdfast", _describe_size(instance))
    if X is None:
        expected = instance.expected_form
        if is_from_scikit_learn(instance.estimator):
            _check_readable(instance)
        size = _describe_wrapped_size(instance, expected.form, is_sparse=expected.is_sparse)
        return SelectorExplanation(name, expected.form, expected.why, size)
    reading = rehearse_fit(instance, X, y)
    size = _describe_wrapped_size(instance, reading.form, is_sparse=reading.is_sparse)
    return SelectorExplanation(name, reading.form, reading.source, size, reading)


def rehearse_fit(selector: AnySelector, X: MatrixLike, y: LabelsLike) -> Reading:
    """Return the reading of a fit to data, of an array if the selector takes no sparse matrix."""
    if is_sparse(X):
        X = as_canonical_csr(X)
        X = X if selector.supports_sparse else to_dense(X)
    reading: Reading = clone(selector).fit(X, y).reading_
    return reading


def settle_form(selector: Selector, X: MatrixLike, y: LabelsLike) -> Selector:
    """Return a selector whose form is known, by a fit if only a fit shows it.

    A fit that fails settles nothing: those that follow fail in the same way and report it.
    """
    if not isinstance(selector, AnySelector) or not selector.needs_rehearsal:
        return selector
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fits that follow warn
        try:
            reading = rehearse_fit(selector, X, y)
        except (ValueError, TypeError, ArithmeticError):
            return selector
    return selector.with_own_form(reading.returns) if reading.form == SUBSET else selector


def _check_readable(selector: AnySelector) -> None:
    """Raise if an estimator of scikit-learn gives nothing that can be read, by a fit to noise."""
    X = np.random.default_rng(0).standard_normal((N_TRIAL_SAMPLES, N_TRIAL_FEATURES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            rehearse_fit(selector, X, np.arange(N_TRIAL_SAMPLES) % 2)
        except UnreadableSelectorError:
            raise
        except (ValueError, TypeError, ArithmeticError):
            return  # options may not fit these data


def _describe_size(selector: Selector) -> str:
    if selector.selects_own_size:
        return "It chooses the number itself."
    return "The size is n_features_to_select, or the sizes of a study."


def _describe_wrapped_size(selector: AnySelector, form: str | None, *, is_sparse: bool) -> str:
    """Return what determines the number of features of a wrapped estimator or function."""
    if form is None:
        return "Give X and y for the explanation of a fit."
    if selector.n_features_to_select is not None or form != SUBSET:
        return "The size is n_features_to_select, or the sizes of a study, without weights of 0."
    if is_sparse:
        return "A study keeps all features with a weight, or as many of the best as its sizes say."
    return "A study keeps this subset whatever its sizes, unless n_features_to_select is a number."
