"""The numbers: from a system of preferences to a value with its interval and chance level."""

# each module registers the measures it defines
from holdfast._references import REFERENCES, Reference
from holdfast.measures import (  # noqa: F401
    _ati_pa,
    _consistency,
    _corrected_overlap,
    _correlations,
    _davis,
    _entropy,
    _group_matching,
    _hamming,
    _kendall,
    _overlap,
    _rbo,
    _sechidis,
    _similar_pairs,
)
from holdfast.measures._compare import Comparison, compare
from holdfast.measures._measure import measure, pairwise
from holdfast.measures._nogueira import Outcome, nogueira_test, nogueira_variance
from holdfast.measures._record import Measure, get_measure, list_measures

__all__ = [
    "REFERENCES",
    "Comparison",
    "Measure",
    "Outcome",
    "Reference",
    "compare",
    "get_measure",
    "list_measures",
    "measure",
    "nogueira_test",
    "nogueira_variance",
    "pairwise",
]
