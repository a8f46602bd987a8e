"""Linear SVM weights and SVM-RFE against WEKA, scikit-learn and proofs of optimality."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from holdfast._kernels import kernel
from holdfast._kernels import svm as kernels
from holdfast._kernels.svm_elimination import scale_columns, swap_rows_to_end
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select import _linear_svm
from holdfast.select._linear_svm import LinearSVMWeights
from holdfast.select._svm_rfe import SVMRFE, elimination_schedule, halve_then_one, weka_tenth

WEKA = json.loads((Path(__file__).parents[1] / "golden" / "weka.json").read_text())
SCALES = ["minmax", "standard", None]
FILTERS = dict(zip("012", SCALES, strict=True))  # WEKA's -N


# --- slow obvious versions ----------------------------------------------------------------------


def scaled_slowly(X, scale):
    """Scaled and centred data; the offset makes up for any shift."""
    X = np.asarray(X, dtype=float)
    X = X - X.min(axis=0)
    width = {
        "minmax": np.ptp(X, axis=0),
        "standard": X.std(axis=0, ddof=1),
        None: np.ones(X.shape[1]),
    }[scale]
    constant = np.ptp(X, axis=0) == 0
    return np.where(constant, 0.0, (X - X.mean(axis=0)) / np.where(constant, 1.0, width))


def primal(Z, y, C, w):
    """Objective of the soft-margin SVM at w; the best offset is at one of the kinks."""
    values = Z @ w
    offsets = (y - values)[:, None]
    losses = np.maximum(0, 1 - y * (values + offsets)).sum(axis=1)
    return w @ w / 2 + C * losses.min()


def dual(Z, y, b):
    return y @ b - (Z.T @ b) @ (Z.T @ b) / 2


def removal_is_right(X, y, ranking, counts, scale, C=0.5):
    """Follow an elimination of two classes with fresh fits: at each, the least weights leave."""
    left = np.arange(X.shape[1])
    for count in counts:
        squares = LinearSVMWeights(scale=scale, C=C).fit(X[:, left], y).scores_
        order = np.argsort(-ranking[left])
        ordered = squares[order]
        slack = 1e-7 * squares.max()
        assert ordered[:count].max() <= ordered[count:].min(initial=np.inf) + slack
        assert np.all(np.diff(ordered[:count]) >= -slack)
        left = np.delete(left, order[:count])
    assert not len(left)


@st.composite
def problems(draw):
    """Data of all sorts: tied, constant, integer, in single precision, with copied rows."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(4, 40)), draw(st.integers(1, 30))
    X = generator.normal(size=(n, p)) * 10.0 ** generator.integers(-2, 3, size=p)
    X += generator.normal(size=p) * 100
    sort = draw(st.sampled_from(["plain", "tied", "binary", "constant", "single", "copies"]))
    if sort == "tied":
        X = np.round(X)
    elif sort == "binary":
        X = (np.median(X, axis=0) < X).astype(float)
    elif sort == "constant":
        X[:, ::2] = 0.1
    elif sort == "single":
        X = X.astype(np.float32)
    elif sort == "copies":
        X = X[generator.integers(n, size=n)]
    y = np.arange(n) % 2
    if draw(st.booleans()):
        X[:, 0] += y * X[:, 0].std()  # something to find
    return X, y


# --- WEKA ---------------------------------------------------------------------------------------


def recorded(kind):
    return [
        pytest.param(record, id=f"{record['dataset']} {record['options']}")
        for record in WEKA["records"]
        if record["evaluator"].endswith(kind)
    ]


@pytest.fixture
def weka_data(request):
    def load(name):
        known = {"wine": load_wine, "breast_cancer": load_breast_cancer}
        (entry,) = [entry for entry in WEKA["data_sets"] if entry["dataset"] == name]
        if name in known:
            X, y = known[name](return_X_y=True)
        elif name == "wine_missing":  # WEKA fills in the mean
            X, y = np.array(entry["data"]["X"], dtype=float), np.array(entry["data"]["y"])
            X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        else:
            folder = request.getfixturevalue("data_folder")
            frame = pd.read_parquet(folder / f"{name}.parquet")
            y = np.searchsorted(entry["source"]["classes_in_order"], frame.pop("class"))
            X = frame.to_numpy(dtype=float)
        return X, y

    return load


