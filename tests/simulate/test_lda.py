"""LDA: agrees with scikit-learn, and with the pseudo-inverse if samples are few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.covariance import oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from holdfast.errors import InvalidInputError
from holdfast.simulate import GaussianModel, LinearRule, lda
from tests.simulate.gaussian import counted_error


def fit_by_pseudo_inverse(X, positive):
    one, other = X[positive], X[~positive]
    within = np.concatenate([one - one.mean(axis=0), other - other.mean(axis=0)])
    covariance = within.T @ within / (len(X) - 2)
    inverse = np.linalg.pinv(covariance, rcond=1e-11, hermitian=True)
    weights = inverse @ (one.mean(axis=0) - other.mean(axis=0))
    return LinearRule(weights, -weights @ (one.mean(axis=0) + other.mean(axis=0)) / 2)


def drawn(n_per_class, d, seed=0):
    rng = np.random.default_rng(seed)
    model = GaussianModel(rng.normal(size=d) / 5, block_size=3, correlation=0.5)
    return model, *model.draw(n_per_class, rng)


def assert_same(rule, expected, rtol=1e-7):
    scale = np.abs(expected.weights).max()
    np.testing.assert_allclose(rule.weights, expected.weights, atol=rtol * scale)
    assert rule.offset == pytest.approx(expected.offset, abs=rtol * scale)


@pytest.mark.parametrize("solver", ["svd", "lsqr"])
def test_weights_agree_with_scikit_learn(solver):
    _, X, positive = drawn((30, 47), 12)
    theirs = LinearDiscriminantAnalysis(solver=solver).fit(X, positive)
    rule = lda(X, positive)
    # they divide the scatter by n; early versions, with svd, by the degrees of freedom, as we do
    factor = rule.weights[0] / theirs.coef_[0][0]
    assert factor in (pytest.approx(75 / 77), *([pytest.approx(1.0)] if solver == "svd" else []))
    np.testing.assert_allclose(rule.weights, theirs.coef_[0] * factor, rtol=1e-9)
    # and take classes to be as likely as they are frequent
    offset = (theirs.intercept_[0] - np.log(30 / 47)) * factor
    assert rule.offset == pytest.approx(offset, rel=1e-9)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 24), st.integers(0, 1000))
def test_rules_agree_with_the_pseudo_inverse(plus, minus, d, seed):
    if plus + minus < 3:
        plus += 2
    _, X, positive = drawn((plus, minus), d, seed)
    assert_same(lda(X, positive), fit_by_pseudo_inverse(X, positive), rtol=1e-5)


@pytest.mark.parametrize("d", [57, 58, 59, 60, 61, 200])
def test_rules_agree_with_the_pseudo_inverse_where_the_covariance_becomes_singular(d):
    _, X, positive = drawn(30, d)
    assert_same(lda(X, positive), fit_by_pseudo_inverse(X, positive))


def test_the_order_of_samples_does_not_matter():
    _, X, positive = drawn((8, 13), 30)
    order = np.random.default_rng(0).permutation(21)
    assert_same(lda(X[order], positive[order]), lda(X, positive))


@pytest.mark.parametrize(("n", "d"), [(40, 10), (10, 40)])
def test_linearly_dependent_features_and_samples_are_supported(n, d):
    _, X, positive = drawn(n, d)
    X[:, 1] = X[:, 0]
    X[3] = X[4] = X[5]
    X[:, 2] = 7.0
    rule = lda(X, positive)
    assert_same(rule, fit_by_pseudo_inverse(X, positive))
    assert rule.weights[0] == pytest.approx(rule.weights[1])
    assert rule.weights[2] == pytest.approx(0, abs=1e-9)


def test_weights_are_zero_without_variance_within_classes():
    positive = np.array([True, True, False])
    rule = lda(np.where(positive, 1.0, 0.0)[:, np.newaxis], positive)
    assert rule.weights.tolist() == [0.0]
    assert rule.offset == 0.0
    assert lda(np.empty((3, 0)), positive).weights.shape == (0,)


@pytest.mark.parametrize(("n_per_class", "d"), [(100, 20), (15, 60)])
def test_exact_errors_agree_with_counted_errors(n_per_class, d):
    model, X, positive = drawn(n_per_class, d, seed=1)
    rule = lda(X, positive)
    share, standard_error = counted_error(rule, *model.draw(50_000, np.random.default_rng(9)))
    assert abs(share - model.linear_error(*rule)) < 4 * standard_error


def test_exact_errors_agree_with_predictions_of_scikit_learn():
    model, X, positive = drawn(60, 15, seed=2)
    theirs = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, positive)
    test, truth = model.draw(50_000, np.random.default_rng(8))
    share = np.mean(theirs.predict(test) != truth)
    error = float(model.linear_error(*lda(X, positive)))
    assert abs(share - error) < 4 * np.sqrt(error * (1 - error) / 100_000)


def test_many_samples_lead_to_the_bayes_error():
    model, X, positive = drawn(20_000, 10)
    features = [7, 2, 3]
    error = model.linear_error(*lda(X[:, features], positive), features=features)
    assert 0 <= error - model.bayes_error(features) < 1e-3


@pytest.mark.parametrize(
    ("X", "positive", "match"),
    [
        ([1.0, 2.0, 3.0], [True, False, True], r"got shape \(3,\)\."),
        ([[1.0], [2.0]], [True, False], "at least three rows"),
        ([[1.0], [np.nan], [2.0]], [True, False, True], "with NaN or infinity"),
        ([[1.0], [3.0], [2.0]], [1, 0, 1], "positive must be 3 booleans"),
        ([[1.0], [3.0], [2.0]], [True, False], r"shape \(2,\)"),
        ([[1.0], [3.0], [2.0]], [True] * 3, "both True and False"),
        ([[1.0], [3.0], [2.0]], [False] * 3, "both True and False"),
    ],
)
def test_impossible_data_are_refused(X, positive, match):
    with pytest.raises(InvalidInputError, match=match):
        lda(X, positive)


@pytest.mark.parametrize(("n", "d"), [(40, 5), (40, 38), (40, 39), (20, 100), (5, 4)])
def test_shrinkage_is_that_of_scikit_learn(n, d):
    rng = np.random.default_rng(n + d)
    positive = np.arange(n) % 3 == 0
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d) + 0.5 * positive[:, None]
    halves = X[positive], X[~positive]
    centred = np.concatenate([half - half.mean(axis=0) for half in halves])
    # scikit-learn takes rows for degrees of freedom: n - 2 rows with the same scatter
    _, values, right = np.linalg.svd(centred, full_matrices=False)
    rows = np.zeros((n - 2, d))
    rank = min(n - 2, d)
    rows[:rank] = values[:rank, None] * right[:rank]
    covariance, _ = oas(rows, assume_centered=True)
    difference = halves[0].mean(axis=0) - halves[1].mean(axis=0)
    middle = (halves[0].mean(axis=0) + halves[1].mean(axis=0)) / 2
    expected = np.linalg.solve(covariance, difference)
    rule = lda(X, positive, shrinkage=True)
    assert rule.weights == pytest.approx(expected, rel=1e-8)
    assert rule.offset == pytest.approx(-expected @ middle, rel=1e-8)


def test_shrinkage_lowers_the_error_where_features_are_as_many_as_samples():
    rng = np.random.default_rng(0)
    model = GaussianModel(np.full(100, 0.1))
    plain, shrunken = [], []
    for _ in range(20):
        X, positive = model.draw(100, rng)
        plain.append(model.linear_error(*lda(X, positive)))
        shrunken.append(model.linear_error(*lda(X, positive, shrinkage=True)))
    assert np.mean(shrunken) < np.mean(plain) - 0.05


def test_shrinkage_of_constant_features_gives_no_weights():
    positive = np.array([True, False, True, False])
    rule = lda(np.where(positive, 1.0, 0.0)[:, np.newaxis], positive, shrinkage=True)
    assert rule == (pytest.approx(0.0), pytest.approx(0.0))


def test_a_multiple_of_the_identity_is_left_as_it_is():
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [3.0, 2.0], [5.0, 2.0],
                  [4.0, 1.0], [4.0, 3.0]])  # fmt: skip
    positive = np.arange(8) >= 4
    plain, shrunken = lda(X, positive), lda(X, positive, shrinkage=True)
    assert shrunken.weights == pytest.approx(plain.weights)
