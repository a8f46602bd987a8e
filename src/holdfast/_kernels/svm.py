"""A soft-margin SVM, solved in its dual on a Gram matrix.

The dual is kept in signed form, b = alpha * y: minimise b'Kb/2 - y'b with sum(b) = 0 and each b
between `low` and `high` (0 and C for the positive class, -C and 0 for the other). With the
gradient g = Kb - y, b is optimal when no entry that may fall has a larger g than an entry that
may rise; the largest difference, the *violation*, is in units of the margin.

Two moves alternate. Descent on the worst pair always gains but converges slowly; a Newton step
on the free entries finishes the work once descent has found which they are. Together they
solve to rounding error, so that rankings do not depend on the tolerance.

`judge` is for searches: machines on subsets that differ from one base by few features. Their
Gram matrices (or squared distances, for the RBF kernel) are the base's with a little added or
taken away, and so are, most often, their solutions: few steps lead from one to the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

RIDGE = 1e-12  # of the largest diagonal entry: keeps singular systems solvable
ROUNDING = 4e-16  # a violation below this share of the summands is rounding error
MAX_ROUNDS = 10_000
SMALLEST = 1e-280  # in place of a Gram matrix of zeros: nothing may be divided by 0
BOUND_TOLERANCE = 1e-12  # of the box: an entry so near to a bound is at it
LINEAR = 0.0  # in place of an RBF kernel's gamma
EXACT = 1e-10  # violation left when a subset is judged
MAX_SUBSET_ROUNDS = (
    200  # rounds for that; the hardest of wine's and breast cancer's raw subsets took 55
)
BORDER = 1e-10  # decisions below this share of their summands, or of 1, are 0


@kernel
def _factor(A: Floats, ridge: float) -> None:
    """Factor a positive definite matrix as U'U in the upper triangle, four rows at a time."""
    n = len(A)
    for first in range(0, n, 4):
        last = min(first + 4, n)
        for k in range(first, last):
            for before in range(first, k):
                f = A[before, k]
                for j in range(k, n):
                    A[k, j] -= f * A[before, j]
            scale = 1.0 / np.sqrt(max(A[k, k], ridge))
            for j in range(k, n):
                A[k, j] *= scale
        if last == n:
            return
        r0, r1, r2, r3 = A[first], A[first + 1], A[first + 2], A[first + 3]
        for i in range(last, n):
            row = A[i]
            f0, f1, f2, f3 = r0[i], r1[i], r2[i], r3[i]
            for j in range(i, n):
                row[j] -= f0 * r0[j] + f1 * r1[j] + f2 * r2[j] + f3 * r3[j]


@kernel
def _substitute(U: Floats, x: Floats) -> None:
    """Solve U'Ux = x in place."""
    n = len(x)
    for i in range(n):
        x[i] /= U[i, i]
        f = x[i]
        for j in range(i + 1, n):
            x[j] -= f * U[i, j]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= U[i, j] * x[j]
        x[i] = total / U[i, i]


@kernel
def _direction(K: Floats, g: Floats, free: Ints, size: float) -> Floats:
    """Newton direction of the free entries; it sums up to 0.

    A constant on all entries of K changes nothing then, and makes the matrix regular wherever
    the constrained problem is.
    """
    f = len(free)
    A = np.empty((f, f))
    ones, d = np.ones(f), np.empty(f)
    for a in range(f):
        row = K[free[a]]
        for c in range(a, f):
            A[a, c] = row[free[c]] + size
        A[a, a] += RIDGE * size
        d[a] = -g[free[a]]
    _factor(A, RIDGE * size)
    _substitute(A, ones)
    _substitute(A, d)
    d -= (d.sum() / ones.sum()) * ones
    d -= d.mean()  # the sum must stay 0 to rounding even when the system is singular
    return d


