"""Overlaps of lists at many sizes against sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.judge._stability_profile import overlaps_by_size
from tests import naive


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 6), p=st.integers(1, 40), data=st.data())
def test_overlaps_at_each_size_are_those_of_sets(seed, m, p, data):
    rng = np.random.default_rng(seed)
    depth = data.draw(st.integers(1, p))
    lists = np.array([3 * rng.permutation(p)[:depth] for _ in range(m)], dtype=np.int32)
    sizes = sorted(data.draw(st.sets(st.integers(1, depth), min_size=1)))
    found = [table.copy() for table in overlaps_by_size(lists, sizes)]
    np.testing.assert_array_equal(found, naive.overlaps_of_tops(lists.tolist(), sizes))


@pytest.mark.parametrize("same", [True, False])
def test_equal_lists_share_all_and_disjoint_ones_nothing(same):
    lists = np.array([np.arange(5), np.arange(5) + (0 if same else 5)], dtype=np.int32)
    for size, table in zip((1, 3, 5), overlaps_by_size(lists, (1, 3, 5)), strict=True):
        assert table.tolist() == [[size, size * same], [size * same, size]]
