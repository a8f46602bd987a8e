"""Linear models with an L1 penalty: one penalty at a time, on the features at work.

The objective is the mean loss plus the penalty times the sum of absolute coefficients; offsets
are not penalised. The loss is half a square, or minus the log-likelihood of two classes
(logistic) or several (multinomial, one row of coefficients a class). In all three families the
slope of the loss along a feature is minus the mean product of its values with a *residual*:
target less prediction. So one method serves them: the loss is replaced by the parabola that
touches it at the present place, the lasso problem that this gives is solved by coordinate
descent, helped by leaps, and the step towards its solution is halved until the objective falls
enough. The parabola couples the classes: going round them with a parabola each would take
hundreds of rounds where the classes are well told apart.

Data are kept with features in rows (`Z`), targets and predictors with one row a class; `who` lists
the features at work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

GAUSSIAN, LOGISTIC, MULTINOMIAL = range(3)
FLOOR = 1e-6  # added to weights: a sample that is told for certain still bends the parabola
MIN_GAIN_SHARE = 1e-4  # share of the promised gain that a step has to bring
ROUNDING = 1e-13  # of the objective: gains below it cannot be seen
INNER_TOLERANCE_SHARE = 0.05  # parabolas are solved to this share of the violation they start from
MAX_ROUNDS = 100
SWEEPS = 2_000
HALVINGS = 30
RIDGE = 1e-13  # of the largest diagonal entry: keeps singular systems solvable
TWIN_TOLERANCE = 1e-10  # features that differ by less than this share of their values are one


@kernel
def _dot(a: Floats, b: Floats) -> float:
    """Sum of products, in an order that depends on the length alone."""
    n = len(a)
    even = n - n % 4
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(0, even, 4):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
    for i in range(even, n):
        s0 += a[i] * b[i]
    return (s0 + s1) + (s2 + s3)


@kernel
def _predictions(family: int, eta: Floats) -> Floats:
    """Expected targets: probabilities of the classes, or the predictors themselves."""
    if family == GAUSSIAN:
        return eta.copy()
    rows, n = eta.shape
    P = np.empty((rows, n))
    for row in range(rows):
        for i in range(n):
            total = np.exp(-eta[row, i]) if family == LOGISTIC else 0.0
            for other in range(rows):
                total += np.exp(eta[other, i] - eta[row, i])
            P[row, i] = 1.0 / total
    return P


@kernel
def residuals(family: int, Y: Floats, eta: Floats) -> Floats:
    """Targets less predictions, one row a class."""
    return Y - _predictions(family, eta)


@kernel
def loss(family: int, Y: Floats, eta: Floats) -> float:
    """Mean loss."""
    rows, n = Y.shape
    total = 0.0
    for i in range(n):
        if family == GAUSSIAN:
            total += 0.5 * (Y[0, i] - eta[0, i]) ** 2
            continue
        top = 0.0 if family == LOGISTIC else -np.inf
        for row in range(rows):
            top = max(top, eta[row, i])
        bulk = np.exp(-top) if family == LOGISTIC else 0.0
        for row in range(rows):
            bulk += np.exp(eta[row, i] - top)
            total -= Y[row, i] * eta[row, i]
        total += top + np.log(bulk)
    mean: float = total / n
    return mean


@kernel
def slopes(Z: Floats, R: Floats) -> Floats:
    """Mean products of all features with the residuals; equal features get equal bits.

    Four features go together: each has one running sum, and none waits for another's.
    """
    p, n = Z.shape
    even = p - p % 4
    out = np.empty((len(R), p))
    for row in range(len(R)):
        r = R[row]
        for j in range(0, even, 4):
            a, b, c, d = Z[j], Z[j + 1], Z[j + 2], Z[j + 3]
            sa, sb, sc, sd = 0.0, 0.0, 0.0, 0.0
            for i in range(n):
                sa += a[i] * r[i]
                sb += b[i] * r[i]
                sc += c[i] * r[i]
                sd += d[i] * r[i]
            out[row, j], out[row, j + 1], out[row, j + 2], out[row, j + 3] = sa, sb, sc, sd
        for j in range(even, p):
            a, sa = Z[j], 0.0
            for i in range(n):
                sa += a[i] * r[i]
            out[row, j] = sa
    out /= n
    return out


@kernel
def has_twin(Z: Floats, who: Ints, j: int) -> bool:
    """Whether a feature equals one at work, or its negative."""
    n, limit = Z.shape[1], TWIN_TOLERANCE * np.abs(Z[j]).max()
    for k in who:
        for sign in (1.0, -1.0):
            i = 0
            while i < n and abs(Z[j, i] - sign * Z[k, i]) <= limit:
                i += 1
            if i == n:
                return True
    return False


@kernel
def _violation(Z: Floats, who: Ints, B: Floats, R: Floats, penalty: float) -> float:
    """How far the optimality conditions are from being met, in units of the penalty."""
    n = R.shape[1]
    worst = 0.0
    for row in range(len(R)):
        worst = max(worst, abs(R[row].sum()) / n)
        for k in range(len(who)):
            slope = _dot(Z[who[k]], R[row]) / n
            if B[row, k] == 0.0:
                worst = max(worst, abs(slope) - penalty)
            else:
                worst = max(worst, abs(slope - penalty * np.sign(B[row, k])))
    return worst


@kernel
def _sweep(
    Z: Floats,
    who: Ints,
    b: Floats,
    v: Floats,
    u: Floats,
    w: Floats,
    d: Floats,
    penalty: float,
    whole: bool,
) -> float:
    """Bring each coefficient of a row in turn, or each that is not 0, to its optimum.

    The residuals `u` and the change `d` of the predictor follow. Returns the largest move.
    """
    n = len(u)
    moved = 0.0
    for k in range(len(who)):
        if (b[k] == 0.0 and not whole) or v[k] == 0.0:
            continue
        z = Z[who[k]]
        aim = _dot(z, u) / n + v[k] * b[k]
        new = np.sign(aim) * max(abs(aim) - penalty, 0.0) / v[k]
        if new != b[k]:
            change = new - b[k]
            for i in range(n):
                d[i] += change * z[i]
                u[i] -= change * w[i] * z[i]
            moved = max(moved, v[k] * abs(change))
            b[k] = new
    return moved


@kernel
def _sweep_rows(
    Z: Floats,
    who: Ints,
    B: Floats,
    V: Floats,
    R: Floats,
    P: Floats,
    D: Floats,
    m: Floats,
    offsets: Floats,
    spare: float,
    penalty: float,
    whole: bool,
) -> float:
    """One sweep of every row. `D` holds the changes so far, `m` their means over the classes."""
    rows, n = R.shape
    u, w, d = np.empty(n), np.empty(n), np.empty(n)
    moved = 0.0
    for row in range(rows):
        total, weight = 0.0, 0.0
        for i in range(n):
            share = P[row, i]
            w[i] = share * (1.0 - share) + spare
            u[i] = R[row, i] - (share + spare) * D[row, i] + share * m[i]
            total += u[i]
            weight += w[i]
        step = total / weight
        offsets[row] += step
        for i in range(n):
            d[i] = step
            u[i] -= step * w[i]
        moved = max(moved, abs(total) / n)
        moved = max(moved, _sweep(Z, who, B[row], V[row], u, w, d, penalty, whole))
        for i in range(n):
            D[row, i] += d[i]
            m[i] += P[row, i] * d[i]
    return moved


@kernel
def _solve_symmetric(H: Floats, g: Floats) -> None:
    """Solve Hx = g for a positive semidefinite H; x takes the place of g."""
    size = len(g)
    ridge = 0.0
    for a in range(size):
        ridge = max(ridge, RIDGE * H[a, a])
    for a in range(size):  # H = LL', row by row
        for b in range(a):
            H[a, b] = (H[a, b] - _dot(H[a, :b], H[b, :b])) / H[b, b]
        H[a, a] = np.sqrt(max(H[a, a] + ridge - _dot(H[a, :a], H[a, :a]), ridge))
    for a in range(size):
        g[a] = (g[a] - _dot(H[a, :a], g[:a])) / H[a, a]
    for a in range(size - 1, -1, -1):
        g[a] /= H[a, a]
        for b in range(a):
            g[b] -= H[a, b] * g[a]


@kernel
def _system(
    E: Floats, row: Ints, P: Floats, U: Floats, spare: float, tolls: Floats
) -> tuple[Floats, Floats]:
    """Curvature and slope of the parabola along features `E` of the rows `row`."""
    size, n = E.shape
    H, g = np.zeros((size, size)), np.empty(size)
    bent = np.empty(P.shape)
    for a in range(size):
        own = P[row[a]]
        g[a] = _dot(E[a], U[row[a]]) / n - tolls[a]
        for other in range(len(P)):
            for i in range(n):
                bent[other, i] = -E[a, i] * own[i] * P[other, i]
        for i in range(n):
            bent[row[a], i] += E[a, i] * (own[i] + spare)
        for b in range(a + 1):
            H[a, b] = _dot(bent[row[b]], E[b]) / n
    return H, g


@kernel
def _active_coefficients(
    Z: Floats, who: Ints, B: Floats, penalty: float
) -> tuple[Floats, Ints, Ints, Floats]:
    """Features, rows and places of the coefficients that are in, and what they pay; then offsets.

    An offset is the coefficient of a feature of ones that pays nothing.
    """
    rows, n = len(B), Z.shape[1]
    size = 0
    for row in range(rows):
        for k in range(len(who)):
            size += B[row, k] != 0.0
    E, tolls = np.ones((size + rows, n)), np.zeros(size + rows)
    at, place = np.empty(size + rows, np.int64), np.empty(size, np.int64)
    a = 0
    for row in range(rows):
        at[size + row] = row
        for k in range(len(who)):
            if B[row, k] != 0.0:
                at[a], place[a], tolls[a] = row, k, penalty * np.sign(B[row, k])
                for i in range(n):
                    E[a, i] = Z[who[k], i]
                a += 1
    return E, at, place, tolls


@kernel
def _leap(
    Z: Floats,
    who: Ints,
    B: Floats,
    R: Floats,
    P: Floats,
    D: Floats,
    m: Floats,
    offsets: Floats,
    spare: float,
    penalty: float,
) -> None:
    """Go to the minimum over the coefficients that are in, or to where the first of them is 0.

    Where features resemble each other, sweeps find out soon who is in but take for ever to settle
    the coefficients: that is a system of linear equations.
    """
    rows, n = R.shape
    E, at, place, tolls = _active_coefficients(Z, who, B, penalty)
    size = len(place)
    U = np.empty((rows, n))
    for row in range(rows):
        for i in range(n):
            U[row, i] = R[row, i] - (P[row, i] + spare) * D[row, i] + P[row, i] * m[i]
    H, g = _system(E, at, P, U, spare, tolls)
    _solve_symmetric(H, g)
    part, first = 1.0, -1
    for a in range(size):
        b = B[at[a], place[a]]
        if b * (b + part * g[a]) < 0.0:
            part, first = -b / g[a], a
    for a in range(size + rows):
        row, change = at[a], part * g[a]
        for i in range(n):
            D[row, i] += change * E[a, i]
            m[i] += change * E[a, i] * P[row, i]
        if a < size:
            B[row, place[a]] = 0.0 if a == first else B[row, place[a]] + change
        else:
            offsets[row] += change


@kernel
def _minimise(
    Z: Floats,
    who: Ints,
    B: Floats,
    R: Floats,
    P: Floats,
    spare: float,
    penalty: float,
    slack: float,
) -> Floats:
    """Minimise parabola plus penalty over `B`, in place; returns the steps of the offsets.

    Sweeps over all features at work and sweeps over those that are in take turns. A leap comes
    after as many sweeps as cost the same, so that it never costs more than it may save.
    """
    rows, n = R.shape
    V = np.empty((rows, len(who)))
    for k in range(len(who)):
        for row in range(rows):
            total = 0.0
            for i in range(n):
                weight = P[row, i] * (1.0 - P[row, i]) + spare
                total += weight * Z[who[k], i] * Z[who[k], i]
            V[row, k] = total / n
    D, m, offsets, whole = np.zeros((rows, n)), np.zeros(n), np.zeros(rows), True
    patience = 0
    for _ in range(SWEEPS):
        moved = _sweep_rows(Z, who, B, V, R, P, D, m, offsets, spare, penalty, whole)
        if moved <= slack and whole:
            break
        whole = moved <= slack
        patience += 1
        if patience > 10 + B.size // 4:
            _leap(Z, who, B, R, P, D, m, offsets, spare, penalty)
            patience = 0
    return offsets


@kernel
def _advance(
    family: int, Y: Floats, eta: Floats, change: Floats, gain: float, bend: float
) -> float:
    """Go the whole step, or a half, a quarter ... of it, until the loss tells a gain."""
    start, part = eta.copy(), 1.0
    before = loss(family, Y, eta)
    for _ in range(HALVINGS):
        for row in range(len(eta)):
            for i in range(eta.shape[1]):
                eta[row, i] = start[row, i] + part * change[row, i]
        # the penalty is convex: a part of the step costs at most that part of `bend`
        now = loss(family, Y, eta) + part * bend
        if now <= before + MIN_GAIN_SHARE * part * gain + ROUNDING * (1.0 + abs(before)):
            break
        part *= 0.5
    return part


@kernel
def _step(
    Z: Floats,
    Y: Floats,
    family: int,
    who: Ints,
    B: Floats,
    eta: Floats,
    penalty: float,
    slack: float,
) -> float:
    """One step of all coefficients; returns the violation that it started from."""
    rows, n = Y.shape
    P = _predictions(family, eta)
    R = Y - P
    violation = _violation(Z, who, B, R, penalty)
    if violation <= slack:
        return violation
    spare, close = FLOOR, max(0.5 * slack, INNER_TOLERANCE_SHARE * violation)
    if family == GAUSSIAN:  # the loss is a parabola, the same at every place
        P, spare, close = np.zeros((rows, n)), 1.0, 0.5 * slack
    new = B.copy()
    offsets = _minimise(Z, who, new, R, P, spare, penalty, close)
    change, bend, fall = np.empty((rows, n)), 0.0, 0.0
    for row in range(rows):
        for i in range(n):
            change[row, i] = offsets[row]
        for k in range(len(who)):
            bend += penalty * (abs(new[row, k]) - abs(B[row, k]))
            for i in range(n):
                change[row, i] += (new[row, k] - B[row, k]) * Z[who[k], i]
        fall += _dot(R[row], change[row]) / n
    part = _advance(family, Y, eta, change, bend - fall, bend)
    for row in range(rows):
        for k in range(len(who)):
            step = part * (new[row, k] - B[row, k])
            B[row, k] = new[row, k] if part == 1.0 else B[row, k] + step  # what came to 0 is 0
    return violation


@kernel
def solve(
    Z: Floats,
    Y: Floats,
    family: int,
    who: Ints,
    beta: Floats,
    eta: Floats,
    penalty: float,
    slack: float,
) -> float:
    """Solve for the features at work; `beta` and `eta` follow. Returns the violation left."""
    rows, violation = len(Y), 0.0
    B = np.empty((rows, len(who)))
    for row in range(rows):
        for k in range(len(who)):
            B[row, k] = beta[row, who[k]]
    for _ in range(MAX_ROUNDS):
        violation = _step(Z, Y, family, who, B, eta, penalty, slack)
        if violation <= slack:
            break
    for row in range(rows):
        for k in range(len(who)):
            beta[row, who[k]] = B[row, k]
    return violation
