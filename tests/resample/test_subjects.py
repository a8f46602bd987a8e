"""Samples that belong to subjects."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InvalidInputError
from holdfast.resample import Bootstrap, ComplementaryHalves, CrossValidation, Nested, Subsampling

pytestmark = pytest.mark.filterwarnings("ignore:no test part:holdfast.errors.HoldfastWarning")

GROUPS = np.repeat([f"s{i}" for i in range(12)], 3)
Y = np.repeat(["a"] * 8 + ["b"] * 4, 3)


def drawn(rows):
    return sorted(set(GROUPS[rows]))


def test_sizes_count_subjects():
    for resample in Subsampling(5, train_size=6).draw(Y, GROUPS):
        assert len(drawn(resample.train)) == 6
        assert len(resample.train) == 18
        assert np.count_nonzero(Y[resample.train] == "b") == 6  # 2 of 4 subjects


def test_subjects_are_drawn_with_replacement_with_all_their_samples():
    for resample in Bootstrap(20).draw(Y, GROUPS):
        assert len(resample.train) == 36
        times = np.bincount(resample.train, minlength=36).reshape(12, 3)
        assert (times == times[:, :1]).all()
        assert times[:8, 0].sum() == 8  # of class a


def test_subjects_are_halved():
    for resample in ComplementaryHalves(5).draw(Y, GROUPS):
        assert len(drawn(resample.train)) == len(drawn(resample.test)) == 6
        assert not set(drawn(resample.train)) & set(drawn(resample.test))


def test_folds_are_folds_of_subjects():
    resamples = CrossValidation(4).draw(Y, GROUPS)
    assert sorted(subject for r in resamples for subject in drawn(r.test)) == sorted(set(GROUPS))
    assert all(np.count_nonzero(Y[r.test] == "b") == 3 for r in resamples)


def test_the_order_of_samples_does_not_change_which_subjects_are_drawn():
    order = np.random.default_rng(0).permutation(36)
    for one, other in zip(
        Subsampling(5).draw(Y, GROUPS), Subsampling(5).draw(Y[order], GROUPS[order]), strict=True
    ):
        assert drawn(one.train) == sorted(set(GROUPS[order][other.train]))


@pytest.mark.parametrize(
    ("plan", "keep", "message"),
    [
        (CrossValidation(20), 12, "20 folds need at least as many subjects; there are 12"),
        (CrossValidation(3), 9, "class 'b' has 1 subject; 3 folds need at least 2 of every class"),
        (Subsampling(5), 9, "class 'b' has 1 subject; subsampling needs at least 2 subjects"),
        (Bootstrap(5), 9, "class 'b' has 1 subject; the bootstrap needs at least 2 subjects"),
        (ComplementaryHalves(5), 9, "class 'b' has 1 subject; halves need at least 2 subjects"),
        (Subsampling(5, 12), 12, "train_size must be below the 12 subjects"),
        (Nested(2, 3), 10, "within outer resample 0: class 'b' has 1 subject"),
        (CrossValidation(4, stratify=False), 3, "4 folds need at least as many subjects; there"),
    ],
)
def test_too_few_subjects_are_refused(plan, keep, message):
    rows = slice(0, 3 * keep)
    y = Y[rows] if keep > 8 else np.array(["a", "b", "a"] * keep)
    with pytest.raises(InvalidInputError, match=message):
        plan.draw(y, GROUPS[rows])


def test_subjects_of_one_sample_are_kept_in_twos():
    y, groups = np.repeat(["a", "b"], [20, 2]), np.arange(22)
    for resample in Subsampling(20, 0.3).draw(y, groups):
        assert set(resample.train.tolist()) >= {20, 21}
    with pytest.raises(
        InvalidInputError, match="class 'b' has 2 subjects; 4 folds need at least 3"
    ):
        CrossValidation(4).draw(y, groups)
    pairs = np.arange(22) // 2
    with pytest.raises(InvalidInputError, match="class 'b' has 1 subject; 4 folds need at least 2"):
        CrossValidation(4).draw(y, pairs)
