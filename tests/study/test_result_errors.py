"""The table of errors, against scikit-learn and against formulas spelled out."""

import dataclasses
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from holdfast.resample import Resample
from holdfast.study._result import Result
from holdfast.study._storage._store import to_floats, to_integers
from holdfast.study._tables._errors import (
    ErrorCalculator,
    Predictions,
    auc_error,
    aucs,
    recalls,
    shares_wrong,
)
from tests.judge.predictions import naive_spread
from tests.study.stores import Made, folds, full, subsamples

THREE = ("a", "b", "c")


def stored(made, store, selector=0, size=2, classifier=0):
    """Yield actual and predicted classes and scores, resample by resample."""
    rows = store.query(
        "SELECT resample, predicted, scores, actual FROM predictions WHERE selector = ? "
        "AND size = ? AND classifier = ? ORDER BY resample",
        (selector, size, classifier),
    )
    for number, predicted, scores, actual in rows:
        test = made.resamples[number].test
        truth = made.y[test] if actual is None else to_integers(actual)
        table = None if scores is None else to_floats(scores).reshape(len(test), -1)
        yield truth, to_integers(predicted), table


def area(actual, scores, n_classes):
    if n_classes == 2:
        return roc_auc_score(actual, scores[:, 0])
    return np.mean([roc_auc_score(actual == c, scores[:, c]) for c in range(n_classes)])


def placed(made):
    """Return sample and test part of each prediction."""
    tests = [one.test for one in made.resamples]
    return np.concatenate(tests), np.repeat(np.arange(len(tests)), [len(one) for one in tests])


def learned_share(wrong, samples, group, overlap):
    """Return what is learned adds to the variance of errors, as a share of that of one sample."""
    values = wrong.astype(float)
    how = {"once": False, "overlap": overlap}
    mean, spread = naive_spread(values, samples, group, samples, **how)
    weight = np.array([1 / np.sum(group == g) for g in group]) / (group.max() + 1)
    between = sum(
        np.sum((weight * (values - mean))[samples == one]) ** 2 / (1 - weight[samples == one].sum())
        for one in np.unique(samples)
    )
    single = np.sum(weight * (values - mean) ** 2) / len(np.unique(samples))
    return (spread**2 - between) / single


def balanced_spread(actual, predicted, samples, group, learned, n_classes):
    """Return the standard error of the mean balanced accuracy over test parts, with loops."""
    k = group.max() + 1
    counts = np.array([[np.sum((group == g) & (actual == c)) for c in range(n_classes)]
                       for g in range(k)])  # fmt: skip
    right = np.array([[np.mean((predicted == c)[(group == g) & (actual == c)])
                       for c in range(n_classes)] for g in range(k)]).mean(axis=0)  # fmt: skip
    part = ((actual == predicted) - right[actual]) / (k * n_classes * counts[group, actual])
    leverage = 1 / (k * counts[group, actual])
    units = np.unique(samples)
    between = sum(
        part[samples == one].sum() ** 2 / (1 - leverage[samples == one].sum()) for one in units
    )
    single = np.sum(part**2 * k * counts[group].sum(axis=1)) / len(units)
    return np.sqrt(between + learned * single)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [("a", "b"), THREE])
def test_repeated_tests_are_averaged_over_resamples(labels):
    made = Made(n=60, labels=labels, resamples=subsamples(60, 9), classifiers=("x", "y"))
    store = full(made)
    table = Result(store).errors.set_index(["selector", "classifier", "size"])
    for selector, classifier, size in itertools.product(range(2), range(2), made.sizes):
        row = table.loc[(made.selectors[selector], made.classifiers[classifier], size)]
        found = list(stored(made, store, selector, size, classifier))
        wrong = [np.mean(a != p) for a, p, _ in found]
        balanced = [balanced_accuracy_score(a, p) for a, p, _ in found]
        areas = [area(a, s, len(labels)) for a, _, s in found]
        assert row["error"] == pytest.approx(np.mean(wrong))
        actual, predicted = (np.concatenate([one[i] for one in found]) for i in (0, 1))
        where = placed(made)
        expected = naive_spread(
            (actual != predicted).astype(float), *where, where[0], once=False, overlap=0.25
        )
        assert row["standard_error"] == pytest.approx(expected[1])
        assert row["balanced_accuracy"] == pytest.approx(np.mean(balanced))
        learned = learned_share(actual != predicted, *where, 0.25)
        expected = balanced_spread(actual, predicted, *where, learned, len(labels))
        assert row["balanced_accuracy_error"] == pytest.approx(expected)
        assert row["auc"] == pytest.approx(np.mean(areas))
        assert 0 < row["auc_error"] < 0.3
        assert (row["n"], row["resamples"]) == (108, 9)


