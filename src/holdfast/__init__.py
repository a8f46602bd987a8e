"""holdfast: which of these features would I find again?

The stability of feature selection, measured for any selector. Start with `Subsets` and
`measure`; `list_measures` shows what can be measured.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast import errors, io, measures, select
    from holdfast.measures import compare, list_measures, measure, pairwise
    from holdfast.preferences import Groups, Rankings, Subsets, Weights, concat
    from holdfast.select import (
        SVMRFE,
        AnySelector,
        CATScore,
        ForestImportance,
        FScore,
        InformationGain,
        LinearSVMWeights,
        MutualInformation,
        RandomScore,
        ReliefF,
        SymmetricalUncertainty,
        TScore,
        list_selectors,
    )

# Names are imported on first use, so that `holdfast --help` stays fast.
_HOME = {
    "AnySelector": "select",
    "CATScore": "select",
    "FScore": "select",
    "ForestImportance": "select",
    "Groups": "preferences",
    "InformationGain": "select",
    "LinearSVMWeights": "select",
    "MutualInformation": "select",
    "RandomScore": "select",
    "Rankings": "preferences",
    "ReliefF": "select",
    "SVMRFE": "select",
    "Subsets": "preferences",
    "SymmetricalUncertainty": "select",
    "TScore": "select",
    "Weights": "preferences",
    "compare": "measures",
    "concat": "preferences",
    "list_measures": "measures",
    "list_selectors": "select",
    "measure": "measures",
    "pairwise": "measures",
}
_MODULES = ("errors", "io", "measures", "select")

__all__ = [
    "SVMRFE",
    "AnySelector",
    "CATScore",
    "FScore",
    "ForestImportance",
    "Groups",
    "InformationGain",
    "LinearSVMWeights",
    "MutualInformation",
    "RandomScore",
    "Rankings",
    "ReliefF",
    "Subsets",
    "SymmetricalUncertainty",
    "TScore",
    "Weights",
    "compare",
    "concat",
    "errors",
    "io",
    "list_measures",
    "list_selectors",
    "measure",
    "measures",
    "pairwise",
    "select",
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
