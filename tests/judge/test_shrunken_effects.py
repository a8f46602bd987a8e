"""Shrunken effects against numerical integration, scipy's t statistic and simulated truth."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from holdfast.errors import InvalidInputError
from holdfast.judge import _effects, effect_sizes, shrunken_effects
from holdfast.judge import _effects as module

NUMBERS = ["observed", "effect", "low", "high"]


def draw(effects, n=60, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    return rng.normal(size=(n, len(effects))) + (codes == 1)[:, None] * effects, codes


@pytest.fixture(name="data")
def some_informative():
    return draw(np.r_[np.full(20, 1.0), np.zeros(380)])


def test_the_observed_effect_is_that_of_effect_sizes(data):
    X, codes = data
    found, plain = shrunken_effects(X, codes, ["a", "b"]), effect_sizes(X, codes, ["a", "b"])
    pd.testing.assert_series_equal(found["observed"], plain["effect"], check_names=False)
    assert found["direction"].tolist() == plain["direction"].tolist()


def test_contrasts_are_t_statistics(data):
    X, codes = data
    contrasts = module._contrasts(module.class_sums(X, codes, 2))
    t = scipy.stats.ttest_ind(X[codes == 1], X[codes == 0]).statistic
    np.testing.assert_allclose((contrasts.effects / contrasts.units)[0], t)
    assert set(contrasts.freedom) == {58}


@pytest.mark.parametrize("noise", [1.0, 1.3])
def test_the_posterior_is_that_of_numerical_integration(noise):
    freedom, scales = 20.0, np.array([0.0, 0.5, 3.0])
    grid = 6.0 * np.linspace(0, 1, 61) ** 2
    counts = np.random.default_rng(0).integers(0, 20, 60).astype(float)
    found = module._posterior(grid, counts, scales, freedom, np.array([noise]))
    density = [
        scipy.stats.t.pdf(grid, freedom, scale=noise * np.sqrt(1 + s**2))[:, None] for s in scales
    ]
    middle = [
        scipy.stats.t.pdf((grid[1:] + grid[:-1]) / 2, freedom, scale=noise * np.sqrt(1 + s**2))[
            :, None
        ]
        for s in scales
    ]
    weights = np.full(3, 1 / 3)
    for _ in range(module.N_STEPS):
        each = np.hstack(middle) * weights
        each /= each.sum(axis=1, keepdims=True)
        weights = (counts @ each + module.PRIOR_COUNT / 3) / (counts.sum() + module.PRIOR_COUNT)
    posterior = np.hstack(density) * weights
    np.testing.assert_allclose(
        found.weights, posterior / posterior.sum(axis=1, keepdims=True), rtol=1e-6
    )
    points = np.linspace(-25, 25, 20001)
    for at in (10, 30, 60):
        t = grid[at] / noise
        for law, scale in enumerate(scales[1:], 1):
            likely = scipy.stats.nct.pdf(t, freedom, points) * scipy.stats.norm.pdf(
                points, 0, scale
            )
            likely /= likely.sum()
            mean = (likely * points).sum()
            spread = np.sqrt((likely * points**2).sum() - mean**2)
            np.testing.assert_allclose(found.means[at, law], noise * mean, rtol=0.005)
            np.testing.assert_allclose(found.deviations[at, law], noise * spread, rtol=0.01)


def test_quantiles_are_those_of_samples():
    weights, means = np.array([[0.3, 0.7]]), np.array([[0.0, 1.0]])
    mixture = module._MixturePosterior(weights, means, np.array([[0.0, 0.5]]))
    assert module._quantile(mixture, 0.1)[0] == 0  # the atom
    low = scipy.stats.norm.ppf(0.01 / 0.7, 1.0, 0.5)
    np.testing.assert_allclose(module._quantile(mixture, 0.01)[0], low, atol=1e-6)
    high = scipy.stats.norm.ppf((0.9 - 0.3) / 0.7, 1.0, 0.5)
    np.testing.assert_allclose(module._quantile(mixture, 0.9)[0], high, atol=1e-6)


def test_the_best_of_noise_have_no_large_effect():
    found = shrunken_effects(*draw(np.zeros(1000)), ["a", "b"])
    best = found.nlargest(10, "observed")
    assert best["observed"].mean() > 0.7
    assert best["effect"].mean() < 0.25
    assert (best["low"] <= 0).all()


def test_strong_effects_are_hardly_shrunken(data):
    found = shrunken_effects(*draw(np.r_[np.full(20, 3.0), np.zeros(380)], n=200), ["a", "b"])
    assert (found["effect"][:20] / found["observed"][:20]).between(0.93, 1).all()
    assert (found["low"][:20] > 2).all()


def test_effects_grow_with_what_is_observed_and_lie_in_their_intervals(data):
    found = shrunken_effects(*data, ["a", "b"]).sort_values("observed")
    assert (found["effect"].diff().dropna() >= -1e-9).all()
    assert (found["low"] <= found["effect"]).all()
    assert (found["effect"] <= found["high"]).all()
    assert (found["effect"] < found["observed"]).all()


def test_names_of_classes_and_the_order_of_features_do_not_matter(data):
    X, codes = data
    found = shrunken_effects(X, codes, ["a", "b"])[NUMBERS]
    turned = shrunken_effects(X[:, ::-1], 1 - codes, ["b", "a"])[NUMBERS][::-1]
    np.testing.assert_allclose(found, turned, rtol=0.02, atol=0.02)  # other halves


def test_blocks_of_features_give_the_same(data, monkeypatch):
    whole = shrunken_effects(*data, ["a", "b"])
    monkeypatch.setattr(_effects, "MAX_BLOCK_CELLS", 60 * 7)
    np.testing.assert_allclose(whole[NUMBERS], shrunken_effects(*data, ["a", "b"])[NUMBERS])


def test_samples_of_subjects_are_shrunken_more():
    rng = np.random.default_rng(3)
    subject = np.repeat(np.arange(16), 5)
    X = rng.normal(size=(16, 300))[subject] + 0.5 * rng.normal(size=(80, 300))
    codes = subject % 2
    plain = shrunken_effects(X, codes, ["a", "b"])
    named = shrunken_effects(X, codes, ["a", "b"], groups=subject)
    best = plain["observed"].nlargest(10).index
    assert plain["low"][best].min() > 0  # five samples of a subject count as five
    assert (named["low"][best] <= 0).mean() > 0.9
    assert named["effect"][best].mean() < 0.5 * plain["effect"][best].mean()


def test_with_three_classes_the_effect_is_towards_the_highest():
    X, codes = draw(np.r_[np.full(30, 1.5), np.zeros(270)], n=120, n_classes=3)
    found = shrunken_effects(X, codes, ["a", "b", "c"])
    assert set(found["direction"][:30]) == {"b"}
    assert found["effect"][:30].mean() == pytest.approx(1.5, abs=0.2)
    assert ((found["low"] <= 1.5) & (found["high"] >= 1.5))[:30].mean() > 0.85
    assert found.nlargest(100, "observed")["effect"][30:].mean() < 0.3


def test_missing_values_are_left_out_and_features_without_spread_have_no_effect(data):
    X, codes = data
    X = X.copy()
    X[::9, 0] = np.nan
    X[:, 1] = 4.2
    X[:, 2] = codes
    found = shrunken_effects(X, codes, ["a", "b"])
    assert found.loc[0, NUMBERS].notna().all()
    assert found.loc[1, NUMBERS].isna().all()
    assert found.loc[2, "observed"] == np.inf
    assert found.loc[2, NUMBERS[1:]].isna().all()


def test_a_class_that_cannot_be_halved_leaves_effects_unknown():
    X, codes = draw(np.zeros(5), n=10)
    codes = (np.arange(10) < 2).astype(int)
    found = shrunken_effects(X, codes, ["a", "b"])
    assert found["observed"].notna().all()
    assert found[NUMBERS[1:]].isna().all(axis=None)
    assert "halves need" in found.attrs["why_none"]


def test_codes_that_name_no_class_are_refused():
    with pytest.raises(InvalidInputError, match="class from 0 to 1"):
        shrunken_effects(np.zeros((3, 2)), np.array([0, 1, 2]), ["a", "b"])
