"""The fast Gaussian criterion equals refits by scikit-learn, also where these fail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Quadratic
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast.select._search._criterion import CriterionSplits, Moves, RefitCriterion
from holdfast.select._search._gaussian_criterion import (
    SINGULAR,
    TOO_FEW_SAMPLES,
    TOO_MANY_FEATURES,
    gaussian_criterion,
)
from tests.select.early_scikit_learn import FITS_SINGULAR, REASON

if FITS_SINGULAR:
    pytest.skip(REASON, allow_module_level=True)

NONE = np.empty(0, dtype=np.intp)


def halves(y, n_splits=2, share=2 / 3, seed=0):
    """Random splits, none of which has the size of another."""
    rng, n = np.random.default_rng(seed), len(y)
    orders = [rng.permutation(n) for _ in range(n_splits)]
    sizes = [round(share * n) - extra for extra in range(n_splits)]
    return [
        (np.sort(order[:size]), np.sort(order[size:]))
        for order, size in zip(orders, sizes, strict=True)
    ]


def split_data_of(X, y, splits=None):
    y = np.asarray(y, dtype=np.intp)
    X = np.ascontiguousarray(X, dtype=float)
    return CriterionSplits(X, y, halves(y) if splits is None else splits)


@pytest.fixture(scope="module")
def wine():
    return split_data_of(*load_wine(return_X_y=True))


def alone(features):
    return Moves.from_units([np.array([f]) for f in features])


def others(split_data, base):
    return np.setdiff1d(np.arange(split_data.X.shape[1]), base)


def both(classifier, split_data, balanced=False, scaled=False):
    """The fast criterion and the one that refits."""
    whole = make_pipeline(StandardScaler(), classifier) if scaled else classifier
    scorer = get_scorer("balanced_accuracy" if balanced else "accuracy")
    fast = gaussian_criterion(classifier, split_data, balanced=balanced, scaled=scaled)
    return fast, RefitCriterion(whole, split_data, scorer)


def assert_same(values, expected):
    assert values.shape == expected.shape
    np.testing.assert_array_equal(np.round(values, 12), np.round(expected, 12))


def assert_equal_moves(fast, refit, base, added=None, removed=None):
    base = np.asarray(base, dtype=np.intp)
    if added is not None:
        assert_same(fast.values_with(base, added), refit.values_with(base, added))
    if removed is not None:
        assert_same(fast.values_without(base, removed), refit.values_without(base, removed))


def sweep(fast, refit, p, most):
    """Go forward by the best feature each time, and back; check up to `most` moves at each step."""
    base, met = NONE, []
    while len(base) < p:
        rest = np.setdiff1d(np.arange(p), base)
        values = fast.values_with(base, alone(rest))
        assert_same(values[:most], refit.values_with(base, alone(rest[:most])))
        base = np.union1d(base, rest[values.argmax()])
        met.append(values)
    while len(base) > 1:
        values = fast.values_without(base, alone(base))
        assert_same(values[-most:], refit.values_without(base, alone(base[-most:])))
        base = np.delete(base, values.argmax())
        met.append(values)
    return np.concatenate(met)


def untouched(fast, monkeypatch):
    """Make sure that the fast criterion settles everything itself."""

    def refuse(*_):
        raise AssertionError("refitted")

    monkeypatch.setattr(fast.exact, "values_with", refuse)


@pytest.mark.parametrize(
    ("settings", "balanced", "scaled", "most"),
    [
        ({}, False, False, 3),
        ({"reg_param": 0.01}, False, True, 1),
        ({"reg_param": 0.5}, True, False, 1),
        ({"priors": [0.7, 0.2, 0.1], "tol": 1e-6, "store_covariance": True}, True, True, 1),
    ],
)
def test_equals_refits_all_the_way(wine, settings, balanced, scaled, most, monkeypatch):
    fast, refit = both(Quadratic(**settings), wine, balanced, scaled)
    untouched(fast, monkeypatch)
    assert len(np.unique(sweep(fast, refit, 13, most))) > 20


def test_bound_of_eigenvalues_cuts_through_the_subsets(wine):
    """With a bound within the range of eigenvalues, some subsets are regular and some not."""
    fast, refit = both(Quadratic(tol=0.1), wine, scaled=True)
    base = np.array([0, 6, 9])
    values = [
        fast.values_with(base, alone(others(wine, base))),
        fast.values_with(NONE, alone(range(13))),
    ]
    expected = [
        refit.values_with(base, alone(others(wine, base))),
        refit.values_with(NONE, alone(range(13))),
    ]
    assert_same(np.concatenate(values), np.concatenate(expected))
    assert 0 < np.isinf(np.concatenate(expected)).sum() < 23
    whole = np.arange(13)
    assert_equal_moves(fast, refit, whole, removed=alone([0, 6, 12]))
    assert fast.failure == SINGULAR


def test_units_of_several_features(wine):
    fast, refit = both(Quadratic(), wine)
    units = Moves.from_units([np.array([1, 2]), np.array([12]), np.array([4, 5, 7])])
    assert_equal_moves(fast, refit, [0, 9], added=units)
    assert_equal_moves(fast, refit, NONE, added=units)
    assert_equal_moves(fast, refit, [0, 1, 2, 4, 5, 7, 9, 12], removed=units)


def test_collinear_features_cannot_be_fitted(wine, monkeypatch):
    X = np.column_stack([wine.X, wine.X[:, 0], wine.X[:, 1] + wine.X[:, 2]])
    split_data = split_data_of(X, wine.y)
    fast, refit = both(Quadratic(), split_data)
    untouched(fast, monkeypatch)
    assert fast.values_with(np.array([0]), alone([13, 1]))[0] == -np.inf
    assert_equal_moves(fast, refit, [0, 1, 2], added=alone([13, 14, 3]))
    singular = np.array([0, 1, 2, 3, 14])
    assert (fast.values_with(singular, alone([5, 6])) == -np.inf).all()
    assert_equal_moves(fast, refit, singular, added=alone([5, 6]), removed=alone(singular))


@pytest.mark.parametrize("settings", [{}, {"tol": 0.0}, {"reg_param": 0.01}])
def test_duplicates_on_large_scales_are_left_to_refits(wine, settings):
    X = np.column_stack([wine.X[:, :4] * 1e7, wine.X[:, 0] * 1e7])
    fast, refit = both(Quadratic(**settings), split_data_of(X, wine.y))
    assert_equal_moves(fast, refit, [0, 1], added=alone([2, 4]))
    assert fast.failure == refit.failure
    assert_equal_moves(fast, refit, [0, 1, 4], added=alone([2]), removed=alone([0, 1, 4]))


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_scales_that_differ_widely(wine, offset):
    X = wine.X * 10.0 ** np.linspace(0, 7, 13) + offset
    split_data = split_data_of(X, wine.y)
    fast, refit = both(Quadratic(tol=1e-9), split_data)
    base = np.array([0, 5, 6, 12])
    assert_equal_moves(fast, refit, base, alone(others(split_data, base)), alone(base))


@pytest.mark.parametrize("settings", [{}, {"reg_param": 0.1}, {"tol": 0.0}, {"reg_param": 1e-4}])
def test_fewer_samples_than_features(settings):
    """A class with as many samples as features can be fitted if regularised, with fewer not."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [9, 20])
    split_data = split_data_of(rng.normal(size=(29, 9)), y, halves(y))
    least = min(np.bincount(y[train])[0] for train, _ in split_data.splits)
    fast, refit = both(Quadratic(**settings), split_data)
    for size in range(least - 2, least + 2):
        base = np.arange(size)
        assert_equal_moves(fast, refit, base, alone([size, 8]), alone(base[-2:]))
    assert (fast.values_with(np.arange(least), alone([8])) == -np.inf).all()
    assert fast.failure == TOO_MANY_FEATURES


