"""Comparisons of two selectors, and Nogueira's test, on resamples of the same data."""

import numpy as np
import pytest
import scipy.stats

import holdfast as hf
from holdfast.errors import InvalidInputError, UndefinedMeasureError

SUBSETS = hf.Subsets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=30)
OTHERS = hf.Subsets([[0, 1, 2], [5, 6, 3], [9, 1, 2], [0, 7, 8]], n_features=30)
ABOUT = "(about repeating this protocol on these samples)"


def random_subsets(seed, m, shares):
    rng = np.random.default_rng(seed)
    return hf.Subsets(rng.random((m, len(shares))) < shares)


STEADY = random_subsets(0, 14, np.linspace(0.9, 0.1, 30))
LOOSE = random_subsets(1, 11, np.linspace(0.7, 0.2, 30))


def values_without_each(name, subsets):
    rows = range(len(subsets))
    return np.array([hf.measure(name, subsets[[j for j in rows if j != i]]) for i in rows])


def jackknife_error(without):
    m = len(without)
    return np.sqrt((m - 1) / m * np.square(without - np.mean(without)).sum())


@pytest.mark.parametrize("name", ["jaccard", "nogueira", "novovicova"])
def test_unpaired_comparison_is_welch_s_test_with_the_variances_of_the_jackknife(name):
    got = hf.compare(STEADY, LOOSE, name)
    one, two = (jackknife_error(values_without_each(name, s)) ** 2 for s in (STEADY, LOOSE))
    freedom = (one + two) ** 2 / (one**2 / 13 + two**2 / 10)
    assert got.difference == pytest.approx(hf.measure(name, STEADY) - hf.measure(name, LOOSE))
    assert got.statistic == pytest.approx(got.difference / np.sqrt(one + two))
    law = scipy.stats.t(freedom)
    assert got.p_value == pytest.approx(2 * law.sf(abs(got.statistic)))
    assert got.high - got.difference == pytest.approx(law.ppf(0.975) * np.sqrt(one + two))
    assert got.difference - got.low == pytest.approx(law.ppf(0.975) * np.sqrt(one + two))
    mirrored = hf.compare(LOOSE, STEADY, name)
    assert mirrored.statistic == pytest.approx(-got.statistic)
    assert mirrored.p_value == pytest.approx(got.p_value)


def test_paired_comparison_leaves_out_the_same_resample_on_both_sides():
    other = random_subsets(2, 14, np.linspace(0.7, 0.2, 30))
    got = hf.compare(STEADY, other, "jaccard", paired=True, confidence=0.9)
    without = values_without_each("jaccard", STEADY) - values_without_each("jaccard", other)
    error, law = jackknife_error(without), scipy.stats.t(13)
    assert got.statistic == pytest.approx(got.difference / error)
    assert got.p_value == pytest.approx(2 * law.sf(abs(got.statistic)))
    assert got.high - got.difference == pytest.approx(law.ppf(0.95) * error)


def test_a_side_that_never_varies_leaves_the_degrees_of_freedom_to_the_other():
    fixed = hf.Subsets([[0, 1, 2]] * 20, n_features=30)
    got = hf.compare(LOOSE, fixed)
    assert "t with 10 df" in got.method
    assert np.isfinite([got.low, got.high, got.p_value]).all()


@pytest.mark.parametrize("paired", [True, False])
def test_no_p_value_from_fewer_than_ten_resamples(paired):
    ten, nine = STEADY[:10], STEADY[:9]
    other = random_subsets(3, 10, np.linspace(0.5, 0.3, 30))
    assert 0 < hf.compare(ten, other, paired=paired).p_value < 1
    few = hf.compare(nine, other[:9], paired=paired)
    assert np.isnan(few.p_value)
    assert np.isfinite([few.statistic, few.low, few.high]).all()
    assert "no p-value below 10 resamples" in str(few)
    one_sided = hf.compare(nine, other)
    assert np.isnan(one_sided.p_value)


