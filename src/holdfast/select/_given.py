"""Selectors as people give them: objects, names with options, estimators, functions."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.base import clone

from holdfast._spelling import made_of, parse_either, snake_case
from holdfast.errors import InvalidInputError
from holdfast.select._adapter import AnySelector
from holdfast.select._record import form_of, get_selector
from holdfast.select._selector import Selector


def as_selector(given: Any) -> Selector:  # noqa: ANN401
    """Return the selector that is meant.

    Parameters
    ----------
    given : selector, estimator, callable or str
        A selector, which is cloned; an estimator or a function ``f(X, y)``, which is wrapped in
        :class:`holdfast.AnySelector`; or a name, perhaps with options, as
        ``"relieff:n_neighbors=5"`` or ``"relieff(n_neighbors=5)"``.

    Returns
    -------
    Selector
    """
    return named_selector(given)[1]


def named_selector(given: Any) -> tuple[str, Selector]:  # noqa: ANN401
    """Return a name for a selector, and the selector; see `as_selector`."""
    if isinstance(given, str):
        return _spelled(given)
    if isinstance(given, Selector):
        return snake_case(type(given).__name__), clone(given)
    if hasattr(given, "fit") and not inspect.isclass(given):
        return snake_case(type(given).__name__), AnySelector(clone(given))
    if callable(given) and not inspect.isclass(given):
        return getattr(given, "__name__", "function"), AnySelector(given)
    raise InvalidInputError(
        "a selector must be a selector, an estimator, a function f(X, y), or a name; "
        f"got {given!r}."
    )


def given_by(selector: Selector) -> str:
    """Say what a selector gives, for messages to those who need something else."""
    form = form_of(type(selector))
    what = {"ranking": "a ranking", "subset": "a subset without an order"}.get(form, form)
    return f"{type(selector).__name__} gives {what}"


def _spelled(text: str) -> tuple[str, Selector]:
    name, options = parse_either(text)
    selector: Selector = made_of(text, get_selector(name).kind, options)
    return name, selector