@pytest.mark.parametrize("settings", [{}, {"reg_param": 0.1}, {"tol": 0.0}])
def test_feature_that_is_constant_within_a_class(wine, settings):
    X = wine.X.copy()
    X[wine.y == 1, 3] = 0.1
    X[:, 4] = 0.1
    split_data = split_data_of(X, wine.y)
    for scaled in (False, True):
        fast, refit = both(Quadratic(**settings), split_data, scaled=scaled)
        assert_equal_moves(fast, refit, NONE, added=alone([3, 4, 5]))
        assert_equal_moves(fast, refit, [0, 3], alone([1, 4]), alone([0, 3]))


def test_training_part_that_lacks_a_class(wine):
    y, (train, test) = wine.y, wine.splits[0]
    lacking = [(train, test), (train[y[train] != 1], test)]
    fast, refit = both(Quadratic(), split_data_of(wine.X, y, lacking))
    base = np.array([0, 6, 9])
    assert_equal_moves(fast, refit, base, alone([1, 12]), alone(base))
    assert (
        gaussian_criterion(
            Quadratic(priors=[0.2, 0.3, 0.5]), fast.exact.split_data, balanced=False, scaled=False
        )
        is None
    )


@pytest.mark.parametrize("left", [[0], [0, 1]])
def test_training_part_that_cannot_be_fitted(wine, left):
    """A single class, or a class of a single sample."""
    y, (train, test) = wine.y, wine.splits[0]
    rows = train[np.isin(y[train], left)]
    short = np.concatenate([rows[y[rows] == 0], rows[y[rows] == 1][:1]])
    fast, refit = both(
        Quadratic(reg_param=0.5), split_data_of(wine.X, y, [(train, test), (short, test)])
    )
    base = np.array([0, 6])
    assert_equal_moves(fast, refit, base, alone([1]), alone(base))
    assert (fast.values_with(base, alone([1])) == -np.inf).all()
    assert fast.failure == TOO_FEW_SAMPLES