def test_two_resamples_give_neither_interval_nor_p_value():
    got = hf.compare(SUBSETS[:2], OTHERS[:2], paired=True)
    assert np.isnan([got.low, got.high, got.statistic, got.p_value]).all()
    assert np.isfinite(got.difference)


def test_without_spread_there_is_neither_interval_nor_p_value():
    same = hf.compare(STEADY, STEADY, "jaccard", paired=True)
    assert same.difference == 0
    assert np.isnan([same.low, same.high, same.p_value]).all()
    one, two = (hf.Subsets([row] * 12, n_features=30) for row in ([0, 1], [5, 6]))
    apart = hf.compare(one, two)
    assert np.isnan([apart.low, apart.p_value]).all()
    assert "no p-value, as leaving out any one resample changes nothing" in str(apart)
    assert "[" not in str(apart)


def test_the_interval_of_a_difference_stays_within_what_the_range_allows():
    got = hf.compare(SUBSETS[:3], OTHERS[:3], "jaccard", confidence=0.999)
    assert (got.low, got.high) == (-1, 1)
    free = hf.compare(SUBSETS[:3], OTHERS[:3], "wald", confidence=0.999)
    assert free.low < -2


def test_paired_comparison_has_more_power_when_resamples_are_shared():
    """A selector and a slightly noisier copy of it on the same resamples."""
    rng = np.random.default_rng(0)
    shared = rng.random((40, 30)) < np.linspace(0.9, 0.1, 30)
    noisier = shared ^ (rng.random(shared.shape) < 0.05)
    a, b = hf.Subsets(shared), hf.Subsets(noisier)
    paired, unpaired = hf.compare(a, b, paired=True), hf.compare(a, b)
    assert paired.high - paired.low < unpaired.high - unpaired.low
    assert paired.method == "paired jackknife, t with 39 df"
    assert unpaired.method.startswith("unpaired jackknife, t with 7")


def test_compare_breaks_ties_of_both_sides_apart():
    """Two selectors that know nothing must not agree through a common seed."""
    nothing = hf.Weights(np.zeros((20, 50)))
    got = hf.compare(nothing, nothing, "spearman")
    assert got.first != got.second


def test_compare_refuses_undefined_values():
    with pytest.raises(UndefinedMeasureError, match="krizek"):
        hf.compare(hf.Subsets([[0], [0, 1], [1]], n_features=3), SUBSETS, "krizek")


def test_the_line_says_what_it_is_about():
    text = str(hf.compare(STEADY, LOOSE))
    assert text.startswith("nogueira: 0.")
    assert "difference +0." in text
    assert ", p = " in text
    assert text.endswith(ABOUT)
    assert str(hf.compare(SUBSETS, OTHERS)).endswith(f"no p-value below 10 resamples {ABOUT}")


def test_nogueira_s_test_is_student_s_with_the_error_of_the_jackknife():
    got = hf.measures.nogueira_test(STEADY, 0.3)
    error = jackknife_error(values_without_each("nogueira", STEADY))
    assert got.statistic == pytest.approx((hf.measure("nogueira", STEADY) - 0.3) / error)
    assert got.p_value == pytest.approx(scipy.stats.t(13).sf(got.statistic))
    assert np.isnan(hf.measures.nogueira_test(STEADY[:9], 0.3).p_value)
    low, high = (hf.measures.nogueira_test(STEADY, phi).p_value for phi in (-0.5, 0.95))
    assert low < got.p_value < high


def test_nogueira_s_test_says_that_it_is_no_test_for_noise():
    text = str(hf.measures.nogueira_test(STEADY))
    assert "about repeating this protocol on these samples" in text
    assert "pure noise" in text
    fixed = hf.Subsets([[0, 1]] * 12, n_features=30)
    assert "changes nothing" in str(hf.measures.nogueira_test(fixed))
    with pytest.raises(InvalidInputError, match="stability"):
        hf.measures.nogueira_test(SUBSETS, 2)
