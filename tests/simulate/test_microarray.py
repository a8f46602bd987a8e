"""Microarray-like data: reproducible bytes, and the documented distribution."""

import hashlib
import json
from dataclasses import asdict

import numpy as np
import pytest

from holdfast.errors import InvalidInputError
from holdfast.simulate import Generator, Microarray
from holdfast.simulate._microarray import RandomStream

DIGEST = "aa2ec4688d560b16c1f1f8a77d6ac302687c38186fa52ca07cc9fc854564eaff"


def test_the_bytes_of_the_default_data_are_reproducible():
    drawn = Microarray().draw(0)
    assert hashlib.sha256(drawn.X.astype("<f8").tobytes()).hexdigest() == DIGEST
    assert drawn.feature_names[:2] == ("g0001", "g0002")
    assert drawn.y.tolist() == ["case"] * 50 + ["control"] * 50
    np.testing.assert_array_equal(drawn.X, np.round(drawn.X, 3))


def test_random_numbers_are_reproducible():
    np.testing.assert_allclose(
        RandomStream(1, 2).uniform(3),
        [0.448415143332272, 0.43088198754433765, 0.41999912939219225],
        rtol=1e-15,
    )


def test_generators_round_trip_through_json():
    generator = Microarray(n_samples=30, correlation=0.2, population=5)
    again = Microarray(**json.loads(json.dumps(asdict(generator))))
    assert again == generator
    assert isinstance(again, Generator)
    np.testing.assert_array_equal(again.draw(3).X, generator.draw(3).X)


def test_numpy_numbers_round_trip_through_json():
    generator = Microarray(n_samples=np.int64(20), correlation=np.float32(0.5))
    again = Microarray(**json.loads(json.dumps(asdict(generator))))
    assert again == Microarray(n_samples=20, correlation=0.5)


def test_large_seeds_give_distinct_streams():
    keys = [(2, 0, 2**32), (2, 0, 0), (2, 2**64, 0), (2, 0, 2**64), (2, 2**32, 2**32), (2, 0, 1)]
    drawn = {float(RandomStream(*key).uniform(1)[0]) for key in keys}
    assert len(drawn) == len(keys)
    assert RandomStream(2, 2**32 + 5, 7).uniform(1) != RandomStream(2, 5, 1 + (7 << 32)).uniform(1)


def test_draws_share_the_population_but_not_the_samples():
    generator = Microarray(n_samples=40)
    one, other = generator.draw(1), generator.draw(2)
    np.testing.assert_array_equal(one.effects, other.effects)
    noise = [np.corrcoef(one.X[i], other.X[i])[0, 1] for i in range(40)]
    assert np.min(noise) > 0.8  # baselines are the same
    residuals = [drawn.X - drawn.X.mean(axis=0) for drawn in (one, other)]
    assert abs(np.corrcoef(residuals[0].ravel(), residuals[1].ravel())[0, 1]) < 0.02
    elsewhere = Microarray(n_samples=40, population=1).draw(1)
    assert (elsewhere.informative != one.informative).any()


def test_effects_are_differences_of_means_in_standard_deviations():
    drawn = Microarray(n_samples=20_000, n_features=300).draw(0)
    case = drawn.y == "case"
    within = np.sqrt((drawn.X[case].var(axis=0) + drawn.X[~case].var(axis=0)) / 2)
    effects = (drawn.X[case].mean(axis=0) - drawn.X[~case].mean(axis=0)) / within
    np.testing.assert_allclose(effects, drawn.effects, atol=0.07)
    assert (drawn.effects[~drawn.informative] == 0).all()
    assert (drawn.effects[drawn.informative] != 0).all()
    assert drawn.informative.sum() == 40
    assert np.abs(drawn.effects).max() <= 2
    assert {-1.0, 1.0} <= set(np.sign(drawn.effects))
    assert (within > 0.28).all()
    assert (within < 1.02).all()


def test_effects_follow_the_triangular_density():
    generator = Microarray(
        n_samples=2, n_features=60_000, n_informative=30_000, n_modules=2000, module_size=15
    )
    sizes = np.abs(generator.draw(0).effects) / 2
    sizes = sizes[sizes > 0]
    assert sizes.mean() == pytest.approx(1 / 3, abs=0.01)
    assert (sizes < 0.5).mean() == pytest.approx(0.75, abs=0.01)


def test_features_of_a_module_are_correlated():
    generator = Microarray(n_samples=4000, n_features=60, n_informative=6, n_modules=3)
    drawn = generator.draw(0)
    half = drawn.X[drawn.y == "case"]
    table = np.corrcoef(half, rowvar=False)
    related = np.abs(table) > 0.3
    np.fill_diagonal(related, False)
    assert related.sum() == 3 * 10 * 9
    np.testing.assert_allclose(table[related], 0.6, atol=0.08)
    inside = related.any(axis=0)
    assert (drawn.informative & inside).sum() == 3
    assert (drawn.informative & ~inside).sum() == 3


def test_odd_numbers_of_samples_have_one_case_more():
    assert (Microarray(n_samples=7).draw(0).y == "case").sum() == 4


def test_data_without_modules_and_without_signal_can_be_drawn():
    drawn = Microarray(
        n_samples=4, n_features=3, n_informative=0, n_modules=0, informative_in_modules=0
    ).draw(0)
    assert drawn.X.shape == (4, 3)
    assert not drawn.informative.any()
    assert drawn.feature_names == ("g1", "g2", "g3")


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"n_samples": 1}, "n_samples must be a whole number of at least 2; got 1"),
        ({"n_samples": 10.5}, "n_samples must be a whole number"),
        ({"n_features": 100}, r"must be at most n_features \(100\); got 200"),
        ({"n_informative": 2000}, r"n_informative \(2,000\) is too large: 1,000 of them"),
        ({"n_features": 210, "informative_in_modules": 0}, "must fit into 200 .* into 10 outside"),
        ({"correlation": 1.5}, "correlation must be between 0 and 1"),
        ({"informative_in_modules": -1}, "informative_in_modules must be between 0 and 1"),
        ({"largest_effect": float("nan")}, "largest_effect must be a finite number of at least 0"),
        ({"largest_effect": "x"}, "largest_effect must be a finite number of at least 0; got 'x'"),
        ({"largest_effect": float("inf")}, "largest_effect must be a finite number of at least 0"),
        ({"correlation": None}, "correlation must be between 0 and 1; got None"),
        ({"population": -1}, "population must be a whole number of at least 0"),
    ],
)  # fmt: skip
def test_impossible_populations_are_refused(fields, match):
    with pytest.raises(InvalidInputError, match=match):
        Microarray(**fields)


def test_seeds_must_be_whole_numbers():
    with pytest.raises(InvalidInputError, match="random_state must be a whole number"):
        Microarray().draw(-1)
