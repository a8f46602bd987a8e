"""Rank sum statistics against scipy."""

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine

import holdfast as hf


def scipy_z(x, y):
    """|z| from the p-value of scipy's test, whose square is Kruskal and Wallis' H."""
    test = scipy.stats.mannwhitneyu(x[y == 0], x[y == 1], use_continuity=False, method="asymptotic")
    return scipy.stats.norm.isf(test.pvalue / 2)


def test_two_classes_equal_mannwhitneyu():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:100], y[:100]  # p-values above the smallest double
    got = hf.WilcoxonScore().fit(X, y).scores_
    assert got == pytest.approx([scipy_z(x, y) for x in X.T], rel=1e-9)


def test_three_classes_equal_kruskal():
    X, y = load_wine(return_X_y=True)
    expected = [scipy.stats.kruskal(*(x[y == k] for k in range(3))).statistic for x in X.T]
    assert hf.WilcoxonScore().fit(X, y).scores_ == pytest.approx(expected, rel=1e-12)


@given(
    data=st.data(),
    values=st.sampled_from([2, 5, 1000]),
    kind=st.sampled_from([np.asarray, scipy.sparse.csc_array, scipy.sparse.csr_matrix]),
)
def test_tied_and_sparse_values_equal_kruskal(data, values, kind):
    """Few values tie often; negative ones lie below the zeros that sparse data do not store."""
    n = data.draw(st.integers(6, 25))
    classes = data.draw(st.integers(2, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    y = np.concatenate(
        [np.repeat(np.arange(classes), 2), rng.integers(0, classes, n - 2 * classes)]
    )
    X = rng.integers(-values, values + 1, size=(n, 6)) * (rng.random((n, 6)) < 0.6)
    X[:, 0] = abs(X[:, 0]) + 1  # no zeros
    X[:, 1] = -abs(X[:, 1])
    X[:, 2] = 3
    got = hf.WilcoxonScore().fit(kind(X.astype(float)), y).scores_
    for x, score in zip(X.T, got, strict=True):
        if np.ptp(x) == 0:
            assert score == 0
        else:
            h = scipy.stats.kruskal(*(x[y == k] for k in range(classes))).statistic
            assert (score**2 if classes == 2 else score) == pytest.approx(h, rel=1e-9, abs=1e-9)


def test_p_values_equal_those_of_scipy():
    X, y = load_wine(return_X_y=True)
    X = X + 5 * np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0)
    expected = [scipy.stats.kruskal(*(x[y == k] for k in range(3))).pvalue for x in X.T]
    assert hf.WilcoxonScore(alpha=0.1).fit(X, y).pvalues_ == pytest.approx(expected, rel=1e-9)
    X, y = X[y < 2], y[y < 2]
    test = scipy.stats.mannwhitneyu(X[y == 0], X[y == 1], use_continuity=False, method="asymptotic")
    assert hf.WilcoxonScore(alpha=0.1).fit(X, y).pvalues_ == pytest.approx(test.pvalue, rel=1e-9)


def test_separated_classes_have_the_largest_score():
    y = np.repeat([0, 1, 2], [3, 4, 5])
    X = np.column_stack([np.array([5.0, -1.0, 2.0])[y], np.arange(12.0)])
    scores = hf.WilcoxonScore().fit(X, y).scores_
    assert scores[0] == pytest.approx(11, rel=1e-12)
    assert scores[1] < 11
    two = y > 0
    assert hf.WilcoxonScore().fit(X, two).scores_.max() <= np.sqrt(11)


def test_monotone_transformations_and_outliers_change_nothing():
    X, y = load_wine(return_X_y=True)
    expected = hf.WilcoxonScore().fit(X, y).scores_
    assert hf.WilcoxonScore().fit(np.log(X) ** 3, y).scores_.tolist() == expected.tolist()
    X[X.argmax(axis=0), np.arange(13)] = 1e300
    assert hf.WilcoxonScore().fit(X, y).scores_ == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array])
def test_resamples_equal_fits_also_where_a_class_is_left_out(kind):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1.0, size=(40, 8)).astype(float), np.arange(40) % 3
    rows = [rng.integers(0, 40, 40), np.flatnonzero(y != 1), rng.permutation(40)[:20]]
    many = hf.WilcoxonScore().score_resamples(kind(X), y, rows).values
    for indices, scores in zip(rows, many, strict=True):
        single = hf.WilcoxonScore().fit(X[indices], y[indices]).scores_
        assert scores.tolist() == single.tolist()


def test_blocks_do_not_matter(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    whole = hf.WilcoxonScore().fit(X, y).scores_
    monkeypatch.setattr("holdfast.select._filters._wilcoxon_score.MAX_BLOCK_ENTRIES", 4 * len(y))
    assert hf.WilcoxonScore().fit(X, y).scores_.tolist() == whole.tolist()
