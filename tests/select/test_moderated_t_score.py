"""Moderated t and F against values of limma, closed forms and a plain version."""

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from scipy.optimize import brentq
from scipy.special import digamma, polygamma
from sklearn.datasets import load_breast_cancer, load_wine

import holdfast as hf
from holdfast.select._filters._moderated_t_score import invert_trigamma


def plain_prior(variances, d):
    """d0 and s0² by the formulas of Smyth (2004); trigamma is inverted by bisection."""
    e = np.log(variances) - digamma(d / 2) + np.log(d / 2)
    excess = e.var(ddof=1) - polygamma(1, d / 2)
    if excess <= 0:
        return np.inf, variances.mean()
    half = brentq(lambda x: polygamma(1, x) - excess, 1e-6, 1e9, xtol=1e-13, rtol=1e-14)
    return 2 * half, np.exp(e.mean() + digamma(half) - np.log(half))


def plain_scores(X, y):
    classes, counts = np.unique(y, return_counts=True)
    d = len(y) - len(classes)
    means = np.array([X[y == k].mean(axis=0) for k in classes])
    variances = sum(np.square(X[y == k] - X[y == k].mean(axis=0)).sum(axis=0) for k in classes) / d
    prior_d, prior = plain_prior(variances, d)
    posterior = prior if np.isinf(prior_d) else (prior_d * prior + d * variances) / (prior_d + d)
    between = (counts[:, None] * np.square(means - X.mean(axis=0))).sum(axis=0)
    f = between / (len(classes) - 1) / posterior
    return np.sqrt(f) if len(classes) == 2 else f


def genes(n=12, p=300, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p)) * np.sqrt(6 / rng.chisquare(6, p)) + rng.normal(size=p)
    X[:, :20] += y[:, None]
    return X, y


def columns_with_variances(variances):
    """Columns whose pooled variances, with 3 degrees of freedom, are the given ones."""
    pattern = np.array([-1.0, 0.0, 1.0, -0.5, 0.5])  # sum of squares about class means: 2.5
    return pattern[:, None] * np.sqrt(3 / 2.5 * np.asarray(variances)), np.array([0, 0, 0, 1, 1])


def test_t_statistics_equal_limma():
    """Printed by limma's topTable; the data are drawn by scipy, which anyone can repeat."""
    X = scipy.stats.norm.rvs(size=(10, 6), scale=0.3, random_state=42)
    X[0, :2] += 2
    fitted = hf.ModeratedTScore(alpha=0.05).fit(X.T, [0, 0, 0, 1, 1, 1])
    limma = [
        4.69927758, 0.80087790, 0.75544985, 0.25766129, 0.37777834, 0.95274945, 1.48082246,
        0.62687070, 0.22819170, 0.04438754,
    ]  # fmt: skip
    assert fitted.scores_ == pytest.approx(limma, rel=1e-6)
    # near infinity, d0 hangs on the last digits of the variance of the logarithms
    assert fitted.prior_degrees_of_freedom_ == pytest.approx(71047.76, rel=1e-3)
    assert fitted.prior_variance_ == pytest.approx(0.1198481, rel=1e-6)
    p_values = [
        3.070827e-05, 4.279339e-01, 4.544048e-01, 7.979893e-01, 7.075926e-01, 3.464392e-01,
        1.464885e-01, 5.343058e-01, 8.206597e-01, 9.648163e-01,
    ]  # fmt: skip
    assert fitted.pvalues_ == pytest.approx(p_values, rel=1e-6)
    assert fitted.qvalues_[:2] == pytest.approx([0.0003070827, 0.8905096522], rel=1e-6)


def test_p_values_of_several_classes_are_those_of_f():
    X, y = genes(n=15, classes=3)
    fitted = hf.ModeratedTScore(alpha=0.1).fit(X, y)
    prior_d = fitted.prior_degrees_of_freedom_
    expected = scipy.stats.f.sf(plain_scores(X, y), 2, prior_d + 12)
    assert fitted.pvalues_ == pytest.approx(expected, rel=1e-6)


def test_prior_and_shrunk_variances_equal_limma():
    """Printed by limma's squeezeVar(c(0.5, 1.3, 7.8), df = 3)."""
    X, y = columns_with_variances([0.5, 1.3, 7.8])
    X[y == 1] += 2.0
    fitted = hf.ModeratedTScore().fit(X, y)
    assert fitted.prior_degrees_of_freedom_ == pytest.approx(2.830777, rel=1e-6)
    assert fitted.prior_variance_ == pytest.approx(1.676927, rel=1e-6)
    shrunk = np.array([1.071385, 1.482994, 4.827317])
    assert fitted.scores_ == pytest.approx(2.0 / np.sqrt(shrunk * (1 / 3 + 1 / 2)), rel=1e-6)


