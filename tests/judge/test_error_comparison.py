"""All pairs against each other: the fast way gives what one test at a time gives."""

import numpy as np
import pytest
import scipy.stats

from holdfast import judge
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import Pair, compare_pairs, corrected_t_test, holm, mcnemar
from holdfast.judge._error_comparison import PredictionErrors
from tests.judge.predictions import naive_spread, once, pairs, repeated, subsampled


def holed(tested, seed=1):
    """Leave out the predictions of one test part of each pair."""
    rng = np.random.default_rng(seed)
    known = np.ones_like(tested.wrong)
    for row in known:
        row[tested.group == rng.choice(tested.group)] = False
    return known


@pytest.mark.parametrize("whole", [True, False])
def test_samples_tested_once_are_compared_by_mcnemar(whole):
    wrong = np.random.default_rng(0).random((5, 40)) < [[0.1], [0.2], [0.3], [0.5], [0.5]]
    known = None if whole else holed(once(wrong))
    tested = once(wrong, known)
    table = compare_pairs(tested, correction=None)
    assert len(table) == 10
    for row in table.itertuples():
        a, b = int(row.selector_a[1:]), int(row.selector_b[1:])
        both = tested.known[a] & tested.known[b]
        assert row.p_value == pytest.approx(mcnemar(wrong[a][both], wrong[b][both]))
        assert row.error_a == pytest.approx(wrong[a][tested.known[a]].mean())
        assert row.difference == pytest.approx(row.error_a - row.error_b)
    assert set(table["test"]) == {"McNemar's exact test"}


@pytest.mark.parametrize("whole", [True, False])
def test_samples_tested_repeatedly_are_compared_by_the_corrected_t_test(whole):
    tested = subsampled([0.1, 0.2, 0.3, 0.5])
    if not whole:
        known = holed(tested)
        tested = repeated(tested.wrong, tested.group, tested.samples, 0.25, known)
    table = compare_pairs(tested, correction=None)
    shares = np.full((4, 20), np.nan)
    for pair, part in np.ndindex(4, 20):
        here = tested.known[pair] & (tested.group == part)
        if here.any():
            shares[pair, part] = tested.wrong[pair][here].mean()
    for row in table.itertuples():
        a, b = int(row.selector_a[1:]), int(row.selector_b[1:])
        expected = corrected_t_test(shares[a] - shares[b], 0.25)
        assert row.p_value == pytest.approx(expected, abs=1e-9)
        assert row.error_b == pytest.approx(np.nanmean(shares[b]))


def test_shared_training_samples_enlarge_mcnemars_test():
    wrong = np.random.default_rng(0).random((2, 80)) < [[0.2], [0.4]]
    row = compare_pairs(once(wrong)).iloc[0]
    a, b = np.sum(wrong[0] & ~wrong[1]), np.sum(~wrong[0] & wrong[1])
    statistic = abs(a - b) / np.sqrt(a + b) / np.sqrt(1 + 40 / 80)
    assert row["p_value"] == pytest.approx(2 * scipy.stats.t.sf(statistic, 79))
    assert row["p_value"] > mcnemar(*wrong)
    assert row["test"] == "McNemar's test, enlarged for shared training samples"


def test_p_values_are_corrected_for_being_many_or_not():
    tested = subsampled([0.1, 0.2, 0.3, 0.5])
    table = compare_pairs(tested)
    assert table["p_corrected"].tolist() == holm(table["p_value"]).tolist()
    assert (table["p_corrected"] > table["p_value"]).any()
    plain = compare_pairs(tested, correction=None)
    assert set(plain["test"]) == {"the corrected resampled t-test"}
    assert plain["p_corrected"].tolist() == plain["p_value"].tolist()
    with pytest.raises(UnknownNameError, match="correction"):
        compare_pairs(tested, correction="bonferroni")


def test_pairs_without_a_shared_prediction_have_no_p_value():
    known = [[True] * 3 + [False] * 3, [False] * 3 + [True] * 3]
    table = compare_pairs(once(np.zeros((2, 6)), known))
    assert table["p_value"].isna().all()


def test_one_pair_has_nothing_to_be_compared_with():
    assert len(compare_pairs(once([[True, False]]))) == 0


