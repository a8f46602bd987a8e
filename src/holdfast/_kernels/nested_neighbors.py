"""Votes of the nearest neighbours in nested subsets of features: the first, the first few, more.

**Method.** The subsets are the first features of one ranking. Squared distances are sums over
features, so a subset takes those of the smaller one and adds the features that it lacks. The votes
are those of the k nearest rows of the training part.

**Reference.** [Cover1967]_.

**Deviations.** scikit-learn takes |x|² - 2xy + |y|² for distances in many features, and a tree in
few; which of several rows at equal distance it takes depends on either. Where such a choice would
change the votes, the subset is reported as doubtful, and the caller asks scikit-learn.

**Rounding.** Distances closer to the k-th than rounding errors can be, here or in scikit-learn,
count as equal. All other votes are exact, so they are those of scikit-learn.
"""

from __future__ import annotations

import numpy as np

from holdfast._kernels import kernel
from holdfast._typing import BoolArray, FloatArray, IntArray

EPS = float(np.finfo(np.float64).eps)


@kernel
def add_squares(total: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Add the squared differences of two sets of samples.

    Parameters
    ----------
    total : ndarray of shape (m, n)
        Squared distances, changed in place.
    left, right : ndarray of shapes (p, m) and (p, n)
        The samples, features in rows.
    """
    for i in range(len(total)):
        row = total[i]  # stays in the fastest cache while all features are added
        for f in range(len(left)):
            value, others = left[f, i], right[f]
            for k in range(len(row)):
                gap = value - others[k]
                row[k] += gap * gap


@kernel
def _add_norms(norms: FloatArray, samples: FloatArray) -> float:
    """Add features to the squared norms of samples; return the largest norm.

    `norms` has shape (n,), `samples` has shape (p, n), features in rows.
    """
    largest = 0.0
    for k in range(len(norms)):
        for f in range(len(samples)):
            norms[k] += samples[f, k] * samples[f, k]
        largest = max(largest, norms[k])
    return largest


@kernel
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
    nearest[:] = np.inf
    for distance in distances:
        if distance < nearest[last]:
            t = last
            while t > 0 and nearest[t - 1] > distance:
                nearest[t] = nearest[t - 1]
                t -= 1
            nearest[t] = distance
    kth: float = nearest[last]
    return kth


@kernel
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
    table, nearest = np.zeros((n_test, n_train)), np.empty(k)
    train_norms, test_norms = np.zeros(n_train), np.zeros(n_test)
    start = 0
    for s in range(len(counts)):
        more_train, more_test = train[start : counts[s]], test[start : counts[s]]
        add_squares(table, more_test, more_train)
        largest_norm = _add_norms(train_norms, more_train)
        _add_norms(test_norms, more_test)
        start = counts[s]
        # derived: a sum of p products is off by less than p EPS / 2 of the sum of their sizes, here
        # at most |x|² + 2|x||y| + |y|² <= 2(|x|² + |y|²); two are compared, and 2 is to spare
        share = 4.0 * EPS * (counts[s] + 8)
        for i in range(n_test):
            border = _kth_smallest(table[i], nearest)
            error = share * (test_norms[i] + largest_norm)
            if _count_votes(table[i], classes, border - error, border + error, k, votes[s, i]):
                doubtful[s] = True
