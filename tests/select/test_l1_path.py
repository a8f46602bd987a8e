"""Paths of L1-penalised models against scikit-learn, and by their optimality conditions."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression, lasso_path

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
SPARSE = {"l1_ratio": 1.0} if RELEASE >= (1, 8) else {"penalty": "l1"}


def data(classes, n=40, p=12, seed=0, linked=False):
    """Return data with a say in the first two features; 0 classes: a regression."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if linked:  # each feature hardly differs from the one before
        X = np.cumsum(X * np.r_[1.0, np.full(p - 1, 0.1)], axis=1)
    X = X * rng.uniform(0.1, 10, size=p) + 3.0
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    signal = z[:, 0] - z[:, min(1, p - 1)] / 2 + rng.normal(size=n)
    if classes == 0:
        return X, signal
    return X, np.argsort(np.argsort(signal)) * classes // n


def models(selector, X, y, rows=None):
    """Return the path of one resample and its coefficients by share of the largest penalty."""
    rows = np.arange(len(y)) if rows is None else rows
    (path,) = selector._paths(X, y, [rows])
    return path, {share: path.coefficients.copy() for share in path.solve_path(selector.shares())}


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def predictions(eta, family):
    if family == "gaussian":
        return eta
    return 1 / (1 + np.exp(-eta)) if family == "logistic" else softmax(eta, axis=0)


def test_gaussian_coefficients_are_those_of_lasso_path():
    X, y = data(0, p=60)
    path, found = models(hf.L1Path(), X, y)
    shares = np.array(list(found))
    target = (y - y.mean()) / np.abs(y - y.mean()).max()
    _, expected, _ = lasso_path(
        standardised(X), target, alphas=shares * path.largest, tol=1e-10, max_iter=100_000
    )
    assert np.allclose(np.array([b[0] for b in found.values()]).T, expected, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("position", [10, 40, 60])
def test_coefficients_of_classes_are_those_of_scikit_learn(classes, position):
    X, y = data(classes, n=60, p=8)
    path, found = models(hf.L1Path(), X, y)
    share = list(found)[position]
    strength = 1 / (len(y) * share * path.largest)
    peer = LogisticRegression(C=strength, solver="saga", tol=1e-9, max_iter=100_000, **SPARSE)
    expected = peer.fit(standardised(X), y).coef_
    assert found[share].any()
    assert np.allclose(found[share], expected, atol=1e-5)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_features_that_resemble_each_other_closely_are_solved(classes):
    X, y = data(classes, n=50, p=300, linked=True)
    path, _ = models(hf.L1Path(), X, y)
    assert path.violation <= 1e-7
    assert (path.coefficients != 0).sum() > 10


@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.sampled_from([0, 2, 3]),
    p=st.integers(1, 30),
    n=st.integers(8, 20),
    standardise=st.booleans(),
    linked=st.booleans(),
)
def test_optimality_conditions_hold_at_every_penalty(seed, classes, p, n, standardise, linked):
    X, y = data(classes, n=n, p=p, seed=seed, linked=linked)
    selector = hf.L1Path(n_penalties=12, standardise=standardise)
    Z = standardised(X) if standardise else X - X.mean(axis=0)
    Z = Z if standardise else Z / np.abs(Z).max()
    family = {0: "gaussian", 2: "logistic", 3: "multinomial"}[classes]
    (path,) = selector._paths(X, y, [np.arange(n)])
    Y = (y[None] - y.mean()) if classes == 0 else (y == np.arange(classes)[:, None])
    Y = Y / np.abs(Y).max() if classes == 0 else Y[1:] if classes == 2 else Y
    for share in path.solve_path(selector.shares()):
        beta, penalty = path.coefficients, share * path.largest
        offsets = (path._eta - beta @ Z.T).mean(axis=1, keepdims=True)
        rest = Y - predictions(beta @ Z.T + offsets, family)
        slopes = rest @ Z / n
        assert np.abs(rest.mean(axis=1)).max() <= 2e-7 * penalty + 1e-13
        assert np.abs(slopes).max() <= penalty * (1 + 2e-7)
        assert np.allclose(slopes[beta != 0], penalty * np.sign(beta[beta != 0]), rtol=2e-7)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_largest_penalty_is_that_of_the_closed_form(classes):
    X, y = data(classes)
    path, _ = models(hf.L1Path(), X, y)
    targets = [y] if classes == 0 else [y == code for code in range(classes)]
    centred = np.array([t - t.mean() for t in targets])
    if classes == 0:
        centred /= np.abs(centred).max()
    assert path.largest == pytest.approx(np.abs(centred @ standardised(X)).max() / len(y))


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_nothing_enters_above_the_largest_penalty_and_one_feature_right_below(classes):
    X, y = data(classes)
    selector = hf.L1Path(n_penalties=2, smallest=0.9999)
    (path,) = selector._paths(X, y, [np.arange(len(y))])
    steepest = np.abs(path._slopes).max(axis=0).argmax()
    for _ in path.solve_path(np.array([1.5, 1.0])):
        assert not path.coefficients.any()
    assert np.flatnonzero(selector.entries(X, y, [np.arange(len(y))], 12)[0]).tolist() == [steepest]


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_entries_are_the_first_penalties_with_a_coefficient(classes):
    X, y = data(classes)
    selector = hf.L1Path(n_penalties=30)
    _, found = models(selector, X, y)
    expected = [max([s for s, b in found.items() if b[:, j].any()], default=0) for j in range(12)]
    assert selector.entries(X, y, [np.arange(len(y))], 12)[0].tolist() == expected


