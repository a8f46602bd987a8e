"""Other people's selectors through the adapter."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    f_classif,
    mutual_info_classif,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import holdfast as hf
from holdfast.errors import InvalidInputError

X, Y = load_wine(return_X_y=True)
X = X / X.std(axis=0)


def test_functions():
    scores = f_classif(X, Y)[0]
    for function in (f_classif, lambda x, y: f_classif(x, y)[0]):
        fitted = hf.AnySelector(function, n_features_to_select=3).fit(X, Y)
        assert fitted.scores_ == pytest.approx(scores)
        assert set(np.flatnonzero(fitted.get_support())) == set(np.argsort(scores)[-3:])
    assert hf.AnySelector().fit(X, Y).scores_ == pytest.approx(scores)
    kraskov = hf.AnySelector(lambda x, y: mutual_info_classif(x, y, random_state=0))
    assert kraskov.fit(X, Y).scores_ == pytest.approx(mutual_info_classif(X, Y, random_state=0))


def test_estimators_with_importances():
    linear = LogisticRegression(max_iter=10_000)
    fitted = hf.AnySelector(linear).fit(X, Y)
    assert fitted.scores_ == pytest.approx(np.abs(linear.fit(X, Y).coef_).sum(axis=0))
    forest = hf.AnySelector(RandomForestClassifier(5)).fit(X, Y)
    again = hf.AnySelector(RandomForestClassifier(5)).fit(X, Y)
    assert forest.scores_.tolist() == again.scores_.tolist()  # seeded through the adapter
    assert forest.scores_ == pytest.approx(forest.estimator_.feature_importances_)


@pytest.mark.slow
@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(k=4),
        RFE(LogisticRegression(max_iter=10_000), n_features_to_select=4),
        SelectFromModel(LogisticRegression(max_iter=10_000), threshold="1.5*mean"),
        SequentialFeatureSelector(KNeighborsClassifier(), n_features_to_select=2, cv=3),
    ],
    ids=lambda one: type(one).__name__,
)
def test_selectors_keep_what_they_select(selector):
    fitted = hf.AnySelector(selector).fit(X, Y)
    own = selector.fit(X, Y)
    assert fitted.get_support().tolist() == own.get_support().tolist()


def test_resamples_and_studies_of_any_selector():
    rows = [np.random.default_rng(s).permutation(len(Y))[:150] for s in range(5)]
    weights = hf.AnySelector(f_classif).score_resamples(X, Y, rows)
    assert weights.values[2] == pytest.approx(f_classif(X[rows[2]], Y[rows[2]])[0])
    assert hf.measure("jaccard", weights.top(4)) > 0.5


def test_what_cannot_be_used_is_refused():
    with pytest.raises(InvalidInputError, match="a function"):
        hf.AnySelector(3).fit(X, Y)
    with pytest.raises(InvalidInputError, match="KNeighborsClassifier has none of"):
        hf.AnySelector(KNeighborsClassifier()).fit(X, Y)
    with pytest.raises(InvalidInputError, match="one score per feature"):
        hf.AnySelector(lambda x, y: [1.0, 2.0]).fit(X, Y)


def test_only_a_constant_feature_may_lack_a_score():
    odd = hf.AnySelector(lambda x, y: [np.nan, np.inf, -np.inf, *range(10)])
    with pytest.raises(InvalidInputError, match=r"1 feature got no score \(NaN\).*: 0\."):
        odd.fit(X, Y)
    with pytest.raises(InvalidInputError, match="13 features got no score"):
        hf.AnySelector(lambda x, y: [np.nan] * 13).fit(X, Y)
    missing = odd.fit(X * (np.arange(13) > 0), Y)
    assert missing.ranking_[1] == 1
    assert missing.scores_[0] == missing.scores_[2] == missing.scores_.min()


def test_everything_that_takes_a_seed_gets_one():
    nested = hf.AnySelector(RFE(RandomForestClassifier(5), n_features_to_select=3))
    assert nested.fit(X, Y).ranking_.tolist() == nested.fit(X, Y).ranking_.tolist()
    function = hf.AnySelector(mutual_info_classif)
    assert function.fit(X, Y).scores_.tolist() == function.fit(X, Y).scores_.tolist()


def test_a_selector_keeps_its_own_choice_among_ties():
    tripled = np.hstack([X, X, X])
    for seed in range(4):
        fitted = hf.AnySelector(SelectKBest(k=4), random_state=seed).fit(tripled, Y)
        own = SelectKBest(k=4).fit(tripled, Y)
        assert fitted.get_support().tolist() == own.get_support().tolist()


def noisy(n_features=60):
    """Return two classes that differ in 3 features."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 40)
    values = rng.standard_normal((80, n_features))
    values[y == 1, :3] += 1.5
    return values, y


SPARSE = LinearSVC(penalty="l1", dual=False, C=0.05)


def test_a_sparse_model_gives_fewer_features_than_requested():
    values, y = noisy()
    nonzero = np.flatnonzero(SPARSE.fit(values, y).coef_[0])
    assert 1 <= len(nonzero) < 20
    fitted = hf.AnySelector(SPARSE, n_features_to_select=20).fit(values, y)
    assert np.flatnonzero(fitted.get_support()).tolist() == nonzero.tolist()
    assert fitted.n_found_ == len(nonzero)
    best = hf.AnySelector(SPARSE, n_features_to_select=2).fit(values, y)
    largest = np.argsort(-np.abs(SPARSE.coef_[0]))[:2]
    assert set(np.flatnonzero(best.get_support())) == set(largest)
    own = hf.AnySelector(SelectFromModel(SPARSE)).fit(values, y)
    assert own.get_support().sum() == len(nonzero)
    asked = hf.AnySelector(SelectFromModel(SPARSE), n_features_to_select=20).fit(values, y)
    assert asked.get_support().tolist() == own.get_support().tolist()


def test_without_a_size_features_of_weight_0_are_left_out():
    values, y = noisy()
    fitted = hf.AnySelector(SPARSE).fit(values, y)
    assert set(np.flatnonzero(fitted.get_support())) == set(np.flatnonzero(fitted.scores_))


@pytest.mark.parametrize(
    ("scores", "size", "selected"),
    [
        ([3, 2, 1, 0, 0, 0], 3, 3),
        ([3, 2, 1, 0, 0, 0], 4, 3),
        ([3, 2, 1, 0, 0, 0], 6, 3),
        ([0, 0, 0, 0, 0, 0], 1, 0),
        ([9, 2, 1, 1, 1, 1], 4, 4),  # ties above 0 are ties
        ([2, 1, 0, -1, -2, -3], 3, 3),  # 0 has its place among signed scores
        ([-1, -2, -3, -4, -5, -6], 4, 4),
    ],
)
def test_scores_of_0_never_fill_a_size_up(scores, size, selected):
    def given(X, y):
        return np.array(scores, dtype=float)

    values, y = noisy(6)
    selector = hf.AnySelector(given, n_features_to_select=size).fit(values, y)
    assert selector.get_support().sum() == selected
    assert selector.score_resamples(values, y, [np.arange(80)]).values.tolist() == [scores]


def test_signed_scores_with_several_zeros_must_be_declared():
    def signed(X, y):
        return np.array([2.0, 1, 0, 0, -1, -2])

    values, y = noisy(6)
    with pytest.raises(InvalidInputError, match=r"0 for 2 features.*returns='scores'"):
        hf.AnySelector(signed).fit(values, y)
    declared = hf.AnySelector(signed, returns="scores", n_features_to_select=4).fit(values, y)
    assert declared.get_support().tolist() == [True] * 4 + [False] * 2
