"""Errors of the Gaussian model: agree with its covariance matrix and with counted errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from holdfast.errors import InvalidInputError
from holdfast.simulate import GaussianModel, LinearRule
from tests.simulate.gaussian import bayes_error, counted_error, covariance


@st.composite
def models(draw, most=25):
    p = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    mu = rng.normal(size=p).round(draw(st.integers(0, 6)))  # few digits make ties
    return GaussianModel(mu, draw(st.integers(1, p + 2)), draw(st.sampled_from([0.0, 0.5, 0.99])))


@given(models(), st.integers(0, 1000))
def test_bayes_errors_agree_with_the_covariance_matrix(model, seed):
    p = model.n_features
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(p)[: rng.integers(0, p + 1)]
    assert model.bayes_error(chosen) == pytest.approx(bayes_error(model, chosen), rel=1e-8)
    assert model.bayes_error() == pytest.approx(bayes_error(model, np.arange(p)), rel=1e-8)


@given(models(), st.integers(0, 1000))
def test_linear_errors_agree_with_the_covariance_matrix(model, seed):
    p = model.n_features
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(p)[: rng.integers(1, p + 1)]
    w, b = rng.normal(size=len(chosen)), rng.normal()
    spread = np.sqrt(w @ covariance(model)[np.ix_(chosen, chosen)] @ w)
    ends = norm.cdf([-(w @ model.mu[chosen] + b) / spread, -(w @ model.mu[chosen] - b) / spread])
    assert model.linear_error(w, b, chosen) == pytest.approx(ends.mean(), rel=1e-8)


@given(models())
def test_no_rule_beats_the_bayes_error_and_the_best_rule_reaches_it(model):
    best = np.linalg.solve(covariance(model), model.mu)
    least = float(model.bayes_error())
    assert model.linear_error(best) == pytest.approx(least, rel=1e-7)
    tried = best + np.random.default_rng(0).normal(size=(20, len(best)))
    assert (model.linear_error(tried) >= least * (1 - 1e-9)).all()


def test_errors_of_many_subsets_and_rules_agree_with_single_ones():
    rng = np.random.default_rng(0)
    model = GaussianModel(rng.normal(size=23) / 3, block_size=5, correlation=0.4)
    chosen = np.array([[rng.permutation(23)[:7] for _ in range(3)] for _ in range(2)])
    weights, offset = rng.normal(size=chosen.shape), rng.normal(size=(2, 3))
    errors, linear = model.bayes_error(chosen), model.linear_error(weights, offset, chosen)
    shared = model.linear_error(weights, offset, chosen[0, 0])
    for at in np.ndindex(2, 3):
        assert errors[at] == pytest.approx(float(model.bayes_error(chosen[at])))
        one = model.linear_error(weights[at], offset[at], chosen[at])
        assert linear[at] == pytest.approx(float(one))
        one = model.linear_error(weights[at], offset[at], chosen[0, 0])
        assert shared[at] == pytest.approx(float(one))


def test_errors_agree_with_errors_counted_on_many_samples():
    rng = np.random.default_rng(1)
    model = GaussianModel(rng.normal(size=11) / 4, block_size=4, correlation=0.6)
    X, positive = model.draw((150_000, 100_000), rng)
    for rule in (
        LinearRule(np.linalg.solve(covariance(model), model.mu), 0.0),
        LinearRule(rng.normal(size=11), 0.7),
    ):
        share, standard_error = counted_error(rule, X, positive)
        assert abs(share - model.linear_error(*rule)) < 4 * standard_error


def test_samples_have_the_means_and_the_covariance_of_the_model():
    model = GaussianModel(np.linspace(-1, 1, 7), block_size=3, correlation=0.7)
    n = 40_000
    X, positive = model.draw((n, n), np.random.default_rng(2))
    np.testing.assert_array_equal(positive, np.arange(2 * n) < n)
    for half, sign in ((X[:n], 1), (X[n:], -1)):
        np.testing.assert_allclose(half.mean(axis=0), sign * model.mu, atol=4.5 / np.sqrt(n))
        sigma = np.cov(half, rowvar=False)
        np.testing.assert_allclose(sigma, covariance(model), atol=4.5 * np.sqrt(2 / n))


def test_correlated_samples_do_not_depend_on_the_batch_size(monkeypatch):
    model = GaussianModel(np.zeros(7), block_size=3, correlation=0.7)
    whole, _ = model.draw(10, np.random.default_rng(3))
    monkeypatch.setattr("holdfast.simulate._gaussian_theory._MAX_VALUES_PER_BATCH", 22)
    parts, _ = model.draw(10, np.random.default_rng(3))
    np.testing.assert_array_equal(parts, whole)


def test_class_sizes_are_an_integer_or_a_pair():
    model = GaussianModel([1.0])
    X, positive = model.draw(3, np.random.default_rng(0))
    assert X.shape == (6, 1)
    assert positive.sum() == 3
    assert model.draw((0, 2), np.random.default_rng(0))[1].tolist() == [False, False]


def test_without_signal_all_errors_are_one_half():
    model = GaussianModel(np.zeros(4), block_size=2, correlation=0.3)
    assert model.bayes_error() == 0.5
    assert model.best_error(2) == 0.5
    assert model.linear_error([1.0, 2.0, 3.0, 4.0], 0.5) == 0.5
    informed = GaussianModel([1.0, 2.0])
    assert informed.bayes_error([]) == 0.5
    assert informed.bayes_error(np.empty((3, 0), dtype=int)).tolist() == [0.5] * 3
    assert informed.linear_error([0.0, 0.0], 1.0) == 0.5


def test_high_correlations_lose_no_precision():
    near = GaussianModel([0.3, 0.3, 0.3], block_size=3, correlation=1 - 1e-12)
    assert near.bayes_error() == pytest.approx(norm.cdf(-0.3), rel=1e-9)


def test_the_means_are_a_read_only_copy():
    mu = np.array([1.0, 2.0])
    model = GaussianModel(mu)
    mu[0] = 5.0
    assert model.mu[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.mu[0] = 3.0


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"mu": []}, r"mu must be a list of finite numbers, one per feature.*shape \(0,\)\."),
        ({"mu": [[1.0]]}, r"shape \(1, 1\)\."),
        ({"mu": [np.nan]}, "values that are not finite"),
        ({"mu": [1.0], "block_size": 0}, "block_size must be a whole number of at least 1"),
        ({"mu": [1.0], "correlation": 1}, "at least 0 and below 1; got 1. At 1 the features"),
        ({"mu": [1.0], "correlation": -0.1}, "correlation must be at least 0"),
        ({"mu": [1.0], "correlation": True}, "correlation must be at least 0"),
    ],
)
def test_impossible_models_are_refused(fields, match):
    with pytest.raises(InvalidInputError, match=match):
        GaussianModel(**fields)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda m: m.bayes_error([0, 3]), "features must be between 0 and 2; got 0 to 3"),
        (lambda m: m.bayes_error([-1]), "got -1 to -1"),
        (lambda m: m.bayes_error([[0, 1], [2, 2]]), "must be distinct"),
        (lambda m: m.bayes_error([True, False, True]), "numpy.flatnonzero"),
        (lambda m: m.bayes_error(1), "must be a list of integers"),
        (lambda m: m.best_subset(4), r"size must be at most the number of features \(3\)"),
        (lambda m: m.best_subset(-1), "size must be a whole number"),
        (lambda m: m.linear_error([1.0]), r"got shapes \(1,\) for weights and \(3,\)"),
        (lambda m: m.linear_error(1.0), r"got shapes \(\) for weights"),
        (lambda m: m.linear_error([1.0, 2, 3], [1.0, 2]), r"offset must be one number"),
        (lambda m: m.linear_error([np.inf, 2, 3]), "must be finite"),
        (lambda m: m.draw((1, 2, 3), None), "n_per_class must be an integer or a pair of integers"),
        (lambda m: m.draw(-1, None), "n_per_class must be a whole number of at least 0"),
    ],
)
def test_invalid_arguments_are_refused(call, match):
    with pytest.raises(InvalidInputError, match=match):
        call(GaussianModel([0.1, 0.2, 0.3]))