@pytest.mark.parametrize("classes", [0, 2, 4])
def test_more_room_only_adds_features(classes):
    X, y = data(classes, p=50)
    selector, rows = hf.L1Path(n_penalties=8), [np.arange(40), np.arange(40)[::-1] // 2 * 2]
    whole = selector.entries(X, y, rows, 50)
    before = np.zeros_like(whole)
    for most in range(1, 25):
        entries = selector.entries(X, y, rows, most)
        kept = entries > 0
        assert (kept.sum(axis=1) == np.minimum(most, (whole > 0).sum(axis=1))).all()
        assert (entries[before > 0] == before[before > 0]).all()
        assert (entries[kept] == whole[kept]).all()
        before = entries


@pytest.mark.parametrize("classes", [0, 2, 4])
def test_places_say_what_enters_where_room_is_less(classes):
    """On a short path many features enter together; the order is that of their coefficients."""
    X, y = data(classes, p=50)
    selector, rows = hf.L1Path(n_penalties=4), [np.arange(40), np.arange(40)[::-1] // 2 * 2]
    places, penalties = selector.entry_order(X, y, rows, 50)
    assert len(np.unique(penalties)) < 5
    for most in range(1, 25):
        fewer = selector.entries(X, y, rows, most)
        assert (fewer == np.where(places <= most, penalties, 0)).all()


def test_where_room_runs_out_the_largest_coefficients_stay():
    X, y = data(0)
    selector = hf.L1Path(n_penalties=2, smallest=0.05)
    _, found = models(selector, X, y)
    sizes = np.abs(found[0.05][0])
    assert (sizes > 0).sum() > 3
    kept = np.flatnonzero(selector.entries(X, y, [np.arange(40)], 3)[0])
    assert sorted(kept) == sorted(np.argsort(-sizes)[:3])


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_many_resamples_are_as_many_single_ones_to_the_last_bit(classes):
    X, y = data(classes, n=60)
    rng = np.random.default_rng(1)
    rows = [np.r_[:6, 54:60, 28:32, rng.integers(0, 60, 40)] for _ in range(4)]
    many = hf.L1Path().entries(X, y, rows, 5)
    for own, row in zip(rows, many, strict=True):
        alone = hf.L1Path().entries(X[own], y[own], [np.arange(len(own))], 5)[0]
        assert (row == alone).all()


def test_two_classes_give_the_same_path_in_both_families():
    X, y = data(2)
    logistic = hf.L1Path().fit(X, y).scores_
    assert (hf.L1Path(family="logistic").fit(X, y).scores_ == logistic).all()
    assert (hf.L1Path(family="multinomial").fit(X, y).scores_ == logistic).all()


def test_least_squares_on_two_classes_is_a_regression_on_zero_and_one():
    X, y = data(2)
    scores = hf.L1Path(family="gaussian").fit(X, y).scores_
    assert (scores == hf.L1Path().entries(X, y.astype(float), [np.arange(40)], 12)[0]).all()


def test_a_class_that_a_resample_lacks_is_no_matter():
    X, y = data(3)
    rows = np.flatnonzero(y != 1)
    entries = hf.L1Path().entries(X, y, [rows], 12)[0]
    assert (entries == hf.L1Path().fit(X[rows], y[rows] > 0).scores_).all()


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e300, 1e307])
def test_the_unit_of_a_target_is_no_matter(scale):
    X, y = data(0)
    y = np.round(y, 3) + 9.0  # sums of large ones leave the range of numbers
    scaled, plain = (hf.L1Path().entries(X, t, [np.arange(40)], 12) for t in (y * scale, y))
    assert (scaled == plain).all()


def test_scores_do_not_depend_on_units_offsets_or_memory_order():
    X, y = load_wine(return_X_y=True)
    plain = hf.L1Path(n_penalties=50).fit(X, y).scores_
    moved = hf.L1Path(n_penalties=50).fit(np.asfortranarray(X * -1024.0), y).scores_
    assert (plain == moved).all()


