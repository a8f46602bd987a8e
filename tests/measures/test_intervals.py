"""Intervals: a jackknife with Student's t, within the range of the measure, or none."""

import numpy as np
import pytest
import scipy.stats

import holdfast as hf
from holdfast.measures._interval import jackknife_variance

SUBSETS = hf.Subsets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=30)
NARROW = ["jaccard", "nogueira", "kuncheva", "hamming", "anhd", "novovicova", "davis", "phi"]


def error_by_hand(name, subsets, **options):
    rows = range(len(subsets))
    without = np.array(
        [hf.measure(name, subsets[[j for j in rows if j != i]], **options) for i in rows]
    )
    m = len(without)
    return np.sqrt((m - 1) / m * np.square(without - without.mean()).sum())


@pytest.mark.parametrize("name", NARROW)
def test_an_interval_is_student_s_with_the_error_of_the_jackknife(name):
    row = hf.measure([name], SUBSETS, confidence=0.5).loc[name]
    half = scipy.stats.t(3).ppf(0.75) * error_by_hand(name, SUBSETS)
    assert (row["low"], row["high"]) == pytest.approx((row["value"] - half, row["value"] + half))
    assert row["interval"] == "jackknife"


def test_an_interval_is_cut_to_the_range():
    row = hf.measure(["nogueira"], SUBSETS, confidence=0.999).loc["nogueira"]
    assert (row["low"], row["high"]) == (-1, 1)
    half_open = hf.measure(["wald"], SUBSETS, confidence=0.999).loc["wald"]
    half = scipy.stats.t(3).ppf(0.9995) * error_by_hand("wald", SUBSETS)
    assert half_open["low"] == pytest.approx(half_open["value"] - half)
    assert half_open["high"] == 1


def test_without_a_range_it_is_student_s_interval():
    similar = np.eye(30)
    similar[2, 3] = similar[3, 2] = 0.95
    row = hf.measure(["sechidis"], SUBSETS, similarity=similar).loc["sechidis"]
    error = error_by_hand("sechidis", SUBSETS, similarity=similar)
    half = scipy.stats.t(3).ppf(0.975) * error
    assert (row["low"], row["high"]) == pytest.approx((row["value"] - half, row["value"] + half))


def test_against_a_reference_the_error_is_that_of_a_mean():
    reference = hf.Subsets([[0, 1, 2]], n_features=30)
    row = hf.measure(["jaccard"], SUBSETS, reference=reference).loc["jaccard"]
    half = scipy.stats.t(3).ppf(0.975) * scipy.stats.sem([1.0, 0.5, 1.0, 0.5])
    assert (row["low"], row["high"]) == (pytest.approx(0.75 - half), 1)


@pytest.mark.parametrize(
    ("subsets", "words"),
    [
        (SUBSETS[:2], "fewer than 3 preferences"),
        (hf.Subsets([[0, 1]] * 5, n_features=30), "the same without any one"),
        (hf.Subsets([[0, 1], [2, 3], [4, 5]], n_features=30), "the same without any one"),
        (hf.Subsets([[0, 1], [1, 2], [0, 2]], n_features=30), "the same without any one"),
    ],
)
@pytest.mark.parametrize("name", ["jaccard", "nogueira", "hamming"])
def test_no_interval_where_it_cannot_be_known(subsets, words, name):
    row = hf.measure([name], subsets).loc[name]
    assert np.isfinite(row["value"])
    assert np.isnan([row["low"], row["high"]]).all()
    assert row["note"].startswith("no interval: ")
    assert words in row["note"]


def test_a_value_at_an_end_of_the_range_may_vary():
    """ATI_PA cuts off what is below chance; without the third subset, the others agree."""
    subsets = hf.Subsets([[0, 1], [0, 2], [3, 4]], n_features=10)
    row = hf.measure(["ati_pa"], subsets).loc["ati_pa"]
    assert (row["value"], row["low"]) == (0, 0)
    assert row["high"] > 0


def test_no_interval_if_the_value_is_undefined_without_a_preference():
    subsets = hf.Subsets([[], [], [0, 1]], n_features=10)
    row = hf.measure(["nogueira"], subsets).loc["nogueira"]
    assert np.isfinite(row["value"])
    assert row["note"] == "no interval: undefined without one of the preferences"


def test_a_number_for_undefined_pairs_may_lie_beyond_the_range():
    subsets = hf.Subsets([[0, 1], [0, 1, 2], [0, 1], [0, 2]], n_features=30)
    row = hf.measure(["kuncheva"], subsets, undefined=-9.0).loc["kuncheva"]
    assert row["value"] < -1
    half = scipy.stats.t(3).ppf(0.975) * error_by_hand("kuncheva", subsets, undefined=-9.0)
    assert row["high"] == pytest.approx(row["value"] + half)


def test_rounding_is_no_spread():
    assert jackknife_variance(np.array([0.3, 0.1 + 0.2, 0.3])) == 0
    assert np.isnan(jackknife_variance(np.array([0.3, 0.4])))
    assert np.isnan(jackknife_variance(np.array([0.3, np.nan, 0.4])))
    assert jackknife_variance(np.array([1.0, 2.0, 3.0])) == pytest.approx(4 / 3)


@pytest.mark.parametrize("m", [3, 5, 10])
def test_intervals_never_leave_the_range(m):
    rng = np.random.default_rng(m)
    names = [*NARROW, "ati_pa", "krizek", "relative_weighted_consistency", "krizek_entropy"]
    seen = 0
    for share in (0.05, 0.3, 0.5, 0.7, 0.95):
        order = np.argsort(rng.random((m, 20)) + share * np.linspace(0, 2, 20), axis=1)[:, :5]
        table = hf.measure(names, hf.Subsets(order, n_features=20), confidence=0.999)
        known = table[table["low"].notna()]
        seen += len(known)
        assert (known["low"] >= known["minimum"]).all()
        assert (known["high"] <= known["maximum"]).all()
        assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()
        assert (known["low"] < known["high"]).all()
    assert seen >= 20


@pytest.mark.slow
@pytest.mark.parametrize("m", [5, 10, 40])
def test_intervals_cover_what_repeating_the_protocol_gives(m):
    """With independent preferences 95% intervals hold the true mean at least nine times in ten."""
    rng = np.random.default_rng(m)
    shares = np.array([0.95] * 5 + [0.3] * 15)
    systems = rng.random((400, m, 20)) < shares
    truth = hf.measure("nogueira", hf.Subsets(rng.random((20_000, 20)) < shares))
    rows = [hf.measure(["nogueira"], hf.Subsets(one)).loc["nogueira"] for one in systems]
    assert 0.90 <= np.mean([row["low"] <= truth <= row["high"] for row in rows]) <= 0.985