def test_weights_count_samples_as_often_as_copies_of_them():
    wrong = np.random.default_rng(3).random((4, 12)) < 0.4
    times = np.array([0, 1, 2, 0, 3, 1, 1, 0, 2, 1, 0, 1])
    weighted = PredictionErrors(once(wrong)).candidate_errors(times)
    copied = PredictionErrors(once(np.repeat(wrong, times, axis=1))).candidate_errors()
    assert weighted.errors == pytest.approx(copied.errors)
    assert weighted.standard_errors == pytest.approx(copied.standard_errors)
    assert weighted.p_values(2) == pytest.approx(copied.p_values(2))


def test_samples_that_are_drawn_thrice_count_thrice():
    """A copy of a sample is a sample of its own, with the weights that its test parts had."""
    tested = subsampled([0.2, 0.5, 0.3], k=6)
    sheet = PredictionErrors(tested)
    drawn = np.random.default_rng(0).integers(0, 3, size=sheet.n_units)
    columns = np.repeat(np.arange(len(tested.samples)), drawn[sheet.unit])
    weighted = sheet.candidate_errors(drawn)
    assert weighted.errors == pytest.approx(tested.wrong[:, columns].mean(axis=1))
    copy = np.concatenate([np.arange(times) for times in drawn[sheet.unit]])
    samples = tested.samples[columns] + 1000 * copy
    for pair in range(3):
        value = tested.wrong[pair, columns].astype(float)
        group = np.zeros(len(columns))  # test parts are of one size, so all weights are equal
        mean, spread = naive_spread(value, samples, group, samples, once=False, overlap=0.25)
        assert weighted.errors[pair] == pytest.approx(mean)
        assert weighted.standard_errors[pair] == pytest.approx(spread)


def test_a_data_set_that_is_drawn_thrice_counts_thrice():
    part = np.repeat(np.arange(6), 10)
    wrong = np.zeros((2, 60), dtype=bool)
    wrong[0, :8] = wrong[0, 10::10] = wrong[1, ::4] = True
    sets = repeated(wrong, part, np.arange(60), overlap=0.0, units=part)
    times = np.array([3, 0, 1, 1, 1, 0])
    columns = np.concatenate([np.flatnonzero(part == set_) for set_ in np.repeat(range(6), times)])
    copied_part = np.repeat(np.arange(6), 10)
    copies = repeated(wrong[:, columns], copied_part, np.arange(60), overlap=0.0, units=copied_part)
    weighted, copied = (
        PredictionErrors(sets).candidate_errors(times),
        PredictionErrors(copies).candidate_errors(),
    )
    assert weighted.errors[0] == pytest.approx((3 * 0.8 + 3 * 0.1) / 6)
    assert weighted.errors == pytest.approx(copied.errors)
    assert weighted.standard_errors == pytest.approx(copied.standard_errors)
    assert weighted.p_values(1) == pytest.approx(copied.p_values(1), nan_ok=True)


def of_subjects(rng, count=20, samples=10, holed=False):
    """Return two pairs that are right or wrong about whole subjects, by the same probability."""
    subject = np.repeat(np.arange(count), samples)
    wrong = (rng.random((2, count)) < 0.3)[:, subject]
    known = np.ones_like(wrong)
    if holed:
        known[0, :15] = False
    return once(wrong, known, units=subject), subject


@pytest.mark.parametrize("holed", [False, True])
def test_samples_of_subjects_are_compared_by_the_t_test_on_subjects(holed):
    tested, subject = of_subjects(np.random.default_rng(1), holed=holed)
    both = tested.known.all(axis=0)
    apart = np.where(both, tested.wrong[0].astype(int) - tested.wrong[1], 0)
    sums = [apart[subject == one].sum() for one in range(20) if both[subject == one].any()]
    row = compare_pairs(tested, correction=None).iloc[0]
    if not holed:  # subjects of unequal numbers count by these
        assert row["p_value"] == pytest.approx(scipy.stats.ttest_1samp(sums, 0).pvalue)
        enlarged = scipy.stats.t.sf(abs(scipy.stats.ttest_1samp(sums, 0).statistic) / 2**0.5, 19)
        assert compare_pairs(tested)["p_value"][0] == pytest.approx(2 * enlarged)
    assert row["test"] == "the t-test on subjects"
    assert compare_pairs(tested)["test"][0] == (
        "the t-test on subjects, enlarged for shared training samples"
    )
    assert row["error_a"] == pytest.approx(tested.wrong[0][tested.known[0]].mean())


