"""A selector that does not look at the data: what stability is by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.select._base import Scorer
from holdfast.select._record import selector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ties import RandomState
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
