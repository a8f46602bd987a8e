"""Tests of differences in error, against scipy, textbook values and naive versions."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError
from holdfast.judge import correct_for_best, corrected_t_test, holm, mcnemar
from holdfast.judge._significance import mcnemar_p_values

COUNTS = st.integers(0, 60)
SHARES = st.floats(-1, 1).map(lambda x: round(x, 3))


def of_counts(only_a, only_b, both=3, neither=4):
    a = [True] * only_a + [False] * only_b + [True] * both + [False] * neither
    b = [False] * only_a + [True] * only_b + [True] * both + [False] * neither
    return mcnemar(a, b)


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_binomial_test_of_the_discordant_samples(only_a, only_b):
    n = only_a + only_b
    expected = scipy.stats.binomtest(only_a, n, 0.5).pvalue if n else 1.0
    assert of_counts(only_a, only_b) == pytest.approx(expected, abs=1e-12)


def test_mcnemar_of_a_textbook_example():
    # Agresti, Categorical Data Analysis: votes of 1,144 citizens at two elections, 150 changed
    # one way and 86 the other; the exact two-sided p-value is twice a binomial tail
    expected = 2 * sum(scipy.stats.binom.pmf(range(87), 236, 0.5))
    assert of_counts(150, 86) == pytest.approx(expected, rel=1e-9)
    assert of_counts(150, 86) == pytest.approx(3.716e-05, rel=1e-3)


def test_mcnemar_without_a_discordant_sample_is_1():
    assert of_counts(0, 0) == 1.0
    assert mcnemar([], []) == 1.0
    assert np.isfinite(mcnemar_p_values([0, 5], [0, 5])).all()


def test_mcnemar_refuses_other_samples():
    with pytest.raises(InvalidInputError, match="shapes"):
        mcnemar([True], [True, False])


def naive_t(differences, overlap):
    known = [d for d in differences if not np.isnan(d)]
    k = len(known)
    mean = sum(known) / k
    variance = sum((d - mean) ** 2 for d in known) / (k - 1)
    t = mean / np.sqrt((1 / k + overlap) * variance)
    return 2 * scipy.stats.t.sf(abs(t), k - 1)


@given(st.lists(SHARES, min_size=2, max_size=30), st.floats(0, 2))
def test_the_corrected_t_test_is_its_formula(differences, overlap):
    if np.ptp(differences) > 0:
        expected = naive_t(differences, overlap)
        assert corrected_t_test(differences, overlap) == pytest.approx(expected, abs=1e-9)


def test_without_overlap_it_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 15))
    assert corrected_t_test(a - b, 0) == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue)


def test_unknown_differences_are_left_out():
    assert corrected_t_test([0.1, np.nan, 0.3, 0.2], 0.1) == pytest.approx(
        corrected_t_test([0.1, 0.3, 0.2], 0.1)
    )


def test_edge_cases_of_the_corrected_t_test():
    assert corrected_t_test([0.0] * 5, 0.1) == 1.0
    assert corrected_t_test([0.3 - 0.2, 0.2 - 0.1, 0.1], 0.1) == 0.0  # equal but for rounding
    assert np.isnan(corrected_t_test([0.3], 0.1))
    assert np.isnan(corrected_t_test([], 0.1))
    with pytest.raises(InvalidInputError, match="overlap"):
        corrected_t_test([0.1, 0.2], -1)


def test_holm_by_hand():
    # 4 x 0.005; 3 x 0.01; 2 x 0.03; then never less than the one before
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == [0.03, 0.06, 0.06, 0.02]
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


def test_holm_does_not_count_missing_tests():
    got = holm([np.nan, 0.01, 0.02])
    assert np.isnan(got[0])
    assert got[1:].tolist() == [0.02, 0.02]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_refuses_as_its_steps_say(p_values):
    alpha, m = 0.1, len(p_values)
    refused = set()
    for step, at in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[at] * (m - step) > alpha:
            break
        refused.add(int(at))
    assert set(np.flatnonzero(holm(p_values) <= alpha).tolist()) == refused


def test_tests_against_the_chosen_best_count_all_comparisons_of_those_left():
    # 5 pairs: 10 comparisons, then 6, 3 and 1
    found = correct_for_best([0.2, np.nan, 0.001, 0.03, 0.004])
    assert found == pytest.approx([0.2, np.nan, 0.01, 0.09, 0.024], nan_ok=True)
    # never below the one before, never above 1
    assert correct_for_best([np.nan, 0.02, 0.021, 0.9]).tolist()[1:] == [0.12, 0.12, 0.9]
    assert correct_for_best([0.5, np.nan, 0.4]).tolist()[0] == 1.0
    assert np.isnan(correct_for_best([np.nan])).all()


def test_equals_are_called_worse_as_rarely_as_promised():
    """Six means of the same law: the range of them, not one difference, is tested."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(4000, 6))
    best = means.argmin(axis=1)[:, None]
    apart = (means - np.take_along_axis(means, best, axis=1)) / np.sqrt(2)
    p_values = 2 * scipy.stats.norm.sf(apart)
    np.put_along_axis(p_values, best, np.nan, axis=1)
    called = [(correct_for_best(row) <= 0.05).any() for row in p_values]
    before = [(holm(row) <= 0.05).any() for row in p_values]
    assert np.mean(called) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)
    assert np.mean(called) > 0.03
    assert np.mean(before) > 0.08
