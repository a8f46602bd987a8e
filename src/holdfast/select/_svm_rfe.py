"""SVM-RFE: rank features by dropping those of the smallest weight, fit after fit."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.svm_elimination import put_last, weights
from holdfast.errors import InvalidInputError
from holdfast.select._linear_svm import (
    DistinctSamples,
    check_positive,
    check_scale,
    checked_gram,
    merge,
    scaled_data,
    solve_dual,
    tune_c,
)
from holdfast.select._ranker import Ranker
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows

    Step = float | Callable[[int], int]

REFRESH = 4  # the Gram matrix is computed anew when its trace has fallen by this factor


def halve_then_one(left: int) -> int:
    """Step of Yu et al. (2008): half of the features down to 50, then one at a time."""
    return max(1, min(left // 2, left - 50))


def weka_tenth(left: int) -> int:
    """Step of WEKA's ``-Y 10``: a tenth, the class column counted in."""
    return max(1, (left + 1) // 10)


def schedule(step: Step, n_features: int) -> list[int]:
    """Return how many features leave after each fit; all have left at the end."""
    left, counts = n_features, []
    while left:
        counts.append(min(left, _leaving(step, left)))
        left -= counts[-1]
    return counts


def _leaving(step: Step, left: int) -> int:
    if callable(step):
        count = step(left)
        if isinstance(count, Integral) and count >= 0:
            return max(1, int(count))
        raise InvalidInputError(
            f"step must return a whole number of features to drop, got {count!r} for {left} left."
        )
    if isinstance(step, Integral) and not isinstance(step, bool) and step >= 1:
        return int(step)
    if isinstance(step, Real) and not isinstance(step, Integral) and 0 < step <= 1:
        return max(1, int(step * left + 1e-9))  # 0.29 of 100 is 29, whatever rounding says
    raise InvalidInputError(
        "step must be a fraction above 0 and up to 1 (a float), a number of features (an int) or "
        f"a function of how many are left, got {step!r}."
    )


def _worst(squares: Array, who: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return the positions of the smallest weights, worst first; ties: lowest feature first."""
    bound = np.partition(squares, count - 1)[count - 1]
    candidates = np.flatnonzero(squares <= bound)
    order = np.lexsort((who[candidates], squares[candidates]))
    return candidates[order[:count]]


class _Elimination:
    """Scaled data whose features leave, those that left behind those that stay."""

    def __init__(self, samples: DistinctSamples, scale: str | None) -> None:
        self.Z = scaled_data(samples, scale)
        self.gram = checked_gram(self.Z.T @ self.Z)
        self.who = np.arange(len(self.Z))

    def order(self, signs: Array, box: Array, counts: list[int], tol: float) -> NDArray[np.intp]:
        """Return the features, worst first, by one machine."""
        gram, dual, leaving = self.gram.copy(), np.zeros_like(box), []
        self.fresh, left = gram.trace(), len(self.Z)
        for count in counts:
            solve_dual(gram, signs, box, dual, tol)
            worst = _worst(weights(self.Z[:left], dual) ** 2, self.who[:left], count)
            leaving.append(self.who[worst])
            put_last(self.Z, self.who, worst, left)
            left -= count
            gram = self._without(gram, left, count)
        return np.concatenate(leaving)

    def _without(self, gram: Array, left: int, count: int) -> Array:
        """Return the Gram matrix of the features left, when `count` have just gone."""
        if count < left:
            gone = self.Z[left : left + count]
            gram -= gone.T @ gone
            if gram.trace() * REFRESH > self.fresh:
                return gram
        gram = self.Z[:left].T @ self.Z[:left]  # less work, or digits were lost: compute it anew
        self.fresh = gram.trace()
        return gram


def _in_turns(orders: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Merge orders, best first: the best of each, then the second of each, none twice."""
    flat = np.stack(orders, axis=1).ravel()
    return flat[np.sort(np.unique(flat, return_index=True)[1])]


def _ranks(
    samples: DistinctSamples, scale: str | None, C: float, step: Step, tol: float
) -> NDArray[Any]:
    """Return the ranks of all features on some samples, 1 the best."""
    n_features = samples.X.shape[1]
    counts, elimination = schedule(step, n_features), _Elimination(samples, scale)
    box = C * samples.counts
    order = _in_turns(
        [elimination.order(signs, box, counts, tol)[::-1] for signs in samples.signs()]
    )
    ranks = np.empty(n_features, dtype=np.int32)
    ranks[order] = np.arange(1, n_features + 1, dtype=np.int32)
    return ranks


@selector(
    name="svm_rfe",
    title="SVM-RFE",
    references=("guyon2002", "kalousis2005", "saeys2008", "yu2008", "dernoncourt2014"),
)
class SVMRFE(Ranker):
    r"""Recursive feature elimination with a linear SVM.

    A linear soft-margin SVM (see :class:`LinearSVMWeights`) is fitted, the features of the
    smallest squared weights leave, and so on with the rest until none is left: the last to
    leave is the best. Features that leave together are ranked by their squared weights; of
    equal weights the feature with the lowest index is the worst. There is a ranking, and
    there are no scores.

    With more than two classes there is one elimination for each class against the rest, and
    the rankings are merged in turns, as WEKA does: the best of the first class, the best of the
    second, ..., the second of the first class, ..., none twice.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to select: a count, a fraction, or None for half of them.
    step : float, int or callable, default=0.1
        How many features leave after a fit, at least one: a fraction of those that are left (a
        float; scikit-learn's RFE takes it of the original number), a number (an int), or a
        function of how many are left. ``step=1.0`` ranks by a single fit (the "one-step" of
        Dernoncourt et al.); ``holdfast.select.halve_then_one`` is the step of Yu et al., and
        ``holdfast.select.weka_tenth`` WEKA's rounding of a tenth.
    C : float or "cv", default=0.5
        The price of a sample inside the margin. "cv" chooses one of 0.01, 0.1, 1, 10, 100 by
        stratified 5-fold cross-validation of the accuracy on all features, scaled by the
        training part, before the elimination; the smallest of equally good ones. Copies of a
        sample stay in one fold.
    scale : {"minmax", "standard", None}, default="minmax"
        Divide each feature by its range, by its standard deviation (with n - 1), or leave it as
        it is.
    tol : float, default=1e-10
        Largest violation of the optimality conditions, in units of the margin. Solutions are
        finished by a Newton step, so the ranking does not depend on it.
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
    The dual is solved on a Gram matrix, which is down-dated when features leave and starts each
    fit from the last solution. Memory grows with the square of the number of samples and holds
    the data once in double precision. Weights that are 0 but for rounding error are taken as
    0, so constant features, and all features where none helps, are ordered by index alone.

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

    def _rank(
        self, X: NDArray[Any], y: NDArray[np.intp], generator: np.random.Generator
    ) -> NDArray[Any]:
        self._check()
        (samples,) = merge(X, y, [np.arange(len(y))])
        schedule(self.step, X.shape[1])  # a step that cannot be is told before the work
        self.C_ = self._price(samples, generator)
        return _ranks(samples, self.scale, self.C_, self.step, self.tol)

    def _rank_many(
        self,
        X: NDArray[Any],
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> NDArray[Any]:
        self._check()
        schedule(self.step, X.shape[1])
        return np.array(
            [
                _ranks(samples, self.scale, self._price(samples, generator), self.step, self.tol)
                for samples, generator in zip(merge(X, y, rows), seeded, strict=True)
            ]
        )

    def _check(self) -> None:
        check_scale(self.scale)
        check_positive("tol", self.tol)
        if self.C != "cv":
            check_positive("C", self.C)

    def _price(self, samples: DistinctSamples, generator: np.random.Generator) -> float:
        if self.C == "cv":
            return tune_c(samples, self.scale, self.tol, generator)
        return float(self.C)