def test_inverse_of_trigamma():
    """The values that limma's tests print, and its definition."""
    for value, printed in ((1e-6, 1.000000e6), (5, 4.961687e-01), (1e6, 1.000001e-03)):
        assert invert_trigamma(value) == pytest.approx(printed, rel=1e-6)
    for value in np.logspace(-8, 8, 33):
        assert polygamma(1, invert_trigamma(value)) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_scores_equal_the_plain_version(classes):
    X, y = genes(n=16, classes=classes)
    fitted = hf.ModeratedTScore().fit(X, y)
    assert np.isfinite(fitted.prior_degrees_of_freedom_)
    assert fitted.scores_ == pytest.approx(plain_scores(X, y), rel=1e-9)
    X, y = load_wine(return_X_y=True)
    assert hf.ModeratedTScore().fit(X, y).scores_ == pytest.approx(plain_scores(X, y), rel=1e-9)


def test_equal_variances_have_one_common_variance():
    X, y = columns_with_variances([2.0, 2.0, 2.0, 2.0])
    X[y == 1] += [0.0, 1.0, 2.0, 3.0]
    fitted = hf.ModeratedTScore().fit(X, y)
    assert fitted.prior_degrees_of_freedom_ == np.inf
    assert fitted.prior_variance_ == pytest.approx(2.0, rel=1e-12)
    assert fitted.scores_[1:] == pytest.approx(
        np.array([1, 2, 3]) / np.sqrt(2.0 * (1 / 3 + 1 / 2)), rel=1e-12
    )


def test_a_single_feature_has_its_plain_t():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = hf.ModeratedTScore().fit(X[:, :1], y)
    assert fitted.prior_degrees_of_freedom_ == 0
    assert fitted.scores_ == pytest.approx(hf.TScore().fit(X[:, :1], y).scores_, rel=1e-12)


def test_the_prior_is_recovered():
    """20,000 variances from a prior with 10 degrees of freedom around 4."""
    rng = np.random.default_rng(1)
    X = 2 * rng.normal(size=(8, 20_000)) * np.sqrt(10 / rng.chisquare(10, 20_000))
    fitted = hf.ModeratedTScore().fit(X, np.arange(8) % 2)
    assert fitted.prior_degrees_of_freedom_ == pytest.approx(10, rel=0.05)
    assert fitted.prior_variance_ == pytest.approx(4, rel=0.02)


def test_small_variances_by_chance_win_less_often():
    """Of the ten best t-scores on four samples, most have a small variance by chance."""
    X, y = genes(n=4, p=2000, seed=3)
    X[:, :20] += 4 * y[:, None]
    hits = {
        kind: kind(n_features_to_select=20).fit(X, y).get_support()[:20].sum()
        for kind in (hf.TScore, hf.ModeratedTScore)
    }
    assert hits[hf.ModeratedTScore] > hits[hf.TScore]


def test_features_without_variance():
    X, y = genes()
    X[:, 5] = 7.1
    X[:, 6] = y * 2.5 + 1.1
    scores = hf.ModeratedTScore().fit(X, y).scores_
    assert scores[5] == 0
    variances = np.array([X[y == k].var(axis=0, ddof=0) * (y == k).sum() for k in (0, 1)]).sum(0)
    floored = np.maximum(variances / 10, 1e-5 * np.median(variances / 10))
    prior_d, prior = plain_prior(floored, 10)
    t = 2.5 / np.sqrt(prior_d * prior / (prior_d + 10) * (1 / 6 + 1 / 6))
    assert scores[6] == pytest.approx(t, rel=1e-9)


def test_more_than_half_of_the_features_without_variance():
    """The floor follows the variances that are not 0, so the unit does not matter."""
    X, y = genes(p=60)
    X[:, :40] = 3.0
    X[:, 0] = 3.0 + y
    for unit in (1.0, 1e-6):
        fitted = hf.ModeratedTScore().fit(X * unit, y)
        assert (fitted.scores_[1:40] == 0).all()
        assert (fitted.scores_[40:] > 0).all()
        assert fitted.scores_ == pytest.approx(hf.ModeratedTScore().fit(X, y).scores_, rel=1e-9)


def test_all_features_without_variance():
    y = np.repeat([0, 1], 5)
    X = np.column_stack([np.full(10, 2.0), y, -3.0 * y])
    largest = np.finfo(np.float64).max
    assert hf.ModeratedTScore().fit(X, y).scores_.tolist() == [0, largest, largest]


@pytest.mark.parametrize("unit", [1e-160, 1e-300, 1e150])
def test_extreme_units_change_nothing(unit):
    X, y = genes()
    expected = hf.ModeratedTScore().fit(X, y).scores_
    assert hf.ModeratedTScore().fit(X * unit, y).scores_ == pytest.approx(expected, rel=1e-9)


def test_sparse_counts_equal_dense_also_on_resamples(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.8, size=(30, 40)).astype(float)
    y = np.arange(30) % 3
    rows = [rng.integers(0, 30, 30), np.flatnonzero(y != 1)]
    monkeypatch.setattr("holdfast.select._univariate.MAX_BLOCK_ENTRIES", 400)
    many = hf.ModeratedTScore().score_resamples(scipy.sparse.csr_array(X), y, rows).values
    for indices, scores in zip(rows, many, strict=True):
        single = hf.ModeratedTScore().fit(X[indices], y[indices]).scores_
        assert scores == pytest.approx(single, rel=1e-9)
