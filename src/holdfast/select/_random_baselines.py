"""A selector that does not look at the data: what stability is by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._search._sequential import ForwardSelection
from holdfast.select._search._subset_selector import Sizes, SubsetSelector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows


@selector(
    name="random_score",
    title="Random score",
    references=("kalousis2005", "somol2008"),
)
class RandomScore(Scorer):
    """A random score for each feature, whatever the data: the baseline for stability.

    Scores are independent and uniform on [0, 1), so the selected features are a random subset
    of their size. Every resample gets scores of its own; the same seed gives the same scores.
    Constant features are treated as all others, missing values and sparse matrices are taken:
    the data give nothing but the number of features.

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

    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401, ARG002
        return np.asarray(generator.random(X.shape[1]))

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,  # noqa: ARG002  (no part of the data is copied)
        seeded: Sequence[np.random.Generator],
    ) -> Array:
        return np.array([self._score(X, y, generator) for generator in seeded])


# A random subset of a random size: what stability is by chance where the size is free.


@selector(
    name="random_subset",
    title="Random subset of a random size",
    references=("somol2008",),
)
class RandomSubset(SubsetSelector):
    r"""A random subset of a random size, whatever the data: the baseline for subset searches.

    The size is uniform between its bounds, all subsets of a size are equally likely, and every
    resample gets a subset of its own. Left open, the size is anything from 1 to p - 1: to select
    all features is to select none. The relative weighted consistency of m such subsets is then
    :math:`2(p + 1)/(3pm)` to :math:`2(p + 1)/(3(p - 1)m)` on average, the more so the larger m:
    nearer the first bound for even p, nearer the second for odd p. For 13 features that is
    0.72/m to 0.78/m.

    Parameters
    ----------
    classifier : estimator or str, default None
        A classifier, as for :class:`holdfast.ForwardSelection`, that judges the subset of a fit
        over 10 random splits, so that its value can be compared with those of searches; it
        has no say in what is selected. None judges nothing.
    n_features_to_select : None, int, float or (int, int), default None
        The size: any but that of all features (None), given as a count or a fraction, or within
        a range (low, high).
    random_state : int, Generator, RandomState or None, default 0
        Seed of size and subset.

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
        classifier: Any = None,  # noqa: ANN401  (an estimator or a name)
        *,
        n_features_to_select: float | tuple[int, int] | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.classifier = classifier
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself: only to judge its subset."""
        return self.classifier is not None

    def _learn(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> None:  # noqa: ANN401
        super()._learn(X, y, generator)
        self.__dict__.pop("value_", None)
        if self.classifier is not None:
            self.value_ = self._judged(X, y, int(generator.integers(2**31)))

    def _judged(self, X: Any, y: NDArray[np.intp], seed: int) -> float:  # noqa: ANN401
        """Return what the subset is worth: a search that is forced to it judges that alone."""
        chosen = np.flatnonzero(self.support_)
        search = ForwardSelection(
            self.classifier,
            forced_in=chosen,
            n_features_to_select=len(chosen),
            random_state=seed,
        )
        return float(search.fit(X, self.classes_[y], groups=self._subjects).value_)

    def _choose(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],  # noqa: ARG002
        subjects: NDArray[Any] | None,  # noqa: ARG002
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        p = X.shape[1]
        given = self.n_features_to_select
        sizes = Sizes(1, max(1, p - 1)) if given is None else Sizes.of(given, 1, p)
        chosen = np.zeros(p, dtype=bool)
        size = generator.integers(sizes.low, sizes.high, endpoint=True)
        chosen[generator.choice(p, size, replace=False)] = True
        return chosen
