"""How data are changed: the resamples that a selector is run on."""

from holdfast.resample._added_noise import AddedNoise
from holdfast.resample._base import Protocol, Resample
from holdfast.resample._bootstrap import Bootstrap
from holdfast.resample._cohorts import CohortDesign
from holdfast.resample._convert import as_protocol
from holdfast.resample._cross_validation import CrossValidation
from holdfast.resample._disjoint_parts import DisjointParts
from holdfast.resample._feature_subsets import FeatureSubsets
from holdfast.resample._halves import ComplementaryHalves
from holdfast.resample._independent import IndependentSamples
from holdfast.resample._nested import Nested
from holdfast.resample._record import (
    PROTOCOLS,
    ProtocolRecord,
    get_protocol,
    list_protocols,
    protocol,
)
from holdfast.resample._replication import ReplicationDesign, ReplicationPairs
from holdfast.resample._splits import Splits
from holdfast.resample._subsampling import Subsampling
from holdfast.resample._tested import times_tested

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
