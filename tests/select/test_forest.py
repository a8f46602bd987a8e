"""Forest importance against scikit-learn's trees, exact enumeration and a naive twin."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from holdfast._kernels.forest import accuracy_decreases, predict_rows, rows_by_feature
from holdfast._random import generators
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._forest import ForestImportance, _compact_tree
from holdfast.select._selector import renumber_classes


def naive_decreases(tree, X, y, repeats, generator):
    """Permute, predict with scikit-learn, subtract; one column, one repeat at a time."""
    decreases = np.zeros(X.shape[1])
    asks = tree.decision_path(X).toarray().astype(bool)
    before = (tree.predict(X) == y).mean()
    deck = list(range(len(X)))
    for f in sorted(set(tree.tree_.feature[tree.tree_.children_left >= 0])):
        own = np.flatnonzero(asks[:, tree.tree_.feature == f].any(axis=1))
        for _ in range(repeats):
            for i in range(len(own)):
                j = i + int(generator.random() * (len(deck) - i))
                deck[i], deck[j] = deck[j], deck[i]
            changed = X.copy()
            changed[own, f] = X[deck[: len(own)], f]
            decreases[f] += (before - (tree.predict(changed) == y).mean()) / repeats
    return decreases


def naive_scores(X, y, generator, n_estimators=10, repeats=1):
    """Mean over trees of the naive decreases outside their bags."""
    forest = RandomForestClassifier(n_estimators, random_state=int(generator.integers(2**32)))
    forest.fit(X, y)
    scores = np.zeros(X.shape[1])
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        outside = np.setdiff1d(np.arange(len(X)), bag)
        if len(outside):
            scores += naive_decreases(tree, X[outside], y[outside], repeats, generator)
    scores /= n_estimators
    constant = (X.astype(np.float32) == X.astype(np.float32)[0]).all(axis=0)
    scores[constant] = min(0, scores.min())
    return scores


def kernel_decreases(tree, X, y, repeats, generator):
    """The kernel's answer for one tree, for all features."""
    used, compact = _compact_tree(tree.tree_)
    values = np.ascontiguousarray(X[:, used], dtype=np.float32)
    decreases = np.zeros(X.shape[1])
    decreases[used] = accuracy_decreases(compact, values, y, repeats, generator)
    return decreases


CELLS = {
    "random": st.floats(-1e6, 1e6),
    "single": st.floats(-1e6, 1e6, width=32),
    "integer": st.integers(-3, 3).map(float),
    "binary": st.sampled_from([0.0, 1.0]),
    # neighbours in double precision, many of them one value in single precision
    "near": st.integers(0, 9).map(lambda i: 1 + i * 3e-8),
    "constant": st.just(2.5),
}


@st.composite
def labelled(draw, most_rows=24):
    """Data with columns of several kinds and two to four classes, at least two rows each."""
    n = draw(st.integers(8, most_rows))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=6))
    X = np.column_stack([draw(hnp.arrays(np.float64, n, elements=CELLS[k])) for k in kinds])
    if draw(st.booleans()):
        X = X.astype(np.float32)
    if draw(st.booleans()):
        X = np.asfortranarray(X)
    y = np.arange(n) % draw(st.integers(2, 4))
    return X, y[np.random.default_rng(draw(st.integers(0, 9))).permutation(n)]


seeds = st.integers(0, 2**32 - 1)


def two_classes(n=200, p=30, informative=3, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, :informative] += 1.2 * y[:, None]
    return X, y


# The kernel


@given(labelled(), seeds, st.sampled_from([1, 3]), st.sampled_from([None, 2]))
def test_kernel_predicts_as_the_tree_does(case, seed, leaf, depth):
    X, y = case
    tree = DecisionTreeClassifier(
        random_state=seed % 100, min_samples_leaf=leaf, max_depth=depth, max_features="sqrt"
    ).fit(X[::2], y[::2])  # every other row is new to the tree
    used, compact = _compact_tree(tree.tree_)
    values = np.ascontiguousarray(X[:, used], dtype=np.float32)
    codes = predict_rows(compact, values)
    np.testing.assert_array_equal(tree.predict_proba(X).argmax(axis=1), codes)
    np.testing.assert_array_equal(tree.predict(X), tree.classes_[codes])


@given(labelled(), seeds)
def test_rows_by_feature_are_those_of_the_decision_path(case, seed):
    X, y = case
    tree = DecisionTreeClassifier(random_state=seed % 100, max_features=1).fit(X, y)
    used, compact = _compact_tree(tree.tree_)
    values = np.ascontiguousarray(X[:, used], dtype=np.float32)
    bounds, rows = rows_by_feature(compact, values)
    asks = tree.decision_path(X).toarray().astype(bool)
    assert len(bounds) == len(used) + 1
    assert bounds[-1] == len(rows)
    for position, f in enumerate(used):
        own = asks[:, tree.tree_.feature == f].any(axis=1)
        np.testing.assert_array_equal(
            rows[bounds[position] : bounds[position + 1]], own.nonzero()[0]
        )