@kernel
def _newton(K: Floats, b: Floats, g: Floats, low: Floats, high: Floats, size: float) -> bool:
    """Step towards the optimum of the free entries; return whether the box allowed the whole step.

    The gradient is not kept up.
    """
    free = np.flatnonzero((b > low) & (b < high))
    if len(free) < 2:
        return True
    d = _direction(K, g, free, size)
    t, stop = 1.0, -1
    for a in range(len(free)):
        k = free[a]
        room = high[k] - b[k] if d[a] > 0.0 else low[k] - b[k]
        if d[a] != 0.0 and room / d[a] < t:
            t, stop = room / d[a], a
    for a in range(len(free)):
        k = free[a]
        b[k] = min(max(b[k] + t * d[a], low[k]), high[k])
    if stop >= 0:
        b[free[stop]] = high[free[stop]] if d[stop] > 0.0 else low[free[stop]]
    return stop < 0


@kernel
def _gradient(K: Floats, y: Floats, b: Floats, g: Floats) -> float:
    """Compute the gradient anew; return how large its summands are at most."""
    n = len(b)
    largest = 1.0
    for k in range(n):
        g[k] = -y[k]
    for i in range(n):
        if b[i] != 0.0:
            f, row = b[i], K[i]
            for k in range(n):
                g[k] += f * row[k]
            largest = max(largest, abs(f) * row[i])
    return largest


@kernel
def _extremes(b: Floats, g: Floats, low: Floats, high: Floats) -> tuple[float, float]:
    """Smallest gradient of entries that may rise, largest of entries that may fall."""
    rise, fall = np.inf, -np.inf
    for k in range(len(b)):
        if b[k] < high[k] and g[k] < rise:
            rise = g[k]
        if b[k] > low[k] and g[k] > fall:
            fall = g[k]
    return rise, fall


@kernel
def _descend(
    K: Floats,
    b: Floats,
    g: Floats,
    low: Floats,
    high: Floats,
    tol: float,
    tiny: float,
    limit: int,
) -> None:
    """Descend on pairs, the second of each chosen by its gain to second order."""
    n = len(b)
    diagonal = np.diag(K).copy()
    i, t = -1, 0.0
    first = second = K[0]
    for step in range(limit + 1):
        worst, fall = np.inf, -np.inf
        for k in range(n):  # the last step's change of g, and the next i, in one pass
            g[k] += t * (first[k] - second[k])
            if b[k] < high[k] and g[k] < worst:
                worst, i = g[k], k
            if b[k] > low[k] and g[k] > fall:
                fall = g[k]
        if step == limit or not fall - worst > tol:
            return
        first = K[i]
        best, curve, j = 0.0, 1.0, -1
        for k in range(n):
            if b[k] > low[k] and g[k] > worst:
                square = (g[k] - worst) * (g[k] - worst)
                bent = max(first[i] + diagonal[k] - 2.0 * first[k], tiny)
                if square * curve > best * bent:  # gain = square / curvature, without a division
                    best, curve, j = square, bent, k
        second = K[j]
        room_i, room_j = high[i] - b[i], b[j] - low[j]
        t = min((g[j] - worst) / curve, room_i, room_j)
        b[i] = high[i] if t == room_i else b[i] + t
        b[j] = low[j] if t == room_j else b[j] - t


