"""Linear models with an L1 or elastic net penalty: the solution on a working set of features.

**Method.** The objective is the mean loss plus the penalty times the sum of absolute coefficients
plus half the ridge penalty, which may be 0, times the sum of their squares; offsets are not
penalised. The loss is half the squared error, or minus the log-likelihood of two
classes (logistic) or several (multinomial, one row of coefficients per class). In all three
families the slope of the loss along a feature is minus the mean product of its values with the
*residual*, target minus prediction. The loss is replaced by its quadratic model at the current
coefficients, the lasso problem of the model is solved by coordinate descent with soft thresholds,
and the step towards its solution is halved until the objective falls enough (proximal Newton). When
coordinate descent is slow, the coefficients other than 0 are found from their linear system, up to
the first that changes its sign.

Data are kept with features in rows (`Z`), targets and predictors with one row per class; `working`
lists the features of the working set.

**Reference.** [Friedman2010]_ for coordinate descent on the quadratic model; [Yuan2012]_ for
solving the model inexactly and the line search.

**Deviations.** The quadratic model of several classes couples them by the full Hessian p_r (δ_rs -
p_s); glmnet updates one class at a time. 1e-6 is added to the weights p(1 - p). There is a line
search, and the linear system of the active coefficients; the paper has neither. Of features that
are equal up to their sign the first represents all.

**Rounding.** Solutions fulfil the optimality conditions to the requested tolerance; they do not
have the bits of other programs. Sums of products run in an order that depends on their length
alone, so equal features have equal slopes to the last bit, and a data set gives the same bits alone
and among others.
"""

from __future__ import annotations

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

GAUSSIAN, LOGISTIC, MULTINOMIAL = range(3)
# All constants are chosen, none is tuned to data; tests check optimality at the solutions.
# added to weights p(1 - p): keeps the model curved where predictions are certain
WEIGHT_FLOOR = 1e-6
MIN_GAIN_SHARE = 1e-4  # standard (Armijo): share of the predicted decrease that a step must bring
ROUNDING = 1e-13  # of the loss: decreases below it are lost in rounding
INNER_TOLERANCE_SHARE = 0.05  # models are solved to this share of the violation at their start
MAX_ROUNDS = 100  # models per penalty; at the limit the violation left is returned
MAX_SWEEPS = 2_000  # per model; at the limit the model's solution is used as it is
MAX_HALVINGS = 30  # per step
RIDGE = 1e-13  # of the largest diagonal entry: keeps singular systems solvable
TWIN_TOLERANCE = 1e-10  # of the largest value: features that differ by less are equal


@subroutine
def _dot(a: FloatArray, b: FloatArray, n: int) -> float:
    """Sum of the first n products of `a` and `b`, of shape (n,) or more; n alone sets its order."""
    even = n - n % 4
    # four running sums, since each addition waits for the one before
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(0, even, 4):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
    for i in range(even, n):
        s0 += a[i] * b[i]
    return (s0 + s1) + (s2 + s3)


@subroutine
def _predictions(family: int, eta: FloatArray) -> FloatArray:
    """Expected targets: probabilities of the classes, or the predictors themselves.

    `eta`, of shape (rows, n), holds the linear predictors.
    """
    rows, n = eta.shape
    P = np.empty((rows, n))
    for row in range(rows):
        for i in range(n):
            if family == GAUSSIAN:
                P[row, i] = eta[row, i]
                continue
            # differences of predictors: an overflow to infinity gives the correct limit 0
            # P_row = 1 / sum_s exp(eta_s - eta_row)
            total = np.exp(-eta[row, i]) if family == LOGISTIC else 0.0
            for other in range(rows):
                total += np.exp(eta[other, i] - eta[row, i])
            P[row, i] = 1.0 / total
    return P


@kernel
def residuals(family: int, Y: FloatArray, eta: FloatArray) -> FloatArray:
    """Targets minus predictions; `Y` and `eta` have shape (rows, n), one row per class."""
    R = _predictions(family, eta)
    for row in range(Y.shape[0]):
        for i in range(Y.shape[1]):
            R[row, i] = Y[row, i] - R[row, i]
    return R


