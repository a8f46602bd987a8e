"""Information gain and its kin against WEKA, scikit-learn and naive twins."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import SkipTestWarning
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import check_estimator

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import _information
from holdfast.select._information import (
    InformationGain,
    MutualInformation,
    SymmetricalUncertainty,
)

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "weka.json").read_text(encoding="utf-8")
)
KINDS = [
    InformationGain(),
    SymmetricalUncertainty(),
    SymmetricalUncertainty(n_bins=3),
    SymmetricalUncertainty(binning="mdl"),
    MutualInformation(),
    MutualInformation(n_bins=2),
]


def names(estimator):
    return str(estimator)


# The naive twins


def n_log_n(x):
    return 0.0 if x < 1e-6 else x * math.log(x)


def naive_entropy(counts):
    total = sum(counts)
    return (-sum(map(n_log_n, counts)) + n_log_n(total)) / (total * math.log(2)) if total else 0.0


def naive_split_entropy(sides):
    """Entropy of the class given the side, summed in WEKA's order: ties in theory need that."""
    value, total = 0.0, 0
    for side in sides:
        for count in side:
            value += n_log_n(count)
        value -= n_log_n(sum(side))
        total += sum(side)
    return -value / (total * math.log(2))


def naive_cuts(x, y):
    """Fayyad and Irani's cuts of sorted values without missing ones."""
    classes = range(max(y, default=0) + 1)

    def counts(part):
        return [list(part).count(k) for k in classes]

    def presence(part):
        return len(set(part))

    places = [i for i in range(1, len(x)) if x[i - 1] < x[i]]
    prior = naive_entropy(counts(y))
    best, at = prior, None
    for i in places:
        entropy = naive_split_entropy([counts(y[:i]), counts(y[i:])])
        if entropy < best:
            best, at = entropy, i
    if at is None:
        return []
    left, right = y[:at], y[at:]
    delta = math.log2(3 ** presence(y) - 2) - (
        presence(y) * prior
        - presence(right) * naive_entropy(counts(right))
        - presence(left) * naive_entropy(counts(left))
    )
    if not prior - best > (math.log2(len(places)) + delta) / len(x):
        return []
    middle = (x[at - 1] + x[at]) / 2
    return [*naive_cuts(x[:at], left), middle, *naive_cuts(x[at:], right)]


def naive_feature_cuts(x, y):
    x, y = x[~np.isnan(x)].astype(float), y[~np.isnan(x)]
    order = np.argsort(x, kind="stable")
    return naive_cuts(x[order].tolist(), y[order].tolist())


def naive_rank_bins(x, n_bins):
    known = ~np.isnan(x)
    ranks = scipy.stats.rankdata(x[known])
    bins = np.full(len(x), -1)
    bins[known] = np.floor((ranks - 0.5) * n_bins / known.sum() + 1e-9).astype(int)
    return bins


def naive_table(bins, y):
    """Bins by classes; rows without a bin are spread in proportion to the bins."""
    size = max(bins.max(), 0) + 1
    table = np.array([[np.sum((bins == b) & (y == k)) for k in np.unique(y)] for b in range(size)])
    missing = np.array([np.sum((bins == -1) & (y == k)) for k in np.unique(y)])
    share = table.sum(axis=1, keepdims=True) / max(table.sum(), 1)
    return table + share * missing


def naive_scores(x, y, n_bins=None):
    """Information gain in bits, symmetrical uncertainty; by MDL cuts without a number of bins."""
    if n_bins is None:
        bins = np.array([sum(v > c for c in naive_feature_cuts(x, y)) for v in x])
        bins[np.isnan(x)] = -1
    else:
        bins = naive_rank_bins(x, n_bins)
    table = naive_table(bins, y)
    of_class = scipy.stats.entropy(np.bincount(y)[np.bincount(y) > 0], base=2)
    if np.count_nonzero(table.sum(axis=1)) < 2:
        return 0.0, 0.0
    of_bins = scipy.stats.entropy(table.sum(axis=1), base=2)
    gain = of_class + of_bins - scipy.stats.entropy(table.ravel(), base=2)
    return gain, 2 * gain / (of_class + of_bins)


# Data


