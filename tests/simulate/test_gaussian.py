"""Gaussian generators: effects, layouts and samples."""

import json
import tracemalloc
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.stats import kstest, norm

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.simulate import BlockGaussian, Generator, IndependentGaussian
from tests.simulate.gaussian import covariance

ALL = [
    IndependentGaussian(n_samples=21, n_features=35),
    IndependentGaussian(n_samples=20, n_features=35, gamma=10, largest_effect=0.15),
    BlockGaussian(n_samples=20, n_features=35),
    BlockGaussian(n_samples=20, n_features=35, layout="blocks", population=4),
    BlockGaussian(n_samples=20, n_features=35, kind="two_point", n_informative=12),
    BlockGaussian(n_samples=20, n_features=35, kind="two_point", n_informative=12, layout="blocks"),
]


@pytest.mark.parametrize("generator", ALL)
def test_generators_round_trip_through_json(generator):
    again = type(generator)(**json.loads(json.dumps(asdict(generator))))
    assert again == generator
    assert isinstance(again, Generator)
    np.testing.assert_array_equal(again.draw(3).X, generator.draw(3).X)


@pytest.mark.parametrize("generator", ALL)
def test_draws_report_labels_names_and_effects(generator):
    drawn = generator.draw(0)
    plus = (generator.n_samples + 1) // 2
    assert generator.counts == (plus, generator.n_samples - plus)
    assert drawn.y.tolist() == ["case"] * plus + ["control"] * (generator.n_samples - plus)
    assert drawn.X.shape == (generator.n_samples, 35)
    assert drawn.feature_names[0] == "x01"
    assert len(set(drawn.feature_names)) == 35
    np.testing.assert_array_equal(drawn.effects, 2 * generator.model.mu)
    np.testing.assert_array_equal(drawn.informative, drawn.effects > 0)


@pytest.mark.parametrize("generator", ALL[1:5:3])
def test_samples_follow_the_model(generator):
    n = 40_000
    drawn = replace(generator, n_samples=n).draw(5)
    case = drawn.y == "case"
    difference = drawn.X[case].mean(axis=0) - drawn.X[~case].mean(axis=0)
    np.testing.assert_allclose(difference, drawn.effects, atol=4.5 * 2 / np.sqrt(n))
    within = np.cov(drawn.X - np.where(case[:, None], 0.5, -0.5) * drawn.effects, rowvar=False)
    np.testing.assert_allclose(within, covariance(generator.model), atol=5 * np.sqrt(2 / n))


def test_draws_share_the_population_but_not_the_samples():
    generator = BlockGaussian(n_samples=30)
    one, other = generator.draw(1), generator.draw(2)
    np.testing.assert_array_equal(one.effects, other.effects)
    assert abs(np.corrcoef(one.X.ravel(), other.X.ravel())[0, 1]) < 0.05
    elsewhere = replace(generator, population=1).draw(1)
    assert (elsewhere.effects != one.effects).all()
    assert abs(np.corrcoef(one.X.ravel(), elsewhere.X.ravel())[0, 1]) < 0.05
    seeds = (0, 1, 2**32, 2**64, 2**64 + 1)
    assert len({replace(generator, n_samples=2).draw(seed).X[0, 0] for seed in seeds}) == 5


@pytest.mark.parametrize("gamma", [0.5, 1, 2, 10])
def test_effects_are_powers_of_triangular_values(gamma):
    mu = IndependentGaussian(n_features=20_000, gamma=gamma, largest_effect=0.15).model.mu
    assert mu.max() == pytest.approx(0.15, rel=1e-12)
    # the largest of 20,000 is a little below 1 before it is scaled
    base = (mu / 0.15) ** (1 / gamma)
    assert kstest(base, lambda x: 1 - (1 - x) ** 2).pvalue > 1e-3


@pytest.mark.parametrize("error", [0.01, 0.10, 0.4])
@pytest.mark.parametrize("p", [1, 50, 1000])
def test_effects_are_scaled_to_the_bayes_error(error, p):
    model = IndependentGaussian(n_features=p, bayes_error=error).model
    assert model.bayes_error() == pytest.approx(error, rel=1e-12)
    assert norm.cdf(-np.linalg.norm(model.mu)) == pytest.approx(error, rel=1e-12)
    assert (model.mu > 0).all()


def test_the_default_bayes_error_is_a_tenth():
    assert IndependentGaussian().model.bayes_error() == pytest.approx(0.10)


def test_the_effects_of_a_population_are_reproducible():
    mu = IndependentGaussian(n_features=3, gamma=1, largest_effect=1.0, population=7).model.mu
    np.testing.assert_allclose(mu, [1.0, 0.8426832512105509, 0.6938379159343993], rtol=1e-12)


