"""Linear SVMs without a Gram matrix: the Gram matrix, scikit-learn, WEKA and duality gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC

from holdfast._kernels import svm
from holdfast._kernels import svm_many_samples as kernels
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select import _linear_svm, _svm_many_samples, _svm_rfe
from holdfast.select._linear_svm import LinearSVMWeights
from holdfast.select._svm_many_samples import solve_many_samples
from holdfast.select._svm_rfe import SVMRFE, weka_tenth
from tests.select.test_linear_svm import (  # noqa: F401
    dual,
    filter_of,
    primal,
    recorded,
    scaled_slowly,
    weka_data,
)


@pytest.fixture
def without_gram(monkeypatch):
    for module in (_linear_svm, _svm_rfe):
        monkeypatch.setattr(module, "has_many_samples", lambda *_: True)


@st.composite
def many_samples(draw):
    """Data with more samples than features: tied, constant, binary, of classes of any sizes."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(30, 150)), draw(st.integers(1, 10))
    X = generator.normal(size=(n, p)) + generator.normal(size=p)
    sort = draw(st.sampled_from(["plain", "tied", "binary", "constant", "copies"]))
    if sort == "tied":
        X = np.round(2 * X)
    elif sort == "binary":
        X = (np.median(X, axis=0) < X).astype(float)
    elif sort == "constant":
        X[:, ::2] = 0.1
    elif sort == "copies":
        X = X[generator.integers(n, size=n)]
    y = np.arange(n) < n // draw(st.sampled_from([2, 3, 10]))
    if draw(st.booleans()):
        X[:, 0] += y * X[:, 0].std()
    return X, y.astype(int)


@given(many_samples(), st.sampled_from(["minmax", "standard"]), st.sampled_from([0.01, 0.5, 20.0]))
def test_solution_is_optimal(problem, scale, C):
    # weak duality proves it, whoever found the solution
    X, y = problem
    Z, y = scaled_slowly(X, scale), np.where(y == 1, 1.0, -1.0)
    b = np.zeros(len(y))
    left, offset = solve_many_samples(
        np.ascontiguousarray(Z.T), y, np.full(len(y), C), b, None, 1e-10
    )
    assert left == 0
    assert abs(b.sum()) < 1e-12 * C * len(y)
    assert np.all((b * y >= 0) & (b * y <= C))
    bound = dual(Z, y, b)
    w = Z.T @ b
    assert primal(Z, y, C, w) - bound <= 1e-8 * max(1.0, bound, C)
    at_offset = w @ w / 2 + C * np.maximum(0, 1 - y * (Z @ w + offset)).sum()
    assert at_offset - bound <= 1e-8 * max(1.0, bound, C)


@given(many_samples(), st.sampled_from(["minmax", "standard"]), st.sampled_from([0.01, 0.5, 20.0]))
def test_weights_are_those_of_the_gram_matrix(problem, scale, C):
    X, y = problem
    Z, y = scaled_slowly(X, scale), np.where(y == 1, 1.0, -1.0)
    boxes = C * (1.0 + np.arange(len(y)) % 3)
    with_gram, without = np.zeros(len(y)), np.zeros(len(y))
    svm.solve(Z @ Z.T, y, boxes, with_gram, 1e-10)
    solve_many_samples(np.ascontiguousarray(Z.T), y, boxes, without, None, 1e-10)
    expected = Z.T @ with_gram
    rounding = 1e-12 * boxes @ abs(Z).max(axis=1)
    np.testing.assert_allclose(
        Z.T @ without, expected, rtol=0, atol=1e-8 * abs(expected).max() + rounding
    )


def simulated(n, p, separation):
    return make_classification(
        n,
        p,
        n_informative=4,
        n_redundant=1,
        class_sep=separation,
        flip_y=0.05,
        random_state=n,
    )


