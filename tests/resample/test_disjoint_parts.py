"""Disjoint parts, and the design of replication stability made of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError
from holdfast.resample import DisjointParts, ReplicationDesign, ReplicationPairs
from holdfast.resample._replication_design import (
    N_FULL_FITS,
    classes_left_out,
    halved_units,
    left_out_note,
)
from holdfast.resample._strata import Units
from tests.resample.strategies import SEEDS, classes, same, subjects


def counts(y, rows):
    return np.array([np.count_nonzero(y[rows] == label) for label in np.unique(y)])


@given(y=classes(8), n_parts=st.integers(2, 4), seed=SEEDS)
def test_parts_share_nothing_and_are_alike(y, n_parts, seed):
    resamples = DisjointParts(3, n_parts).draw(y, None, seed)
    for repeat in range(3):
        parts = resamples[n_parts * repeat : n_parts * (repeat + 1)]
        rows = np.concatenate([part.train for part in parts])
        assert len(np.unique(rows)) == len(rows)
        assert {part.outer for part in parts} == {repeat}
        assert {len(part.train) for part in parts} == {len(y) // n_parts}
        assert (np.ptp([counts(y, part.train) for part in parts], axis=0) <= 1).all()
        for part in parts:
            assert np.array_equal(np.sort([*part.train, *part.test]), np.arange(len(y)))


def test_every_sample_is_left_out_now_and_then():
    resamples = DisjointParts(300).draw(["a"] * 7 + ["b"] * 6)
    used = [np.concatenate([part.train for part in resamples[i : i + 3]]) for i in range(0, 900, 3)]
    left_out = {row for rows in used for row in set(range(13)) - set(rows.tolist())}
    assert left_out == set(range(7))  # the odd sample is one of the odd class


def test_parts_are_uniform():
    y = ["a"] * 6 + ["b"] * 6
    drawn = np.concatenate([part.train for part in DisjointParts(600).draw(y)[::3]])
    times = np.bincount(drawn)
    assert (np.abs(times - 200) < 5 * np.sqrt(600 * 2 / 9)).all()


def test_sentences_say_how_large_the_parts_are():
    assert "each a third of the size" in DisjointParts().estimates
    assert "each a quarter of the size" in DisjointParts(5, 4).estimates
    assert "1/7 of the size" in DisjointParts(5, 7).estimates
    assert "share no subjects" in DisjointParts().estimates_for(subjects=True)
    assert DisjointParts(5, 4).description == "5 repeats of 4 stratified disjoint parts"
    assert not DisjointParts().can_be_inner


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (DisjointParts(2).draw, "class 1 has 5 samples; 3 disjoint parts need at least 6 samples"),
        (ReplicationDesign(2).draw, "class 1 has 3 samples; halves need at least 4 samples"),
    ],
)
def test_small_classes_are_refused(draw, message):
    few = int(message.split()[3])
    with pytest.raises(InvalidInputError, match=message):
        draw([0] * 20 + [1] * few)


def _by_role(resamples, role):
    return [one for one in resamples if one.role == role]


@given(y=classes(8), n_pairs=st.integers(2, 9), seed=SEEDS)
def test_a_design_has_halves_parts_and_quarters(y, n_pairs, seed):
    resamples = ReplicationDesign(n_pairs).draw(y, None, seed)
    halves, parts, quarters = (_by_role(resamples, role) for role in ("half", "part", "quarter"))
    assert len(halves) == 2 * n_pairs
    assert len(parts) == 4 * (n_pairs // 2)
    assert len(quarters) == 4 * max(1, n_pairs // 4)
    n = len(y)
    assert {len(one.train) for one in halves} == {n // 2}
    assert {len(one.train) for one in parts} == {(n - n // 4) // 2}
    assert {len(one.train) for one in quarters} == {n // 4}
    pairs = ReplicationPairs.from_resamples(resamples)
    assert pairs.parts.shape == (n_pairs // 2, 2, 2)
    assert pairs.quarters.shape == (max(1, n_pairs // 4), 6, 2)
    full = [resamples[at] for at in pairs.full]
    assert [(one.role, one.outer) for one in full] == [("full", fit) for fit in range(N_FULL_FITS)]
    assert all(np.array_equal(one.train, np.arange(n)) for one in full)
    assert pairs.full.tolist() == list(range(len(resamples) - N_FULL_FITS, len(resamples)))
    for own in (pairs.halves, pairs.parts, pairs.quarters):
        for i, j in own.reshape(-1, 2):
            one, other = resamples[i], resamples[j]
            assert (one.role, one.outer) == (other.role, other.outer)
            assert not np.intersect1d(one.train, other.train).size
            assert (np.abs(counts(y, one.train) - counts(y, other.train)) <= 1).all()


@given(data=subjects(8), seed=SEEDS)
def test_subjects_are_never_split(data, seed):
    y, groups = data
    resamples = ReplicationDesign(4).draw(y, groups, seed)
    assert {one.role for one in resamples} == {"half", "part", "quarter", "full"}
    pairs = ReplicationPairs.from_resamples(resamples)
    for own in (pairs.halves, pairs.parts, pairs.quarters):
        for i, j in own.reshape(-1, 2):
            assert not np.intersect1d(groups[resamples[i].train], groups[resamples[j].train]).size
    for one in resamples:
        inside = np.isin(groups, groups[one.train])
        assert np.array_equal(np.flatnonzero(inside), one.train)


def test_both_splits_of_a_subset_leave_out_the_same_samples():
    y = ["a"] * 10 + ["b"] * 14
    resamples = ReplicationDesign(8).draw(y)
    for subset in ReplicationPairs.from_resamples(resamples).parts:
        one, other = (
            np.sort(np.concatenate([resamples[i].train for i in pair])) for pair in subset
        )
        assert np.array_equal(one, other)
        assert len(one) == 18


def test_more_pairs_leave_the_first_as_they_are():
    y = ["a"] * 10 + ["b"] * 9
    few, more = (ReplicationDesign(n).draw(y, None, 3) for n in (4, 12))
    for role in ("half", "part", "quarter"):
        some, others = _by_role(few, role), _by_role(more, role)
        assert same(some, others[: len(some)])
    assert same(few[:8], more[:8])
    other = ReplicationDesign(4).draw(y, None, 4)
    assert not same(few, other)


def test_classes_too_small_for_quarters_leave_halves_alone():
    resamples = ReplicationDesign(8).draw([0] * 20 + [1] * 7)
    assert {one.role for one in resamples} == {"half", "full"}
    pairs = ReplicationPairs.from_resamples(resamples)
    assert pairs.halves.shape == (8, 2)
    assert pairs.parts.shape == (0, 2, 2)
    assert pairs.quarters.shape == (0, 6, 2)
    assert pairs.full.shape == (N_FULL_FITS,)


def test_other_roles_are_passed_over():
    y = ["a"] * 8 + ["b"] * 8
    before, own = DisjointParts(1).draw(y), ReplicationDesign(4).draw(y)
    alone = ReplicationPairs.from_resamples(own)
    behind = ReplicationPairs.from_resamples([*before, *own])
    assert np.array_equal(alone.halves + 3, behind.halves)
    assert np.array_equal(alone.quarters + 3, behind.quarters)
    assert np.array_equal(alone.full + 3, behind.full)
    assert len(ReplicationPairs.from_resamples(before).full) == 0


@pytest.mark.parametrize("n_pairs", [1, 2.5, "8"])
def test_wrong_numbers_of_pairs_are_refused(n_pairs):
    with pytest.raises(InvalidInputError, match="n_pairs must be a whole number of at least 2"):
        ReplicationDesign(n_pairs)


def test_classes_too_small_for_halves_are_left_out():
    y = np.array(["c"] * 3 + ["a"] * 12 + ["b"] * 9)
    resamples = ReplicationDesign(4).draw(y, None, 5)
    alone = ReplicationDesign(4).draw(y[3:], None, 5)
    assert len(resamples) == len(alone)
    for one, other in zip(resamples, alone, strict=True):
        assert (one.role, one.outer) == (other.role, other.outer)
        if one.role == "full":  # the selection that is asked about is that of all classes
            assert one.train.tolist() == list(range(24))
            continue
        assert one.train.tolist() == (other.train + 3).tolist()
        assert "c" not in y[one.train]
    units = Units.from_labels(y, None)
    assert classes_left_out(units) == {"c": 3}
    assert halved_units(units).count == 21
    large = Units.from_labels(y[3:], None)
    assert classes_left_out(large) == {}
    assert halved_units(large) is large


def test_subjects_of_small_classes_are_counted_and_others_stay_whole():
    """Class c has 6 samples of 3 subjects with 1 sample and more; subject 0 has a and c."""
    y = np.array(["a"] * 8 + ["b"] * 8 + ["c"] * 6)
    groups = np.array([*range(8), *range(10, 18), 0, 0, 20, 20, 21, 21])
    units = Units.from_labels(y, groups)
    assert classes_left_out(units) == {}  # each subject has two samples: one a half is enough
    single = np.array([*range(8), *range(10, 18), 0, 20, 20, 20, 21, 21])
    units = Units.from_labels(y, single)
    assert classes_left_out(units) == {"c": 3}
    assert halved_units(units).count == 16
    for one in ReplicationDesign(4).draw(y, single):
        expected = {"a", "b", "c"} if one.role == "full" else {"a", "b"}
        assert set(y[one.train]) == expected
    halves = _by_role(ReplicationDesign(4).draw(y, single), "half")
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert not set(single[first.train]) & set(single[second.train])
        assert sorted([*first.train, *second.train]) == list(range(16))


def test_notes_name_the_classes_left_out():
    assert left_out_note({}, "sample") == ""
    assert left_out_note({"X": 3}, "sample") == (
        "class 'X' with 3 samples is too small to be halved and is left out of the replication "
        "estimate"
    )
    assert left_out_note({"X": 1, "Y": 2}, "subject") == (
        "class 'X' with 1 subject, class 'Y' with 2 subjects are too small to be halved and are "
        "left out of the replication estimate"
    )
