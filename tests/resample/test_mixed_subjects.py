"""Subjects with samples of several classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError
from holdfast.resample import Bootstrap, ComplementaryHalves, CrossValidation, Nested, Subsampling
from holdfast.resample._strata import group_by_classes, units_to_keep
from tests.resample.strategies import SEEDS

pytestmark = pytest.mark.filterwarnings("ignore:no test part:holdfast.errors.HoldfastWarning")

PAIRED_Y = np.array(["normal", "tumor"] * 20 + ["tumor"])
PAIRED = np.array([*np.repeat(range(20), 2), 20])
PROTOCOLS = [
    Subsampling(30),
    Subsampling(30, 3),
    Bootstrap(30),
    CrossValidation(5),
    ComplementaryHalves(10),
    Nested(3, 3),
]
all_protocols = pytest.mark.parametrize("plan", PROTOCOLS, ids=lambda plan: plan.description)


@all_protocols
@pytest.mark.parametrize("lone", [0, 1])
def test_paired_designs_are_drawn(plan, lone):
    rows = slice(0, 40 + lone)
    y, groups = PAIRED_Y[rows], PAIRED[rows]
    for resample in plan.draw(y, groups):
        assert not set(groups[resample.train]) & set(groups[resample.test])
        distinct = np.unique(y[np.unique(resample.train)], return_counts=True)
        assert distinct[0].tolist() == ["normal", "tumor"]
        assert distinct[1].min() >= 2


def test_a_lone_subject_next_to_pairs_is_drawn_like_the_others():
    tested = np.concatenate([r.test for r in Subsampling(400, 0.9).draw(PAIRED_Y, PAIRED)])
    times = np.bincount(PAIRED[tested], minlength=21) / np.bincount(PAIRED)
    assert 20 < times[20] < 60  # 2 of 21 subjects are left out each time: 38 times is expected


@pytest.mark.parametrize("plan", [Subsampling(20, 0.5), Bootstrap(20), CrossValidation(4)])
def test_pairs_and_lone_subjects_keep_their_shares(plan):
    y = np.array(["a", "b"] * 12 + ["a"] * 8)
    groups = np.array([*np.repeat(range(12), 2), *range(12, 20)])
    for resample in plan.draw(y, groups):
        share = np.count_nonzero(y[resample.train] == "b") / len(resample.train)
        assert share == 12 / 32


def test_subjects_are_distinguished_by_the_class_of_most_samples():
    groups = np.repeat(range(14), 3)
    pure = np.repeat(["a"] * 8 + ["b"] * 6, 3)
    mixed = pure.copy()
    mixed[::3] = np.where(pure[::3] == "a", "b", "a")  # one sample in three is of the other class
    for plan in (Subsampling(5), CrossValidation(3), ComplementaryHalves(3)):
        drawn = [[r.train.tolist() for r in plan.draw(y, groups)] for y in (pure, mixed)]
        assert drawn[0] == drawn[1]


def test_small_mixtures_join_the_stratum_in_which_their_class_lives():
    table = np.array([[2, 0, 0]] * 6 + [[0, 1, 1]] * 7 + [[0, 1, 0]] * 2 + [[1, 1, 0]] * 5)
    assert group_by_classes(table).tolist() == [0] * 6 + [2] * 7 + [2] * 2 + [1] * 5


def test_one_paired_subject_counts_for_both_classes():
    table = np.array([[1, 1]] * 3 + [[0, 1]] * 4)
    assert units_to_keep(np.repeat([0, 1], [3, 4]), table).tolist() == [2, 0]
    assert units_to_keep(np.repeat([0, 1], [3, 4]), 2 * table).tolist() == [1, 0]


def test_a_stratum_keeps_more_where_some_of_its_subjects_lack_the_class():
    table = np.array([[1, 1]] * 5 + [[0, 1]])
    assert units_to_keep(np.zeros(6, dtype=np.intp), table).tolist() == [3]


@given(data=st.data(), seed=SEEDS)
def test_what_must_be_kept_is_enough_whatever_is_drawn(data, seed):
    generator = np.random.default_rng(seed)
    n, k = data.draw(st.integers(4, 20)), data.draw(st.integers(2, 4))
    table = generator.integers(0, 3, (n, k))
    table[np.arange(n), generator.integers(0, k, n)] += 1
    labels = group_by_classes(table)
    least = units_to_keep(labels, table)
    drawn = [generator.permutation(np.flatnonzero(labels == s))[:m] for s, m in enumerate(least)]
    sure = table[np.concatenate(drawn)].sum(axis=0)
    homes = [max(np.bincount(labels[table[:, c] > 0], minlength=1)) for c in range(k)]
    assert (sure >= np.minimum(2, homes))[table.any(axis=0)].all()


SHORT_Y = ["a", "b"] * 3 + ["b"] * 4
SHORT = [0, 0, 1, 1, 2, 2, 3, 4, 5, 6]


def test_subjects_count_for_a_class_by_their_samples_of_it():
    message = "class 'a' has 3 subjects; halves need at least 4 subjects of every class"
    with pytest.raises(InvalidInputError, match=message):
        ComplementaryHalves(5).draw(SHORT_Y, SHORT)


def test_rare_pairs_are_kept_in_twos():
    for resample in Subsampling(30, 3).draw(SHORT_Y, SHORT):
        assert np.count_nonzero(np.array(SHORT_Y)[resample.train] == "a") == 2


def test_classes_spread_over_rare_mixtures_are_refused_by_resample():
    y = ["a"] * 20 + ["a", "b"] + ["a", "b", "c", "c"] + ["c"] * 6
    groups = [*range(20), 20, 20, 21, 21, 21, 21, *range(22, 28)]
    with pytest.raises(InvalidInputError, match=r"has .* 1 sample of class 'b'.* no subject has"):
        Subsampling(50, 0.5).draw(y, groups)
