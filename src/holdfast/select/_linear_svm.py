"""Linear SVM weights, and the SVM functions that SVM-RFE shares."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from holdfast._formatting import did_you_mean
from holdfast._kernels.svm import offset, solve
from holdfast._kernels.svm_elimination import (
    CENTRE,
    MINMAX,
    STANDARD,
    first_equal_rows,
    row_keys,
    scale_columns,
    weights,
)
from holdfast._memory import check_memory
from holdfast._random import RandomState
from holdfast._typing import AnyArray, BoolArray, FloatArray, IndexArray, RowLists
from holdfast._validation import check_positive_number
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import renumber_classes
from holdfast.select._svm_many_samples import solve_many_samples

SCALES = {"minmax": MINMAX, "standard": STANDARD, None: CENTRE}
MAX_BLOCK_VALUES = 2**22
"""Values that are scaled at a time (32 MB): bounds the memory."""
MIN_MANY_SAMPLES, MIN_SAMPLES_PER_FEATURE = 800, 4
"""From this many distinct samples, and samples per feature, SVMs are solved without a Gram matrix;
calibrated by ``python -m benchmarks.calibration.svm_solvers``."""
MAX_GRAM_SAMPLES = 5_000
"""An SVM without a Gram matrix that is not solved to the tolerance is solved with one up to this
number of samples: half a minute in hard cases; chosen by hand."""
DEFAULT_TOLERANCE = 1e-10
"""Default violation of the optimality conditions, in units of the margin; chosen by hand."""
GRAM_COPIES = 3
"""Matrices of n x n in memory at once: the Gram matrix, its copy, and a factor of it."""


@dataclass(frozen=True)
class DistinctSamples:
    """Distinct samples of a resample, with their classes and how often each occurs.

    In the dual, equal samples of one class act as one sample with a larger box.
    """

    X: AnyArray
    rows: IndexArray
    counts: FloatArray
    classes: IndexArray

    def signs(self) -> list[FloatArray]:
        """Return 1 or -1 per sample, for the second class of two or each class against the rest."""
        last = int(self.classes.max())
        positive_classes = [1] if last == 1 else range(last + 1)
        return [np.where(self.classes == code, 1.0, -1.0) for code in positive_classes]


def merge_equal_samples(X: AnyArray, y: IndexArray, rows: RowLists) -> Iterator[DistinctSamples]:
    """Merge equal samples of each resample, in order of their first occurrence."""
    # numba does not accept memory maps; and for arrays that can be written, which those of worker
    # processes cannot, it would compile all kernels that read the data a second time
    X = np.asarray(X).view()
    X.flags.writeable = False
    # found once on all data: copies within a resample follow from it
    first = _first_equal_rows(X, y)
    for indices in rows:
        distinct, position, counts = np.unique(
            first[indices], return_index=True, return_counts=True
        )
        order = np.argsort(position)
        samples = distinct[order]
        yield DistinctSamples(
            X, samples, counts[order].astype(np.float64), renumber_classes(y[samples])
        )


def _first_equal_rows(X: AnyArray, y: IndexArray) -> IndexArray:
    """Return the first row that equals each row, in values and class."""
    keys = row_keys(X)
    order = np.lexsort((keys, y))  # stable, so equal rows stay in order
    return np.asarray(first_equal_rows(X, y, keys, order))


def has_many_samples(n_samples: int, n_features: int) -> bool:
    """Return whether an SVM is solved without a Gram matrix."""
    return n_samples >= max(MIN_MANY_SAMPLES, MIN_SAMPLES_PER_FEATURE * n_features)


def check_gram_memory(n_samples: int) -> None:
    """Raise if Gram matrices of this size need more memory than the limit."""
    check_memory(
        GRAM_COPIES * 8 * n_samples**2,
        f"a linear SVM on {n_samples:,} distinct samples",
        InvalidInputError,
    )


def scaled_data(
    samples: DistinctSamples, scale: str | None, columns: slice | None = None
) -> FloatArray:
    """Return the scaled data, or a slice of their columns, with features in rows."""
    start, stop, _ = (columns or slice(None)).indices(samples.X.shape[1])
    return np.asarray(
        scale_columns(samples.X, samples.rows, samples.counts, SCALES[scale], start, stop)
    )


def scaled_blocks(
    samples: DistinctSamples, scale: str | None
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the scaled data, features in rows, block by block."""
    width = max(1, MAX_BLOCK_VALUES // len(samples.rows))
    for start in range(0, samples.X.shape[1], width):
        columns = slice(start, start + width)
        yield columns, scaled_data(samples, scale, columns)


def gram_matrix(samples: DistinctSamples, scale: str | None) -> FloatArray:
    """Return the Gram matrix of the scaled samples."""
    size = len(samples.rows)
    check_gram_memory(size)
    gram = np.zeros((size, size))
    for _, block in scaled_blocks(samples, scale):
        gram += block.T @ block
    return check_gram(gram)


def check_gram(gram: FloatArray) -> FloatArray:
    """Raise if products of the data leave the range of floating-point numbers."""
    if not np.isfinite(gram).all():
        raise InvalidInputError(
            "X holds values too large or too close together for an SVM: their products or "
            "ranges leave the range of floating-point numbers. Rescale the features first."
        )
    return gram


def check_finite(Z: FloatArray) -> FloatArray:
    """Raise if products of the scaled data leave the range of floating-point numbers."""
    check_gram(np.einsum("ij,ij->j", Z, Z))
    return Z


def solve_dual(
    gram: FloatArray, signs: FloatArray, box: FloatArray, dual: FloatArray, tol: float
) -> FloatArray:
    """Solve the dual from a feasible start, in place; return the signed solution."""
    _warn_of_violation(solve(gram, signs, box, dual, tol), tol)
    return dual


def solve_without_gram(
    Z: FloatArray,
    signs: FloatArray,
    box: FloatArray,
    dual: FloatArray,
    offset_: float | None,
    tol: float,
) -> float:
    """Solve from a start, in place, on data with features in rows; return the offset."""
    violation, offset_ = solve_many_samples(Z, signs, box, dual, offset_, tol)
    if violation > 0 and len(dual) <= MAX_GRAM_SAMPLES:
        check_gram_memory(len(dual))
        gram = Z.T @ Z
        dual[:] = 0.0
        violation = solve(gram, signs, box, dual, tol)
        offset_ = offset(gram, signs, box, dual)
    _warn_of_violation(violation, tol)
    return offset_


def _warn_of_violation(violation: float, tol: float) -> None:
    if violation > 0:
        warnings.warn(
            f"an SVM was not solved to the tolerance {tol:g} (violation {violation:.2g}); "
            "features with similar weights may swap ranks. Scale the features or lower C.",
            HoldfastWarning,
            stacklevel=3,
        )


def linear_svm_decisions(
    train: FloatArray, signs: FloatArray, test: FloatArray, C: float
) -> FloatArray | None:
    """Return the decisions of a linear SVM that is solved without a Gram matrix.

    Parameters
    ----------
    train, test : ndarray of shapes (p, n_train) and (p, n_test)
        Finite samples, features in rows.
    signs : ndarray of shape (n_train,)
        1 or -1, both of them present.
    C : float
        The penalty of a sample inside the margin.

    Returns
    -------
    ndarray of shape (n_test,) or None
        ``w'x + offset`` at the optimum, above 0 for the sign 1, and 0 where it is within the
        tolerance of 0; None if the optimum was not found.
    """
    dual = np.zeros(len(signs))
    violation, offset_ = solve_many_samples(
        train, signs, np.full(len(signs), C), dual, None, DEFAULT_TOLERANCE
    )
    if violation > 0:
        return None
    w = train @ dual
    decisions = w @ test + offset_
    # where features have few values, samples lie on the border: rounding must not decide
    summed_sizes = np.abs(w) @ np.abs(test) + max(1.0, abs(offset_))
    return np.where(np.abs(decisions) <= DEFAULT_TOLERANCE * summed_sizes, 0.0, decisions)


def svm_weights(samples: DistinctSamples, scale: str | None, C: float, tol: float) -> FloatArray:
    """Return the weights of the linear SVMs on all features, one row per SVM."""
    box = C * samples.counts
    if has_many_samples(len(samples.rows), samples.X.shape[1]):
        Z = check_finite(scaled_data(samples, scale))
        rows = []
        for signs in samples.signs():
            dual = np.zeros_like(box)
            solve_without_gram(Z, signs, box, dual, None, tol)
            rows.append(weights(Z, dual))
        return np.array(rows)
    gram = gram_matrix(samples, scale)
    duals = [solve_dual(gram, signs, box, np.zeros_like(box), tol) for signs in samples.signs()]
    coef = np.empty((len(duals), samples.X.shape[1]))
    # scaled again instead of kept: the scaled data may be larger than memory
    for columns, block in scaled_blocks(samples, scale):
        for row, dual in zip(coef, duals, strict=True):
            row[columns] = weights(block, dual)
    return coef


def check_scale(scale: object) -> None:
    """Raise if the scale is unknown."""
    if scale not in SCALES:
        known = [name for name in SCALES if name is not None]
        raise UnknownNameError(
            f"scale must be 'minmax', 'standard' or None, got {scale!r}."
            f"{did_you_mean(str(scale), known)}"
        )


@selector(
    name="linear_svm_weights",
    title="Squared weights of one linear SVM (SVMONE)",
    references=("kalousis2005", "guyon2002"),
    aliases=("svmone",),
)
class LinearSVMWeights(Scorer):
    r"""Squared weights of one linear soft-margin SVM on all features.

    .. math:: s_j = w_j^2, \qquad w, b = \arg\min \tfrac12 \lVert w \rVert^2
       + C \sum_i \max(0,\, 1 - y_i (w^\top x_i + b))

    The loss is the hinge, the offset b is not penalised, and x is brought to a common scale
    first. Kalousis et al. call the selector SVMONE. With more than two classes there is one SVM
    for each class against the rest, and :math:`s_j` is the sum of the squared weights over the
    SVMs. (WEKA gives no score then but interleaves the rankings of the SVMs:
    ``SVMRFE(step=1.0)`` is that ranking.)

    Scores are 0 or more. A constant feature scores exactly 0, and so do all features if none of
    them helps (a small class inside a large one); rounding residues are removed.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a count, a fraction, or None for half of them.
    C : float, default=0.5
        The penalty of a sample inside the margin.
    scale : {"minmax", "standard", None}, default="minmax"
        Divide each feature by its range, by its standard deviation (with n - 1), or leave it as
        it is. Weights refer to the scaled features.
    tol : float, default=1e-10
        Largest violation of the optimality conditions, in units of the margin. Solutions are
        polished by a Newton step, so scores hardly depend on it.
    random_state : int, Generator, RandomState or None, default=0
        Seed for ties in the ranking.

    Attributes
    ----------
    scores_ : ndarray of shape (p,)
        The scores.
    coef_ : ndarray of shape (1, p) or (c, p)
        The weights: positive for the second class of two, or for the class of the row.
    ranking_ : ndarray of shape (p,)
        The ranks, 1 the best.
    support_ : ndarray of shape (p,)
        Which features are selected.
    classes_ : ndarray of shape (c,)
        The classes.

    Notes
    -----
    With fewer than 800 distinct samples, or fewer than 4 per feature, the dual is solved on a Gram
    matrix: memory grows with the square of the number of samples. Otherwise the method of
    multipliers needs the data only, once in double precision, and time and memory grow with the
    number of samples. Both solve to the same tolerance.

    References
    ----------
    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    I. Guyon, J. Weston, S. Barnhill, V. Vapnik (2002). Gene selection for cancer classification
    using support vector machines. Machine Learning 46, 389-422.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import holdfast as hf
    >>> X, y = load_wine(return_X_y=True)
    >>> fitted = hf.LinearSVMWeights(n_features_to_select=3).fit(X, y)
    >>> fitted.get_support(indices=True)
    array([ 0,  9, 12])
    """

    def __init__(
        self,
        *,
        n_features_to_select: float | None = None,
        C: float = 0.5,
        scale: str | None = "minmax",
        tol: float = DEFAULT_TOLERANCE,
        random_state: RandomState = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.scale = scale
        self.tol = tol
        self.random_state = random_state

    def _score(self, X: AnyArray, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        (self.coef_,) = self._weights(X, y, [np.arange(len(y))])
        return np.asarray((self.coef_**2).sum(axis=0))

    def _score_many(
        self, X: AnyArray, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        return np.array([(coef**2).sum(axis=0) for coef in self._weights(X, y, rows)])

    def _weights(self, X: AnyArray, y: IndexArray, rows: RowLists) -> Iterator[FloatArray]:
        check_scale(self.scale)
        check_positive_number(self.C, "C", math.inf)
        check_positive_number(self.tol, "tol", math.inf)
        for samples in merge_equal_samples(X, y, rows):
            yield svm_weights(samples, self.scale, self.C, self.tol)


# The penalty C of a linear SVM, chosen by cross-validation on all features.

C_GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
"""Candidates for C: the usual decades around 1."""
N_FOLDS = 5
"""Folds of the cross-validation: the usual number."""


def _draw_folds(classes: IndexArray, generator: np.random.Generator) -> IndexArray:
    """Assign the samples of each class to folds at random, in equal numbers."""
    order = generator.permutation(len(classes))
    # class after class in random order, so that folds get equal numbers of each class
    order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(len(classes), dtype=np.intp)
    fold[order] = np.arange(len(classes)) % min(N_FOLDS, len(classes))
    return fold


def tune_c(
    samples: DistinctSamples, scale: str | None, tol: float, generator: np.random.Generator
) -> float:
    """Return the C of the grid with the best cross-validated accuracy, the smallest of equals."""
    fold = _draw_folds(samples.classes, generator)
    hits = sum(_count_hits(samples, fold == left_out, scale, tol) for left_out in np.unique(fold))
    return C_GRID[int(np.argmax(hits))]


def _count_hits(
    samples: DistinctSamples, tested: BoolArray, scale: str | None, tol: float
) -> FloatArray:
    """Count the correctly predicted test samples, for each C of the grid."""
    train = np.flatnonzero(~tested)
    # a count of 0 leaves test samples out of the scaling, which must not see them
    scaled = replace(samples, counts=np.where(tested, 0.0, samples.counts))
    predict = (
        _decide_without_gram
        if has_many_samples(len(train), samples.X.shape[1])
        else _decide_with_gram
    )
    boxes = [C * samples.counts[train] for C in C_GRID]
    signs_of_svms = [signs[train] for signs in samples.signs()]
    decisions = np.array(list(predict(scaled, scale, train, tested, signs_of_svms, boxes, tol)))
    # with two classes there is one SVM, for the second class
    predicted = (decisions[0] > 0) if len(decisions) == 1 else decisions.argmax(axis=0)
    correct = predicted == samples.classes[tested]
    return np.asarray(correct @ samples.counts[tested])


def _decide_with_gram(
    samples: DistinctSamples,
    scale: str | None,
    train: IndexArray,
    tested: BoolArray,
    signs_of_svms: list[FloatArray],
    boxes: list[FloatArray],
    tol: float,
) -> Iterator[list[FloatArray]]:
    """Yield the decisions of each SVM on the test samples, one array per box."""
    gram = gram_matrix(samples, scale)
    within, across = gram[np.ix_(train, train)], gram[np.ix_(tested, train)]
    for signs in signs_of_svms:
        dual, decisions = np.zeros(len(train)), []
        # a solution for one C is a feasible start for the next larger one
        for box in boxes:
            solve_dual(within, signs, box, dual, tol)
            decisions.append(across @ dual + offset(within, signs, box, dual))
        yield decisions


def _decide_without_gram(
    samples: DistinctSamples,
    scale: str | None,
    train: IndexArray,
    tested: BoolArray,
    signs_of_svms: list[FloatArray],
    boxes: list[FloatArray],
    tol: float,
) -> Iterator[list[FloatArray]]:
    """Yield the decisions of each SVM on the test samples, one array per box."""
    Z = check_finite(scaled_data(samples, scale))
    within, across = np.take(Z, train, axis=1), Z[:, tested]
    for signs in signs_of_svms:
        decisions = []
        for box in boxes:
            dual = np.zeros(len(train))
            offset_ = solve_without_gram(within, signs, box, dual, None, tol)
            decisions.append((within @ dual) @ across + offset_)
        yield decisions
