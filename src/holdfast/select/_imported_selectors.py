"""Selectors that users name by a module or a file, as ``path/to/file.py:object``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from holdfast._imported_objects import import_named_object
from holdfast._object_spec import (
    ObjectPath,
    is_file_place,
    is_object_path,
    list_names,
    make_object,
    parse_object_path,
    parse_spec_or_call,
    snake_case,
)
from holdfast.errors import HoldfastError, InvalidInputError
from holdfast.select._registry import SELECTORS


def import_selector_object(text: str) -> tuple[str, Any]:
    """Import what a user has named, and return a name for it, and the object.

    Parameters
    ----------
    text : str
        ``module:object`` or ``path/to/file.py:object``; options may follow if it is a class, as in
        ``file.py:Mine:step=2`` or ``file.py:Mine(step=2)``.

    Returns
    -------
    name : str
        The name of a function or an instance, or that of a class in snake case.
    thing : object
        A function, or an instance with its options.

    Raises
    ------
    InvalidInputError
        It cannot be imported, or a class does not take the options.
    """
    path = parse_object_path(text)
    if _is_option_without_value(path):
        parse_spec_or_call(text)  # which raises
    thing = import_named_object(path.place, path.name)
    if inspect.isclass(thing):
        return snake_case(thing.__name__), _build_instance(text, thing, path.options)
    if path.options:
        raise InvalidInputError(
            f"{text!r} has options, but {path.name} is no class; only classes have options."
        )
    if isinstance(thing, str):  # which would be read as a name again
        raise InvalidInputError(f"{text!r} is a text; name a class, an instance or a function.")
    return path.name.rpartition(".")[2], thing


def parse_and_import(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a name with options, and import the objects that options name, also in lists."""
    name, options = parse_spec_or_call(text)
    return name, {key: _import_value(value) for key, value in options.items()}


def _import_value(value: Any) -> Any:  # noqa: ANN401  (any value of an option)
    items = list_names(value)
    if not any(map(is_object_path, items)):
        return value
    imported = [import_selector_object(one)[1] if is_object_path(one) else one for one in items]
    return imported if value.startswith("(") else imported[0]


def _is_option_without_value(path: ObjectPath) -> bool:
    """Return whether this is a selector with an option that lacks a value, as ``relieff:5``."""
    known = [name for record in SELECTORS.values() for name in (record.name, *record.aliases)]
    return path.place in known and find_spec(path.place) is None


def _build_instance(text: str, kind: type[Any], options: Mapping[str, Any]) -> Any:  # noqa: ANN401
    try:
        return make_object(
            text, kind, {key: _import_value(value) for key, value in options.items()}
        )
    except HoldfastError:
        raise
    except Exception as error:
        raise InvalidInputError(
            f"{text!r} cannot be built ({type(error).__name__}: {error}); give its options, as in "
            "module:Class:key=value."
        ) from error


def not_imported_error(text: str) -> InvalidInputError:
    """Return the error for a path where nothing is imported, such as in a parameter."""
    place = "file" if is_file_place(parse_object_path(text).place) else "module"
    return InvalidInputError(
        f"{text!r} names an object of a {place}, which is not imported here: pass the object "
        "itself."
    )