@pytest.mark.slow
def test_the_t_test_on_subjects_keeps_its_level():
    rng = np.random.default_rng(0)
    drawn = [of_subjects(rng)[0] for _ in range(400)]
    found = [compare_pairs(tested)["p_value"][0] <= 0.05 for tested in drawn]
    naive = [mcnemar(*tested.wrong) <= 0.05 for tested in drawn]
    assert np.mean(found) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean(naive) > 0.4


def test_standard_errors_of_subjects_are_those_of_a_linear_model_with_clusters():
    rng = np.random.default_rng(2)
    subject = np.sort(rng.integers(12, size=80))
    wrong = rng.random((1, 80)) < 0.2 + 0.5 * (subject % 3 == 0)
    scored = PredictionErrors(once(wrong, units=subject)).candidate_errors()
    error, total = wrong.mean(), 0.0
    for one in np.unique(subject):  # the sandwich (CR2), for a model that is a constant
        own = subject == one
        total += (wrong[0][own] - error).sum() ** 2 / (1 - own.mean())
    assert scored.errors[0] == pytest.approx(error)
    # doubled, as so few units train each other
    assert scored.standard_errors[0] == pytest.approx(np.sqrt(2 * total) / 80)
    # equal subjects: the standard error of the mean of their shares
    equal = np.repeat(np.arange(8), 10)
    shares = wrong[0].reshape(8, 10).mean(axis=1)
    found = PredictionErrors(once(wrong, units=equal)).candidate_errors().standard_errors[0]
    assert found == pytest.approx(np.sqrt(2) * scipy.stats.sem(shares))


@pytest.mark.parametrize("kind", ["samples", "subjects", "never twice", "data sets"])
def test_standard_errors_of_repeated_tests_are_their_definition(kind):
    tested = subsampled([0.2, 0.4], n=30, k=7, share=0.2, seed=3)
    if kind == "never twice":
        tested = subsampled([0.2, 0.4], n=30, k=1, share=0.5, seed=3)
    units = {"subjects": tested.samples // 3, "data sets": tested.group}.get(kind, tested.samples)
    overlap = 0.0 if kind == "data sets" else tested.overlap
    scored = PredictionErrors(
        repeated(tested.wrong, tested.group, tested.samples, overlap, units=units)
    )
    how = {"once": False, "overlap": overlap}
    where = tested.samples, tested.group, units
    for pair in range(2):
        expected = naive_spread(tested.wrong[pair].astype(float), *where, **how)
        found = scored.candidate_errors()
        assert (found.errors[pair], found.standard_errors[pair]) == pytest.approx(expected)
    apart = tested.wrong[1].astype(float) - tested.wrong[0]
    mean, spread = naive_spread(apart, *where, **how)
    p_value = 2 * scipy.stats.t.sf(abs(mean / spread), len(np.unique(units)) - 1)
    assert scored.candidate_errors().p_values(0)[1] == pytest.approx(p_value)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["once", "repeatedly"])
def test_hundreds_of_pairs_are_compared_each_with_each(kind):
    rng = np.random.default_rng(0)
    tested = once(rng.random((320, 200)) < 0.3) if kind == "once" else subsampled([0.3] * 320)
    assert len(compare_pairs(tested)) == 51_040


def test_predictions_of_another_shape_are_refused():
    with pytest.raises(InvalidInputError, match=r"known must have the shape \(2, 3\)"):
        judge.Tested(
            pairs=pairs(2), wrong=np.zeros((2, 3)), known=np.zeros((2, 2)), samples=[0, 1, 2],
            group=[0, 0, 0], once=True, overlap=0.1,
        )  # fmt: skip


def test_pairs_are_described_in_words():
    assert str(Pair("a", "knn3", 1)) == "a with knn3 on 1 feature"
    assert str(Pair("a", None, "own")) == "a on as many features as it chooses"
