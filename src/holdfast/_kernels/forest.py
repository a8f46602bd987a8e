"""Permutation importance of the features of one decision tree.

**Method.** The importance of a feature is the decrease of the tree's accuracy on its out-of-bag
rows when the values of the feature are permuted among these rows. Only rows whose path down the
tree uses the feature can change their prediction, so only they are predicted again. A uniform
permutation restricted to these rows is a uniform sequence of different donor rows, so no more than
that is drawn.

**Reference.** [Breiman2001]_, Section 10.

**Deviations.** The decrease is that of one tree, as a share of its out-of-bag rows; Breiman reports
the increase of the forest's out-of-bag error. It is not divided by its standard error. The mean
over trees is taken by the caller.

**Rounding.** Values are compared in single precision with thresholds in double precision, as in
scikit-learn's trees, so that predictions are the same. Decreases are integers divided once.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._kernels.shuffling import shuffle_front
from holdfast._typing import FloatArray, IntArray

Float32Array: TypeAlias = NDArray[np.float32]


class Tree(NamedTuple):
    """A decision tree, one entry per node: rows with a value up to the threshold go left.

    Attributes
    ----------
    left, right : ndarray of shape (n_nodes,)
        The children; -1 in leaves.
    feature : ndarray of shape (n_nodes,)
        The feature that is compared; -1 in leaves.
    threshold : ndarray of shape (n_nodes,)
        What it is compared with; without meaning in leaves.
    predicted : ndarray of shape (n_nodes,)
        The class predicted by a node.
    """

    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: FloatArray
    predicted: IntArray


@subroutine
def _predict_row(tree: Tree, row: Float32Array, replaced: int, value: np.float32) -> int:
    """Class that a tree predicts for one row with the value of one feature replaced.

    `row` of shape (k,) holds the features that the tree uses; `replaced` is k to replace none.
    """
    node = 0
    while tree.left[node] >= 0:
        f = tree.feature[node]
        x = value if f == replaced else row[f]
        node = tree.left[node] if x <= tree.threshold[node] else tree.right[node]
    predicted: int = tree.predicted[node]
    return predicted


@kernel
def predict_rows(tree: Tree, values: Float32Array) -> IntArray:
    """Class that a tree predicts for each row; `values` has shape (n, k)."""
    classes = np.empty(len(values), np.int64)
    for i in range(len(values)):
        classes[i] = _predict_row(tree, values[i], values.shape[1], np.float32(0))
    return classes


@kernel
def rows_by_feature(tree: Tree, values: Float32Array) -> tuple[IntArray, IntArray]:
    """List the rows whose path down the tree uses a feature, by feature.

    Parameters
    ----------
    values : ndarray of shape (n, k)
        The features that the tree uses.

    Returns
    -------
    bounds : ndarray of shape (k + 1,)
        Where the rows of each feature begin.
    rows : ndarray of shape (bounds[-1],)
        The rows, ascending within a feature.
    """
    n, k = values.shape
    # counts go two places up, so that after the sum bounds[f + 1]
    # is where feature f begins; filling moves it on to where f ends
    bounds, last = np.empty(k + 2, np.int64), np.empty(k, np.int64)
    for f in range(k + 2):
        bounds[f] = 0
    rows = np.empty(0, np.int64)
    for fill in range(2):  # count first: memory grows with the paths, never with n x k
        if fill:
            for f in range(k + 1):
                bounds[f + 1] += bounds[f]
            rows = np.empty(bounds[k + 1], np.int64)
        for f in range(k):
            last[f] = -1
        for i in range(n):
            node = 0
            while tree.left[node] >= 0:
                f = tree.feature[node]
                if last[f] != i:  # a path may use a feature twice
                    last[f] = i
                    if fill:
                        rows[bounds[f + 1]] = i
                        bounds[f + 1] += 1
                    else:
                        bounds[f + 2] += 1
                goes_left = values[i, f] <= tree.threshold[node]
                node = tree.left[node] if goes_left else tree.right[node]
    return bounds[:-1], rows


@kernel
def accuracy_decreases(
    tree: Tree,
    values: Float32Array,
    classes: IntArray,
    repeats: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Decrease of a tree's accuracy when a feature is permuted, by feature, mean over repeats.

    Parameters
    ----------
    values : ndarray of shape (n, k)
        The out-of-bag rows; only the features that the tree uses.
    classes : ndarray of shape (n,)
        The class of each row.
    """
    n, k = values.shape
    before = predict_rows(tree, values)
    bounds, rows = rows_by_feature(tree, values)
    deck, decreases = np.empty(n, np.int64), np.empty(k)
    for i in range(n):
        deck[i] = i
    for f in range(k):
        affected = rows[bounds[f] : bounds[f + 1]]
        lost = 0
        for _ in range(repeats):
            # the deck is not reset: a shuffle of any order is uniform
            shuffle_front(deck, len(affected), generator)
            for position in range(len(affected)):
                i = affected[position]
                after = _predict_row(tree, values[i], f, values[deck[position], f])
                # a prediction that becomes right counts as a negative loss, so noise averages to 0
                lost += before[i] == classes[i]
                lost -= after == classes[i]
        decreases[f] = lost / (n * repeats)
    return decreases
