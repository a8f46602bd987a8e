"""Boruta against boruta_py: the rule round by round, decisions over seeds, and simulated noise."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from sklearn import datasets

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.select._models._boruta import CONFIRMED, REJECTED, decide

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "boruta.json").read_text("utf-8"))
DATA = {"wine": ("load_wine", 2), "breast_cancer": ("load_breast_cancer", 6)}


def golden_data(name):
    """The data of `tests/golden/make_boruta.py`: the second half of the features is noise."""
    loader, k = DATA[name]
    X, y = getattr(datasets, loader)(return_X_y=True)
    X, y = X[::k], y[::k]
    return np.hstack([X, np.random.default_rng(0).permuted(X, axis=0)]), y


@pytest.mark.parametrize("sequence", GOLDEN["sequences"], ids=["two steps", "Bonferroni", "60 %"])
def test_decisions_follow_from_hits_as_in_boruta_py(sequence):
    """Round by round, on the hits that boruta_py counted."""
    decisions = np.zeros(len(sequence["hits"][0]), dtype=np.int8)
    decided = set()
    for n_rounds, (hits, expected) in enumerate(
        zip(sequence["hits"], sequence["decisions"], strict=True), 1
    ):
        decide(decisions, np.array(hits), n_rounds, 0.05, sequence["two_step"])
        assert decisions.tolist() == expected
        decided |= set(expected)
    assert decided == {REJECTED, 0, CONFIRMED}


@pytest.mark.slow
@pytest.mark.parametrize("peer", GOLDEN["decisions"], ids=lambda peer: peer["data"])
def test_decisions_agree_with_those_of_boruta_py_over_seeds(peer):
    """Random numbers differ, so shares of seeds are compared; nearly all features are clear."""
    X, y = golden_data(peer["data"])
    fits = [
        hf.Boruta(max_rounds=peer["rounds"], random_state=seed).fit(X, y)
        for seed in range(peer["seeds"])
    ]
    confirmed = np.sum([fit.confirmed_ for fit in fits], axis=0)
    rejected = peer["seeds"] - confirmed - np.sum([fit.tentative_ for fit in fits], axis=0)
    for ours, name in ((confirmed, "confirmed"), (rejected, "rejected")):
        theirs = np.array(peer[name])
        clear = np.isin(theirs, (0, peer["seeds"]))
        assert clear.mean() > 0.85
        assert (abs(ours - theirs)[clear] <= 1).all()
        for a, b in zip(ours, theirs, strict=True):
            table = [[a, peer["seeds"] - a], [b, peer["seeds"] - b]]
            assert scipy.stats.fisher_exact(table).pvalue > 0.001


def test_relevant_features_are_confirmed_and_shuffled_ones_rejected():
    X, y = golden_data("wine")
    fitted = hf.Boruta().fit(X, y)
    assert np.flatnonzero(fitted.support_).tolist() == list(range(13))
    assert not fitted.tentative_.any()
    assert fitted.n_rounds_ < 100
    assert fitted.importance_history_.shape == (fitted.n_rounds_, 26)
    # a rejected feature leaves the forest, and its hits stay as they are
    gone = np.isnan(fitted.importance_history_)
    assert (gone[1:] >= gone[:-1]).all()
    assert gone[-1, 13:].any()
    with np.errstate(invalid="ignore"):
        hits = (fitted.importance_history_ > fitted.shadow_history_[:, None]).sum(axis=0)
    assert fitted.hits_.tolist() == hits.tolist()


def test_the_ranking_is_by_decision_hits_and_importance():
    X, y = golden_data("breast_cancer")
    fitted = hf.Boruta(max_rounds=25).fit(X, y)
    assert fitted.tentative_.any()
    importance = np.nanmean(fitted.importance_history_, axis=0)
    decision = np.where(fitted.confirmed_, 1, np.where(fitted.tentative_, 0, -1))
    expected = np.lexsort((importance, fitted.hits_, decision))[::-1]
    assert np.argsort(fitted.ranking_).tolist() == expected.tolist()
    part = hf.Boruta(max_rounds=25, n_features_to_select=4).fit(X, y)
    assert np.flatnonzero(part.support_).tolist() == sorted(expected[:4])
    assert part.confirmed_.tolist() == fitted.confirmed_.tolist()


def test_the_rough_fix_adds_tentative_features_by_their_median():
    X, y = golden_data("breast_cancer")
    plain = hf.Boruta(max_rounds=15).fit(X, y)
    fixed = hf.Boruta(max_rounds=15, rough_fix=True).fit(X, y)
    assert plain.support_.tolist() == plain.confirmed_.tolist()
    above = np.median(fixed.importance_history_, axis=0) > np.median(fixed.shadow_history_)
    assert fixed.support_.tolist() == (plain.support_ | plain.tentative_ & above).tolist()
    assert fixed.support_.sum() > plain.support_.sum()


@pytest.mark.parametrize("two_step", [True, False])
def test_noise_is_rejected(two_step):
    """Twenty data sets of 40 features without any relation to the classes."""
    rng = np.random.default_rng(0)
    y = np.arange(50) % 2
    fits = [
        hf.Boruta(two_step=two_step, n_estimators=30, max_rounds=20, random_state=seed).fit(
            rng.normal(size=(50, 40)), y
        )
        for seed in range(20)
    ]
    assert np.mean([fit.support_.sum() for fit in fits]) < 1
    assert np.mean([(~fit.confirmed_ & ~fit.tentative_).sum() for fit in fits]) > 35


def test_a_lower_percentile_confirms_more():
    X, y = golden_data("breast_cancer")
    counts = [
        hf.Boruta(percentile=percentile, max_rounds=30, random_state=1).fit(X, y).support_.sum()
        for percentile in (100, 60)
    ]
    assert counts[0] < counts[1]


def test_few_features_have_five_shadows_or_more():
    """With one feature, the largest of eight shadows is to be exceeded."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = (rng.normal(size=60) + 3 * y)[:, None]
    assert hf.Boruta().fit(X, y).support_.tolist() == [True]
    assert hf.Boruta().fit(rng.normal(size=(60, 1)), y).support_.tolist() == [False]


def test_monotone_transformations_change_nothing():
    X, y = datasets.load_wine(return_X_y=True)
    expected = hf.Boruta(max_rounds=10).fit(X, y)
    got = hf.Boruta(max_rounds=10).fit(1e200 * X**3 - 5, y)
    assert got.hits_.tolist() == expected.hits_.tolist()
    assert got.ranking_.tolist() == expected.ranking_.tolist()


def test_a_study_uses_the_confirmed_features():
    study = hf.Study(
        [hf.Boruta(max_rounds=10, n_estimators=30)],
        protocol=hf.Subsampling(4, 0.8),
        classifiers=(),
        replication=0,
    )
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    table = result.summary()
    assert table["size"].tolist() == ["own"]
    assert 5 < table["selected"].iloc[0] <= 13


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"n_estimators": "many"}, "n_estimators"),
        ({"max_depth": 0}, "max_depth"),
        ({"percentile": 0}, "percentile"),
        ({"percentile": 101}, "percentile"),
        ({"alpha": 1.0}, "alpha"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"two_step": "no"}, "two_step"),
        ({"rough_fix": 1}, "rough_fix"),
    ],
)
def test_bad_parameters(options, words):
    X, y = datasets.load_wine(return_X_y=True)
    with pytest.raises(InvalidInputError, match=words):
        hf.Boruta(**options).fit(X, y)
