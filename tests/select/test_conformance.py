"""Every registered selector keeps the contract that holdfast.testing spells out."""

import inspect
from importlib.metadata import EntryPoint

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from holdfast.errors import UnknownNameError
from holdfast.select import (
    GroupSelector,
    Ranker,
    Scorer,
    SubsetSelector,
    get_selector,
    list_selectors,
)
from holdfast.select._registry import SELECTORS
from holdfast.testing import (
    GroupSelectorConformance,
    SelectorConformance,
    SubsetSelectorConformance,
)

GROUPERS = sorted(name for name in SELECTORS if SELECTORS[name].gives == "groups")
CHOOSERS = sorted(name for name in SELECTORS if SELECTORS[name].gives == "subset")
RANKERS = sorted(SELECTORS.keys() - {*GROUPERS, *CHOOSERS})
everyone = pytest.mark.parametrize("name", sorted(SELECTORS))
every_ranker = pytest.mark.parametrize("name", RANKERS)
every_grouper = pytest.mark.parametrize("name", GROUPERS)
every_chooser = pytest.mark.parametrize("name", CHOOSERS)
# chance has a say: each resample has a seed of its own
DRAWN = {
    "backward_selection",
    "boruta",
    "consensus_groups",
    "data_splitting",
    "elastic_net",
    "ensemble",
    "floating_selection",
    "forest_importance",
    "forward_selection",
    "impurity_forest",
    "gradient_boosting",
    "integrated_path_selection",
    "kmeans_groups",
    "knockoffs",
    "lasso",
    "oscillating_search",
    "permutation_importance",
    "random_score",
    "random_subset",
    "shap_importance",
    "stability_selection",
    "synthetic_feature_selection",
}
# a size is the most features, of which a sparse model may keep fewer
AT_MOST = {"elastic_net", "lasso"}
# what repeats itself does so less often here
QUICK = {
    "backward_selection": {"cv": 3},
    "boruta": {"n_estimators": 20, "max_rounds": 20},
    "consensus_groups": {"n_bags": 5},
    "data_splitting": {"n_splits": 10},
    "elastic_net": {"n_penalties": 20},
    "ensemble": {"n_bags": 5},
    "floating_selection": {"cv": 3},
    "forward_selection": {"cv": 3},
    "impurity_forest": {"n_estimators": 5},
    "gradient_boosting": {"n_estimators": 5, "n_repeats": 1},
    "integrated_path_selection": {"n_pairs": 10},
    "kmeans_groups": {"n_init": 5},
    "knockoffs": {"n_draws": 3},
    "lasso": {"n_penalties": 20},
    "oscillating_search": {"cv": 3, "depth": 2},
    "permutation_importance": {"classifier": "knn3", "n_repeats": 2},
    "stability_selection": {"n_pairs": 10},
    "synthetic_feature_selection": {"n_pairs": 10},
}


# what needs another package is tested where that is installed
NEEDED = {"shap_importance": "shap"}


@pytest.fixture(autouse=True)
def _needed_package(request, require):
    name = request.node.callspec.params.get("name") if hasattr(request.node, "callspec") else None
    if name in NEEDED:
        require(NEEDED[name])


class OfTheRegistry:
    @pytest.fixture(autouse=True)
    def _named(self, name):
        self.name = name
        self.seeded_by_position = name in DRAWN

    def make(self):
        return SELECTORS[self.name].kind(**QUICK.get(self.name, {}))


@every_ranker
class TestEveryRanker(OfTheRegistry, SelectorConformance):
    pass


@every_grouper
class TestEveryGrouper(OfTheRegistry, GroupSelectorConformance):
    pass


@every_chooser
class TestEveryChooser(OfTheRegistry, SubsetSelectorConformance):
    @pytest.fixture(autouse=True)
    def _limited(self, name):
        self.keeps_at_most = name in AT_MOST


