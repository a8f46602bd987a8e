"""The distribution of t-scores, and of how many of them lie above a place."""

import numpy as np
import pytest
from scipy.stats import binom, nct, norm

from holdfast.theory._selection_threshold import compute_spectrum
from holdfast.theory._t_score import TScoreDistribution
from tests.theory import exact


@pytest.mark.parametrize("freedom", [3, 8, 38, 398, 20_000, np.inf])
def test_tails_are_normal_tails_averaged_over_the_chi_density(freedom):
    scores = TScoreDistribution(1.0, freedom)
    shifts, z = np.array([0.0, 0.7, 3.0, 12.0]), np.array([0.0, 0.2, 1.0, 2.5, 5.0])
    wanted = [exact.tail(scores.to_score(z), shift, freedom) for shift in shifts]
    near = 1e-5 if freedom < 8 else 1e-9  # the reference has an edge at 0 there
    assert scores.tails(shifts, z) == pytest.approx(np.array(wanted), abs=near)


def test_tails_agree_with_scipy_where_it_is_accurate():
    scores = TScoreDistribution(1.0, 18.0)
    z = np.linspace(0.1, 5, 9)
    t = scores.to_score(z)
    for shift in (0.0, 1.0, 4.0):
        wanted = nct.sf(t, 18, shift) + nct.cdf(-t, 18, shift)
        assert scores.tails(np.array([shift]), z)[0] == pytest.approx(wanted, abs=1e-9)


def test_few_degrees_of_freedom_have_closed_forms():
    z = np.array([0.3, 1.0, 3.0])
    cauchy = TScoreDistribution(1.0, 1.0)
    wanted = 1 - 2 / np.pi * np.arctan(cauchy.to_score(z))
    assert cauchy.tails(np.zeros(1), z)[0] == pytest.approx(wanted, abs=1e-10)
    two = TScoreDistribution(1.0, 2.0)
    t = two.to_score(z)
    assert two.tails(np.zeros(1), z)[0] == pytest.approx(1 - t / np.sqrt(2 + t**2), abs=1e-10)


@pytest.mark.parametrize("freedom", [1, 2, 8, 398, 2e9, np.inf])
def test_densities_are_slopes_of_tails(freedom):
    scores = TScoreDistribution(1.0, freedom)
    shifts, z, step = np.array([0.0, 2.0, 8.0]), np.linspace(0.1, 7, 15), 1e-4
    slope = (scores.tails(shifts, z - step) - scores.tails(shifts, z + step)) / (2 * step)
    assert scores.densities(shifts, z) == pytest.approx(slope, abs=1e-6)


def test_huge_samples_are_normal():
    known, estimated = (
        TScoreDistribution.from_class_sizes((10**9, 10**9), "chi2"),
        TScoreDistribution.from_class_sizes((10**9, 10**9), "f"),
    )
    shifts = np.array([0.0, 300.0])
    z = np.array([1.0, 2.0, 299.0, 301.0])
    wanted = norm.sf(z[np.newaxis] - shifts[:, np.newaxis])
    wanted[0] *= 2
    assert known.tails(shifts, z) == pytest.approx(wanted, abs=1e-12)
    assert estimated.tails(shifts, estimated.to_place(z)) == pytest.approx(wanted, abs=1e-5)


def test_shifts_are_those_of_unequal_classes():
    scores = TScoreDistribution.from_class_sizes((10, 30), "f")
    assert scores.freedom == 38
    assert scores.shifts(np.array([0.5])) ** 2 == pytest.approx(10 * 30 / 40)
    assert TScoreDistribution.from_class_sizes((8, 8), "f").shifts(
        np.array([0.3])
    ) ** 2 == pytest.approx(2 * 8 * 0.09)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 40), (100, 900), (10_000, 90_000), (0, 10**6)])
@pytest.mark.parametrize("chances", [(0.9, 0.05), (0.5, 0.5), (1e-4, 1e-5), (1.0, 0.1)])
def test_counts_have_the_exact_distribution(sizes, chances):
    """The binomial sum that the characteristic function stands for."""
    tails = np.array(chances)[:, np.newaxis]
    counts = np.array(sizes, dtype=float)
    mean, deviation = counts @ tails[:, 0], np.sqrt(counts @ (tails * (1 - tails))[:, 0])
    spectrum = compute_spectrum(tails, counts)
    for most in {int(max(mean + k * deviation, 0)) for k in (-4, -1, 0, 1, 4)}:
        found = spectrum.cdf_without_one(most)[:, 0]
        for group in np.flatnonzero(counts):
            own = counts - (np.arange(2) == group)
            i = np.arange(own[0] + 1)
            wanted = binom.pmf(i, own[0], chances[0]) @ binom.cdf(most - i, own[1], chances[1])
            assert found[group] == pytest.approx(wanted, abs=1e-8)


def test_two_features_are_left_out_as_one_after_the_other():
    tails, counts = np.array([[0.3], [0.6]]), np.array([5.0, 4.0])
    found = compute_spectrum(tails, counts).cdf_without_two(4)[0]
    for j, k in ((0, 0), (0, 1), (1, 1)):
        rest = counts.copy()
        rest[j] -= 1
        rest[k] -= 1
        i = np.arange(rest[0] + 1)
        wanted = binom.pmf(i, rest[0], 0.3) @ binom.cdf(4 - i, rest[1], 0.6)
        assert found[j, k] == pytest.approx(wanted, abs=1e-10)
