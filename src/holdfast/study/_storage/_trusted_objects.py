"""Which classes and functions of a stored plan may be imported, built and called without trust.

A plan names objects as ``module:name``. Whoever wrote the folder chose these names, so they are
checked: by their text and the place of their module before anything is imported, and by what they
are before anything is called. What is refused here needs ``trust=True``.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from holdfast._object_spec import is_file_place
from holdfast._typing import JSON
from holdfast.errors import StoreError, StudyError
from holdfast.resample import Protocol

MAX_PATH_CHARACTERS = 500
"""Longest import path; chosen by hand, several times as long as any of an installed package."""
OWN_PACKAGES = ("holdfast", "sklearn", "numpy")
"""Packages that are imported already, so that a plan cannot choose where they come from."""
SKLEARN_PACKAGES = frozenset(
    (
        *("calibration", "cluster", "compose", "covariance", "cross_decomposition"),
        *("decomposition", "discriminant_analysis", "dummy", "ensemble", "feature_selection"),
        *("frozen", "gaussian_process", "impute", "isotonic", "kernel_approximation"),
        *("kernel_ridge", "linear_model", "manifold", "mixture", "model_selection", "multiclass"),
        *("multioutput", "naive_bayes", "neighbors", "neural_network", "pipeline"),
        *("preprocessing", "random_projection", "semi_supervised", "svm", "tree"),
    )
)
"""Parts of scikit-learn that work on matrices only.

