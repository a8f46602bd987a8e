"""t-score and F statistic against scipy and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import f_classif

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError

LARGEST = np.finfo(np.float64).max


def naive_t(x, y, variance):
    """The largest score of one class against the rest, from means and variances."""
    classes = np.unique(y)
    best = 0.0
    for label in classes[:1] if len(classes) == 2 else classes:
        one, rest = x[y == label], x[y != label]
        if variance == "squared":
            score = (one.mean() - rest.mean()) ** 2 / (one.var(ddof=1) + rest.var(ddof=1))
        else:
            score = abs(scipy.stats.ttest_ind(one, rest, equal_var=variance == "pooled").statistic)
        best = max(best, score)
    return best


@pytest.mark.parametrize("variance", ["pooled", "welch", "squared"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_t_score_on_real_data(load, variance):
    X, y = load(return_X_y=True)
    got = hf.TScore(variance=variance).fit(X, y).scores_
    assert got == pytest.approx([naive_t(column, y, variance) for column in X.T], rel=1e-10)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_f_score_equals_scikit_learn(load):
    X, y = load(return_X_y=True)
    assert hf.FScore().fit(X, y).scores_ == pytest.approx(f_classif(X, y)[0], rel=1e-10)


def test_two_classes_f_is_t_squared():
    X, y = load_breast_cancer(return_X_y=True)
    t, f = hf.TScore().fit(X, y).scores_, hf.FScore().fit(X, y).scores_
    assert f == pytest.approx(t**2, rel=1e-12)


@pytest.mark.filterwarnings(
    "ignore:Precision loss occurred:RuntimeWarning"  # scipy, of small tied samples
)
@given(data=st.data(), dtype=st.sampled_from([np.float64, np.float32, np.int64]))
def test_random_and_tied_data_equal_the_naive_scores(data, dtype):
    n, p = data.draw(st.integers(6, 20)), 4
    seed = data.draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    y = np.concatenate(([0, 0, 1, 1, 2, 2], rng.integers(0, 3, n - 6)))
    X = (10 * rng.normal(size=(n, p))).astype(dtype)
    for variance in ("pooled", "welch"):
        got = hf.TScore(variance=variance).fit(X, y).scores_
        with np.errstate(all="ignore"):
            expected = np.array([naive_t(x.astype(float), y, variance) for x in X.T])
        usable = np.isfinite(expected) & (expected < 1e5)
        assert got[usable] == pytest.approx(expected[usable], rel=1e-9, abs=1e-9)
        assert np.isfinite(got).all()


def test_large_means_cost_no_digits():
    X, y = load_wine(return_X_y=True)
    shifted = X + 1e9 * (np.arange(X.shape[1]) % 2)
    expected = hf.FScore().fit(shifted - shifted.mean(axis=0), y).scores_
    assert hf.FScore().fit(shifted, y).scores_ == pytest.approx(expected, rel=1e-9)
    rows = [np.random.default_rng(s).integers(0, len(y), len(y)) for s in range(3)]
    many = hf.FScore().score_resamples(shifted, y, rows).values
    for own, row in zip(rows, many, strict=True):
        assert row == pytest.approx(hf.FScore().fit(shifted[own], y[own]).scores_, rel=1e-9)


@pytest.mark.parametrize("make", [hf.FScore, hf.TScore, lambda: hf.TScore(variance="welch")])
def test_constant_features_score_lowest_and_perfect_ones_highest(make):
    y = np.repeat([0, 1], 10)
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(20, 7.3), y * 2.5 + 1.1, rng.normal(size=20), np.zeros(20)])
    scores = make().fit(X, y).scores_
    assert scores[[0, 3]].tolist() == [0, 0]
    assert scores[1] == LARGEST
    assert np.isfinite(scores).all()
    # constant in the resample only
    X[0] += 1
    scores = make().score_resamples(X, y, [np.arange(1, 20)]).values[0]
    assert scores[[0, 3]].tolist() == [0, 0]


@pytest.mark.parametrize("make", [hf.FScore, hf.TScore, lambda: hf.TScore(variance="welch")])
def test_far_rows_left_out_of_a_resample_cost_no_digits(make):
    """Row 0 and a third class lie far away; the resample holds neither."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = np.arange(60) % 2
    for far in (1e5, 1e8, 1e12):
        X[0] = far
        labels = y.copy()
        labels[50:] = 2
        X[50:] += far
        rows = [np.arange(1, 50), rng.integers(1, 50, 80)]
        many = make().score_resamples(X, labels, rows).values
        for own, row in zip(rows, many, strict=True):
            assert row == pytest.approx(make().fit(X[own], labels[own]).scores_, rel=1e-10)
        X[50:] -= far


