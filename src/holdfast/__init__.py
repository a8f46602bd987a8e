"""holdfast: which of these features would I find again?

The stability of feature selection, measured for any selector. Start with `Subsets` and
`measure`; `list_measures` lists all measures.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast import (
        errors,
        io,
        judge,
        measures,
        papers,
        plot,
        report,
        resample,
        select,
        simulate,
        study,
        theory,
    )
    from holdfast.judge import compare_replication, replication
    from holdfast.measures import compare, list_measures, measure, pairwise
    from holdfast.preferences import Groups, Rankings, Subsets, Weights, concat
    from holdfast.resample import (
        AddedNoise,
        Bootstrap,
        ComplementaryHalves,
        CrossValidation,
        DisjointParts,
        FeatureSubsets,
        IndependentSamples,
        Nested,
        Splits,
        Subsampling,
        list_protocols,
    )
    from holdfast.select import (
        DRAGS,
        SVMRFE,
        AnySelector,
        BackwardSelection,
        CATScore,
        ConsensusGroups,
        DenseGroups,
        Ensemble,
        FloatingSelection,
        ForestImportance,
        ForwardSelection,
        FScore,
        InformationGain,
        KMeansGroups,
        L1Path,
        LinearSVMWeights,
        MutualInformation,
        OscillatingSearch,
        RandomScore,
        RandomSubset,
        ReliefF,
        StabilitySelection,
        SymmetricalUncertainty,
        TScore,
        explain_selector,
        list_selectors,
    )
    from holdfast.study import Result, Study, check, export, load, merge, resume

# Names are imported on first use, so that `holdfast --help` stays fast.
_HOME = {
    "AddedNoise": "resample",
    "AnySelector": "select",
    "BackwardSelection": "select",
    "Bootstrap": "resample",
    "CATScore": "select",
    "ComplementaryHalves": "resample",
    "ConsensusGroups": "select",
    "CrossValidation": "resample",
    "DRAGS": "select",
    "DenseGroups": "select",
    "DisjointParts": "resample",
    "Ensemble": "select",
    "FScore": "select",
    "FeatureSubsets": "resample",
    "FloatingSelection": "select",
    "ForestImportance": "select",
    "ForwardSelection": "select",
    "Groups": "preferences",
    "IndependentSamples": "resample",
    "InformationGain": "select",
    "KMeansGroups": "select",
    "L1Path": "select",
    "LinearSVMWeights": "select",
    "MutualInformation": "select",
    "Nested": "resample",
    "OscillatingSearch": "select",
    "RandomScore": "select",
    "RandomSubset": "select",
    "Rankings": "preferences",
    "ReliefF": "select",
    "Result": "study",
    "SVMRFE": "select",
    "Splits": "resample",
    "StabilitySelection": "select",
    "Study": "study",
    "Subsampling": "resample",
    "Subsets": "preferences",
    "SymmetricalUncertainty": "select",
    "TScore": "select",
    "Weights": "preferences",
    "check": "study",
    "compare": "measures",
    "compare_replication": "judge",
    "concat": "preferences",
    "explain_selector": "select",
    "export": "study",
    "list_measures": "measures",
    "list_protocols": "resample",
    "list_selectors": "select",
    "load": "study",
    "measure": "measures",
    "merge": "study",
    "pairwise": "measures",
    "replication": "judge",
    "resume": "study",
}
_MODULES = (
    "errors", "io", "judge", "measures", "papers", "plot", "report", "resample", "select",
    "simulate", "study", "theory",
)  # fmt: skip

__all__ = [
    "DRAGS",
    "SVMRFE",
    "AddedNoise",
    "AnySelector",
    "BackwardSelection",
    "Bootstrap",
    "CATScore",
    "ComplementaryHalves",
    "ConsensusGroups",
    "CrossValidation",
    "DenseGroups",
    "DisjointParts",
    "Ensemble",
    "FScore",
    "FeatureSubsets",
    "FloatingSelection",
    "ForestImportance",
    "ForwardSelection",
    "Groups",
    "IndependentSamples",
    "InformationGain",
    "KMeansGroups",
    "L1Path",
    "LinearSVMWeights",
    "MutualInformation",
    "Nested",
    "OscillatingSearch",
    "RandomScore",
    "RandomSubset",
    "Rankings",
    "ReliefF",
    "Result",
    "Splits",
    "StabilitySelection",
    "Study",
    "Subsampling",
    "Subsets",
    "SymmetricalUncertainty",
    "TScore",
    "Weights",
    "check",
    "compare",
    "compare_replication",
    "concat",
    "errors",
    "explain_selector",
    "export",
    "io",
    "judge",
    "list_measures",
    "list_protocols",
    "list_selectors",
    "load",
    "measure",
    "measures",
    "merge",
    "pairwise",
    "papers",
    "plot",
    "replication",
    "report",
    "resample",
    "resume",
    "select",
    "simulate",
    "study",
    "theory",
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
