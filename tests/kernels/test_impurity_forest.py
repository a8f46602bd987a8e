"""Compiled trees against those of scikit-learn."""

import numpy as np
import pytest
import scipy.stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from holdfast._kernels.impurity_forest import (
    _grow_tree,
    grow_forest,
    number_distinct_values,
    shuffle_orders,
)


def sorted_columns(X):
    order = np.ascontiguousarray(np.argsort(X, axis=0).T, dtype=np.int32)
    group = np.empty_like(order)
    number_distinct_values(X, order, group)
    return order, group


def make_data(classes=3, n=2000, p=6, digits=None):
    """Noisy classes: nodes of depth 4 are still large, so that no two splits tie."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(n, p))
    signal = X[:, 0] + 0.6 * X[:, 1] * X[:, 2] + 2 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(signal, np.arange(1, classes) / classes), signal)
    return X if digits is None else X.round(digits), y.astype(np.int64)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("digits", [None, 1])
def test_one_tree_equals_that_of_scikit_learn(depth, classes, digits):
    """All features are tried at each split, so nothing is random."""
    X, y = make_data(classes, digits=digits)
    order, group = sorted_columns(X)
    rng = np.random.default_rng(0)
    got = grow_forest(order, group, y, classes, 1, 6, depth, False, rng)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert got == pytest.approx(tree.feature_importances_, abs=1e-12)


def test_a_bag_equals_sample_weights():
    X, y = make_data(2)
    order, group = sorted_columns(X)
    rng = np.random.default_rng(0)
    bag = np.bincount(rng.integers(0, 2000, 2000), minlength=2000)
    decreases = np.zeros(6)
    _grow_tree(order, group, y, bag, 2, 6, 4, np.arange(6), decreases, rng)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    expected = tree.fit(X, y, sample_weight=bag).tree_.compute_feature_importances(normalize=False)
    # scikit-learn's are decreases of 1 - sum (n_k / N)², as shares of all rows
    assert decreases / 2000 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("depth", [3, None])
def test_mean_importances_equal_those_of_a_forest(depth):
    """Within Monte Carlo error, over trees that try two of six features, one of them constant."""
    X, y = make_data(3, n=90, digits=1)
    X[:, 5] = 1.0
    order, group = sorted_columns(X)
    rng = np.random.default_rng(0)
    limit = -1 if depth is None else depth
    ours = np.array([grow_forest(order, group, y, 3, 1, 2, limit, True, rng) for _ in range(300)])
    forest = RandomForestClassifier(300, max_depth=depth, max_features=2, random_state=0)
    theirs = np.array([tree.feature_importances_ for tree in forest.fit(X, y).estimators_])
    error = np.sqrt(ours.var(axis=0) / 300 + theirs.var(axis=0) / 300)
    assert (ours[:, 5] == 0).all()
    assert (abs(ours.mean(axis=0) - theirs.mean(axis=0))[:5] < 4 * error[:5]).all()
    whole = grow_forest(order, group, y, 3, 500, 2, limit, True, np.random.default_rng(1))
    assert whole.sum() == pytest.approx(1)
    assert whole == pytest.approx(ours.mean(axis=0), abs=0.03)


def test_trees_without_a_split_are_left_out():
    """A bag of one class cannot be split; with 4 samples that is common."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    order, group = sorted_columns(X)
    y = np.array([0, 0, 0, 1])
    rng = np.random.default_rng(0)
    assert grow_forest(order, group, y, 2, 200, 1, -1, True, rng).tolist() == [1.0]
    assert grow_forest(order, group, 0 * y, 2, 20, 1, -1, True, rng).tolist() == [0.0]


def test_equal_values_stay_together():
    order, group = sorted_columns(np.array([[2.0], [1.0], [2.0], [-1.0], [1.0]]))
    assert group.tolist() == [[0, 1, 1, 2, 2]]
    assert order[0, 0] == 3


def test_shuffled_copies_have_the_values_in_random_order():
    X = np.arange(4.0)[:, None]
    order, _ = sorted_columns(np.repeat(X, 6000, axis=1))
    shuffled = shuffle_orders(order, np.random.default_rng(0))
    assert (np.sort(shuffled, axis=1) == np.arange(4)).all()
    counts = np.unique(shuffled, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert scipy.stats.chisquare(counts).pvalue > 0.001
