"""The table of stability, against the measures called directly and against loops."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import holdfast as hf
from holdfast.judge._measurement import MeasuredValue, average_over_groups
from holdfast.measures import get_measure
from holdfast.resample import Resample
from holdfast.study._result import Result
from holdfast.study._storage._store import UnitResult, floats, integers, to_integers
from tests.study.stores import Made, folds, full, subsamples


def tops(store, selector, size, numbers):
    """Read selections with as little machinery as can be."""
    rows = store.query(
        "SELECT resample, data FROM preferences WHERE selector = ? AND form IN ('top', 'subset')",
        (selector,),
    )
    found = {number: to_integers(data)[: size or None] for number, data in rows}
    return [found[number] for number in numbers if number in found]


def jaccard(a, b):
    a, b = set(a.tolist()), set(b.tolist())
    return len(a & b) / len(a | b)


def cell(result, selector, size, measure):
    table = result.stability
    keep = (table["selector"] == selector) & (table["measure"] == measure)
    keep &= table["size"].map(lambda one: one == size)
    (row,) = table[keep].to_dict("records")
    return row


def nested(made):
    """Three outer resamples with four inner ones each."""
    resamples = []
    for outer in folds(made.n, 3, role="outer"):
        resamples.append(outer)
        resamples += [
            Resample(part.train, part.test, role="inner", outer=outer.outer)
            for part in subsamples(made.n, 4, seed=outer.outer)
        ]
    return dataclasses.replace(made, resamples=resamples, tested="once")


def test_all_pairs_agree_with_the_measures_called_directly():
    made = Made(resamples=subsamples(30, 8), measures=("nogueira", "jaccard", "kuncheva", "anhd"))
    store = full(made)
    table = Result(store).stability
    assert table[["selector", "size", "measure"]].values.tolist() == [
        list(key) for key in itertools.product(made.selectors, made.sizes, made.measures)
    ]
    for selector, size in itertools.product(range(2), made.sizes):
        subsets = hf.Subsets(tops(store, selector, size, range(8)), n_features=made.p)
        expected = hf.measure(list(made.measures), subsets)
        own = table[(table["selector"] == made.selectors[selector]) & (table["size"] == size)]
        own = own.set_index("measure")
        for column in ("value", "low", "high", "chance", "interval", "note"):
            pd.testing.assert_series_equal(own[column], expected[column])
        assert (own["n"] == 8).all()
        assert (own["against"] == "each other").all()


def test_jaccard_agrees_with_a_loop_over_pairs():
    made = Made(resamples=subsamples(30, 6))
    store = full(made)
    rows = tops(store, 1, 4, range(6))
    expected = np.mean([jaccard(a, b) for a, b in itertools.combinations(rows, 2)])
    assert cell(Result(store), "two", 4, "jaccard")["value"] == pytest.approx(expected)


def test_rankings_and_weights_are_measured_once_a_selector():
    made = Made(resamples=subsamples(30, 6), measures=("nogueira", "spearman", "pearson"))
    store = full(made, forms=("ranks", "weights"))
    result = Result(store)
    whole = result.stability[result.stability["measure"] != "nogueira"]
    assert whole[["selector", "size", "measure"]].values.tolist() == [
        ["one", 12, "spearman"],
        ["one", 12, "pearson"],
        ["two", 12, "spearman"],
        ["two", 12, "pearson"],
    ]
    weights = result.preferences["one"]
    rho = [scipy.stats.spearmanr(a, b).statistic for a, b in itertools.combinations(weights, 2)]
    r = [scipy.stats.pearsonr(a, b).statistic for a, b in itertools.combinations(weights, 2)]
    assert cell(result, "one", 12, "spearman")["value"] == pytest.approx(np.mean(rho))
    assert cell(result, "one", 12, "pearson")["value"] == pytest.approx(np.mean(r))


def test_rankings_are_made_of_weights_where_only_these_are_kept():
    made = Made(resamples=subsamples(30, 6), measures=("spearman",))
    both = Result(full(made, forms=("ranks", "weights"))).stability
    pd.testing.assert_frame_equal(Result(full(made, forms=("weights",))).stability, both)


def test_measures_of_what_is_not_kept_say_so():
    made = Made(resamples=subsamples(30, 6), measures=("spearman", "pearson"))
    table = Result(full(made)).stability
    assert table["value"].isna().all()
    assert set(table["note"]) == {
        "the store holds no rankings of this selector",
        "the store holds no weights of this selector",
    }


def test_nested_resamples_are_averaged_within_then_across():
    made = nested(Made())
    store = full(made)
    row = cell(Result(store), "one", 4, "jaccard")
    values = []
    for outer in range(3):
        numbers = range(5 * outer + 1, 5 * outer + 5)
        rows = tops(store, 0, 4, numbers)
        values.append(np.mean([jaccard(a, b) for a, b in itertools.combinations(rows, 2)]))
    interval = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert row["value"] == pytest.approx(np.mean(values))
    ends = max(interval.low, 0), min(interval.high, 1)
    assert (row["low"], row["high"]) == pytest.approx(ends)
    assert row["n"] == 12
    assert "3 groups" in row["note"]
    assert "2 df" in row["note"]
    assert row["interval"] == "t"


def test_an_outer_resample_with_one_inner_result_is_left_out():
    made = nested(Made())
    store = full(made, skip=[(0, 1), (0, 2), (0, 3)])
    row = cell(Result(store), "one", 2, "nogueira")
    assert row["n"] == 8
    assert "2 groups" in row["note"]


def test_one_outer_resample_gives_a_value_without_an_interval():
    made = nested(Made())
    store = full(made, skip=[(0, number) for number in range(5, 15)])
    row = cell(Result(store), "one", 2, "nogueira")
    assert np.isfinite(row["value"])
    assert np.isnan([row["low"], row["high"]]).all()
    assert row["interval"] == ""
    assert row["note"] == "one group of resamples: no interval"


def test_what_holds_for_a_measure_is_noted_once_for_all_groups():
    row = cell(Result(full(nested(Made(measures=("anhd",))))), "one", 4, "anhd")
    assert row["note"].startswith("mean over 3 groups")
    assert row["note"].endswith("; a distance: lower is more stable")
    jaccard = get_measure("jaccard")
    few, more = (
        MeasuredValue(value, note="no interval: few", standing=("no chance level",))
        for value in (0.5, 0.6)
    )
    undefined = MeasuredValue(note="undefined", standing=("no chance level",))
    both = average_over_groups(jaccard, [few, more]).row("the end")
    assert both["note"].endswith("(t, 1 df); no chance level; the end")
    assert (both["low"], both["high"]) == (0, 1)  # cut to the range
    equal = average_over_groups(jaccard, [few, few])
    assert np.isnan(equal.low)
    assert "2 groups of resamples, no interval: they do not differ" in equal.note
    one = average_over_groups(jaccard, [undefined, few]).row()
    assert one["note"].startswith("undefined; mean over 2")
    assert one["note"].count("no chance level") == 1


def test_halves_are_compared_within_their_pairs_only():
    halves = [
        Resample(rows, other, outer=pair)
        for pair, part in enumerate(subsamples(30, 5, share=0.5))
        for rows, other in ((part.train, part.test), (part.test, part.train))
    ]
    made = Made(resamples=halves)
    store = full(made)
    rows = tops(store, 0, 4, range(10))
    expected = np.mean([jaccard(rows[2 * i], rows[2 * i + 1]) for i in range(5)])
    assert cell(Result(store), "one", 4, "jaccard")["value"] == pytest.approx(expected)


def with_reference():
    everything = Resample(np.arange(30), np.arange(0), role="reference")
    return Made(resamples=[*subsamples(30, 7), everything])


def test_pairs_are_taken_against_the_reference_and_systems_are_not():
    made = with_reference()
    store = full(made)
    result = Result(store)
    *rows, reference = tops(store, 0, 4, range(8))
    row = cell(result, "one", 4, "jaccard")
    assert row["value"] == pytest.approx(np.mean([jaccard(one, reference) for one in rows]))
    assert (row["against"], row["n"]) == ("reference", 7)
    other = cell(result, "one", 4, "nogueira")
    assert other["value"] == hf.measure("nogueira", hf.Subsets(rows, n_features=12))
    assert (other["against"], other["n"]) == ("each other", 7)


def test_a_reference_that_failed_leaves_pairs_without_a_value():
    result = Result(full(with_reference(), failed=[(0, 7)]))
    row = cell(result, "one", 4, "jaccard")
    assert np.isnan(row["value"])
    assert "reference" in row["note"]
    assert np.isfinite(cell(result, "one", 4, "nogueira")["value"])
    assert np.isfinite(cell(result, "two", 4, "jaccard")["value"])


def test_failed_and_missing_units_are_left_out():
    made = Made(resamples=subsamples(30, 6))
    store = full(made, failed=[(0, 2)], skip=[(0, 4)])
    row = cell(Result(store), "one", 4, "nogueira")
    subsets = hf.Subsets(tops(store, 0, 4, [0, 1, 3, 5]), n_features=12)
    assert row["value"] == hf.measure("nogueira", subsets)
    assert row["n"] == 4


def test_what_a_failed_unit_left_behind_does_not_count():
    made = Made(resamples=subsamples(30, 4))
    store = full(made, skip=[(0, 3)])
    outcome = made.outcome(0, 3)
    outcome.message = "ValueError: no classifier"
    with store.transaction():
        store.add([outcome])
    result = Result(store)
    assert cell(result, "one", 2, "nogueira")["n"] == 3
    assert result.errors["resamples"].tolist() == [3, 3, 4, 4]


@pytest.mark.parametrize("there", [0, 1])
def test_fewer_than_two_preferences_give_no_value_but_a_note(there):
    made = with_reference()
    made = dataclasses.replace(made, measures=("nogueira", "jaccard", "spearman", "pearson"))
    skip = [(s, i) for s in range(2) for i in range(there, 8)]
    table = Result(full(made, forms=("ranks", "weights"), skip=skip)).stability
    assert table["value"].isna().all()
    assert len(table) == 2 * (2 * 2 + 2)
    assert (table["note"] != "").all()
    assert set(table["n"]) == {there}


def test_own_sizes_leave_some_measures_without_a_value_and_without_warnings():
    made = Made(resamples=subsamples(30, 8), own=("two",), measures=("kuncheva", "nogueira"))
    result = Result(full(made))
    row = cell(result, "two", "own", "kuncheva")
    assert np.isnan(row["value"])
    assert "without a value" in row["note"]
    assert "own sizes: " in row["note"]
    assert np.isfinite(cell(result, "two", "own", "nogueira")["value"])
    assert np.isfinite(cell(result, "one", 4, "kuncheva")["value"])


def test_measures_of_similar_features_use_the_data_where_they_are_at_hand():
    made = Made(resamples=subsamples(30, 5), measures=("nogueira", "zucknick"))
    store = full(made)
    X = np.random.default_rng(0).normal(size=(30, 3))[:, np.arange(12) % 3]
    data = hf.io.from_arrays(X, ["a", "b"] * 15)
    asked = []
    result = Result(store, data=lambda: asked.append(1) or data)
    subsets = hf.Subsets(tops(store, 0, 2, range(5)), n_features=12)
    expected = hf.measure("zucknick", subsets, data=X)
    assert cell(result, "one", 2, "zucknick")["value"] == pytest.approx(expected)
    assert asked == [1]
    for source in (None, lambda: None):
        row = cell(Result(store, data=source), "one", 2, "zucknick")
        assert np.isnan(row["value"])
        assert "data" in row["note"]


def test_the_data_are_left_alone_where_no_measure_needs_them():
    def refuse():
        raise AssertionError

    assert len(Result(full(Made(resamples=subsamples(30, 5))), data=refuse).stability)


def test_weights_that_cannot_be_used_are_noted():
    made = Made(resamples=subsamples(30, 3), measures=("pearson", "nogueira"), selectors=("one",))
    store = made.store()
    with store.transaction():
        for number in range(3):
            outcome = UnitResult(0, number, preferences=[("top", integers([0, 1, 2, 3]))])
            outcome.preferences.append(("weights", floats([np.nan, *range(11)])))
            store.add([outcome])
    result = Result(store)
    assert "finite" in cell(result, "one", 12, "pearson")["note"]
    assert cell(result, "one", 4, "nogueira")["value"] == pytest.approx(1)


def test_a_part_of_the_features_is_noted():
    parts = [
        dataclasses.replace(part, features=np.arange(number, 12))
        for number, part in enumerate(subsamples(30, 5))
    ]
    row = cell(Result(full(Made(resamples=parts))), "one", 4, "nogueira")
    assert "offered only some features" in row["note"]