def test_majority_ties_go_to_the_first_class_as_in_scikit_learn():
    X, y = np.zeros((6, 1)), np.array([2, 1, 2, 1, 0, 0])
    tree = DecisionTreeClassifier().fit(X, y)
    assert (
        predict_rows(_compact_tree(tree.tree_)[1], np.zeros((6, 0), np.float32)).tolist() == [0] * 6
    )
    assert tree.predict(X).tolist() == [0] * 6


def test_draws_have_the_distribution_of_all_permutations():
    """Drawing donors for some rows only is permuting: all 720 permutations, counted."""
    X, y = two_classes(80, 4, 2, seed=3)
    tree = DecisionTreeClassifier(random_state=0, max_depth=3).fit(X[6:], y[6:])
    X, y = X[:6], y[:6]
    before = (tree.predict(X) == y).sum()
    rng = np.random.default_rng(7)
    drawn = np.array([kernel_decreases(tree, X, y, 1, rng) for _ in range(7200)])
    tested = 0
    for f in range(4):
        shuffled = np.repeat(X[None], 720, axis=0)
        shuffled[:, :, f] = [X[list(order), f] for order in permutations(range(6))]
        after = (tree.predict(shuffled.reshape(-1, 4)).reshape(720, 6) == y).sum(axis=1)
        expected = Counter((before - after).tolist())
        found = Counter(np.rint(drawn[:, f] * 6).astype(int).tolist())
        assert found.keys() <= expected.keys()
        if len(expected) > 1:
            tested += 1
            counts = [(found[key], 10 * expected[key]) for key in expected]
            assert stats.chisquare(*zip(*counts, strict=True)).pvalue > 0.001
    assert tested >= 2


def test_many_repeats_approach_the_mean_over_all_donors():
    """Closed form: each row meets each donor equally often."""
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    X, y = X[1::2], y[1::2]
    found = kernel_decreases(tree, X, y, 4000, np.random.default_rng(1))
    before = (tree.predict(X) == y).mean()
    exact = np.zeros(X.shape[1])
    for f in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
        pairs = np.repeat(X, len(X), axis=0)
        pairs[:, f] = np.tile(X[:, f], len(X))
        exact[f] = before - (tree.predict(pairs) == np.repeat(y, len(X))).mean()
    assert (exact > 0.02).sum() >= 3
    np.testing.assert_allclose(found, exact, atol=0.002)


@pytest.mark.slow
def test_agrees_with_permutation_importance_outside_the_bags():
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    expected, variance = np.zeros((2, X.shape[1]))
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        outside = np.setdiff1d(np.arange(len(X)), bag)
        peer = permutation_importance(
            tree, X[outside], y[outside], n_repeats=20, random_state=0, scoring="accuracy"
        )
        found = [kernel_decreases(tree, X[outside], y[outside], 1, g) for g in generators(0, 400)]
        error = np.sqrt(peer.importances_std**2 * (1 / 20 + 1 / 400))
        assert (abs(np.mean(found, axis=0) - peer.importances_mean) <= 4.5 * error + 1e-12).all()
        expected += peer.importances_mean
        variance += peer.importances_std**2
    assert variance.max() > 0
    assert expected.max() > 0.05


# The estimator


@given(labelled(), seeds, st.sampled_from([1, 3]), st.sampled_from([1, 2, 4]))
def test_scores_equal_the_naive_twin(case, seed, repeats, trees):
    X, y = case
    estimator = ForestImportance(n_estimators=trees, n_repeats=repeats, random_state=seed)
    expected = naive_scores(X, y, next(generators(seed, 1)), trees, repeats)
    np.testing.assert_allclose(estimator.fit(X, y).scores_, expected, atol=1e-12)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_scores_equal_the_naive_twin_on_real_data(load):
    X, y = load(return_X_y=True)
    expected = naive_scores(X, y, next(generators(0, 1)))
    np.testing.assert_allclose(ForestImportance().fit(X, y).scores_, expected, atol=1e-12)


@pytest.mark.parametrize("max_features", ["sqrt", "log2", 3, 0.5, None])
def test_impurity_is_scikit_learns(max_features):
    X, y = load_wine(return_X_y=True)
    seed = int(next(generators(4, 1)).integers(2**32))
    peer = RandomForestClassifier(20, max_features=max_features, random_state=seed).fit(X, y)
    estimator = ForestImportance(
        n_estimators=20, importance="impurity", max_features=max_features, random_state=4
    )
    np.testing.assert_array_equal(estimator.fit(X, y).scores_, peer.feature_importances_)