@pytest.mark.parametrize("labels", [("a", "b"), THREE])
def test_samples_tested_once_are_pooled(labels):
    made = Made(n=60, labels=labels, resamples=folds(60, 5), tested="once")
    store = full(made)
    row = Result(store).errors.iloc[0]
    found = list(stored(made, store))
    actual, predicted = (np.concatenate([one[i] for one in found]) for i in (0, 1))
    error = np.mean(actual != predicted)
    assert row["error"] == pytest.approx(error)
    enlarged = 1 + 40 / 60  # shared training samples
    assert row["standard_error"] == pytest.approx(np.sqrt(enlarged * error * (1 - error) / 60))
    assert row["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(actual, predicted))
    shares = [np.mean(predicted[actual == c] == c) for c in range(len(labels))]
    variances = [s * (1 - s) / (np.sum(actual == c) - 1) for c, s in enumerate(shares)]
    assert row["balanced_accuracy_error"] == pytest.approx(
        np.sqrt(enlarged * sum(variances)) / len(labels)
    )
    areas = [area(a, s, len(labels)) for a, _, s in found]
    assert row["auc"] == pytest.approx(np.mean(areas))
    assert row["n"] == 60


def test_samples_of_one_subject_are_not_independent():
    made = Made(n=60, labels=THREE, resamples=folds(60, 5), tested="once")
    store = full(made)
    plain = Result(store).errors.iloc[0]
    store.connection.execute("UPDATE samples SET subject = 's' || sample")
    assert Result(store).errors.iloc[0].equals(plain)  # each its own subject
    store.connection.execute("UPDATE samples SET subject = 's' || (sample / 4)")
    row = Result(store).errors.iloc[0]
    found = list(stored(made, store))
    actual, predicted = (np.concatenate([one[i] for one in found]) for i in (0, 1))
    subject, wrong = np.arange(60) // 4, actual != predicted
    shares = [wrong[subject == one].mean() for one in range(15)]  # all of four samples
    assert row["error"] == plain["error"]
    # doubled, as 15 subjects train each other
    assert row["standard_error"] == pytest.approx(np.sqrt(2) * np.std(shares, ddof=1) / np.sqrt(15))
    assert row["balanced_accuracy"] == plain["balanced_accuracy"]
    expected = np.sqrt(2) * balanced_jackknife(actual, predicted, subject)
    assert row["balanced_accuracy_error"] == pytest.approx(expected, rel=0.1)
    assert row["balanced_accuracy_error"] != plain["balanced_accuracy_error"]


def balanced_jackknife(actual, predicted, subject):
    """Leave out one subject after the other."""
    kept = [subject != one for one in np.unique(subject)]
    values = [balanced_accuracy_score(actual[one], predicted[one]) for one in kept]
    return np.sqrt((len(kept) - 1) * np.var(values))


def test_leaving_one_out_pools_the_scores():
    made = Made(n=20, resamples=folds(20, 20), tested="once")
    store = full(made)
    row = Result(store).errors.iloc[0]
    found = list(stored(made, store))
    actual, scores = (np.concatenate([one[i] for one in found]) for i in (0, 2))
    assert row["auc"] == pytest.approx(roc_auc_score(actual, scores[:, 0]))
    assert row["auc_error"] == pytest.approx(np.sqrt(2) * delong(actual, scores[:, 0]))


def delong(actual, scores):
    """DeLong's standard error with loops."""
    ones, others = scores[actual == 1], scores[actual == 0]
    order = np.array([[(a > b) + (a == b) / 2 for b in others] for a in ones])
    return np.sqrt(
        order.mean(axis=1).var(ddof=1) / len(ones) + order.mean(axis=0).var(ddof=1) / len(others)
    )


def test_the_error_of_a_mean_of_areas_is_near_that_of_simulations():
    rng = np.random.default_rng(0)
    actual = np.repeat([0, 1, 2], 60)
    group = np.zeros(180, dtype=np.int64)
    truth = np.eye(3)[actual]
    draws = [truth + rng.normal(size=(180, 3)) for _ in range(400)]
    values = [aucs(actual, scores, group, 3)[0] for scores in draws]
    errors = [auc_error(actual, scores, 3) for scores in draws]
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.1)


