"""The fast criterion of support vector machines compared with refitted SVMs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from holdfast.select._search._criterion import CriterionSplits, Moves, RefitCriterion
from holdfast.select._search._nearest_svm_criteria import svm_criterion

# LIBSVM stops when no two gradients are further apart than tol, 1e-3 of a margin by default:
# a sample on which it may differ from the exact machine has a decision value of that order.
BORDERLINE = 5e-3
NONE = np.empty(0, dtype=np.intp)


def singles(features):
    return Moves.from_units([np.array([feature]) for feature in features])


def split_data_of(X, y, *, count, seed=0):
    generator = np.random.default_rng(seed)
    orders = [generator.permutation(len(y)) for _ in range(count)]
    cut = 2 * len(y) // 3
    return CriterionSplits(
        np.ascontiguousarray(X, dtype=float),
        y.astype(np.intp),
        [(np.sort(order[:cut]), np.sort(order[cut:])) for order in orders],
    )


def walk(criterion, p, seed=0):
    """Values of neighbours on a way from nothing to all features, and back to one.

    Two neighbours of each subset on the way: the one that the way leads to, and the last.
    """
    order = np.random.default_rng(seed).permutation(p)
    moves = [singles(order[[k, -1]]) for k in range(p)]
    grown = [criterion.values_with(np.sort(order[:k]), moves[k]) for k in range(p)]
    shrunk = [criterion.values_without(np.sort(order[k:]), moves[k]) for k in range(p - 1)]
    return np.concatenate(grown + shrunk)


def ways(p, seed=0):
    """Return the subsets that `walk` goes through."""
    order = np.random.default_rng(seed).permutation(p)
    grown = [np.union1d(order[:k], [j]) for k in range(p) for j in order[[k, -1]]]
    shrunk = [np.setdiff1d(order[k:], [j]) for k in range(p - 1) for j in order[[k, -1]]]
    return [subset.astype(np.intp) for subset in grown + shrunk]


def slack(decisions, signs):
    """How far the offset may move at no loss; where no support vector is free, it may."""
    kinks = signs - decisions
    losses = np.maximum(0, 1 - signs * (decisions + kinks[:, None])).sum(axis=1)
    return np.abs(kinks[losses <= losses.min() + BORDERLINE]).max()


def borderline(classifier, split_data, subset):
    """Mean share of test samples on which two optimal machines may differ, or two tolerances."""
    shares = []
    for train, test in split_data.splits:
        X, y = split_data.X[:, subset], split_data.y
        fitted = classifier.fit(X[train], y[train])
        seen, new = (
            fitted.decision_function(X[rows]).reshape(len(rows), -1) for rows in (train, test)
        )
        near = np.zeros(len(test), dtype=bool)
        for k, (first, second) in enumerate(combinations(fitted.classes_, 2)):
            own = np.isin(y[train], [first, second])
            signs = np.where(y[train][own] == first, 1, -1) * (1 if seen.shape[1] > 1 else -1)
            near |= np.abs(new[:, k]) < BORDERLINE + slack(seen[own, k], signs)
        shares.append(near.mean())
    return np.mean(shares)


def machine(*, scaled, **options):
    classifier = SVC(decision_function_shape="ovo", **options)
    return make_pipeline(StandardScaler(), classifier) if scaled else classifier


def fast(classifier, split_data, *, balanced=False):
    scaled = not isinstance(classifier, SVC)
    return svm_criterion(
        classifier[-1] if scaled else classifier, split_data, balanced=balanced, scaled=scaled
    )


def refit(classifier, split_data, *, balanced=False):
    scorer = get_scorer("balanced_accuracy" if balanced else "accuracy")
    return RefitCriterion(classifier, split_data, scorer)


def wine():
    X, y = load_wine(return_X_y=True)
    return split_data_of(X[::2, [0, 2, 4, 6, 9, 11, 12]], y[::2], count=2)


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return split_data_of(X[::4, ::5], y[::4], count=2)


def noise():
    generator = np.random.default_rng(3)
    y = np.arange(80) % 4
    X = generator.normal(size=(80, 6))
    X[:, :3] += y[:, None] * 0.7
    return split_data_of(X, y, count=2)


# --- equal to refits ----------------------------------------------------------------------------


@pytest.mark.parametrize("data", [wine, cancer, noise])
@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "linear", "scaled": True},
        {"kernel": "rbf", "scaled": True},
        {"kernel": "rbf", "scaled": False},
        {"kernel": "rbf", "scaled": True, "gamma": "auto", "C": 10.0},
        {"kernel": "rbf", "scaled": True, "gamma": 0.3},
    ],
    ids=str,
)
def test_values_are_those_of_refits(data, options):
    split_data = data()
    classifier = machine(**options)
    p = split_data.X.shape[1]
    ours, theirs = walk(fast(classifier, split_data), p), walk(refit(classifier, split_data), p)
    subsets = ways(p)
    different = np.flatnonzero(np.abs(ours - theirs) > 1e-12)
    # a feature with few values often has samples exactly on the border, or no free support vector
    assert sum(len(subsets[k]) > 1 for k in different) <= 0.05 * len(ours)
    for k in different:
        share = borderline(classifier, split_data, subsets[k])
        assert share < 0.2
        assert abs(ours[k] - theirs[k]) <= share + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("data", [cancer, noise])
def test_differences_are_libsvms_tolerance(data):
    split_data = data()
    p = split_data.X.shape[1]
    ours = walk(fast(machine(kernel="rbf", scaled=True), split_data), p)
    loose, tight = (
        walk(refit(machine(kernel="rbf", scaled=True, tol=tol), split_data), p)
        for tol in (0.5, 1e-5)
    )
    assert np.abs(ours - loose).max() > 1e-3
    np.testing.assert_allclose(ours, tight, rtol=0, atol=1e-12)


def test_a_sample_on_the_border_is_of_the_second_class():
    X = np.array([[-1.0], [1], [0], [0], [-1], [1]])
    y = np.array([0, 1, 0, 1, 0, 1])
    split_data = CriterionSplits(X, y, [(np.array([0, 1, 4, 5]), np.array([2, 3]))])
    moves = singles([0])
    classifier = machine(kernel="linear", scaled=False)
    assert fast(classifier, split_data).values_with(NONE, moves) == [0.5]
    split_data = CriterionSplits(X, y, [(np.array([0, 1, 4, 5]), np.array([3]))])
    assert fast(classifier, split_data).values_with(NONE, moves) == refit(
        classifier, split_data
    ).values_with(NONE, moves)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_units_of_several_features_and_balanced_accuracy(kernel):
    split_data = cancer()
    classifier = machine(kernel=kernel, scaled=True)
    ours, theirs = (make(classifier, split_data, balanced=True) for make in (fast, refit))
    base, units = np.array([1, 2, 4, 5]), [np.array([0, 3]), np.array([3])]
    np.testing.assert_allclose(
        ours.values_with(base, Moves.from_units(units)),
        theirs.values_with(base, Moves.from_units(units)),
        atol=1e-12,
    )
    units = [np.array([1, 5]), np.array([2, 4, 5]), np.array([4])]
    np.testing.assert_allclose(
        ours.values_without(base, Moves.from_units(units)),
        theirs.values_without(base, Moves.from_units(units)),
        atol=1e-12,
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_class_may_be_missing_and_parts_differ_in_size(kernel):
    whole = noise()
    rows = np.arange(80)
    few = rows[(whole.y[rows] != 1) & (rows < 60)]
    split_data = CriterionSplits(whole.X, whole.y, [(few, rows[60:]), (rows[20:], rows[:20])])
    classifier = machine(kernel=kernel, scaled=True)
    ours, theirs = (walk(make(classifier, split_data), 6) for make in (fast, refit))
    assert np.sum(np.abs(ours - theirs) > 1e-12) <= 2
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.06)


# --- hard cases ---------------------------------------------------------------------------------


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["plain", "tied", "binary", "constant", "copies", "uneven"]),
    st.sampled_from(["linear", "rbf"]),
    st.booleans(),
)
def test_the_way_to_a_subset_does_not_matter(seed, sort, kernel, scaled):
    generator = np.random.default_rng(seed)
    X, y = generator.normal(size=(30, 4)), np.arange(30) % 3
    X[:, 0] += y
    if sort in ("tied", "binary"):
        X = np.round(X) if sort == "tied" else (X > 0.3).astype(float)
    elif sort == "constant":
        X[:, 1:3] = 0.1
    elif sort == "copies":
        X = X[generator.integers(30, size=30)]
    elif sort == "uneven":
        X *= [1.0, 1e3, 1e-3, 1.0]
    criterion = fast(machine(kernel=kernel, scaled=scaled), split_data_of(X, y, count=2, seed=seed))
    subset = np.array([0, 1, 2])
    straight = criterion.values_with(NONE, Moves.from_units([subset]))
    for j in subset:
        assert criterion.values_with(np.setdiff1d(subset, [j]), singles([j])) == straight
    assert criterion.values_without(np.arange(4), singles([3])) == straight


def test_small_features_are_judged_rightly_after_a_huge_one():
    split_data = noise()
    huge = np.random.default_rng(0).normal(size=80) * 1e9
    split_data = CriterionSplits(
        np.column_stack([split_data.X, huge]), split_data.y, split_data.splits
    )
    for kernel in ("linear", "rbf"):
        criterion = fast(machine(kernel=kernel, scaled=False), split_data)
        left = criterion.values_without(np.arange(7), singles([6, 0]))
        assert left[0] == criterion.values_with(NONE, Moves.from_units([np.arange(6)]))
        assert left[0] > 0.4


def test_raw_data_are_solved():
    # LIBSVM takes seconds a subset where proline is in it, so that nothing is refitted here
    X, y = load_wine(return_X_y=True)
    criterion = fast(machine(kernel="linear", scaled=False), split_data_of(X, y, count=3))
    everything = criterion.values_without(np.arange(13), singles(range(13)))
    assert everything.min() > 0.85
    assert criterion.values_with(NONE, singles([12])) > 0.6


# --- what it is not for -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "classifier",
    [
        SVC(kernel="poly"),
        SVC(kernel=np.dot),
        SVC(max_iter=100),
        SVC(break_ties=True),
        SVC(class_weight="balanced"),
        SVC(class_weight={0: 2.0}),
        SVC(C=np.inf),
        SVC(gamma=0.0),
        SVC(C="much"),
        LinearSVC(),
    ],
)
def test_other_machines_are_left_to_refits(classifier):
    assert svm_criterion(classifier, noise(), balanced=False, scaled=False) is None


def test_other_data_are_left_to_refits():
    split_data = noise()
    one_class_split = CriterionSplits(
        split_data.X, split_data.y, [(np.arange(0, 80, 4), np.arange(1, 80, 4))]
    )
    assert svm_criterion(SVC(), one_class_split, balanced=False, scaled=False) is None
    many = np.zeros((4000, 1))
    split = [(np.arange(3900), np.arange(3900, 4000))]
    assert (
        svm_criterion(
            SVC(), CriterionSplits(many, np.arange(4000) % 2, split), balanced=False, scaled=False
        )
        is None
    )
