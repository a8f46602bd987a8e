"""Decrease of Gini impurity by the splits of a random forest.

**Method.** Trees are grown on bootstrap samples. A node tries a random set of features, and splits
by the one with the largest decrease of the weighted Gini impurity; with N rows in a node, N_L and
N_R on its sides and n_k of class k, this is the largest

    sum n_Lk² / N_L + sum n_Rk² / N_R - sum n_k² / N.

Columns are sorted once for all trees: `order` has the rows by ascending value, `group` the number
of the distinct value at each place. A node walks along the sorted column of a feature and picks its
rows, so nothing is sorted in a tree; sums of squares change by one class at a time. A shuffled copy
of a feature has the same values at the same places, and a random permutation of the rows.

The importance of a feature is the sum of the decreases of its splits, divided by the sum over all
features, averaged over the trees.

**Reference.** [Breiman2001]_ for the forest; [Kursa2010]_ for shuffled copies.

**Deviations.** As in scikit-learn, features are drawn until at least one is not constant in the
node; nodes are split to purity or to the depth given. Values are compared in double precision, not
in single precision. Trees without a split are left out of the mean.

**Rounding.** Sums of squares are integers, exact below 2^53; a decrease rounds a few times. Of
equally large decreases the one drawn first wins.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel
from holdfast._kernels.shuffling import shuffle_front
from holdfast._typing import FloatArray, IntArray

Int32Array: TypeAlias = NDArray[np.int32]


@kernel
def number_distinct_values(values: FloatArray, order: Int32Array, group: Int32Array) -> None:
    """Number the distinct values of each sorted column from 0.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        The data.
    order : ndarray of shape (p, n)
        The rows of each column in ascending order of values.
    group : ndarray of shape (p, n)
        Receives the number of the value at each place.
    """
    for f in range(len(order)):
        group[f, 0] = 0
        for i in range(1, order.shape[1]):
            step = values[order[f, i], f] != values[order[f, i - 1], f]
            group[f, i] = group[f, i - 1] + step


@kernel
def shuffle_orders(order: Int32Array, generator: np.random.Generator) -> Int32Array:
    """Return the sorted orders of shuffled copies of columns, each by its own permutation.

    Parameters
    ----------
    order : ndarray of shape (p, n)
        The rows of each column in ascending order of values.
    """
    p, n = order.shape
    shuffled = np.empty((p, n), np.int32)
    deck = np.arange(n)
    for f in range(p):
        shuffle_front(deck, n, generator)
        for i in range(n):
            shuffled[f, i] = deck[order[f, i]]
    return shuffled


@kernel
def _split_column(
    order: Int32Array,
    group: Int32Array,
    inside: IntArray,
    codes: IntArray,
    totals: IntArray,
    n_inside: int,
    rows: Int32Array,
    groups: Int32Array,
    left: IntArray,
    right: IntArray,
) -> tuple[float, int]:
    """Find the best split of a node by one column: its quality, and the last group on the left.

    The quality is that of the module without the last term; -1 for a constant column.

    Parameters
    ----------
    order, group : ndarray of shape (n,)
        The sorted column, as in `grow_forest`.
    inside : ndarray of shape (n,)
        How often the node holds each row.
    codes : ndarray of shape (n,)
        The class of each row.
    totals : ndarray of shape (c,)
        Rows of each class in the node.
    rows, groups : ndarray of shape (n + 1,)
        Scratch.
    left, right : ndarray of shape (c,)
        Scratch.
    """
    m = 0
    for i in range(len(order)):
        # no branch: a row outside the node is overwritten by the next
        row = order[i]
        rows[m], groups[m] = row, group[i]
        m += inside[row] > 0
    if groups[0] == groups[m - 1]:
        return -1.0, -1
    left[:] = 0
    right[:] = totals
    left_squares, right_squares, n_left, n_right = 0, 0, 0, n_inside
    for k in range(len(totals)):
        right_squares += totals[k] * totals[k]
    best, cut = -1.0, -1
    for i in range(m - 1):
        row = rows[i]
        k, w = codes[row], inside[row]
        # (a + w)² = a² + w (2 a + w)
        left_squares += w * (2 * left[k] + w)
        right_squares -= w * (2 * right[k] - w)
        left[k] += w
        right[k] -= w
        n_left += w
        n_right -= w
        if groups[i + 1] != groups[i]:
            quality = left_squares / n_left + right_squares / n_right
            if quality > best:
                best, cut = quality, groups[i]
    return best, cut


@kernel
def _grow_tree(
    order: Int32Array,
    group: Int32Array,
    codes: IntArray,
    bag: IntArray,
    n_classes: int,
    n_tried: int,
    max_depth: int,
    deck: IntArray,
    decreases: FloatArray,
    generator: np.random.Generator,
) -> None:
    """Grow one tree, and add the decrease of impurity by its splits for each feature.

    Parameters
    ----------
    order, group : ndarray of shape (p, n)
        The sorted columns, as in `grow_forest`.
    codes, bag : ndarray of shape (n,)
        The class of each row, and how often the tree holds it.
    deck : ndarray of shape (p,)
        The features in any order; reordered.
    decreases : ndarray of shape (p,)
        Added to in place.
    """
    p, n = order.shape
    node_of = np.zeros(n, np.int64)
    nodes, depths = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    inside, totals = np.empty(n, np.int64), np.empty(n_classes, np.int64)
    rows, groups = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    n_open, n_nodes = 1, 1
    while n_open > 0:
        n_open -= 1
        node, depth = nodes[n_open], depths[n_open]
        totals[:] = 0
        for i in range(n):
            inside[i] = bag[i] if node_of[i] == node else 0
            totals[codes[i]] += inside[i]
        n_inside, squares = 0, 0
        for k in range(n_classes):
            n_inside += totals[k]
            squares += totals[k] * totals[k]
        if squares == n_inside * n_inside or depth == max_depth:
            continue
        best, cut, chosen, tried = -1.0, -1, -1, 0
        while tried < p and (tried < n_tried or chosen < 0):
            j = tried + int(generator.random() * (p - tried))
            deck[tried], deck[j] = deck[j], deck[tried]
            f = deck[tried]
            tried += 1
            quality, place = _split_column(
                order[f],
                group[f],
                inside,
                codes,
                totals,
                n_inside,
                rows,
                groups,
                left,
                right,
            )
            if quality > best:
                best, cut, chosen = quality, place, f
        if chosen < 0:
            continue
        decreases[chosen] += best - squares / n_inside
        for i in range(n):
            row = order[chosen, i]
            if inside[row] > 0:
                node_of[row] = n_nodes + (group[chosen, i] > cut)
        for side in range(2):
            nodes[n_open], depths[n_open] = n_nodes + side, depth + 1
            n_open += 1
        n_nodes += 2


@kernel
def grow_forest(
    order: Int32Array,
    group: Int32Array,
    codes: IntArray,
    n_classes: int,
    n_trees: int,
    n_tried: int,
    max_depth: int,
    bootstrap: bool,
    generator: np.random.Generator,
) -> FloatArray:
    """Grow a forest and return the importance of each feature.

    Parameters
    ----------
    order : ndarray of shape (p, n)
        The rows of each column in ascending order of values.
    group : ndarray of shape (p, n)
        The number of the distinct value at each place.
    codes : ndarray of shape (n,)
        The class of each row.
    n_tried : int
        How many features a node tries.
    max_depth : int
        Nodes of this depth are not split; -1 for no limit.
    bootstrap : bool
        Whether each tree draws rows; if not, each holds all of them.
    """
    p, n = order.shape
    deck = np.arange(p)
    bag = np.ones(n, np.int64)
    importances, decreases = np.zeros(p), np.zeros(p)
    grown = 0
    for _ in range(n_trees):
        if bootstrap:
            bag[:] = 0
            for _ in range(n):
                bag[int(generator.random() * n)] += 1
        decreases[:] = 0.0
        _grow_tree(
            order,
            group,
            codes,
            bag,
            n_classes,
            n_tried,
            max_depth,
            deck,
            decreases,
            generator,
        )
        total = decreases.sum()
        if total > 0:
            grown += 1
            importances += decreases / total
    return importances / max(grown, 1)