@pytest.mark.parametrize("make", [hf.FScore, hf.TScore, lambda: hf.TScore(variance="welch")])
@pytest.mark.parametrize("unit", [1e-310, 1e-170, 1e160, 1e300])
def test_extreme_units_change_nothing(make, unit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 3
    expected = make().fit(X, y).scores_
    assert make().fit(X * unit, y).scores_ == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("gap", [1e3, 1e6, 1e9])
def test_classes_far_apart_are_exact(gap):
    """Spread 1 within classes: t follows from whole numbers."""
    x = np.array([0, 1, 2, gap, gap + 1, gap + 2])[:, None]
    y = np.repeat([0, 1], 3)
    t = gap / np.sqrt(1 * (1 / 3 + 1 / 3))
    assert hf.TScore().fit(x, y).scores_[0] == pytest.approx(t, rel=1e-12)
    assert hf.TScore(variance="welch").fit(x, y).scores_[0] == pytest.approx(t, rel=1e-12)
    assert hf.TScore(variance="squared").fit(x, y).scores_[0] == pytest.approx(gap**2 / 2)
    assert hf.FScore().fit(x, y).scores_[0] == pytest.approx(t**2, rel=1e-12)


@pytest.mark.parametrize("make", [hf.FScore, hf.TScore, lambda: hf.TScore(variance="squared")])
def test_sparse_counts_equal_dense(make):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, size=(40, 30))
    y = np.arange(40) % 3
    dense = make().fit(X.astype(float), y)
    for container in (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array):
        sparse = make().fit(container(X), y)
        assert sparse.scores_ == pytest.approx(dense.scores_, rel=1e-9)
    rows = [rng.integers(0, 40, 40) for _ in range(3)]
    many = make().score_resamples(scipy.sparse.csr_array(X), y, rows).values
    assert many == pytest.approx(make().score_resamples(X, y, rows).values, rel=1e-9)


def test_blocks_do_not_matter(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    rows = [np.random.default_rng(s).integers(0, len(y), len(y)) for s in range(5)]
    whole = hf.TScore().score_resamples(X, y, rows).values
    monkeypatch.setattr("holdfast.select._univariate.MAX_BLOCK_ENTRIES", 4000)
    assert hf.TScore().score_resamples(X, y, rows).values == pytest.approx(whole, rel=1e-12)


def test_memory_map_is_read_in_blocks(tmp_path):
    rng = np.random.default_rng(0)
    mapped = np.memmap(tmp_path / "x.bin", dtype=np.float32, mode="w+", shape=(20, 3000))
    mapped[:] = rng.normal(size=mapped.shape)
    y = np.arange(20) % 2
    expected = f_classif(np.asarray(mapped, dtype=float), y)[0]
    assert hf.FScore().fit(mapped, y).scores_ == pytest.approx(expected, rel=1e-9)


def test_bad_parameters_and_rows():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(UnknownNameError, match="'welch'"):
        hf.TScore(variance="welsh").fit(X, y)
    with pytest.raises(InvalidInputError, match="at least one resample"):
        hf.TScore().score_resamples(X, y, [])
    with pytest.raises(InvalidInputError, match="resample 1 must be row numbers from 0 to 177"):
        hf.TScore().score_resamples(X, y, [np.arange(178), [200]])
    for odd in (np.arange(178) < 90, np.array([0.5, 1.5]), "ab", 5):
        with pytest.raises(InvalidInputError, match=r"for a mask use np\.flatnonzero"):
            hf.TScore().score_resamples(X, y, [odd])
    with pytest.raises(InvalidInputError, match=r"single sample.*Draw stratified resamples"):
        hf.TScore().score_resamples(X, y, [[0, 1, 2, 150]])
    with pytest.raises(InvalidInputError, match="n_features_to_select as a count"):
        hf.TScore(n_features_to_select=99).fit(X, y)
    with pytest.raises(InvalidInputError, match="resample 0 holds one class only"):
        hf.TScore().score_resamples(X, y, [[0, 1, 2]])
