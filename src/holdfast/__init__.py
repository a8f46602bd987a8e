"""holdfast: which of these features would I find again?

The stability of feature selection, measured for any selector. Start with `Subsets` and
`measure`; `list_measures` shows what can be measured.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast import errors as errors
    from holdfast import measures as measures
    from holdfast.measures import compare, list_measures, measure, pairwise
    from holdfast.preferences import Groups, Rankings, Subsets, Weights, concat

# Names are imported on first use, so that `holdfast --help` stays fast.
_HOME = {
    "Groups": "preferences",
    "Rankings": "preferences",
    "Subsets": "preferences",
    "Weights": "preferences",
    "compare": "measures",
    "concat": "preferences",
    "list_measures": "measures",
    "measure": "measures",
    "pairwise": "measures",
}
_MODULES = ("errors", "measures")

__all__ = [
    "Groups",
    "Rankings",
    "Subsets",
    "Weights",
    "compare",
    "concat",
    "errors",
    "list_measures",
    "measure",
    "measures",
    "pairwise",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _HOME:
        return getattr(importlib.import_module(f"holdfast.{_HOME[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"holdfast.{name}")
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("holdfast")
    raise AttributeError(f"module 'holdfast' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
