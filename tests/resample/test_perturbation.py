"""Protocols that leave the samples: features, noise, generators."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InvalidInputError
from holdfast.resample import AddedNoise, FeatureSubsets, IndependentSamples

Y = ["a", "b"] * 5


@pytest.mark.parametrize(
    ("fraction", "n_features", "count"), [(0.8, 10, 8), (0.25, 9, 2), (0.01, 9, 1), (0.8, 3, 2)]
)
def test_parts_of_the_features_have_the_nearest_size(fraction, n_features, count):
    for resample in FeatureSubsets(20, fraction).draw(Y, n_features=n_features):
        assert len(np.unique(resample.features)) == count
        assert np.array_equal(resample.features, np.sort(resample.features))
        assert 0 <= resample.features.min() <= resample.features.max() < n_features
        assert resample.train.tolist() == list(range(10))
        assert resample.test.size == 0


def test_features_are_offered_equally_often():
    times = np.zeros(10)
    for resample in FeatureSubsets(3000, 0.3).draw(Y, n_features=10):
        times[resample.features] += 1
    assert np.allclose(times / 3000, 0.3, atol=0.04)


def test_features_must_be_counted():
    with pytest.raises(InvalidInputError, match="feature_subsets needs n_features"):
        FeatureSubsets().draw(Y)


@pytest.mark.parametrize(("fraction", "n_features"), [(0.99, 3), (0.8, 2), (0.1, 1)])
def test_a_part_that_would_be_all_features_is_refused(fraction, n_features):
    with pytest.raises(InvalidInputError, match="fraction must leave out at least one feature"):
        FeatureSubsets(5, fraction).draw(Y, n_features=n_features)


def test_noise_is_left_to_the_study():
    resamples = AddedNoise(4, 0.25).draw(Y)
    assert [resample.noise for resample in resamples] == [0.25] * 4
    assert {tuple(resample.train) for resample in resamples} == {tuple(range(10))}


def test_independent_samples_are_numbered():
    resamples = IndependentSamples(4).draw(Y)
    assert [resample.draw for resample in resamples] == [0, 1, 2, 3]
    for resample in resamples:
        assert resample.train.tolist() == resample.test.tolist() == list(range(10))
