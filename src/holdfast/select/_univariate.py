"""t-score and F statistic, computed for many resamples at once by matrix products."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import fdtrc, stdtr

from holdfast._kernels.moments import (
    POOLED,
    SQUARED,
    WELCH,
    F,
    f_statistics,
    fill_missing_statistics,
    pooled_t,
    separate_t,
)
from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, IntArray, MatrixLike, RowLists
from holdfast._validation import check_choice
from holdfast.errors import InvalidInputError
from holdfast.select._p_values import Correction, PValueScorer, take_smallest_p_value
from holdfast.select._registry import selector
from holdfast.select._selector import row_counts

MAX_BLOCK_ENTRIES = 2**22
"""Size of the largest array of a block of features: 32 MB; chosen by hand."""
Variance = Literal["pooled", "welch", "squared"]


class MomentScorer(PValueScorer):
    """Base class of scores that depend only on class-wise sums and sums of squares.

    With weights W (resamples x rows: how often a resample holds a row) the sums are the matrix
    products W X and W X². Columns are scaled and centred first, so that neither large means nor
    extreme units cost digits; scores that still lost digits are recomputed from the rows.
    """

    _allow_sparse = True

    @abstractmethod
    def _kind(self) -> int:
        """Return the code of the statistic; raise if a parameter is unknown."""

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        scores: FloatArray = self._weighted_scores(X, y, np.ones((1, len(y))))[0]
        return scores

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        return self._weighted_scores(X, y, row_counts(rows, len(y), float))

    def signed_statistics(self, X: FloatArray, y: IndexArray, rows: RowLists) -> FloatArray | None:
        """Return t statistics, positive if the mean of the second class is larger.

        None if there are more than two classes, or the score is not a t statistic.
        """
        kind = self._kind()
        # a sign needs two classes, and the squared score is no t statistic
        if y.max() != 1 or kind == SQUARED:
            return None
        weights = row_counts(rows, len(y), float)
        scores = self._weighted_scores(X, y, weights)
        # F = t^2 for two classes
        size = np.sqrt(scores) if kind == F else scores
        first, second = (
            (of_class / of_class.sum(axis=1, keepdims=True)) @ X
            for of_class in (weights * (y == 0), weights * y)
        )
        return np.asarray(np.sign(second - first) * size)

    def _weighted_scores(self, X: MatrixLike, y: IndexArray, weights: FloatArray) -> FloatArray:
        """Return the scores of each resample (row of weights), block of features by block."""
        kind = self._kind()
        by_class_too = kind in (WELCH, SQUARED)  # these need a variance per class
        counts = class_counts(y, weights)
        scores = np.empty((len(weights), X.shape[1]))
        for columns, block, _, sums, squares in moment_blocks(X, y, weights, by_class_too):
            # all arrays in C order: a kernel is compiled again for each other layout
            block_scores = np.empty((len(weights), block.shape[1]))
            _write_statistics(kind, sums, squares, counts, block_scores)
            if np.isnan(block_scores).any():
                fill_missing_statistics(
                    kind, np.ascontiguousarray(block), y, weights, counts.shape[1], block_scores
                )
            scores[:, columns] = block_scores
        return scores


class MomentBlock(NamedTuple):
    """Class-wise moments of a block of features on each resample.

    Attributes
    ----------
    columns : slice
        The features.
    values : ndarray of shape (n, width)
        Their values, divided by powers of two.
    exponents : ndarray of int, shape (width,)
        The exponents of these powers.
    sums : ndarray of shape (c, n_resamples, width)
        Sums of the centred values over each class.
    squares : ndarray of shape (n_resamples, width) or (c, n_resamples, width)
        Sums of their squares, over all rows or over each class.
    """

    columns: slice
    values: FloatArray
    exponents: IntArray
    sums: FloatArray
    squares: FloatArray


def class_counts(y: IndexArray, weights: FloatArray) -> FloatArray:
    """Return the rows of each class in each resample."""
    return np.asarray(weights @ np.eye(y.max() + 1)[:, y].T)


def moment_blocks(
    X: MatrixLike, y: IndexArray, weights: FloatArray, by_class_too: bool
) -> Iterator[MomentBlock]:
    """Yield the moments of the features, block by block; `by_class_too`: squares per class."""
    members = np.eye(y.max() + 1)[:, y]
    # one product for all classes and resamples: matrix products are fastest when large
    by_class = (members[:, None, :] * weights[None, :, :]).reshape(-1, len(y))
    width = max(1, MAX_BLOCK_ENTRIES // max(len(by_class), len(y)))
    for columns, block, exponents in _scaled_blocks(X, width):
        # centring keeps digits in the sums of squares; it changes no statistic
        centred = block - block.mean(axis=0)
        sums = (by_class @ centred).reshape(len(members), len(weights), -1)
        np.square(centred, out=centred)
        squares = (by_class if by_class_too else weights) @ centred
        squares = squares.reshape(sums.shape) if by_class_too else squares
        yield MomentBlock(columns, block, exponents, sums, squares)


def _scaled_blocks(X: MatrixLike, width: int) -> Iterator[tuple[slice, FloatArray, IntArray]]:
    """Yield blocks of columns, dense, divided by powers of two, and the exponents of these."""
    for start in range(0, X.shape[1], width):
        columns = slice(start, start + width)
        block = X[:, columns]
        block = np.asarray(
            block.toarray() if hasattr(block, "toarray") else block, dtype=np.float64
        )
        # powers of two: the division is exact, and squares stay in range
        exponents = np.frexp(np.abs(block).max(axis=0))[1]
        yield columns, np.ldexp(block, -exponents), exponents


def _write_statistics(
    kind: int, sums: FloatArray, squares: FloatArray, counts: FloatArray, out: FloatArray
) -> None:
    if kind == F:
        f_statistics(sums, squares, counts, out)
    elif kind == POOLED:
        pooled_t(sums, squares, counts, out)
    else:
        separate_t(kind, sums, squares, counts, out)


@selector(
    name="t_score",
    title="t-score (absolute)",
    references=("dernoncourt2014",),
    aliases=("ttest", "t_test", "student_t"),
)
class TScore(MomentScorer):
    r"""Score features by the absolute t statistic between the classes.

    With means :math:`\bar x_k`, variances :math:`s_k^2` and n_k samples of two classes, the score
    is, for `variance`

    * ``"pooled"``: :math:`|\bar x_1 - \bar x_2| / \sqrt{s^2 (1/n_1 + 1/n_2)}` with
      :math:`s^2 = ((n_1 - 1) s_1^2 + (n_2 - 1) s_2^2) / (n_1 + n_2 - 2)`;
    * ``"welch"``: :math:`|\bar x_1 - \bar x_2| / \sqrt{s_1^2/n_1 + s_2^2/n_2}`;
    * ``"squared"``: :math:`(\bar x_1 - \bar x_2)^2 / (s_1^2 + s_2^2)`.

    With more classes it is the largest score of one class against the rest.

    Parameters
    ----------
    variance : {"pooled", "welch", "squared"}, default "pooled"
        Which of these scores.
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
        Scores, 0 or more. A constant feature has 0; one that is constant within every class, but
        not the same in all, has the largest number there is.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.
    pvalues_, qvalues_ : array of shape (p,)
        The p-values, and the corrected ones; only if `alpha` is set.

    Notes
    -----
    The p-values behind `alpha` are two-sided, by Student's distribution with n - 2 degrees of
    freedom, for ``"welch"`` with those of Welch and Satterthwaite. With more than two classes the
    smallest p-value of the contrasts is multiplied by their number. ``"squared"`` has none.
    Samples must be independent: on a bootstrap resample, whose rows repeat, p-values are too small.

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> hf.TScore(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['worst perimeter', 'worst concave points']
    >>> by_level = hf.TScore(alpha=0.01, correction="bonferroni").fit(X, y)
    >>> int(by_level.get_support().sum()), bool(by_level.qvalues_[:2].max() < 1e-20)
    (25, True)
    """

    def __init__(
        self,
        *,
        variance: Variance = "pooled",
        threshold: float | None = None,
        alpha: float | None = None,
        correction: Correction = "fdr_bh",
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.variance = variance
        self.threshold = threshold
        self.alpha = alpha
        self.correction = correction
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _kind(self) -> int:
        kinds = {"pooled": POOLED, "welch": WELCH, "squared": SQUARED}
        return kinds[check_choice(self.variance, "variance", kinds)]

    def _check_cut(self) -> None:
        super()._check_cut()
        if self.alpha is not None and self._kind() == SQUARED:
            raise InvalidInputError(
                "the score of variance='squared' has no p-value; use variance='welch' or 'pooled', "
                "or a threshold instead of alpha."
            )

    def _p_values(self, X: MatrixLike, y: IndexArray, scores: FloatArray) -> FloatArray:
        n_classes = int(y.max()) + 1
        if self._kind() == WELCH:
            return _welch_p_values(X, y, n_classes)
        p_values = 2.0 * stdtr(len(y) - 2.0, -scores)
        # the largest t of several contrasts has the smallest p-value of them
        return np.asarray(np.minimum(1.0, (1 if n_classes == 2 else n_classes) * p_values))


def _welch_p_values(X: MatrixLike, y: IndexArray, n_classes: int) -> FloatArray:
    """Return p-values of Welch's t of one class against the rest, the smallest of all classes.

    Degrees of freedom are those of Welch and Satterthwaite; with more than two classes the
    smallest p-value is multiplied by their number.
    """
    p_values = np.empty(X.shape[1])
    for columns, block, _ in _scaled_blocks(X, max(1, MAX_BLOCK_ENTRIES // len(y))):
        shifted = block - block[0]  # constant columns become exactly 0
        contrasts = []
        for k in range(1 if n_classes == 2 else n_classes):
            parts = shifted[y == k], shifted[y != k]
            sizes = np.array([[len(part)] for part in parts])
            errors = np.array([part.var(axis=0, ddof=1) for part in parts]) / sizes
            difference, error = parts[0].mean(axis=0) - parts[1].mean(axis=0), errors.sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):  # features without variance
                freedom = error**2 / (errors**2 / (sizes - 1)).sum(axis=0)
                p = 2.0 * stdtr(freedom, -np.abs(difference) / np.sqrt(error))
            contrasts.append(np.where(error > 0, p, difference == 0))
        p_values[columns] = take_smallest_p_value(np.array(contrasts))
    return p_values


@selector(
    name="f_score",
    title="F statistic (analysis of variance)",
    references=("yu2008",),
    aliases=("anova", "f_classif", "f_test"),
)
class FScore(MomentScorer):
    r"""Score features by the F statistic of one-way analysis of variance.

    .. math:: F = \frac{\sum_k n_k (\bar x_k - \bar x)^2 / (c - 1)}
                       {\sum_k \sum_{i \in k} (x_i - \bar x_k)^2 / (n - c)}

    for c classes. With two classes it is the square of the pooled t.

    Parameters
    ----------
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
        Scores, 0 or more. A constant feature has 0; one that is constant within every class, but
        not the same in all, has the largest number there is.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.
    pvalues_, qvalues_ : array of shape (p,)
        The p-values, and the corrected ones; only if `alpha` is set.

    Notes
    -----
    The p-values behind `alpha` come from the F distribution with c - 1 and n - c degrees of
    freedom. Samples must be independent: on a bootstrap resample, whose rows repeat, p-values are
    too small.

    References
    ----------
    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> hf.FScore(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    def __init__(
        self,
        *,
        threshold: float | None = None,
        alpha: float | None = None,
        correction: Correction = "fdr_bh",
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.threshold = threshold
        self.alpha = alpha
        self.correction = correction
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _kind(self) -> int:
        return F

    def _p_values(self, X: MatrixLike, y: IndexArray, scores: FloatArray) -> FloatArray:
        between = int(y.max())
        return np.asarray(fdtrc(between, len(y) - between - 1, scores))
