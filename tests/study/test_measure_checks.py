"""Measures that do not fit the selectors of a study are told of before work starts."""

import warnings

import pytest
from sklearn.feature_selection import SelectFdr, SelectKBest

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.study._planning._plan_checks import check_fitting
from holdfast.study._planning._settings import check_settings


def told(selectors, *measures):
    """Return what is warned of."""
    settings = check_settings(
        selectors=selectors, protocol=None, sizes=None, classifiers=[], measures=measures,
        impute=None, replication=None, until_width=None, seed=0,
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_fitting(settings.selectors, settings.measures)
    assert all(one.category is HoldfastWarning for one in caught)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(
    ("selectors", "measures"),
    [
        ("forward_selection", ["spearman"]),
        ("forward_selection:n_features_to_select=3", ["kendall", "pearson"]),
        (["random_subset", hf.DRAGS()], ["rbo"]),
        ("svm_rfe", ["pearson"]),
        (SelectKBest(k=3), ["top_down"]),
    ],
)
def test_measures_of_which_none_fits_are_refused(selectors, measures):
    with pytest.raises(InvalidInputError, match="use measures of subsets, such as nogueira") as no:
        told(selectors, *measures)
    assert f"{', '.join(measures)} cannot be computed for" in str(no.value)


def test_a_study_is_refused_before_it_works(tmp_path):
    study = hf.Study("forward_selection", measures=["spearman"], classifiers=())
    with pytest.raises(InvalidInputError, match="need ranks of all features"):
        study.run(hf.io.read_data("@wine"), n_jobs=1, out=tmp_path / "out")
    assert not (tmp_path / "out" / "study.sqlite").exists()


def test_measures_that_fit_some_selectors_only_are_warned_of():
    selectors = ["t_score", "svm_rfe", "floating_selection", "random_subset"]
    ranks, weights = told(selectors, "spearman", "pearson", "rbo")
    assert ranks.startswith(
        "spearman, rbo cannot be computed for floating_selection, random_subset: they need ranks of"
    )
    assert weights.startswith(
        "pearson cannot be computed for svm_rfe, floating_selection, random_subset: "
        "they need weights of"
    )
    (one,) = told("random_subset", "spearman", "jaccard")
    assert one.endswith("the measures of subsets apply.")


@pytest.mark.parametrize("name", ["kuncheva", "krizek", "krizek_entropy"])
@pytest.mark.parametrize(
    "selector",
    [
        "forward_selection",
        "oscillating_search:n_features_to_select=(2,5)",
        "random_subset",
        hf.ForwardSelection(n_features_to_select=2, feature_groups=[[0, 1, 2]]),
        hf.StabilitySelection(),
        SelectFdr(),
    ],
)
def test_sizes_that_may_differ_are_warned_of(selector, name):
    (one,) = told(["t_score", selector], name)
    assert one.startswith(f"{name} cannot be computed for ")
    assert "t_score" not in one
    assert "nogueira or relative_weighted_consistency" in one
    assert "n_features_to_select=5" in one


@pytest.mark.parametrize(
    ("selectors", "measures"),
    [
        ("forward_selection:n_features_to_select=3", ["kuncheva", "krizek"]),
        ("random_subset:n_features_to_select=4", ["kuncheva"]),
        (SelectKBest(k=3), ["kuncheva"]),
        (hf.StabilitySelection(n_features_to_select=4), ["kuncheva", "spearman"]),
        (["t_score", "svm_rfe"], ["kuncheva", "spearman", "jaccard"]),
        ("forward_selection", ["nogueira", "pog", "group_matching_index"]),
        ("forward_selection", []),
    ],
)
def test_what_fits_needs_no_words(selectors, measures):
    assert told(selectors, *measures) == []
