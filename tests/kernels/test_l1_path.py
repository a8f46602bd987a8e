"""Models with an L1 penalty against plain proximal gradient steps, and their parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.metrics import log_loss

from holdfast._kernels import kernel
from holdfast._kernels.l1_path import (
    GAUSSIAN,
    LOGISTIC,
    MULTINOMIAL,
    _solve_symmetric,
    has_twin,
    loss,
    residuals,
    slopes,
    solve,
)


@kernel
def solve_symmetric(H, g):
    _solve_symmetric(H, g)


families = pytest.mark.parametrize("family", [GAUSSIAN, LOGISTIC, MULTINOMIAL])


def problem(family, n=14, p=5, seed=0):
    """Return features in rows, and targets with one row a class."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(p, n))
    signal = Z[0] - Z[1] + rng.normal(size=n)
    if family == GAUSSIAN:
        return Z, signal[None]
    if family == LOGISTIC:
        return Z, (signal > 0).astype(float)[None]
    return Z, np.array([np.arange(n) % 3 == k for k in range(3)], dtype=float)


def naive_prediction(family, eta):
    if family == GAUSSIAN:
        return eta
    return 1 / (1 + np.exp(-eta)) if family == LOGISTIC else softmax(eta, axis=0)


def naive_solution(Z, Y, family, penalty, ridge=0.0, steps=5_000):
    """Proximal gradient steps with momentum; the offset is a feature of ones without penalty."""
    A = np.vstack([np.ones(Z.shape[1]), Z])
    size = 1 / (np.linalg.norm(A @ A.T, 2) / A.shape[1] + ridge)
    toll = size * penalty * np.r_[0.0, np.ones(len(Z))]
    beta = ahead = np.zeros((len(Y), len(A)))
    for t in range(steps):
        slope = (naive_prediction(family, ahead @ A) - Y) @ A.T / A.shape[1]
        slope += ridge * np.r_[0.0, np.ones(len(Z))] * ahead
        aim = ahead - size * slope
        new = np.sign(aim) * np.maximum(np.abs(aim) - toll, 0)
        ahead, beta = new + t / (t + 3) * (new - beta), new
    return beta[:, 1:]


def solved(Z, Y, family, penalty, ridge=0.0, tolerance=1e-9):
    beta, eta = np.zeros((len(Y), len(Z))), np.zeros(Y.shape)
    left = solve(Z, Y, family, np.arange(len(Z)), beta, eta, penalty, ridge, tolerance * penalty)
    assert left <= tolerance * penalty
    return beta, eta


@families
@pytest.mark.parametrize(("penalty", "ridge"), [(0.2, 0.0), (0.05, 0.0), (0.05, 0.1), (0.01, 2.0)])
def test_coefficients_are_those_of_proximal_gradient_steps(family, penalty, ridge):
    Z, Y = problem(family)
    expected = naive_solution(Z, Y, family, penalty, ridge)
    beta, eta = solved(Z, Y, family, penalty, ridge)
    assert np.allclose(beta, expected, atol=1e-6)
    assert ((beta == 0) == (np.abs(expected) < 1e-9)).all()
    offsets = eta - beta @ Z
    assert np.allclose(offsets, offsets[:, :1], atol=1e-12)


@families
def test_any_start_leads_to_the_same_place(family):
    Z, Y = problem(family, n=30, p=6, seed=3)
    beta, _ = solved(Z, Y, family, 0.05)
    far = np.random.default_rng(0).normal(scale=5, size=beta.shape)
    eta = far @ Z + 3.0
    left = solve(Z, Y, family, np.arange(len(Z)), far, eta, 0.05, 0.0, 1e-9)
    assert left <= 1e-9
    assert np.allclose(far, beta, atol=1e-6)


@families
def test_features_not_at_work_stay_out(family):
    Z, Y = problem(family)
    beta, eta = np.zeros((len(Y), 5)), np.zeros(Y.shape)
    solve(Z, Y, family, np.array([3, 1]), beta, eta, 0.01, 0.0, 1e-9)
    alone, _ = solved(Z[[1, 3]], Y, family, 0.01)
    assert np.allclose(beta[:, [1, 3]], alone, atol=1e-6)
    assert not beta[:, [0, 2, 4]].any()


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9), p=st.integers(1, 11))
def test_slopes_are_mean_products(seed, n, p):
    rng = np.random.default_rng(seed)
    Z, R = rng.normal(size=(p, n)), rng.normal(size=(2, n))
    assert np.allclose(slopes(Z, R), R @ Z.T / n, atol=1e-14)


def test_equal_features_have_equal_slopes_to_the_last_bit():
    rng = np.random.default_rng(0)
    Z = np.repeat(rng.normal(size=(1, 37)), 7, axis=0)
    assert len(set(slopes(Z, rng.normal(size=(1, 37)))[0])) == 1


def test_losses_and_residuals_are_those_of_the_models():
    rng = np.random.default_rng(0)
    codes = np.arange(20) % 3
    Y, eta = np.array([codes == k for k in range(3)], dtype=float), rng.normal(size=(3, 20))
    shares = softmax(eta, axis=0)
    assert loss(MULTINOMIAL, Y, eta) == pytest.approx(log_loss(codes, shares.T))
    assert np.allclose(residuals(MULTINOMIAL, Y, eta), Y - shares)
    share = 1 / (1 + np.exp(-eta[:1]))
    assert loss(LOGISTIC, Y[:1], eta[:1]) == pytest.approx(log_loss(codes == 0, share[0]))
    assert np.allclose(residuals(LOGISTIC, Y[:1], eta[:1]), Y[:1] - share)
    assert loss(GAUSSIAN, Y[:1], eta[:1]) == pytest.approx(((Y - eta)[0] ** 2).mean() / 2)


def test_far_predictors_neither_overflow_nor_lose_the_loss():
    Y, eta = np.array([[1.0, 0.0]]), np.array([[-2000.0, -2000.0]])
    assert loss(LOGISTIC, Y, eta) == pytest.approx(1000.0)
    assert residuals(LOGISTIC, Y, eta).tolist() == [[1.0, 0.0]]


def test_twins_are_equal_or_opposite_up_to_rounding():
    Z = np.random.default_rng(0).normal(size=(5, 12))
    Z[2], Z[3], Z[4] = Z[0] * (1 + 1e-14), -Z[0], Z[0]
    Z[4, 11] += 1e-6
    assert [has_twin(Z, np.array([0]), j) for j in range(1, 5)] == [False, True, True, False]
    assert not has_twin(Z, np.empty(0, dtype=np.int64), 2)


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 9))
def test_symmetric_systems_are_solved(seed, size):
    rng = np.random.default_rng(seed)
    A, g = rng.normal(size=(size, size + 3)), rng.normal(size=size)
    x = g.copy()
    solve_symmetric(A @ A.T, x)
    assert np.allclose(A @ A.T @ x, g, atol=1e-8)


def test_singular_systems_are_solved_where_they_can_be():
    A = np.random.default_rng(0).normal(size=(6, 3))
    x = A @ np.ones(3)
    solve_symmetric(A @ A.T, x)
    assert np.allclose(A @ A.T @ x, A @ np.ones(3), atol=1e-6)
