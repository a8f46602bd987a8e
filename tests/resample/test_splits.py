"""Splits of scikit-learn, and given ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from holdfast.errors import InvalidInputError
from holdfast.resample import Nested, Splits, as_protocol, times_tested
from tests.resample.strategies import same

Y = np.array(["a", "b", "b"] * 8)
GROUPS = np.arange(24) // 3
X = np.zeros((24, 1))


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(4),
        KFold(4, shuffle=True, random_state=1),
        StratifiedKFold(4),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        LeaveOneOut(),
        PredefinedSplit([0, 1, 2, -1] * 6),
        ShuffleSplit(5, random_state=2),
    ],
    ids=repr,
)
def test_splits_are_those_of_the_splitter(splitter):
    resamples = Splits(splitter).draw(Y)
    for resample, (train, test) in zip(resamples, splitter.split(X, Y), strict=True):
        assert np.array_equal(resample.train, np.sort(train))
        assert np.array_equal(resample.test, np.sort(test))


@pytest.mark.parametrize("splitter", [GroupKFold(4), LeaveOneGroupOut(), StratifiedGroupKFold(3)])
def test_subjects_are_handed_to_the_splitter(splitter):
    for resample in Splits(splitter).draw(Y, GROUPS):
        assert not set(GROUPS[resample.train]) & set(GROUPS[resample.test])


@pytest.mark.parametrize(
    "splitter",
    [
        ShuffleSplit(5),
        StratifiedShuffleSplit(5, random_state=np.random.RandomState(0)),
        KFold(4, shuffle=True),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_splitters_without_a_seed_are_seeded(splitter):
    plan, before = Splits(splitter), repr(splitter)
    assert same(plan.draw(Y, random_state=3), plan.draw(Y, random_state=3))
    assert repr(splitter) == before
    if splitter.random_state is None:
        assert not same(plan.draw(Y, random_state=3), plan.draw(Y, random_state=4))


def test_pairs_may_come_from_a_generator():
    plan = Splits(StratifiedKFold(4).split(X, Y))
    assert len(plan.draw(Y)) == 4
    assert same(plan.draw(Y), plan.draw(Y))
    assert same(plan.draw(Y), Splits(StratifiedKFold(4)).draw(Y))


def test_pairs_may_be_masks_and_tests_may_be_empty():
    mask = np.arange(24) < 18
    one, other = Splits([(mask, ~mask), (range(24), [])]).draw(Y)
    assert one.train.tolist() == list(range(18))
    assert one.test.tolist() == list(range(18, 24))
    assert other.test.size == 0


def test_splitters_are_recognised():
    plan = as_protocol(KFold(3))
    assert isinstance(plan, Splits)
    assert as_protocol(plan) is plan
    assert as_protocol([([0, 1, 2, 3, 4, 5], [6])]).description == "1 given split"
    assert "KFold(n_splits=3" in plan.estimates
    assert plan.to_dict()["name"] == "splits"
    assert "KFold" in plan.to_dict()["splitter"]


def test_times_tested_are_reported_from_the_splits():
    assert times_tested(Splits(KFold(4)).draw(Y)) == "once"
    assert times_tested(Splits(ShuffleSplit(9)).draw(Y)) == "repeatedly"
    assert times_tested(Splits([(range(24), [])]).draw(Y)) == "never"
    assert times_tested(Nested(KFold(4), KFold(3)).draw(Y)) == "once"


def test_splitters_nest():
    resamples = Nested(KFold(4), StratifiedKFold(3)).draw(Y)
    assert len(resamples) == 16
    assert {r.role for r in resamples} == {"outer", "inner"}


@pytest.mark.parametrize(
    ("splits", "groups", "message"),
    [
        (KFold(4), np.arange(24) % 8, "split 0: .* subjects in training and test at once: .*Group"),
        ([([0, 1, 2, 3], [3, 4])], None, "split 0: 1 sample in training and test at once: 3"),
        (GroupKFold(4), None, "GroupKFold.* cannot split these data: .*groups"),
        (KFold(30), None, "cannot split these data"),
        ([([0, 1, 24], [2])], None, "rows must be whole numbers from 0 to 23"),
        ([([0, -1], [2])], None, "rows must be whole numbers from 0 to 23"),
        ([([0.5, 1], [2])], None, "rows must be whole numbers"),
        ([([0, 3, 6], [2])], None, "resample 0 has 3 samples of class 'a', 0 samples of class 'b'"),
    ],
)
def test_unusable_splits_are_refused(splits, groups, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        Splits(splits).draw(Y, groups)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("given", [[], [1, 2], [([0], [1], [2])], 7, "KFold", None])
def test_what_is_no_split_is_refused(given):
    with pytest.raises(InvalidInputError, match=r"splits must .*\.$"):
        Splits(given)
