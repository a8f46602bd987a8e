"""Write the index of records: names, aliases and listings, and the module of each.

    python tools/record_index.py

Run it after adding, renaming or describing a measure, selector, protocol or paper;
``tests/test_registry.py`` fails if the index is not current.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

from holdfast import measures, papers, resample, select
from holdfast._registry import INDEX_FILE, Registry

REGISTRIES: dict[str, Registry[Any]] = {
    "holdfast.measures": measures.MEASURES,
    "holdfast.select": select.SELECTORS,
    "holdfast.resample": resample.PROTOCOLS,
    "holdfast.papers": papers.PAPERS,
}
"""The registries of records that modules register, by package."""


def make_index() -> str:
    """Return the content of the index file, from importing all modules of these packages."""
    for package_name in REGISTRIES:
        for module in _module_names(package_name):
            importlib.import_module(module)
    parts = (
        f"{json.dumps(registry.noun)}: {{\n{_format_entries(registry)}\n}}"
        for registry in REGISTRIES.values()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _format_entries(registry: Registry[Any]) -> str:
    """Return the entries of a registry, one per line, so that changes are easy to read."""
    entries = registry.make_index(_find_module)
    return ",\n".join(
        f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}"
        for name, entry in entries.items()
    )


def _module_names(package_name: str) -> list[str]:
    package = importlib.import_module(package_name)
    walk = pkgutil.walk_packages(package.__path__, f"{package_name}.")
    return [module.name for module in walk]


def _find_module(record: Any) -> str:  # noqa: ANN401  (a record of any kind)
    """Return the module that registers a record: that of its class or function, or of a paper."""
    defined = getattr(record, "kind", None) or getattr(record, "function", None)
    return f"holdfast.papers.{record.name}" if defined is None else defined.__module__


if __name__ == "__main__":
    INDEX_FILE.write_text(make_index(), encoding="utf-8")