def filter_of(record):
    return FILTERS[re.search(r"-N (\d)", record["options"])[1]]


@pytest.mark.parametrize("record", recorded("SMO"))
def test_weights_are_wekas(record, weka_data):
    X, y = weka_data(record["dataset"])
    fitted = LinearSVMWeights(scale=filter_of(record)).fit(X, y)
    code = int(re.search(r"class (\d)", record["options"])[1])
    ours = fitted.coef_[code] if len(fitted.coef_) > 1 else -fitted.coef_[0]
    np.testing.assert_allclose(ours, record["weights"], rtol=0, atol=5e-9)  # asked for: 1e-5
    assert len(ours) == record["p"]


@pytest.mark.parametrize("record", recorded("SVMAttributeEval"))
def test_orders_are_wekas(record, weka_data):
    # not one pair of features changes places: more than the 99% of all pairs asked for
    X, y = weka_data(record["dataset"])
    step = 1.0 if "-Y 0" in record["options"] else weka_tenth
    ranking = SVMRFE(scale=filter_of(record), step=step).fit(X, y).ranking_
    assert np.argsort(ranking).tolist() == record["ranking"]


def test_enough_was_recorded():
    assert len(recorded("SMO")) == 18
    assert len(recorded("SVMAttributeEval")) == 20
    assert {p.values[0]["dataset"] for p in recorded("SMO")} == {
        entry["dataset"] for entry in WEKA["data_sets"]
    }


@pytest.mark.parametrize("scale", ["minmax", "standard"])
@pytest.mark.parametrize("name", ["sonar", "colon"])
def test_scores_order_pairs_as_weka(name, scale, weka_data):
    X, y = weka_data(name)
    (record,) = [
        p.values[0]
        for p in recorded("SVMAttributeEval")
        if p.values[0]["dataset"] == name
        and "-Y 0" in p.values[0]["options"]
        and filter_of(p.values[0]) == scale
    ]
    scores = LinearSVMWeights(scale=scale).fit(X, y).scores_[record["ranking"]]
    better, worse = np.triu_indices(len(scores), 1)
    clear = abs(scores[better] - scores[worse]) > 1e-6 * scores[better]
    assert clear.mean() >= 0.99
    assert np.all(scores[better][clear] > scores[worse][clear])


# --- the solution is optimal --------------------------------------------------------------------


@given(problems(), st.sampled_from(SCALES), st.sampled_from([0.01, 0.5, 20.0]))
def test_kernel_solution_is_optimal(problem, scale, C):
    # weak duality proves it, whoever found the solution
    X, y = problem
    Z, y = scaled_slowly(X, scale), np.where(y == 1, 1.0, -1.0)
    b = np.zeros(len(y))
    assert kernels.solve(Z @ Z.T, y, np.full(len(y), C), b, 1e-10) == 0
    assert abs(b.sum()) < 1e-12 * C * len(y)
    assert np.all((b * y >= 0) & (b * y <= C))
    bound = dual(Z, y, b)
    assert primal(Z, y, C, Z.T @ b) - bound <= 1e-8 * max(1.0, bound)


@given(problems(), st.sampled_from(SCALES), st.sampled_from([0.01, 0.5, 20.0]))
def test_weights_are_optimal_and_merging_rows_changes_nothing(problem, scale, C):
    X, y = problem
    fitted = LinearSVMWeights(scale=scale, C=C).fit(X, y)
    Z, y = scaled_slowly(X, scale), np.where(y == 1, 1.0, -1.0)
    b = np.zeros(len(y))
    kernels.solve(Z @ Z.T, y, np.full(len(y), C), b, 1e-10)
    w = Z.T @ b
    rounding = 1e-13 * C * abs(Z).sum(axis=0).max()
    np.testing.assert_allclose(fitted.coef_[0], w, rtol=0, atol=1e-7 * abs(w).max() + rounding)
    np.testing.assert_array_equal(fitted.scores_, fitted.coef_[0] ** 2)
    bound = dual(Z, y, b)
    assert primal(Z, y, C, fitted.coef_[0]) - bound <= 1e-8 * max(1.0, bound)
    assert np.all(fitted.scores_[np.ptp(X, axis=0) == 0] == 0)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("C", [0.05, 0.5, 5.0])
