"""Features as points, and the member that stands for a group."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import scale

from holdfast.select._groups._group_selector import representatives, standardise_features


def test_features_are_standardised_as_scikit_learn_does():
    X = np.random.default_rng(0).normal(3, 5, size=(20, 6))
    points, usable = standardise_features(X)
    assert usable.all()
    assert points.flags.c_contiguous
    np.testing.assert_allclose(points, scale(X).T, atol=1e-12)
    np.testing.assert_allclose(standardise_features(X.astype(np.float32))[0], points, atol=1e-5)
    r = np.corrcoef(X[:, 0], X[:, 1])[0, 1]
    assert np.square(points[0] - points[1]).sum() == pytest.approx(2 * 20 * (1 - r))


def test_constant_features_are_distinguished_from_small_ones():
    rng = np.random.default_rng(1)
    x = rng.normal(size=30)
    noise = np.tile([0.0, 5e-17], 15)
    X = np.column_stack([np.full(30, 0.1), 0.3 + noise, np.zeros(30), x, x * 1e-300, 1e6 + x])
    points, usable = standardise_features(X)
    assert usable.tolist() == [False, False, False, True, True, True]
    assert not points[:3].any()
    np.testing.assert_allclose(points[4:], [points[3]] * 2, atol=1e-8)
    assert standardise_features(X * 1e300)[1].tolist() == usable.tolist()


def naive_representative(X, own):
    if len(own) == 1:
        return own[0]
    r = np.corrcoef(X[:, own], rowvar=False)
    means = [np.delete(row, i).mean() for i, row in enumerate(r)]
    return own[int(np.argmax(means))]


@given(st.integers(0, 10**6), st.integers(3, 9))
def test_the_representative_is_most_like_the_others(seed, size):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 1)) * rng.normal(size=10) + rng.normal(size=(12, 10))
    groups = [np.sort(rng.choice(10, size, replace=False)), np.array([seed % 10])]
    found = representatives(standardise_features(X)[0], groups)
    assert found.tolist() == [naive_representative(X, own) for own in groups]


@given(st.integers(0, 10**6))
def test_equals_are_represented_by_the_first(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 8))
    copies = rng.permutation(8)[:3]
    X[:, copies] = X[:, [copies[0]]] * rng.uniform(0.1, 10, 3) + rng.normal(size=3)
    points = standardise_features(X)[0]
    pairs = [np.sort(rng.choice(8, 2, replace=False)) for _ in range(5)]
    assert representatives(points, pairs).tolist() == [pair[0] for pair in pairs]
    assert representatives(points, [np.sort(copies)]) == [copies.min()]
    assert len(representatives(points, [])) == 0
