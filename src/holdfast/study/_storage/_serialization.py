"""Serialize objects as import paths and JSON parameters, so that plans can be run again."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import inspect
import math
import re
import sys
from types import CodeType
from typing import Any

import numpy as np

from holdfast._imported_objects import (
    IMPORTED_FILES,
    import_from_file,
    read_code_file,
)
from holdfast._object_spec import is_file_place
from holdfast._typing import JSON
from holdfast.errors import InvalidInputError, StudyError

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def serialize_object(thing: object) -> JSON:
    """Return a value, an estimator or a function as JSON.

    Estimators and frozen dataclasses become their class and parameters, functions their import
    path. If it is in a file that the user has named, the path is that of the file, with a digest
    of its content. An object that cannot be imported, such as a class from a notebook, becomes
    ``{"opaque": repr}`` with a digest of its code, which reveals changes.
    """
    if isinstance(thing, np.generic | np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, float) and not math.isfinite(thing):
        return {"float": repr(thing)}
    if thing is None or isinstance(thing, bool | int | float | str):
        return thing
    if isinstance(thing, list | tuple | dict):
        return _serialize_container(thing)
    if inspect.isfunction(thing) or inspect.isbuiltin(thing) or inspect.isclass(thing):
        path = _import_path(thing)
        return {"function": path, **_file_digest(thing)} if path else _opaque(thing)
    return _serialize_instance(thing)


def _serialize_container(thing: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> JSON:
    if isinstance(thing, dict):
        return {
            "dict": [
                [serialize_object(key), serialize_object(value)] for key, value in thing.items()
            ]
        }
    items = [serialize_object(item) for item in thing]
    return {"tuple": items} if isinstance(thing, tuple) else items


def _serialize_instance(thing: object) -> JSON:
    path, parameters = _import_path(type(thing)), _parameters(thing)
    if path is None or parameters is None:
        return _opaque(thing)
    return {
        "class": path,
        **_file_digest(type(thing)),
        "parameters": {key: serialize_object(value) for key, value in sorted(parameters.items())},
    }


def _file_digest(thing: object) -> dict[str, JSON]:
    """Return the digest of the file that defines a class or function, if the user has named one."""
    file = IMPORTED_FILES.get(getattr(thing, "__module__", None) or "")
    return {} if file is None else {"sha256": file.sha256}


def _opaque(thing: object) -> JSON:
    # the digest of the code shows whether a resumed study would run something else
    return {"opaque": _stable_repr(thing), "code": code_digest(thing)}


def _import_path(thing: object) -> str | None:
    """Return the shortest ``module:name`` of an object; None if it cannot be imported."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", "<")
    if module in (None, "__main__", "__mp_main__") or "<" in name:
        return None
    if module in IMPORTED_FILES:
        found = thing is _get_part(sys.modules[module], name)
        return f"{IMPORTED_FILES[module].path}:{name}" if found else None
    # public paths come first: private modules may move between versions
    parts = [part for part in module.split(".") if not part.startswith("_")]
    for candidate in (".".join(parts), module):
        try:
            if import_object(f"{candidate}:{name}") is thing:
                return f"{candidate}:{name}"
        except StudyError:
            continue
    return None


def _get_part(thing: object, name: str) -> object:
    """Return an attribute of an attribute; None if there is none."""
    for part in name.split("."):
        thing = getattr(thing, part, None)
    return thing


def _parameters(thing: object) -> dict[str, Any] | None:
    if hasattr(thing, "get_params"):
        return dict(thing.get_params(deep=False))
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = [field for field in dataclasses.fields(thing) if field.init]
        return {field.name: getattr(thing, field.name) for field in fields}
    return None


def is_opaque(document: JSON) -> bool:
    """Return whether any part of a serialized object cannot be deserialized."""
    if isinstance(document, dict):
        return "opaque" in document or any(is_opaque(value) for value in document.values())
    return isinstance(document, list) and any(is_opaque(item) for item in document)


def import_object(path: str, sha256: str = "") -> Any:  # noqa: ANN401
    """Return the object at an import path; the digest is that of its file, if it is in one."""
    module, _, name = path.rpartition(":")
    if is_file_place(module):
        return _import_from_file(module, name, sha256)
    try:
        thing: Any = importlib.import_module(module)
        for part in name.split("."):
            thing = getattr(thing, part)
    except (Exception, SystemExit) as error:  # the module runs when it is imported
        raise StudyError(
            f"{path} cannot be imported ({error}); install its package, or continue with "
            "Study.run(..., out=) where it is defined."
        ) from error
    return thing


def _import_from_file(place: str, name: str, sha256: str) -> Any:  # noqa: ANN401
    try:
        file = read_code_file(place)
        if file.sha256 == sha256:
            return import_from_file(file, name)
    except InvalidInputError as error:
        raise StudyError(
            f"{place}:{name} cannot be imported ({error}). Run where the study was started, or "
            "continue with the command that started it."
        ) from error
    raise StudyError(
        f"{file.location} has changed since the study began; restore it, or start in another "
        "folder."
    )


# A digest of code that cannot be imported, so that a plan reveals when it changes.


def code_digest(thing: object) -> str:
    """Return a digest of the code of a function, a class, or the class of an object.

    File names and line numbers do not count: they differ in every run of a notebook.
    """
    return hashlib.sha256(repr(_code_parts(thing)).encode("utf-8", "backslashreplace")).hexdigest()


def _code_parts(thing: object) -> object:
    if isinstance(thing, CodeType):
        return (
            thing.co_code,
            thing.co_names,
            [_code_parts(constant) for constant in thing.co_consts],
        )
    if inspect.isfunction(thing):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        held = [*cells, thing.__defaults__, thing.__kwdefaults__]
        return _code_parts(thing.__code__), [_stable_repr(value) for value in held]
    if inspect.isclass(thing):
        functions = {key: item for key, item in vars(thing).items() if inspect.isfunction(item)}
        return {name: _code_parts(method) for name, method in sorted(functions.items())}
    if hasattr(type(thing), "__module__") and type(thing).__module__ == "builtins":
        return _stable_repr(thing)
    return _code_parts(type(thing))


def _stable_repr(thing: object) -> str:
    return _ADDRESS.sub("", repr(thing))