def test_weights_are_those_of_libsvm(load, C):
    # LIBSVM keeps the Gram matrix in single precision: 1e-5 is what it can give
    X, y = load(return_X_y=True)
    fitted = LinearSVMWeights(C=C).fit(X, y)
    Z = MinMaxScaler().fit_transform(X)
    machines = range(3) if len(np.unique(y)) == 3 else [1]
    theirs = [SVC(kernel="linear", C=C, tol=1e-9).fit(Z, y == code).coef_[0] for code in machines]
    np.testing.assert_allclose(fitted.coef_, theirs, rtol=0, atol=1e-5 * np.abs(theirs).max())
    np.testing.assert_allclose(fitted.scores_, np.square(theirs).sum(axis=0), atol=1e-3 * C)


def test_unscaled_raw_intensities_are_solved(data_folder):
    # products near 1e8 and few features at the end: the Gram matrix is singular and badly scaled
    frame = pd.read_parquet(data_folder / "colon.parquet")
    y, X = frame.pop("class"), frame.to_numpy(dtype=float)
    ranking = SVMRFE(scale=None).fit(X, y).ranking_  # a warning would be an error
    assert sorted(ranking) == list(range(1, 2001))


def test_an_svm_that_is_not_solved_to_the_tolerance_warns(monkeypatch):
    X, y = load_wine(return_X_y=True)
    monkeypatch.setattr(_linear_svm, "solve", lambda *_: 0.25)
    with pytest.warns(HoldfastWarning, match=r"tolerance 1e-10 \(violation 0.25\)"):
        LinearSVMWeights().fit(X, y)


# --- the kernels --------------------------------------------------------------------------------


@given(problems(), st.sampled_from(SCALES))
def test_scaling_with_counts_is_scaling_of_copies(problem, scale):
    X, _ = problem
    rows = np.arange(len(X))[::-1]
    counts = (np.arange(len(X)) % 3 + 1).astype(float)
    Z = scale_columns(X, rows, counts, _linear_svm.SCALES[scale], 0, X.shape[1])
    copies = np.repeat(X[rows], counts.astype(int), axis=0)
    slow = scaled_slowly(copies, scale)
    np.testing.assert_allclose(
        np.repeat(Z.T, counts.astype(int), axis=0), slow, atol=1e-10 * abs(slow).max(initial=1)
    )


@given(problems())
def test_twins_are_the_first_equal_rows(problem):
    X, y = problem
    slow = [
        next(k for k in range(len(y)) if y[k] == y[i] and np.array_equal(X[k], X[i]))
        for i in range(len(y))
    ]
    assert _linear_svm._first_equal_rows(X, y).tolist() == slow


@given(st.integers(1, 20), st.data())
def test_leaving_features_go_last(left, data):
    leaving = np.array(data.draw(st.lists(st.integers(0, left - 1), min_size=1, unique=True)))
    Z = np.arange(25.0)[:, None] * [1.0, 10.0]
    who = np.arange(25)
    swap_rows_to_end(Z, who, leaving, left)
    np.testing.assert_array_equal(Z, who[:, None] * [1.0, 10.0])
    assert set(who[left - len(leaving) : left]) == set(leaving)
    assert who[left:].tolist() == list(range(left, 25))


@kernel
def solve_positive_definite(A, x):
    kernels._cholesky_in_place(A, 0.0)
    kernels._solve_cholesky(A, x)


@given(st.integers(1, 23), st.integers(0, 2**32 - 1))
def test_factor_and_substitution_solve(n, seed):
    generator = np.random.default_rng(seed)
    A = generator.normal(size=(n, n + 3))
    A, x = A @ A.T, generator.normal(size=n)
    solution = x.copy()
    solve_positive_definite(A.copy(), solution)
    np.testing.assert_allclose(A @ solution, x, atol=1e-7)


