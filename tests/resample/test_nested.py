"""Resamples within resamples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from holdfast.errors import InvalidInputError
from holdfast.resample import (
    AddedNoise,
    Bootstrap,
    ComplementaryHalves,
    CrossValidation,
    FeatureSubsets,
    IndependentSamples,
    Nested,
    Splits,
    Subsampling,
    times_tested,
)
from tests.resample.strategies import SEEDS, classes, same, subjects


def families(resamples):
    """Return each outer resample with its inner ones."""
    found = []
    for resample in resamples:
        if resample.role == "outer":
            found.append((resample, []))
        else:
            found[-1][1].append(resample)
    return found


def test_numbers_of_folds_may_come_from_numpy():
    assert Nested(np.int64(3), np.int32(2)) == Nested(3, 2)


def test_default_is_ten_times_ten_folds():
    plan = Nested()
    assert plan == Nested(10, 10) == Nested(CrossValidation(10), CrossValidation(10))
    found = families(plan.draw(["a", "b"] * 30))
    assert [len(inner) for _, inner in found] == [10] * 10
    assert [outer.outer for outer, _ in found] == list(range(10))


@given(y=classes(), seed=SEEDS)
def test_inner_folds_divide_the_outer_training_part(y, seed):
    outer_alone = CrossValidation(4).draw(y, None, seed)
    for outer, inner in families(Nested(4, 3).draw(y, None, seed)):
        assert np.array_equal(outer.test, outer_alone[outer.outer].test)
        assert {(one.role, one.outer) for one in inner} == {("inner", outer.outer)}
        tested = np.concatenate([one.test for one in inner])
        assert np.array_equal(np.sort(tested), outer.train)
        for one in inner:
            both = np.concatenate([one.train, one.test])
            assert np.array_equal(np.sort(both), outer.train)


def test_inner_resamples_differ_between_outer_ones():
    """The same positions are drawn anew in every outer training part."""
    everything = [(np.arange(40), [])] * 2
    one, other = families(Nested(Splits(everything), Bootstrap(3)).draw(["a", "b"] * 20))
    assert np.array_equal(one[0].train, other[0].train)
    assert not same(one[1], other[1])


def test_bags_within_subsamples():
    plan = Nested(Subsampling(10, 0.9), Bootstrap(40))
    found = families(plan.draw(["a", "b"] * 20))
    assert [len(bags) for _, bags in found] == [40] * 10
    assert all(set(bag.train) <= set(outer.train) for outer, bags in found for bag in bags)
    assert "40 stratified bootstrap samples" in plan.estimates
    assert "10 stratified subsamples of 90%" in plan.estimates


def test_copies_of_a_sample_stay_together():
    for outer, inner in families(Nested(Bootstrap(5), 3).draw(["a", "b"] * 20)):
        for one in inner:
            assert not set(one.train) & set(one.test)
            assert len(one.train) + len(one.test) == len(outer.train)


@given(data=subjects(), seed=SEEDS)
def test_inner_parts_part_subjects(data, seed):
    y, groups = data
    for outer, inner in families(Nested(3, 3).draw(y, groups, seed)):
        assert not set(groups[outer.train]) & set(groups[outer.test])
        for one in inner:
            assert set(one.train) | set(one.test) == set(outer.train)
            assert not set(groups[one.train]) & set(groups[one.test])


def test_features_and_noise_within_folds():
    y = ["a", "b"] * 9
    parts = families(Nested(3, FeatureSubsets(4, 0.5)).draw(y, n_features=10))
    assert all(len(one.features) == 5 for _, inner in parts for one in inner)
    noisy = families(Nested(3, AddedNoise(4, 0.3)).draw(y))
    assert all(one.noise == 0.3 for _, inner in noisy for one in inner)
    assert all(outer.noise == 0 and outer.features is None for outer, _ in [*parts, *noisy])
    assert times_tested([one for outer, inner in noisy for one in [outer, *inner]]) == "once"


@pytest.mark.parametrize(
    ("outer", "inner", "side"),
    [
        (FeatureSubsets(), 10, "outer"),
        (AddedNoise(), 10, "outer"),
        (IndependentSamples(), 10, "outer"),
        (Nested(), 10, "outer"),
        (CrossValidation(3, reference=True), 10, "outer"),
        (10, Nested(), "inner"),
        (10, IndependentSamples(), "inner"),
        (10, ComplementaryHalves(), "inner"),
        (10, CrossValidation(3, reference=True), "inner"),
        (10, Splits([([0, 1], [2])]), "inner"),
    ],
)
def test_protocols_that_do_not_nest_are_refused(outer, inner, side):
    message = rf"{side} of nested must be a protocol such as .*\.$"
    with pytest.raises(InvalidInputError, match=message):
        Nested(outer, inner)
