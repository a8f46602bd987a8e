"""MRMR against mrmr-selection, a naive version and closed forms."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn import datasets
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedKFold

import holdfast as hf
from holdfast._kernels.discretization import n_log_n
from holdfast._kernels.redundancy import add_correlations, add_mutual_information, bin_sums
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._filters._mrmr import bin_by_rank

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "mrmr.json").read_text("utf-8"))
FCQ = {"relevance": "f", "redundancy": "correlation"}
MIQ = {"relevance": "mutual_information", "redundancy": "mutual_information"}


def order_of(fitted):
    return np.argsort(fitted.ranking_)


def naive_bins(x, n_bins):
    """Bins of equal frequency in whole numbers; a value goes where its mean rank falls."""
    doubled = np.round(2 * rankdata(x)).astype(int)
    return ((doubled - 1) * n_bins) // (2 * len(x))


def naive_order(X, y, criterion, relevance, redundancy, n_bins=10):
    """The greedy search as it is written down, with all redundancies computed again."""
    p = X.shape[1]
    bins = [naive_bins(x, n_bins) for x in X.T]
    if relevance == "f":
        values = f_classif(X, y)[0]
    else:
        values = np.array([mutual_info_score(y, b) for b in bins])
    if redundancy == "correlation":
        shared = abs(np.corrcoef(X.T))
    else:
        shared = np.array([[mutual_info_score(a, b) for a in bins] for b in bins])
    order = [int(values.argmax())]
    while len(order) < p:
        left = [f for f in range(p) if f not in order]
        if criterion == "quotient":
            mean = np.maximum(shared[np.ix_(left, order)], 1e-3).mean(axis=1)
            scores = values[left] / mean
        else:
            scores = values[left] - shared[np.ix_(left, order)].mean(axis=1)
        order.append(left[int(scores.argmax())])
    return order


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: f"{c['data']}-{c['criterion']}")
def test_rankings_equal_those_of_mrmr_selection(case):
    """To the last feature, but for features of equal value, which come in random order."""
    X, y = getattr(datasets, case["data"])(return_X_y=True)
    X, y = X[::3], y[::3]
    options = FCQ if case["criterion"] == "fcq" else {**MIQ, "n_bins": 5}
    fitted = hf.MRMR(**options, n_features_to_select=1.0).fit(X, y)
    expected = case["order"]
    assert order_of(fitted)[: len(expected)].tolist() == expected
    # what the package leaves out has no relevance
    left_out = np.setdiff1d(np.arange(X.shape[1]), expected)
    assert (fitted.relevance_[left_out] == 0).all()
    assert set(fitted.ranking_[left_out]) == set(range(len(expected) + 1, X.shape[1] + 1))


@pytest.mark.parametrize("redundancy", ["correlation", "mutual_information"])
@pytest.mark.parametrize("relevance", ["f", "mutual_information"])
@pytest.mark.parametrize("criterion", ["quotient", "difference"])
@pytest.mark.parametrize("classes", [2, 3])
def test_all_criteria_equal_the_naive_search(criterion, relevance, redundancy, classes):
    rng = np.random.default_rng(classes)
    y = np.arange(53) % classes
    X = rng.normal(size=(53, 4)) @ rng.normal(size=(4, 25)) + rng.normal(size=(53, 25))
    X[:, :8] += 0.7 * y[:, None]
    options = {"criterion": criterion, "relevance": relevance, "redundancy": redundancy}
    fitted = hf.MRMR(**options, n_features_to_select=1.0).fit(X, y)
    assert order_of(fitted).tolist() == naive_order(X, y, **options)


@pytest.mark.parametrize("criterion", ["quotient", "difference"])
def test_the_search_may_end_anywhere(criterion):
    """The first features stay the same; the others are ordered by the next step."""
    X, y = datasets.load_breast_cancer(return_X_y=True)
    whole = order_of(hf.MRMR(criterion=criterion, n_features_to_select=30).fit(X, y))
    for size in (1, 4, 15):
        part = hf.MRMR(criterion=criterion, n_features_to_select=size).fit(X, y)
        assert order_of(part)[: size + 1].tolist() == whole[: size + 1].tolist()
        mean = np.maximum(abs(np.corrcoef(X.T))[:, whole[:size]], 1e-3).mean(axis=1)
        relevance = f_classif(X, y)[0]
        scores = relevance / mean if criterion == "quotient" else relevance - mean
        rest = order_of(part)[size:]
        assert (np.diff(scores[rest]) < 0).all()
    assert hf.MRMR().fit(X, y).get_support().sum() == 15


@pytest.mark.parametrize("options", [FCQ, MIQ])
@pytest.mark.parametrize("criterion", ["quotient", "difference"])
def test_constant_features_come_last_and_copies_late(criterion, options):
    X, y = datasets.load_wine(return_X_y=True)
    X = np.column_stack([X, np.full(len(y), 0.1), X[:, 6], 5 - 3 * X[:, 6]])
    fitted = hf.MRMR(criterion=criterion, **options, n_features_to_select=1.0).fit(X, y)
    assert fitted.ranking_[13] == 16
    if criterion == "quotient" and options is FCQ:
        first, *rest = sorted(fitted.ranking_[[6, 14, 15]])
        assert first == 1
        assert rest[0] > 2


def test_ties_are_broken_at_random_with_the_seed():
    y = np.arange(40) % 2
    x = np.random.default_rng(0).normal(size=40) + y
    X = np.repeat(x[:, None], 6, axis=1)
    firsts = {
        int(order_of(hf.MRMR(random_state=seed, n_features_to_select=1.0).fit(X, y))[0])
        for seed in range(60)
    }
    assert firsts == set(range(6))
    a, b = (hf.MRMR(random_state=3).fit(X, y).ranking_ for _ in range(2))
    assert a.tolist() == b.tolist()


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_units_and_large_means_change_nothing(unit):
    X, y = datasets.load_wine(return_X_y=True)
    expected = hf.MRMR(n_features_to_select=1.0).fit(X, y).ranking_
    assert hf.MRMR(n_features_to_select=1.0).fit(X * unit, y).ranking_.tolist() == expected.tolist()
    shifted = hf.MRMR(n_features_to_select=1.0).fit(X + 1e6, y).ranking_
    assert shifted.tolist() == expected.tolist()


def test_perfect_features_come_first():
    """Constant within every class: F is the largest number there is, and stays in order."""
    X, y = datasets.load_wine(return_X_y=True)
    X = np.column_stack([X, y == 1, y])
    for criterion in ("quotient", "difference"):
        fitted = hf.MRMR(criterion=criterion, n_features_to_select=1.0).fit(X, y)
        assert sorted(fitted.ranking_[13:]) == [1, 2]


def test_kernels_add_what_numpy_and_scikit_learn_compute():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(31, 1500)) + rng.normal(size=(31, 1))
    centred = X - X.mean(axis=0)
    standardized = centred / np.sqrt(np.square(centred).sum(axis=0))
    sums = np.ones(1500)
    add_correlations(standardized, 1200, 0.05, sums)
    expected = np.maximum(abs(np.corrcoef(X.T)[1200]), 0.05)
    assert sums - 1 == pytest.approx(expected, abs=1e-12)
    X = X[:, :40].round(1)
    bins, table = bin_by_rank(X, 4), n_log_n(31)
    assert bins.tolist() == [naive_bins(x, 4).tolist() for x in X.T]
    sums = np.ones(40)
    add_mutual_information(bins, bin_sums(bins, 4, table), 4, 7, table, 0.02, sums)
    expected = [max(mutual_info_score(bins[7], b), 0.02) for b in bins]
    assert sums - 1 == pytest.approx(expected, abs=1e-12)


def test_a_study_searches_to_its_largest_size():
    """By itself the selector searches half of the features, 6 of 13."""
    X, y = datasets.load_wine(return_X_y=True)
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    study = hf.Study(["mrmr"], protocol=splits, sizes=[2, 10], classifiers=(), replication=0)
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    subsets = result.preferences["mrmr", 10]
    for (train, _), subset in zip(splits, subsets, strict=True):
        fitted = hf.MRMR(n_features_to_select=10).fit(X[train], y[train])
        assert sorted(subset) == np.flatnonzero(fitted.support_).tolist()
    assert hf.MRMR().fit(X[splits[0][0]], y[splits[0][0]]).get_support().sum() == 6


def test_bad_parameters():
    X, y = datasets.load_wine(return_X_y=True)
    with pytest.raises(UnknownNameError, match="'quotient'"):
        hf.MRMR(criterion="quotent").fit(X, y)
    with pytest.raises(UnknownNameError, match="unknown relevance"):
        hf.MRMR(relevance="t").fit(X, y)
    with pytest.raises(UnknownNameError, match="unknown redundancy"):
        hf.MRMR(redundancy="f").fit(X, y)
    with pytest.raises(InvalidInputError, match="n_bins"):
        hf.MRMR(n_bins=1).fit(X, y)
