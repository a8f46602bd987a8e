"""Searches through very many sizes are told of before work starts."""

import warnings

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import HoldfastWarning
from holdfast.io import from_arrays
from holdfast.study._planning._make_plan import make_plan
from holdfast.study._planning._plan_checks import warn_of_long_searches


def told(search, n_features, features=None):
    """Return what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_long_searches({"mine": search}, n_features, features)
    return [str(one.message) for one in caught]


def test_the_plan_of_a_long_search_says_so():
    X = np.random.default_rng(0).normal(size=(20, 2000))
    study = hf.Study(
        "forward_selection", protocol=hf.Subsampling(3, 0.9), classifiers=(), replication=0
    )
    with pytest.warns(HoldfastWarning) as caught:
        make_plan(study._settings, from_arrays(X, np.arange(20) % 2))
    (one,) = caught
    assert str(one.message) == (
        "forward_selection searches all 2,000 sizes of subsets on each resample, at least "
        "2,001,000 subsets; to stop earlier set n_features_to_select, as in "
        "forward_selection:n_features_to_select=(1,30)."
    )


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (hf.ForwardSelection(n_features_to_select=(1, 201)), "all 201 sizes"),
        (hf.BackwardSelection(n_features_to_select=(1, 30)), "search forward and set"),
        (hf.FloatingSelection(), "at least 45,150 subsets; to stop earlier set"),
        (hf.FloatingSelection(direction="backward"), "at least 45,150 subsets; to stop earlier se"),
        (hf.OscillatingSearch(start="forward"), "oscillating_search:n_features_to_select=(1,30)"),
    ],
)
def test_all_kinds_are_reported_of(search, words):
    (one,) = told(search, 300)
    assert words in one


@pytest.mark.parametrize(
    "search",
    [
        hf.ForwardSelection(n_features_to_select=(1, 200)),
        hf.ForwardSelection(n_features_to_select=30),
        hf.BackwardSelection(n_features_to_select=(280, 300)),
        hf.FloatingSelection(n_features_to_select="(1,30)"),
        hf.ForwardSelection(forced_out=list(range(100))),
        hf.ForwardSelection(feature_groups=[list(range(150))]),
        hf.OscillatingSearch(),
        hf.OscillatingSearch(start=[0, 1]),
        hf.RandomSubset(),
    ],
)
def test_short_searches_need_no_words(search):
    assert told(search, 300) == []


def test_the_features_that_are_offered_count():
    assert told(hf.ForwardSelection(), 1000, np.arange(150)) == []
    assert "all 300 sizes" in told(hf.ForwardSelection(), 1000, np.arange(300))[0]


@pytest.mark.parametrize("kind", [hf.ForwardSelection, hf.BackwardSelection])
@pytest.mark.parametrize("given", [{}, {"n_features_to_select": (3, 6)}, {"forced_in": [1, 4]}])
def test_the_numbers_are_those_of_a_search(kind, given, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 9)), np.arange(40) % 2
    search = kind("knn3", cv=2, **given).fit(X, y)
    monkeypatch.setattr("holdfast.study._planning._plan_checks.MAX_SIZES_WITHOUT_WARNING", 0)
    (one,) = told(kind(**given), 9)
    counted = int(one.partition("at least ")[2].partition(" ")[0])
    assert abs(search.n_judged_ - counted) <= 1
