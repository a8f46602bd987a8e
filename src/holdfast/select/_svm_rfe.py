"""SVM-RFE: rank features by repeatedly dropping those of the smallest weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral, Real

import numpy as np

from holdfast._kernels.svm_elimination import swap_rows_to_end, weights
from holdfast._random import RandomState
from holdfast._typing import AnyArray, FloatArray, IndexArray, RowLists
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.select._linear_svm import (
    DistinctSamples,
    check_finite,
    check_gram,
    check_gram_memory,
    check_scale,
    has_many_samples,
    merge_equal_samples,
    scaled_data,
    solve_dual,
    solve_without_gram,
    tune_c,
)
from holdfast.select._ranker import Ranker
from holdfast.select._registry import selector

Step = float | Callable[[int], int]


GRAM_REFRESH_FACTOR = 4
"""The Gram matrix is recomputed when its trace has fallen by this factor: a down-date loses the
digits by which the trace falls, so at most two bits; chosen by hand."""


def halve_then_one(left: int) -> int:
    """Step of Yu et al. (2008): half of the features down to 50, then one at a time."""
    return max(1, min(left // 2, left - 50))


def weka_tenth(left: int) -> int:
    """Step of WEKA's ``-Y 10``: a tenth, the class column counted in."""
    return max(1, (left + 1) // 10)


def elimination_schedule(step: Step, n_features: int) -> list[int]:
    """Return how many features are dropped after each fit, until none is left."""
    left, counts = n_features, []
    while left:
        counts.append(min(left, _step_size(step, left)))
        left -= counts[-1]
    return counts


def _step_size(step: Step, left: int) -> int:
    if callable(step):
        count = step(left)
        if isinstance(count, Integral) and count >= 0:
            return max(1, int(count))
        raise InvalidInputError(
            f"step must return the number of features to drop, an integer; got {count!r} for "
            f"{left} features left."
        )
    if isinstance(step, Integral) and not isinstance(step, bool) and step >= 1:
        return int(step)
    if isinstance(step, Real) and not isinstance(step, Integral) and 0 < step <= 1:
        return max(1, int(step * left + 1e-9))  # 0.29 * 100 is slightly below 29
    raise InvalidInputError(
        "step must be a fraction above 0 and up to 1 (a float), a number of features (an int) or "
        f"a function of how many are left, got {step!r}."
    )


class GramSolver:
    """SVMs on the Gram matrix of the features left, which is down-dated when features leave."""

    def __init__(self, Z: FloatArray, gram: FloatArray, tol: float) -> None:
        self.Z, self.gram, self.tol = Z, gram.copy(), tol
        self.fresh = gram.trace()

    def solve(self, signs: FloatArray, box: FloatArray, dual: FloatArray, left: int) -> None:
        """Solve on the features left, from the last solution."""
        solve_dual(self.gram, signs, box, dual, self.tol)

    def drop(self, left: int, count: int) -> None:
        """Go on with the features left, after `count` were dropped."""
        # subtracting the dropped features is cheaper only if fewer are dropped than stay
        if count < left:
            gone = self.Z[left : left + count]
            self.gram -= gone.T @ gone
            if self.gram.trace() * GRAM_REFRESH_FACTOR > self.fresh:
                return
        self.gram = self.Z[:left].T @ self.Z[:left]  # cheaper, or the down-date lost digits
        self.fresh = self.gram.trace()


class SampleSolver:
    """SVMs on the features left, without a Gram matrix."""

    def __init__(self, Z: FloatArray, tol: float) -> None:
        self.Z, self.tol = Z, tol
        self.offset: float | None = None  # of the last solution

    def solve(self, signs: FloatArray, box: FloatArray, dual: FloatArray, left: int) -> None:
        """Solve on the features left, from the last solution."""
        self.offset = solve_without_gram(self.Z[:left], signs, box, dual, self.offset, self.tol)

    def drop(self, left: int, count: int) -> None:
        """Nothing to do: the data hold the features left."""


class FeatureElimination:
    """Scaled data during an elimination; dropped features are moved behind those left."""

    def __init__(self, samples: DistinctSamples, scale: str | None) -> None:
        n_samples, n_features = len(samples.rows), samples.X.shape[1]
        self.gram = None
        if has_many_samples(n_samples, n_features):
            self.Z = check_finite(scaled_data(samples, scale))
        else:
            check_gram_memory(n_samples)
            self.Z = scaled_data(samples, scale)
            self.gram = check_gram(self.Z.T @ self.Z)
        self.features = np.arange(len(self.Z))

    def order(
        self, signs: FloatArray, box: FloatArray, counts: list[int], tol: float
    ) -> IndexArray:
        """Return the features, worst first, in the elimination by one SVM."""
        solver: GramSolver | SampleSolver = (
            SampleSolver(self.Z, tol) if self.gram is None else GramSolver(self.Z, self.gram, tol)
        )
        dual, leaving, left = np.zeros_like(box), [], len(self.Z)
        for count in counts:
            solver.solve(signs, box, dual, left)
            # the smallest squared weight changes the objective least [Guyon2002]_
            squares = weights(self.Z[:left], dual) ** 2
            # only the weights up to the count-th smallest are sorted; ties: lowest feature first
            candidates = np.flatnonzero(squares <= np.partition(squares, count - 1)[count - 1])
            worst = candidates[np.lexsort((self.features[candidates], squares[candidates]))[:count]]
            leaving.append(self.features[worst])
            swap_rows_to_end(self.Z, self.features, worst, left)
            left -= count
            solver.drop(left, count)
        return np.concatenate(leaving)


def _rank_by_elimination(
    samples: DistinctSamples, scale: str | None, C: float, step: Step, tol: float
) -> AnyArray:
    """Return the ranks of all features on the samples, 1 the best."""
    n_features = samples.X.shape[1]
    counts, elimination = elimination_schedule(step, n_features), FeatureElimination(samples, scale)
    box = C * samples.counts
    orders = [elimination.order(signs, box, counts, tol)[::-1] for signs in samples.signs()]
    # interleave the orders of all SVMs: the best of each, then the second of each, without repeats
    flat = np.stack(orders, axis=1).ravel()
    order = flat[np.sort(np.unique(flat, return_index=True)[1])]
    ranks = np.empty(n_features, dtype=np.int32)
    ranks[order] = np.arange(1, n_features + 1, dtype=np.int32)
    return ranks


@selector(
    name="svm_rfe",
    title="SVM-RFE",
    references=("guyon2002", "kalousis2005", "saeys2008", "yu2008", "dernoncourt2014"),
    aliases=("rfe", "recursive_feature_elimination"),
)
class SVMRFE(Ranker):
    r"""Recursive feature elimination with a linear SVM.

    A linear soft-margin SVM (see :class:`LinearSVMWeights`) is fitted, the features of the
    smallest squared weights are dropped, and so on until none is left: the last feature dropped
    is the best. Features dropped together are ranked by their squared weights; of equal weights
    the feature with the lowest index is the worst. The result is a ranking without scores.

    With more than two classes there is one elimination for each class against the rest, and the
    rankings are interleaved, as in WEKA: the best of the first class, the best of the second,
    ..., the second of the first class, ..., without repeats.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a count, a fraction, or None for half of them.
    step : float, int or callable, default=0.1
        How many features are dropped after a fit, at least one: a fraction of those left (a
        float; scikit-learn's RFE takes it of the original number), a number (an int), or a
        function of the number left. ``step=1.0`` ranks by a single fit (the "one-step" of
        Dernoncourt et al.); ``holdfast.select.halve_then_one`` is the step of Yu et al., and
        ``holdfast.select.weka_tenth`` WEKA's rounding of a tenth.
    C : float or "cv", default=0.5
        The penalty of a sample inside the margin. "cv" chooses one of 0.01, 0.1, 1, 10, 100 by
        stratified 5-fold cross-validation of the accuracy on all features, scaled by the
        training part, before the elimination; the smallest of equally good ones. Copies of a
        sample stay in one fold.
    scale : {"minmax", "standard", None}, default="minmax"
        Divide each feature by its range, by its standard deviation (with n - 1), or leave it as
        it is.
    tol : float, default=1e-10
        Largest violation of the optimality conditions, in units of the margin. Solutions are
        polished by a Newton step, so the ranking does not depend on it.
    random_state : int, Generator, RandomState or None, default=0
        Seed for the folds of ``C="cv"``.

    Attributes
    ----------
    ranking_ : ndarray of shape (p,)
        The ranks, 1 the best.
    support_ : ndarray of shape (p,)
        Which features are selected.
    classes_ : ndarray of shape (c,)
        The classes.
    C_ : float
        The C that was used.

    Notes
    -----
    Each fit starts from the last solution, and the data are held once in double precision. With
    fewer than 800 distinct samples, or fewer than 4 per feature, the dual is solved on a Gram
    matrix, which is down-dated when features are dropped: memory grows with the square of the
    number of samples. Otherwise the method of multipliers needs the data only, so that time and
    memory grow with the number of samples; both solve to the same tolerance, and rankings differ
    where squared weights are equal to about 1e-9. Weights that are 0 up to rounding are set to 0,
    so constant features, and all features if none helps, are ordered by index.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik (2002). Gene selection for cancer classification
    using support vector machines. Machine Learning 46, 389-422.

    R.-E. Fan, P.-H. Chen, C.-J. Lin (2005). Working set selection using second order
    information for training support vector machines. JMLR 6, 1889-1918.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import holdfast as hf
    >>> X, y = load_wine(return_X_y=True)
    >>> hf.SVMRFE(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    def __init__(
        self,
        *,
        n_features_to_select: float | None = None,
        step: Step = 0.1,
        C: float | str = 0.5,
        scale: str | None = "minmax",
        tol: float = 1e-10,
        random_state: RandomState = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.C = C
        self.scale = scale
        self.tol = tol
        self.random_state = random_state

    def _rank(self, X: AnyArray, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        self._check_parameters(X.shape[1])
        (samples,) = merge_equal_samples(X, y, [np.arange(len(y))])
        self.C_ = self._choose_c(samples, generator)
        return _rank_by_elimination(samples, self.scale, self.C_, self.step, self.tol)

    def _rank_many(
        self, X: AnyArray, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> AnyArray:
        self._check_parameters(X.shape[1])
        ranks = []
        for samples, generator in zip(merge_equal_samples(X, y, rows), rngs, strict=True):
            C = self._choose_c(samples, generator)
            ranks.append(_rank_by_elimination(samples, self.scale, C, self.step, self.tol))
        return np.array(ranks)

    def _check_parameters(self, n_features: int) -> None:
        check_scale(self.scale)
        check_positive_number(self.tol, "tol", math.inf)
        if self.C != "cv":
            check_positive_number(self.C, "C", math.inf)
        elimination_schedule(self.step, n_features)  # a wrong step fails before the work

    def _choose_c(self, samples: DistinctSamples, generator: np.random.Generator) -> float:
        if self.C == "cv":
            return tune_c(samples, self.scale, self.tol, generator)
        return float(self.C)
