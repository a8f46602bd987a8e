"""The mean shift kernels against distances between all pairs, whatever the products' rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from holdfast._kernels import mean_shift


class Case:
    """Random points and centres, with products that are wrong by almost the slack."""

    slack = 0.3

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.points = rng.normal(size=(40, 4))
        self.centres = rng.normal(size=(9, 4))
        self.apart = cdist(self.centres, self.points)
        products = self.centres @ self.points.T - 0.5 * np.square(self.points).sum(axis=1)
        wrong = rng.uniform(-0.99, 0.99, products.shape) * self.slack
        self.products = (products + wrong).astype(np.float32)
        self.radius2 = rng.uniform(0.5, 3.0) ** 2


cases = given(st.integers(0, 10_000).map(Case))


@cases
def test_points_within_the_radius_are_those_that_distances_say(case):
    flags = np.zeros(case.products.shape, dtype=bool)
    mean_shift.mark_within_radius(
        case.products, case.slack, case.points, case.centres, case.radius2, flags
    )
    assert np.array_equal(flags, case.apart <= np.sqrt(case.radius2))


@cases
def test_shift_goes_to_the_mean_of_the_points_within_the_radius(case):
    means = np.zeros_like(case.centres)
    counts, firsts = np.zeros((2, 9), dtype=np.int64)
    mean_shift.shift_centres(
        case.products, case.slack, case.points, case.centres, case.radius2, means, counts, firsts
    )
    for c, apart in enumerate(case.apart):
        near = np.flatnonzero(apart <= np.sqrt(case.radius2))
        expected = case.points[near].mean(axis=0) if len(near) else case.centres[c]
        assert means[c] == pytest.approx(expected)
        assert counts[c] == len(near)
        assert firsts[c] == (near[0] if len(near) else 40)


@cases
def test_nearest_points_are_those_that_distances_say(case):
    left_out = np.arange(9) * 3 - 1
    for k in (1, 3, 39):
        means = np.zeros(9)
        mean_shift.mean_nearest_distances(
            case.products, case.slack, case.points, case.centres, left_out, k, means
        )
        for c, apart in enumerate(case.apart):
            others = np.delete(apart, left_out[c]) if left_out[c] >= 0 else apart
            assert means[c] == pytest.approx(np.sort(others)[:k].mean())


@cases
def test_each_peak_ends_later_ones_in_its_radius_but_those_that_ended_end_none(case):
    peaks = case.points
    rng = np.random.default_rng(1)
    products = peaks @ peaks.T - 0.5 * np.square(peaks).sum(axis=1)
    products += rng.uniform(-0.99, 0.99, products.shape) * case.slack
    alive = np.ones(40, dtype=bool)
    for block in (slice(0, 13), slice(13, 40)):
        mean_shift.drop_nearby_peaks(
            products[block].astype(np.float32), case.slack, peaks, block.start, case.radius2, alive
        )
    expected = []
    for i, apart in enumerate(cdist(peaks, peaks)):
        if not any(apart[j] <= np.sqrt(case.radius2) for j in expected):
            expected.append(i)
    assert np.flatnonzero(alive).tolist() == expected


def test_the_same_points_have_the_same_mean_to_the_last_bit():
    case = Case(3)
    means, counts, firsts = np.zeros((2, 4)), *np.zeros((2, 2), dtype=np.int64)
    centres = np.array([[0.1, 0.0, 0.0, 0.0], [0.0, 0.1, 0.0, 0.0]])
    products = np.full((2, 40), np.float32(1e6))
    mean_shift.shift_centres(products, 0.0, case.points, centres, 1.0, means, counts, firsts)
    assert np.array_equal(means[0], means[1])
    assert counts.tolist() == [40, 40]
