"""Packages that import the names they export on first use, so that each use loads what it needs.

The imports of such an ``__init__`` stand under ``if TYPE_CHECKING:``, where type checkers read
them, and so does this module: no name is listed a second time.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any


def lazy_exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that defers its imports.

    Parameters
    ----------
    package : str
        The name of the package, which is being imported.

    Returns
    -------
    import_name : callable
        Imports a name where it is first used, and keeps it in the package.
    list_names : callable
        Returns the public names and those that are imported already, for completion.

    Raises
    ------
    ImportError
        The source of the package is not available.

    Examples
    --------
    >>> from holdfast._lazy_exports import lazy_exports
    >>> import_name, list_names = lazy_exports("holdfast.select")
    >>> import_name("TScore").__name__
    'TScore'
    >>> "SVMRFE" in list_names()
    True
    """
    origins = {name: module for module, name in _deferred_imports(package)}

    def import_name(name: str) -> object:
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = origins[name]
        if module == package:  # the name is that of a module in the package
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(module), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        module = sys.modules[package]
        return sorted({*vars(module), *module.__all__})

    return import_name, list_names


def _deferred_imports(package: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import that a package defers."""
    spec = importlib.util.find_spec(package)
    read_source = getattr(spec and spec.loader, "get_source", None)
    source = None if read_source is None else read_source(package)
    if source is None:
        raise ImportError(f"the source of {package} is needed to import its names on first use")
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            for node in statement.body:
                if isinstance(node, ast.ImportFrom) and node.module is not None:
                    yield from ((node.module, alias.name) for alias in node.names)
