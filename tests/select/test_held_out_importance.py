"""Importances by permutation of held-out samples: against scikit-learn, by hand, on noise."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._models import _held_out_importance
from holdfast.select._models._held_out_importance import count_lost_predictions


def draw_peer_permutations(seed, n, n_repeats):
    """Return the orders that scikit-learn draws: each shuffles the values of the one before."""
    generator = check_random_state(check_random_state(seed).randint(np.iinfo(np.int32).max + 1))
    order, permutations = np.arange(n), [np.arange(n)]
    for _ in range(n_repeats):
        generator.shuffle(order)
        permutations.append(permutations[-1][order])
    return np.array(permutations[1:])


@pytest.mark.parametrize("block", [2**15, 2**22])
@pytest.mark.parametrize(
    "model", [GaussianNB(), DecisionTreeClassifier(max_depth=4, random_state=0)]
)
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_losses_equal_those_of_scikit_learn(load, model, block, monkeypatch):
    monkeypatch.setattr(_held_out_importance, "MAX_BLOCK_ENTRIES", block)
    X, y = load(return_X_y=True)
    X[:, 3] = 1.0
    train, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    fitted = model.fit(X[train], y[train])
    peer = permutation_importance(fitted, X[test], y[test], n_repeats=4, random_state=7)
    losses = count_lost_predictions(
        fitted, X[test], y[test], draw_peer_permutations(7, test.sum(), 4)
    )
    assert peer.importances_mean.max() > 0.05
    assert losses / (4 * test.sum()) == pytest.approx(peer.importances_mean, abs=1e-12)


def test_scores_are_means_over_all_held_out_samples():
    """With folds of different sizes, whose permutations are drawn again from the same stream."""
    X, y = load_wine(return_X_y=True)
    folds = [(np.arange(178) % 5 > 0, np.arange(178) % 5 == 0)]
    folds.append((np.arange(178) % 3 > 0, np.arange(178) % 3 == 0))
    folds = [tuple(map(np.flatnonzero, fold)) for fold in folds]
    tree = DecisionTreeClassifier(random_state=0)
    fitted = hf.PermutationImportance(tree, cv=folds, n_repeats=2, random_state=3).fit(X, y)
    generator = next(iter(hf.select._selector.generators(3, 1)))
    generator.integers(2**31, size=2)
    lost, tested = np.zeros(13), 0
    for train, test in folds:
        model = tree.fit(X[train], y[train])
        orders = generator.permuted(np.tile(np.arange(len(test)), (2, 1)), axis=1)
        for order in orders:
            for feature in range(13):
                changed = X[test].copy()
                changed[:, feature] = X[test][order, feature]
                right = model.predict(X[test]) == y[test]
                lost[feature] += right.sum() - (model.predict(changed) == y[test]).sum()
        tested += len(test)
    expected = lost / (2 * tested)
    assert expected.min() >= 0
    assert fitted.scores_ == pytest.approx(expected, abs=1e-12)


def test_gradient_boosting_by_hand_on_one_split():
    """One stump that is right on all samples: what is lost is what the permutation moves."""
    y = np.arange(40) % 2
    X = np.column_stack([np.ones(40), y + 0.1 * np.arange(40) / 40, np.arange(40) // 2])
    cv = [(np.arange(20), np.arange(20, 40))]
    boosting = hf.GradientBoostingImportance(
        n_estimators=1, max_leaf_nodes=2, learning_rate=1.0, cv=cv, n_repeats=3
    ).fit(X, y)
    # among 10 + 10 held-out samples a permutation moves some of class 0 to values of class 1, and
    # as many back: an even number of 20 is lost, on average half of them
    lost = boosting.scores_[1] * 20 * 3
    assert lost == pytest.approx(round(lost))
    assert round(lost) % 2 == 0
    assert 0.3 < boosting.scores_[1] < 0.7
    assert boosting.scores_[[0, 2]].tolist() == [0.0, 0.0]


def test_gradient_boosting_is_the_importance_of_that_classifier():
    X, y = load_wine(return_X_y=True)
    options = {"learning_rate": 0.2, "max_leaf_nodes": 4, "min_samples_leaf": 3}
    model = HistGradientBoostingClassifier(max_iter=10, **options, early_stopping=False)
    boosting = hf.GradientBoostingImportance(n_estimators=10, **options, cv=3).fit(X, y)
    general = hf.PermutationImportance(model, cv=3).fit(X, y)
    assert boosting.scores_.max() > 0.05
    assert np.array_equal(boosting.scores_, general.scores_)


def test_missing_values_reach_gradient_boosting():
    """A feature whose missing values tell the classes apart is the most important one."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 4))
    X[y == 1, 2] = np.nan
    boosting = hf.GradientBoostingImportance(n_estimators=10).fit(X, y)
    assert boosting.ranking_.argmin() == 2
    assert boosting.scores_[2] > 0.3


@pytest.mark.parametrize(
    "selector",
    [hf.PermutationImportance("lda", n_repeats=20), hf.GradientBoostingImportance(n_estimators=20)],
)
def test_informative_features_win_and_noise_scores_0_on_average(selector):
    rng = np.random.default_rng(1)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 10))
    X[:, 4] += 2 * y
    scores = selector.fit(X, y).scores_
    assert scores.argmax() == 4
    assert scores[4] > 0.2
    assert abs(np.delete(scores, 4).mean()) < 0.03


def test_copies_and_subjects_stay_in_one_fold():
    """Labels without a pattern are remembered by a neighbour only if copies are on both sides."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.permutation(np.arange(30) % 2)
    rows = np.tile(np.arange(30), 4)
    nearest = hf.PermutationImportance("knn1", n_repeats=10)
    inflated = nearest.fit(X[rows], y[rows]).scores_
    honest = nearest.score_resamples(X, y, [rows]).values[0]
    grouped = nearest.fit(X[rows], y[rows], groups=rows).scores_
    assert inflated.mean() > 0.1
    assert abs(honest.mean()) < 0.1
    assert np.array_equal(honest, grouped)


def test_labels_of_the_user_reach_the_classifier():
    X, y = load_wine(return_X_y=True)
    names = np.array(["x", "y", "z"])[y]
    weighted = DecisionTreeClassifier(class_weight={"x": 1, "y": 5, "z": 1}, random_state=0)
    fitted = hf.PermutationImportance(weighted, cv=StratifiedKFold(3)).fit(X, names)
    assert fitted.scores_.max() > 0.1


def test_bad_parameters_are_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(UnknownNameError, match="Did you mean 'lda'"):
        hf.PermutationImportance("ldaa").fit(X, y)
    with pytest.raises(InvalidInputError, match="n_repeats must be"):
        hf.PermutationImportance("lda", n_repeats=0).fit(X, y)
    with pytest.raises(InvalidInputError, match="cv must be"):
        hf.GradientBoostingImportance(cv=1).fit(X, y)
    with pytest.raises(ValueError, match="learning_rate"):
        hf.GradientBoostingImportance(learning_rate=-1.0).fit(X, y)