def test_large_powers_keep_the_largest_effect():
    mu = IndependentGaussian(n_features=100, gamma=1e5).model.mu
    assert np.linalg.norm(mu) == pytest.approx(-norm.ppf(0.10))
    assert (mu == 0).any()


def test_correlation_and_layout_do_not_change_progressive_effects():
    independent = IndependentGaussian(population=3).model.mu
    scattered = BlockGaussian(population=3).model
    together = BlockGaussian(population=3, layout="blocks", correlation=0.9).model
    np.testing.assert_array_equal(scattered.mu, independent)
    np.testing.assert_array_equal(together.mu, np.sort(independent)[::-1])
    assert (scattered.block_size, scattered.correlation) == (10, 0.5)
    without = BlockGaussian(population=3, correlation=0).model
    assert without.bayes_error() == pytest.approx(0.10)


def test_two_point_effects_are_scattered_or_fill_blocks():
    scattered = BlockGaussian(kind="two_point").model
    together = BlockGaussian(kind="two_point", layout="blocks").model
    for model in (scattered, together):
        assert set(model.mu.tolist()) == {0.0, 0.1}
        assert (model.mu > 0).sum() == 100
    assert (together.mu[:100] > 0).all()
    assert len(np.unique(np.flatnonzero(scattered.mu) // 10)) > 50
    # ten blocks of ten equal means: only the mean of a block counts
    expected = norm.cdf(-np.sqrt(10 * 10 * 0.1**2 / (1 + 9 * 0.5)))
    assert together.bayes_error() == pytest.approx(expected)
    assert scattered.bayes_error() < norm.cdf(-1) < together.bayes_error()


def test_the_last_block_may_be_smaller():
    generator = BlockGaussian(n_samples=5, n_features=7, block_size=3)
    assert generator.draw(0).X.shape == (5, 7)
    assert covariance(generator.model)[6].tolist() == [0, 0, 0, 0, 0, 0, 1]
    single = BlockGaussian(n_samples=2, n_features=1, kind="two_point", n_informative=1, effect=2)
    assert single.draw(0).effects.tolist() == [4.0]
    assert single.draw(0).feature_names == ("x1",)


def test_kind_and_scale_can_be_replaced():
    generator = replace(BlockGaussian(), kind="two_point")
    assert generator.model.mu.max() == 0.1
    assert replace(BlockGaussian(), largest_effect=0.15).model.mu.max() == pytest.approx(0.15)


def test_drawing_holds_the_data_only_once_in_memory():
    generator = BlockGaussian(n_samples=3000, n_features=3000)
    tracemalloc.start()
    try:
        drawn = generator.draw(0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.35 * drawn.X.nbytes


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"n_samples": 1}, "n_samples must be a whole number of at least 2"),
        ({"n_features": 0}, "n_features must be a whole number of at least 1"),
        ({"population": -1}, "population must be a whole number"),
        ({"gamma": 0}, "gamma must be a number above 0"),
        ({"bayes_error": 0.5}, "bayes_error must be a number above 0 and below 0.5"),
        ({"largest_effect": -1}, "largest_effect must be a number above 0"),
        ({"bayes_error": 0.1, "largest_effect": 0.15}, "give only one; got 0.1 and 0.15"),
        ({"block_size": 0}, "block_size must be a whole number of at least 1"),
        ({"correlation": 1.0}, "correlation must be at least 0 and below 1"),
        ({"effect": 0}, "effect must be a number above 0"),
        ({"kind": "two_point", "n_features": 50}, r"at most n_features \(50\); got 100"),
        ({"kind": "two_point", "bayes_error": 0.1}, "bayes_error scales progressive means"),
        ({"kind": "two_point", "largest_effect": 0.1}, "Give effect instead"),
    ],
)
def test_impossible_populations_are_refused(fields, match):
    with pytest.raises(InvalidInputError, match=match):
        BlockGaussian(**fields)


@pytest.mark.parametrize("fields", [{"kind": "two_points"}, {"layout": "block"}])
def test_unknown_kinds_and_layouts_are_refused(fields):
    with pytest.raises(UnknownNameError, match="Did you mean"):
        BlockGaussian(**fields)


def test_seeds_must_be_whole_numbers():
    with pytest.raises(InvalidInputError, match="random_state must be a whole number"):
        IndependentGaussian().draw(-1)


def test_populations_agree_with_dernoncourt_et_al():
    # section 4.2: best error over 16% with 5 of 50 features; Fig. 4: means up to 0.15 of 1000
    small = [IndependentGaussian(n_features=50, population=seed).model for seed in range(100)]
    large = [IndependentGaussian(population=seed).model for seed in range(100)]
    assert 0.16 < np.mean([model.best_error(5) for model in small]) < 0.17
    assert np.mean([model.mu.max() for model in large]) == pytest.approx(0.15, abs=0.002)
