"""Simulated data that no machine can hold are refused by estimate."""

from __future__ import annotations

import pytest

from holdfast.errors import InvalidInputError
from holdfast.simulate import BlockGaussian, IndependentGaussian, Microarray


@pytest.mark.parametrize("kind", [Microarray, IndependentGaussian, BlockGaussian])
def test_data_sets_larger_than_the_limit(kind, monkeypatch):
    generator = kind(n_samples=200, n_features=1000)
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "4M")
    with pytest.raises(InvalidInputError, match="200 samples and 1,000 features would take"):
        generator.draw(0)
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "5M")
    assert generator.draw(0).X.shape == (200, 1000)
