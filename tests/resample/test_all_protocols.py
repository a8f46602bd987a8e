"""What all protocols have in common: parted sides, seeds, prefixes, JSON, sentences."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample import (
    PROTOCOLS,
    AddedNoise,
    Bootstrap,
    ComplementaryHalves,
    CrossValidation,
    DisjointParts,
    FeatureSubsets,
    IndependentSamples,
    Nested,
    Protocol,
    Splits,
    Subsampling,
    as_protocol,
    get_protocol,
    list_protocols,
    protocol,
    times_tested,
)
from tests.resample.strategies import SEEDS, classes, same, sampling, subjects

pytestmark = pytest.mark.filterwarnings("ignore:no test part:holdfast.errors.HoldfastWarning")

Y = ["a"] * 12 + ["b"] * 9
EXAMPLES = [
    Subsampling(7),
    Subsampling(7, 10, stratify=False),
    CrossValidation(3, n_repeats=2, reference=True),
    CrossValidation(3),
    Nested(3, 3),
    Nested(Subsampling(4, 0.9), Bootstrap(5)),
    Bootstrap(7, size=0.7),
    Bootstrap(7, size=15),
    ComplementaryHalves(4),
    DisjointParts(4),
    DisjointParts(3, 4),
    FeatureSubsets(7),
    AddedNoise(7),
    IndependentSamples(7),
]
NAMES = [f"{one.record.name} {number}" for number, one in enumerate(EXAMPLES)]
all_examples = pytest.mark.parametrize("plan", EXAMPLES, ids=NAMES)


def test_every_protocol_has_an_example_here():
    assert {one.record.name for one in EXAMPLES} | {"splits"} == set(PROTOCOLS)


@given(y=classes(), plan=sampling(), seed=SEEDS)
def test_no_sample_is_on_both_sides(y, plan, seed):
    for resample in plan.draw(y, None, seed):
        assert not np.intersect1d(resample.train, resample.test).size
        assert (np.diff(resample.train) >= 0).all()
        assert (np.diff(resample.test) > 0).all()
        assert set(y[resample.train]) == set(y)
        assert (np.unique(y[resample.train], return_counts=True)[1] >= 2).all()


@given(data=subjects(), plan=sampling(), seed=SEEDS)
def test_no_subject_is_on_both_sides(data, plan, seed):
    y, groups = data
    for resample in plan.draw(y, groups, seed):
        assert not np.intersect1d(groups[resample.train], groups[resample.test]).size
        for rows in (resample.train, resample.test):  # a subject comes with all its samples
            inside = np.isin(groups, groups[rows])
            if resample.role != "inner":
                assert np.array_equal(np.flatnonzero(inside), np.unique(rows))


@given(y=classes(), plan=sampling(), seed=SEEDS)
def test_equal_seeds_give_equal_resamples(y, plan, seed):
    once = plan.draw(y, None, seed)
    assert same(once, plan.draw(y.tolist(), None, seed))
    codes = np.unique(y, return_inverse=True)[1]
    assert same(once, plan.draw(codes, None, seed))


@given(y=classes(8), plan=sampling(), seed=SEEDS)
def test_subjects_of_one_sample_are_samples(y, plan, seed):
    """Sizes count subjects; what is drawn has as many samples as without subjects."""
    with_subjects = plan.draw(y, np.arange(len(y)), seed)
    without = plan.draw(y, None, seed)
    assert [r.role for r in with_subjects] == [r.role for r in without]
    if not isinstance(plan, Nested):
        assert [len(r.train) for r in with_subjects] == [len(r.train) for r in without]


def test_other_seeds_give_other_resamples():
    for plan in EXAMPLES:
        if isinstance(plan, AddedNoise | IndependentSamples):
            continue  # a study draws what is random in these
        one, other = (plan.draw(Y, None, seed, 50) for seed in (0, 1))
        assert not same(one, other), plan


@pytest.mark.parametrize(
    "kind",
    [
        Subsampling,
        Bootstrap,
        ComplementaryHalves,
        DisjointParts,
        FeatureSubsets,
        AddedNoise,
        IndependentSamples,
    ],
)
@given(few=st.integers(1, 6), more=st.integers(1, 6), seed=SEEDS)
def test_more_resamples_leave_the_first_as_they_are(kind, few, more, seed):
    some, all_of_them = (kind(m).draw(Y, None, seed, 30) for m in (few, few + more))
    assert same(some, all_of_them[: len(some)])


@pytest.mark.parametrize("reference", [False, True])
def test_more_repeats_leave_the_first_as_they_are(reference):
    some, more = (CrossValidation(3, m, reference=reference).draw(Y) for m in (2, 4))
    assert same(some, more[: len(some)])


def test_more_outer_resamples_leave_the_first_as_they_are():
    some, more = (Nested(Subsampling(m), Bootstrap(3)).draw(Y) for m in (2, 4))
    assert same(some, more[: len(some)])


def test_resamples_of_one_plan_differ():
    for plan in EXAMPLES:
        if not isinstance(plan, AddedNoise | IndependentSamples):
            resamples = plan.draw(Y, None, 0, 50)
            described = {(r.train.tobytes(), str(r.features), r.role) for r in resamples}
            assert len(described) > len(resamples) / 2, plan


@all_examples
def test_parameters_survive_json(plan):
    stored = json.loads(json.dumps(plan.to_dict()))
    again = as_protocol(stored)
    assert again == plan
    assert hash(again) == hash(plan)
    assert again.to_dict() == plan.to_dict()
    assert same(again.draw(Y, None, 3, 40), plan.draw(Y, None, 3, 40))


def test_numbers_of_numpy_become_plain():
    plan = Subsampling(np.int64(5), np.float64(0.5), stratify=np.bool_(False))
    assert json.loads(json.dumps(plan.to_dict())) == {
        "name": "subsampling",
        "n_resamples": 5,
        "train_size": 0.5,
        "stratify": False,
    }


@all_examples
def test_plans_are_frozen(plan):
    with pytest.raises(FrozenInstanceError):
        setattr(plan, fields(plan)[0].name, 3)


def test_times_tested_with_default_parameters_are_as_the_record_says():
    y = ["a"] * 30 + ["b"] * 30
    for record in PROTOCOLS.values():
        if record.kind is not Splits:
            plan = record.kind()
            assert times_tested(plan.draw(y, None, 0, 10)) == record.tested


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Subsampling(0), "n_resamples must be a whole number of at least 1; got 0"),
        (lambda: Subsampling(2.5), r"n_resamples must be .* got 2\.5"),
        (lambda: Subsampling(True), "n_resamples must be .* got True"),
        (lambda: Subsampling(5, 1.5), r"train_size must be a number above 0 and below 1; .* 1\.5"),
        (lambda: Subsampling(5, 1.0), r"train_size .* below 1; got 1\.0"),
        (lambda: Subsampling(5, 1), r"at least 2; got 1\. A fraction has a point"),
        (lambda: Subsampling(5, "x"), "train_size .* got 'x'"),
        (lambda: Subsampling(5, stratify=1), "stratify must be True or False; got 1"),
        (lambda: Bootstrap(5, 1.2), r"size must be .* up to 1; got 1\.2"),
        (lambda: CrossValidation(1), "n_folds must be a whole number of at least 2; got 1"),
        (lambda: ComplementaryHalves(-1), "n_pairs .* got -1"),
        (lambda: DisjointParts(0), "n_repeats .* got 0"),
        (lambda: DisjointParts(5, 1), "n_parts must be a whole number of at least 2; got 1"),
        (lambda: FeatureSubsets(5, 0.0), r"fraction .* got 0\.0"),
        (lambda: AddedNoise(5, float("nan")), "level .* got nan"),
    ],
)
def test_wrong_parameters_are_refused_at_once(make, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        make()
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("seed", [-1, 1.5, None, "0"])
def test_wrong_seeds_are_refused(seed):
    with pytest.raises(InvalidInputError, match="random_state must be a whole number"):
        Subsampling(3).draw(Y, random_state=seed)


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        ([], None, "y must be one column"),
        ([[1, 2], [1, 2]], None, r"y must be one column; got shape \(2, 2\)"),
        (["a"] * 5, None, "at least two classes"),
        (Y, [1, 2, 3], "groups must have one entry per sample: 21; got 3"),
        (Y, [None, *range(20)], "groups must be all text .* got NoneType, int"),
        (Y, [float("nan"), *range(20)], "groups must be .* no entry missing; got float, or N"),
        (np.array([1, "a"] * 4, dtype=object), None, "y must be all text .* got int, str"),
        ([None] * 4 + ["a"] * 4, None, "y must be .* got NoneType, str"),
    ],
)
def test_wrong_data_are_refused(y, groups, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        Subsampling(3).draw(y, groups)
    assert str(caught.value).endswith(".")


def test_records_are_found_by_name():
    assert get_protocol("nested").kind is Nested
    with pytest.raises(UnknownNameError, match="Did you mean 'subsampling'"):
        get_protocol("subsamplin")
    assert list_protocols().loc["subsampling", "class"] == "Subsampling"
    assert all(issubclass(record.kind, Protocol) for record in PROTOCOLS.values())


def test_a_name_is_given_once():
    decorate = protocol(name="nested", title="", estimates="", tested="once", overlap="")
    with pytest.raises(RuntimeError, match="two protocols are called 'nested'"):
        decorate(Nested)
