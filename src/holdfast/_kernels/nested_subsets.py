"""Neighbours and support vector machines in nested subsets: the first features, more, all.

**Method.** The subsets are the first features of one ranking. Squared distances and inner products
are sums over features, so a subset takes those of the smaller one and adds the features that it
lacks. Neighbours: the classes of the k nearest training samples vote.

SVMs: each pair of classes is one, solved by sequential minimal optimisation as in LIBSVM, step by
step. The first entry of a pair violates optimality most, the second decreases the objective most to
second order; the pair moves to its optimum within the box. Entries at a bound that are unlikely to
leave it are set aside from time to time, together with their gradients. With alpha the dual, y = ±1
the class and G the gradient of alpha'Qalpha/2 - sum(alpha), everything is written in g = yG, so
that both classes follow the same rules: entries that may rise should not have a smaller g than
entries that may fall. Signs change no rounding error.

**Reference.** [Cover1967]_ for neighbours; [Chang2011]_ for LIBSVM, whose steps these are;
[Fan2005]_ for its choice of pairs.

**Deviations.** scikit-learn takes |x|² - 2xy + |y|² for distances in many features, and a tree in
few; which of several rows at equal distance it takes depends on either. Where such a choice would
change the votes, the subset is reported as doubtful, and the caller asks scikit-learn. The kernel
matrix of an SVM is in memory, in single precision as in LIBSVM; samples and classes have no
weights.

**Rounding.** Distances closer to the k-th than rounding errors can be, here or in scikit-learn,
count as equal. All other votes are exact, so they are those of scikit-learn. The steps of an SVM
are those of LIBSVM, but inner products are sums in another order than that of BLAS. If one of them
rounds to another single-precision number, or breaks a tie between two entries, the steps may differ
from there on. Both solutions are then optimal within the tolerance of the violation, and decisions
differ by about the tolerance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import BoolArray, FloatArray, IntArray

EPS = float(np.finfo(np.float64).eps)
LINEAR = 0.0  # in place of an RBF kernel's gamma
MIN_CURVATURE = 1e-12  # standard (LIBSVM's tau), in place of curvatures that are not positive
STEPS_PER_SHRINKING = 1000  # standard (LIBSVM), or the number of samples if that is smaller
NEAR = 10.0  # standard (LIBSVM): the violation, in tolerances, at which entries are taken back
TILE = 1024  # chosen: columns of a table, 8 kB, that are worked on at a time
DIAGONAL, Y, ALPHA, G, BOUND_G = range(5)
RISE, FALL = range(2)
ALMOST_1 = 1.0 - 1e-15  # derived: below 1 by more than the three roundings of a comparison


@subroutine
def _add_squares(
    total: FloatArray, left: FloatArray, right: FloatArray, start: int, stop: int
) -> None:
    """Add the squared differences of two sets of samples in the features from start to stop.

    Parameters
    ----------
    total : ndarray of shape (m, n)
        Squared distances, changed in place.
    left, right : ndarray of shapes (p, m) and (p, n)
        The samples, features in rows.
    """
    for first in range(0, total.shape[1], TILE):
        last = min(first + TILE, total.shape[1])
        for i in range(len(total)):
            row = total[i]  # a tile of it stays in the fastest cache while all features are added
            for f in range(start, stop):
                value, others = left[f, i], right[f]
                for k in range(first, last):
                    gap = value - others[k]
                    row[k] += gap * gap


@subroutine
def _add_products(
    total: FloatArray, left: FloatArray, right: FloatArray, start: int, stop: int
) -> None:
    """Add the inner products of two sets of samples in the features from start to stop.

    Parameters
    ----------
    total : ndarray of shape (m, n)
        Inner products, changed in place.
    left, right : ndarray of shapes (p, m) and (p, n)
        The samples, features in rows.
    """
    for i in range(len(total)):
        row = total[i]  # stays in the fastest cache while all features are added
        for f in range(start, stop):
            value, others = left[f, i], right[f]
            for k in range(len(row)):
                row[k] += value * others[k]


# Votes of the nearest neighbours.


@subroutine
def _add_norms(norms: FloatArray, samples: FloatArray, start: int, stop: int) -> float:
    """Add the features from start to stop to the squared norms of samples; return the largest.

    `norms` has shape (n,), `samples` has shape (p, n), features in rows.
    """
    largest = 0.0
    for k in range(len(norms)):
        for f in range(start, stop):
            norms[k] += samples[f, k] * samples[f, k]
        largest = max(largest, norms[k])
    return largest


@subroutine
def _kth_smallest(distances: FloatArray, nearest: FloatArray) -> float:
    """Return the k-th smallest distance.

    Parameters
    ----------
    distances : ndarray of shape (n_train,)
        At least k distances.
    nearest : ndarray of shape (k,)
        Receives the k smallest, ascending.
    """
    last = len(nearest) - 1
    for t in range(len(nearest)):
        nearest[t] = np.inf
    for distance in distances:
        if distance < nearest[last]:
            t = last
            while t > 0 and nearest[t - 1] > distance:
                nearest[t] = nearest[t - 1]
                t -= 1
            nearest[t] = distance
    kth: float = nearest[last]
    return kth


@subroutine
def _count_votes(
    distances: FloatArray, classes: IntArray, low: float, high: float, k: int, votes: FloatArray
) -> bool:
    """Count the votes of the k nearest rows; return whether rows at equal distance decide.

    Parameters
    ----------
    distances, classes : ndarray of shape (n_train,)
        Squared distances and classes of the training part.
    low, high : float
        Distances between them, both included, count as equal to the k-th smallest.
    votes : ndarray of shape (n_classes,)
        Receives the votes; zeros before.
    """
    n_open, n_equal, equal_class, mixed = k, 0, -1, False
    for j in range(len(distances)):
        if distances[j] < low:
            votes[classes[j]] += 1.0
            n_open -= 1
        elif distances[j] <= high:
            mixed = mixed or (n_equal > 0 and classes[j] != equal_class)
            equal_class = classes[j]
            n_equal += 1
    if not mixed:
        votes[equal_class] += n_open
    elif n_equal == n_open:  # all of them vote
        for j in range(len(distances)):
            if low <= distances[j] <= high:
                votes[classes[j]] += 1.0
    return mixed and n_equal > n_open


@kernel
def count_nested_votes(
    train: FloatArray,
    test: FloatArray,
    classes: IntArray,
    counts: IntArray,
    k: int,
    votes: FloatArray,
    doubtful: BoolArray,
) -> None:
    """Count the votes of the k nearest neighbours of test samples in nested subsets of features.

    Parameters
    ----------
    train, test : ndarray of shapes (p, n_train) and (p, n_test)
        The samples, features in rows.
    classes : ndarray of shape (n_train,)
        The classes of the training part, at least k samples.
    counts : ndarray of shape (n_subsets,)
        How many of the first features each subset has, ascending.
    votes : ndarray of shape (n_subsets, n_test, n_classes)
        Receives the votes; zeros before.
    doubtful : ndarray of shape (n_subsets,)
        Set where samples at equal distance decide the votes of any test sample.
    """
    n_train, n_test = train.shape[1], test.shape[1]
    table, nearest = np.empty((n_test, n_train)), np.empty(k)
    train_norms, test_norms = np.empty(n_train), np.empty(n_test)
    for j in range(n_train):
        train_norms[j] = 0.0
    for i in range(n_test):
        test_norms[i] = 0.0
        for j in range(n_train):
            table[i, j] = 0.0
    for s in range(len(counts)):
        start, stop = counts[s - 1] if s > 0 else 0, counts[s]
        _add_squares(table, test, train, start, stop)
        largest_norm = _add_norms(train_norms, train, start, stop)
        _add_norms(test_norms, test, start, stop)
        # derived: a sum of p products is off by less than p EPS / 2 of the sum of their sizes, here
        # at most |x|² + 2|x||y| + |y|² <= 2(|x|² + |y|²); two are compared, and 2 is to spare
        share = 4.0 * EPS * (stop + 8)
        for i in range(n_test):
            border = _kth_smallest(table[i], nearest)
            error = share * (test_norms[i] + largest_norm)
            if _count_votes(table[i], classes, border - error, border + error, k, votes[s, i]):
                doubtful[s] = True


# Support vector machines.


class PairMachine(NamedTuple):
    """The SVM of two classes while it is solved; entries that are set aside are at the end.

    Attributes
    ----------
    gram : ndarray of shape (n, n)
        The kernel matrix.
    values : ndarray of shape (5, n)
        Rows `DIAGONAL`: that of the kernel matrix in double precision; `Y`: the class of each
        entry, 1 or -1; `ALPHA`: the dual; `G`: y times its gradient; `BOUND_G`: the part of it
        that entries at the upper bound contribute.
    moves : ndarray of shape (2, n)
        Rows `RISE` and `FALL`: whether y times alpha is below its largest value, and above its
        smallest.
    samples : ndarray of shape (n,)
        Which sample each entry is.
    """

    gram: NDArray[np.float32]
    values: FloatArray
    moves: BoolArray
    samples: IntArray


@subroutine
def _swap_entries(machine: PairMachine, i: int, j: int) -> None:
    """Swap two entries."""
    gram = machine.gram
    for k in range(len(gram)):
        gram[i, k], gram[j, k] = gram[j, k], gram[i, k]
    for k in range(len(gram)):
        gram[k, i], gram[k, j] = gram[k, j], gram[k, i]
    values, moves, samples = machine.values, machine.moves, machine.samples
    for row in range(len(values)):
        values[row, i], values[row, j] = values[row, j], values[row, i]
    for row in range(len(moves)):
        moves[row, i], moves[row, j] = moves[row, j], moves[row, i]
    samples[i], samples[j] = samples[j], samples[i]


@subroutine
def _choose_pair(machine: PairMachine, n_active: int, tol: float) -> tuple[int, int]:
    """Return the pair to move, or -1 twice if the violation is below the tolerance."""
    g, can_rise, can_fall = machine.values[G], machine.moves[RISE], machine.moves[FALL]
    diagonal = machine.values[DIAGONAL]
    i, lowest = -1, np.inf
    for t in range(n_active):
        if can_rise[t] and g[t] <= lowest:  # of equal entries the last, as in LIBSVM
            i, lowest = t, g[t]
    if i < 0:
        return -1, -1
    row = machine.gram[i]
    j, highest, best = -1, -np.inf, 0.0
    for t in range(n_active):
        if can_fall[t]:
            highest = max(highest, g[t])
            gap = g[t] - lowest
            if gap > 0.0:
                curvature = diagonal[i] + diagonal[t] - 2.0 * row[t]
                if not curvature > 0.0:
                    curvature = MIN_CURVATURE
                # most entries are sorted out without a division
                if gap * gap >= best * curvature * ALMOST_1:
                    decrease = gap * gap / curvature
                    if decrease >= best:
                        j, best = t, decrease
    if highest - lowest < tol or j < 0:
        return -1, -1
    return i, j


@subroutine
def _move_pair(machine: PairMachine, i: int, j: int, n_active: int, C: float) -> None:
    """Move a pair of entries to its optimum between 0 and C, and update the gradient."""
    alpha, y, g, gram = machine.values[ALPHA], machine.values[Y], machine.values[G], machine.gram
    curvature = machine.values[DIAGONAL, i] + machine.values[DIAGONAL, j] - 2.0 * gram[i, j]
    if not curvature > 0.0:
        curvature = MIN_CURVATURE
    old_i, old_j = alpha[i], alpha[j]
    step = y[i] * (g[j] - g[i]) / curvature
    alpha[i] += step
    if y[i] != y[j]:
        alpha[j] += step
        difference = old_i - old_j  # stays as it is
        if difference > 0.0:
            if alpha[j] < 0.0:
                alpha[i], alpha[j] = difference, 0.0
            if alpha[i] > C:
                alpha[i], alpha[j] = C, C - difference
        else:
            if alpha[i] < 0.0:
                alpha[i], alpha[j] = 0.0, -difference
            if alpha[j] > C:
                alpha[i], alpha[j] = C + difference, C
    else:
        alpha[j] -= step
        total = old_i + old_j  # stays as it is
        if total > C:
            if alpha[i] > C:
                alpha[i], alpha[j] = C, total - C
            if alpha[j] > C:
                alpha[i], alpha[j] = total - C, C
        else:
            if alpha[j] < 0.0:
                alpha[i], alpha[j] = total, 0.0
            if alpha[i] < 0.0:
                alpha[i], alpha[j] = 0.0, total
    first, second = gram[i], gram[j]
    first_change, second_change = y[i] * (alpha[i] - old_i), y[j] * (alpha[j] - old_j)
    for k in range(n_active):
        g[k] += first[k] * first_change + second[k] * second_change


@subroutine
def _update_bounds(machine: PairMachine, i: int, C: float) -> None:
    """Note whether an entry is at a bound, and what it contributes there."""
    y, bound_g = machine.values[Y], machine.values[BOUND_G]
    below = machine.moves[RISE] if y[i] > 0.0 else machine.moves[FALL]
    above = machine.moves[FALL] if y[i] > 0.0 else machine.moves[RISE]
    is_below = machine.values[ALPHA, i] < C
    above[i] = not is_below or machine.values[ALPHA, i] > 0.0
    if below[i] != is_below:
        below[i] = is_below
        share, row = y[i] * (-C if is_below else C), machine.gram[i]
        for k in range(len(bound_g)):
            bound_g[k] += share * row[k]


@subroutine
def _restore_gradient(machine: PairMachine, n_active: int) -> None:
    """Compute the gradient of the entries that are set aside."""
    g, can_rise, can_fall = machine.values[G], machine.moves[RISE], machine.moves[FALL]
    n = len(g)
    for k in range(n_active, n):
        g[k] = machine.values[BOUND_G, k] - machine.values[Y, k]
    if n_active < n:
        for i in range(n_active):
            if can_rise[i] and can_fall[i]:
                share, row = machine.values[Y, i] * machine.values[ALPHA, i], machine.gram[i]
                for k in range(n_active, n):
                    g[k] += share * row[k]


@subroutine
def _is_settled(machine: PairMachine, t: int, lowest: float, highest: float) -> bool:
    """Return whether an entry is at a bound that it is unlikely to leave."""
    g = float(machine.values[G, t])
    if not machine.moves[RISE, t]:
        return g < lowest
    return not machine.moves[FALL, t] and g > highest


@subroutine
def _set_aside(machine: PairMachine, n_active: int, near: float) -> tuple[int, float]:
    """Move entries that are unlikely to change to the end; return how many stay active.

    The first time that the violation is not above `near`, all entries are taken back before; the
    `near` that is returned is then one that no violation reaches.
    """
    g, can_rise, can_fall = machine.values[G], machine.moves[RISE], machine.moves[FALL]
    lowest, highest = np.inf, -np.inf
    for t in range(n_active):
        if can_rise[t]:
            lowest = min(lowest, g[t])
        if can_fall[t]:
            highest = max(highest, g[t])
    if highest - lowest <= near:
        near = -np.inf
        _restore_gradient(machine, n_active)
        n_active = len(g)
    for t in range(len(g)):
        if t >= n_active:
            break
        if _is_settled(machine, t, lowest, highest):
            n_active -= 1
            while n_active > t:
                if not _is_settled(machine, n_active, lowest, highest):
                    _swap_entries(machine, t, n_active)
                    break
                n_active -= 1
    return n_active, near


@subroutine
def _offset(machine: PairMachine) -> float:
    """Return what is subtracted from the decisions: the mean of g over entries off their bounds."""
    total, n_free, low, high = 0.0, 0, -np.inf, np.inf
    for t in range(len(machine.values[G])):
        if not machine.moves[RISE, t]:
            low = max(low, machine.values[G, t])
        elif not machine.moves[FALL, t]:
            high = min(high, machine.values[G, t])
        else:
            total += machine.values[G, t]
            n_free += 1
    return total / n_free if n_free > 0 else (low + high) / 2.0


@subroutine
def _solve(machine: PairMachine, C: float, tol: float) -> float:
    """Solve from alpha = 0; return the offset."""
    n = len(machine.values[G])
    n_active, n_steps = n, min(n, STEPS_PER_SHRINKING) + 1
    near = NEAR * tol
    while True:
        n_steps -= 1
        if n_steps == 0:
            n_steps = min(n, STEPS_PER_SHRINKING)
            n_active, near = _set_aside(machine, n_active, near)
        i, j = _choose_pair(machine, n_active, tol)
        if j < 0:
            _restore_gradient(machine, n_active)
            n_active = n
            i, j = _choose_pair(machine, n_active, tol)
            if j < 0:
                return _offset(machine)
            n_steps = 1  # before the next step, entries are set aside again
        _move_pair(machine, i, j, n_active, C)
        _update_bounds(machine, i, C)
        _update_bounds(machine, j, C)


@subroutine
def _fill_rbf(
    gram: NDArray[np.float32], products: FloatArray, samples: IntArray, gamma: float
) -> None:
    """Fill the matrix of an RBF kernel, ``exp(-gamma |x - y|²)``.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Receives the kernel.
    products : ndarray of shape (n_train, n_train)
        Inner products of the samples.
    samples : ndarray of shape (n,)
        Which samples the entries are.
    """
    for a in range(len(samples)):
        i = samples[a]
        for b in range(a + 1):
            k = samples[b]
            square = products[i, i] + products[k, k] - 2.0 * products[i, k]
            gram[a, b] = gram[b, a] = np.exp(-gamma * square)


@subroutine
def _make_machine(
    products: FloatArray, gamma: float, first: int, n_first: int, second: int, n_second: int
) -> PairMachine:
    """Return the unsolved SVM of two classes of `n_first` and `n_second` samples.

    Parameters
    ----------
    products : ndarray of shape (n_train, n_train)
        Inner products of the samples, those of the first class from `first` on, of the second
        class from `second` on.
    """
    n = n_first + n_second
    machine = PairMachine(
        np.empty((n, n), np.float32),
        np.empty((5, n)),
        np.empty((2, n), np.bool_),
        np.empty(n, np.int64),
    )
    gram, values, moves = machine.gram, machine.values, machine.moves
    for a in range(n):
        is_first = a < n_first
        i = first + a if is_first else second + a - n_first
        machine.samples[a] = i
        values[DIAGONAL, a] = products[i, i] if gamma == LINEAR else 1.0
        values[Y, a] = 1.0 if is_first else -1.0
        values[ALPHA, a], values[G, a], values[BOUND_G, a] = 0.0, -values[Y, a], 0.0
        moves[RISE, a], moves[FALL, a] = is_first, not is_first
        if gamma == LINEAR:
            row, source = gram[a], products[i]
            for b in range(n_first):
                row[b] = source[first + b]
            for b in range(n_second):
                row[n_first + b] = source[second + b]
    if gamma != LINEAR:
        _fill_rbf(gram, products, machine.samples, gamma)
    return machine


@kernel
def nested_decisions(
    train: FloatArray,
    test: FloatArray,
    bounds: IntArray,
    counts: IntArray,
    C: float,
    tol: float,
    gammas: FloatArray,
    decisions: FloatArray,
) -> None:
    """Decide between each pair of classes for test samples, in nested subsets of features.

    Parameters
    ----------
    train, test : ndarray of shapes (p, n_train) and (p, n_test)
        The samples, features in rows; those of the training part in the order of their classes.
    bounds : ndarray of shape (c + 1,)
        Class k has the training samples from ``bounds[k]`` to ``bounds[k + 1]``, at least one.
    counts : ndarray of shape (n_subsets,)
        How many of the first features each subset has, ascending.
    gammas : ndarray of shape (n_subsets,)
        Gamma of each subset's RBF kernel, or `LINEAR`.
    decisions : ndarray of shape (n_subsets, n_pairs, n_test)
        Receives the decisions; those above 0 are votes for the first class of the pair.
    """
    n_train, n_test, n_classes = train.shape[1], test.shape[1], len(bounds) - 1
    products, cross = np.empty((n_train, n_train)), np.empty((n_train, n_test))
    for i in range(n_train):
        for j in range(n_train):
            products[i, j] = 0.0
        for j in range(n_test):
            cross[i, j] = 0.0
    for s in range(len(counts)):
        start, stop = counts[s - 1] if s > 0 else 0, counts[s]
        _add_products(products, train, train, start, stop)
        if gammas[s] == LINEAR:
            _add_products(cross, train, test, start, stop)
        else:
            _add_squares(cross, train, test, start, stop)
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                machine = _make_machine(
                    products, gammas[s], bounds[i], bounds[i + 1] - bounds[i], bounds[j],
                    bounds[j + 1] - bounds[j],
                )  # fmt: skip
                offset = _solve(machine, C, tol)
                _add_decisions(machine, offset, cross, gammas[s], decisions[s, pair])
                pair += 1


@subroutine
def _add_decisions(
    machine: PairMachine, offset: float, cross: FloatArray, gamma: float, decisions: FloatArray
) -> None:
    """Compute the decisions of a solved SVM.

    Parameters
    ----------
    cross : ndarray of shape (n_train, n_test)
        Inner products with the test samples, or squared distances for RBF.
    decisions : ndarray of shape (n_test,)
        Receives the decisions.
    """
    for k in range(len(decisions)):
        decisions[k] = 0.0
    for t in range(len(machine.values[ALPHA])):
        if machine.values[ALPHA, t] > 0.0:
            share, row = machine.values[Y, t] * machine.values[ALPHA, t], cross[machine.samples[t]]
            for k in range(len(row)):
                value = row[k] if gamma == LINEAR else np.exp(-gamma * row[k])
                decisions[k] += share * value
    for k in range(len(decisions)):
        decisions[k] -= offset
