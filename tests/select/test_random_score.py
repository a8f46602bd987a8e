"""Random scores: uniform, seeded, blind to the data."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.utils.estimator_checks import check_estimator

from holdfast._random import generators
from holdfast.select._random_baselines import RandomScore

Y = np.repeat([0, 1, 2], 4)


def data(p: int = 50, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(Y), p))


def test_scores_are_uniform_and_do_not_depend_on_the_data():
    wide = RandomScore().fit(data(5000), Y).scores_
    assert stats.kstest(wide, "uniform").pvalue > 0.01
    np.testing.assert_array_equal(wide, RandomScore().fit(data(5000, seed=2), Y[::-1]).scores_)
    assert np.corrcoef(wide[1:], wide[:-1])[0, 1] == pytest.approx(0, abs=0.05)


def test_ranking_follows_the_scores_and_the_subset_the_ranking():
    fitted = RandomScore(n_features_to_select=7).fit(data(), Y)
    np.testing.assert_array_equal(fitted.ranking_, stats.rankdata(-fitted.scores_))
    assert set(np.flatnonzero(fitted.support_)) == set(np.argsort(-fitted.scores_)[:7])


def test_seeds():
    first = RandomScore(random_state=3).fit(data(), Y).scores_
    np.testing.assert_array_equal(first, RandomScore(random_state=3).fit(data(), Y).scores_)
    assert (first != RandomScore(random_state=4).fit(data(), Y).scores_).all()
    unseeded = [RandomScore(random_state=None).fit(data(), Y).scores_ for _ in range(2)]
    assert (unseeded[0] != unseeded[1]).all()


def test_each_resample_has_scores_of_its_own_equal_to_single_fits():
    rows = [np.arange(12), np.repeat([0, 1, 4, 5], 3), np.arange(8)]
    batch = np.asarray(RandomScore(random_state=5).score_resamples(data(), Y, rows))
    single = RandomScore(random_state=5).fit(data()[rows[0]], Y[rows[0]])
    np.testing.assert_array_equal(batch[0], single.scores_)
    for scores, generator in zip(batch, generators(5, 3), strict=True):
        np.testing.assert_array_equal(scores, single._score(data(), Y, generator))
    assert abs(np.corrcoef(batch) - np.eye(3)).max() < 0.5


def test_missing_values_constant_columns_and_sparse_data_change_nothing():
    expected = RandomScore().fit(data(), Y).scores_
    holes = data()
    holes[::2, 0] = np.nan
    holes[:, 1] = 3.0
    for X in (holes, sparse.csr_array(data()), data().astype(np.float32)):
        np.testing.assert_array_equal(RandomScore().fit(X, Y).scores_, expected)


def test_estimator_checks():
    results = check_estimator(RandomScore(), on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {
        "check_array_api_input"
    }
    assert len(results) >= 45
