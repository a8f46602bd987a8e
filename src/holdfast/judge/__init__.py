"""Accuracy and stability together: tests, trade-offs, the choice and what it costs."""

from holdfast.judge._candidates import Pair, Tested
from holdfast.judge._choice_error import ChoiceError, Deletion, Fold, choice_error
from holdfast.judge._decision_rule import pareto_front, rpt
from holdfast.judge._error_comparison import compare_pairs
from holdfast.judge._feature_statistics import effect_sizes
from holdfast.judge._knots import Knot, find_knot
from holdfast.judge._recommend import Recommendation, recommend
from holdfast.judge._replication._cohort_comparison import CohortComparison, compare_cohorts
from holdfast.judge._replication._cohorts import cohorts
from holdfast.judge._replication._comparison import ReplicationComparison, compare_replication
from holdfast.judge._replication._estimate import PairValues, Replication
from holdfast.judge._replication._estimate import estimate as estimate_replication
from holdfast.judge._replication._extrapolation import extrapolate
from holdfast.judge._replication._pair_similarities import pair_similarities
from holdfast.judge._replication._replication import replication
from holdfast.judge._replication._sample_plan import SamplePlan, plan_samples
from holdfast.judge._selector_similarity import SelectorSimilarity, selector_similarity
from holdfast.judge._shrunken_effects import shrunken_effects
from holdfast.judge._significance import correct_for_best, corrected_t_test, holm, mcnemar
from holdfast.judge._stability_profile import StabilityProfile, stability_profile
from holdfast.judge._stand_ins import StandIns, stand_ins

__all__ = [
    "ChoiceError",
    "CohortComparison",
    "Deletion",
    "Fold",
    "Knot",
    "Pair",
    "PairValues",
    "Recommendation",
    "Replication",
    "ReplicationComparison",
    "SamplePlan",
    "SelectorSimilarity",
    "StabilityProfile",
    "StandIns",
    "Tested",
    "choice_error",
    "cohorts",
    "compare_cohorts",
    "compare_pairs",
    "compare_replication",
    "correct_for_best",
    "corrected_t_test",
    "effect_sizes",
    "estimate_replication",
    "extrapolate",
    "find_knot",
    "holm",
    "mcnemar",
    "pair_similarities",
    "pareto_front",
    "plan_samples",
    "recommend",
    "replication",
    "rpt",
    "selector_similarity",
    "shrunken_effects",
    "stability_profile",
    "stand_ins",
]
