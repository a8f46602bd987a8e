"""The numbers: from a system of preferences to a value with its interval and chance level."""

# each module registers the measures it defines
from holdfast._bibliography import REFERENCES, Reference
from holdfast.measures import (  # noqa: F401
    _consistency,
    _corrected_overlap,
    _entropy,
    _group_matching,
    _nogueira,
    _overlap,
    _rank_correlation,
    _similarity_adjusted,
)
from holdfast.measures._comparison import Comparison, compare
from holdfast.measures._measure import measure, pairwise
from holdfast.measures._nogueira import Outcome, nogueira_test, nogueira_variance
from holdfast.measures._registry import Measure, get_measure, list_measures

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