def test_ties_are_settled_as_by_refits():
    """The classes have the same moments: rounding errors decide, those of scikit-learn."""
    rng = np.random.default_rng(3)
    one = rng.normal(size=(20, 3))
    X = np.concatenate([one, one[rng.permutation(20)], rng.normal(size=(30, 3))])
    y = np.repeat([0, 1, 0], [20, 20, 30])
    split_data = split_data_of(X, y, [(np.arange(40), np.arange(40, 70))])
    fast, refit = both(Quadratic(), split_data)
    assert_equal_moves(fast, refit, [0], alone([1, 2]))
    assert_equal_moves(fast, refit, [0, 1, 2], removed=alone([0, 1, 2]))


def test_what_is_left_of_a_huge_distance():
    """Test samples lie far off in a direction that the feature to be removed opened."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    X[100:, 1] += 1e9
    split_data = split_data_of(
        X, rng.integers(2, size=200), [(np.arange(100), np.arange(100, 200))]
    )
    fast, refit = both(Quadratic(), split_data)
    assert_equal_moves(fast, refit, [0, 1], removed=alone([0, 1]))


@pytest.mark.parametrize(
    "classifier",
    [
        LinearDiscriminantAnalysis(),
        type("Own", (Quadratic,), {})(),
        Quadratic(solver="eigen"),
        Quadratic(solver="eigen", shrinkage="auto"),
        Quadratic(reg_param=2.0),
        Quadratic(tol=-1.0),
        Quadratic(reg_param="much"),
        Quadratic(priors=[0.5, 0.5]),
        Quadratic(priors=[1.0, 0.0, 0.0]),
        Quadratic(priors="even"),
    ],
)
def test_leaves_others_alone(wine, classifier):
    assert gaussian_criterion(classifier, wine, balanced=False, scaled=False) is None


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(6, 30),
    p=st.integers(2, 5),
    classes=st.integers(2, 4),
    whole=st.booleans(),
    reg=st.sampled_from([0.0, 0.0, 1e-4, 0.2, 1.0]),
    balanced=st.booleans(),
    scaled=st.booleans(),
)
def test_equals_refits_on_anything_small(seed, n, p, classes, whole, reg, balanced, scaled):
    """Also on whole numbers, where features are collinear, constant and tied."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.integers(classes, size=n)])
    X = rng.integers(0, 3, size=(len(y), p)) if whole else rng.normal(size=(len(y), p))
    split_data = split_data_of(
        X + y[:, None] * rng.integers(0, 2, size=p), y, halves(y, 2, 0.7, seed)
    )
    fast, refit = both(Quadratic(reg_param=reg), split_data, balanced, scaled)
    refit.scorer = fast.exact.scorer  # the usual one warns of classes that are not tested
    base, rest = np.split(rng.permutation(p), [rng.integers(0, p)])
    moves = Moves.from_units([*rest[:2, None], np.sort(rest)])
    assert_equal_moves(fast, refit, np.sort(base), moves)
    leaving = np.sort(rest[: p - 1])
    assert_equal_moves(fast, refit, np.arange(p), removed=Moves.from_units([leaving[:1], leaving]))
