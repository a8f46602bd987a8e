"""The criterion for k nearest neighbours against scikit-learn and a slow obvious version.

scikit-learn's choice among training rows at the same distance depends on its algorithm, so it is
asked only where no such ties are: on continuous data. Ties are compared with the slow version,
which takes the earlier row of the training part.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.metrics import get_scorer
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast._kernels.nearest_neighbors import MAX_LANES, ROWS_PER_BLOCK
from holdfast.select._search._criterion import CriterionSplits, Moves, RefitCriterion
from holdfast.select._search._nearest_svm_criteria import nearest_neighbor_criterion

NONE = np.empty(0, dtype=np.intp)


def singles(features):
    return Moves.from_units([np.array([f], dtype=np.intp) for f in features])


def units(*groups):
    return Moves.from_units([np.array(group, dtype=np.intp) for group in groups])


def fast(split_data, k=3, *, balanced=False, scaled=False):
    return nearest_neighbor_criterion(
        KNeighborsClassifier(k), split_data, balanced=balanced, scaled=scaled
    )


def refit(split_data, k=3, *, balanced=False, scaled=False):
    classifier = KNeighborsClassifier(k)
    if scaled:
        classifier = make_pipeline(StandardScaler(), classifier)
    return RefitCriterion(
        classifier, split_data, get_scorer("balanced_accuracy" if balanced else "accuracy")
    )


def drawn(X, y, n_splits=5, seed=0):
    parts = ShuffleSplit(n_splits, test_size=1 / 3, random_state=seed).split(X)
    return CriterionSplits(np.asarray(X, dtype=float), np.asarray(y, dtype=np.intp), list(parts))


def wine(jitter):
    """Wine, whose rounded values have many ties unless a little noise is added."""
    X, y = load_wine(return_X_y=True)
    noise = np.random.default_rng(0).normal(size=X.shape)
    return X + jitter * X.std(axis=0) * noise, y


# --- the slow obvious version -------------------------------------------------------------------


def naive_value(split_data, k, subset, balanced, scaled):
    values, worth = (
        [],
        np.split(split_data.weights(balanced=balanced), split_data.test.starts[1:-1]),
    )
    scales = (
        split_data.scales()[1]
        if scaled
        else np.ones((len(split_data.splits), split_data.X.shape[1]))
    )
    for (train, test), scale, one in zip(split_data.splits, scales, worth, strict=True):
        right = [vote(split_data, k, subset, scale, train, i) == split_data.y[i] for i in test]
        values.append(one[right].sum())
    return np.mean(values)


def vote(split_data, k, subset, scale, train, i):
    distances = np.zeros(len(train))
    for f in sorted(subset):
        gap = split_data.X[i, f] - split_data.X[train, f]
        distances += 1.0 / scale[f] ** 2 * gap * gap
    return np.bincount(split_data.y[train[np.argsort(distances, kind="stable")[:k]]]).argmax()


def naive(split_data, k, subsets, *, balanced=False, scaled=False):
    return np.array([naive_value(split_data, k, list(s), balanced, scaled) for s in subsets])


# --- against scikit-learn -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "scaled", "balanced"),
    [(1, False, True), (3, False, False), (3, True, True), (5, True, False)],
)
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
def test_wine_as_scikit_learn(k, scaled, balanced):
    split_data = drawn(*wine(1e-4), n_splits=2)
    ours, theirs = (f(split_data, k, balanced=balanced, scaled=scaled) for f in (fast, refit))
    for base in (NONE, np.array([0, 2, 6, 9, 12])):
        rest = np.setdiff1d(np.arange(13), base)
        for moves in (singles(rest[:5]), units(rest[:3], rest[3:5], rest[5:])):
            np.testing.assert_allclose(
                ours.values_with(base, moves), theirs.values_with(base, moves), rtol=0, atol=1e-12
            )
    for base, moves in ((np.arange(13), singles([0, 6, 12])), (rest, units(rest[:4], rest[1:3]))):
        np.testing.assert_allclose(
            ours.values_without(base, moves), theirs.values_without(base, moves), rtol=0, atol=1e-12
        )


@pytest.mark.parametrize("scaled", [False, True])
def test_many_features_and_ragged_splits_as_scikit_learn(scaled):
    rng = np.random.default_rng(1)
    y = np.r_[np.zeros(50), np.ones(50), 2, 2, 2].astype(np.intp)
    X = rng.normal(size=(103, 45)) + 0.3 * y[:, None]
    X[:, 7] = 4.0
    rows = rng.permutation(103)
    splits = [
        (np.arange(100), np.arange(100, 103)),  # a class that is not in the training part
        (rows[:12], rows[12:]),  # more tested rows than a block holds
        (rows[:60], rows[90:91]),
    ]
    split_data = CriterionSplits(X, y, splits)
    assert len(rows[12:]) > ROWS_PER_BLOCK
    ours, theirs = fast(split_data, scaled=scaled), refit(split_data, scaled=scaled)
    base = np.array([1, 7, 20, 33])
    moves = singles(np.setdiff1d(np.arange(45), base))
    assert len(moves.features) > MAX_LANES
    some = np.arange(0, len(moves.features), 5)
    np.testing.assert_allclose(
        ours.values_with(base, moves)[some],
        theirs.values_with(base, singles(moves.features[some])),
        rtol=0,
        atol=1e-12,
    )
    moves = units([3], [7], [1, 2], [44, 7, 20])
    np.testing.assert_allclose(
        ours.values_without(np.arange(45), moves),
        theirs.values_without(np.arange(45), moves),
        rtol=0,
        atol=1e-12,
    )


def test_scikit_learn_lies_within_what_ties_allow():
    """On wine as it is, ties leave a choice; both values are possible ones."""
    X, y = wine(0.0)
    split_data = CriterionSplits(X, y.astype(np.intp), list(StratifiedKFold(5).split(X, y)))
    moves = singles(range(13))
    ours, theirs = (
        fast(split_data).values_with(NONE, moves),
        refit(split_data).values_with(NONE, moves),
    )
    assert np.any(ours != theirs)
    for f in range(13):
        low, high = tie_range(split_data, 3, f)
        assert low - 1e-12 <= min(ours[f], theirs[f])
        assert max(ours[f], theirs[f]) <= high + 1e-12


def tie_range(split_data, k, f):
    """The lowest and highest accuracy that choices among tied rows can give."""
    low, high = [], []
    for train, test in split_data.splits:
        chances = [possible(split_data, k, f, train, i) for i in test]
        low.append(np.mean([found == {True} for found in chances]))
        high.append(np.mean([True in found for found in chances]))
    return np.mean(low), np.mean(high)


def possible(split_data, k, f, train, i):
    distances = (split_data.X[train, f] - split_data.X[i, f]) ** 2
    border = np.sort(distances)[k - 1]
    sure = list(split_data.y[train[distances < border]])
    tied = list(split_data.y[train[distances == border]])
    free = k - len(sure)
    votes = {(*sure, *pick) for pick in picks(tied, free)}
    return {bool(np.bincount(one).argmax() == split_data.y[i]) for one in votes}


def picks(tied, free):
    """All multisets of classes that `free` of the tied rows can have."""
    found = {()}
    for _ in range(free):
        found = {
            tuple(sorted((*one, c)))
            for one in found
            for c in set(tied)
            if one.count(c) < tied.count(c)
        }
    return found


def test_a_unit_may_be_empty():
    split_data, base = drawn(*wine(1e-4), n_splits=2), np.array([0, 2, 6])
    for moves in (units([]), units([], [4, 5])):
        np.testing.assert_allclose(
            fast(split_data).values_with(base, moves),
            refit(split_data).values_with(base, moves),
            rtol=0,
            atol=1e-12,
        )


# --- ties, and rounding -------------------------------------------------------------------------


@st.composite
def problems(draw):
    """Small data with few values: equal distances everywhere, equal rows, constant features."""
    seed, n = draw(st.integers(0, 10**6)), draw(st.integers(8, 30))
    values, k = draw(st.sampled_from([1, 2, 4, 1000])), draw(st.integers(1, 5))
    step = draw(st.sampled_from([1.0, 0.1, 1e-9]))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, size=(n, 7)) * step
    X[:, 0] *= draw(st.sampled_from([1.0, 1e9]))
    y = rng.integers(0, 3, n)
    rows = [rng.permutation(n) for _ in range(3)]
    splits = [(one[: rng.integers(5, n - 1)], one[-1:]) for one in rows]
    splits.append((rows[0][:6], rows[0][6:]))
    return CriterionSplits(X, y.astype(np.intp), splits), k


@given(problems(), st.booleans(), st.booleans())
def test_the_earlier_of_tied_rows_is_nearer(problem, balanced, scaled):
    split_data, k = problem
    options = {"balanced": balanced, "scaled": scaled}
    ours = fast(split_data, k, **options)
    base, moves = np.array([0, 2, 5]), units([1], [6, 3], [4], [1, 3, 4, 6])
    subsets = [np.union1d(base, unit) for unit in moves.units]
    expected = naive(split_data, k, subsets, **options)
    np.testing.assert_allclose(ours.values_with(base, moves), expected, rtol=0, atol=1e-12)
    base, moves = np.arange(7), units([0], [0, 5], [3], [6, 1, 0])
    subsets = [np.setdiff1d(base, unit) for unit in moves.units]
    expected = naive(split_data, k, subsets, **options)
    np.testing.assert_allclose(ours.values_without(base, moves), expected, rtol=0, atol=1e-12)


@given(problems(), st.booleans())
def test_every_way_to_a_subset_gives_the_same_value(problem, scaled):
    split_data, k = problem
    ours = fast(split_data, k, scaled=scaled)
    subset = np.array([1, 2, 4, 6])
    ways = [ours.values_with(np.delete(subset, f), singles([subset[f]]))[0] for f in range(4)]
    ways.append(ours.values_with(NONE, units(subset))[0])
    ways += list(ours.values_without(np.arange(7), units([0, 3, 5])))
    ways += list(ours.values_without(np.r_[0, subset], singles([0])))
    assert len(set(ways)) == 1


@pytest.mark.parametrize("scaled", [False, True])
def test_wine_as_it_is(scaled):
    split_data = drawn(*wine(0.0), n_splits=2)
    ours = fast(split_data, scaled=scaled)
    for base in (NONE, np.array([6]), np.array([6, 9])):
        rest = np.setdiff1d(np.arange(13), base)
        expected = naive(split_data, 3, [np.r_[base, f] for f in rest], scaled=scaled)
        np.testing.assert_allclose(
            ours.values_with(base, singles(rest)), expected, rtol=0, atol=1e-12
        )


def test_a_huge_feature_leaves_nothing_behind():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    X[:, 2] = 1e12 * rng.normal(size=60)
    ours, rest = fast(drawn(X, y)), np.array([0, 1, 3])
    removed = ours.values_without(np.arange(4), singles([2]))
    assert removed[0] == ours.values_with(NONE, units(rest))[0]


# --- what is known ---------------------------------------------------------------------------


def test_all_training_rows_may_vote():
    split_data = drawn(*wine(1e-4), n_splits=2)
    smallest = len(split_data.splits[0][0])
    moves = singles([0, 6, 12])
    np.testing.assert_allclose(
        fast(split_data, smallest).values_with(NONE, moves),
        refit(split_data, smallest).values_with(NONE, moves),
    )
    assert fast(split_data, smallest + 1) is None


@pytest.mark.parametrize(
    "options",
    [
        {"weights": "distance"},
        {"p": 1},
        {"metric": "manhattan"},
        {"metric_params": {"w": np.ones(13)}},
        {"n_neighbors": 0},
        {"n_neighbors": 2.0},
    ],
)
def test_other_neighbours_are_left_to_scikit_learn(options):
    split_data = drawn(*wine(0.0))
    assert (
        nearest_neighbor_criterion(
            KNeighborsClassifier(**options), split_data, balanced=False, scaled=False
        )
        is None
    )


@pytest.mark.parametrize("options", [{"metric": "euclidean", "p": 1}, {"algorithm": "ball_tree"}])
def test_the_same_neighbours_by_another_name(options):
    split_data = drawn(*wine(0.0))
    ours = nearest_neighbor_criterion(
        KNeighborsClassifier(3, **options), split_data, balanced=False, scaled=False
    )
    moves = singles(range(13))
    assert np.array_equal(ours.values_with(NONE, moves), fast(split_data).values_with(NONE, moves))


def test_other_classifiers_are_not_known():
    class Own(KNeighborsClassifier):
        pass

    assert (
        nearest_neighbor_criterion(Own(), drawn(*wine(0.0)), balanced=False, scaled=False) is None
    )
