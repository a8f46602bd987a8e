"""Names of selectors: other names that resolve, and names that point to something else."""

from __future__ import annotations

import re

import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import get_selector, list_selectors, named_selector
from holdfast.select._registry import REMEDIES, SELECTORS
from tests.study.inline import work_here
from tests.study.small_data import small_data

# what people type, and the selector that it is
OTHER_NAMES = {
    "anova": "f_score",
    "ttest": "t_score",
    "random_forest": "forest_importance",
    "rfe": "svm_rfe",
    "stabsel": "stability_selection",
    "wilcoxon": "wilcoxon_score",
    "mann_whitney": "wilcoxon_score",
    "limma": "moderated_t_score",
    "elasticnet": "elastic_net",
    "knockoff": "knockoffs",
    "ipss": "integrated_path_selection",
    "stabl": "synthetic_feature_selection",
    "permutation": "permutation_importance",
    "hist_gradient_boosting": "gradient_boosting",
    "shap": "shap_importance",
}


@pytest.mark.parametrize(("alias", "name"), OTHER_NAMES.items())
def test_selectors_have_the_names_that_people_type(alias, name):
    assert get_selector(alias) is SELECTORS[name]
    assert named_selector(alias)[0] == name
    assert list_selectors().loc[name, "aliases"].split(", ").count(alias) == 1


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("xgboost", "use 'xgboost:XGBClassifier'"),
        ("XGBClassifier", "use 'xgboost:XGBClassifier'"),
        ("LightGBM", "use 'lightgbm:LGBMClassifier'"),
        ("RandomForest", "Did you mean 'random_forest', another name of 'forest_importance'"),
        ("AnovaF", "Did you mean 'anova', another name of 'f_score'"),
    ],
)
def test_names_from_elsewhere_are_pointed_to_what_there_is(name, remedy):
    with pytest.raises(UnknownNameError, match=re.escape(remedy)):
        get_selector(name)


def test_names_and_other_names_are_all_different():
    names = [name for record in SELECTORS.values() for name in (record.name, *record.aliases)]
    assert len({*names, *REMEDIES}) == len(names) + len(REMEDIES)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in names)


def test_a_study_stores_the_main_name(monkeypatch):
    work_here(monkeypatch)
    options = {"sizes": [2], "classifiers": (), "replication": 0}
    study = hf.Study(["anova", "rfe:step=0.5", "rfe"], protocol=hf.Subsampling(3, 0.8), **options)
    result = study.run(*small_data(6), n_jobs=1)
    names = [selector["name"] for selector in result.plan["selectors"]]
    assert names == ["f_score", "svm_rfe:step=0.5", "svm_rfe"]


def test_one_selector_under_two_names_is_refused():
    with pytest.raises(InvalidInputError, match="each selector may be given once"):
        hf.Study(["anova", "f_score"])


ASKED_FOR = (
    "anova", "ttest", "lasso", "elastic_net", "random_forest", "rfe", "mrmr", "boruta", "xgboost",
    "lightgbm", "wilcoxon", "limma", "shap", "permutation",
)  # fmt: skip


@pytest.mark.parametrize("name", ASKED_FOR)
def test_every_name_that_people_asked_for_leads_somewhere(name):
    if name in REMEDIES:
        with pytest.raises(UnknownNameError, match=re.escape(REMEDIES[name])):
            get_selector(name)
    else:
        assert get_selector(name).name in SELECTORS
