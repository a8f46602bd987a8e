"""Impurity importance of the features in a random forest of classification trees.

**Method.** Each tree is grown on a bootstrap sample, drawn as weights of the samples. A node tries
features in random order, up to a number, and goes on until one of them varies; it splits where the
sum over both sides of (sum of squared class weights / weight) is largest, which is where the Gini
impurity falls most. Nodes are split until they are pure or too small. The importance of a feature
is the sum of the decreases of impurity by splits on it, as a share of the tree's total; the
forest's is the mean over the trees that split at all.

Each feature is sorted once for all resamples of a data set. A large node reads its samples from
that order; a small one sorts them. A shuffled copy of a feature needs no sort: a permutation of the
samples moves its values and its order alike.

**Reference.** [Breiman2001]_ for the forest; [Breiman1984]_ for Gini splits; [Kursa2010]_ for
shuffled copies.

**Deviations.** None from scikit-learn's ``feature_importances_`` but the random numbers, and that
thresholds separate the exact values: scikit-learn treats values as equal that differ by up to 1e-7.

**Rounding.** Class weights are whole numbers, so their sums and squares are exact below 2^53; each
decrease is rounded by a few units in the last place.
"""

from __future__ import annotations

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._kernels.shuffling import shuffle_front
from holdfast._typing import FloatArray, IntArray

# a node of fewer than a share 1 / SORTED_SHARE of the samples is sorted; chosen: insertion sort of
# m values takes about m / 4 steps for each, reading the order one step for each sample
SORTED_SHARE = 8


@kernel
def restrict_order(order: IntArray, rows: IntArray) -> IntArray:
    """Positions of a resample in the order of the values of each feature, of shape (p, n).

    Parameters
    ----------
    order : ndarray of shape (p, n_samples)
        The samples of the data in the order of each feature.
    rows : ndarray of shape (n,)
        The rows of the resample; a row may occur several times.
    """
    p, n_samples = order.shape
    n = len(rows)
    first, following = np.full(n_samples, -1, np.int64), np.full(n, -1, np.int64)
    for position in range(n - 1, -1, -1):  # copies of a row form a chain
        following[position] = first[rows[position]]
        first[rows[position]] = position
    out = np.empty((p, n), np.int64)
    for f in range(p):
        at = 0
        for i in range(n_samples):
            position = first[order[f, i]]
            while position >= 0:
                out[f, at] = position
                at += 1
                position = following[position]
    return out