@pytest.mark.parametrize("n_free", [0, 1, 19, 20, 200])
@pytest.mark.parametrize("largest", [1.0, 1e4])
def test_newton_systems_are_solved_in_the_smaller_space(n_free, largest):
    rng = np.random.default_rng(n_free)
    Z, target = largest * rng.normal(size=(20, n_free)), rng.normal(size=20)
    found = _svm_many_samples._solve_ridge(Z, target)
    # singular values give the inverse without a difference of products
    U, sizes, _ = np.linalg.svd(Z)
    curvatures = 1.0 + np.concatenate((sizes**2, np.zeros(20 - len(sizes))))
    expected = U @ ((U.T @ target) / curvatures)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * abs(expected).max())


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
@pytest.mark.parametrize("C", [0.05, 0.5, 5.0])
def test_weights_are_those_of_libsvm(load, C, without_gram):
    X, y = load(return_X_y=True)
    y = y == 1
    Z = MinMaxScaler().fit_transform(X)
    theirs = SVC(kernel="linear", C=C, tol=1e-9).fit(Z, y).coef_[0]
    ours = LinearSVMWeights(C=C).fit(X, y).coef_[0]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * np.abs(theirs).max())


@pytest.mark.parametrize("separation", [0.3, 1.0, 3.0])
@pytest.mark.parametrize(("n", "p"), [(900, 5), (1200, 40)])
def test_objective_is_that_of_scikit_learn(n, p, separation):
    X, y = simulated(n, p, separation)
    assert _linear_svm.has_many_samples(n, p)
    Z, signs = scaled_slowly(X, "minmax"), np.where(y == 1, 1.0, -1.0)
    ours = primal(Z, signs, 0.5, LinearSVMWeights(C=0.5).fit(X, y).coef_[0])
    libsvm = SVC(kernel="linear", C=0.5, tol=1e-6).fit(Z, y)
    assert ours == pytest.approx(primal(Z, signs, 0.5, libsvm.coef_[0]), rel=1e-6)
    # LIBLINEAR penalises the offset, so its minimum is another one
    liblinear = LinearSVC(loss="hinge", C=0.5, tol=1e-3, max_iter=20_000, random_state=0).fit(Z, y)
    best = primal(Z, signs, 0.5, liblinear.coef_[0])
    assert best * 0.95 < ours <= best * (1 + 1e-10)


@pytest.mark.parametrize("step", [0.1, 1.0, 3])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_rankings_are_those_of_the_gram_matrix(load, step, monkeypatch):
    X, y = load(return_X_y=True)
    X, y = X[:600], y[:600]
    X = X + np.random.default_rng(0).normal(size=X.shape)  # two pixels of the digits tie
    expected = SVMRFE(step=step).fit(X, y).ranking_
    for module in (_linear_svm, _svm_rfe):
        monkeypatch.setattr(module, "has_many_samples", lambda *_: True)
    assert np.array_equal(SVMRFE(step=step).fit(X, y).ranking_, expected)


@pytest.mark.parametrize(
    "record", [p for p in recorded("SVMAttributeEval") if p.values[0]["dataset"] == "breast_cancer"]
)
def test_orders_are_wekas(record, weka_data, without_gram):  # noqa: F811
    X, y = weka_data(record["dataset"])
    step = 1.0 if "-Y 0" in record["options"] else weka_tenth
    ranking = SVMRFE(scale=filter_of(record), step=step).fit(X, y).ranking_
    assert np.argsort(ranking).tolist() == record["ranking"]


def test_held_samples_change_nothing(monkeypatch):
    X, y = simulated(1500, 20, 1.0)
    held = SVMRFE().fit(X, y).ranking_
    weights = LinearSVMWeights().fit(X, y).coef_
    monkeypatch.setattr(_svm_many_samples, "MAX_NEAR_SHARE", -1.0)  # never hold a sample
    np.testing.assert_allclose(LinearSVMWeights().fit(X, y).coef_, weights, atol=1e-10)
    assert np.array_equal(SVMRFE().fit(X, y).ranking_, held)


