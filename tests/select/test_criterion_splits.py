"""Splits of a search: weights of right predictions, scales of training parts."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

from holdfast.select._search._criterion import CriterionSplits


@pytest.fixture
def split_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 7)) * 10.0 ** np.arange(-3, 4)
    X[:, 0] = 0.1  # constant, and its mean is rounded
    X[:, 1] += 1e9
    X[:12, 2] = 3.0  # constant in the first training part alone
    X[:, 3] = 1e12
    y = np.arange(30) % 3
    return CriterionSplits(
        X, y, [(np.arange(12), np.arange(12, 30)), (np.arange(5, 30), np.arange(5))]
    )


def test_scales_are_those_of_scikit_learn(split_data):
    means, deviations = split_data.scales()
    for (train, _), mean, deviation in zip(split_data.splits, means, deviations, strict=True):
        peer = StandardScaler().fit(split_data.X[train])
        np.testing.assert_allclose(mean, peer.mean_, rtol=1e-13)
        np.testing.assert_allclose(deviation, peer.scale_, rtol=1e-7)
        np.testing.assert_array_equal(deviation == 1.0, peer.scale_ == 1.0)


def test_rows_of_all_splits_follow_each_other(split_data):
    assert split_data.train.rows.tolist() == [*range(12), *range(5, 30)]
    assert split_data.train.starts.tolist() == [0, 12, 37]
    assert split_data.test.starts.tolist() == [0, 18, 23]


def test_weights_sum_to_the_score_of_a_split(split_data):
    said = np.random.default_rng(1).integers(3, size=30)
    right = np.concatenate([said[test] == split_data.y[test] for _, test in split_data.splits])
    plain, balanced = (split_data.weights(balanced=flag) * right for flag in (False, True))
    for s, (_, test) in enumerate(split_data.splits):
        part = slice(*split_data.test.starts[s : s + 2])
        assert plain[part].sum() == pytest.approx(np.mean(said[test] == split_data.y[test]))
        expected = balanced_accuracy_score(split_data.y[test], said[test])
        assert balanced[part].sum() == pytest.approx(expected)