def made_up(seed, n=30, p=40, n_classes=2, missing=0.0):
    """Noise, signal, ties of all sorts and constants side by side."""
    rng = np.random.default_rng(seed)
    y = np.concatenate((np.repeat(np.arange(n_classes), 2), rng.integers(0, n_classes, n)))[:n]
    y = rng.permutation(y)
    X = rng.standard_normal((n, p)) + rng.choice([0, 0, 1, 4], p) * y[:, None]
    levels = rng.choice([1, 2, 3, 8], p)
    tied = rng.random(p) < 0.5
    X[:, tied] = np.round(X[:, tied] * levels[tied]) / levels[tied]
    X[:, rng.random(p) < 0.1] = 3.25
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def golden_data(name, request):
    if name in {"wine", "breast_cancer"}:
        return {"wine": load_wine, "breast_cancer": load_breast_cancer}[name](return_X_y=True)
    (record,) = [one for one in GOLDEN["data_sets"] if one["dataset"] == name]
    if "data" in record:
        X = np.array(record["data"]["X"], dtype=float)
        return X, np.array(record["data"]["y"])
    pytest.importorskip("pyarrow")
    frame = pd.read_parquet(request.getfixturevalue("data_folder") / f"{name}.parquet")
    target = frame.pop("class")
    y = np.array([record["source"]["classes_in_order"].index(label) for label in target])
    return frame.to_numpy(dtype=np.float64), y


def golden(evaluator, options=""):
    return [
        pytest.param(one, id=one["dataset"])
        for one in GOLDEN["records"]
        if one["evaluator"].endswith(evaluator) and options in one["options"]
    ]


# WEKA


@pytest.mark.parametrize("record", golden("InfoGainAttributeEval"))
def test_information_gain_equals_weka(record, request):
    X, y = golden_data(record["dataset"], request)
    scores = InformationGain().fit(X, y).scores_
    assert scores == pytest.approx(np.array(record["scores"]), abs=1e-12)
    # a feature has a score of exactly 0 here where it has in WEKA
    assert np.array_equal(scores == 0, np.array(record["scores"]) == 0)


@pytest.mark.parametrize("record", golden("SymmetricalUncertAttributeEval"))
def test_symmetrical_uncertainty_equals_weka(record, request):
    X, y = golden_data(record["dataset"], request)
    scores = SymmetricalUncertainty(binning="mdl").fit(X, y).scores_
    assert scores == pytest.approx(np.array(record["scores"]), abs=1e-12)


@pytest.mark.parametrize("record", golden("Discretize", "-E"))
def test_cut_points_equal_wekas(record, request):
    X, y = golden_data(record["dataset"], request)
    cuts = InformationGain().fit(X, y).cut_points_
    assert [own.tolist() for own in cuts] == record["cuts"]


def test_all_golden_values_are_compared():
    scored = [golden("InfoGainAttributeEval"), golden("SymmetricalUncertAttributeEval")]
    counts = [sum(len(one.values[0]["scores"]) for one in records) for records in scored]
    assert counts == [2116, 2116]
    assert sum(len(one.values[0]["cuts"]) for one in golden("Discretize", "-E")) == 56


# scikit-learn


@pytest.mark.parametrize("n_bins", [2, 5, 10, 1000])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_mutual_information_equals_scikit_learns_of_the_bins(load, n_bins):
    X, y = load(return_X_y=True)
    expected = [mutual_info_score(naive_rank_bins(x, n_bins), y) for x in X.T]
    assert MutualInformation(n_bins=n_bins).fit(X, y).scores_ == pytest.approx(expected, abs=1e-12)


