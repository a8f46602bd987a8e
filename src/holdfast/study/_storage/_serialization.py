"""Objects as import paths and JSON parameters, so that a plan can be read and run again."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import inspect
import math
import re
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable


JSON = Any  # what json.dumps takes
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def serialize_object(thing: object) -> JSON:
    """Return a value, an estimator or a function as JSON.

    Estimators and frozen dataclasses become their class and parameters, functions their import
    path. What cannot be imported, such as a class from a notebook, becomes ``{"opaque": repr}``
    with a digest of its code, by which a change is noticed.
    """
    if isinstance(thing, np.generic | np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, float) and not math.isfinite(thing):
        return {"float": repr(thing)}
    if thing is None or isinstance(thing, bool | int | float | str):
        return thing
    if isinstance(thing, list | tuple | dict):
        return _spelled_container(thing)
    if inspect.isfunction(thing) or inspect.isbuiltin(thing) or inspect.isclass(thing):
        path = _path(thing)
        return {"function": path} if path else _opaque(thing)
    return _spelled_object(thing)


def _spelled_container(thing: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> JSON:
    if isinstance(thing, dict):
        return {
            "dict": [
                [serialize_object(key), serialize_object(value)] for key, value in thing.items()
            ]
        }
    items = [serialize_object(item) for item in thing]
    return {"tuple": items} if isinstance(thing, tuple) else items


def _spelled_object(thing: object) -> JSON:
    path, parameters = _path(type(thing)), _parameters(thing)
    if path is None or parameters is None:
        return _opaque(thing)
    return {
        "class": path,
        "parameters": {key: serialize_object(value) for key, value in sorted(parameters.items())},
    }


def _opaque(thing: object) -> JSON:
    return {"opaque": _ADDRESS.sub("", repr(thing)), "code": code_digest(thing)}


def _path(thing: Any) -> str | None:  # noqa: ANN401
    """Return the shortest ``module:name`` that gives the thing, or None if there is none."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", "<")
    if module in (None, "__main__", "__mp_main__") or "<" in name:
        return None
    parts = [part for part in module.split(".") if not part.startswith("_")]
    for candidate in (".".join(parts), module):
        try:
            if import_object(f"{candidate}:{name}") is thing:
                return f"{candidate}:{name}"
        except StudyError:
            continue
    return None


def _parameters(thing: Any) -> dict[str, Any] | None:  # noqa: ANN401
    if hasattr(thing, "get_params"):
        return dict(thing.get_params(deep=False))
    if dataclasses.is_dataclass(thing):
        fields = [field for field in dataclasses.fields(thing) if field.init]
        return {field.name: getattr(thing, field.name) for field in fields}
    return None


def is_opaque(spelling: JSON) -> bool:
    """Return whether some part of a spelling cannot be made into an object again."""
    if isinstance(spelling, dict):
        return "opaque" in spelling or any(is_opaque(value) for value in spelling.values())
    return isinstance(spelling, list) and any(is_opaque(item) for item in spelling)


def deserialize_object(spelling: JSON) -> Any:  # noqa: ANN401
    """Return the object that a spelling stands for."""
    if isinstance(spelling, list):
        return [deserialize_object(item) for item in spelling]
    if not isinstance(spelling, dict):
        return spelling
    for kind, make in _MAKERS.items():
        if kind in spelling:
            return make(spelling)
    raise StudyError(
        f"{spelling['opaque']} cannot be imported; go on with Study.run(..., out=) where it is "
        "defined."
    )


def _made_object(spelling: JSON) -> Any:  # noqa: ANN401
    parameters = {key: deserialize_object(value) for key, value in spelling["parameters"].items()}
    return import_object(spelling["class"])(**parameters)


_MAKERS: dict[str, Callable[[JSON], Any]] = {
    "float": lambda spelling: float(spelling["float"]),
    "tuple": lambda spelling: tuple(deserialize_object(spelling["tuple"])),
    "dict": lambda spelling: {
        deserialize_object(key): deserialize_object(value) for key, value in spelling["dict"]
    },
    "function": lambda spelling: import_object(spelling["function"]),
    "class": _made_object,
}


def import_object(path: str) -> Any:  # noqa: ANN401
    """Return what an import path names."""
    module, _, name = path.partition(":")
    try:
        thing: Any = importlib.import_module(module)
        for part in name.split("."):
            thing = getattr(thing, part)
    except (ImportError, AttributeError) as error:
        raise StudyError(
            f"{path} cannot be imported ({error}); install the package it comes from, or go on "
            "with Study.run(..., out=) where it is defined."
        ) from error
    return thing


# A digest of code that cannot be imported, so that a plan notices when it changes.

_ADDRESS_CODE = re.compile(r" at 0x[0-9a-fA-F]+")


def code_digest(thing: Any) -> str:  # noqa: ANN401
    """Return a digest of a function's code, or of that of a thing's class.

    Names of files and numbers of lines do not count: a notebook has others each time.
    """
    return hashlib.sha256(repr(_essence(thing)).encode("utf-8", "backslashreplace")).hexdigest()


def _essence(thing: Any) -> Any:  # noqa: ANN401
    if isinstance(thing, CodeType):
        return thing.co_code, thing.co_names, [_essence(one) for one in thing.co_consts]
    if inspect.isfunction(thing):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        held = [*cells, thing.__defaults__, thing.__kwdefaults__]
        return _essence(thing.__code__), [_stable_repr(one) for one in held]
    if inspect.isclass(thing):
        own = {name: one for name, one in vars(thing).items() if inspect.isfunction(one)}
        return {name: _essence(one) for name, one in sorted(own.items())}
    if hasattr(type(thing), "__module__") and type(thing).__module__ == "builtins":
        return _stable_repr(thing)
    return _essence(type(thing))


def _stable_repr(thing: object) -> str:
    return _ADDRESS_CODE.sub("", repr(thing))