def test_tiny_test_parts_that_are_repeated_have_a_pooled_area_without_an_error():
    made = Made(n=20, resamples=folds(20, 20) * 2)
    row = Result(full(made)).errors.iloc[0]
    assert np.isfinite(row["auc"])
    assert np.isnan(row["auc_error"])
    assert np.isnan(row["balanced_accuracy"])


def test_test_parts_that_lack_a_class_are_left_out_of_areas():
    parts = subsamples(60, 6)
    even = np.arange(0, 12, 2)
    odd = [Resample(np.setdiff1d(np.arange(60), even), even)]
    made = Made(n=60, resamples=[*parts, *odd])
    store = full(made)
    row = Result(store).errors.iloc[0]
    found = list(stored(made, store))
    assert row["auc"] == pytest.approx(np.mean([area(a, s, 2) for a, _, s in found[:6]]))
    balanced = [balanced_accuracy_score(a, p) for a, p, _ in found[:6]]
    assert row["balanced_accuracy"] == pytest.approx(np.mean(balanced))
    assert row["error"] == pytest.approx(np.mean([np.mean(a != p) for a, p, _ in found]))


def test_a_bootstrap_counts_different_training_samples():
    rng = np.random.default_rng(0)
    draws = [rng.integers(40, size=40) for _ in range(7)]
    made = Made(n=40, resamples=[Resample(d, np.setdiff1d(np.arange(40), d)) for d in draws])
    store = full(made)
    wrong = np.concatenate([a != p for a, p, _ in stored(made, store)]).astype(float)
    train = np.mean([len(set(d.tolist())) for d in draws])
    row = Result(store).errors.iloc[0]
    where = placed(made)
    expected = naive_spread(wrong, *where, where[0], once=False, overlap=(40 - train) / train)
    assert row["standard_error"] == pytest.approx(expected[1])


@pytest.mark.parametrize("tested", ["once", "repeatedly"])
def test_independent_data_sets_need_no_enlargement(tested):
    drawn = [Resample(np.arange(20), np.arange(15), draw=i) for i in range(6)]
    made = Made(resamples=drawn, tested=tested)
    store = full(made)
    wrong = [np.mean(a != p) for a, p, _ in stored(made, store)]
    row = Result(store).errors.iloc[0]
    assert row["error"] == pytest.approx(np.mean(wrong))
    assert row["standard_error"] == pytest.approx(np.std(wrong, ddof=1) / np.sqrt(6))


def test_outer_resamples_count_and_inner_ones_and_the_reference_do_not():
    parts = folds(30, 3, role="outer")
    others = [
        dataclasses.replace(parts[0], role="inner", outer=0),
        dataclasses.replace(parts[0], role="reference", outer=-1),
    ]
    made = Made(resamples=parts, tested="once")
    plain = Result(full(made)).errors
    more = dataclasses.replace(made, resamples=[*parts, *others])
    store = full(more)
    with store.transaction():  # what no study writes, but a table must not trust that
        store.connection.execute(
            "INSERT INTO predictions SELECT selector, 3, size, classifier, predicted, scores, "
            "actual FROM predictions WHERE resample = 0"
        )
    assert Result(store).errors.equals(plain)
    assert set(Result(store).predictions["resample"]) == {0, 1, 2}


