"""ReliefF as WEKA computes it: nearest hits and misses of every sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast._kernels import relief
from holdfast._validation import check_integer, count_of_part, part_or_count
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import checked_nominal, present

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows

ENTRIES = 1 << 22
"""Largest table of distances; more samples are worked off in blocks of probes."""
CACHED = 1 << 15
"""Values in a block of features: it should stay in a core's second-level cache."""


class ScaledFeatureBlock(NamedTuple):
    """Some features, scaled, with what has to be known of them."""

    at: slice
    values: Array
    kinds: NDArray[np.int64]
    lack: Array
    constant: NDArray[np.bool_]


class WeightedRowPairs(NamedTuple):
    """Pairs of rows whose differences make up the scores, with weights."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    weights: Array


@selector(
    name="relieff",
    title="ReliefF",
    references=("kononenko1994", "robnik2003"),
)
class ReliefF(Scorer):
    r"""Score features by how they differ between near samples of different classes.

    .. math:: W_f = \frac{1}{n} \sum_i \Bigl[ -\overline{d_f(i, H_i)} + \sum_{c \ne c_i}
              \frac{P(c)}{1 - P(c_i)}\, \overline{d_f(i, M_i^c)} \Bigr]

    Every sample i is a probe once (or some samples are, see `n_probes`; n is the number of
    probes). H_i are its k nearest neighbours of its own class (hits), M_i^c those of class c
    (misses), a bar is the mean over them, P the share of a class. The distance is the sum of the
    differences d_f of all features: the absolute difference of values scaled to 0..1 by the range
    of the feature, for nominal features 0 or 1. Scores lie in -1..1, near 0 for features without a
    bearing on the class.

    Parameters
    ----------
    n_neighbors : int, default 10
        k, the neighbours taken of each class; a class with fewer gives all it has.
    n_probes : int, float or None, default None
        None: every sample is a probe once. A count, or a fraction of the samples (rounded up):
        so many probes are drawn at random, with replacement, as the first Relief did. That takes
        less work where they are few, and adds chance to the scores.
    nominal : array-like or None, default None
        Which features are nominal: their indices, or a boolean mask of all features.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the probes, where they are drawn, and of the order of features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Scores, -1 to 1.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    With all samples as probes the numbers are WEKA's (``ReliefFAttributeEval -M -1``), tied
    neighbours included: once k are held, a newcomer has to be strictly nearer than the farthest
    of them and replaces it, in the earliest slot. The choice among tied neighbours thus depends
    on the order of the rows.

    Missing values (NaN): if both values are missing the difference is 1; if one is, the larger
    of v and 1 - v, v being the scaled other; for a nominal feature 1 - 1/(number of its values
    in the data) in both cases.

    Two things differ from WEKA. A constant feature, or one without any value, gets the
    lowest score of all, at most 0; WEKA gives 0, which beats features of negative score. And WEKA
    takes a range below 1e-6 for constant, whatever the unit of the feature; here only an
    exactly constant feature is.

    References
    ----------
    I. Kononenko (1994). Estimating attributes: analysis and extensions of RELIEF. ECML-94,
    171-182.

    M. Robnik-Šikonja, I. Kononenko (2003). Theoretical and empirical analysis of ReliefF and
    RReliefF. Machine Learning 53, 23-69.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> hf.ReliefF(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines']
    """

    _allow_nan = True

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        n_probes: float | None = None,
        nominal: ArrayLike | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_probes = n_probes
        self.nominal = nominal
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401
        scores: Array = self._score_many(X, y, [np.arange(len(X))], [generator])[0]
        return scores

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Array:
        k = check_integer(self.n_neighbors, "n_neighbors", 1)
        nominal = checked_nominal(self.nominal, X.shape[1])
        return np.array(
            [
                _scores(X, own, present(y[own]), nominal, k, self._times(len(own), generator))
                for own, generator in zip(rows, seeded, strict=True)
            ]
        )

    def _times(self, n: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """Return how often each sample is a probe."""
        if self.n_probes is None:
            return np.ones(n, dtype=np.int64)
        count = count_of_part(part_or_count(self.n_probes, "n_probes", inclusive=True), n)
        return np.bincount(generator.integers(n, size=count), minlength=n)


def _scores(
    X: Any,  # noqa: ANN401
    rows: NDArray[np.integer],
    codes: NDArray[np.intp],
    nominal: NDArray[np.bool_],
    k: int,
    times: NDArray[np.int64],
) -> Array:
    """Score the features on one resample; work is done once for rows that repeat."""
    distinct, place = np.unique(rows, return_inverse=True)
    data = ScaledResample(X, distinct, nominal)
    scores, constant = np.zeros(X.shape[1]), np.zeros(X.shape[1], dtype=bool)
    step = max(1, ENTRIES // _pad_to_lanes(len(distinct)))
    for first in range(0, len(distinct), step):
        table = _distances(data, first, min(first + step, len(distinct)))
        pairs = _neighbours(table, first, place, codes, k, times)
        for block in data.blocks():
            relief.add_scores(block.values, block.kinds, block.lack, *pairs, scores[block.at])
            constant[block.at] = block.constant
    scores[constant] = min(scores[~constant].min(initial=0.0), 0.0)
    return scores


def _pad_to_lanes(n: int) -> int:
    return -(-n // relief.LANES) * relief.LANES


class ScaledResample:
    """The rows of one resample, read in blocks of scaled features."""

    def __init__(
        self,
        X: Any,  # noqa: ANN401
        rows: NDArray[np.integer],
        nominal: NDArray[np.bool_],
    ) -> None:
        self.X, self.rows, self.nominal = X, rows, nominal
        self.n = len(rows)
        self._kept = list(self._scaled()) if self.n * X.shape[1] <= ENTRIES else None

    def blocks(self) -> Iterable[ScaledFeatureBlock]:
        """Return the blocks; large data are scaled anew each time and never copied whole."""
        return self._scaled() if self._kept is None else self._kept

    def _scaled(self) -> Iterator[ScaledFeatureBlock]:
        p = self.X.shape[1]
        width = max(64, CACHED // _pad_to_lanes(self.n) // relief.LANES * relief.LANES)
        for start in range(0, p, width):
            at = slice(start, min(start + width, p))
            part = self.X[:, at]
            if self.n < len(part):
                part = part[self.rows]
            yield _scaled_block(at, np.array(part, dtype=np.float64, order="C"), self.nominal[at])


def _scaled_block(at: slice, values: Array, nominal: NDArray[np.bool_]) -> ScaledFeatureBlock:
    width = values.shape[1]
    kinds, constant = np.empty(width, dtype=np.int64), np.empty(width, dtype=bool)
    block = ScaledFeatureBlock(at, values, kinds, np.empty(width), constant)
    relief.scale(values, nominal, kinds, block.lack, constant)
    return block


def _distances(data: ScaledResample, first: int, stop: int) -> Array:
    """Distances of rows first to stop to all rows."""
    width = _pad_to_lanes(data.n)
    whole = stop - first == data.n
    table = np.zeros((stop - first, width))
    for block in data.blocks():
        turned = np.zeros((block.values.shape[1], width))
        turned[:, : data.n] = block.values.T
        relief.add_distances(turned, block.kinds, block.lack, first, whole, table)
    if whole:
        relief.mirror(table)
    return table


def _neighbours(
    table: Array,
    first: int,
    place: NDArray[np.intp],
    codes: NDArray[np.intp],
    k: int,
    times: NDArray[np.int64],
) -> WeightedRowPairs:
    """Find the neighbours of the probes in a table; a pair that occurs twice is merged."""
    counts, rows = np.bincount(codes), int(place.max()) + 1
    k = min(k, int(counts.max()))
    probes = np.count_nonzero((place >= first) & (place < first + len(table)))
    room = int(np.minimum(counts, k).sum()) * probes
    coded, shares = np.empty(room, dtype=np.int64), np.empty(room)
    size = relief.neighbours(table, first, rows, place, codes, counts, times, k, coded, shares)
    keys, where = np.unique(coded[:size], return_inverse=True)
    left, right = np.divmod(keys, rows)
    weights = np.bincount(where, shares[:size]).astype(np.float64, copy=False)
    return WeightedRowPairs(left, right, weights)
