"""What a decision tree loses in accuracy when the values of one feature are permuted.

Only rows whose way down the tree asks for a feature can change when it is permuted; the others
are not walked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]


class Tree(NamedTuple):
    """A decision tree, one entry a node: rows at most the threshold go left.

    Attributes
    ----------
    left, right : ndarray
        The children; -1 in leaves.
    feature, threshold : ndarray
        What is asked; of no meaning in leaves.
    winner : ndarray
        The class predicted.
    """

    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats
    winner: Ints


@kernel
def _winner(tree: Tree, row: Singles, replaced: int, value: np.float32) -> int:
    """Class that a tree predicts for one row with the value of one feature replaced."""
    node = 0
    while tree.left[node] >= 0:
        f = tree.feature[node]
        x = value if f == replaced else row[f]
        node = tree.left[node] if x <= tree.threshold[node] else tree.right[node]
    winner: int = tree.winner[node]
    return winner


@kernel
def predictions(tree: Tree, values: Singles) -> Ints:
    """Class that a tree predicts for each row."""
    classes = np.empty(len(values), np.int64)
    for i in range(len(values)):
        classes[i] = _winner(tree, values[i], -1, np.float32(0))
    return classes


@kernel
def rows_by_feature(tree: Tree, values: Singles) -> tuple[Ints, Ints]:
    """Rows whose way down asks for a feature: bounds by feature, and rows in ascending order."""
    n, k = values.shape
    bounds = np.zeros(k + 2, np.int64)
    rows = np.empty(0, np.int64)
    for fill in range(2):  # count first: memory is what the ways need, never n x k
        if fill:
            bounds = np.cumsum(bounds)
            rows = np.empty(bounds[-1], np.int64)
        last = np.full(k, -1)
        for i in range(n):
            node = 0
            while tree.left[node] >= 0:
                f = tree.feature[node]
                if last[f] != i:  # a way may ask for a feature twice
                    last[f] = i
                    if fill:
                        rows[bounds[f + 1]] = i
                        bounds[f + 1] += 1
                    else:
                        bounds[f + 2] += 1
                low = values[i, f] <= tree.threshold[node]
                node = tree.left[node] if low else tree.right[node]
    return bounds[:-1], rows


@kernel
def _shuffle_start(deck: Ints, count: int, generator: np.random.Generator) -> None:
    """Bring a random sequence of `count` different entries to the front of the deck."""
    for i in range(count):
        j = i + int(generator.random() * (len(deck) - i))
        deck[i], deck[j] = deck[j], deck[i]


@kernel
def accuracy_decreases(
    tree: Tree, values: Singles, classes: Ints, repeats: int, generator: np.random.Generator
) -> Floats:
    """Decrease of a tree's accuracy when a feature is permuted, by feature, mean over repeats.

    A uniform permutation seen from some of the rows only is a uniform sequence of different
    donors for them, so no more than that is drawn.
    """
    n, k = values.shape
    before = predictions(tree, values)
    bounds, rows = rows_by_feature(tree, values)
    deck = np.arange(n)
    decreases = np.zeros(k)
    for f in range(k):
        own = rows[bounds[f] : bounds[f + 1]]
        lost = 0
        for _ in range(repeats):
            _shuffle_start(deck, len(own), generator)
            for position in range(len(own)):
                i = own[position]
                after = _winner(tree, values[i], f, values[deck[position], f])
                lost += int(before[i] == classes[i]) - int(after == classes[i])
        decreases[f] = lost / (n * repeats)
    return decreases
