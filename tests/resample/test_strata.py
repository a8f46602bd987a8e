"""Classes keep their shares, and data that are too small are refused by name."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError
from holdfast.resample import Bootstrap, ComplementaryHalves, CrossValidation, Nested, Subsampling
from tests.resample.strategies import SEEDS, classes

pytestmark = pytest.mark.filterwarnings("ignore:no test part:holdfast.errors.HoldfastWarning")


def counts(y, rows):
    return np.array([np.count_nonzero(y[rows] == label) for label in np.unique(y)])


@pytest.mark.parametrize("kind", [Subsampling, Bootstrap])
@given(y=classes(), part=st.floats(0.5, 0.95), seed=SEEDS)
def test_shares_are_off_by_less_than_one_sample(kind, y, part, seed):
    most = len(y) - (kind is Subsampling)
    total = min(math.ceil(round(part * len(y), 6)), most)
    quotas = total * counts(y, slice(None)) / len(y)
    for resample in kind(5, part).draw(y, None, seed):
        assert len(resample.train) == total
        assert (np.abs(counts(y, resample.train) - quotas) < 1).all()


@given(y=classes(), folds=st.integers(3, 6), seed=SEEDS)
def test_folds_cover_all_samples_once_in_equal_shares(y, folds, seed):
    resamples = CrossValidation(folds, n_repeats=2).draw(y, None, seed)
    for repeat in (resamples[:folds], resamples[folds:]):
        tested = np.concatenate([resample.test for resample in repeat])
        assert np.array_equal(np.sort(tested), np.arange(len(y)))
        assert np.ptp([len(resample.test) for resample in repeat]) <= 1
        assert (np.ptp([counts(y, resample.test) for resample in repeat], axis=0) <= 1).all()
        for resample in repeat:
            assert len(resample.train) + len(resample.test) == len(y)


def test_all_samples_are_the_reference():
    first, *others = CrossValidation(3, n_repeats=10, reference=True).draw(["a", "b"] * 9)
    assert (first.role, first.train.tolist(), first.test.size) == ("reference", [*range(18)], 0)
    assert len(others) == 30
    assert {resample.role for resample in others} == {"main"}


@given(y=classes(), seed=SEEDS)
def test_halves_are_complementary_and_alike(y, seed):
    resamples = ComplementaryHalves(5).draw(y, None, seed)
    for pair in range(5):
        one, other = resamples[2 * pair : 2 * pair + 2]
        assert one.outer == other.outer == pair
        assert np.array_equal(one.train, other.test)
        assert np.array_equal(one.test, other.train)
        assert len(one.train) == len(other.train) == len(y) // 2
        assert (np.abs(counts(y, one.train) - counts(y, other.train)) <= 1).all()


def test_every_sample_is_left_out_of_halves_now_and_then():
    resamples = ComplementaryHalves(300).draw(["a"] * 5 + ["b"] * 4)
    used = [np.concatenate([r.train, r.test]) for r in resamples[::2]]
    left_out = {row for rows in used for row in set(range(9)) - set(rows.tolist())}
    assert left_out == {0, 1, 2, 3, 4}  # the odd sample is one of the odd class


def test_ties_between_classes_are_broken_at_random():
    y = np.repeat(["a", "b"], 15)
    drawn = [counts(y, r.train)[0] for r in Subsampling(400, train_size=27).draw(y)]
    assert sorted(set(drawn)) == [13, 14]
    assert 150 < drawn.count(13) < 250


def test_subsamples_are_uniform():
    y = np.repeat(["a", "b"], [6, 4])
    times = np.zeros(10)
    for resample in Subsampling(4000, 0.5).draw(y):
        times[resample.train] += 1
    assert np.allclose(times / 4000, 0.5, atol=0.04)


def test_bootstrap_holds_what_theory_says():
    y = np.repeat(["a", "b"], 50)
    drawn = Bootstrap(400).draw(y)
    held = np.mean([len(np.unique(r.train)) for r in drawn]) / 100
    assert held == pytest.approx(1 - (1 - 1 / 50) ** 50, abs=0.01)
    assert {len(r.train) for r in drawn} == {100}
    assert {len(r.train) for r in Bootstrap(5, size=30).draw(y)} == {30}
    assert all(set(r.test) == set(range(100)) - set(r.train) for r in drawn)


def test_a_rare_class_keeps_two_samples():
    y = ["common"] * 40 + ["rare"] * 2
    for resample in Subsampling(20, train_size=0.5).draw(y):
        assert set(resample.train.tolist()) >= {40, 41}
        assert len(resample.train) == 21


def test_a_class_may_be_rarer_than_folds():
    y = np.array(["a"] * 27 + ["b"] * 3)
    for resample in CrossValidation(10).draw(y):
        assert counts(y, resample.train)[1] >= 2


def test_without_stratification_shares_vary():
    y = np.repeat(["a", "b"], 20)
    for kind in (Subsampling(50, 0.5, stratify=False), Bootstrap(50, stratify=False)):
        assert len({counts(y, r.train)[0] for r in kind.draw(y)}) > 3
    folds = CrossValidation(4, 5, stratify=False).draw(y)
    assert len({counts(y, r.test)[0] for r in folds}) > 3
    halves = ComplementaryHalves(20, stratify=False).draw(y)
    assert len({counts(y, r.train)[0] for r in halves}) > 3
    assert {len(r.train) for r in halves} == {20}


@pytest.mark.parametrize(
    ("plan", "y", "message"),
    [
        (
            CrossValidation(10),
            ["a"] * 20 + ["X"] * 2,
            r"^class 'X' has 2 samples; 10 folds need at least 3 of every class, so .* keeps 2\.$",
        ),
        (CrossValidation(2), ["a"] * 9 + ["X"] * 3, "class 'X' has 3 samples; 2 folds .* 4 of"),
        (
            CrossValidation(10),
            ["a", "b"] * 3,
            "10 folds need at least as many samples; there are 6",
        ),
        (Subsampling(5), ["a"] * 9 + ["X"], "class 'X' has 1 sample; subsampling needs at least 2"),
        (Bootstrap(5), ["a", "b"], "class 'a' has 1 sample, class 'b' has 1 sample; the boot"),
        (
            ComplementaryHalves(5),
            [0] * 9 + [1] * 3,
            "class 1 has 3 samples; halves need at least 4",
        ),
        (Subsampling(5, 12), ["a", "b"] * 6, "train_size must be below the 12 samples .* 12"),
        (
            Subsampling(5, 3),
            ["a", "b"] * 6,
            "training parts of 3 are too small: .* they have at least 4",
        ),
        (Bootstrap(5, 13), ["a", "b"] * 6, "size must be at most the 12 samples .* got 13"),
        (
            Nested(3, 5),
            ["a"] * 9 + ["X"] * 3,
            "within outer resample 0: class 'X' has 2 samples; 5 folds",
        ),
        (
            Subsampling(50, 2, stratify=False),
            ["a", "b"] * 6,
            "the training part of resample .* has .* of class 'a', .* so do stratified protocols",
        ),
    ],
)
def test_data_that_are_too_small_are_refused_by_name(plan, y, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        plan.draw(y)
    assert str(caught.value).endswith(".")
