"""Linear SVMs on all features: the squared weights of one, and what SVM-RFE shares with it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import did_you_mean
from holdfast._kernels.svm import offset, solve
from holdfast._kernels.svm_elimination import (
    CENTRE,
    MINMAX,
    STANDARD,
    first_equal_rows,
    scale_columns,
    weights,
)
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import present

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows


SCALES = {"minmax": MINMAX, "standard": STANDARD, None: CENTRE}
BLOCK = 2**22  # values that are scaled together: bounds the memory


@dataclass(frozen=True)
class DistinctSamples:
    """Distinct samples of some data, with their classes and how often each occurs.

    Equal samples of one class act in the dual as one with a larger box.
    """

    X: NDArray[Any]
    rows: NDArray[np.intp]
    counts: Array
    classes: NDArray[np.intp]

    def signs(self) -> list[Array]:
        """Return 1 and -1 by sample: second class against first, or each against the rest."""
        last = int(self.classes.max())
        chosen = [1] if last == 1 else range(last + 1)
        return [np.where(self.classes == code, 1.0, -1.0) for code in chosen]


def merge(X: NDArray[Any], y: NDArray[np.intp], rows: Rows) -> Iterator[DistinctSamples]:
    """Merge the samples of each resample that are equal, in order of their first occurrence."""
    X = np.asarray(X)  # kernels do not know memory maps
    first = first_equal_rows(X, y)
    for own in rows:
        distinct, position, counts = np.unique(first[own], return_index=True, return_counts=True)
        order = np.argsort(position)
        chosen = distinct[order]
        yield DistinctSamples(X, chosen, counts[order].astype(np.float64), present(y[chosen]))


def scaled_data(samples: DistinctSamples, scale: str | None, columns: slice | None = None) -> Array:
    """Return the scaled data, or some columns of them, features in rows."""
    start, stop, _ = (columns or slice(None)).indices(samples.X.shape[1])
    return np.asarray(
        scale_columns(samples.X, samples.rows, samples.counts, SCALES[scale], start, stop)
    )


def scaled_blocks(samples: DistinctSamples, scale: str | None) -> Iterator[tuple[slice, Array]]:
    """Yield the scaled data, features in rows, block by block."""
    width = max(1, BLOCK // len(samples.rows))
    for start in range(0, samples.X.shape[1], width):
        columns = slice(start, start + width)
        yield columns, scaled_data(samples, scale, columns)


def gram_of(samples: DistinctSamples, scale: str | None) -> Array:
    """Return the Gram matrix of the scaled samples."""
    size = len(samples.rows)
    gram = np.zeros((size, size))
    for _, block in scaled_blocks(samples, scale):
        gram += block.T @ block
    return checked_gram(gram)


def checked_gram(gram: Array) -> Array:
    """Refuse data whose products leave the range of floating-point numbers."""
    if not np.isfinite(gram).all():
        raise InvalidInputError(
            "X holds values too large or too close together for an SVM: their products or "
            "widths leave the range of floating-point numbers. Rescale the features first."
        )
    return gram


def solve_dual(gram: Array, signs: Array, box: Array, dual: Array, tol: float) -> Array:
    """Return the signed dual solution, found from a feasible one; it is changed in place."""
    violation = solve(gram, signs, box, dual, tol)
    if violation > 0:
        warnings.warn(
            f"an SVM was not solved to the tolerance {tol:g} (violation {violation:.2g}); "
            "features of close weights may change places. Scale the features or lower C.",
            HoldfastWarning,
            stacklevel=2,
        )
    return dual


def all_weights(samples: DistinctSamples, scale: str | None, C: float, tol: float) -> Array:
    """Return the weights of the linear SVMs on all features, one row a machine."""
    gram, box = gram_of(samples, scale), C * samples.counts
    duals = [solve_dual(gram, signs, box, np.zeros_like(box), tol) for signs in samples.signs()]
    coef = np.empty((len(duals), samples.X.shape[1]))
    for columns, block in scaled_blocks(samples, scale):
        for row, dual in zip(coef, duals, strict=True):
            row[columns] = weights(block, dual)
    return coef


def check_scale(scale: object) -> None:
    """Refuse scales that do not exist."""
    if scale not in SCALES:
        known = [name for name in SCALES if name is not None]
        raise UnknownNameError(
            f"scale must be 'minmax', 'standard' or None, got {scale!r}."
            f"{did_you_mean(str(scale), known)}"
        )


def check_positive(name: str, value: object) -> None:
    """Refuse anything but a positive finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise InvalidInputError(f"{name} must be a positive number, got {value!r}.")


