"""Accuracy and stability together: tests, trade-offs, the choice and what it costs."""

from holdfast.judge._choice import Deletion, Fold, choice_error
from holdfast.judge._choice_error import ChoiceError
from holdfast.judge._cohorts._compared import compare_cohorts
from holdfast.judge._cohorts._direct import cohorts
from holdfast.judge._cohorts._result import CohortComparison
from holdfast.judge._compare import compare_pairs
from holdfast.judge._effects import effect_sizes
from holdfast.judge._knots import Knot, find_knot
from holdfast.judge._pair import Pair, Tested
from holdfast.judge._pareto import pareto_front
from holdfast.judge._profile import StabilityProfile, stability_profile
from holdfast.judge._recommend import recommend
from holdfast.judge._recommendation import Recommendation
from holdfast.judge._replication._comparison import ReplicationComparison, compare_replication
from holdfast.judge._replication._curve import extrapolate
from holdfast.judge._replication._direct import replication
from holdfast.judge._replication._estimate import estimate as estimate_replication
from holdfast.judge._replication._pairs import pair_similarities
from holdfast.judge._replication._planning import SamplePlan, plan_samples
from holdfast.judge._replication._result import Replication
from holdfast.judge._replication._values import PairValues
from holdfast.judge._rpt import rpt
from holdfast.judge._selector_similarity import SelectorSimilarity, selector_similarity
from holdfast.judge._shrunken_effects import shrunken_effects
from holdfast.judge._stand_ins import StandIns, stand_ins
from holdfast.judge._tests import correct_for_best, corrected_t_test, holm, mcnemar

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
