"""Stability measures: a value with its interval and chance level for a system of preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports

if TYPE_CHECKING:
    from holdfast._bibliography import REFERENCES, Reference
    from holdfast.measures._comparison import Comparison, compare
    from holdfast.measures._consistency import weighted_consistency_bounds
    from holdfast.measures._feature_similarity import (
        DataSimilarity,
        as_similarity,
        check_all_named,
        expected_scores,
        order_columns,
    )
    from holdfast.measures._interval import (
        MIN_PREFERENCES,
        ROUNDING,
        Bounds,
        estimate_interval,
        student_interval,
        student_quantile,
    )
    from holdfast.measures._measure import check_confidence, estimate_all, measure, pairwise
    from holdfast.measures._nogueira import Outcome, nogueira_test, nogueira_variance
    from holdfast.measures._registry import (
        MEASURES,
        ChanceLevel,
        Estimate,
        Measure,
        get_measure,
        list_measures,
        measure_rows,
    )
    from holdfast.measures._subset_tables import (
        PairMeasure,
        PairSimilarities,
        SubsetTables,
        expected_mean,
    )

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
    "weighted_consistency_bounds",
]

__getattr__, __dir__ = lazy_exports(__name__)
