"""`simulate_stability`: tables, limiting cases, and validation of arguments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.simulate import (
    BlockGaussian,
    IndependentGaussian,
    Microarray,
    lda,
    simulate_stability,
)
from holdfast.simulate._training_sets import DrawnData, Seeds

SMALL = IndependentGaussian(n_samples=30, n_features=40)


def test_tables_agree_with_explicit_selection_and_measures():
    generator = BlockGaussian(n_samples=24, n_features=40)
    result = simulate_stability(generator, size=6, n_sets=8, random_state=3)
    rankings, errors = [], []
    for position in range(8):
        data = DrawnData(generator, hf.TScore(), Seeds(3, 0)).draw(position)
        rankings.append(hf.TScore().fit(data.X, data.y).ranking_)
        features = np.flatnonzero(rankings[-1] <= 6)
        rule = lda(data.X[:, features], data.y == "case")
        errors.append(generator.model.linear_error(*rule, features=features))
    subsets = hf.Rankings(np.array(rankings)).top(6)
    table = result.stability.set_index("measure")
    for name in ("relative_weighted_consistency", "ati_pa"):
        assert table.loc[name, "value"] == pytest.approx(hf.measure(name, subsets))
    assert table.loc["spearman", "value"] == pytest.approx(
        hf.measure("spearman", hf.Rankings(np.array(rankings)))
    )
    counts = np.bincount(subsets.indices, minlength=40)
    assert result.frequencies["frequency"].tolist() == (counts / 8).tolist()
    assert result.frequencies["effect"].tolist() == generator.model.mu.tolist()
    row = result.errors.iloc[0]
    assert row["lda_error"] == pytest.approx(np.mean(errors))
    assert row["lda_error_sd"] == pytest.approx(np.std(errors, ddof=1))
    assert row["bayes_optimal"] == pytest.approx(generator.model.best_error(6))


def test_scores_drawn_without_data_give_the_same_stability():
    generator = IndependentGaussian(n_samples=60, n_features=100, bayes_error=0.02)
    names = ["nogueira", "ati_pa", "pearson", "spearman"]
    both = [
        simulate_stability(generator, size=10, n_sets=80, measures=names, exact=exact)
        for exact in (True, False)
    ]
    one, other = (result.stability.set_index("measure") for result in both)
    error = np.hypot(*((table["high"] - table["low"]) / (2 * 1.99) for table in (one, other)))
    assert (np.abs(one["value"] - other["value"]) < 4 * error).all()
    one, other = (result.errors.iloc[0] for result in both)
    for name in ("lda_error", "bayes_observed"):
        spread = np.hypot(one[f"{name}_sd"], other[f"{name}_sd"]) / np.sqrt(80)
        assert abs(one[name] - other[name]) < 4 * spread


def test_errors_are_ordered_and_frequencies_sum_to_the_size():
    result = simulate_stability([SMALL], size=[3, 0.25, 40], n_sets=10, measures="hamming")
    errors = result.errors
    assert errors["size"].tolist() == [3, 10, 40]
    assert (errors["bayes_optimal"] <= errors["bayes_observed"] + 1e-12).all()
    assert (errors["bayes_observed"] <= errors["lda_error"]).all()
    assert errors["bayes_observed"].iloc[-1] == pytest.approx(0.10)
    sums = result.frequencies.groupby("size")["frequency"].sum()
    np.testing.assert_allclose(sums, sums.index)


def test_selection_is_perfect_with_unlimited_samples():
    unlimited = IndependentGaussian(n_samples=10**12, n_features=200)
    table = simulate_stability(unlimited, size=20, n_sets=5).to_frame().iloc[0]
    assert table["relative_weighted_consistency"] == 1
    assert table["lda_error"] == pytest.approx(table["bayes_optimal"], abs=1e-6)


def test_without_effects_the_selection_is_random():
    none = IndependentGaussian(n_features=200, largest_effect=1e-12)
    result = simulate_stability(none, size=20, n_sets=60, measures=["nogueira", "spearman"])
    table = result.stability
    error = (table["high"] - table["low"]) / (2 * 2.0)
    assert (np.abs(table["value"]) < 4 * error).all()
    assert result.errors["lda_error"].iloc[0] == pytest.approx(0.5, abs=1e-9)


def test_seeds_depend_on_the_position_of_the_setting_only():
    settings = {"a": SMALL, "b": IndependentGaussian(n_samples=50, n_features=40)}
    both = simulate_stability(settings, size=5, n_sets=6)
    one = simulate_stability({"a": SMALL}, ["f_score", "t_score"], size=5, n_sets=6)
    again = simulate_stability({"a": SMALL}, size=5, n_sets=6, random_state=1)
    first = both.stability.query("setting == 'a'")["value"].tolist()
    assert one.stability.query("selector == 't_score'")["value"].tolist() == first
    assert again.stability["value"].tolist() != first


@pytest.mark.integration
@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_processes():
    settings = [SMALL, BlockGaussian(n_samples=30, n_features=40)]
    one, two = (
        simulate_stability(settings, ["t_score", "cat_score"], n_sets=5, n_jobs=jobs)
        for jobs in (1, 2)
    )
    for name in ("stability", "frequencies", "errors"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(two, name), check_exact=True)


def test_the_wide_table_has_a_row_for_each_setting_selector_and_size():
    settings = {"few": SMALL, "block": BlockGaussian(n_samples=30, n_features=50)}
    result = simulate_stability(settings, ["svm_rfe", "t_score"], size=[0.1, 0.2], n_sets=3)
    table = result.to_frame()
    assert table[["setting", "selector", "size"]].to_numpy().tolist() == [
        [setting, selector, size]
        for setting, sizes in (("few", (4, 8)), ("block", (5, 10)))
        for selector in ("svm_rfe", "t_score")
        for size in sizes
    ]
    ranked = table["selector"] == "svm_rfe"
    assert table.loc[ranked, "pearson"].isna().all()  # gives no scores
    assert table.loc[~ranked, "pearson"].notna().all()
    assert table["spearman"].notna().all()
    assert table["n_features"].tolist() == [40] * 4 + [50] * 4
    assert "2 settings, 2 selectors, 3 training sets" in repr(result)


def test_selectors_that_choose_their_size_have_the_size_own():
    result = simulate_stability(SMALL, "random_subset", n_sets=4)
    assert set(result.stability["size"]) == {"own"}
    assert set(result.stability["measure"]) == {"relative_weighted_consistency", "ati_pa"}
    assert np.isnan(result.errors["bayes_optimal"].iloc[0])
    assert result.errors["lda_error"].between(0, 0.6).all()


def test_the_error_without_features_is_one_half():
    outcome = DrawnData(SMALL, hf.TScore(), Seeds(0, 0)).get_outcome(0)
    none = np.zeros(0, dtype=np.intp)
    (rules,) = outcome.fit_rules([none])
    assert [SMALL.model.linear_error(*rule, features=none) for rule in rules] == [0.5, 0.5]
    assert SMALL.model.bayes_error(none) == 0.5


def test_generators_without_a_gaussian_model_work_with_errors_off():
    data = Microarray(n_samples=20, n_features=300)
    result = simulate_stability(data, size=10, n_sets=3, errors=False)
    assert result.errors.empty
    assert result.to_frame().shape[0] == 1
    np.testing.assert_allclose(2 * result.frequencies["effect"], data.draw(5).effects)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        ((3,), {}, "generators must be one or more generators.*got 3"),
        (([],), {}, "generators must be one or more generators.*got none"),
        (([1],), {}, "such as IndependentGaussian"),
        ((Microarray(),), {}, "errors=False"),
        ((SMALL, "drags"), {}, "selects groups of features"),
        ((SMALL, []), {}, "at least one selector"),
        ((SMALL, ["t_score", "t_score:variance=welch"]), {}, "have the same name"),
        ((SMALL, "svm_rfe"), {"measures": "pearson"}, "no measure applies to svm_rfe"),
        ((IndependentGaussian(n_samples=3),), {}, "n_samples must be at least 4"),
        ((SMALL,), {"n_sets": 1}, "n_sets"),
        ((SMALL,), {"size": 41}, "size"),
        ((SMALL,), {"size": []}, "size must be a single value or a non-empty list"),
        ((SMALL,), {"errors": "yes"}, "errors must be"),
        ((SMALL, "cat_score"), {"exact": True}, "omit exact"),
        ((SMALL, hf.TScore(variance="welch")), {"exact": True}, "omit exact"),
        ((SMALL, hf.TScore(alpha=0.1)), {"exact": True}, "omit exact"),
        ((BlockGaussian(),), {"exact": True}, "omit exact"),
        ((SMALL,), {"random_state": -1}, "random_state"),
        ((SMALL,), {"measures": 3}, "measures must be a single value or a non-empty list"),
        *(
            ((SMALL,), {"n_jobs": odd}, "n_jobs must be a non-zero integer")
            for odd in (0, 1.5, None)
        ),
    ],
)
def test_bad_input_is_refused(arguments, options, match):
    with pytest.raises(InvalidInputError, match=match):
        simulate_stability(*arguments, **options)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="nogueira"):
        simulate_stability(SMALL, measures="nogueria")
    with pytest.raises(UnknownNameError, match="t_score"):
        simulate_stability(SMALL, "tscore")


def test_a_cut_at_a_p_value_sets_the_size():
    cut = hf.TScore(alpha=0.05, correction="none")
    result = simulate_stability(SMALL, cut, size=5, n_sets=4, exact=False)
    assert set(result.stability["size"]) == {"own"}
    counts = result.frequencies.groupby("selector")["frequency"].sum()
    selected = [
        hf.TScore(alpha=0.05, correction="none").fit(data.X, data.y).support_.sum()
        for data in (DrawnData(SMALL, cut, Seeds(0, 0)).draw(position) for position in range(4))
    ]
    assert counts.item() == pytest.approx(np.mean(selected))


@pytest.mark.parametrize(
    "selector", [hf.TScore(alpha=0.05, correction="none"), hf.TScore(threshold=2)]
)
def test_cut_of_exact_scores_selects_as_often_as_the_noncentral_t_says(selector):
    generator = IndependentGaussian(n_samples=40, n_features=50)
    table = simulate_stability(
        generator, selector, n_sets=2000, measures="ati_pa", exact=True, errors=False
    ).frequencies
    cut = stats.t.isf(0.025, 38) if selector.threshold is None else 2
    shift = 2 * table["effect"] / np.sqrt(1 / 20 + 1 / 20)
    expected = stats.nct.sf(cut, 38, shift) + stats.nct.cdf(-cut, 38, shift)
    error = np.sqrt(expected * (1 - expected) / 2000)
    assert (np.abs(table["frequency"] - expected) < 4.5 * error).all()
    assert set(table["size"]) == {"own"}


def test_lda_on_no_feature_errs_in_half_of_the_cases():
    rows = simulate_stability(SMALL, hf.TScore(threshold=1e9), n_sets=3, measures="anhd").errors
    assert rows[["lda_error", "shrinkage_lda_error"]].eq(0.5).all(axis=None)