@kernel
def loss(family: int, Y: FloatArray, eta: FloatArray) -> float:
    """Mean loss of the linear predictors `eta` for the targets `Y`, both of shape (rows, n)."""
    rows, n = Y.shape
    total = 0.0
    for i in range(n):
        if family == GAUSSIAN:
            total += 0.5 * (Y[0, i] - eta[0, i]) ** 2
            continue
        # log(sum(exp)) relative to the largest predictor, which avoids overflow; in the logistic
        # family the first class has the predictor 0
        top = 0.0 if family == LOGISTIC else -np.inf
        for row in range(rows):
            top = max(top, eta[row, i])
        exponentials = np.exp(-top) if family == LOGISTIC else 0.0
        for row in range(rows):
            exponentials += np.exp(eta[row, i] - top)
            total -= Y[row, i] * eta[row, i]
        total += top + np.log(exponentials)
    mean: float = total / n
    return mean


@kernel
def slopes(Z: FloatArray, R: FloatArray) -> FloatArray:
    """Mean products of all features with the residuals, ``R @ Z.T / n``.

    Four features go together: each has its own running sum, so that none waits for another's. Equal
    features get equal bits.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        The data, features in rows.
    R : ndarray of shape (rows, n)
        The residuals.
    """
    p, n = Z.shape
    even = p - p % 4
    rows = len(R)
    out = np.empty((rows, p))
    for row in range(rows):
        r = R[row]
        for j in range(0, even, 4):
            a, b, c, d = Z[j], Z[j + 1], Z[j + 2], Z[j + 3]
            sa, sb, sc, sd = 0.0, 0.0, 0.0, 0.0
            for i in range(n):
                sa += a[i] * r[i]
                sb += b[i] * r[i]
                sc += c[i] * r[i]
                sd += d[i] * r[i]
            out[row, j], out[row, j + 1] = sa / n, sb / n
            out[row, j + 2], out[row, j + 3] = sc / n, sd / n
        for j in range(even, p):
            a, sa = Z[j], 0.0
            for i in range(n):
                sa += a[i] * r[i]
            out[row, j] = sa / n
    return out


@kernel
def has_twin(Z: FloatArray, working: IntArray, j: int) -> bool:
    """Return whether feature j equals one of the working set, or its negative.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        The data, features in rows.
    working : ndarray of shape (k,)
        The working set.
    """
    n, largest = Z.shape[1], 0.0
    for i in range(n):
        largest = max(largest, abs(Z[j, i]))
    limit = TWIN_TOLERANCE * largest
    for k in working:
        for sign in (1.0, -1.0):
            # most comparisons end at the first sample
            i = 0
            while i < n and abs(Z[j, i] - sign * Z[k, i]) <= limit:
                i += 1
            if i == n:
                return True
    return False


@subroutine
def _largest_violation(
    Z: FloatArray, working: IntArray, B: FloatArray, R: FloatArray, penalty: float, ridge: float
) -> float:
    """Largest violation of the optimality conditions, in units of the penalty.

    At the optimum |slope| ≤ penalty where a coefficient is 0, slope = penalty · sign + ridge ·
    coefficient elsewhere, and residuals sum to 0.

    Parameters
    ----------
    Z, working : ndarray
        As in `has_twin`.
    B : ndarray of shape (rows, k)
        The coefficients of the working set.
    R : ndarray of shape (rows, n)
        The residuals.
    """
    n = R.shape[1]
    worst = 0.0
    for row in range(len(R)):
        total = 0.0
        for i in range(n):
            total += R[row, i]
        worst = max(worst, abs(total) / n)
        for k in range(len(working)):
            slope = _dot(Z[working[k]], R[row], n) / n - ridge * B[row, k]
            if B[row, k] == 0.0:
                worst = max(worst, abs(slope) - penalty)
            else:
                worst = max(worst, abs(slope - penalty * np.sign(B[row, k])))
    return worst


