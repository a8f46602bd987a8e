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
from holdfast.select import get_selector, list_selectors
from holdfast.select._record import SELECTORS
from holdfast.testing import SelectorConformance

everyone = pytest.mark.parametrize("name", sorted(SELECTORS))
# scores are drawn at random, each resample from a seed of its own
DRAWN = {"forest_importance", "random_score"}


@everyone
class TestEverySelector(SelectorConformance):
    @pytest.fixture(autouse=True)
    def _named(self, name):
        self.kind = SELECTORS[name].kind
        self.seeded_by_position = name in DRAWN

    def make(self):
        return self.kind()


@everyone
def test_record_and_class_agree(name):
    record = SELECTORS[name]
    assert record.gives == ("weights" if hasattr(record.kind, "score_resamples") else "ranking")
    assert record.kind.__name__ in hf.__all__
    parameters = inspect.signature(record.kind).parameters
    assert {"n_features_to_select", "random_state"} <= set(parameters)
    keyword_only = [p for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert len(keyword_only) >= len(parameters) - 1
    document = inspect.getdoc(record.kind)
    for part in ("Parameters\n", "Attributes\n", "Examples\n"):
        assert part in document
    assert bool(record.references) == ("References\n" in document)


@everyone
def test_names_go_in_and_come_out(name, require):
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = SELECTORS[name].kind(n_features_to_select=3).set_output(transform="pandas")
    out = selector.fit(X, y).transform(X)
    assert isinstance(out, pd.DataFrame)
    assert out.columns.tolist() == selector.get_feature_names_out().tolist()
    assert set(out.columns) <= set(X.columns)
    frame = require("polars").from_pandas(X)
    other = SELECTORS[name].kind(n_features_to_select=3).set_output(transform="polars")
    assert other.fit(frame, y).transform(frame).columns == out.columns.tolist()
    named = selector.rank_resamples(X, y, [np.arange(len(y))])
    assert named.feature_names == tuple(X.columns)


@everyone
def test_pipeline_and_grid_search(name):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::4], y[::4]
    pipeline = make_pipeline(
        StandardScaler(), SELECTORS[name].kind(), LogisticRegression(max_iter=1000)
    )
    step = pipeline.steps[1][0]
    search = GridSearchCV(pipeline, {f"{step}__n_features_to_select": [2, 0.5]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.6


@everyone
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_and_infinite_values(name, bad):
    X, y = load_wine(return_X_y=True)
    X[3, 4] = bad
    selector = SELECTORS[name].kind()
    if SELECTORS[name].missing and np.isnan(bad):
        assert sorted(selector.fit(X, y).ranking_) == list(range(1, 14))
    else:
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            selector.fit(X, y)


@pytest.mark.parametrize("name", sorted(SELECTORS.keys() - {"random_score"}))
def test_constant_features_come_last(name):
    """But for the random score, which looks at no data."""
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
    monkeypatch.setattr("holdfast.select._record.entry_points", lambda group: [point, taken])
    assert get_selector("mine").kind is hf.TScore
    assert get_selector("f_score").kind is hf.FScore
    assert "mine" in list_selectors().index