# --- elimination --------------------------------------------------------------------------------


@given(problems(), st.sampled_from(SCALES), st.sampled_from([0.1, 0.5, 1.0, 1, 4, halve_then_one]))
def test_each_step_drops_the_least_weights(problem, scale, step):
    X, y = problem
    ranking = SVMRFE(step=step, scale=scale).fit(X, y).ranking_
    assert sorted(ranking) == list(range(1, X.shape[1] + 1))
    removal_is_right(X, y, ranking, elimination_schedule(step, X.shape[1]), scale)


@given(st.integers(0, 2**32 - 1), st.sampled_from(SCALES))
def test_classes_take_turns(seed, scale):
    X, y = np.random.default_rng(seed).normal(size=(25, 12)), np.arange(25) % 3
    orders = [
        np.argsort(SVMRFE(scale=scale).fit(X, y == code).ranking_).tolist() for code in range(3)
    ]
    merged = []
    for best in zip(*orders, strict=True):
        merged += [feature for feature in dict.fromkeys(best) if feature not in merged]
    assert np.argsort(SVMRFE(scale=scale).fit(X, y).ranking_).tolist() == merged


@pytest.mark.parametrize("tol", [1e-7, 1e-9, 1e-11])
@pytest.mark.parametrize("scale", SCALES)
def test_order_does_not_depend_on_the_tolerance(tol, scale):
    X = np.random.default_rng(3).normal(size=(60, 1500))
    y = np.arange(60) % 2
    expected = SVMRFE(scale=scale).fit(X, y).ranking_
    assert np.array_equal(SVMRFE(scale=scale, tol=tol).fit(X, y).ranking_, expected)


def test_of_equal_weights_the_lowest_index_is_worst():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([np.ones(len(y)), X[:, [0, 0, 20, 20, 0, 20]], np.zeros(len(y))])
    ranking = SVMRFE(step=1.0).fit(X, y).ranking_
    assert ranking.tolist() == [8, 6, 5, 3, 2, 4, 1, 7]


def test_data_without_any_difference_are_ranked_by_index():
    X, y = np.ones((6, 4)), [0, 1, 0, 1, 0, 1]
    assert SVMRFE().fit(X, y).ranking_.tolist() == [4, 3, 2, 1]
    assert LinearSVMWeights().fit(X, y).scores_.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("scale", SCALES)
def test_where_nothing_helps_all_weights_are_exactly_0(scale):
    # five samples in the midst of the others: w = 0 is optimal, and residues must not rank
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) < 5
    assert LinearSVMWeights(scale=scale).fit(X, y).scores_.tolist() == [0, 0, 0]
    assert SVMRFE(scale=scale).fit(X, y).ranking_.tolist() == [3, 2, 1]
    Z, signs = scaled_slowly(X, scale), np.where(y, 1.0, -1.0)
    assert primal(Z, signs, 0.5, np.zeros(3)) == 5  # two for each of the five, times C
    assert primal(Z, signs, 0.5, np.full(3, 1e-3)) > 5