@kernel
def solve(
    K: Floats, y: Floats, box: Floats, b: Floats, tol: float, rounds: int = MAX_ROUNDS
) -> float:
    """Solve from a feasible start, in place; return the violation left above rounding error."""
    low = np.where(y > 0.0, 0.0, -box)
    high = np.where(y > 0.0, box, 0.0)
    size = SMALLEST
    for k in range(len(y)):
        size = max(size, K[k, k])
    g = np.empty(len(y))
    _gradient(K, y, b, g)
    rough = 1e-3
    for attempt in range(rounds):
        free = len(np.flatnonzero((b > low) & (b < high)))
        if attempt > 0 or free < len(y):  # all free at the start: Newton's step may be enough
            _descend(K, b, g, low, high, max(rough, tol), RIDGE * size, max(50, free))
        for _ in range(1 + attempt // 4):  # hard problems need many entries fixed at once
            whole = _newton(K, b, g, low, high, size)
            floor = ROUNDING * len(y) * _gradient(K, y, b, g)
            if whole:
                break
        rise, fall = _extremes(b, g, low, high)
        if fall - rise <= max(tol, floor):
            return 0.0
        if fall - rise <= rough:
            rough /= 100.0
    return fall - rise


@kernel
def offset(K: Floats, y: Floats, box: Floats, b: Floats) -> float:
    """Offset of the decision function of a solution.

    Where all entries are at their bounds it is in the middle of what is allowed; an entry that
    rounding errors keep from its bound must not pass for a free one then.
    """
    g = np.empty(len(y))
    _gradient(K, y, b, g)
    low, high = np.where(y > 0.0, 0.0, -box), np.where(y > 0.0, box, 0.0)
    rise, fall = _extremes(b, g, low + BOUND_TOLERANCE * box, high - BOUND_TOLERANCE * box)
    if np.isinf(rise) or np.isinf(fall):  # one class only
        return -fall if np.isinf(rise) else -rise
    return -(rise + fall) / 2.0


# --- the accuracy of machines on subsets of features ---------------------------------------------


@kernel
def _column(x: Floats, rows: Ints, mean: float, width: float) -> Floats:
    """Return a feature's values in the named rows, scaled."""
    z = np.empty(len(rows))
    for i in range(len(rows)):
        z[i] = np.divide(x[rows[i]] - mean, width)
    return z


@kernel
def _accumulate(total: Floats, left: Floats, right: Floats, sign: float, gamma: float) -> None:
    """Add a feature's products of two sets of samples, or their squared differences for RBF."""
    for i in range(len(left)):
        row, own, share = total[i], left[i], sign * left[i]
        if gamma == LINEAR:
            for k in range(len(right)):
                row[k] += share * right[k]
        else:
            for k in range(len(right)):
                row[k] += sign * (own - right[k]) * (own - right[k])


@kernel
def _include(
    near: Floats,
    far: Floats,
    who: Ints,
    sign: float,
    X: Floats,
    fit: Ints,
    test: Ints,
    mean: Floats,
    width: Floats,
    gamma: float,
) -> None:
    """Add features (or take them away) among the samples to fit, and between them and the test."""
    for j in who:
        z = _column(X[j], fit, mean[j], width[j])
        _accumulate(near, z, z, sign, gamma)
        _accumulate(far, z, _column(X[j], test, mean[j], width[j]), sign, gamma)


@kernel
def _radial(row: Floats, gamma: float) -> None:
    """Turn squared distances into the RBF kernel; a subtraction may have left them below 0."""
    for k in range(len(row)):
        row[k] = np.exp(-gamma * max(row[k], 0.0))


@kernel
def _kernelise(K: Floats, gamma: float) -> None:
    """Turn the squared distances among the samples into the RBF kernel, half of them by copying."""
    for i in range(len(K)):
        K[i, i] = 0.0
        _radial(K[i, i:], gamma)
    for i in range(len(K)):
        for k in range(i):
            K[i, k] = K[k, i]


@kernel
def _pair_submatrix(K: Floats, a: int, m: int, c: int, n: int) -> Floats:
    """Return the part of K for m rows from a on and n rows from c on."""
    part = np.empty((m + n, m + n))
    for i in range(m + n):
        row, own = K[a + i if i < m else c + i - m], part[i]
        own[:m] = row[a : a + m]
        own[m:] = row[c : c + n]
    return part


@kernel
def _solve_class_pairs(K: Floats, bounds: Ints, C: float, b: Floats, offsets: Floats) -> None:
    """Solve for each pair of classes, from a feasible start in the rows of b, in place.

    Class c has the samples from ``bounds[c]`` to ``bounds[c + 1]``.
    """
    pair = 0
    for first in range(len(bounds) - 1):
        for second in range(first + 1, len(bounds) - 1):
            a, c = bounds[first], bounds[second]
            m, n = bounds[first + 1] - a, bounds[second + 1] - c
            if m > 0 and n > 0:
                part, own = _pair_submatrix(K, a, m, c, n), np.empty(m + n)
                y, box = np.ones(m + n), np.full(m + n, C)
                y[m:] = -1.0
                own[:m], own[m:] = b[pair, a : a + m], b[pair, c : c + n]
                solve(part, y, box, own, EXACT, MAX_SUBSET_ROUNDS)
                offsets[pair] = offset(part, y, box, own)
                b[pair, a : a + m], b[pair, c : c + n] = own[:m], own[m:]
            pair += 1


@kernel
def _decisions(far: Floats, gamma: float, b: Floats, offsets: Floats) -> Floats:
    """Decision values of the test samples, a row a machine; what rounding can have made is 0.

    A subset's value is then the same whichever way a search came to it, also where features
    have few values and test samples lie on the border. `far` is used up.
    """
    f = np.empty((len(b), far.shape[1]))
    size = np.ones(f.shape)
    for pair in range(len(b)):
        f[pair] = offsets[pair]
    for i in range(b.shape[1]):
        used = np.flatnonzero(b[:, i])
        row = far[i]
        if gamma != LINEAR and len(used) > 0:
            _radial(row, gamma)
        for machine in used:
            factor, value, summands = b[machine, i], f[machine], size[machine]
            for k in range(len(row)):
                value[k] += factor * row[k]
                summands[k] += abs(factor * row[k])
    return np.where(np.abs(f) <= BORDER * size, 0.0, f)


@kernel
def _right(f: Floats, bounds: Ints, tested: Ints, weights: Floats) -> float:
    """Weight of the samples predicted rightly by the votes of all pairs, as LIBSVM counts them.

    A decision of 0 is a vote for the second of the pair, equal votes are for the first class.
    """
    total = 0.0
    votes = np.empty(len(bounds) - 1, np.int64)
    for i in range(len(tested)):
        votes[:] = 0
        pair = 0
        for first in range(len(votes)):
            for second in range(first + 1, len(votes)):
                if bounds[first] < bounds[first + 1] and bounds[second] < bounds[second + 1]:
                    votes[first if f[pair, i] > 0.0 else second] += 1
                pair += 1
        if np.argmax(votes) == tested[i]:
            total += weights[i]
    return total


@kernel
def _score_split(
    X: Floats,
    y: Ints,
    fit: Ints,
    test: Ints,
    weights: Floats,
    mean: Floats,
    width: Floats,
    C: float,
    base: Ints,
    features: Ints,
    starts: Ints,
    sign: float,
    gammas: Floats,
    values: Floats,
) -> None:
    """Add one split's accuracies to the values; every machine starts from that of the base."""
    classes = y.max() + 1
    bounds = np.searchsorted(y[fit], np.arange(classes + 1))
    pairs = classes * (classes - 1) // 2
    near, far = np.zeros((len(fit), len(fit))), np.zeros((len(fit), len(test)))
    start, offsets = np.zeros((pairs, len(fit))), np.zeros(pairs)
    if len(base) > 0:
        _include(near, far, base, 1.0, X, fit, test, mean, width, gammas[0])
        K = near.copy()
        if gammas[0] != LINEAR:
            _kernelise(K, gammas[0])
        _solve_class_pairs(K, bounds, C, start, offsets)
    for u in range(len(values)):
        K, cross, b, gamma = near.copy(), far.copy(), start.copy(), gammas[u + 1]
        unit = features[starts[u] : starts[u + 1]]
        _include(K, cross, unit, sign, X, fit, test, mean, width, gamma)
        if gamma != LINEAR:
            _kernelise(K, gamma)
        _solve_class_pairs(K, bounds, C, b, offsets)
        values[u] += _right(_decisions(cross, gamma, b, offsets), bounds, y[test], weights)


@kernel
def score_units(
    X: Floats,
    y: Ints,
    fit: Ints,
    fit_starts: Ints,
    test: Ints,
    test_starts: Ints,
    weights: Floats,
    means: Floats,
    widths: Floats,
    C: float,
    base: Ints,
    features: Ints,
    starts: Ints,
    sign: float,
    gammas: Floats,
) -> Floats:
    """Mean accuracy over splits of `base` with each unit added (sign 1) or removed (sign -1).

    X has features in rows; the rows to fit on are in the order of their classes. Means and widths
    have a row a split, as have the gammas: of the base, then of each unit's subset, or `LINEAR`.
    """
    values = np.zeros(len(starts) - 1)
    for s in range(len(means)):
        own = slice(test_starts[s], test_starts[s + 1])
        _score_split(
            X,
            y,
            fit[fit_starts[s] : fit_starts[s + 1]],
            test[own],
            weights[own],
            means[s],
            widths[s],
            C,
            base,
            features,
            starts,
            sign,
            gammas[s],
            values,
        )
    return values / len(means)
