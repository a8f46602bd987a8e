"""Recommendations from tables made by hand, rule by rule."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import ChoiceError, Pair, PairValues, recommend
from tests.judge.predictions import once

NAMES = ["s0", "s1", "s2", "s3"]
STABILITY = [0.2, 0.5, 0.9, 0.95]
NOT_KNOWN = (
    "It is not known whether a second study would find these features (no table of replication "
    "stability was given): pairs are ordered by their stability over resamples of these data."
)
# samples that each pair gets wrong: 10, 12, 14 and 60 of 100
WRONG = np.array([np.arange(100) < count for count in (10, 12, 14, 60)])


def errors_of(wrong=WRONG, size=5, classifier="knn3"):
    error = np.asarray(wrong).mean(axis=1)
    spread = np.sqrt(error * (1 - error) / np.asarray(wrong).shape[1])
    return pd.DataFrame(
        {
            "selector": NAMES[: len(error)], "classifier": classifier, "size": size,
            "error": error, "standard_error": spread,
        }
    )  # fmt: skip


def stability_of(values, measure="nogueira", size=5, chance=0.0, half=0.1):
    values = np.asarray(values, dtype=float)
    return pd.DataFrame(
        {
            "selector": NAMES[: len(values)], "size": size, "measure": measure, "value": values,
            "low": values - half, "high": values + half, "chance": chance,
        }
    )  # fmt: skip


def given(values=STABILITY, wrong=WRONG, **options):
    options = {"measure": "nogueira", **options}
    stability = stability_of(values, options["measure"])
    return recommend(errors_of(wrong), stability, once(wrong), **options)


def test_the_most_stable_of_those_not_worse_than_the_best_is_recommended():
    got = given()
    assert got.pair == Pair("s2", "knn3", 5)
    assert (got.error, got.stability, got.low, got.high) == pytest.approx((0.14, 0.9, 0.8, 1.0))
    assert got.rivals["selector"].tolist() == ["s2", "s1", "s0"]
    assert got.table["selector"].tolist() == NAMES
    assert got.table["recommended"].tolist() == [False, False, True, False]
    # 2, 4 and 50 samples of which one alone errs, with variances 1.4 times as large; one of six
    # comparisons, of three, and the last
    apart = np.array([2, 4, 50])
    p_values = 2 * scipy.stats.t.sf(np.sqrt(apart / 1.4), 99) * [1, 3, 6]
    expected = [np.nan, max(p_values[:2]), p_values[1], p_values[2]]
    assert got.table["p_value"].tolist() == pytest.approx(expected, nan_ok=True)


def test_the_correction_decides_who_is_not_worse():
    wrong = np.array([np.arange(100) < count for count in (10, 10, 20, 22)])
    # 10 and 12 samples of which one alone errs
    raw = 2 * scipy.stats.t.sf(np.sqrt(np.array([10, 12]) / 1.4), 99)
    chosen, many = given(wrong=wrong), given(wrong=wrong, correction="holm")
    plain = given(wrong=wrong, correction=None)
    assert chosen.table["p_value"].tolist()[2:] == pytest.approx([raw[0] * 3, raw[1] * 6])
    assert many.table["p_value"].tolist()[2:] == pytest.approx([raw[0] * 2, raw[1] * 3])
    assert plain.table["p_value"].tolist()[2:] == pytest.approx([2 / 2**10, 2 / 2**12])
    assert (raw * [3, 6] > raw * [2, 3]).all()
    assert plain.selector == many.selector == "s1"
    assert given(wrong=wrong, alpha=0.015).selector == "s3"
    assert given(wrong=wrong, alpha=0.015, correction="holm").selector == "s2"
    assert "Holm's correction for 3 comparisons" in str(many)
    assert "by McNemar's exact test)" in str(plain)


def test_one_standard_error_above_the_best_is_the_limit():
    got = given(rule="one_standard_error")  # the best: 0.10 with a standard error of 0.03
    assert got.selector == "s1"
    assert got.rivals["selector"].tolist() == ["s1", "s0"]
    assert "within one standard error" in str(got)


def test_rpt_weighs_accuracy_and_stability_by_beta():
    assert given(rule="rpt").selector == "s2"  # 2 x 0.9 x 0.86 / 1.76 = 0.88
    assert given(rule="rpt").table["rpt"][2] == pytest.approx(0.87954545)
    assert given([0.5, 0.6, 0.7, 0.95], rule="rpt", beta=100).selector == "s0"
    far = given(rule="rpt", beta=0.01)
    assert far.selector == "s3"
    assert "more than chance explains" in str(far)
    assert far.rivals["selector"].tolist() == ["s3", "s2", "s1", "s0"]


def test_equals_are_distinguished_by_stability_error_size_and_order():
    same = np.array([np.arange(100) < 10] * 4)
    assert given([0.5, 0.8, 0.8, 0.1], same).selector == "s1"
    assert given([0.5, 0.8, 0.8, 0.1], WRONG[[0, 2, 1, 3]]).selector == "s2"
    sizes = [5, 10, 5, 5]
    got = recommend(
        errors_of(same, sizes), stability_of([0.5, 0.8, 0.8, 0.1], size=sizes),
        measure="nogueira", rule="one_standard_error",
    )  # fmt: skip
    assert got.selector == "s2"


def test_sizes_of_their_own_count_by_their_mean():
    same = np.array([np.arange(100) < 10] * 2)
    sizes = [8, "own"]
    tables = errors_of(same, sizes), stability_of([0.8, 0.8], size=sizes)
    options = {"measure": "nogueira", "rule": "one_standard_error"}
    assert recommend(*tables, **options).size == 8
    assert recommend(*tables, **options, own_sizes={"s1": 6.5}).size == "own"
    got = recommend(*tables, **options, own_sizes={"s1": 9.0})
    assert got.table["front"].tolist() == [True, False]
    assert recommend(*tables, **options).table["front"].tolist() == [True, True]


def test_pairs_without_an_error_or_a_stability_are_not_chosen():
    errors = errors_of()
    errors.loc[0, "error"] = np.nan
    got = recommend(errors, stability_of([0.2, 0.5, np.nan, 0.95]), once(WRONG), measure="nogueira")
    assert got.selector == "s1"
    assert got.table["rival"].tolist() == [False, True, False, False]


def test_of_a_distance_lower_is_more_stable():
    got = given([0.5, 0.2, 0.4, 0.1], measure="anhd")
    assert got.selector == "s1"
    assert got.rivals["stability"].tolist() == [0.2, 0.4, 0.5]
    assert "a distance" in str(got)
    assert got.table["rpt"][1] == pytest.approx(2 * 0.8 * 0.88 / 1.68)


def test_a_distance_without_a_bound_has_no_rpt():
    assert given([3, 2, 2.5, 1], measure="krizek_entropy").table["rpt"].isna().all()
    with pytest.raises(InvalidInputError, match="krizek_entropy"):
        given([3, 2, 2.5, 1], measure="krizek_entropy", rule="rpt")


def test_a_measure_of_whole_rankings_holds_for_all_sizes():
    got = recommend(
        errors_of(), stability_of(STABILITY, "spearman", size=2000), once(WRONG), measure="spearman"
    )
    assert (got.selector, got.size, got.stability) == ("s2", 5, 0.9)
    assert "whole rankings" in str(got)


@pytest.mark.parametrize("errors", [None, errors_of().iloc[:0], errors_of().assign(error=np.nan)])
def test_without_errors_stability_alone_decides(errors):
    got = recommend(errors, stability_of(STABILITY), measure="nogueira", baseline=0.5)
    assert (got.pair, got.choice) == (Pair("s3", None, 5), None)
    assert np.isnan(got.error)
    decided = (
        "No errors were estimated, so stability alone decides: s3 on 5 features is the most "
        "stable of 4, with 0.95 [0.85, 1.00] by nogueira."
    )
    assert got.reasons == (decided, NOT_KNOWN)
    assert got.supported
    assert "nan" not in repr(got).lower()
    assert "nan" not in got._repr_html_().lower()


def test_the_reasons_are_plain_sentences():
    lowest, rivals, chosen, cost, second = given().reasons
    assert lowest == (
        "Of 4 pairs of a selector with a classifier at a number of features, s0 with knn3 on 5 "
        "features has the lowest error: 10.0% ± 3.0%."
    )
    assert rivals == (
        "2 other pairs are not worse beyond chance (p > 0.05 by McNemar's test, enlarged for "
        "shared training samples, corrected for 6 possible comparisons)."
    )
    assert chosen == (
        "Among these, s2 with knn3 on 5 features selects the most stable features: "
        "0.90 [0.80, 1.00] by nogueira."
    )
    assert cost == "Its error is 14.0% ± 3.5%, 4.0 percentage points more than the lowest."
    assert second == NOT_KNOWN
    assert str(given()) == "\n".join(given().reasons)


def test_where_nothing_comes_close_the_best_is_recommended():
    got = given(STABILITY[:2], WRONG[[0, 3]])
    assert "No other pair is not worse" not in str(got)
    assert "The other pair is worse beyond chance" in str(got)
    assert "All other pairs are worse beyond chance" in str(given(wrong=WRONG[[0, 3, 3, 3]]))
    assert "The other pair is not worse beyond chance" in str(given(STABILITY[:2], WRONG[:2]))
    assert "So it is recommended" in str(got)
    alone = given(STABILITY[:1], WRONG[:1])
    assert alone.reasons[0].startswith("There is one pair only: s0 with knn3 on 5 features")


def test_a_stability_that_chance_gives_is_warned_of():
    assert "Caution" not in str(given())
    warned = recommend(
        errors_of(), stability_of(STABILITY, chance=0.85), once(WRONG), measure="nogueira"
    )
    assert "not clearly better than what random selections give (0.85)" in warned.reasons[-1]
    distance = recommend(
        errors_of(), stability_of([0.5, 0.2, 0.4, 0.1], "anhd", chance=0.25), once(WRONG),
        measure="anhd",
    )  # fmt: skip
    assert "random selections give (0.25)" in distance.reasons[-1]


def choice_of(error, spread=0.1):
    return ChoiceError(
        error=error, standard_error=spread, method="nested", n=5, chosen=pd.DataFrame(),
        sentence="So.",
    )  # fmt: skip


def test_a_pair_must_err_clearly_less_than_guessing():
    # s2 errs by 0.14 with a standard error of 0.0347: 1.645 of them are 0.057
    assert given(baseline=0.2).supported
    assert "largest class" not in str(given(baseline=0.2))
    got = given(baseline=0.15)  # s0: 0.10 + 1.645 x 0.03 = 0.1493
    assert (got.supported, got.selector) == (True, "s0")
    assert "s2 with knn3 on 5 features would come first, but it is passed over" in str(got)
    none = given(baseline=0.149)
    assert (none.supported, none.selector) == (False, "s2")  # that would come first
    assert none.why_not == (
        "the error to expect of s2 with knn3 on 5 features, 14.0% ± 3.5%, is not clearly below "
        "that of guessing the largest class (14.9%)."
    )
    assert str(none).startswith(f"Nothing can be recommended: {none.why_not}")
    assert repr(none).startswith("<Nothing can be recommended: ")
    assert "<h4>Nothing can be recommended</h4>" in none._repr_html_()


def test_the_error_of_the_choice_counts_where_it_is_higher():
    got = given(baseline=0.5, choice=choice_of(0.45))
    assert "So." in got.reasons
    assert not got.supported
    assert "45.0% ± 10.0%" in got.why_not
    assert given(baseline=0.5, choice=choice_of(0.3)).supported  # 0.3 + 0.1645 < 0.5


def replication_of(values, error=0.05, **columns):
    """Return a table of replication stability on halves of 40, without predictions."""
    return stability_of(values).assign(standard_error=error, n_samples=40, **columns)


def test_what_a_second_study_would_find_decides_among_those_not_worse():
    got = given(replication=replication_of([0.2, 0.6, 0.3, 0.9]))
    # log odds with a room of 0.03, means of those of replication and of the resamples
    odds = np.array([np.log((x + 0.03) / (1.03 - x)) for x in (0.5, 0.6)]).mean()
    assert got.table["score"][1] == pytest.approx(1.06 / (1 + np.exp(-odds)) - 0.03)
    assert given().selector == "s2"
    assert given(replication=replication_of([0.2, 0.6, 0.05, 0.9])).selector == "s1"
    assert (got.selector, got.stability_source) == ("s2", "replication")  # 0.9 over the resamples
    assert got.table["replication"].tolist() == [0.2, 0.6, 0.3, 0.9]
    assert (got.replication, got.replication_samples) == (pytest.approx(0.3), 40)
    assert "two studies of 40 each is 0.30 [0.20, 0.40] by nogueira" in got.reasons[-1]
    old = given(replication=replication_of([0.2, 0.6, 0.05, 0.9]), order_by="resamples")
    assert (old.selector, old.stability_source) == ("s1", "resamples")  # s2 is at chance
    assert given(replication=replication_of([np.nan] * 4)).stability_source == "resamples"


def test_a_replication_known_only_without_an_error_decides_nothing():
    """As in a part of a study: the selector with halves has no predictions yet."""
    errors = errors_of()
    errors.loc[3, ["error", "standard_error"]] = np.nan
    known = replication_of([np.nan, np.nan, np.nan, 0.9])
    got = recommend(
        errors, stability_of(STABILITY), once(WRONG), measure="nogueira", replication=known
    )
    assert (got.selector, got.stability_source) == (given().selector, "resamples")


def test_predictions_are_compared_only_where_all_have_one():
    ahead = {"at": 80, "predicted": [0.3, 0.7, 0.9, 0.95]}
    ends = {"predicted_low": 0.1, "predicted_high": 0.99}
    got = given(replication=replication_of([0.2, 0.6, 0.3, 0.9], **ahead, **ends))
    assert (got.selector, got.replication, got.replication_samples) == ("s2", 0.9, 80)
    ahead["predicted"] = [0.3, 0.7, 0.9, np.nan]
    got = given(replication=replication_of([0.2, 0.6, 0.3, 0.9], **ahead, **ends))
    assert (got.replication, got.replication_samples) == (pytest.approx(0.3), 40)


def test_of_a_distance_less_is_found_again_where_it_is_high():
    far = stability_of([0.2, 0.15, 0.4, 0.1], "anhd", chance=0.5)
    table = far.assign(standard_error=0.01, n_samples=40)
    got = given([0.2] * 4, measure="anhd", replication=table)
    assert got.selector == "s1"
    assert got.supported


def test_pairs_that_replicate_by_chance_are_passed_over():
    # four cells: 0.7 x the 98.75% quantile of the normal law, 2.241, are 1.57 standard errors
    got = given(replication=replication_of([0.2, 0.2, 0.078, 0.9]))
    assert (got.selector, got.supported) == ("s1", True)
    assert "s2 with knn3 on 5 features would come first, but it is passed over" in str(got)
    assert given(replication=replication_of([0.2, 0.2, 0.079, 0.9])).selector == "s2"
    none = given(replication=replication_of([0.07, 0.07, 0.07, 0.9]))  # s3 errs too much
    assert (none.supported, none.selector) == (False, "s2")
    assert none.why_not == (
        "a second study of 40 could not be expected to select the same features. For s2 with knn3 "
        "on 5 features, replication stability is 0.07 [-0.03, 0.17], not clearly better than "
        "chance (0.00)."
    )
    both = given(replication=replication_of([0.07] * 4), baseline=0.14)
    assert "Nor is its error of 14.0% ± 3.5% clearly below guessing" in both.why_not


def test_without_errors_replication_alone_decides_and_can_fail():
    got = recommend(
        None, stability_of(STABILITY), measure="nogueira", baseline=0.5,
        replication=replication_of([0.2, 0.9, 0.3, 0.1]),
    )  # fmt: skip
    assert got.pair == Pair("s1", None, 5)
    assert "replication stability alone decides" in str(got)
    none = recommend(
        None, stability_of(STABILITY), measure="nogueira", replication=replication_of([0.01] * 4)
    )
    assert not none.supported


def test_choosing_among_equals_is_taken_off_what_is_shown():
    rng = np.random.default_rng(0)
    names = [f"s{i}" for i in range(20)]
    errors = pd.concat([errors_of(WRONG[:1]).assign(selector=name) for name in names])
    stability = pd.concat([stability_of([0.5]).assign(selector=name) for name in names])
    halves = 0.4 + 0.1 * rng.standard_normal((20, 30))  # all equal: any difference is luck
    table = stability.assign(value=halves.mean(axis=1), standard_error=0.05, n_samples=40)
    values = {
        (name, 5): PairValues(
            halves=row, parts=np.empty((0, 2)), quarters=np.empty((0, 6)), n_units=80, chance=0.0
        )
        for name, row in zip(names, halves, strict=True)
    }
    options = {"measure": "nogueira", "rule": "one_standard_error", "replication": table}
    plain = recommend(errors, stability, **options)
    honest = recommend(errors, stability, pair_values=values, **options)
    assert plain.selector == honest.selector
    assert plain.replication == table["value"].max() > 0.43
    assert honest.replication == pytest.approx(0.4, abs=0.02)
    assert honest.replication_low < plain.replication_low
    one = recommend(
        errors[:1], stability[:1], **{**options, "replication": table[:1]},
        pair_values={("s0", 5): values["s0", 5]},
    )  # fmt: skip
    assert one.replication == pytest.approx(table["value"].iloc[0], abs=0.01)  # nothing chosen


def test_independent_data_sets_are_new_studies():
    got = given(independent=True)
    assert (got.stability_source, got.replication) == ("resamples", pytest.approx(0.9))
    assert got.reasons[-1].startswith("Each resample is a data set of its own")
    none = given([0.01, 0.02, 0.03, 0.04], independent=True)
    assert not none.supported


def half_known():
    known = np.ones_like(WRONG)
    known[0, 50:] = known[2, :50] = False
    return known


def test_pairs_that_are_known_too_seldom_are_left_out_and_reported_of():
    known = half_known()
    got = recommend(errors_of(), stability_of(STABILITY), once(WRONG, known), measure="nogueira")
    assert got.selector == "s1"
    assert len(got.table) == 4
    assert got.table["rival"].tolist() == [False, True, False, False]
    assert got.table["p_value"].notna().tolist() == [False, False, False, True]
    assert got.table["rpt"].notna().all()
    assert got.table["front"].tolist() == [False, True, False, True]
    assert got.reasons[0].startswith("Of 2 considered pairs of a selector")
    assert got.reasons[1] == (
        "s0, s2 are known on less than 90% of the 100 samples compared, so they are left out."
    )
    assert "The other pair considered is worse beyond chance" in got.reasons[2]
    known[2] = True
    got = recommend(errors_of(), stability_of(STABILITY), once(WRONG, known), measure="nogueira")
    told = "s0 is known on only 50 of the 100 samples compared, so it is left out."
    assert got.reasons[1] == told


def test_a_selector_known_in_part_is_left_out_by_its_pairs():
    errors = errors_of().assign(selector=["s0", "s0", "s2", "s3"], size=[5, 6, 5, 5])
    stability = stability_of(STABILITY).assign(selector=errors["selector"], size=errors["size"])
    known = np.ones_like(WRONG)
    known[0, 50:] = False
    pairs = tuple(errors[["selector", "classifier", "size"]].itertuples(index=False, name=None))
    pairs = tuple(Pair(*pair) for pair in pairs)
    tested = dataclasses.replace(once(WRONG, known), pairs=pairs)
    got = recommend(errors, stability, tested, measure="nogueira")
    assert "s0 with knn3 on 5 features is known on only 50 of the 100 samples" in str(got)


def test_where_all_are_half_done_alike_nothing_is_left_out():
    known = np.ones_like(WRONG)
    known[:, 50:] = False
    known[1, 46:] = False  # nearly alike
    got = recommend(errors_of(), stability_of(STABILITY), once(WRONG, known), measure="nogueira")
    assert "left out" not in str(got)
    assert got.reasons[0].startswith("Of 4 pairs")


def test_where_none_knows_nearly_all_the_larger_part_that_knows_the_same_is_compared():
    known = half_known()
    known[1:] = np.arange(100) >= 50
    got = recommend(errors_of(), stability_of(STABILITY), once(WRONG, known), measure="nogueira")
    assert got.table["p_value"].notna().sum() == 2
    assert "s0 is known on only 0 of the 50 samples compared" in str(got)


def test_pairs_without_predictions_cannot_be_tested_and_this_is_reported():
    got = recommend(errors_of(), stability_of(STABILITY), once(WRONG[:3]), measure="nogueira")
    assert "1 pair could not be compared with it" in str(got)
    assert not got.table["rival"][3]


def test_a_lower_error_without_a_stability_is_named():
    got = given([np.nan, 0.5, 0.9, 0.95])
    assert got.reasons[0].startswith("Of 3 considered pairs of a selector")
    assert "s1 with knn3 on 5 features has the lowest error" in got.reasons[0]
    assert got.reasons[1] == (
        "s0 with knn3 on 5 features errs less, 10.0% ± 3.0%, but has no stability by nogueira, so "
        "it is left out."
    )
    several = given([np.nan, np.nan, 0.9, 0.95])
    assert several.reasons[1] == (
        "2 pairs err less but have no stability by nogueira, so they are left out; least s0 with "
        "knn3 on 5 features: 10.0% ± 3.0%."
    )
    assert "The other pair considered is worse beyond chance" in several.reasons[2]
    assert "left out" not in str(given([0.2, 0.5, 0.9, np.nan]))  # it errs more
    alone = given([np.nan, np.nan, np.nan, 0.95])
    assert alone.reasons[0].startswith("One pair only can be considered: s3")


def test_subjects_are_tested_as_such():
    got = recommend(
        errors_of(), stability_of(STABILITY), once(WRONG, units=np.arange(100) // 20),
        measure="nogueira",
    )  # fmt: skip
    assert (
        "by the t-test on subjects, enlarged for shared training samples, corrected for 6 possible "
        "comparisons" in str(got)
    )
    assert got.selector == "s3"  # 5 subjects tell little: those of the last differ in three only


def test_rpt_says_that_chance_does_not_explain_it_only_if_a_test_did():
    tables = errors_of(), stability_of(STABILITY)
    options = {"measure": "nogueira", "rule": "rpt", "beta": 0.01}
    untested = recommend(*tables, **options)
    assert untested.selector == "s3"
    assert "chance explains" not in str(untested)
    assert "chance explains" in str(recommend(*tables, once(WRONG), **options))


def test_rpt_needs_a_scale_that_ends_at_one():
    with pytest.raises(InvalidInputError, match="sechidis"):
        given([3, 2, 2.5, 1], measure="sechidis", rule="rpt")
    assert given([3, 2, 2.5, 1], measure="sechidis").table["rpt"].isna().all()


def test_intervals_in_sentences_keep_to_the_range_of_the_measure():
    wide = recommend(
        errors_of(), stability_of(STABILITY, half=0.98), once(WRONG), measure="nogueira"
    )
    assert wide.high == pytest.approx(1.88)
    for text in (str(wide), repr(wide), wide._repr_html_()):
        assert "1.88" not in text
        assert "[-0.08, 1.00]" in text


def test_a_stability_far_from_chance_is_not_said_to_be_lost():
    wide = recommend(
        errors_of(), stability_of(STABILITY, half=0.98), once(WRONG), measure="nogueira"
    )
    assert "not clearly better than what random selections give (0.00)" in wide.reasons[-1]
    assert "too few resamples" in wide.reasons[-1]
    assert "hardly be found again" not in str(wide)
    near = recommend(
        errors_of(), stability_of([0.02, 0.03, 0.05, 0.04]), once(WRONG), measure="nogueira"
    )
    assert "hardly be found again" in near.reasons[-1]


def test_the_shown_forms_name_the_next_step_and_escape_names():
    errors, stability = errors_of(), stability_of(STABILITY)
    name = "<script>alert(1)</script>$x$=cmd()" + "é" * 300
    for table in (errors, stability):
        table["selector"] = table["selector"].replace({"s2": name})
    got = recommend(errors.iloc[2:], stability, measure="nogueira", rule="one_standard_error")
    assert repr(got).endswith("Next: print(recommendation)>")
    page = got._repr_html_()
    assert got.selector == name
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert got.to_frame().equals(got.table)
    assert got.to_frame() is not got.table


def test_forty_selectors_are_shown_in_part():
    names = [f"s{i}" for i in range(40)]
    errors = pd.concat([errors_of(WRONG[:1]).assign(selector=name) for name in names])
    stability = pd.concat([stability_of([0.5]).assign(selector=name) for name in names])
    got = recommend(errors, stability, measure="nogueira", rule="one_standard_error")
    assert len(got.rivals) == 40
    assert got._repr_html_().count("<tr>") == 11
    assert "and 30 more" in got._repr_html_()


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownNameError, match=r"no rule is called 'not_wrse'.*not_worse"):
        given(rule="not_wrse")
    with pytest.raises(InvalidInputError, match="alpha"):
        given(alpha=0)
    with pytest.raises(InvalidInputError, match="one_standard_error"):
        recommend(errors_of(), stability_of(STABILITY), measure="nogueira")
    with pytest.raises(UnknownNameError, match="no measure 'jaccard'"):
        recommend(errors_of(), stability_of(STABILITY), once(WRONG), measure="jaccard")
    with pytest.raises(InvalidInputError, match="nothing can be recommended"):
        given([np.nan] * 4)
    with pytest.raises(InvalidInputError, match="empty"):
        recommend(None, stability_of([]), measure="nogueira")