def test_without_standardising_the_wide_feature_comes_first():
    X, y = data(2)
    X = standardised(X)
    X[:, 2:] *= 1e-3
    X[:, 5] += 1e-3 * y  # a help, but in small units
    assert set(np.flatnonzero(hf.L1Path(standardise=False).fit(X, y).scores_)) <= {0, 1}
    assert len(np.flatnonzero(hf.L1Path().fit(X, y).scores_)) > 4


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_of_equal_features_the_first_stands_for_all(classes):
    X, y = data(classes, p=6)
    alone = hf.L1Path().entries(X, y, [np.arange(40)], 6)[0]
    copies = np.hstack([X, X, 3.7 * X, -X])
    entries = hf.L1Path().entries(copies, y, [np.arange(40)], 24)[0]
    assert (entries[:6] == alone).all()
    assert not entries[6:].any()


def test_nearly_equal_features_are_solved():
    X, y = data(2, p=6)
    close = X + 1e-7 * np.random.default_rng(0).normal(size=X.shape)
    entries = hf.L1Path().entries(np.hstack([X, close]), y, [np.arange(40)], 12)[0]
    alone = hf.L1Path().entries(X, y, [np.arange(40)], 12)[0]
    assert np.allclose(np.maximum(entries[:6], entries[6:]), alone, rtol=0.06)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_features_constant_in_a_resample_never_enter(classes):
    X, y = data(classes, n=60)
    X[::2, 0] = 0.1
    entries = hf.L1Path().entries(X, y, [np.arange(0, 60, 2), np.arange(60)], 12)
    assert entries[0, 0] == 0
    X[:] = 0.1
    assert not hf.L1Path().entries(X, y, [np.arange(60)], 12).any()


def test_a_constant_target_and_one_that_no_feature_follows_let_nothing_in():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0]]) + 0.1
    for y in (np.full(4, 0.3), np.array([0.1, 0.1, 0.7, 0.7])):
        assert not hf.L1Path().entries(X, y, [np.arange(4)], 1).any()


def test_a_single_feature_enters_at_the_first_penalty_below_the_largest():
    X, y = data(2, p=1)
    assert hf.L1Path(n_penalties=11, smallest=0.1).fit(X, y).scores_ == pytest.approx([0.1**0.1])


def test_perfect_separation_ends_the_path_early():
    X, y = data(2)
    X[:, 4] = 10.0 * y
    path, found = models(hf.L1Path(smallest=1e-6), X, y)
    assert len(found) < 99
    first = np.isclose(hf.L1Path().fit(X, y).scores_, 0.01 ** (1 / 99), rtol=1e-12, atol=0)
    assert list(np.flatnonzero(first)) == [4]  # powers differ in the last bit between machines
    assert np.abs(path.coefficients).max() < 20


def test_single_precision_is_enough():
    X, y = load_breast_cancer(return_X_y=True)
    fine, coarse = (hf.L1Path().fit(X.astype(t), y).scores_ for t in (np.float64, np.float32))
    assert (fine == coarse).mean() > 0.9


def test_values_that_leave_the_range_of_numbers_are_refused():
    X, y = data(2)
    X[:, 0] *= 1e-200
    X[:, 1] *= 1e200
    with pytest.raises(InvalidInputError, match="Rescale"):
        hf.L1Path().fit(X, y)
    assert hf.L1Path(standardise=False).fit(X, y).scores_[0] == 0


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"n_penalties": 1}, "whole number of at least 2"),
        ({"n_penalties": 10.0}, "whole number of at least 2"),
        ({"smallest": 1.0}, "below 1"),
        ({"smallest": 0}, "above 0"),
        ({"tolerance": "small"}, "above 0"),
    ],
)
def test_wrong_settings_are_refused(setting, words):
    with pytest.raises(InvalidInputError, match=words):
        hf.L1Path(**setting).fit(*data(2))


def test_families_that_do_not_fit_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'logistic'"):
        hf.L1Path(family="logit").fit(*data(2))
    for family in ("gaussian", "logistic"):
        with pytest.raises(InvalidInputError, match="needs two classes, got 3"):
            hf.L1Path(family=family).fit(*data(3))
    with pytest.raises(InvalidInputError, match="needs classes"):
        hf.L1Path(family="multinomial").entries(*data(0), [np.arange(40)], 3)


@pytest.mark.parametrize("most", [0, 2.0, True])
def test_room_is_a_positive_whole_number(most):
    with pytest.raises(InvalidInputError, match="most must be"):
        hf.L1Path().entries(*data(2), [np.arange(40)], most)


def test_a_path_that_is_not_solved_to_the_tolerance_warns(monkeypatch):
    monkeypatch.setattr("holdfast.select._l1_path.solve", lambda *_: 1.0)
    with pytest.warns(HoldfastWarning, match="not solved to the tolerance 1e-07"):
        hf.L1Path().fit(*data(2))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["colon", "srbct"])
def test_tolerance_hardly_moves_entries_on_real_data(name, data_folder):
    frame = pd.read_parquet(data_folder / f"{name}.parquet")
    X, y = frame.iloc[:, :-1].to_numpy(), frame.iloc[:, -1].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        usual, tight = (hf.L1Path(tolerance=t).fit(X, y).scores_ for t in (1e-7, 1e-9))
    assert (usual > 0).sum() > 20
    assert (usual != tight).sum() <= 1
