"""Data splitting agrees with the formulas of its paper, computed by hand and step by step."""

import numpy as np
import pytest
from scipy.stats import f_oneway, ttest_ind
from sklearn.linear_model import Lasso, LinearRegression

import holdfast as hf
from holdfast._random import generators
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample import ComplementaryHalves
from holdfast.select import HalfEffects, discover
from holdfast.select._false_discoveries._lasso_effects import (
    class_indicators,
    lasso_coefficients,
    lasso_effects,
    refit,
)
from holdfast.select._false_discoveries._mirror_statistics import mirror_cut, t_effects


def two_classes(seed, n=80, p=60, informative=15, shift=1.2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :informative] += shift * y[:, None]
    return X, y


def naive_split_selection(mirror, fdr, offset):
    """Try every cut, as the definition says."""
    for cut in sorted({0.0, *(abs(m) for m in mirror)}):
        above = sum(m > cut for m in mirror)
        below = sum(m < -cut for m in mirror)
        if above and (offset + below) / above <= fdr + 1e-12:
            return [m > cut for m in mirror]
    return [False] * len(mirror)


def naive_discoveries(table, fdr, offset):
    """Average the inclusion rates, and drop values from below while their sum is at most fdr."""
    chosen = [naive_split_selection(list(row), fdr, offset) for row in table]
    rates = [
        sum(row[j] / max(1, sum(row)) for row in chosen) / len(chosen) for j in range(len(table[0]))
    ]
    cut = 0.0
    for value in sorted({round(rate, 12) for rate in rates}):
        if sum(rate for rate in rates if rate <= value + 1e-12) <= fdr + 1e-12:
            cut = value
    return [rate > cut + 1e-12 for rate in rates], rates


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("seed", range(10))
def test_discoveries_equal_the_definition(seed, offset):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(7, 40))
    table[:, :12] += 3.0
    table = table.round(1)  # ties, and zeros
    for fdr in (0.1, 0.25):
        found = discover(table, fdr, offset)
        support, rates = naive_discoveries(table.tolist(), fdr, offset)
        assert found.support.tolist() == support
        np.testing.assert_allclose(found.inclusion_rates, rates, atol=1e-11)
        assert found.selections.tolist() == [
            naive_split_selection(row, fdr, offset) for row in table.tolist()
        ]


def test_cut_of_a_small_example():
    # above 2.5: 3, 4, 5, 6; below -2.5: none. Above 2.0: the same, and -2.5 is counted
    statistics = np.array([6.0, 5.0, 4.0, 3.0, -2.5, 2.0, 0.0])
    assert mirror_cut(statistics, 0.25, 1) == 2.5
    assert mirror_cut(statistics, 0.25, 0) == 0.0  # 1 of 5 is negative
    assert mirror_cut(statistics, 0.1, 1) == np.inf
    assert mirror_cut(np.zeros(3), 0.5, 0) == np.inf


def test_rates_of_a_small_example():
    # the rates are 0.5, 0.5, 0.25, 0.25 x 2 / 2 and so on
    table = np.array([[9.0, 8, 0, 0], [9, 8, 7, 6]])
    found = discover(table, 0.3, 0)
    np.testing.assert_allclose(found.inclusion_rates, [0.375, 0.375, 0.125, 0.125])
    assert found.support.tolist() == [True, True, False, False]  # 0.125 + 0.125 are dropped
    assert discover(table, 0.2, 0).support.all()  # features of one rate stay together