Left out are those that read files, download, or hold test tools: ``datasets``,
``feature_extraction``, ``externals``, ``experimental``, ``utils``.
"""
FUNCTION_PACKAGES = (
    "holdfast.measures",
    "holdfast.select",
    "sklearn.feature_selection",
    "sklearn.metrics",
)
"""Packages whose functions take arrays and return numbers, such as ``f_classif``."""
VALUE_TYPES = {"builtins:bool", "builtins:float", "builtins:int"}
"""Types of Python that estimators take as a ``dtype``."""
TEST_PARTS = {"conftest", "setup", "test", "tests"}
"""Parts of module names that packages install, but that are not meant to be imported."""


class CodeReference(NamedTuple):
    """Something that a plan names or sets, and that may run code."""

    kind: Literal["class", "function", "memory"]
    text: str
    """The import path; for the folder of a cache, the parameter."""
    sha256: str = ""
    """The digest of the file, if the path is that of a file."""


def list_references(document: JSON) -> Iterator[CodeReference]:
    """Yield what a serialized object refers to.

    Raises
    ------
    StoreError
        It is not the form of any object.
    StudyError
        It stands for an object that cannot be imported.
    """
    parts: list[JSON] = []
    match document:
        case None | bool() | int() | float() | str():
            pass
        case list(items):
            parts = items
        case {"tuple": list(items), **rest} if not rest:
            parts = items
        case {"dict": list(pairs), **rest} if not rest and all(map(_is_pair, pairs)):
            yield from _memory_references(pairs)
            parts = [part for pair in pairs for part in pair]
        case {"float": "nan" | "inf" | "-inf", **rest} if not rest:
            pass
        case {"function": str(path), **rest} if _is_digest(path, rest):
            yield CodeReference("function", _check_path(path), str(rest.get("sha256", "")))
        case {"class": str(path), "parameters": dict(parameters), **rest} if _is_digest(path, rest):
            yield CodeReference("class", _check_path(path), str(rest.get("sha256", "")))
            yield from _memory_references(list(parameters.items()))
            parts = list(parameters.values())
        case {"opaque": str(text)}:
            raise StudyError(
                f"{text} cannot be imported; continue with Study.run(..., out=) where it is "
                "defined."
            )
        case _:
            raise StoreError(f"{_shorten(document)} is no object of a plan.")
    for part in parts:
        yield from list_references(part)


def _is_pair(item: JSON) -> bool:
    return isinstance(item, list) and len(item) == 2


def _is_digest(path: str, rest: JSON) -> bool:
    """Return whether only the digest of a file is left: files have one, modules have none."""
    if is_file_place(path.rpartition(":")[0]):
        return list(rest) == ["sha256"] and isinstance(rest["sha256"], str)
    return not rest


def _check_path(path: str) -> str:
    """Return a path of the form ``module:name`` or ``file.py:name``; else raise StoreError."""
    module, _, name = path.rpartition(":")
    in_file = is_file_place(module)
    parts = [*([] if in_file else module.split(".")), *name.split(".")]
    readable = module.isprintable() or not in_file
    named = readable and all(part.isidentifier() for part in parts)
    if len(path) > MAX_PATH_CHARACTERS or not named:
        raise StoreError(f"{_shorten(path)} is no import path of the form module:name.")
    return path


def _memory_references(settings: list[Any]) -> Iterator[CodeReference]:
    """Yield the folders of caches: joblib loads pickled files from them."""
    for key, value in settings:
        is_memory = isinstance(key, str) and key.rpartition("__")[2] == "memory"
        if is_memory and value is not None:
            yield CodeReference("memory", f"{_shorten(key)} = {_shorten(value)}")


def _shorten(value: JSON) -> str:
    """Return a value as ASCII text of at most 80 characters, without control characters."""
    # a nested value may be long: its own text is not made
    text = ascii(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."


# Before the import: by name and place.


def why_not_imported(reference: CodeReference) -> str:
    """Return why something needs trust, without importing anything; empty if it may be imported."""
    kind, text, _ = reference
    if kind == "memory":
        return "a folder whose pickled files would be loaded"
    if kind == "function" and text in VALUE_TYPES:
        return ""
    module, _, name = text.rpartition(":")
    if is_file_place(module):
        return "a file of Python code"
    parts = module.split(".")
    within_functions = _is_within(module, FUNCTION_PACKAGES) or module == "numpy"
    reads_files = parts[0] == "sklearn" and SKLEARN_PACKAGES.isdisjoint(parts[1:2])
    rules = {
        "not at the top level of its module": "." in name,
        "a name that is internal to Python or to tests": any(
            part.startswith("__") or part in TEST_PARTS for part in (*parts, name)
        ),
        "part of Python's standard library": parts[0] in sys.stdlib_module_names,
        "a function that is not one of holdfast or a score of scikit-learn": (
            kind == "function" and not within_functions
        ),
        "not an estimator for matrices": kind == "class" and reads_files,
    }
    reason = next((reason for reason, broken in rules.items() if broken), "")
    return reason or ("" if _is_installed(parts) else "not in an installed package")


def _is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _is_installed(parts: list[str]) -> bool:
    """Return whether an import would find a module in an installed package.

    Importing a module imports its parents first, so all are searched for without an import.
    """
    folders: list[str] = []
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        spec = _find_spec(name, folders)
        if spec is None or not _is_as_loaded(name, spec):
            return False
        folders = list(spec.submodule_search_locations or ())
        if count == 1 and name not in OWN_PACKAGES and not _is_in_installed_folder(spec):
            return False
    return spec is not None and spec.origin is not None  # a folder without __init__.py has no code


def _find_spec(name: str, folders: list[str]) -> ModuleSpec | None:
    try:
        if "." in name:
            return PathFinder.find_spec(name, folders)
        # this asks all finders, such as those of editable installs, as an import would
        return (
            PathFinder.find_spec(name, folders) if "." in name else importlib.util.find_spec(name)
        )
    except (ImportError, ValueError, OSError):  # ValueError: a module without a specification
        return None


def _is_as_loaded(name: str, found: ModuleSpec) -> bool:
    """Return whether a module that is loaded already comes from the file that was found."""
    if name not in sys.modules:
        return True
    loaded = getattr(sys.modules[name], "__spec__", None)
    return loaded is not None and loaded.origin == found.origin


def _is_in_installed_folder(spec: ModuleSpec) -> bool:
    """Return whether a package or module lies directly in a folder of installed packages."""
    places = list(spec.submodule_search_locations or ()) or [spec.origin or ""]
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    installed.update(site.getsitepackages())
    if site.ENABLE_USER_SITE:
        installed.add(site.getusersitepackages())
    # the entry itself may be a link: some installers link files to a cache
    folders = {os.path.realpath(folder) for folder in installed}
    return all(os.path.realpath(Path(place).parent) in folders for place in places)


# After the import: by what it is.


def why_not_called(reference: CodeReference, thing: object) -> str:
    """Return why an imported object needs trust; empty if it may be called."""
    kind, path, _ = reference
    module, _, name = path.partition(":")
    if path in VALUE_TYPES:
        return ""
    if kind == "function" and module == "numpy":
        return "" if _is_subclass(thing, np.generic) else "not a type of numbers"
    origin = getattr(thing, "__module__", None)
    package = module.partition(".")[0]
    if not isinstance(origin, str) or origin.partition(".")[0] != package:
        reason = f"defined elsewhere, in {_shorten(origin)}"
    elif getattr(thing, "__qualname__", None) != name:
        reason = "defined under another name"
    elif kind == "function":
        allowed = inspect.isfunction(thing) and _is_within(origin, FUNCTION_PACKAGES)
        reason = "" if allowed else "not a function of numbers"
    else:
        # kernels of Gaussian processes have parameters as estimators do, but another base class
        is_kernel = package == "sklearn" and is_class(thing) and hasattr(thing, "get_params")
        known = is_kernel or _is_subclass(thing, BaseEstimator) or _is_subclass(thing, Protocol)
        reason = "" if known else "neither a selector, a protocol nor an estimator"
    return reason


def _is_subclass(thing: object, base: type) -> bool:
    return is_class(thing) and issubclass(thing, base)  # type: ignore[arg-type]


def is_class(thing: object) -> bool:
    """Return whether this is a class; unlike `inspect.isclass`, believe no ``__class__``."""
    return issubclass(type(thing), type)
