"""Objects of a plan in the words of a paper: a title, and the options that were set."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from typing import TYPE_CHECKING, Any

from holdfast.report._meanings import CLASSIFIERS
from holdfast.report._words import called, cut, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable

OURS = ("holdfast", "sklearn")
"""Packages whose classes are looked at; a plan of somebody else is no reason to import more."""
SET_BY_STUDY = {"random_state", "n_features_to_select"}
"""Parameters that the study sets itself."""


def options(spelling: Any) -> str:  # noqa: ANN401  (JSON of a plan)
    """Return the parameters that differ from the defaults: ``n_neighbors = 3, C = 0.5``."""
    if not isinstance(spelling, dict) or "parameters" not in spelling:
        return ""
    defaults = _defaults(spelling["class"])
    given = {
        key: value
        for key, value in spelling["parameters"].items()
        if key not in SET_BY_STUDY and _simple(value) and defaults.get(key, ...) != value
    }
    return ", ".join(f"{key} = {cut(value, 30)}" for key, value in given.items())


def selector_text(selector: dict[str, Any]) -> tuple[str, str]:
    """Return what a selector of a plan is called, and in short its name and options."""
    record = record_of(selector["object"])
    name, given = called(selector["name"]), options(selector["object"])
    if record is None or record.name == "any_selector":
        return name, given
    title, _, more = record.title.partition(" (")
    return title, ", ".join(part for part in (more.removesuffix(")"), name, given) if part)


def classifier_text(classifier: dict[str, Any]) -> str:
    """Return a classifier of a plan: its name, class, and options."""
    spelling = classifier["object"]
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    details = [part for part in (path.rpartition(":")[2], options(spelling)) if part]
    return called(classifier["name"]) + (f" ({', '.join(details)})" if details else "")


def classifier_titles(classifiers: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return what classifiers are called in the field, with their names where they share that."""
    titles = {one["name"]: _classifier_title(one["object"]) for one in classifiers}
    shared = Counter(titles.values())
    return {
        name: called(name)
        if not title
        else title
        if shared[title] == 1
        else f"{title} ({called(name)})"
        for name, title in titles.items()
    }


def _classifier_title(spelling: Any) -> str:  # noqa: ANN401  (JSON of a plan)
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    title = CLASSIFIERS.get(path.rpartition(":")[2], "").partition(":")[0]
    return title[:1].lower() + title[1:]


def _simple(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _defaults(path: str) -> dict[str, Any]:
    """Return the default parameters of a class of ours or of scikit-learn."""
    module, _, name = path.partition(":")
    if module.partition(".")[0] not in OURS:
        return {}
    try:
        kind = getattr(importlib.import_module(module), name)
        parameters = inspect.signature(kind).parameters.values()
    except (ImportError, AttributeError, ValueError, TypeError):  # of another version
        return {}
    return {one.name: one.default for one in parameters}
