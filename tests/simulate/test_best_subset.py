"""Best subsets of the Gaussian model agree with an exhaustive search."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.simulate import GaussianModel
from tests.simulate.gaussian import bayes_error

CORRELATIONS = [0.0, 0.2, 0.5, 0.95]


def smallest_error(model, size):
    return min(
        bayes_error(model, list(subset)) for subset in combinations(range(model.n_features), size)
    )


def draw_means(seed, p):
    """Draw means of both signs and various sizes, with ties and zeros."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=p).round(rng.integers(0, 4)) * rng.choice([0.3, 1.0]) + rng.choice(
        [0, 1]
    )


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 9), st.sampled_from(CORRELATIONS))
def test_no_subset_is_better(seed, p, block_size, correlation):
    model = GaussianModel(draw_means(seed, p), block_size, correlation)
    for size in range(p + 1):
        subset = model.best_subset(size)
        assert len(set(subset.tolist())) == size
        assert subset.tolist() == sorted(subset)
        assert model.best_error(size) == pytest.approx(smallest_error(model, size), rel=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_no_subset_of_three_blocks_is_better(seed):
    model = GaussianModel(draw_means(seed, 14), block_size=5, correlation=0.5)
    for size in range(1, 14):
        every = np.array(list(combinations(range(14), size)))
        assert model.best_error(size) == pytest.approx(model.bayes_error(every).min(), rel=1e-9)


def test_the_best_subset_of_a_block_has_its_largest_and_smallest_means():
    model = GaussianModel([0.9, 0.8, 0.3, 0.2, 0.1, 0.0], block_size=6, correlation=0.8)
    assert model.best_subset(3).tolist() == [0, 1, 5]
    assert model.best_error(3) == pytest.approx(smallest_error(model, 3))


def test_a_pair_may_be_better_than_the_two_best_single_features():
    # alone the first two are better; the other two are opposite ends of one block
    model = GaussianModel([0.5, 0.0, 0.5, 0.0, 0.45, -0.45], block_size=2, correlation=0.5)
    assert model.best_subset(1).tolist() in ([0], [2])
    assert model.best_subset(2).tolist() == [4, 5]


def test_independent_features_are_selected_by_absolute_mean():
    mu = np.array([0.1, -0.5, 0.3, 0.4])
    for model in (GaussianModel(mu), GaussianModel(mu, 2, 0.0), GaussianModel(mu, 1, 0.9)):
        assert model.best_subset(2).tolist() == [1, 3]


def test_features_of_equal_mean_are_spread_over_blocks():
    # in one block the second feature adds less than the first of another block
    model = GaussianModel(np.full(1000, 0.1), block_size=10, correlation=0.5)
    chosen = model.best_subset(100)
    assert np.bincount(chosen // 10).tolist() == [1] * 100
    assert np.bincount(model.best_subset(300) // 10).tolist() == [3] * 100


def test_the_best_error_does_not_increase_with_size():
    rng = np.random.default_rng(0)
    model = GaussianModel(rng.normal(size=95) / 10, block_size=10, correlation=0.5)
    errors = [model.best_error(size) for size in range(96)]
    assert (np.diff(errors) <= 1e-12).all()
    assert errors[-1] == pytest.approx(float(model.bayes_error()))
    random = [model.bayes_error(rng.permutation(95)[:30]) for _ in range(200)]
    assert errors[30] < min(random)