@subroutine
def _sweep_row(
    Z: FloatArray,
    working: IntArray,
    b: FloatArray,
    v: FloatArray,
    u: FloatArray,
    w: FloatArray,
    d: FloatArray,
    penalty: float,
    ridge: float,
    whole: bool,
) -> float:
    """Bring each coefficient of a row in turn, or each that is not 0, to its optimum.

    Returns the largest change, as a change of slope.

    Parameters
    ----------
    Z, working : ndarray
        As in `has_twin`.
    b, v : ndarray of shape (k,)
        The coefficients, and the curvatures of the model along them.
    u, w : ndarray of shape (n,)
        The residuals of the model, kept up to date, and its weights.
    d : ndarray of shape (n,)
        The change of the predictor, kept up to date.
    whole : bool
        Whether coefficients that are 0 take part.
    """
    n = len(u)
    moved = 0.0
    for k in range(len(working)):
        # a constant feature has no curvature, and its coefficient stays 0
        if (b[k] == 0.0 and not whole) or v[k] == 0.0:
            continue
        z = Z[working[k]]
        # the optimum is soft_threshold(z @ u / n + v b, penalty) / (v + ridge)
        target, curvature = _dot(z, u, n) / n + v[k] * b[k], v[k] + ridge
        new = np.sign(target) * max(abs(target) - penalty, 0.0) / curvature
        if new != b[k]:
            change = new - b[k]
            for i in range(n):
                d[i] += change * z[i]
                u[i] -= change * w[i] * z[i]
            # in units of the slope, so that it can be compared with the tolerance
            moved = max(moved, curvature * abs(change))
            b[k] = new
    return moved


@subroutine
def _sweep_rows(
    Z: FloatArray,
    working: IntArray,
    B: FloatArray,
    V: FloatArray,
    R: FloatArray,
    P: FloatArray,
    D: FloatArray,
    m: FloatArray,
    offsets: FloatArray,
    weight_floor: float,
    penalty: float,
    ridge: float,
    whole: bool,
) -> float:
    """Do one sweep over the offset and the coefficients of every row; return the largest change.

    Parameters
    ----------
    Z, working : ndarray
        As in `has_twin`.
    B, V : ndarray of shape (rows, k)
        The coefficients, and the curvatures of the model along them.
    R, P : ndarray of shape (rows, n)
        Residuals and predictions where the model touches the loss.
    D : ndarray of shape (rows, n)
        The changes of the predictors so far, kept up to date.
    m : ndarray of shape (n,)
        Their means over the classes, ``(P * D).sum(axis=0)``, kept up to date.
    offsets : ndarray of shape (rows,)
        The changes of the offsets so far, kept up to date.
    """
    rows, n = R.shape
    u, w, d = np.empty(n), np.empty(n), np.empty(n)
    moved = 0.0
    for row in range(rows):
        total, weight = 0.0, 0.0
        for i in range(n):
            share = P[row, i]
            # u = residual - (Hessian @ D)[row], H_rs = p_r (δ_rs - p_s) + floor δ_rs
            w[i] = share * (1.0 - share) + weight_floor
            u[i] = R[row, i] - (share + weight_floor) * D[row, i] + share * m[i]
            total += u[i]
            weight += w[i]
        # the offset has no penalty: its optimum is a plain Newton step
        step = total / weight
        offsets[row] += step
        for i in range(n):
            d[i] = step
            u[i] -= step * w[i]
        moved = max(moved, abs(total) / n)
        moved = max(moved, _sweep_row(Z, working, B[row], V[row], u, w, d, penalty, ridge, whole))
        for i in range(n):
            D[row, i] += d[i]
            m[i] += P[row, i] * d[i]
    return moved


