"""Accuracy and stability together: tests, trade-offs, the choice and what it costs."""

from holdfast.judge._candidates import (
    Pair,
    Replicability,
    Tested,
    candidate_table,
    numeric_sizes,
    orient_stability,
)
from holdfast.judge._choice_error import ChoiceError, Deletion, Fold, choice_error
from holdfast.judge._decision_rule import pareto_front, rpt
from holdfast.judge._effects import effect_sizes, shrunken_effects
from holdfast.judge._error_comparison import PredictionErrors, compare_pairs
from holdfast.judge._measurement import (
    FEW_PREFERENCES_NOTE,
    MeasuredValue,
    SizeShortfall,
    average_over_groups,
    find_shortfall,
    make_measured_value,
)
from holdfast.judge._recommend import Recommendation, recommend
from holdfast.judge._replication._cohort_comparison import (
    COHORT_PAIR_COLUMNS,
    SHUFFLE_COLUMNS,
    CohortComparison,
    cohort_pairs,
    compare_cohorts,
)
from holdfast.judge._replication._cohorts import cohorts, selected_features
from holdfast.judge._replication._comparison import ReplicationComparison, compare_replication
from holdfast.judge._replication._estimate import (
    PairValues,
    Replication,
    empty_feature_table,
    estimate_replication,
)
from holdfast.judge._replication._extrapolation import extrapolate
from holdfast.judge._replication._feature_chances import (
    GRADE_HIT_RATES,
    GRADES,
    DisjointDesign,
    ExpectedShare,
    FeatureChances,
    chances_from_groups,
    chances_from_orders,
    chances_from_subsets,
    expected_share_of_orders,
    grade_chances,
    has_short_orders,
    name_members,
)
from holdfast.judge._replication._fit_resamples import check_missing
from holdfast.judge._replication._pair_similarities import pair_chance, pair_similarities
from holdfast.judge._replication._replication import replication
from holdfast.judge._replication._sample_planning import (
    SamplePlan,
    expected_common_features,
    format_needed,
    format_needed_ends,
    has_predictions,
    plan_samples,
)
from holdfast.judge._replication._score_model import MAX_PAIRS, SignedScores, signed_scores_of
from holdfast.judge._selector_similarity import SelectorSimilarity, selector_similarity
from holdfast.judge._significance import (
    Correction,
    check_correction,
    clustered_variance,
    correct_for_best,
    correct_p_values,
    corrected_t_test,
    holm,
    mcnemar,
    mean_and_corrected_error,
)
from holdfast.judge._stability_profile import (
    DEFAULT_PROFILE_MEASURES,
    MAX_KNOT_SHARE,
    PROFILE_COLUMNS,
    Knot,
    StabilityProfile,
    check_profile_measures,
    check_profile_sizes,
    find_knot,
    knots_table,
    profile_rows,
    profile_sizes,
    stability_profile,
)
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