def test_the_error_of_a_mean_area_over_test_parts_is_near_that_of_simulations():
    """Scores that are fixed: twos of samples are drawn again, nothing is learned."""
    rng = np.random.default_rng(0)
    values, errors = [], []
    for _ in range(300):
        actual, group = np.tile([0, 0, 0, 1, 1], 12), np.repeat(np.arange(12), 5)
        scores = (actual + rng.normal(size=60))[:, None]
        found = Predictions(np.arange(12), group, np.arange(60), actual, actual, scores)
        judge = ErrorCalculator(SimpleNamespace(is_drawn=False, labels=("a", "b")), once=True)
        area = judge._auc(found, np.arange(60), ratio=0.0)
        values.append(area.value)
        errors.append(area.error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.1)


def test_a_classifier_without_scores_has_no_area():
    table = Result(full(Made(resamples=subsamples(30, 4)), scores=False)).errors
    assert table[["auc", "auc_error"]].isna().all(axis=None)
    assert table["error"].notna().all()


def test_one_resample_has_the_standard_error_of_its_samples_and_none_has_no_error():
    made = Made(resamples=subsamples(30, 4))
    skip = [(0, i) for i in range(1, 4)] + [(1, i) for i in range(4)]
    table = Result(full(made, skip=skip)).errors
    error = table["error"][0]
    variance = error * (1 - error) * (1 / 5 + 1 / 6)  # of six samples, and what is learned
    assert table["standard_error"][0] == pytest.approx(np.sqrt(variance))
    assert table["standard_error"].notna().tolist() == [True, True, False, False]
    assert table["error"].notna().tolist() == [True, True, False, False]
    assert table["n"].tolist() == [6, 6, 0, 0]


def test_a_study_without_tests_or_classifiers_has_an_empty_table():
    everything = [Resample(np.arange(30), np.arange(0))] * 3
    assert Result(full(Made(resamples=everything, tested="never"))).errors.empty
    result = Result(full(Made(resamples=subsamples(30, 3), classifiers=())))
    assert result.errors.empty
    assert result.predictions.empty
    assert "error" in result.errors


def test_own_sizes_are_called_so():
    made = Made(resamples=subsamples(30, 4), own=("two",))
    table = Result(full(made)).errors
    assert table["size"].tolist() == [2, 4, "own"]
    assert table["error"].notna().all()


@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 5), st.booleans())
def test_scores_agree_with_scikit_learn(seed, n_classes, n_groups, coarse):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2 * n_classes, 30, size=n_groups)
    group = np.repeat(np.arange(n_groups), lengths)
    actual = np.concatenate([rng.permutation(np.arange(n) % n_classes) for n in lengths])
    predicted = rng.integers(n_classes, size=len(group))
    scores = rng.normal(size=(len(group), 1 if n_classes == 2 else n_classes))
    scores = np.round(scores) if coarse else scores
    each = [group == g for g in range(n_groups)]
    expected = [area(actual[one], scores[one], n_classes) for one in each]
    assert aucs(actual, scores, group, n_classes) == pytest.approx(expected)
    expected = [balanced_accuracy_score(actual[one], predicted[one]) for one in each]
    assert recalls(actual, predicted, group, n_classes).mean(axis=1) == pytest.approx(expected)
    expected = [np.mean(actual[one] != predicted[one]) for one in each]
    assert shares_wrong(actual, predicted, group) == pytest.approx(expected)


def test_a_missing_score_spoils_the_area_of_its_test_part_only():
    actual = np.array([0, 1, 0, 1])
    scores = np.array([[np.nan], [1.0], [0.0], [1.0]])
    areas = aucs(actual, scores, np.array([0, 0, 1, 1]), 2)
    assert np.isnan(areas[0])
    assert areas[1] == 1
