"""How data are changed: the resamples that a selector is run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports

if TYPE_CHECKING:
    from holdfast.resample._bootstrap import Bootstrap
    from holdfast.resample._cohort_design import COHORT, CohortDesign, cohort_places
    from holdfast.resample._cross_validation import CrossValidation, Nested
    from holdfast.resample._perturbation import AddedNoise, FeatureSubsets, IndependentSamples
    from holdfast.resample._protocol import Protocol, Resample, times_tested
    from holdfast.resample._registry import (
        PROTOCOLS,
        ProtocolRecord,
        get_protocol,
        list_protocols,
        protocol,
    )
    from holdfast.resample._replication_design import (
        FULL,
        HALF,
        ROLES,
        ReplicationDesign,
        ReplicationPairs,
        classes_left_out,
        halved_units,
        left_out_note,
    )
    from holdfast.resample._splits import Splits, as_protocol
    from holdfast.resample._strata import Units
    from holdfast.resample._subsampling import ComplementaryHalves, DisjointParts, Subsampling

__all__ = [
    "PROTOCOLS",
    "AddedNoise",
    "Bootstrap",
    "CohortDesign",
    "ComplementaryHalves",
    "CrossValidation",
    "DisjointParts",
    "FeatureSubsets",
    "IndependentSamples",
    "Nested",
    "Protocol",
    "ProtocolRecord",
    "ReplicationDesign",
    "ReplicationPairs",
    "Resample",
    "Splits",
    "Subsampling",
    "as_protocol",
    "get_protocol",
    "list_protocols",
    "protocol",
    "times_tested",
]

__getattr__, __dir__ = lazy_exports(__name__)
