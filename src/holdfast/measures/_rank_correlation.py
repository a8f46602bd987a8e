"""Agreement of weights or ranks: Pearson, Spearman, top-down, Kendall, rank-biased overlap."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels.ranks import kendall_table, overlap_tables
from holdfast._typing import AnyArray, FloatArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.measures._registry import ChanceLevel, register_measure, zero_chance
from holdfast.measures._subset_tables import PairMeasure, PairSimilarities
from holdfast.preferences import Rankings, Weights, column_blocks, empty_table


def correlations(table: AnyArray) -> FloatArray:
    """Correlate all rows of a table, read in blocks of columns; constant rows give NaN."""
    low, high = np.array([(row.min(), row.max()) for row in table], dtype=np.float64).T
    constant = low == high
    scale = np.where(constant, 1.0, high / 2 - low / 2)  # so that no square over- or underflows
    mean = np.array([(row / size).mean() for row, size in zip(table, scale, strict=True)])
    products = np.zeros((len(table), len(table)))
    for columns in column_blocks(table):
        block = table[:, columns] / scale[:, None] - mean[:, None]
        products += block @ block.T
    length = np.sqrt(np.diag(products))
    length[constant] = np.nan
    return np.asarray(np.clip(products / np.outer(length, length), -1.0, 1.0))


@register_measure(
    PairMeasure,
    title="Pearson correlation of weights",
    form="weights",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    references=("kalousis2005", "dernoncourt2014", "saeys2008"),
)
def pearson(weights: Weights) -> PairSimilarities:
    r"""Mean correlation of the weights of two preferences.

    .. math:: \operatorname{mean}_{i<j}
       \frac{\sum_f (w_{if} - \bar w_i)(w_{jf} - \bar w_j)}
       {\sqrt{\sum_f (w_{if} - \bar w_i)^2 \sum_f (w_{jf} - \bar w_j)^2}}

    All features count, selected or not; a few large weights can dominate. A table that is mapped
    from disk is read in blocks.

    Edge cases:

    =====================  =========
    two vectors            value
    =====================  =========
    weights, the same      1
    weights, negated       -1
    constant, weights      undefined
    one feature, the same  undefined
    =====================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("pearson", hf.Weights([[3, 1, 0], [2, 1, 1]])), 4)
    0.9449
    """
    return PairSimilarities(blocks=[correlations(weights.values)], chance=zero_chance)


@register_measure(
    PairMeasure,
    title="Spearman rank correlation",
    form="ranking",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    references=("spearman1904", "kalousis2005", "saeys2008"),
)
def spearman(rankings: Rankings) -> PairSimilarities:
    r"""Mean correlation of the ranks in two preferences.

    .. math:: \operatorname{mean}_{i<j} \operatorname{corr}(R_i, R_j)

    With ties it is the correlation of average ranks, not the shortcut by squared differences.
    All ranks count equally: two rankings that agree on the worst features look stable. For the
    top of the rankings see ``rbo`` and ``top_down``.

    Edge cases:

    =====================  =========
    two rankings           value
    =====================  =========
    a ranking, the same    1
    a ranking, reversed    -1
    all tied, a ranking    undefined
    all tied, all tied     undefined
    one feature, the same  undefined
    =====================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("spearman", hf.Rankings([[1, 2, 3], [1, 3, 2]])), 4)
    0.5
    """
    return PairSimilarities(blocks=[correlations(rankings.values)], chance=zero_chance)


@register_measure(
    PairMeasure,
    title="top-down correlation (Savage scores)",
    form="ranking",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    references=("iman1987", "kalousis2005"),
)
def top_down(rankings: Rankings) -> PairSimilarities:
    r"""Mean correlation of Savage scores, which differ most among the top ranks.

    .. math:: \operatorname{mean}_{i<j} \operatorname{corr}(s(R_i), s(R_j)), \qquad
              s(\rho) = \sum_{t=\rho}^{p} \frac1t

    Rank 1 is worth about ln p + 0.58, the last 1/p. Tied features share the mean score of
    their places.

    Edge cases:

    =====================  =========
    two rankings           value
    =====================  =========
    a ranking, the same    1
    a ranking, reversed    -0.8841
    all tied, a ranking    undefined
    all tied, all tied     undefined
    one feature, the same  undefined
    =====================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> r = hf.Rankings([[1, 2, 3, 4], [1, 2, 4, 3]])
    >>> hf.measure("top_down", r) > hf.measure("spearman", r)
    True
    """
    table = empty_table(rankings.values.shape, np.float64)
    # the score of rank i is 1/i + 1/(i + 1) + ... + 1/p
    savage_scores = np.cumsum(1 / np.arange(rankings.n_features, 0, -1.0))[::-1]
    below = np.concatenate(([0.0], np.cumsum(savage_scores)))
    for index, ranks in enumerate(rankings):
        # tied features share the mean of the scores of their ranks
        places, tie, number = np.unique(ranks, return_inverse=True, return_counts=True)
        start = np.rint(places - (number + 1) / 2).astype(np.intp)
        table[index] = ((below[start + number] - below[start]) / number)[tie]
    return PairSimilarities(blocks=[correlations(table)], chance=zero_chance)


# Kendall's tau-b.


@register_measure(
    PairMeasure,
    title="Kendall's tau-b",
    form="ranking",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    references=("kendall1945",),
)
def kendall(rankings: Rankings) -> PairSimilarities:
    r"""Mean over pairs of preferences of the excess of concordant over discordant feature pairs.

    .. math:: \operatorname{mean}_{i<j} \frac{n_c - n_d}{\sqrt{(n_0 - t_i)(n_0 - t_j)}}

    n_c and n_d count the pairs of features in the same and in opposite order, t_i those tied in
    preference i, and n₀ = p(p - 1)/2.

    Edge cases:

    =====================  =========
    two rankings           value
    =====================  =========
    a ranking, the same    1
    a ranking, reversed    -1
    all tied, a ranking    undefined
    all tied, all tied     undefined
    one feature, the same  undefined
    =====================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("kendall", hf.Rankings([[1, 2, 3], [1, 3, 2]])), 4)
    0.3333
    """
    return PairSimilarities(blocks=[kendall_table(np.asarray(rankings.values))], chance=zero_chance)


# Rank-biased overlap.

NEGLIGIBLE_WEIGHT = 1e-17  # below the rounding of a sum of 1: deeper ranks are left out


@register_measure(
    PairMeasure,
    title="rank-biased overlap",
    form="ranking",
    minimum=0.0,
    maximum=1.0,
    references=("webber2010",),
)
def rbo(rankings: Rankings, *, persistence: float = 0.9) -> PairSimilarities:
    r"""Overlap of the top d features, averaged over all depths d with falling weights.

    .. math:: \operatorname{mean}_{i<j} \left[\frac{1 - \varphi}{\varphi}
       \sum_{d=1}^{p} A_d\,\varphi^d + A_p\,\varphi^p\right], \qquad
       A_d = \frac{2\,|S_d \cap T_d|}{|S_d| + |T_d|}

    S_d and T_d are the features ranked d or better. The `persistence` φ sets how deep it looks:
    a reader who goes on to the next rank with probability φ sees 1/(1 - φ) ranks on average, 10
    by default. Tied features all stand at the first rank of their tie (the authors' rule), so
    S_d may hold more than d of them. The chance level is exact: for random orders the
    expectation of A_d depends on the sizes of S_d and T_d alone.

    Edge cases:

    =====================  =========
    two rankings           value
    =====================  =========
    a ranking, the same    1
    a ranking, reversed    0.783
    all tied, a ranking    0.8984
    all tied, all tied     1
    one feature, the same  1
    =====================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("rbo", hf.Rankings([[1, 2, 3], [1, 3, 2]])), 4)
    0.955
    """
    if not 0 < persistence < 1:
        raise InvalidInputError(f"persistence must lie between 0 and 1, got {persistence}.")
    p = rankings.n_features
    depth = min(p, math.ceil(math.log(NEGLIGIBLE_WEIGHT) / math.log(persistence)))
    weights = (1 - persistence) * persistence ** np.arange(depth, dtype=np.float64)
    weights[-1] += persistence**depth  # all deeper ranks: extrapolation with the last agreement
    values, chance = overlap_tables(*_top_ranks(rankings, depth), weights, p)
    above = np.triu_indices(len(values), 1)
    return PairSimilarities(
        blocks=[values], chance=lambda: ChanceLevel(float(chance[above].mean()))
    )


def _top_ranks(
    rankings: Rankings, depth: int
) -> tuple[NDArray[np.int32], IntArray, NDArray[np.int32], FloatArray]:
    """Return the first ranks of all features near the top of any ranking, and these by row."""
    # features that no ranking has near its top never enter an overlap, so tables stay small
    near = np.zeros(rankings.n_features, dtype=bool)
    for row in rankings:
        near |= _first_ranks(row) <= depth
    first = np.array(
        [np.minimum(_first_ranks(row)[near], depth + 1) for row in rankings], dtype=np.int32
    )
    listed, items = np.nonzero(first <= depth)
    bounds = np.searchsorted(listed, np.arange(len(rankings) + 1)).astype(np.int64)
    reached = [np.cumsum(np.bincount(row, minlength=depth + 2)[1 : depth + 1]) for row in first]
    return first, bounds, items.astype(np.int32), np.array(reached, dtype=np.float64)


def _first_ranks(ranks: AnyArray) -> NDArray[np.int32]:
    """Return the first rank of each feature's tie from its average rank."""
    if ranks.dtype.kind in "iu":
        return ranks.astype(np.int32)
    _, tie, number = np.unique(ranks, return_inverse=True, return_counts=True)
    return np.rint(ranks - (number[tie] - 1) / 2).astype(np.int32)
