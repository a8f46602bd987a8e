"""ReliefF as WEKA computes it: nearest hits and misses of every sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast._kernels import relief
from holdfast._random import RandomState
from holdfast._typing import BoolArray, FloatArray, IndexArray, IntArray, MatrixLike, RowLists
from holdfast._validation import as_count, check_integer, check_part_or_count
from holdfast.select._ranker import ThresholdScorer
from holdfast.select._registry import selector
from holdfast.select._selector import nominal_mask, renumber_classes

MAX_DISTANCES = 1 << 22
"""Entries of the largest table of distances (32 MB); more samples are processed in blocks. Chosen
by hand."""
MAX_SAMPLES_ALL_PROBES = 10_000
"""Up to this many samples every sample is a probe by default; above, n² distances take minutes for
the resamples of a study. Chosen by hand."""
N_DRAWN_PROBES = 2_000
"""Probes drawn by default above it: the standard error of a score is then 1/sqrt(2,000) of the
spread between probes, at most 0.02. Chosen by hand."""
MAX_CACHED_VALUES = 1 << 15
"""Values in a block of features: 256 kB, which fit into a core's second-level cache."""


class ScaledFeatureBlock(NamedTuple):
    """Scaled features, with what the kernels need to know about each of them."""

    columns: slice
    values: FloatArray
    kinds: IntArray
    lack: FloatArray
    constant: BoolArray


class WeightedRowPairs(NamedTuple):
    """Pairs of rows whose weighted differences add up to the scores."""

    left: IntArray
    right: IntArray
    weights: FloatArray