def test_bins_without_ties_have_equal_sizes():
    x = np.random.default_rng(0).permutation(23).astype(float)
    sizes = np.bincount(naive_rank_bins(x, 5))
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("estimator", KINDS, ids=names)
def test_estimator_checks_pass(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        results = check_estimator(estimator)
    assert sum(one["status"] == "passed" for one in results) >= 40


# The naive twins


def assert_scores(X, y, tolerance=1e-12):
    gain = InformationGain().fit(X, y)
    expected = np.array([naive_scores(x, y) for x in X.T])
    assert gain.scores_ == pytest.approx(expected[:, 0], abs=tolerance)
    assert [own.tolist() for own in gain.cut_points_] == [naive_feature_cuts(x, y) for x in X.T]
    by_cuts = SymmetricalUncertainty(binning="mdl").fit(X, y).scores_
    assert by_cuts == pytest.approx(expected[:, 1], abs=tolerance)
    for n_bins in (2, 5):
        expected = np.array([naive_scores(x, y, n_bins) for x in X.T])
        by_rank = SymmetricalUncertainty(n_bins=n_bins).fit(X, y).scores_
        assert by_rank == pytest.approx(expected[:, 1], abs=tolerance)
        if not np.isnan(X).any():
            nats = MutualInformation(n_bins=n_bins).fit(X, y).scores_
            assert nats == pytest.approx(expected[:, 0] * math.log(2), abs=tolerance)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(8, 40),
    n_classes=st.integers(2, 4),
    missing=st.sampled_from([0.0, 0.2, 0.9]),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_scores_and_cuts_equal_the_naive_ones(seed, n, n_classes, missing, dtype):
    X, y = made_up(seed, n, 12, n_classes, missing)
    assert_scores(X.astype(dtype), y)


@given(seed=st.integers(0, 2**32), n=st.integers(8, 40))
@example(seed=0, n=16)
def test_columns_ruled_out_at_a_glance_have_no_cuts(seed, n):
    # so many columns that the kernel finds the table of margins worth its time
    X, y = made_up(seed, n, 60)
    assert 4 * np.prod(np.bincount(y) + 1) < X.size
    alone = [InformationGain().fit(X[:, [j]], y) for j in range(60)]
    together = InformationGain().fit(X, y)
    assert together.scores_.tolist() == [one.scores_[0] for one in alone]
    for j, one in enumerate(alone):
        assert together.cut_points_[j].tolist() == one.cut_points_[0].tolist()


@given(seed=st.integers(0, 2**32), n_classes=st.integers(2, 3), missing=st.sampled_from([0, 0.3]))
def test_integer_data(seed, n_classes, missing):
    X, y = made_up(seed, 25, 8, n_classes, missing)
    X = np.round(X)
    assert_scores(X, y)
    if missing == 0:
        whole = InformationGain().fit(X.astype(int), y)
        assert whole.scores_.tolist() == InformationGain().fit(X, y).scores_.tolist()


# Resamples


def resamples(y, seed, count=7):
    """Bootstrap samples, subsamples and larger samples, one of them without the last class."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([len(y) // 2, len(y), 2 * len(y)], count)
    rows = [rng.integers(0, len(y), size) for size in sizes]
    if y.max() > 1:
        rows.append(np.flatnonzero(y < y.max()))
    return [own for own in rows if len(np.unique(y[own])) > 1 and usable(y[own])]


def usable(y):
    counts = np.bincount(y)
    return counts[counts > 0].min() > 1


@pytest.mark.parametrize("block", [1, 64, 2**20])
@pytest.mark.parametrize("estimator", KINDS, ids=names)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_resamples_equal_single_fits(estimator, n_classes, missing, block, monkeypatch):
    monkeypatch.setattr(_information, "MAX_BLOCK_ENTRIES", block)
    X, y = made_up(5, 24, 40, n_classes, missing * estimator._allow_nan)
    rows = resamples(y, 3)
    assert len(rows) >= 4
    many = estimator.score_resamples(X, y, rows).values
    for own, scores in zip(rows, many, strict=True):
        assert scores.tolist() == estimator.fit(X[own], y[own]).scores_.tolist()


@pytest.mark.parametrize("estimator", KINDS, ids=names)
def test_resamples_of_sparse_data_equal_single_fits(estimator):
    X, y = made_up(6, 24, 40)
    X[np.random.default_rng(1).random(X.shape) < 0.6] = 0
    rows = resamples(y, 4)
    many = estimator.score_resamples(scipy.sparse.csc_array(X), y, rows).values
    for own, scores in zip(rows, many, strict=True):
        assert scores.tolist() == estimator.fit(X[own], y[own]).scores_.tolist()


# Sparse


@given(
    seed=st.integers(0, 2**32),
    density=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    n_classes=st.integers(2, 3),
    estimator=st.sampled_from(KINDS),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_sparse_equals_dense(seed, density, n_classes, estimator, dtype):
    rng = np.random.default_rng(seed)
    X, y = made_up(seed, 25, 10, n_classes, 0.2 * estimator._allow_nan)
    X = X.astype(dtype)
    X[rng.random(X.shape) >= density] = 0
    sparse = scipy.sparse.csc_array(X)
    some = rng.random(len(sparse.data)) < 0.2
    X[sparse.indices[some], np.repeat(np.arange(10), np.diff(sparse.indptr))[some]] = 0
    sparse.data[some] = 0  # zeros that are stored
    expected = estimator.fit(X, y).scores_.tolist()
    assert estimator.fit(sparse, y).scores_.tolist() == expected
    if isinstance(estimator, InformationGain):
        cuts = [own.tolist() for own in estimator.cut_points_]
        assert cuts == [own.tolist() for own in estimator.fit(X, y).cut_points_]


def test_repeated_entries_of_a_sparse_matrix_add_up():
    X, y = made_up(7, 20, 5)
    rows, columns = np.nonzero(X)
    halves = X[rows, columns] / 2
    parts = (np.tile(rows, 2), np.tile(columns, 2))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(parts[1], minlength=5))))
    order = np.argsort(parts[1], kind="stable")
    data, indices = np.tile(halves, 2)[order], parts[0][order]
    sparse = scipy.sparse.csc_array((data.copy(), indices, indptr), shape=X.shape)
    expected = InformationGain().fit(X, y).scores_.tolist()
    assert InformationGain().fit(sparse, y).scores_.tolist() == expected
    assert sparse.data.tolist() == data.tolist()  # the caller's matrix is left alone


# Edges


def test_constant_and_empty_features_score_lowest():
    X, y = made_up(8, 30, 4)
    X[:, 0], X[:, 1], X[:, 2] = 1.5, np.nan, 1e300
    X[0, 2] = np.nan
    for estimator in (InformationGain(), SymmetricalUncertainty()):
        scores = estimator.fit(X, y).scores_
        assert scores[:3].tolist() == [0, 0, 0]
        assert np.isfinite(scores).all()


def test_value_equal_to_a_cut_lies_below_it():
    lower = 1 + 2**-52
    upper = np.nextafter(lower, 2)  # the middle is rounded to it
    x, y = np.repeat([lower, upper], 10), np.repeat([0, 1], 10)
    gain = InformationGain().fit(x[:, None], y)
    assert gain.cut_points_[0].tolist() == [upper]
    assert gain.scores_.tolist() == [0.0]


def test_largest_numbers_are_cut_between():
    x, y = np.repeat([1.6e308, 1.7e308], 10), np.repeat([0, 1], 10)
    gain = InformationGain().fit(x[:, None], y)
    assert gain.cut_points_[0] == pytest.approx([1.65e308])
    assert gain.scores_ == pytest.approx([1.0])


def test_perfect_features_score_highest():
    y = np.repeat([0, 1, 2, 3], 25)
    X = y[:, None].astype(float)
    assert InformationGain().fit(X, y).scores_ == pytest.approx([2.0])
    assert SymmetricalUncertainty(binning="mdl").fit(X, y).scores_ == pytest.approx([1.0])
    assert SymmetricalUncertainty(n_bins=4).fit(X, y).scores_ == pytest.approx([1.0])
    assert MutualInformation(n_bins=4).fit(X, y).scores_ == pytest.approx([math.log(4)])


def test_hundreds_of_classes():
    y = np.repeat(np.arange(700), 4)
    gain = InformationGain().fit(np.column_stack((y, np.zeros(len(y)))), y)
    assert gain.scores_[1] == 0
    assert 0 <= gain.scores_[0] <= math.log2(700)


def test_rare_value_keeps_a_bin_of_its_own():
    x = np.repeat([0.0, 1.0], [2, 98])
    y = np.repeat([1, 0], [2, 98])
    assert MutualInformation().fit(x[:, None], y).scores_ == pytest.approx(
        [mutual_info_score(x, y)]
    )


@pytest.mark.parametrize("n_bins", [1, 0, 2.5, True, "ten"])
def test_senseless_numbers_of_bins_are_refused(n_bins):
    X, y = made_up(0)
    for estimator in (MutualInformation(n_bins=n_bins), SymmetricalUncertainty(n_bins=n_bins)):
        with pytest.raises(InvalidInputError, match="n_bins"):
            estimator.fit(X, y)


def test_unknown_binning_is_refused():
    X, y = made_up(0)
    with pytest.raises(UnknownNameError, match="Did you mean 'mdl'"):
        SymmetricalUncertainty(binning="mld").fit(X, y)


def test_mutual_information_refuses_missing_values():
    X, y = made_up(0, missing=0.1)
    with pytest.raises(ValueError, match="NaN"):
        MutualInformation().fit(X, y)
