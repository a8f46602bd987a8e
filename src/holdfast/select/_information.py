"""Information scores of features that are cut into bins."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse
import scipy.stats
from numpy.typing import NDArray
from scipy.special import chdtrc

from holdfast._kernels.discretization import (
    GAIN,
    NATS,
    UNCERTAINTY,
    n_log_n,
    score_mdl_bins,
    score_rank_bins,
    sort_sparse,
)
from holdfast._random import RandomState
from holdfast._typing import AnyArray, FloatArray, IndexArray, IntArray, MatrixLike, RowLists
from holdfast._validation import check_choice, check_integer
from holdfast.errors import InvalidInputError
from holdfast.select._p_values import Correction, PValueScorer
from holdfast.select._ranker import ThresholdScorer
from holdfast.select._registry import selector
from holdfast.select._selector import row_counts

# Columns are sorted once, then cut into bins and scored on each resample.

MAX_BLOCK_ENTRIES = 2**20
"""Entries sorted, or scores computed, at a time: about 40 MB."""
NO_CUTS = np.empty(0)
MIN_EXPECTED_COUNT = 2
"""Fewest samples of the smallest class in a bin, on average, for p-values: chosen by hand; a test
measures the level there."""


class SortedColumns(NamedTuple):
    """The entries of a block of columns, sorted by value, in the layout of the kernels."""

    start: IntArray
    stop: IntArray
    rows: NDArray[np.int32]
    values: FloatArray


class ResampleCounts(NamedTuple):
    """How often each resample holds each row, and each class."""

    codes: NDArray[np.int32]
    weights: NDArray[np.int32]
    totals: IntArray

    @classmethod
    def from_rows(cls, y: IndexArray, rows: RowLists | None = None) -> ResampleCounts:
        """Count the rows of resamples; None: the data themselves are the only resample."""
        codes = y.astype(np.int32)
        weights = row_counts([np.arange(len(y))] if rows is None else rows, len(y), np.int32)
        classes = np.arange(codes.max() + 1)[:, None] == codes
        return cls(codes, weights, weights @ classes.T.astype(np.int64))


def sorted_blocks(X: MatrixLike, width: int) -> Iterator[tuple[slice, SortedColumns]]:
    """Yield the columns of the data sorted, `width` of them at a time."""
    sparse: bool = scipy.sparse.issparse(X)
    if sparse and not X.has_canonical_format:
        # duplicate entries are summands of one value; the data of the caller stay as they are
        X = X.copy()
        X.sum_duplicates()
    for first in range(0, X.shape[1], width):
        columns = slice(first, min(first + width, X.shape[1]))
        yield columns, _sort_sparse(X, columns) if sparse else _sort_dense(X, columns)


def _sort_dense(X: AnyArray, columns: slice) -> SortedColumns:
    block = np.array(X[:, columns].T, dtype=np.float64, order="C")
    # NaN sorts last, as the kernels need it; the order of equal values does not matter to them
    order = np.argsort(block, axis=1)
    start = np.arange(0, block.size + 1, len(X))
    rows = order.astype(np.int32).ravel()
    block.sort(axis=1)  # faster than to collect the values in the order found
    values = block.ravel()
    return SortedColumns(start, _first_missing(start, values), rows, values)


def _sort_sparse(X: MatrixLike, columns: slice) -> SortedColumns:
    # a slice of a CSC matrix is a slice of its entries: nothing is copied but this block
    pointers = X.indptr[columns.start : columns.stop + 1].astype(np.int64)
    entries = slice(pointers[0], pointers[-1])
    rows = X.indices[entries].astype(np.int32)
    values = X.data[entries].astype(np.float64)
    start = pointers - pointers[0]
    sort_sparse(start, rows, values)
    return SortedColumns(start, _first_missing(start, values), rows, values)


def _first_missing(start: IntArray, values: FloatArray) -> IntArray:
    """Find where the missing values of each sorted column begin."""
    stop = start[1:].copy()
    # one step back in all columns that still end with a missing value
    (columns,) = np.nonzero(stop > start[:-1])
    while len(columns):
        columns = columns[np.isnan(values[stop[columns] - 1])]
        stop[columns] -= 1
        columns = columns[stop[columns] > start[columns]]
    return stop


def bin_scores(
    X: MatrixLike,
    resamples: ResampleCounts,
    kind: int,
    n_bins: int,
    cut_points: list[FloatArray] | None = None,
) -> FloatArray:
    """Score the bins of each column on each resample.

    Parameters
    ----------
    X
        The data, dense or CSC, NaN where missing.
    resamples
        The resamples to score on.
    kind
        The score: ``GAIN``, ``UNCERTAINTY`` or ``NATS`` of ``_kernels.discretization``.
    n_bins
        The number of bins of equal frequency; 0 for MDL cuts.
    cut_points
        A list that receives the cuts of each column on the last resample.
    """
    largest = int(resamples.totals.sum(axis=1).max())
    n_bins = min(n_bins, largest)  # with more bins than samples, each value has its bin anyway
    table = n_log_n(largest)
    scores = np.empty((len(resamples.weights), X.shape[1]))
    # the sort is done once per block and serves all resamples
    for columns, block in sorted_blocks(
        X, max(1, MAX_BLOCK_ENTRIES // max(resamples.weights.shape))
    ):
        cuts = np.empty(len(block.values) if n_bins == 0 else 0)
        n_cuts = np.zeros(len(block.stop), dtype=np.int64)
        block_scores = np.empty((len(scores), len(n_cuts)))
        if n_bins == 0:
            score_mdl_bins(kind, *block, *resamples, table, block_scores, cuts, n_cuts)
        else:
            score_rank_bins(kind, n_bins, *block, *resamples, table, block_scores)
        scores[:, columns] = block_scores
        if cut_points is not None:
            # columns without cuts, often most of them, share one empty array
            cut_points.extend(
                cuts[start : start + count].copy() if count else NO_CUTS
                for start, count in zip(block.start[:-1], n_cuts, strict=True)
            )
    return scores


# The selectors.

Binning = Literal["equal-frequency", "mdl"]


class BinScorer(ThresholdScorer):
    """Base class of scores of the table of bins by classes."""

    _allow_sparse = True
    _kind: ClassVar[int]

    @abstractmethod
    def _n_bins(self) -> int:
        """Return the number of bins of equal frequency, 0 for MDL cuts."""

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        (scores,) = bin_scores(X, ResampleCounts.from_rows(y), self._kind, self._n_bins())
        return np.asarray(scores)

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        return bin_scores(X, ResampleCounts.from_rows(y, rows), self._kind, self._n_bins())


@selector(
    name="information_gain",
    title="information gain (MDL cuts)",
    references=("fayyad1993", "kalousis2005"),
    aliases=("info_gain",),
)
class InformationGain(BinScorer):
    r"""Score features by their information gain about the class, in bits, after MDL binning.

    .. math:: IG = H(C) - H(C \mid B)

    with the entropy H in bits, C the class and B the bin. Cuts are set by Fayyad and Irani's
    method: among all cuts between two neighbouring values, the one that minimises the class
    entropy (the first of equals) is accepted if its gain exceeds

    .. math:: \frac{\log_2 m + \log_2(3^c - 2) - (c H - c_1 H_1 - c_2 H_2)}{n}

    where the n samples have m possible cuts and c classes, and the two sides c₁ and c₂ classes;
    then both sides are cut in turn. A cut lies midway between the two values; a value equal to
    the cut belongs to the lower bin. Scores and cuts are those of WEKA 3.6 (its "better
    encoding").

    Parameters
    ----------
    threshold : float or None, default None
        Select all features that score at least this much, instead of a number of them.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them, if no cut is set.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores. It matters here: all features without a
        cut share the score 0, and these can be most features.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Scores from 0 to log₂ of the number of classes. A feature without a cut has exactly 0.
    cut_points_ : list of p arrays
        The cuts of each feature, ascending.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Missing values (NaN) are left out of the search for cuts. Those of each class are then spread
    over the bins in proportion to the bin sizes, so a missing value carries no information.
    Sparse matrices stay sparse: entries that are not stored are zero.

    References
    ----------
    U. M. Fayyad, K. B. Irani (1993). Multi-interval discretization of continuous-valued
    attributes for classification learning. IJCAI 1993, 1022-1027.

    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> gain = hf.InformationGain(n_features_to_select=2).fit(X, y)
    >>> gain.get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    >>> gain.cut_points_[0].round(3).tolist()
    [12.185, 12.78]
    """

    _allow_nan = True
    _kind = GAIN

    def __init__(
        self,
        *,
        threshold: float | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _n_bins(self) -> int:
        return 0

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        self.cut_points_: list[FloatArray] = []
        (scores,) = bin_scores(X, ResampleCounts.from_rows(y), GAIN, 0, self.cut_points_)
        return np.asarray(scores)


@selector(
    name="symmetrical_uncertainty",
    title="symmetrical uncertainty",
    references=("press1988", "saeys2008"),
    aliases=("symmetric_uncertainty",),
)
class SymmetricalUncertainty(BinScorer):
    r"""Score features by their mutual information with the class, relative to both entropies.

    .. math:: SU = 2 \, \frac{H(C) - H(C \mid B)}{H(C) + H(B)}

    with the entropy H, C the class and B the bin. Unlike the gain it does not favour features
    with many bins.

    Parameters
    ----------
    binning : {"equal-frequency", "mdl"}, default "equal-frequency"
        How features are cut into bins: into `n_bins` with the same number of samples, or as
        :class:`InformationGain` does (scores are then those of WEKA 3.6).
    n_bins : int, default 10
        Number of bins of equal frequency, 2 or more. Equal values always share a bin: of n
        samples, a value with mean rank r (from 1) goes into bin
        :math:`\lfloor (r - 1/2) \, b / n \rfloor` of the b bins, counted from 0. A value frequent
        enough to fill several bins leaves all but one of them empty.
    threshold : float or None, default None
        Select all features that score at least this much, instead of a number of them.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them, if no cut is set.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Scores from 0 (nothing shared; constant features) to 1 (each determines the other).
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Missing values (NaN) are left out of the binning, then spread over the bins as for
    :class:`InformationGain`. Sparse matrices stay sparse.

    References
    ----------
    W. H. Press, B. P. Flannery, S. A. Teukolsky, W. T. Vetterling (1988). Numerical recipes in C.
    Cambridge University Press.

    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> uncertainty = hf.SymmetricalUncertainty(binning="mdl", n_features_to_select=2).fit(X, y)
    >>> uncertainty.get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines']
    """

    _allow_nan = True
    _kind = UNCERTAINTY

    def __init__(
        self,
        *,
        binning: Binning = "equal-frequency",
        n_bins: int = 10,
        threshold: float | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.binning = binning
        self.n_bins = n_bins
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _n_bins(self) -> int:
        binning = check_choice(self.binning, "binning", get_args(Binning))
        return 0 if binning == "mdl" else check_integer(self.n_bins, "n_bins", 2)


@selector(
    name="mutual_information",
    title="mutual information (bins of equal frequency)",
    references=("dernoncourt2014", "williams1976"),
)
class MutualInformation(BinScorer, PValueScorer):
    r"""Score features by their mutual information with the class, from bins of equal frequency.

    .. math:: I = \sum_{b, c} p_{bc} \ln \frac{p_{bc}}{p_b \, p_c}

    in nats, as scikit-learn's ``mutual_info_score`` of bins and classes.

    Parameters
    ----------
    n_bins : int, default 10
        Number of bins of equal frequency, 2 or more; equal values always share a bin (see
        :class:`SymmetricalUncertainty`).
    threshold : float or None, default None
        Select all features that score at least this much, instead of a number of them.
    alpha : float or None, default None
        Select all features with a corrected p-value of at most this level, instead of a number of
        them.
    correction : {"fdr_bh", "bonferroni", "none"}, default "fdr_bh"
        How p-values are corrected for the number of features: Benjamini and Hochberg's rule, which
        controls the false discovery rate if tests are independent or positively dependent;
        Bonferroni's, which controls the probability of any false selection; or not at all.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them, if no cut is set.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Scores from 0 (constant features among others) to ln of the number of classes.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.
    pvalues_, qvalues_ : array of shape (p,)
        The p-values, and the corrected ones; only if `alpha` is set.

    Notes
    -----
    Features without information score above 0: about (b - 1)(c - 1) / (2n) for b bins, c classes
    and n samples. This bias is the same for all features with the same number of bins.
    scikit-learn's ``mutual_info_classif`` estimates the same quantity without bins, from nearest
    neighbours; it is far slower, and :class:`AnySelector` makes a selector of it. Sparse matrices
    stay sparse.

    The p-values behind `alpha` are those of the G test of independence of bins and classes, by the
    chi-square distribution with (b - 1)(c - 1) degrees of freedom, b counting the bins that hold a
    value. G = 2 n I is divided by Williams' factor

    .. math:: q = 1 + \frac{(n \sum_b 1/n_b - 1)(n \sum_c 1/n_c - 1)}{6 n (b - 1)(c - 1)}

    without which too many small p-values occur in small samples. An error asks for fewer bins if
    a bin would hold fewer than two samples of the smallest class on average. Samples must be
    independent: on a bootstrap resample, whose rows repeat, p-values are too small.

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    D. A. Williams (1976). Improved likelihood ratio tests for complete contingency tables.
    Biometrika 63(1), 33-37.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> hf.MutualInformation(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    _kind = NATS

    def __init__(
        self,
        *,
        n_bins: int = 10,
        threshold: float | None = None,
        alpha: float | None = None,
        correction: Correction = "fdr_bh",
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.n_bins = n_bins
        self.threshold = threshold
        self.alpha = alpha
        self.correction = correction
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _n_bins(self) -> int:
        return check_integer(self.n_bins, "n_bins", 2)

    def _p_values(self, X: MatrixLike, y: IndexArray, scores: FloatArray) -> FloatArray:
        n_bins, counts = self._n_bins(), np.bincount(y)
        if counts.min() < MIN_EXPECTED_COUNT * n_bins:
            raise InvalidInputError(
                f"alpha needs bins that hold at least {MIN_EXPECTED_COUNT} samples of the smallest "
                f"class on average; with {n_bins:,} bins and {counts.min():,} samples of that "
                f"class they do not. Use n_bins={max(2, counts.min() // MIN_EXPECTED_COUNT)}, or "
                "a threshold instead of alpha."
            )
        p_values = np.empty(X.shape[1])
        width = max(1, MAX_BLOCK_ENTRIES // len(y))
        for first in range(0, X.shape[1], width):
            columns = slice(first, first + width)
            block = X[:, columns]
            block = np.asarray(block.toarray() if hasattr(block, "toarray") else block)
            p_values[columns] = _g_test(scores[columns], _bin_sizes(block, n_bins), counts)
        return p_values


def _bin_sizes(block: AnyArray, n_bins: int) -> IntArray:
    """Return the number of samples in each bin of equal frequency (row) of each column."""
    n, p = block.shape
    double_ranks = (2 * scipy.stats.rankdata(block, axis=0)).astype(np.int64)
    # floor((r - 1/2) b / n) in integers, for the mean rank r
    bins = (double_ranks - 1) * n_bins // (2 * n)
    sizes = np.bincount((bins * p + np.arange(p)).ravel(), minlength=n_bins * p)
    return sizes.reshape(n_bins, p)


def _g_test(information: FloatArray, bin_sizes: IntArray, class_sizes: IntArray) -> FloatArray:
    """Return the p-values of mutual information in nats, by the G test with Williams' factor.

    Parameters
    ----------
    information : ndarray of shape (p,)
        The mutual information of bins and classes.
    bin_sizes : ndarray of shape (b, p)
        Samples in each bin.
    class_sizes : ndarray of shape (c,)
        Samples in each class.
    """
    n = class_sizes.sum()
    freedom = ((bin_sizes > 0).sum(axis=0) - 1) * (len(class_sizes) - 1)
    by_bin = n * (1.0 / np.maximum(bin_sizes, 1) * (bin_sizes > 0)).sum(axis=0) - 1.0
    by_class = n * (1.0 / class_sizes).sum() - 1.0
    # a feature with a single bin says nothing: its p-value is 1
    usable = np.maximum(freedom, 1)
    factor = 1.0 + by_bin * by_class / (6.0 * n * usable)
    p_values = chdtrc(usable, np.maximum(2.0 * n * information / factor, 0.0))
    return np.where(freedom > 0, p_values, 1.0)
