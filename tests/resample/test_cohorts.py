"""Cohorts, and samples of the same sizes and classes dealt from all of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError
from holdfast.resample import CohortDesign
from holdfast.resample._cohort_design import cohort_places


@st.composite
def cohorts(draw):
    """Draw classes and cohorts: at least two samples of each class in each cohort."""
    n_cohorts, n_classes = draw(st.integers(2, 5)), draw(st.integers(2, 3))
    cells = [(c, k) for c in range(n_cohorts) for k in range(n_classes)]
    counts = draw(st.lists(st.integers(2, 6), min_size=len(cells), max_size=len(cells)))
    rows = [cell for cell, count in zip(cells, counts, strict=True) for _ in range(count)]
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(len(rows))
    site, label = np.array(rows)[order].T
    return np.array(list("CADBE"))[site], label


def by_role(resamples, role):
    return [one for one in resamples if one.role == role]


@given(cohorts(), st.integers(1, 4), st.integers(0, 5))
def test_shuffles_have_the_sizes_and_classes_of_the_cohorts(data, shuffles, seed):
    site, y = data
    resamples = CohortDesign(shuffles).draw(y, site, random_state=seed)
    own = by_role(resamples, "cohort")
    names = sorted(set(site))
    assert [one.outer for one in own] == list(range(len(names)))
    for name, one in zip(names, own, strict=True):
        np.testing.assert_array_equal(one.train, np.flatnonzero(site == name))
    for shuffle in range(shuffles):
        dealt = [one for one in by_role(resamples, "shuffled") if one.outer == shuffle]
        rows = np.concatenate([one.train for one in dealt])
        np.testing.assert_array_equal(np.sort(rows), np.arange(len(y)))
        for one, true in zip(dealt, own, strict=True):
            np.testing.assert_array_equal(np.bincount(y[one.train]), np.bincount(y[true.train]))
    assert all(one.test.size == 0 for one in resamples)


def test_every_sample_is_dealt_to_every_cohort_in_its_share():
    y, site = np.repeat([0, 1], 12), np.tile(list("aabbbb"), 4)
    resamples = by_role(CohortDesign(600).draw(y, site), "shuffled")
    first = np.bincount(np.concatenate([one.train for one in resamples[::2]]), minlength=24)
    error = np.sqrt(600 * (1 / 3) * (2 / 3))  # 4 of 12 of each class go to the first
    assert np.abs(first - 200).max() < 4 * error


def test_more_shuffles_begin_with_the_same_ones_and_seeds_differ():
    y, site = np.repeat([0, 1], 10), np.tile(["a", "b"], 10)
    few, many, other = (
        [one.train.tolist() for one in CohortDesign(n).draw(y, site, random_state=seed)]
        for n, seed in ((3, 0), (5, 0), (3, 1))
    )
    assert many[: len(few)] == few
    assert other[2:] != few[2:]
    assert other[:2] == few[:2]


def test_subjects_stay_whole_and_mixtures_of_classes_are_kept():
    subject = np.repeat(np.arange(24), 3)
    kind = np.arange(24) % 3  # of one class, of the other, of both
    y = np.where(kind[subject] == 2, np.arange(72) % 2, kind[subject])
    site = np.array(["x", "y"])[(np.arange(24) >= 9).astype(int)][subject]
    resamples = CohortDesign(20).draw(y, site, subject)
    for one, true in zip(resamples[2:], [*resamples[:2]] * 20, strict=True):
        assert np.all(np.bincount(subject[one.train], minlength=24) % 3 == 0)
        kinds = [np.bincount(kind[np.unique(subject[own.train])]) for own in (one, true)]
        np.testing.assert_array_equal(*kinds)


@pytest.mark.parametrize(
    ("y", "site", "groups", "match"),
    [
        ("aabb", "xxxx", None, "at least two cohorts are needed to compare, got one: x"),
        ("aabbaa", "xxxxyy", None, "cohort y has no sample of class 'b'; each cohort needs"),
        ("aabbaab", "xxxxyyy", None, "cohort y has 1 sample of class 'b'"),
        ("aabbaabb", "xxxxyyyy", "11223333", "cohort y has 1 subject of class 'a' and 1 subject"),
        ("aabbaabb", "xxxxyyyy", "12341678", r"1 subject in more than one cohort: 1 \(in x, y\)"),
        ("aabb", "xxy", None, "cohorts must have one entry per sample: 4; got 3"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(y, site, groups, match):
    given_groups = None if groups is None else list(groups)
    with pytest.raises(InvalidInputError, match=match):
        CohortDesign(2).draw(list(y), list(site), given_groups)


def test_missing_cohorts_and_odd_numbers_are_refused():
    with pytest.raises(InvalidInputError, match="cohorts must be all text or all numbers"):
        CohortDesign(2).draw(list("aabb"), ["x", None, "x", "y"])
    with pytest.raises(InvalidInputError, match="n_shuffles must be a whole number"):
        CohortDesign(0)


def test_places_leave_out_shuffles_that_are_not_complete():
    resamples = dict(enumerate(CohortDesign(3).draw(list("aabb" * 2), list("xxxxyyyy"))))
    numbered = {10 + at: one for at, one in resamples.items()}
    numbered[0] = SimpleNamespace(role="main", outer=None)
    assert cohort_places(numbered).tolist() == [[10, 11], [12, 13], [14, 15], [16, 17]]
    del numbered[14]
    assert cohort_places(numbered).tolist() == [[10, 11], [12, 13], [16, 17]]