def test_informative_features_come_first():
    X, y = two_classes()
    for importance in ("permutation", "impurity"):
        fitted = ForestImportance(
            n_estimators=50, importance=importance, n_features_to_select=3
        ).fit(X, y)
        assert fitted.get_support(indices=True).tolist() == [0, 1, 2]


def test_seeds_and_threads():
    X, y = two_classes()
    first = ForestImportance(random_state=1).fit(X, y).scores_
    same = ForestImportance(random_state=1, n_jobs=2).fit(X, y).scores_
    np.testing.assert_array_equal(first, same)
    assert (first != ForestImportance(random_state=2).fit(X, y).scores_).any()


def test_layout_and_precision_of_the_input_do_not_matter():
    X, y = two_classes()
    X = X.astype(np.float32)
    expected = ForestImportance().fit(X, y).scores_
    frozen = X.copy()
    frozen.flags.writeable = False
    for other in (X.astype(np.float64), np.asfortranarray(X), frozen):
        np.testing.assert_array_equal(ForestImportance().fit(other, y).scores_, expected)


def test_memory_mapped_data(tmp_path):
    X, y = two_classes()
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = ForestImportance().fit(X.astype(np.float32), y).scores_
    np.testing.assert_array_equal(ForestImportance().fit(mapped, y).scores_, expected)


def test_constant_features_get_the_lowest_score():
    X, y = two_classes(60, 12, informative=0)
    X[:, [2, 7]] = [5.0, 0.0]
    X[:, 4] = 1 + np.arange(60) * 1e-10  # constant in single precision
    scores = ForestImportance(n_estimators=30).fit(X, y).scores_
    assert scores.min() < 0
    assert scores[[2, 4, 7]].tolist() == [scores.min()] * 3
    sure = np.column_stack([np.zeros(60), y])
    for importance in ("permutation", "impurity"):
        scores = ForestImportance(importance=importance).fit(sure, y).scores_
        assert scores[0] == 0 < scores[1]


def test_unused_features_score_exactly_zero():
    X, y = two_classes(62, 2000, 20)
    scores = ForestImportance().fit(X, y).scores_
    assert (scores == 0).mean() > 0.95
    assert (scores > 0).any()


def test_all_constant_data_score_zero():
    X, y = np.ones((8, 3)), np.arange(8) % 2
    for importance in ("permutation", "impurity"):
        assert ForestImportance(importance=importance).fit(X, y).scores_.tolist() == [0, 0, 0]


def test_trees_with_all_samples_in_the_bag_add_nothing():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])
    empty = 0
    for seed in range(60):
        generator = next(generators(seed, 1))
        forest = RandomForestClassifier(1, random_state=int(generator.integers(2**32))).fit(X, y)
        empty += len(set(forest.estimators_samples_[0])) == 4
        expected = naive_scores(X, y, next(generators(seed, 1)), 1)
        found = ForestImportance(n_estimators=1, random_state=seed).fit(X, y).scores_
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert empty > 0


# Many resamples


@pytest.mark.parametrize("importance", ["permutation", "impurity"])
def test_resamples_equal_single_fits(importance):
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = [
        rng.integers(len(y), size=len(y)),
        np.flatnonzero(y != 1),  # a class is missing
        rng.permutation(len(y))[:90],
    ]
    estimator = ForestImportance(importance=importance, random_state=9)
    batch = np.asarray(estimator.score_resamples(X, y, rows))
    first = ForestImportance(importance=importance, random_state=9).fit(X[rows[0]], y[rows[0]])
    np.testing.assert_allclose(batch[0], first.scores_, rtol=0, atol=1e-10)
    for scores, own, generator in zip(batch, rows, generators(9, 3), strict=True):
        single = estimator._score(X[own], renumber_classes(y[own]), generator)
        np.testing.assert_allclose(scores, single, rtol=0, atol=1e-10)


def test_equal_resamples_get_forests_of_their_own():
    X, y = two_classes()
    batch = np.asarray(ForestImportance().score_resamples(X, y, [np.arange(200)] * 2))
    assert (batch[0] != batch[1]).any()


# What is refused


def test_refusals():
    X, y = two_classes(20, 3)
    with pytest.raises(UnknownNameError, match=r"permutaton.*permutation"):
        ForestImportance(importance="permutaton").fit(X, y)
    for repeats in (0, 1.5, "many"):
        with pytest.raises(InvalidInputError, match="n_repeats must be a whole number"):
            ForestImportance(n_repeats=repeats).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators"):
        ForestImportance(n_estimators=0).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"too large for single precision.*Scale"):
        ForestImportance().fit(X * 1e300, y)


def test_estimator_checks():
    results = check_estimator(ForestImportance(), on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {
        "check_array_api_input"
    }
    assert len(results) >= 45
