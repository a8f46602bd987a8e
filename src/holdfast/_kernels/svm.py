"""Soft-margin support vector machines, solved in the dual on a Gram matrix.

**Method.** The dual is kept in signed form, b = alpha * y: minimise b'Kb/2 - y'b subject to sum(b)
= 0 and each b between `low` and `high` (0 and C for the positive class, -C and 0 for the other).
With the gradient g = Kb - y, b is optimal if no entry that may fall has a larger g than an entry
that may rise; the largest such difference, the *violation*, is in units of the margin.

Two moves alternate. Descent on pairs takes the entry with the lowest gradient that may rise and the
partner with the largest decrease to second order. It always decreases the objective, but converges
slowly. A Newton step minimises over the free entries, those strictly between their bounds:

* It solves for a direction d with sum(d) = 0. On such directions K + c 11' acts as K does, since (K
  + c 11')d = Kd + c 1 (1'd) = Kd. For c > 0 and K positive semidefinite, v'(K + c 11')v = 0 only if
  v'Kv = 0 and 1'v = 0, so K + c 11' is regular wherever the constrained problem has one solution. c
  is the largest diagonal entry, so that both parts have the same magnitude.
* The step ends at the first bound it meets, which fixes that entry. The objective is convex along
  the direction and lowest at its end, so every part of the step decreases it.

`score_units` is for searches over subsets that differ from one base by few features. Their Gram
matrices (squared distances, for the RBF kernel) are the base's with a little added or subtracted,
and their solutions start from the base's.

**Reference.** [Fan2005]_ for the choice of pairs; [Bordes2005]_ for the signed form;
[Scheinberg2006]_ for active-set steps on the free entries.

**Deviations.** Neither shrinking nor a cache: the Gram matrix is in memory. The schedule of
tolerances of the pair descent (1e-3, divided by 100 whenever the violation falls below it) and the
growing number of Newton steps per round are empirical. At the limit of rounds the last solution is
kept: `solve` returns its violation, which the callers of single SVMs report as a warning; for
SVMs on subsets it is ignored, so their accuracy is then that of an approximate solution.

**Rounding.** A violation below the rounding error of the gradient counts as 0: solutions are exact
to rounding error, so that rankings do not depend on the tolerance. Results do not have the bits of
LIBSVM. Decisions of SVMs on subsets that rounding may have produced are set to 0, so that the
value of a subset does not depend on the path of a search to it.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

RIDGE = 1e-12  # standard (LIBSVM's tau), here of the largest diagonal entry: curvatures above 0
ROUNDING = 4e-16  # chosen, about 2 eps: times n and the largest summand, an error of the gradient
MAX_ROUNDS = 10_000  # chosen: never reached on the data of the tests
MIN_DIAGONAL = 1e-280  # chosen: in place of a Gram matrix of zeros, so that nothing is divided by 0
BOUND_TOLERANCE = 1e-12  # chosen, of the box: an entry this near to a bound is at it
LINEAR = 0.0  # in place of an RBF kernel's gamma
SUBSET_TOLERANCE = 1e-10  # chosen: the tolerance for SVMs on subsets
# calibrated: the hardest subsets of the raw wine and breast cancer data took 55 rounds
MAX_SUBSET_ROUNDS = 200
ZERO_SHARE = 1e-10  # chosen: decisions below this share of 1 plus their summands' sizes are 0


@subroutine
def _cholesky_in_place(A: FloatArray, ridge: float) -> None:
    """Factor a positive definite matrix as U'U in the upper triangle, four rows at a time.

    `A`, of shape (n, n), is overwritten; pivots below `ridge` are raised to it.
    """
    n = len(A)
    for first in range(0, n, 4):
        last = min(first + 4, n)
        for k in range(first, last):
            for before in range(first, k):
                f = A[before, k]
                for j in range(k, n):
                    A[k, j] -= f * A[before, j]
            scale = 1.0 / math.sqrt(max(A[k, k], ridge))
            for j in range(k, n):
                A[k, j] *= scale
        if last == n:
            return
        # With the four rows R the rest of the matrix becomes A - R'R. Four rows together load and
        # store each entry of the rest once instead of four times.
        r0, r1, r2, r3 = A[first], A[first + 1], A[first + 2], A[first + 3]
        for i in range(last, n):
            row = A[i]
            f0, f1, f2, f3 = r0[i], r1[i], r2[i], r3[i]
            for j in range(i, n):
                row[j] -= f0 * r0[j] + f1 * r1[j] + f2 * r2[j] + f3 * r3[j]


@subroutine
def _solve_cholesky(U: FloatArray, x: FloatArray) -> None:
    """Solve U'Ux = x in place; `U` has shape (n, n), `x` has shape (n,)."""
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