def test_feature_that_varies_in_no_support_vector_has_weight_0():
    x = np.array([-1.0, 1.0, -9.0, 9.0, -8.0, 8.0])
    spike = np.array([0.0, 0.0, 0.0, 0.3, 0.0, 0.0])  # far on the right side of the margin
    fitted = LinearSVMWeights(scale=None, C=10.0).fit(np.column_stack([spike, x]), x > 0)
    assert fitted.coef_[0, 0] == 0
    assert fitted.coef_[0, 1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_units_do_not_matter(scale):
    X, y = load_wine(return_X_y=True)
    units = 10.0 ** np.arange(-6, 7)
    one = SVMRFE(scale=scale).fit(X, y).ranking_
    assert np.array_equal(SVMRFE(scale=scale).fit(X * units - units, y).ranking_, one)


def test_there_are_no_scores():
    fitted = SVMRFE().fit(*load_wine(return_X_y=True))
    assert not hasattr(fitted, "scores_")
    assert not hasattr(fitted, "score_resamples")


# --- steps --------------------------------------------------------------------------------------


def test_schedules():
    assert elimination_schedule(0.1, 30)[:5] == [3, 2, 2, 2, 2]
    assert elimination_schedule(0.29, 100)[0] == 29
    assert elimination_schedule(1.0, 7) == [7]
    assert elimination_schedule(1, 4) == [1, 1, 1, 1]
    assert elimination_schedule(np.int64(3), 7) == [3, 3, 1]
    assert elimination_schedule(halve_then_one, 220)[:4] == [110, 55, 5, 1]
    assert len(elimination_schedule(halve_then_one, 220)) == 53
    assert elimination_schedule(weka_tenth, 29)[:4] == [3, 2, 2, 2]
    assert elimination_schedule(lambda left: 0, 3) == [1, 1, 1]
    assert elimination_schedule(lambda left: 99, 3) == [3]


@pytest.mark.parametrize("step", [0, -1, 0.0, 1.5, np.nan, True, "all", None, lambda left: 0.5])
def test_bad_steps_are_refused(step):
    with pytest.raises(InvalidInputError, match="step must"):
        SVMRFE(step=step).fit(*load_wine(return_X_y=True))


# --- many resamples -----------------------------------------------------------------------------


def resamples(n, generator):
    return [generator.integers(n, size=n) for _ in range(4)] + [np.arange(n), np.arange(n - 9)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_batch_equals_single_fits(load, scale, dtype):
    X, y = load(return_X_y=True)
    X, y = X[::3].astype(dtype), y[::3]
    rows = resamples(len(y), np.random.default_rng(5))
    if load is load_wine:
        rows.append(np.flatnonzero(y > 0))  # a class is missing
    weights, rfe = LinearSVMWeights(scale=scale), SVMRFE(scale=scale)
    scores = weights.score_resamples(X, y, rows).values
    rankings = rfe.rank_resamples(X, y, rows).values
    for own, score, ranking in zip(rows, scores, rankings, strict=True):
        single = weights.fit(X[own], y[own]).scores_
        np.testing.assert_allclose(score, single, rtol=1e-10, atol=1e-10 * single.max())
        assert np.array_equal(ranking, rfe.fit(X[own], y[own]).ranking_)


def test_batch_leaves_the_fitted_alone():
    X, y = load_wine(return_X_y=True)
    fitted = LinearSVMWeights().fit(X, y)
    before = fitted.coef_.copy()
    fitted.score_resamples(X, y, [np.arange(len(y) - 9)])
    assert np.array_equal(fitted.coef_, before)


def test_copies_of_rows_count_as_in_libsvm():
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(0).integers(len(y), size=300)
    X, y = X[rows], y[rows] == 1
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    theirs = SVC(kernel="linear", C=0.5, tol=1e-9).fit(Z, y).coef_
    np.testing.assert_allclose(
        LinearSVMWeights(scale="standard").fit(X, y).coef_, theirs, atol=1e-5
    )


def test_blocks_change_nothing(monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:200], y[:200]
    scores = LinearSVMWeights().fit(X, y).scores_
    ranking = SVMRFE(step=0.3).fit(X, y).ranking_
    monkeypatch.setattr(_linear_svm, "MAX_BLOCK_VALUES", 200 * 7)
    np.testing.assert_allclose(LinearSVMWeights().fit(X, y).scores_, scores, atol=1e-11)
    assert np.array_equal(SVMRFE(step=0.3).fit(X, y).ranking_, ranking)


def test_memory_maps_are_read(tmp_path):
    X, y = load_wine(return_X_y=True)
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_allclose(
        LinearSVMWeights().fit(mapped, y).scores_,
        LinearSVMWeights().fit(X, y).scores_,
        rtol=1e-4,
    )


# --- C by cross-validation ----------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_price_is_the_one_that_predicts_best(load):
    X, y = load(return_X_y=True)
    X, y = X[::2], y[::2]
    X = X + np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0) * 2
    (samples,) = _linear_svm.merge_equal_samples(X, y, [np.arange(len(y))])
    fold = _linear_svm._draw_folds(y, np.random.default_rng(4))
    hits = np.zeros(len(_linear_svm.C_GRID))
    for k in range(5):
        scaler = MinMaxScaler().fit(X[fold != k])
        train, test = scaler.transform(X[fold != k]), scaler.transform(X[fold == k])
        for position, C in enumerate(_linear_svm.C_GRID):
            decisions = [
                SVC(kernel="linear", C=C, tol=1e-6)
                .fit(train, y[fold != k] == code)
                .decision_function(test)
                for code in np.unique(y)
            ]
            hits[position] += np.sum(np.argmax(decisions, axis=0) == y[fold == k])
        ours = _linear_svm._count_hits(samples, fold == k, "minmax", 1e-10)
        assert ours.shape == hits.shape
    total = sum(_linear_svm._count_hits(samples, fold == k, "minmax", 1e-10) for k in range(5))
    np.testing.assert_array_equal(total, hits)
    assert len(set(hits)) > 1
    assert (
        _linear_svm.tune_c(samples, "minmax", 1e-10, np.random.default_rng(4))
        == _linear_svm.C_GRID[int(np.argmax(hits))]
    )


def test_price_is_used_and_repeatable():
    X, y = load_wine(return_X_y=True)
    tuned = SVMRFE(C="cv").fit(X, y)
    assert tuned.C_ in _linear_svm.C_GRID
    assert np.array_equal(tuned.ranking_, SVMRFE(C=tuned.C_).fit(X, y).ranking_)
    rows = [np.arange(len(y)), np.random.default_rng(0).integers(len(y), size=len(y))]
    once, again = (SVMRFE(C="cv").rank_resamples(X, y, rows).values for _ in range(2))
    assert np.array_equal(once, again)
    assert np.array_equal(once[0], tuned.ranking_)


def test_folds_hold_all_classes_evenly():
    classes = np.repeat([0, 1, 2], [20, 11, 4])
    fold = _linear_svm._draw_folds(classes, np.random.default_rng(0))
    for code, size in enumerate([20, 11, 4]):
        counts = np.bincount(fold[classes == code], minlength=5)
        assert counts.max() - counts.min() <= 1
        assert counts.sum() == size


def test_tiny_data_can_be_tuned():
    X = np.array([[0.0, 1], [1, 0], [0, 2], [2, 0]])
    assert SVMRFE(C="cv").fit(X, [0, 1, 0, 1]).C_ in _linear_svm.C_GRID
    assert SVMRFE(C="cv").fit(X[[0, 0, 1, 1]], [0, 0, 1, 1]).C_ in _linear_svm.C_GRID


# --- refusals and the contract ------------------------------------------------------------------


@pytest.mark.parametrize("kind", [LinearSVMWeights, SVMRFE])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scale": "min-max"}, UnknownNameError, "Did you mean 'minmax'"),
        ({"scale": 3}, UnknownNameError, "'minmax', 'standard' or None, got 3"),
        ({"C": 0}, InvalidInputError, "C must be a number above 0"),
        ({"C": "all"}, InvalidInputError, "C must be a number above 0"),
        ({"C": np.inf}, InvalidInputError, "C must be a number above 0"),
        ({"tol": -1e-3}, InvalidInputError, "tol must be a number above 0"),
    ],
)
def test_bad_options_are_refused(kind, options, error, message):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(error, match=re.escape(message)):
        kind(**options).fit(X, y)
    with pytest.raises(error, match=re.escape(message)):
        kind(**options).rank_resamples(X, y, [np.arange(len(y))])


@pytest.mark.parametrize("kind", [LinearSVMWeights, SVMRFE])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid:RuntimeWarning")
def test_values_beyond_the_range_are_refused(kind, scale):
    X, y = load_wine(return_X_y=True)
    X[:, 3] *= 5e306
    X[::2, 3] *= -1
    with pytest.raises(InvalidInputError, match="Rescale the features first"):
        kind(scale=scale).fit(X, y)


def test_battery_with_tuned_price():
    results = check_estimator(SVMRFE(C="cv"), on_skip=None)
    assert len(results) >= 45
    assert {r["status"] for r in results} <= {"passed", "skipped"}
