"""`simulate_stability`: tables that agree with measuring by hand, limits, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

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


def test_tables_agree_with_selecting_and_measuring_by_hand():
    generator = BlockGaussian(n_samples=24, n_features=40)
    found = simulate_stability(generator, size=6, n_sets=8, random_state=3)
    rankings, errors = [], []
    for position in range(8):
        data = DrawnData(generator, hf.TScore(), Seeds(3, 0)).data(position)
        rankings.append(hf.TScore().fit(data.X, data.y).ranking_)
        own = np.flatnonzero(rankings[-1] <= 6)
        rule = lda(data.X[:, own], data.y == "case")
        errors.append(generator.model.linear_error(*rule, features=own))
    subsets = hf.Rankings(np.array(rankings)).top(6)
    table = found.stability.set_index("measure")
    for name in ("relative_weighted_consistency", "ati_pa"):
        assert table.loc[name, "value"] == pytest.approx(hf.measure(name, subsets))
    assert table.loc["spearman", "value"] == pytest.approx(
        hf.measure("spearman", hf.Rankings(np.array(rankings)))
    )
    counts = np.bincount(subsets.indices, minlength=40)
    assert found.frequencies["frequency"].tolist() == (counts / 8).tolist()
    assert found.frequencies["effect"].tolist() == generator.model.mu.tolist()
    row = found.errors.iloc[0]
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
    one, other = (found.stability.set_index("measure") for found in both)
    error = np.hypot(*((table["high"] - table["low"]) / (2 * 1.99) for table in (one, other)))
    assert (np.abs(one["value"] - other["value"]) < 4 * error).all()
    one, other = (found.errors.iloc[0] for found in both)
    for name in ("lda_error", "bayes_observed"):
        spread = np.hypot(one[f"{name}_sd"], other[f"{name}_sd"]) / np.sqrt(80)
        assert abs(one[name] - other[name]) < 4 * spread


def test_errors_come_in_order_and_frequencies_add_up():
    found = simulate_stability([SMALL], size=[3, 0.25, 40], n_sets=10, measures="hamming")
    errors = found.errors
    assert errors["size"].tolist() == [3, 10, 40]
    assert (errors["bayes_optimal"] <= errors["bayes_observed"] + 1e-12).all()
    assert (errors["bayes_observed"] <= errors["lda_error"]).all()
    assert errors["bayes_observed"].iloc[-1] == pytest.approx(0.10)
    sums = found.frequencies.groupby("size")["frequency"].sum()
    np.testing.assert_allclose(sums, sums.index)


def test_with_endless_samples_the_selection_is_certain_and_the_error_the_least():
    endless = IndependentGaussian(n_samples=10**12, n_features=200)
    table = simulate_stability(endless, size=20, n_sets=5).to_frame().iloc[0]
    assert table["relative_weighted_consistency"] == 1
    assert table["lda_error"] == pytest.approx(table["bayes_optimal"], abs=1e-6)


def test_without_effects_the_selection_is_random():
    none = IndependentGaussian(n_features=200, largest_effect=1e-12)
    found = simulate_stability(none, size=20, n_sets=60, measures=["nogueira", "spearman"])
    table = found.stability
    error = (table["high"] - table["low"]) / (2 * 2.0)
    assert (np.abs(table["value"]) < 4 * error).all()
    assert found.errors["lda_error"].iloc[0] == pytest.approx(0.5, abs=1e-9)


def test_seeds_belong_to_positions():
    settings = {"a": SMALL, "b": IndependentGaussian(n_samples=50, n_features=40)}
    both = simulate_stability(settings, size=5, n_sets=6)
    one = simulate_stability({"a": SMALL}, ["f_score", "t_score"], size=5, n_sets=6)
    again = simulate_stability({"a": SMALL}, size=5, n_sets=6, random_state=1)
    first = both.stability.query("setting == 'a'")["value"].tolist()
    assert one.stability.query("selector == 't_score'")["value"].tolist() == first
    assert again.stability["value"].tolist() != first


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
    found = simulate_stability(settings, ["svm_rfe", "t_score"], size=[0.1, 0.2], n_sets=3)
    table = found.to_frame()
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
    assert "2 settings, 2 selectors, 3 training sets" in repr(found)


def test_selectors_that_choose_the_size_themselves():
    found = simulate_stability(SMALL, "random_subset", n_sets=4)
    assert set(found.stability["size"]) == {"own"}
    assert set(found.stability["measure"]) == {"relative_weighted_consistency", "ati_pa"}
    assert np.isnan(found.errors["bayes_optimal"].iloc[0])
    assert found.errors["lda_error"].between(0, 0.6).all()


def test_without_features_every_second_sample_is_mistaken():
    outcome = DrawnData(SMALL, hf.TScore(), Seeds(0, 0)).at(0)
    none = np.zeros(0, dtype=np.intp)
    (rule,) = outcome.learn([none])
    assert SMALL.model.linear_error(*rule, features=none) == 0.5
    assert SMALL.model.bayes_error(none) == 0.5


def test_other_generators_serve_without_errors():
    data = Microarray(n_samples=20, n_features=300)
    found = simulate_stability(data, size=10, n_sets=3, errors=False)
    assert found.errors.empty
    assert found.to_frame().shape[0] == 1
    np.testing.assert_allclose(2 * found.frequencies["effect"], data.draw(5).effects)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((3,), {}, "generators must be one or more generators.*received 3"),
        (([],), {}, "generators must be one or more generators.*received none"),
        (([1],), {}, "such as IndependentGaussian"),
        ((Microarray(),), {}, "errors=False"),
        ((SMALL, "drags"), {}, "groups of features"),
        ((SMALL, []), {}, "at least one selector"),
        ((SMALL, ["t_score", "t_score:variance=welch"]), {}, "go by one name"),
        ((SMALL, "svm_rfe"), {"measures": "pearson"}, "no measure applies to svm_rfe"),
        ((IndependentGaussian(n_samples=3),), {}, "two samples of each class"),
        ((SMALL,), {"n_sets": 1}, "n_sets"),
        ((SMALL,), {"size": 41}, "size"),
        ((SMALL,), {"size": []}, "size must be one, or a list of at least one"),
        ((SMALL,), {"errors": "yes"}, "errors must be"),
        ((SMALL, "cat_score"), {"exact": True}, "leave exact out"),
        ((SMALL, hf.TScore(variance="welch")), {"exact": True}, "leave exact out"),
        ((BlockGaussian(),), {"exact": True}, "leave exact out"),
        ((SMALL,), {"random_state": -1}, "random_state"),
        ((SMALL,), {"measures": 3}, "measures must be one, or a list"),
        *(((SMALL,), {"n_jobs": odd}, "n_jobs must be a whole number") for odd in (0, 1.5, None)),
    ],
)
def test_bad_input_is_refused(arguments, options, words):
    with pytest.raises(InvalidInputError, match=words):
        simulate_stability(*arguments, **options)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="nogueira"):
        simulate_stability(SMALL, measures="nogueria")
    with pytest.raises(UnknownNameError, match="t_score"):
        simulate_stability(SMALL, "tscore")