@subroutine
def _solve_symmetric(H: FloatArray, g: FloatArray) -> None:
    """Solve Hx = g for a positive semidefinite H by Cholesky factorisation; x replaces g.

    Parameters
    ----------
    H : ndarray of shape (size, size)
        The lower triangle, overwritten by its factor.
    g : ndarray of shape (size,)
        The right-hand side.
    """
    size = len(g)
    # equal or dependent features make H singular; see RIDGE
    ridge = 0.0
    for a in range(size):
        ridge = max(ridge, RIDGE * H[a, a])
    for a in range(size):  # H = LL', row by row
        for b in range(a):
            # H_ab = (H_ab - sum_c L_ac L_bc) / L_bb
            H[a, b] = (H[a, b] - _dot(H[a], H[b], b)) / H[b, b]
        H[a, a] = np.sqrt(max(H[a, a] + ridge - _dot(H[a], H[a], a), ridge))
    for a in range(size):
        g[a] = (g[a] - _dot(H[a], g, a)) / H[a, a]
    for a in range(size - 1, -1, -1):
        g[a] /= H[a, a]
        for b in range(a):
            g[b] -= H[a, b] * g[a]


@subroutine
def _newton_system(
    E: FloatArray,
    row: IntArray,
    P: FloatArray,
    U: FloatArray,
    weight_floor: float,
    penalty_slopes: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Curvature H and slope g of the model along the given coefficients.

    Parameters
    ----------
    E : ndarray of shape (size, n)
        The features of the coefficients.
    row : ndarray of shape (size,)
        The rows (classes) of the coefficients.
    P, U : ndarray of shape (rows, n)
        Predictions, and residuals of the model.
    penalty_slopes : ndarray of shape (size,)
        Slope of the penalty along each coefficient.
    """
    size, n = E.shape
    H, g = np.empty((size, size)), np.empty(size)
    curved = np.empty((len(P), n))
    for a in range(size):
        probabilities = P[row[a]]
        g[a] = _dot(E[a], U[row[a]], n) / n - penalty_slopes[a]
        for other in range(len(P)):
            for i in range(n):
                curved[other, i] = -E[a, i] * probabilities[i] * P[other, i]
        for i in range(n):
            curved[row[a], i] += E[a, i] * (probabilities[i] + weight_floor)
        # only the lower triangle, which the factorisation reads
        for b in range(a + 1):
            H[a, b] = _dot(curved[row[b]], E[b], n) / n
    return H, g


@subroutine
def _active_coefficients(
    Z: FloatArray, working: IntArray, B: FloatArray, penalty: float, ridge: float
) -> tuple[FloatArray, IntArray, IntArray, FloatArray]:
    """Collect the coefficients that are not 0, and behind them the offsets.

    An offset is the coefficient of a feature of ones without a penalty. Returns their features,
    rows, places in the working set, and slopes of the penalty.

    Parameters
    ----------
    Z, working : ndarray
        As in `has_twin`.
    B : ndarray of shape (rows, k)
        The coefficients.
    """
    rows, n = len(B), Z.shape[1]
    size = 0
    for row in range(rows):
        for k in range(len(working)):
            size += B[row, k] != 0.0
    E, penalty_slopes = np.empty((size + rows, n)), np.empty(size + rows)
    rows_of, places = np.empty(size + rows, np.int64), np.empty(size, np.int64)
    a = 0
    for row in range(rows):
        rows_of[size + row], penalty_slopes[size + row] = row, 0.0
        for i in range(n):
            E[size + row, i] = 1.0
        for k in range(len(working)):
            if B[row, k] != 0.0:
                rows_of[a], places[a] = row, k
                penalty_slopes[a] = penalty * np.sign(B[row, k]) + ridge * B[row, k]
                for i in range(n):
                    E[a, i] = Z[working[k], i]
                a += 1
    return E, rows_of, places, penalty_slopes


@subroutine
def _solve_active_coefficients(
    Z: FloatArray,
    working: IntArray,
    B: FloatArray,
    R: FloatArray,
    P: FloatArray,
    D: FloatArray,
    m: FloatArray,
    offsets: FloatArray,
    weight_floor: float,
    penalty: float,
    ridge: float,
) -> None:
    """Go to the minimum over the coefficients that are not 0, or to where the first becomes 0.

    Where features resemble each other, sweeps soon find which coefficients are 0 but take very long
    to settle the others, which solve a linear system.

    Parameters
    ----------
    Z, working, B, R, P, D, m, offsets : ndarray
        As in `_sweep_rows`.
    """
    rows, n = R.shape
    E, rows_of, places, penalty_slopes = _active_coefficients(Z, working, B, penalty, ridge)
    size = len(places)
    U = np.empty((rows, n))
    for row in range(rows):
        for i in range(n):
            U[row, i] = R[row, i] - (P[row, i] + weight_floor) * D[row, i] + P[row, i] * m[i]
    H, g = _newton_system(E, rows_of, P, U, weight_floor, penalty_slopes)
    for a in range(size):
        H[a, a] += ridge
    _solve_symmetric(H, g)
    share, first = 1.0, -1  # stop where the first coefficient changes its sign
    for a in range(size):
        b = B[rows_of[a], places[a]]
        # the model changes where a sign changes: the slope
        # of the penalty was taken at the old signs
        if b * (b + share * g[a]) < 0.0:
            share, first = -b / g[a], a
    for a in range(size + rows):
        row, change = rows_of[a], share * g[a]
        for i in range(n):
            D[row, i] += change * E[a, i]
            m[i] += change * E[a, i] * P[row, i]
        if a < size:
            B[row, places[a]] = 0.0 if a == first else B[row, places[a]] + change
        else:
            offsets[row] += change


@subroutine
def _minimise_model(
    Z: FloatArray,
    working: IntArray,
    B: FloatArray,
    R: FloatArray,
    P: FloatArray,
    weight_floor: float,
    penalty: float,
    ridge: float,
    tolerance: float,
) -> FloatArray:
    """Minimise quadratic model plus penalty over `B`, in place; return the changes of the offsets.

    Sweeps over the whole working set and sweeps over the coefficients that are not 0 take turns.

    Parameters
    ----------
    Z, working, R, P : ndarray
        As in `_sweep_rows`.
    B : ndarray of shape (rows, k)
        The coefficients.
    """
    rows, n = R.shape
    V = np.empty((rows, len(working)))
    for k in range(len(working)):
        for row in range(rows):
            total = 0.0
            for i in range(n):
                weight = P[row, i] * (1.0 - P[row, i]) + weight_floor
                total += weight * Z[working[k], i] * Z[working[k], i]
            # V = mean(w z^2), the curvature of the model along one coefficient
            V[row, k] = total / n
    D, m, offsets = np.empty((rows, n)), np.empty(n), np.empty(rows)
    for row in range(rows):
        offsets[row] = 0.0
        for i in range(n):
            D[row, i], m[i] = 0.0, 0.0
    moved, n_sweeps = 0.0, 0
    for _ in range(MAX_SWEEPS):
        # Sweeps over few coefficients are cheap. Only once these have settled does a whole sweep
        # check whether others become active.
        whole = moved <= tolerance
        moved = _sweep_rows(
            Z, working, B, V, R, P, D, m, offsets, weight_floor, penalty, ridge, whole
        )
        if moved <= tolerance and whole:
            break
        n_sweeps += 1
        # chosen: about when the sweeps so far have cost as much as one linear system
        if n_sweeps > 10 + rows * len(working) // 4:
            _solve_active_coefficients(
                Z, working, B, R, P, D, m, offsets, weight_floor, penalty, ridge
            )
            n_sweeps = 0
    return offsets


@subroutine
def _search_line(
    family: int,
    Y: FloatArray,
    eta: FloatArray,
    change: FloatArray,
    predicted_change: float,
    penalty_change: float,
) -> float:
    """Go the whole step, or a half, a quarter ... of it, until the objective falls enough.

    Returns the share of the step. If none of 30 shares is enough, the last one stays applied to
    `eta` and half of it is returned.

    Parameters
    ----------
    Y : ndarray of shape (rows, n)
        The targets.
    eta, change : ndarray of shape (rows, n)
        The predictors, changed in place, and their change by the whole step.
    """
    rows, n = eta.shape
    start, share = np.empty((rows, n)), 1.0
    for row in range(rows):
        for i in range(n):
            start[row, i] = eta[row, i]
    before = loss(family, Y, eta)
    for _ in range(MAX_HALVINGS):
        for row in range(rows):
            for i in range(n):
                eta[row, i] = start[row, i] + share * change[row, i]
        # the penalty is convex: a share of the step changes it by at most that share
        objective = loss(family, Y, eta) + share * penalty_change
        if objective <= before + MIN_GAIN_SHARE * share * predicted_change + ROUNDING * (
            1.0 + abs(before)
        ):
            break
        share *= 0.5
    return share


@kernel
def step_towards_model(
    Z: FloatArray,
    Y: FloatArray,
    family: int,
    working: IntArray,
    B: FloatArray,
    eta: FloatArray,
    penalty: float,
    ridge: float,
    tolerance: float,
) -> float:
    """Do one proximal Newton step; return the violation before it.

    Parameters
    ----------
    Z, working : ndarray
        As in `has_twin`.
    Y, eta : ndarray of shape (rows, n)
        Targets and predictors; the predictors are kept up to date.
    B : ndarray of shape (rows, k)
        The coefficients, changed in place.
    """
    rows, n = Y.shape
    P = _predictions(family, eta)
    R, new = np.empty((rows, n)), np.empty((rows, len(working)))
    for row in range(rows):
        for i in range(n):
            R[row, i] = Y[row, i] - P[row, i]
        for k in range(len(working)):
            new[row, k] = B[row, k]
    violation = _largest_violation(Z, working, B, R, penalty, ridge)
    if violation <= tolerance:
        return violation
    # far from the solution the model is only a rough guide, so it is solved roughly
    weight_floor, model_tolerance = (
        WEIGHT_FLOOR,
        max(0.5 * tolerance, INNER_TOLERANCE_SHARE * violation),
    )
    if family == GAUSSIAN:  # the loss is quadratic: the model, with weights of 1, is exact
        weight_floor, model_tolerance = 1.0, 0.5 * tolerance
        for row in range(rows):
            for i in range(n):
                P[row, i] = 0.0
    offsets = _minimise_model(Z, working, new, R, P, weight_floor, penalty, ridge, model_tolerance)
    change, penalty_change, loss_decrease = np.empty((rows, n)), 0.0, 0.0
    for row in range(rows):
        for i in range(n):
            change[row, i] = offsets[row]
        for k in range(len(working)):
            penalty_change += penalty * (abs(new[row, k]) - abs(B[row, k]))
            penalty_change += 0.5 * ridge * (new[row, k] ** 2 - B[row, k] ** 2)
            for i in range(n):
                change[row, i] += (new[row, k] - B[row, k]) * Z[working[k], i]
        # first-order decrease of the loss; with the change of the penalty it is the prediction that
        # the line search compares with
        loss_decrease += _dot(R[row], change[row], n) / n
    share = _search_line(family, Y, eta, change, penalty_change - loss_decrease, penalty_change)
    for row in range(rows):
        for k in range(len(working)):
            step = share * (new[row, k] - B[row, k])
            # a whole step copies the coefficient, so that one set to 0 is exactly 0
            B[row, k] = new[row, k] if share == 1.0 else B[row, k] + step
    return violation


def solve(
    Z: FloatArray,
    Y: FloatArray,
    family: int,
    working: IntArray,
    beta: FloatArray,
    eta: FloatArray,
    penalty: float,
    ridge: float,
    tolerance: float,
) -> float:
    """Solve on the working set; return the violation that is left.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        The data, features in rows.
    Y : ndarray of shape (rows, n)
        The targets: 0 and 1 for classes.
    working : ndarray of shape (k,)
        The working set.
    beta : ndarray of shape (rows, p)
        The coefficients of all features; those of the working set are changed in place.
    eta : ndarray of shape (rows, n)
        The linear predictors, kept up to date.
    """
    # not compiled: a kernel around the step would compile all of the step again
    violation, B = 0.0, np.take(beta, working, axis=1)
    for _ in range(MAX_ROUNDS):
        violation = step_towards_model(Z, Y, family, working, B, eta, penalty, ridge, tolerance)
        if violation <= tolerance:
            break
    beta[:, working] = B
    return violation
