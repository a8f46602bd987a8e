"""Synthetic features: the threshold that they set, and what exceeds it."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import ttest_ind
from sklearn.datasets import load_diabetes

import holdfast as hf
from holdfast._random import generators
from holdfast.errors import HoldfastError
from holdfast.select._ensemble._stability_parameters import SubsampleDesign
from holdfast.select._ensemble._stability_path import LabelledSamples, draw_halves
from holdfast.select._false_discoveries._synthetic_feature_selection import (
    choose_threshold,
    permute_features,
)


def example(n=100, p=200, informative=20, effect=1.2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :informative] += effect * y[:, None]
    return X, y


def published_rule(real, synthetic, total):
    """The rule of Stabl by hand: FDP+ at each threshold, the first smallest, and the selection."""
    proportion = Fraction(len(synthetic), len(real))
    curve = []
    for percent in range(100):
        threshold = Fraction(percent, 100)
        false = sum(Fraction(int(count), total) > threshold for count in synthetic)
        above = sum(Fraction(int(count), total) > threshold for count in real)
        curve.append((1 + false / proportion) / max(1, above))
    cut = Fraction(1) if min(curve) > 1 else Fraction(curve.index(min(curve)), 100)
    return curve, cut, [Fraction(int(count), total) > cut for count in real]


@pytest.mark.parametrize("total", [100, 64, 10])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("signal", [0, 1, 8])
def test_the_threshold_is_that_of_the_published_rule(total, share, signal):
    rng = np.random.default_rng([total, int(10 * share), signal])
    for _ in range(5):
        real = rng.binomial(total, rng.beta(0.5, 3, size=40))
        real[:signal] = rng.binomial(total, 0.9, size=signal)
        synthetic = rng.binomial(total, rng.beta(0.5, 3, size=int(40 * share)))
        chosen = choose_threshold(real, synthetic, total, None)
        curve, cut, selected = published_rule(real, synthetic, total)
        assert chosen.proportions == pytest.approx([float(one) for one in curve], rel=1e-12)
        assert chosen.threshold == float(cut)
        assert chosen.selected.tolist() == selected
        assert chosen.fdp == pytest.approx(float(min(curve)), rel=1e-12)


def test_a_threshold_by_hand():
    real, synthetic = np.array([10, 9, 8, 3, 1, 0]), np.array([4, 1, 0, 0, 0, 0])
    chosen = choose_threshold(real, synthetic, 10, None)
    # above 0.4 are three real features and no synthetic one
    assert chosen.threshold == 0.4
    assert chosen.fdp == pytest.approx(1 / 3)
    assert chosen.selected.tolist() == [True, True, True, False, False, False]
    # above 0.1 are four and one; above 0 are five and two
    assert chosen.proportions[[0, 10, 99]] == pytest.approx([3 / 5, 2 / 4, 1 / 1])


def test_nothing_is_selected_if_the_least_proportion_is_too_large():
    real, synthetic = np.array([10, 9, 8, 3, 1, 0]), np.array([4, 1, 0, 0, 0, 0])
    kept = choose_threshold(real, synthetic, 10, 0.34)
    assert (kept.threshold, kept.selected.sum()) == (0.4, 3)
    missed = choose_threshold(real, synthetic, 10, 0.3)
    assert (missed.threshold, missed.selected.sum()) == (1.0, 0)
    assert missed.fdp == kept.fdp
    # more synthetic features than real ones are above each threshold
    worse = choose_threshold(np.array([1, 0]), np.array([10, 10]), 10, None)
    assert (worse.threshold, worse.fdp, worse.selected.sum()) == (1.0, 3.0, 0)


def test_synthetic_features_are_permuted_copies():
    X = np.arange(60.0).reshape(12, 5)
    everything = permute_features(X, 5, np.random.default_rng(0))
    assert np.sort(everything, axis=0).tolist() == X.tolist()
    assert (everything != X).any(axis=0).all()
    orders = np.argsort(everything, axis=0)
    assert len({tuple(order) for order in orders.T}) == 5
    some = np.sort(permute_features(X, 3, np.random.default_rng(0)), axis=0)
    assert some.shape == (12, 3)
    assert len(set(some[0])) == 3
    assert set(some[0]) <= set(X[0])


def test_shares_are_those_of_a_loop_over_halves():
    X, y = example(n=40, p=10, informative=2)
    options = {"q": 4, "n_pairs": 8, "max_fdp": None, "random_state": 5}
    fitted = hf.SyntheticFeatureSelection("t_score", **options).fit(X, y)
    generator = next(generators(5, 1))
    seed = int(generator.integers(2**31, size=2)[0])
    both = np.hstack([X, generator.permuted(X, axis=0)])
    data = LabelledSamples(both, y, np.array([0, 1]), None)
    design = SubsampleDesign("complementary pairs", "none", 8)
    picked = np.zeros((16, 20))
    for row, half in zip(picked, draw_halves(data, np.arange(40), design, seed), strict=True):
        first, second = both[half][y[half] == 0], both[half][y[half] == 1]
        sizes = np.abs(ttest_ind(first, second).statistic)
        row[np.argsort(sizes)[-4:]] = 1
    assert fitted.scores_.tolist() == picked[:, :10].mean(axis=0).tolist()
    assert fitted.synthetic_scores_.tolist() == picked[:, 10:].mean(axis=0).tolist()
    assert fitted.selections_.sizes.tolist() == picked[:, :10].sum(axis=1).tolist()
    assert fitted.support_.tolist() == (fitted.scores_ > fitted.threshold_).tolist()
    assert fitted.q_ == 4
    assert fitted.fdp_ == fitted.fdp_curve_.min()


@pytest.mark.slow
def test_informative_features_exceed_the_synthetic_ones():
    X, y = example()
    fitted = hf.SyntheticFeatureSelection(n_pairs=25).fit(X, y)
    assert fitted.support_[:20].sum() >= 17
    assert fitted.support_[20:].sum() <= 5
    assert fitted.q_ == 20
    assert fitted.synthetic_scores_.shape == (200,)
    assert fitted.fdp_ <= 0.2
    strict = hf.SyntheticFeatureSelection(n_pairs=25, max_fdp=0.01).fit(X, y)
    assert strict.support_.sum() == 0
    assert strict.scores_.tolist() == fitted.scores_.tolist()
    few = hf.SyntheticFeatureSelection(n_pairs=25, proportion=0.25).fit(X, y)
    assert few.synthetic_scores_.shape == (50,)
    assert few.support_[:20].sum() >= 15
    fixed = hf.SyntheticFeatureSelection(n_pairs=5, n_features_to_select=7).fit(X, y)
    assert fixed.support_.sum() == 7
    assert fitted.selects_own_size
    assert not fixed.selects_own_size


@pytest.mark.slow
def test_of_noise_almost_nothing_is_selected():
    strict, free = 0, 0
    for seed in range(20):
        X, y = example(n=60, informative=0, seed=seed)
        fitted = hf.SyntheticFeatureSelection("t_score", n_pairs=25, max_fdp=None).fit(X, y)
        free += int(fitted.support_.any())
        strict += int(fitted.fdp_ <= 0.2)
    # five real features must come before all synthetic ones: probability 1/32 at each length
    assert strict <= 3
    assert free >= 15  # the published rule selects whenever the estimate is at most 1


def test_numbers_are_regressed_on():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    lasso = hf.L1Path(family="gaussian")
    fitted = hf.SyntheticFeatureSelection(lasso, max_fdp=0.5, n_pairs=10).fit(X, y)
    assert {"bmi", "s5"} <= set(fitted.get_feature_names_out())
    assert set(fitted.stability_path_.features) <= set(X.columns)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"proportion": 0}, "proportion must be a number above 0 and up to 1"),
        ({"proportion": 1.5}, "proportion must be"),
        ({"max_fdp": 1.5}, "max_fdp must be a number above 0 and up to 1"),
        ({"q": 0}, "q must be a whole number"),
        ({"n_pairs": 0}, "n_pairs must be"),
        ({"base": "dense_groups"}, "ranks features"),
    ],
)
def test_unusable_parameters_are_refused(options, words):
    X, y = example(n=24, p=5, informative=1)
    with pytest.raises(HoldfastError, match=words):
        hf.SyntheticFeatureSelection(**options).fit(X, y)