def test_levels_that_rounding_moves_are_kept():
    # 29 of 100 is 0.29, although 0.29 * 100 is less than 29 in floating-point numbers
    statistics = np.concatenate([np.full(100, 2.0), np.full(29, -2.0), [-1.0]])
    assert mirror_cut(statistics, 0.29, 0) == 1.0


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_effects_are_standardised_differences_of_means(classes):
    rng = np.random.default_rng(classes)
    y = rng.permutation(np.arange(48) % classes)
    X = 1e6 + rng.normal(size=(48, 9)) + y[:, None] * np.linspace(0, 1, 9)
    halves = list(rng.permutation(48).reshape(2, 24))
    effects = t_effects(X, y, halves)
    vectors = []
    for rows, size in zip(halves, (effects.first[0], effects.second[0]), strict=True):
        parts = [X[rows][y[rows] == k] for k in range(classes)]
        F = f_oneway(*parts).statistic
        np.testing.assert_allclose(size, np.sqrt((classes - 1) * F), rtol=1e-8)
        grand = X[rows].mean(axis=0)
        vectors.append([np.sqrt(len(part)) * (part.mean(axis=0) - grand) for part in parts])
        if classes == 2:
            t = ttest_ind(parts[1], parts[0]).statistic
            np.testing.assert_allclose(size, np.abs(t), rtol=1e-8)
    inner = (np.array(vectors[0]) * vectors[1]).sum(axis=0)
    np.testing.assert_array_equal(np.sign(effects.agreement[0]), np.sign(inner))


def test_mirror_statistics_of_a_small_example():
    effects = HalfEffects(*np.array([[[1.0, -2.0, 0.0]], [[3.0, 1.0, 2.0]], [[2.0, 4.0, 5.0]]]))
    assert effects.mirror_statistics("sum").tolist() == [[5.0, -5.0, 0.0]]
    assert effects.mirror_statistics("product").tolist() == [[6.0, -4.0, 0.0]]
    assert effects.mirror_statistics("minimum").tolist() == [[2.0, -1.0, 0.0]]
    with pytest.raises(UnknownNameError, match="mirror"):
        effects.mirror_statistics("mean")


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def test_lasso_coefficients_are_those_of_scikit_learn():
    X, y = two_classes(5)
    rows = np.arange(0, 80, 2)
    target = np.where(y[rows] == y[rows[0]], 1.0, 0.0)
    target[::3] = 1.0 - target[::3]
    targets = np.zeros((1, 80))
    targets[0, rows] = target
    (found,) = lasso_coefficients(X, targets, rows, 6)
    active = np.flatnonzero(found)
    assert 1 <= len(active) <= 6
    Z, centred = standardised(X[rows]), target - target.mean()
    # the penalty follows from the optimality conditions: the slope of every active feature
    slopes = Z.T @ (centred - Z @ found) / len(rows)
    penalty = np.abs(slopes[active]).mean()
    expected = Lasso(alpha=penalty, tol=1e-12, max_iter=100_000).fit(Z, target).coef_
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_refit_is_least_squares_on_the_features_of_the_lasso():
    X, y = two_classes(6)
    rows, features = np.arange(40, 80), np.array([3, 17, 40])
    (found,) = refit(X, class_indicators(y), rows, features)
    expected = LinearRegression().fit(standardised(X[rows][:, features]), y[rows]).coef_
    np.testing.assert_allclose(found[features], expected, rtol=1e-9)
    assert np.count_nonzero(found) == 3


def test_lasso_effects_come_from_their_halves():
    X, y = two_classes(7)
    halves = [np.arange(40), np.arange(40, 80), np.arange(0, 80, 2), np.arange(1, 80, 2)]
    halves[2:] = [np.r_[0:20, 40:60], np.r_[20:40, 60:80]]
    effects = lasso_effects(X, y, halves, 8)
    for split in range(2):
        one, other = halves[2 * split : 2 * split + 2]
        selected = lasso_coefficients(X, class_indicators(y), one, 8)[0]
        fitted = refit(X, class_indicators(y), other, np.flatnonzero(selected))[0]
        np.testing.assert_array_equal(effects.first[split], np.abs(selected))
        np.testing.assert_array_equal(effects.second[split], np.abs(fitted))
        np.testing.assert_array_equal(np.sign(effects.agreement[split]), np.sign(selected * fitted))


