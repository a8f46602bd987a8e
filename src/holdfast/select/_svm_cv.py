"""The price C of a linear SVM, chosen by cross-validation on all features."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels.svm import offset
from holdfast.select._svm import Samples, gram_of, solved

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.select._selector import Array

GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5


def _folds(classes: NDArray[np.intp], generator: np.random.Generator) -> NDArray[np.intp]:
    """Deal the samples of each class out to folds, at random."""
    order = generator.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(len(classes), dtype=np.intp)
    fold[order] = np.arange(len(classes)) % min(FOLDS, len(classes))
    return fold


def tuned(samples: Samples, scale: str | None, tol: float, generator: np.random.Generator) -> float:
    """Return the C of the grid that predicts best in cross-validation, the smallest of equals."""
    fold = _folds(samples.classes, generator)
    hits = sum(_hits(samples, fold == left_out, scale, tol) for left_out in np.unique(fold))
    return GRID[int(np.argmax(hits))]


def _hits(samples: Samples, tested: NDArray[np.bool_], scale: str | None, tol: float) -> Array:
    """Count the tested samples that are predicted rightly, for each C of the grid."""
    train = np.flatnonzero(~tested)
    gram = gram_of(replace(samples, counts=np.where(tested, 0.0, samples.counts)), scale)
    within, across = gram[np.ix_(train, train)], gram[np.ix_(tested, train)]
    decisions = np.stack(
        [
            _decisions(within, across, signs[train], samples.counts[train], tol)
            for signs in samples.signs()
        ],
        axis=2,
    )
    if decisions.shape[2] == 1:
        predicted = (decisions[:, :, 0] > 0).astype(np.intp)
    else:
        predicted = decisions.argmax(axis=2)
    right = predicted == samples.classes[tested]
    return np.asarray(right @ samples.counts[tested])


def _decisions(within: Array, across: Array, signs: Array, counts: Array, tol: float) -> Array:
    """Return the decision values of other samples, one row for each C of the grid."""
    dual, rows = np.zeros_like(signs), []
    for C in GRID:  # a solution for one C is a feasible start for the next larger one
        solved(within, signs, C * counts, dual, tol)
        rows.append(across @ dual + offset(within, signs, C * counts, dual))
    return np.array(rows)