@everyone
def test_record_and_class_agree(name):
    record = SELECTORS[name]
    bases = {
        "weights": Scorer,
        "ranking": Ranker,
        "groups": GroupSelector,
        "subset": SubsetSelector,
    }
    assert issubclass(record.kind, bases[record.gives])
    assert (record.gives == "weights") == hasattr(record.kind, "score_resamples")
    assert record.kind.__name__ in hf.__all__
    parameters = inspect.signature(record.kind).parameters
    size = {"n_groups", "output"} if name in GROUPERS else {"n_features_to_select"}
    assert size | {"random_state"} <= set(parameters)
    keyword_only = [p for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert len(keyword_only) >= len(parameters) - 1
    document = inspect.getdoc(record.kind)
    for part in ("Parameters\n", "Attributes\n", "Examples\n"):
        assert part in document
    assert bool(record.references) == ("References\n" in document)


@pytest.mark.slow
@everyone
def test_names_go_in_and_come_out(name, require):
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = SELECTORS[name].kind().with_size(3).set_output(transform="pandas")
    out = selector.fit(X, y).transform(X)
    assert isinstance(out, pd.DataFrame)
    assert out.columns.tolist() == selector.get_feature_names_out().tolist()
    assert set(out.columns) <= set(X.columns)
    frame = require("polars").from_pandas(X)
    other = SELECTORS[name].kind().with_size(3).set_output(transform="polars")
    assert other.fit(frame, y).transform(frame).columns == out.columns.tolist()
    methods = {"groups": "group_resamples", "subset": "select_resamples"}
    on_resamples = getattr(selector, methods.get(SELECTORS[name].gives, "rank_resamples"))
    assert on_resamples(X, y, [np.arange(len(y))]).feature_names == tuple(X.columns)


@pytest.mark.slow
@everyone
def test_pipeline_and_grid_search(name):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::4], y[::4]
    pipeline = make_pipeline(
        StandardScaler(), SELECTORS[name].kind(), LogisticRegression(max_iter=1000)
    )
    step = pipeline.steps[1][0]
    sizes = {"n_groups": [2, 5]} if name in GROUPERS else {"n_features_to_select": [2, 0.5]}
    search = GridSearchCV(pipeline, {f"{step}__{key}": sizes[key] for key in sizes}, cv=2)
    assert search.fit(X, y).best_score_ > 0.6


@everyone
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_and_infinite_values(name, bad):
    X, y = load_wine(return_X_y=True)
    X[3, 4] = bad
    selector = SELECTORS[name].kind()
    if selector.supports_missing and np.isnan(bad):
        fitted = selector.fit(X, y)
        if name in RANKERS:
            assert sorted(fitted.ranking_) == list(range(1, 14))
    else:
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            selector.fit(X, y)


@pytest.mark.parametrize("name", sorted(set(RANKERS) - {"random_score"}))
def test_constant_features_come_last(name):
    """But for the random score, which looks at no data; groups have a test of their own."""
    X, y = load_wine(return_X_y=True)
    X[:, [2, 7]] = 5.0
    fitted = SELECTORS[name].kind().fit(X, y)
    if hasattr(fitted, "scores_"):
        assert (fitted.scores_[[2, 7]] == fitted.scores_.min()).all()
    else:
        assert sorted(fitted.ranking_[[2, 7]]) == [12, 13]


def test_listing_and_look_up():
    table = list_selectors()
    assert table.index.tolist() == sorted(SELECTORS)
    assert get_selector("t_score").kind is hf.TScore
    with pytest.raises(UnknownNameError, match="Did you mean 't_score'"):
        get_selector("tscore")


def test_other_packages_offer_selectors(monkeypatch):
    point = EntryPoint("mine", "holdfast.select:TScore", "holdfast.selectors")
    taken = EntryPoint("f_score", "holdfast.select:TScore", "holdfast.selectors")
    monkeypatch.setattr("holdfast._registry.entry_points", lambda group: [point, taken])
    assert get_selector("mine").kind is hf.TScore
    assert get_selector("f_score").kind is hf.FScore
    assert "mine" in list_selectors().index
