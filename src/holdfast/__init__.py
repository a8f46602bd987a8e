"""holdfast: which of these features would I find again?

The stability of feature selection, measured for any selector. Start with `Subsets` and
`measure`; `list_measures` lists all measures.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from holdfast._lazy_exports import lazy_exports

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
        MRMR,
        SVMRFE,
        AnySelector,
        BackwardSelection,
        Boruta,
        CATScore,
        ConsensusGroups,
        DataSplitting,
        DenseGroups,
        ElasticNetSelection,
        Ensemble,
        FloatingSelection,
        ForestImportance,
        ForwardSelection,
        FScore,
        GradientBoostingImportance,
        ImpurityForest,
        InformationGain,
        IntegratedPathSelection,
        KMeansGroups,
        Knockoffs,
        L1Path,
        LassoSelection,
        LinearSVMWeights,
        ModeratedTScore,
        MutualInformation,
        OscillatingSearch,
        PermutationImportance,
        RandomScore,
        RandomSubset,
        ReliefF,
        ShapImportance,
        StabilitySelection,
        SymmetricalUncertainty,
        SyntheticFeatureSelection,
        TScore,
        WilcoxonScore,
        explain_selector,
        list_selectors,
    )
    from holdfast.study import Result, Study, check, export, load, merge, resume

__all__ = [
    "DRAGS",
    "MRMR",
    "SVMRFE",
    "AddedNoise",
    "AnySelector",
    "BackwardSelection",
    "Bootstrap",
    "Boruta",
    "CATScore",
    "ComplementaryHalves",
    "ConsensusGroups",
    "CrossValidation",
    "DataSplitting",
    "DenseGroups",
    "DisjointParts",
    "ElasticNetSelection",
    "Ensemble",
    "FScore",
    "FeatureSubsets",
    "FloatingSelection",
    "ForestImportance",
    "ForwardSelection",
    "GradientBoostingImportance",
    "Groups",
    "ImpurityForest",
    "IndependentSamples",
    "InformationGain",
    "IntegratedPathSelection",
    "KMeansGroups",
    "Knockoffs",
    "L1Path",
    "LassoSelection",
    "LinearSVMWeights",
    "ModeratedTScore",
    "MutualInformation",
    "Nested",
    "OscillatingSearch",
    "PermutationImportance",
    "RandomScore",
    "RandomSubset",
    "Rankings",
    "ReliefF",
    "Result",
    "ShapImportance",
    "Splits",
    "StabilitySelection",
    "Study",
    "Subsampling",
    "Subsets",
    "SymmetricalUncertainty",
    "SyntheticFeatureSelection",
    "TScore",
    "Weights",
    "WilcoxonScore",
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


_import_export, _ = lazy_exports(__name__)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("holdfast")
    return _import_export(name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