@subroutine
def _newton_direction(K: FloatArray, g: FloatArray, free: IntArray, shift: float) -> FloatArray:
    """Direction to the minimum over the free entries; it sums to 0.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix.
    g : ndarray of shape (n,)
        The gradient.
    free : ndarray of shape (f,)
        The free entries.
    shift : float
        The constant c that is added to all entries of K; see **Method**.
    """
    f = len(free)
    A = np.empty((f, f))
    ones, d = np.empty(f), np.empty(f)
    for a in range(f):
        row = K[free[a]]
        for c in range(a, f):
            A[a, c] = row[free[c]] + shift
        A[a, a] += RIDGE * shift
        ones[a], d[a] = 1.0, -g[free[a]]
    # A d = -g + λ 1 with sum(d) = 0: d = -A^-1 g + λ A^-1 1
    _cholesky_in_place(A, RIDGE * shift)
    _solve_cholesky(A, ones)
    _solve_cholesky(A, d)
    d_sum, ones_sum, rest = 0.0, 0.0, 0.0
    for a in range(f):
        d_sum += d[a]
        ones_sum += ones[a]
    for a in range(f):
        d[a] -= d_sum / ones_sum * ones[a]
        rest += d[a]
    for a in range(f):
        d[a] -= rest / f  # the sum must stay 0 to rounding even when the system is singular
    return d


@kernel
def solve_free(K: FloatArray, g: FloatArray) -> FloatArray:
    """Change of free entries that equalises their gradient; it sums to 0.

    Parameters
    ----------
    K : ndarray of shape (f, f)
        The Gram matrix of the free entries.
    g : ndarray of shape (f,)
        Their gradient.
    """
    shift = MIN_DIAGONAL
    for k in range(len(g)):
        shift = max(shift, K[k, k])
    return _newton_direction(K, g, np.arange(len(g)), shift)