@kernel
def shuffle_features(
    X: FloatArray, order: IntArray, generator: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Shuffled copies of all features, each by its own permutation, and their orders.

    Parameters
    ----------
    X, order : ndarray of shape (p, n)
        The values, features in rows, and the samples in the order of each feature.
    """
    p, n = X.shape
    values, orders = np.empty((p, n)), np.empty((p, n), np.int64)
    deck = np.arange(n)
    for f in range(p):
        shuffle_front(deck, n, generator)
        for i in range(n):
            values[f, deck[i]] = X[f, i]
            orders[f, i] = deck[order[f, i]]
    return values, orders


@subroutine
def _sort_node(
    x: FloatArray, order: IntArray, members: IntArray, marks: IntArray, mark: int, out: IntArray
) -> None:
    """Write the samples of a node to `out` in the order of a feature.

    Parameters
    ----------
    x, order : ndarray of shape (n,)
        The values of the feature, and all samples in their order.
    members : ndarray of shape (m,)
        The samples of the node.
    out : ndarray of shape (n + 1,)
        Receives them, and scratch.
    marks : ndarray of shape (n,)
        Equal to `mark` for the samples of the node.
    """
    m, n = len(members), len(order)
    if m * SORTED_SHARE > n:
        at = 0
        for k in range(n):
            # no branch, as no processor can predict it: the next sample overwrites one of others
            out[at] = order[k]
            at += marks[order[k]] == mark
        return
    for k in range(m):
        i, at = members[k], k
        while at > 0 and x[out[at - 1]] > x[i]:
            out[at] = out[at - 1]
            at -= 1
        out[at] = i


@subroutine
def _best_cut(
    x: FloatArray, samples: IntArray, classes: IntArray, weights: FloatArray, totals: FloatArray
) -> tuple[float, float]:
    """Return the largest sum over both sides of squares / weight, and the value to cut after.

    Parameters
    ----------
    x, classes, weights : ndarray of shape (n,)
        The values of the feature, the classes and the weights of all samples.
    samples : ndarray of shape (m,)
        The samples of the node in the order of the feature.
    totals : ndarray of shape (c,)
        The weight of each class in the node.
    """
    left, right = np.zeros(len(totals)), totals.copy()
    left_weight, right_weight = 0.0, totals.sum()
    left_squares, right_squares = 0.0, (totals * totals).sum()
    best, cut = -1.0, 0.0
    for k in range(len(samples) - 1):
        i = samples[k]
        c, w = classes[i], weights[i]
        # (a + w)^2 = a^2 + w (2 a + w)
        left_squares += w * (2.0 * left[c] + w)
        right_squares -= w * (2.0 * right[c] - w)
        left[c] += w
        right[c] -= w
        left_weight += w
        right_weight -= w
        if x[i] < x[samples[k + 1]]:
            gain = left_squares / left_weight + right_squares / right_weight
            if gain > best:
                best, cut = gain, x[i]
    return best, cut


@kernel
def tree_decreases(
    X: FloatArray,
    order: IntArray,
    classes: IntArray,
    weights: FloatArray,
    n_classes: int,
    n_tried: int,
    least_split: int,
    max_depth: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Decreases of impurity by the splits of one tree, summed by feature.

    Parameters
    ----------
    X, order : ndarray of shape (p, n)
        The values, features in rows, and the samples in the order of each feature.
    classes, weights : ndarray of shape (n,)
        The class and the whole-numbered weight of each sample; 0 leaves a sample out.
    n_tried : int
        Features that each node tries, if one of them varies.
    least_split : int
        Smallest number of samples of a node that is split, at least 2.
    max_depth : int
        Nodes that are as deep as this are not split; -1 for no limit.
    """
    p, n = X.shape
    decreases, deck = np.zeros(p), np.arange(p)
    members = np.flatnonzero(weights > 0.0)
    samples, part = np.empty(n + 1, np.int64), np.empty(len(members), np.int64)
    marks, mark = np.zeros(n, np.int64), 0
    starts, stops = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    depths = np.zeros(n + 1, np.int64)
    starts[0], stops[0], n_open = 0, len(members), 1
    while n_open > 0:
        n_open -= 1
        start, stop, depth = starts[n_open], stops[n_open], depths[n_open]
        node = members[start:stop]
        m = stop - start
        totals = np.zeros(n_classes)
        mark += 1
        for i in node:
            totals[classes[i]] += weights[i]
            marks[i] = mark
        weight, squares = totals.sum(), (totals * totals).sum()
        if m < least_split or squares == weight * weight or depth == max_depth:
            continue
        best, best_feature, best_cut = -1.0, -1, 0.0
        for tried in range(p):
            if tried >= n_tried and best_feature >= 0:
                break
            shuffle_front(deck[tried:], 1, generator)
            f = deck[tried]
            _sort_node(X[f], order[f], node, marks, mark, samples)
            gain, cut = _best_cut(X[f], samples[:m], classes, weights, totals)
            if gain > best:
                best, best_feature, best_cut = gain, f, cut
        if best_feature < 0:  # all features are constant in the node
            continue
        decreases[best_feature] += best - squares / weight
        # the left part moves to the front; both parts keep their order
        at, right = start, 0
        for k in range(start, stop):
            i = members[k]
            if X[best_feature, i] <= best_cut:
                members[at] = i
                at += 1
            else:
                part[right] = i
                right += 1
        members[at:stop] = part[:right]
        starts[n_open], stops[n_open] = at, stop
        starts[n_open + 1], stops[n_open + 1] = start, at
        depths[n_open : n_open + 2] = depth + 1
        n_open += 2
    return decreases


@kernel
def forest_importances(
    X: FloatArray,
    order: IntArray,
    classes: IntArray,
    n_classes: int,
    n_trees: int,
    n_tried: int,
    max_depth: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Importances of all features, of shape (p,), with sum 1, or 0 if no tree splits.

    Parameters
    ----------
    X, order : ndarray of shape (p, n)
        As for `tree_decreases`.
    classes : ndarray of shape (n,)
        The class of each sample.
    max_depth : int
        As for `tree_decreases`.
    """
    p, n = X.shape
    importances = np.zeros(p)
    for _ in range(n_trees):
        weights = np.zeros(n)
        for _draw in range(n):
            weights[int(generator.random() * n)] += 1.0
        decreases = tree_decreases(
            X, order, classes, weights, n_classes, n_tried, 2, max_depth, generator
        )
        total = decreases.sum()
        if total > 0.0:
            importances += decreases / total
    total = importances.sum()
    if total > 0.0:
        importances /= total
    return importances