@selector(
    name="linear_svm_weights",
    title="Squared weights of one linear SVM (SVMONE)",
    references=("kalousis2005", "guyon2002"),
)
class LinearSVMWeights(Scorer):
    r"""Squared weights of one linear soft-margin SVM on all features.

    .. math:: s_j = w_j^2, \qquad w, b = \arg\min \tfrac12 \lVert w \rVert^2
       + C \sum_i \max(0,\, 1 - y_i (w^\top x_i + b))

    The loss is the hinge, the offset b is not penalised, and x is brought to a common scale
    first. Kalousis et al. call the selector SVMONE. With more than two classes there is one
    machine for each class against the rest, and :math:`s_j` is the sum of the squared weights
    over the machines. (WEKA gives no score then but merges the rankings of the machines in
    turns: ``SVMRFE(step=1.0)`` is that ranking.)

    Scores are 0 or more. A constant feature scores exactly 0, and so do all features where none
    of them helps (a small class in the midst of a large one); residues of rounding are removed.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a count, a fraction, or None for half of them.
    C : float, default=0.5
        The price of a sample inside the margin.
    scale : {"minmax", "standard", None}, default="minmax"
        Divide each feature by its range, by its standard deviation (with n - 1), or leave it as
        it is. Weights refer to the scaled features.
    tol : float, default=1e-10
        Largest violation of the optimality conditions, in units of the margin. Solutions are
        finished by a Newton step, so scores hardly depend on it.
    random_state : int, Generator, RandomState or None, default=0
        Seed for ties in the ranking.

    Attributes
    ----------
    scores_ : ndarray of shape (p,)
        The scores.
    coef_ : ndarray of shape (1, p) or (c, p)
        The weights: positive towards the second class of two, or towards the class of the row.
    ranking_ : ndarray of shape (p,)
        The ranks, 1 the best.
    support_ : ndarray of shape (p,)
        Which features are selected.
    classes_ : ndarray of shape (c,)
        The classes.

    Notes
    -----
    The dual is solved on a Gram matrix: memory grows with the square of the number of samples.

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
        tol: float = 1e-10,
        random_state: RandomState = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.scale = scale
        self.tol = tol
        self.random_state = random_state

    def _score(
        self,
        X: NDArray[Any],
        y: NDArray[np.intp],
        generator: np.random.Generator,  # noqa: ARG002  (nothing is drawn)
    ) -> Array:
        (self.coef_,) = self._weights(X, y, [np.arange(len(y))])
        return self._combined(self.coef_)

    def _score_many(
        self,
        X: NDArray[Any],
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],  # noqa: ARG002
    ) -> Array:
        return np.array([self._combined(coef) for coef in self._weights(X, y, rows)])

    def _weights(self, X: NDArray[Any], y: NDArray[np.intp], rows: Rows) -> Iterator[Array]:
        check_scale(self.scale)
        check_positive("C", self.C)
        check_positive("tol", self.tol)
        for samples in merge(X, y, rows):
            yield all_weights(samples, self.scale, self.C, self.tol)

    @staticmethod
    def _combined(coef: Array) -> Array:
        return np.asarray((coef**2).sum(axis=0))


# The price C of a linear SVM, chosen by cross-validation on all features.

GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5


def _folds(classes: NDArray[np.intp], generator: np.random.Generator) -> NDArray[np.intp]:
    """Deal the samples of each class out to folds, at random."""
    order = generator.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(len(classes), dtype=np.intp)
    fold[order] = np.arange(len(classes)) % min(FOLDS, len(classes))
    return fold


def tune_c(
    samples: DistinctSamples, scale: str | None, tol: float, generator: np.random.Generator
) -> float:
    """Return the C of the grid that predicts best in cross-validation, the smallest of equals."""
    fold = _folds(samples.classes, generator)
    hits = sum(_hits(samples, fold == left_out, scale, tol) for left_out in np.unique(fold))
    return GRID[int(np.argmax(hits))]


def _hits(
    samples: DistinctSamples, tested: NDArray[np.bool_], scale: str | None, tol: float
) -> Array:
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
        solve_dual(within, signs, C * counts, dual, tol)
        rows.append(across @ dual + offset(within, signs, C * counts, dual))
    return np.array(rows)