@pytest.mark.parametrize("mirror", ["sum", "product", "minimum"])
def test_the_selector_equals_its_steps(mirror):
    X, y = two_classes(8)
    fitted = hf.DataSplitting(fdr=0.15, n_splits=6, mirror=mirror, random_state=3).fit(X, y)
    seed = int(next(generators(3, 1)).integers(2**31))
    halves = [half.train for half in ComplementaryHalves(6).draw(y, random_state=seed)]
    combine = {"sum": np.add, "product": np.multiply, "minimum": np.minimum}[mirror]
    table = []
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        t = [ttest_ind(X[r][y[r] == 1], X[r][y[r] == 0]).statistic for r in (one, other)]
        table.append(np.sign(t[0] * t[1]) * combine(*np.abs(t)))
    np.testing.assert_allclose(fitted.mirror_statistics_, table, rtol=1e-9)
    support, rates = naive_discoveries(np.array(table).tolist(), 0.15, 1)
    assert fitted.support_.tolist() == support
    np.testing.assert_allclose(fitted.inclusion_rates_, rates, atol=1e-11)
    np.testing.assert_array_equal(fitted.scores_, fitted.inclusion_rates_)
    assert fitted.selections_.sizes.tolist() == [
        sum(naive_split_selection(list(row), 0.15, 1)) for row in table
    ]


@pytest.mark.parametrize("statistic", ["t_score", "l1_path"])
def test_pure_noise_gives_no_discoveries(statistic):
    selected = [
        hf.DataSplitting(statistic=statistic, n_splits=20)
        .fit(*two_classes(seed, n=60, p=300, informative=0))
        .support_.any()
        for seed in range(20)
    ]
    assert sum(selected) <= 1


@pytest.mark.parametrize("statistic", ["t_score", "l1_path"])
def test_effects_are_discovered(statistic):
    X, y = two_classes(9, n=200, p=300, informative=20, shift=1.0)
    support = hf.DataSplitting(0.2, statistic=statistic, n_splits=20).fit(X, y).support_
    assert support[:20].sum() >= 15
    assert support[20:].sum() <= 6


def test_without_offset_noise_is_selected():
    X, y = two_classes(10, p=200, informative=0)
    assert not hf.DataSplitting(n_splits=5).fit(X, y).support_.any()
    assert hf.DataSplitting(n_splits=5, offset=0).fit(X, y).support_.any()


@pytest.mark.parametrize("statistic", ["t_score", "l1_path"])
def test_signs_and_names_of_classes_do_not_matter(statistic):
    X, y = two_classes(11)
    make = hf.DataSplitting(statistic=statistic, n_splits=4)
    first = make.fit(X, y).mirror_statistics_.copy()
    second = make.fit(-X, np.array(["a", "b"])[y]).mirror_statistics_
    np.testing.assert_allclose(first, second, rtol=1e-7, atol=1e-12)


def test_splits_keep_subjects_together():
    # copies of 20 samples look like 80: halves that share them agree on noise
    X, y = two_classes(12, n=20, p=400, informative=0)
    X, y, subjects = np.repeat(X, 4, axis=0), np.repeat(y, 4), np.repeat(np.arange(20), 4)
    assert hf.DataSplitting().fit(X, y).support_.sum() > 20
    assert not hf.DataSplitting().fit(X, y, groups=subjects).support_.any()


def test_a_size_can_be_requested():
    X, y = two_classes(13)
    fitted = hf.DataSplitting(n_features_to_select=4).fit(X, y)
    assert fitted.support_.sum() == 4
    assert not fitted.selects_own_size
    assert hf.DataSplitting().selects_own_size


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fdr": 0}, "fdr must be a number above 0"),
        ({"fdr": 1.0}, "fdr must be a number above 0"),
        ({"offset": 2}, "offset must be 0 or 1"),
        ({"offset": -1}, "offset must be"),
        ({"n_splits": 0}, "n_splits must be"),
        ({"statistic": "l1_path", "max_features": 39}, "max_features must leave samples"),
        ({"max_features": 0}, "max_features must be"),
    ],
)
def test_unusable_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        hf.DataSplitting(**parameters).fit(*two_classes(14))


def test_unknown_statistic_is_refused():
    with pytest.raises(UnknownNameError, match=r"unknown statistic 'l1_pat'.*'l1_path'"):
        hf.DataSplitting(statistic="l1_pat").fit(*two_classes(14))


def test_small_classes_are_refused():
    X, _ = two_classes(15)
    with pytest.raises(InvalidInputError, match="every class"):
        hf.DataSplitting().fit(X, np.arange(80) < 3)