@selector(
    name="relieff",
    title="ReliefF",
    references=("kononenko1994", "robnik2003"),
)
class ReliefF(ThresholdScorer):
    r"""Score features by how they differ between near samples of different classes.

    .. math:: W_f = \frac{1}{n} \sum_i \Bigl[ -\overline{d_f(i, H_i)} + \sum_{c \ne c_i}
              \frac{P(c)}{1 - P(c_i)}\, \overline{d_f(i, M_i^c)} \Bigr]

    Every sample i is a probe once (or random samples are, see `n_probes`; n is the number of
    probes). H_i are its k nearest neighbours of the same class (hits), M_i^c those of class c
    (misses), a bar is the mean over them, P the share of a class. The distance is the sum of the
    differences d_f of all features: the absolute difference of values scaled to 0..1 by the range
    of the feature, for nominal features 0 or 1. Scores lie in -1..1, near 0 for features that are
    unrelated to the class.

    Parameters
    ----------
    n_neighbors : int, default 10
        k, the number of neighbours of each class; a smaller class contributes all its samples.
    n_probes : int, float or None, default None
        None: every sample is a probe once, up to 10,000 samples; with more, 2,000 probes are drawn
        at random. A count, or a fraction of the samples (rounded up): this many probes are drawn,
        with replacement, as in the original Relief. Few probes take less time and add random
        variation to the scores.
    nominal : array-like or None, default None
        Which features are nominal: their indices, or a boolean mask of all features.
    threshold : float or None, default None
        Select all features that score at least this much, instead of a number of them.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them, if no cut is set.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the probes, if they are drawn, and of the order of features with equal scores.

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
    Distances are computed for blocks of probes: memory is that of the scaled data, or of blocks of
    it, plus 32 MB.

    With all samples as probes the scores are WEKA's (``ReliefFAttributeEval -M -1``), also with
    tied neighbours: once k neighbours are found, another sample must be strictly nearer than the
    farthest of them and replaces it, in the earliest slot. The choice among tied neighbours
    therefore depends on the order of the rows.

    Missing values (NaN): if both values are missing the difference is 1; if one is, the larger
    of v and 1 - v, v being the scaled other; for a nominal feature 1 - 1/(number of its values
    in the data) in both cases.

    Two things differ from WEKA. A constant feature, or one without any value, gets the lowest
    score of all, at most 0; WEKA gives 0, which beats features of negative score. And WEKA treats
    a range below 1e-6 as constant, whatever the unit of the feature; here only an exactly
    constant feature is constant.

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
        threshold: float | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_probes = n_probes
        self.nominal = nominal
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def describe_adaptation(self, n_samples: int) -> str:
        """Return that probes are drawn by default, where there are many samples."""
        if self.n_probes is not None or n_samples <= MAX_SAMPLES_ALL_PROBES:
            return ""
        return (
            f"draws {N_DRAWN_PROBES:,} of {n_samples:,} training samples as probes, because there "
            f"are more than {MAX_SAMPLES_ALL_PROBES:,}; set n_probes for another number"
        )

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        scores: FloatArray = self._score_many(X, y, [np.arange(len(X))], [generator])[0]
        return scores

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        k = check_integer(self.n_neighbors, "n_neighbors", 1)
        nominal = nominal_mask(self.nominal, X.shape[1])
        return np.array(
            [
                _score_resample(
                    X,
                    indices,
                    renumber_classes(y[indices]),
                    nominal,
                    k,
                    self._probe_counts(len(indices), generator),
                )
                for indices, generator in zip(rows, rngs, strict=True)
            ]
        )

    def _probe_counts(self, n: int, generator: np.random.Generator) -> IntArray:
        """Return how often each sample is a probe; probes are drawn with replacement."""
        if self.n_probes is not None:
            count = as_count(check_part_or_count(self.n_probes, "n_probes", inclusive=True), n)
        elif n <= MAX_SAMPLES_ALL_PROBES:
            return np.ones(n, dtype=np.int64)
        else:
            count = N_DRAWN_PROBES
        return np.bincount(generator.integers(n, size=count), minlength=n)


def _score_resample(
    X: MatrixLike,
    rows: NDArray[np.integer],
    codes: IndexArray,
    nominal: BoolArray,
    k: int,
    times: IntArray,
) -> FloatArray:
    """Score the features on one resample; work is done once for rows that repeat."""
    # copies have the same distances: tables hold distinct rows only
    distinct, place = np.unique(rows, return_inverse=True)
    data = ScaledResample(X, distinct, nominal)
    scores, constant = np.zeros(X.shape[1]), np.zeros(X.shape[1], dtype=bool)
    probes = np.unique(place[times > 0])
    step = max(1, MAX_DISTANCES // _pad_to_lanes(len(distinct)))
    for first in range(0, len(probes), step):
        part = probes[first : first + step]
        pairs = _find_neighbours(_distance_table(data, part), part, place, codes, k, times)
        # two passes over the features: neighbours need the distance over all of them
        for block in data.blocks():
            relief.add_scores(block.values, block.kinds, block.lack, *pairs, scores[block.columns])
            constant[block.columns] = block.constant
    # below all other features, instead of 0, which would beat negative scores
    scores[constant] = min(scores[~constant].min(initial=0.0), 0.0)
    return scores


def _pad_to_lanes(n: int) -> int:
    return -(-n // relief.LANES) * relief.LANES


class ScaledResample:
    """The rows of one resample, read in blocks of scaled features."""

    def __init__(self, X: MatrixLike, rows: NDArray[np.integer], nominal: BoolArray) -> None:
        self.X, self.rows, self.nominal = X, rows, nominal
        self.n = len(rows)
        self._cached_blocks = (
            list(self._scale_blocks()) if self.n * X.shape[1] <= MAX_DISTANCES else None
        )

    def blocks(self) -> Iterable[ScaledFeatureBlock]:
        """Return the blocks; large data are scaled again at each call, never copied whole."""
        return self._scale_blocks() if self._cached_blocks is None else self._cached_blocks

    def _scale_blocks(self) -> Iterator[ScaledFeatureBlock]:
        p = self.X.shape[1]
        width = max(64, MAX_CACHED_VALUES // _pad_to_lanes(self.n) // relief.LANES * relief.LANES)
        for start in range(0, p, width):
            columns = slice(start, min(start + width, p))
            part = self.X[:, columns]
            # distinct rows are sorted: without rows left out they are all rows, in order
            if self.n < len(part):
                part = part[self.rows]
            count = part.shape[1]
            block = ScaledFeatureBlock(
                columns,
                np.array(part, dtype=np.float64, order="C"),
                np.empty(count, dtype=np.int64),
                np.empty(count),
                np.empty(count, dtype=bool),
            )
            relief.scale_block(
                block.values, self.nominal[columns], block.kinds, block.lack, block.constant
            )
            yield block


def _distance_table(data: ScaledResample, probes: IndexArray) -> FloatArray:
    """Return the distances of some rows to all rows."""
    width = _pad_to_lanes(data.n)
    whole = len(probes) == data.n
    table = np.zeros((len(probes), width))
    for block in data.blocks():
        # distances to the padding are computed, too, but never read
        transposed = np.zeros((block.values.shape[1], width))
        transposed[:, : data.n] = block.values.T
        relief.add_distances(transposed, block.kinds, block.lack, probes, whole, table)
    if whole:
        relief.mirror_upper_triangle(table)
    return table


def _find_neighbours(
    table: FloatArray,
    probes: IndexArray,
    place: IndexArray,
    codes: IndexArray,
    k: int,
    times: IntArray,
) -> WeightedRowPairs:
    """Find the neighbours of the probes in a table; equal pairs are merged."""
    counts, rows = np.bincount(codes), int(place.max()) + 1
    # no class has more samples than that, so no slots are needed for them
    k = min(k, int(counts.max()))
    row_of_table = np.full(rows, -1)
    row_of_table[probes] = np.arange(len(probes))
    n_probes = np.count_nonzero((row_of_table[place] >= 0) & (times > 0))
    max_pairs = int(np.minimum(counts, k).sum()) * n_probes
    coded, shares = np.empty(max_pairs, dtype=np.int64), np.empty(max_pairs)
    size = relief.list_neighbor_pairs(
        table, row_of_table, place, codes, counts, times, k, coded, shares
    )
    # pairs are coded as left * rows + right
    # a pair that is near in both directions is read once with the sum of its weights
    keys, positions = np.unique(coded[:size], return_inverse=True)
    left, right = np.divmod(keys, rows)
    weights = np.bincount(positions, shares[:size]).astype(np.float64, copy=False)
    return WeightedRowPairs(left, right, weights)
