"""Bootstrap samples of small classes hold two different samples of each."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InvalidInputError
from holdfast.resample import Bootstrap, Nested, Splits
from tests.resample.strategies import same

pytestmark = pytest.mark.filterwarnings("ignore:no test part:holdfast.errors.HoldfastWarning")


@pytest.mark.parametrize("few", [2, 3, 4])
@pytest.mark.parametrize("stratify", [True, False])
def test_copies_of_one_sample_are_no_class(few, stratify):
    y = np.array(["a"] * few + ["b"] * 10)
    for resample in Bootstrap(100, stratify=stratify).draw(y):
        counts = np.unique(y[np.unique(resample.train)], return_counts=True)[1]
        assert counts.min() >= 2
        assert len(resample.train) == len(y)


def test_samples_that_can_be_used_are_as_they_were_drawn():
    """A class of three has copies of one sample now and then; only these are drawn anew."""
    y = ["a"] * 3 + ["b"] * 10
    times = np.zeros(3)
    for resample in Bootstrap(3000).draw(y):
        times += np.bincount(resample.train, minlength=13)[:3]
    assert np.allclose(times / 3000, 1, atol=0.05)


def test_more_bootstrap_samples_leave_the_first_as_they_are():
    y = ["a"] * 2 + ["b"] * 10
    assert same(Bootstrap(10).draw(y), Bootstrap(40).draw(y)[:10])


def test_what_stays_unusable_is_refused():
    y = [f"class {code}" for code in range(16) for _ in range(2)]
    with pytest.raises(InvalidInputError, match="2 different samples of every class"):
        Bootstrap(1).draw(y)


def test_copies_do_not_count_in_given_splits_nor_within_outer_samples():
    y = ["a"] * 6 + ["b"] * 6
    with pytest.raises(InvalidInputError, match="resample 0 has 1 sample of class 'a'"):
        Splits([([0, 0, 6, 7], [1])]).draw(y)
    with pytest.raises(InvalidInputError, match="2 different samples"):
        Nested(Splits([([0, 0, 1, 1, 6, 6, 7, 7], [2])]), 2).draw(y)