@pytest.mark.parametrize("reach", [1e-3, 0.05, 10.0])
def test_too_few_samples_near_the_margin_are_noticed(reach, monkeypatch):
    X, y = simulated(1500, 20, 1.0)
    weights = LinearSVMWeights().fit(X, y).coef_
    monkeypatch.setattr(_svm_many_samples, "NEAR_MARGIN", reach)
    np.testing.assert_allclose(LinearSVMWeights().fit(X, y).coef_, weights, atol=1e-10)


def test_where_nothing_helps_all_weights_are_exactly_0():
    X, y = np.random.default_rng(0).normal(size=(1000, 3)), np.arange(1000) < 5
    assert LinearSVMWeights().fit(X, y).scores_.tolist() == [0, 0, 0]
    assert SVMRFE().fit(X, y).ranking_.tolist() == [3, 2, 1]


def test_equal_features_have_equal_weights_and_constant_ones_none():
    X, y = simulated(1000, 6, 1.0)
    X = np.column_stack([X[:, 0], np.ones(len(y)), X, X[:, 0]])
    scores = LinearSVMWeights().fit(X, y).scores_
    assert scores[0] == scores[2] == scores[-1] > 0
    assert scores[1] == 0


def test_tuned_penalty_is_that_of_the_gram_matrix(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    X = X + np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0) * 2
    (samples,) = _linear_svm.merge_equal_samples(X, y, [np.arange(len(y))])
    fold = _linear_svm._draw_folds(y, np.random.default_rng(4))
    expected = _linear_svm._count_hits(samples, fold == 0, "minmax", 1e-10)
    monkeypatch.setattr(_linear_svm, "has_many_samples", lambda *_: True)
    hits = _linear_svm._count_hits(samples, fold == 0, "minmax", 1e-10)
    np.testing.assert_array_equal(hits, expected)


def test_what_is_not_solved_is_solved_on_a_gram_matrix(monkeypatch):
    X, y = simulated(900, 10, 1.0)
    expected = LinearSVMWeights().fit(X, y).coef_
    monkeypatch.setattr(_linear_svm, "solve_many_samples", lambda *_: (0.25, 0.0))
    np.testing.assert_allclose(LinearSVMWeights().fit(X, y).coef_, expected, atol=1e-9)
    monkeypatch.setattr(_linear_svm, "MAX_GRAM_SAMPLES", 100)
    with pytest.warns(HoldfastWarning, match=r"tolerance 1e-10 \(violation 0.25\)"):
        LinearSVMWeights().fit(X, y)


@pytest.mark.parametrize("kind", [LinearSVMWeights, SVMRFE])
def test_a_gram_matrix_beyond_the_limit_is_refused(kind, monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(500, 200)), np.arange(500) % 2
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "5M")
    with pytest.raises(InvalidInputError, match="500 distinct samples would take about 6 MB"):
        kind().fit(X, y)


def test_clipping_and_slope_are_their_formulas():
    generator = np.random.default_rng(1)
    n, width, step = 50, 0.3, 0.7
    y = np.where(generator.random(n) < 0.5, 1.0, -1.0)
    box = generator.uniform(0.5, 2, size=n)
    low, high = np.minimum(0, y * box), np.maximum(0, y * box)
    start, residual, change = generator.uniform(low, high), *generator.normal(size=(2, n))
    clipped, sides = np.empty(n), np.full(n, -1)
    assert kernels.clip_multipliers(start, residual, low, high, width, clipped, sides) == n
    expected = np.clip(start + box / width * residual, low, high)
    np.testing.assert_allclose(clipped, expected)
    np.testing.assert_array_equal(sides == kernels.FREE, (low < expected) & (expected < high))
    assert kernels.clip_multipliers(start, residual, low, high, width, clipped, sides) == 0
    moved = np.clip(start + box / width * (residual - step * change), low, high)
    slope = kernels.slope_of_losses(start, residual, change, low, high, width, step)
    assert slope == pytest.approx(-moved @ change)
