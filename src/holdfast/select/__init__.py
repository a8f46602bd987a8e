"""The verbs: from data and classes to a preference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports

if TYPE_CHECKING:
    from holdfast.select._adapter import (
        AnySelector,
        as_selector,
        describe_preference,
        named_selector,
    )
    from holdfast.select._cat_score import CATScore
    from holdfast.select._ensemble._ensemble import Ensemble
    from holdfast.select._ensemble._error_bounds import error_bound, largest_q, least_threshold
    from holdfast.select._ensemble._stability_path import StabilityPath
    from holdfast.select._ensemble._stability_selection import StabilitySelection
    from holdfast.select._false_discoveries._data_splitting import DataSplitting
    from holdfast.select._false_discoveries._integrated_path_selection import (
        IntegratedPathSelection,
    )
    from holdfast.select._false_discoveries._integrated_paths import (
        IntegratedPaths,
        integrate_stability_paths,
    )
    from holdfast.select._false_discoveries._knockoffs import (
        Knockoffs,
        knockoff_e_values,
        select_by_e_values,
    )
    from holdfast.select._false_discoveries._mirror_statistics import (
        Discoveries,
        HalfEffects,
        discover,
    )
    from holdfast.select._false_discoveries._synthetic_feature_selection import (
        SyntheticFeatureSelection,
    )
    from holdfast.select._filters._moderated_t_score import ModeratedTScore
    from holdfast.select._filters._mrmr import MRMR
    from holdfast.select._filters._wilcoxon_score import WilcoxonScore
    from holdfast.select._forest import ForestImportance
    from holdfast.select._groups._consensus_groups import ConsensusGroups
    from holdfast.select._groups._dense_groups import DenseGroups
    from holdfast.select._groups._group_selector import GroupSelector, SelectedGroups
    from holdfast.select._groups._kmeans_groups import KMeansGroups
    from holdfast.select._groups._relevance_groups import DRAGS
    from holdfast.select._information import (
        InformationGain,
        MutualInformation,
        SymmetricalUncertainty,
    )
    from holdfast.select._l1_path import L1Path
    from holdfast.select._linear_svm import (
        LinearSVMWeights,
        has_many_samples,
        linear_svm_decisions,
    )
    from holdfast.select._models._boruta import Boruta
    from holdfast.select._models._held_out_importance import (
        GradientBoostingImportance,
        PermutationImportance,
    )
    from holdfast.select._models._impurity_forest import ImpurityForest
    from holdfast.select._models._penalised_models import ElasticNetSelection, LassoSelection
    from holdfast.select._models._shap_importance import ShapImportance
    from holdfast.select._p_values import PValueScorer
    from holdfast.select._random_baselines import RandomScore, RandomSubset
    from holdfast.select._ranker import Ranker, Scorer, ThresholdScorer
    from holdfast.select._recognition._expected_form import (
        DECLARED_FORMS,
        sample_weight_argument,
    )
    from holdfast.select._recognition._explanation import (
        SelectorExplanation,
        explain_selector,
        settle_form,
    )
    from holdfast.select._recognition._reading import SUBSET, Reading
    from holdfast.select._registry import (
        SELECTORS,
        SelectorRecord,
        form_of,
        get_selector,
        list_selectors,
    )
    from holdfast.select._relieff import ReliefF
    from holdfast.select._resample_runner import (
        ResamplePreference,
        ResampleRanking,
        ResampleSubset,
        SelectorRunner,
        TrainingPart,
        failure_message,
        run_selector_on_resamples,
    )
    from holdfast.select._search._oscillating import OscillatingSearch
    from holdfast.select._search._search_state import Step
    from holdfast.select._search._sequential import (
        BackwardSelection,
        FloatingSelection,
        ForwardSelection,
    )
    from holdfast.select._search._subset_selector import SubsetSelector
    from holdfast.select._search._wrapper import Wrapper
    from holdfast.select._selector import (
        BoundSelector,
        OfferedFeatures,
        Selector,
        check_class_weights,
        ignored_weights_sentence,
        resample_subjects,
    )
    from holdfast.select._svm_rfe import SVMRFE, halve_then_one, weka_tenth
    from holdfast.select._univariate import FScore, TScore

__all__ = [
    "DRAGS",
    "MRMR",
    "SVMRFE",
    "AnySelector",
    "BackwardSelection",
    "Boruta",
    "BoundSelector",
    "CATScore",
    "ConsensusGroups",
    "DataSplitting",
    "DenseGroups",
    "ElasticNetSelection",
    "Ensemble",
    "FScore",
    "FloatingSelection",
    "ForestImportance",
    "ForwardSelection",
    "GradientBoostingImportance",
    "GroupSelector",
    "ImpurityForest",
    "InformationGain",
    "IntegratedPathSelection",
    "IntegratedPaths",
    "KMeansGroups",
    "Knockoffs",
    "L1Path",
    "LassoSelection",
    "LinearSVMWeights",
    "ModeratedTScore",
    "MutualInformation",
    "OscillatingSearch",
    "PermutationImportance",
    "RandomScore",
    "RandomSubset",
    "Ranker",
    "Reading",
    "ReliefF",
    "Scorer",
    "SelectedGroups",
    "Selector",
    "SelectorExplanation",
    "SelectorRecord",
    "ShapImportance",
    "StabilityPath",
    "StabilitySelection",
    "Step",
    "SubsetSelector",
    "SymmetricalUncertainty",
    "SyntheticFeatureSelection",
    "TScore",
    "WilcoxonScore",
    "error_bound",
    "explain_selector",
    "get_selector",
    "halve_then_one",
    "integrate_stability_paths",
    "largest_q",
    "least_threshold",
    "list_selectors",
    "weka_tenth",
]

__getattr__, __dir__ = lazy_exports(__name__)