@subroutine
def _free_entries(b: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """Return the entries strictly between their bounds.

    `b`, `low` and `high` have shape (n,): the signed dual and its bounds.
    """
    free, n_free = np.empty(len(b), np.int64), 0
    for k in range(len(b)):
        if low[k] < b[k] < high[k]:
            free[n_free] = k
            n_free += 1
    return free[:n_free]


@subroutine
def _step_along(
    b: FloatArray, low: FloatArray, high: FloatArray, free: IntArray, d: FloatArray
) -> bool:
    """Move the free entries along a direction; return whether no bound cut the step short.

    Parameters
    ----------
    b : ndarray of shape (n,)
        The signed dual, changed in place.
    low, high : ndarray of shape (n,)
        The bounds of b.
    free, d : ndarray of shape (f,)
        The free entries, and the direction.
    """
    t, stop = 1.0, -1
    for a in range(len(free)):
        k = free[a]
        room = high[k] - b[k] if d[a] > 0.0 else low[k] - b[k]
        # the largest t up to 1 that keeps all entries within their bounds
        if d[a] != 0.0 and room / d[a] < t:
            t, stop = room / d[a], a
    for a in range(len(free)):
        k = free[a]
        b[k] = min(max(b[k] + t * d[a], low[k]), high[k])
    if stop >= 0:
        # exactly at its bound: rounding must not leave the entry free
        b[free[stop]] = high[free[stop]] if d[stop] > 0.0 else low[free[stop]]
    return stop < 0


@subroutine
def _compute_gradient(K: FloatArray, y: FloatArray, b: FloatArray, g: FloatArray) -> float:
    """Compute the gradient Kb - y; return the largest of its summands, at least 1.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix.
    y, b : ndarray of shape (n,)
        The signs of the classes, and the signed dual.
    g : ndarray of shape (n,)
        Receives the gradient.
    """
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
def extreme_gradients(
    b: FloatArray, g: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[float, float]:
    """Lowest gradient of entries that may rise, highest of entries that may fall.

    `b`, `g`, `low` and `high` have shape (n,): signed dual, gradient, and bounds.
    """
    rise, fall = np.inf, -np.inf
    for k in range(len(b)):
        if b[k] < high[k] and g[k] < rise:
            rise = g[k]
        if b[k] > low[k] and g[k] > fall:
            fall = g[k]
    return rise, fall


@subroutine
def _descend_on_pairs(
    K: FloatArray,
    b: FloatArray,
    g: FloatArray,
    low: FloatArray,
    high: FloatArray,
    tol: float,
    min_curvature: float,
    limit: int,
) -> None:
    """Descend on pairs until the violation is at most `tol`, `limit` pairs at most.

    Moving a pair by t changes the objective by (g_i - g_j) t + (K_ii + K_jj - 2 K_ij) t²/2.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix.
    b, g : ndarray of shape (n,)
        The signed dual and the gradient, both kept up to date.
    low, high : ndarray of shape (n,)
        The bounds of b.
    """
    n = len(b)
    diagonal = np.empty(n)
    for k in range(n):
        diagonal[k] = K[k, k]
    i, t = -1, 0.0
    # before the first pair t is 0, so any row does
    first = second = K[0]
    for step in range(limit + 1):
        lowest, fall = np.inf, -np.inf
        for k in range(n):  # the last step's change of g, and the next i, in one pass
            g[k] += t * (first[k] - second[k])
            if b[k] < high[k] and g[k] < lowest:
                lowest, i = g[k], k
            if b[k] > low[k] and g[k] > fall:
                fall = g[k]
        if step == limit or not fall - lowest > tol:
            return
        first = K[i]
        best_square, best_curvature, j = 0.0, 1.0, -1
        for k in range(n):
            if b[k] > low[k] and g[k] > lowest:
                square = (g[k] - lowest) * (g[k] - lowest)
                curvature = max(first[i] + diagonal[k] - 2.0 * first[k], min_curvature)
                # compares square / curvature without a division
                if square * best_curvature > best_square * curvature:
                    best_square, best_curvature, j = square, curvature, k
        second = K[j]
        room_i, room_j = high[i] - b[i], b[j] - low[j]
        t = min((g[j] - lowest) / best_curvature, room_i, room_j)
        # exactly at a bound, so that the entry no longer counts as free
        b[i] = high[i] if t == room_i else b[i] + t
        b[j] = low[j] if t == room_j else b[j] - t


@subroutine
def _fill_bounds(y: FloatArray, box: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """Write the bounds of b.

    Parameters
    ----------
    y, box : ndarray of shape (n,)
        The signs of the classes, and the largest size of each entry of b.
    low, high : ndarray of shape (n,)
        Receive the bounds.
    """
    for k in range(len(y)):
        low[k] = 0.0 if y[k] > 0.0 else -box[k]
        high[k] = box[k] if y[k] > 0.0 else 0.0


@kernel
def solve(
    K: FloatArray,
    y: FloatArray,
    box: FloatArray,
    b: FloatArray,
    tol: float,
    max_rounds: int = MAX_ROUNDS,
) -> float:
    """Solve from a feasible start, in place; return the violation left above rounding error.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The Gram matrix.
    y, box : ndarray of shape (n,)
        The signs of the classes, and the largest size of each entry of b (C, or C times copies).
    b : ndarray of shape (n,)
        A feasible start: between its bounds, with sum 0. Receives the solution.
    """
    low, high, g = np.empty(len(y)), np.empty(len(y)), np.empty(len(y))
    _fill_bounds(y, box, low, high)
    shift = MIN_DIAGONAL
    for k in range(len(y)):
        shift = max(shift, K[k, k])
    _compute_gradient(K, y, b, g)
    pair_tolerance = 1e-3  # empirical, as are the factor 100 and the growing number of Newton steps
    for round_ in range(max_rounds):
        n_free = len(_free_entries(b, low, high))
        # if all are free at the start, one Newton step may be enough
        if round_ > 0 or n_free < len(y):
            _descend_on_pairs(
                K, b, g, low, high, max(pair_tolerance, tol), RIDGE * shift, max(50, n_free)
            )
        for _ in range(1 + round_ // 4):  # hard problems need many entries fixed at once
            free = _free_entries(b, low, high)
            whole = len(free) < 2
            if not whole:
                whole = _step_along(b, low, high, free, _newton_direction(K, g, free, shift))
            # computed from scratch: updates on pairs accumulate rounding errors
            rounding = ROUNDING * len(y) * _compute_gradient(K, y, b, g)
            if whole:
                break
        rise, fall = extreme_gradients(b, g, low, high)
        if fall - rise <= max(tol, rounding):
            return 0.0
        if fall - rise <= pair_tolerance:
            pair_tolerance /= 100.0
    return fall - rise


@kernel
def offset(K: FloatArray, y: FloatArray, box: FloatArray, b: FloatArray) -> float:
    """Offset of the decision function of a solution.

    A free entry has Kb + offset = y, so the offset is minus its gradient. Where all entries are at
    their bounds the offset is in the middle of the allowed range; an entry that rounding errors
    keep from its bound must then not count as free.

    Parameters
    ----------
    K, y, box, b : ndarray
        As in `solve`.
    """
    low, high, g = np.empty(len(y)), np.empty(len(y)), np.empty(len(y))
    _compute_gradient(K, y, b, g)
    _fill_bounds(y, box, low, high)
    for k in range(len(y)):
        low[k] += BOUND_TOLERANCE * box[k]
        high[k] -= BOUND_TOLERANCE * box[k]
    rise, fall = extreme_gradients(b, g, low, high)
    if math.isinf(rise) or math.isinf(fall):  # one class only
        return -fall if math.isinf(rise) else -rise
    return -(rise + fall) / 2.0


@subroutine
def _scaled_column(x: FloatArray, rows: IntArray, mean: float, width: float) -> FloatArray:
    """Return the scaled values of a feature, ``(x[rows] - mean) / width``.

    `x` has shape (n,), `rows` has shape (m,).
    """
    z = np.empty(len(rows))
    for i in range(len(rows)):
        z[i] = (x[rows[i]] - mean) / width
    return z


@subroutine
def _add_products(
    total: FloatArray, left: FloatArray, right: FloatArray, sign: float, gamma: float
) -> None:
    """Add a feature's products of two sets of samples, or their squared differences for RBF.

    `total` of shape (m, k) gains ``sign * outer(left, right)`` or ``sign * (left[:, None] -
    right)**2``; `left` and `right` have shapes (m,) and (k,).
    """
    for i in range(len(left)):
        row, value, share = total[i], left[i], sign * left[i]
        if gamma == LINEAR:
            for k in range(len(right)):
                row[k] += share * right[k]
        else:
            for k in range(len(right)):
                row[k] += sign * (value - right[k]) * (value - right[k])


@subroutine
def _add_features(
    gram: FloatArray,
    cross: FloatArray,
    features: IntArray,
    sign: float,
    X: FloatArray,
    fit: IntArray,
    test: IntArray,
    mean: FloatArray,
    width: FloatArray,
    gamma: float,
) -> None:
    """Add features to the Gram matrix and to the products with test samples, or subtract them.

    Parameters
    ----------
    gram, cross : ndarray of shapes (n_fit, n_fit) and (n_fit, n_test)
        Products, or squared distances for RBF, changed in place.
    features : ndarray of shape (n_unit,)
        The features to add.
    X : ndarray of shape (p, n)
        The data, features in rows.
    fit, test : ndarray of shapes (n_fit,) and (n_test,)
        The rows to fit on and to test.
    mean, width : ndarray of shape (p,)
        What features are centred by and divided by.
    """
    for j in features:
        z = _scaled_column(X[j], fit, mean[j], width[j])
        _add_products(gram, z, z, sign, gamma)
        _add_products(cross, z, _scaled_column(X[j], test, mean[j], width[j]), sign, gamma)


@subroutine
def _apply_rbf(row: FloatArray, gamma: float) -> None:
    """Turn the squared distances in `row`, of shape (m,), into the RBF kernel, in place.

    A subtraction may have left them below 0.
    """
    for k in range(len(row)):
        row[k] = np.exp(-gamma * max(row[k], 0.0))


@subroutine
def _apply_rbf_to_gram(K: FloatArray, gamma: float) -> None:
    """Turn the squared distances in `K`, of shape (n, n), into the RBF kernel, in place."""
    for i in range(len(K)):
        # a subtraction may leave a residue of the distance 0
        K[i, i] = 0.0
        _apply_rbf(K[i, i:], gamma)
    for i in range(len(K)):
        for k in range(i):
            K[i, k] = K[k, i]


@subroutine
def _pair_submatrix(K: FloatArray, a: int, m: int, c: int, n: int) -> FloatArray:
    """Return the part of the Gram matrix for m rows from a on and n rows from c on.

    `K` has shape (n_fit, n_fit).
    """
    part = np.empty((m + n, m + n))
    for i in range(m + n):
        row, part_row = K[a + i if i < m else c + i - m], part[i]
        part_row[:m] = row[a : a + m]
        part_row[m:] = row[c : c + n]
    return part


@subroutine
def _solve_class_pairs(
    K: FloatArray, bounds: IntArray, C: float, b: FloatArray, offsets: FloatArray
) -> None:
    """Solve for each pair of classes, from a feasible start in the rows of b, in place.

    Parameters
    ----------
    K : ndarray of shape (n_fit, n_fit)
        The Gram matrix.
    bounds : ndarray of shape (c + 1,)
        Class k has the samples from ``bounds[k]`` to ``bounds[k + 1]``.
    b : ndarray of shape (n_pairs, n_fit)
        The signed duals.
    offsets : ndarray of shape (n_pairs,)
        Receives the offsets.
    """
    pair = 0
    for first in range(len(bounds) - 1):
        for second in range(first + 1, len(bounds) - 1):
            a, c = bounds[first], bounds[second]
            m, n = bounds[first + 1] - a, bounds[second + 1] - c
            if m > 0 and n > 0:
                part, pair_b = _pair_submatrix(K, a, m, c, n), np.empty(m + n)
                y, box = np.ones(m + n), np.full(m + n, C)
                y[m:] = -1.0
                pair_b[:m], pair_b[m:] = b[pair, a : a + m], b[pair, c : c + n]
                solve(part, y, box, pair_b, SUBSET_TOLERANCE, MAX_SUBSET_ROUNDS)
                offsets[pair] = offset(part, y, box, pair_b)
                b[pair, a : a + m], b[pair, c : c + n] = pair_b[:m], pair_b[m:]
            pair += 1


@subroutine
def _decisions(cross: FloatArray, gamma: float, b: FloatArray, offsets: FloatArray) -> FloatArray:
    """Decision values of the test samples, one row per SVM; residues of rounding are 0.

    A subset's value is then the same whichever path a search took to it, also where features have
    few values and test samples lie on the border.

    Parameters
    ----------
    cross : ndarray of shape (n_fit, n_test)
        Products, or squared distances for RBF; overwritten.
    b, offsets : ndarray of shapes (n_pairs, n_fit) and (n_pairs,)
        The solutions.
    """
    f = np.empty((len(b), cross.shape[1]))
    # 1, the margin, is the scale if there are no summands
    summed_sizes = np.ones(f.shape)
    # f(x) = sum_i b_i K(x_i, x) + offset
    for pair in range(len(b)):
        f[pair] = offsets[pair]
    for i in range(b.shape[1]):
        support_of = np.flatnonzero(b[:, i])
        row = cross[i]
        if gamma != LINEAR and len(support_of) > 0:
            _apply_rbf(row, gamma)
        for machine in support_of:
            factor, value, summands = b[machine, i], f[machine], summed_sizes[machine]
            for k in range(len(row)):
                value[k] += factor * row[k]
                summands[k] += abs(factor * row[k])
    return np.where(np.abs(f) <= ZERO_SHARE * summed_sizes, 0.0, f)


@subroutine
def _weigh_hits(f: FloatArray, bounds: IntArray, tested: IntArray, weights: FloatArray) -> float:
    """Weight of the samples predicted correctly by the votes of all pairs, as LIBSVM counts them.

    A decision of 0 is a vote for the second class of the pair, equal votes go to the first class.

    Parameters
    ----------
    f : ndarray of shape (n_pairs, n_test)
        The decision values.
    bounds : ndarray of shape (c + 1,)
        Class k was fitted on the samples from ``bounds[k]`` to ``bounds[k + 1]``.
    tested, weights : ndarray of shape (n_test,)
        Class of each test sample, and the weight of a hit.
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


@subroutine
def _score_split(
    X: FloatArray,
    y: IntArray,
    fit: IntArray,
    test: IntArray,
    weights: FloatArray,
    mean: FloatArray,
    width: FloatArray,
    C: float,
    base: IntArray,
    features: IntArray,
    starts: IntArray,
    sign: float,
    gammas: FloatArray,
    values: FloatArray,
) -> None:
    """Add the accuracies of one split to the values; every SVM starts from that of the base.

    Parameters
    ----------
    X, y, base, features, starts : ndarray
        As in `score_units`.
    fit, test : ndarray of shapes (n_fit,) and (n_test,)
        The rows to fit on, in the order of their classes, and to test.
    weights : ndarray of shape (n_test,)
        The weights of hits.
    mean, width : ndarray of shape (p,)
        What features are centred by and divided by.
    gammas : ndarray of shape (n_units + 1,)
        Gamma of the base, then of each unit's subset, or `LINEAR`.
    values : ndarray of shape (n_units,)
        Receives the accuracies, in addition.
    """
    classes = y.max() + 1
    bounds = np.searchsorted(y[fit], np.arange(classes + 1))
    pairs = classes * (classes - 1) // 2
    gram, cross = np.zeros((len(fit), len(fit))), np.zeros((len(fit), len(test)))
    start, offsets = np.zeros((pairs, len(fit))), np.zeros(pairs)
    if len(base) > 0:
        _add_features(gram, cross, base, 1.0, X, fit, test, mean, width, gammas[0])
        K = gram.copy()
        if gammas[0] != LINEAR:
            _apply_rbf_to_gram(K, gammas[0])
        _solve_class_pairs(K, bounds, C, start, offsets)
    for u in range(len(values)):
        K, unit_cross, b, gamma = gram.copy(), cross.copy(), start.copy(), gammas[u + 1]
        unit = features[starts[u] : starts[u + 1]]
        _add_features(K, unit_cross, unit, sign, X, fit, test, mean, width, gamma)
        if gamma != LINEAR:
            _apply_rbf_to_gram(K, gamma)
        # the solution of the base is feasible for every unit: the constraints do not depend on K
        _solve_class_pairs(K, bounds, C, b, offsets)
        values[u] += _weigh_hits(
            _decisions(unit_cross, gamma, b, offsets), bounds, y[test], weights
        )


@kernel
def score_units(
    X: FloatArray,
    y: IntArray,
    fit: IntArray,
    fit_starts: IntArray,
    test: IntArray,
    test_starts: IntArray,
    weights: FloatArray,
    means: FloatArray,
    widths: FloatArray,
    C: float,
    base: IntArray,
    features: IntArray,
    starts: IntArray,
    sign: float,
    gammas: FloatArray,
) -> FloatArray:
    """Mean accuracy over splits of the base with each unit added (sign 1) or removed (sign -1).

    Parameters
    ----------
    X : ndarray of shape (p, n)
        The data, features in rows.
    y : ndarray of shape (n,)
        The class of each sample.
    fit, fit_starts : ndarray of shapes (n_fit_total,) and (n_splits + 1,)
        The rows to fit on, in the order of their classes, and where those of a split start.
    test, test_starts : ndarray of shapes (n_test_total,) and (n_splits + 1,)
        The rows to test, and where those of a split start.
    weights : ndarray of shape (n_test_total,)
        The weights of hits.
    means, widths : ndarray of shape (n_splits, p)
        What features are centred by and divided by.
    base : ndarray of shape (n_base,)
        The features of the base.
    features, starts : ndarray of shapes (n_features,) and (n_units + 1,)
        The features of the units, and where those of a unit start.
    gammas : ndarray of shape (n_splits, n_units + 1)
        Gamma of the base, then of each unit's subset, or `LINEAR`.
    """
    values = np.zeros(len(starts) - 1)
    for s in range(len(means)):
        test_part = slice(test_starts[s], test_starts[s + 1])
        _score_split(
            X,
            y,
            fit[fit_starts[s] : fit_starts[s + 1]],
            test[test_part],
            weights[test_part],
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
