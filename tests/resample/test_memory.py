"""Numbers of resamples that no machine can hold are refused by estimate, before any is drawn."""

from __future__ import annotations

import pytest
from sklearn.model_selection import LeavePOut, RepeatedKFold

from holdfast.errors import InvalidInputError
from holdfast.resample import (
    AddedNoise,
    Bootstrap,
    ComplementaryHalves,
    CrossValidation,
    DisjointParts,
    FeatureSubsets,
    IndependentSamples,
    Nested,
    ReplicationDesign,
    Splits,
    Subsampling,
    Units,
)

MANY = 10**12
Y = ["a", "b"] * 20


@pytest.mark.parametrize(
    "protocol",
    [
        AddedNoise(MANY),
        Bootstrap(MANY),
        ComplementaryHalves(MANY),
        CrossValidation(5, MANY),
        DisjointParts(MANY),
        FeatureSubsets(MANY),
        IndependentSamples(MANY),
        Nested(Subsampling(10**6), Bootstrap(10**6)),
        Splits(LeavePOut(15)),
        Splits(RepeatedKFold(n_splits=4, n_repeats=MANY)),
        Subsampling(MANY),
    ],
    ids=lambda protocol: type(protocol).__name__,
)
def test_protocols(protocol):
    with pytest.raises(InvalidInputError, match=r"resamples would take .*MAX_MEMORY"):
        protocol.draw(Y, n_features=10)


def test_replication():
    with pytest.raises(InvalidInputError, match=r"^replication: 5,000,000,000,000 resamples"):
        ReplicationDesign(MANY).draw(Y)


@pytest.mark.parametrize(
    "protocol",
    [
        AddedNoise(7),
        Bootstrap(7),
        ComplementaryHalves(7),
        CrossValidation(5, 3),
        DisjointParts(7),
        FeatureSubsets(7),
        IndependentSamples(7),
        Nested(Subsampling(5), Bootstrap(4)),
        Splits(LeavePOut(1)),
        Splits([([0, 1, 2, 3], [4, 5])] * 3),
        Subsampling(7),
    ],
    ids=lambda protocol: type(protocol).__name__,
)
def test_the_count_is_that_of_the_resamples(protocol):
    units = Units.from_labels(Y, None)
    assert protocol.count_resamples(units) == len(protocol.draw(Y, n_features=10))


def test_the_limit_is_adjustable(monkeypatch):
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "50K")
    with pytest.raises(InvalidInputError, match="subsampling: 100 resamples"):
        Subsampling(100).draw(Y)
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "1M")
    assert len(Subsampling(100).draw(Y)) == 100
