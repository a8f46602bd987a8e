"""Correlation of weights or of ranks: Pearson, Spearman, top-down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.measures._estimate import zero_chance
from holdfast.measures._pairs import PairMeasure, Pairs
from holdfast.measures._record import Measure, register
from holdfast.preferences._storage import column_blocks, empty_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.measures._types import Array
    from holdfast.preferences import Form, Rankings, Weights


def correlation_measure(
    *, title: str, form: Form, references: tuple[str, ...]
) -> Callable[[Callable[..., Pairs]], Measure]:
    def record(function: Callable[..., Pairs]) -> Measure:
        return register(
            PairMeasure(
                name=function.__name__,
                title=title,
                form=form,
                minimum=-1.0,
                maximum=1.0,
                corrected=True,
                references=references,
                function=function,
            )
        )

    return record


def correlations(table: NDArray[Any]) -> Array:
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


@correlation_measure(
    title="Pearson correlation of weights",
    form="weights",
    references=("kalousis2005", "dernoncourt2014", "saeys2008"),
)
def pearson(weights: Weights) -> Pairs:
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
    return Pairs(blocks=[correlations(weights.values)], chance=zero_chance)


@correlation_measure(
    title="Spearman rank correlation",
    form="ranking",
    references=("spearman1904", "kalousis2005", "saeys2008"),
)
def spearman(rankings: Rankings) -> Pairs:
    r"""Mean correlation of the ranks in two preferences.

    .. math:: \operatorname{mean}_{i<j} \operatorname{corr}(R_i, R_j)

    With ties it is the correlation of average ranks, not the shortcut by squared differences.
    All places count alike: two rankings that agree on the worst features look stable. For the
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
    return Pairs(blocks=[correlations(rankings.values)], chance=zero_chance)


@correlation_measure(
    title="top-down correlation (Savage scores)",
    form="ranking",
    references=("iman1987", "kalousis2005"),
)
def top_down(rankings: Rankings) -> Pairs:
    r"""Mean correlation of Savage scores, which tell the top ranks apart more than the rest.

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
    below = np.concatenate(([0.0], np.cumsum(_savage(rankings.n_features))))
    for index, ranks in enumerate(rankings):
        places, of, number = np.unique(ranks, return_inverse=True, return_counts=True)
        start = np.rint(places - (number + 1) / 2).astype(np.intp)
        table[index] = ((below[start + number] - below[start]) / number)[of]
    return Pairs(blocks=[correlations(table)], chance=zero_chance)


def _savage(p: int) -> Array:
    """Return the Savage scores of ranks 1 to p."""
    return np.cumsum(1 / np.arange(p, 0, -1.0))[::-1]
