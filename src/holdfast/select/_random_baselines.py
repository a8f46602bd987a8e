"""Random baselines: selectors that ignore the data, for stability by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    BoolArray,
    EstimatorLike,
    FloatArray,
    IndexArray,
    MatrixLike,
    RowLists,
)
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._search._sequential import ForwardSelection
from holdfast.select._search._subset_selector import Sizes, SubsetSelector


@selector(
    name="random_score",
    title="Random score",
    references=("kalousis2005", "somol2008"),
)
class RandomScore(Scorer):
    """Score features at random, whatever the data: the baseline for stability.

    Scores are independent and uniform on [0, 1), so the selected features are a random subset
    of their size. Scores differ between resamples; the same seed gives the same scores. Only the
    number of features is taken from the data: constant features are treated like all others, and
    missing values and sparse matrices are allowed.

    Parameters
    ----------
    n_features_to_select : int, float or None, default None
        How many features to select: a count, a fraction, or half of them (None).
    random_state : int, Generator, RandomState or None, default 0
        Seed of the scores.

    Attributes
    ----------
    scores_ : ndarray of shape (p,)
        The score of each feature.
    ranking_ : ndarray of shape (p,)
        Ranks, 1 the best.
    support_ : ndarray of shape (p,)
        Which features are selected.

    References
    ----------
    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    P. Somol, J. Novovičová (2008). Evaluating the stability of feature selectors that optimize
    feature subset cardinality. SSPR/SPR 2008, LNCS 5342, 956-966.

    Examples
    --------
    >>> import numpy as np
    >>> import holdfast as hf
    >>> X, y = np.zeros((6, 20)), [0, 0, 0, 1, 1, 1]
    >>> hf.RandomScore(n_features_to_select=4).fit(X, y).transform(X).shape
    (6, 4)
    """

    _allow_nan = True
    _allow_sparse = True

    def __init__(
        self, *, n_features_to_select: float | None = None, random_state: RandomState = 0
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        return np.asarray(generator.random(X.shape[1]))

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        return np.array([self._score(X, y, generator) for generator in rngs])


@selector(
    name="random_subset",
    title="Random subset of a random size",
    references=("somol2008",),
)
class RandomSubset(SubsetSelector):
    r"""Select a random subset of a random size: the baseline for subset searches.

    The size is uniform between its bounds, all subsets of a size are equally likely, and each
    resample gets a different random subset. By default the size is between 1 and p - 1, since
    selecting all features is no selection. For large m, the expected relative weighted consistency
    of m such subsets then lies between :math:`2(p + 1)/(3pm)` and
    :math:`2(p + 1)/(3(p - 1)m)`: nearer the first value for even p, nearer the second for odd p.
    For 13 features that is 0.72/m to 0.78/m.

    Parameters
    ----------
    classifier : estimator or str, default None
        A classifier, as for :class:`holdfast.ForwardSelection`, whose accuracy on the selected
        subset is estimated over 10 random splits, for comparison with searches. It does not
        affect the selection. None: no accuracy is estimated.
    n_features_to_select : None, int, float or (int, int), default None
        The size: any but that of all features (None), a count, a fraction, or a range
        (low, high).
    random_state : int, Generator, RandomState or None, default 0
        Seed of the size and the subset.

    Attributes
    ----------
    support_ : ndarray of shape (p,)
        Which features are selected.
    value_ : float
        Accuracy of the classifier on the subset, averaged over the splits; only if one is given.

    References
    ----------
    P. Somol, J. Novovičová (2008). Evaluating the stability of feature selectors that optimize
    feature subset cardinality. SSPR/SPR 2008, LNCS 5342, 956-966.

    Examples
    --------
    >>> import numpy as np
    >>> import holdfast as hf
    >>> X, y = np.zeros((6, 20)), [0, 0, 0, 1, 1, 1]
    >>> subset = hf.RandomSubset(n_features_to_select=(3, 5)).fit(X, y)
    >>> 3 <= subset.transform(X).shape[1] <= 5
    True
    """

    _allow_nan = True
    _allow_sparse = True

    def __init__(
        self,
        classifier: EstimatorLike = None,
        *,
        n_features_to_select: float | tuple[int, int] | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.classifier = classifier
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def supports_subjects(self) -> bool:
        """Whether it draws samples, which is done only to estimate the accuracy."""
        return self.classifier is not None

    def _fit_subset(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> None:
        super()._fit_subset(X, y, generator)
        self.__dict__.pop("value_", None)
        if self.classifier is not None:
            self.value_ = self._evaluate_subset(X, y, int(generator.integers(2**31)))

    def _evaluate_subset(self, X: MatrixLike, y: IndexArray, seed: int) -> float:
        """Return the accuracy on the subset, from a search that has no other subset to choose."""
        selected = np.flatnonzero(self.support_)
        search = ForwardSelection(
            self.classifier,
            forced_in=selected,
            n_features_to_select=len(selected),
            random_state=seed,
        )
        return float(search.fit(X, self.classes_[y], groups=self._subjects).value_)

    def _choose(
        self,
        X: MatrixLike,
        y: IndexArray,
        subjects: AnyArray | None,
        generator: np.random.Generator,
    ) -> BoolArray:
        p = X.shape[1]
        size = self.n_features_to_select
        # all features are no selection: measures corrected for chance have no value for them
        sizes = Sizes(1, max(1, p - 1)) if size is None else Sizes.from_parameter(size, 1, p)
        mask = np.zeros(p, dtype=bool)
        count = generator.integers(sizes.low, sizes.high, endpoint=True)
        mask[generator.choice(p, count, replace=False)] = True
        return mask
