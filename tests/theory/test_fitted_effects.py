"""Effects fitted to scores."""

import time

import numpy as np
import pytest

from holdfast.errors import InvalidInputError
from holdfast.theory import TriangularEffects, expected_stability, fit_effects
from tests.theory import exact


def fitted(effects, n, seed=0, **how):
    scores = exact.draw_scores(np.random.default_rng(seed), (n, n), effects, 1)[0]
    return fit_effects(scores, n_per_class=n, **how)


def test_the_mean_of_squared_effects_is_found():
    truth = TriangularEffects(largest=0.6).effects(20_000)
    mixture = fitted(truth, 50)
    assert mixture.weights.sum() == pytest.approx(1)
    assert mixture.weights @ mixture.effects**2 == pytest.approx((truth**2).mean(), rel=0.05)


def test_two_points_are_distinguished():
    mixture = fitted(np.repeat([0.0, 0.5], [9500, 500]), 100)
    large = mixture.effects > 0.25
    assert mixture.weights[large].sum() == pytest.approx(0.05, abs=0.005)
    assert np.average(mixture.effects[large], weights=mixture.weights[large]) == pytest.approx(
        0.5, abs=0.03
    )


def test_more_steps_are_more_likely():
    truth = TriangularEffects(largest=0.6).effects(2000)
    few, many = (fitted(truth, 50, n_steps=steps).weights for steps in (5, 2000))
    assert (many > 1e-6).sum() < (few > 1e-6).sum()


@pytest.mark.parametrize(
    ("truth", "d"),
    [
        (TriangularEffects(largest=0.5).effects(10_000), 200),
        (np.repeat([0.0, 0.4], [9800, 200]), 200),
    ],
)
def test_stability_is_predicted(truth, d):
    """With many features, one sample tells what samples of its size, and larger ones, find."""
    mixtures = [fitted(truth, 40, seed) for seed in range(4)]
    setting = {"n_features": 10_000, "n_selected": d}
    for n, near in ((40, 0.05), (80, 0.08)):
        wanted, *found = (
            expected_stability("nogueira", n_per_class=n, effect=effect, **setting)
            for effect in (truth, *mixtures)
        )
        assert np.mean(found) == pytest.approx(wanted, abs=near)


def test_scores_of_any_kind_can_be_fitted():
    for scores in ([2.5], [0.0], [0.0, 0.0], [np.nan, -3.0], [np.inf, 1.0], [1e30, -1.0]):
        mixture = fit_effects(scores, n_per_class=(2, 3))
        assert np.isfinite(mixture.effects).all()
        assert mixture.weights.sum() == pytest.approx(1)
    signed = np.random.default_rng(1).normal(size=500)
    one, other = (fit_effects(t, n_per_class=20) for t in (signed, np.abs(signed)))
    assert one.to_frame().equals(other.to_frame())


def test_a_constant_feature_changes_nothing():
    scores = np.random.default_rng(1).normal(size=50)
    one, other = (fit_effects(t, n_per_class=9) for t in (scores, np.append(scores, np.nan)))
    assert one.to_frame().equals(other.to_frame())


@pytest.mark.parametrize("scores", [[], [np.nan], [[1.0, 2.0]], "abc", 3.0])
def test_what_are_no_scores_is_refused(scores):
    with pytest.raises(InvalidInputError, match="t_scores must be"):
        fit_effects(scores, n_per_class=9)


def test_many_features_are_fast():
    truth = TriangularEffects(largest=0.5).effects(20_000)
    start = time.process_time()
    fitted(truth, 50)
    assert time.process_time() - start < 1.0
