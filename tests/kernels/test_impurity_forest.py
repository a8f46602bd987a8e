"""Compiled forests: single trees and forests against scikit-learn's."""

import numpy as np
import pytest
import scipy.stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import holdfast as hf
from holdfast._kernels.impurity_forest import (
    restrict_order,
    shuffle_features,
    tree_decreases,
)
from holdfast.errors import HoldfastError


def example(n=120, p=10, classes=2, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    X = rng.normal(size=(n, p))
    X[:, 0] += y
    X[:, 1] -= 0.7 * y
    return (X if levels is None else np.round(X * levels) / levels), y


def order_of(X):
    return np.argsort(X.T, axis=1, kind="stable")


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("least_split", [120, 250])
@pytest.mark.parametrize("levels", [None, 2])
def test_a_tree_that_tries_all_features_is_scikit_learns(classes, least_split, levels):
    """Large nodes and uneven weights, so that no two features give the same best split."""
    for seed in range(5):
        X, y = example(n=600, classes=classes, seed=seed, levels=levels)
        rng = np.random.default_rng(seed)
        weights = rng.uniform(0.5, 2.0, size=600) * rng.integers(0, 2, size=600)
        tree = DecisionTreeClassifier(min_samples_split=least_split, random_state=0)
        # scikit-learn counts the samples of weight 0 as samples of a node
        used = weights > 0
        tree.fit(X[used], y[used], sample_weight=weights[used])
        found = tree_decreases(
            np.ascontiguousarray(X.T), order_of(X), y, weights, classes, 10, least_split, -1, rng
        )
        assert found / found.sum() == pytest.approx(tree.feature_importances_, abs=1e-10)
        impurity, size = tree.tree_.impurity, tree.tree_.weighted_n_node_samples
        leaves = tree.tree_.children_left < 0
        lost = impurity[0] * size[0] - (impurity * size)[leaves].sum()
        assert found.sum() == pytest.approx(lost)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_tree_of_limited_depth_is_scikit_learns(classes, depth):
    """Noisy classes: nodes of depth 4 are still large, so that no two splits tie."""
    X, y = example(n=2000, p=6, classes=classes)
    y = np.where(np.random.default_rng(1).random(2000) < 0.3, y[::-1], y)
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    weights, columns = np.ones(2000), np.ascontiguousarray(X.T)
    found = tree_decreases(columns, order_of(X), y, weights, classes, 6, 2, depth, rng)
    assert found / found.sum() == pytest.approx(tree.feature_importances_, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 4])
def test_forests_agree_with_scikit_learns_on_average(classes):
    X, y = example(n=60, p=12, classes=classes)
    ours = np.array(
        [
            hf.ImpurityForest(n_estimators=20, random_state=seed).fit(X, y).scores_
            for seed in range(60)
        ]
    )
    theirs = np.array(
        [
            RandomForestClassifier(20, max_features="sqrt", random_state=seed)
            .fit(X, y)
            .feature_importances_
            for seed in range(60)
        ]
    )
    error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / 60)
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 4.5 * error.max()
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4.5 * error).all()
    assert ours.sum(axis=1) == pytest.approx(np.ones(60))


def test_orders_are_restricted_to_a_resample():
    X, _ = example(n=15, p=4, levels=1)
    rows = np.random.default_rng(1).integers(15, size=20)
    order = restrict_order(order_of(X), rows)
    for f in range(4):
        assert sorted(order[f]) == list(range(20))
        assert (np.diff(X[rows, f][order[f]]) >= 0).all()


def test_shuffled_features_have_the_values_in_random_order():
    X = np.repeat([[5.0, 7.0, 7.0, -1.0]], 6000, axis=0)
    order = order_of(X.T)
    values, orders = shuffle_features(X, order, np.random.default_rng(0))
    assert (np.sort(values, axis=1) == [-1.0, 5.0, 7.0, 7.0]).all()
    assert (np.take_along_axis(values, orders, axis=1) == [-1.0, 5.0, 7.0, 7.0]).all()
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert scipy.stats.chisquare(counts).pvalue > 0.001


def test_nodes_that_cannot_be_split_end_trees():
    X = np.ones((12, 3))
    y = np.arange(12) % 2
    assert hf.ImpurityForest(n_estimators=3).fit(X, y).scores_.tolist() == [0.0] * 3
    X[:, 1] = y
    # the only feature that varies is found, though one is tried at each split
    one = hf.ImpurityForest(n_estimators=3, max_features=1).fit(X, y)
    assert one.scores_.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("tried", "count"),
    [("sqrt", 3), ("log2", 3), (4, 4), (99, 10), (0.5, 5), (0.01, 1), (None, 10)],
)
def test_numbers_of_features_tried(tried, count):
    assert hf.ImpurityForest(max_features=tried)._count_tried(10) == count


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"max_features": "half"}, "unknown max_features 'half'"),
        ({"max_features": 0}, "max_features must be"),
        ({"max_features": 1.5}, "max_features must be"),
    ],
)
def test_unusable_parameters_are_refused(options, words):
    with pytest.raises(HoldfastError, match=words):
        hf.ImpurityForest(**options).fit(*example())
