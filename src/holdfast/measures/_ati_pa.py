"""ATI_PA: the mean Jaccard index between its chance level and the most the sizes allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.measures._estimate import Estimate, zero_chance
from holdfast.measures._overlap import jaccard_index
from holdfast.measures._pairs import all_and_without, chance_corrected, row_sums, score_blocks
from holdfast.measures._system import subset_system

if TYPE_CHECKING:
    from holdfast.measures._tables import SubsetTables
    from holdfast.measures._types import Array


@subset_system(
    title="partially adjusted average Tanimoto index (ATI_PA)",
    minimum=0.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("dernoncourt2014",),
)
def ati_pa(tables: SubsetTables, *, clip: bool = True) -> Estimate:
    r"""Where the mean Jaccard index lies between chance (0) and the most possible (1).

    .. math:: \max\left(
       \frac{\mathrm{ATI} - \mathrm{E[ATI]}}{\mathrm{ATI}_{\max} - \mathrm{E[ATI]}},\; 0\right)

    All three are means over pairs. The expectation is the exact hypergeometric one for the
    sizes of each pair, where the paper fits a curve; the maximum is min(a, b) / max(a, b), which
    nested subsets reach. Random subsets average to 0 before values below 0 are cut off, to a
    little more after it: ``clip=False`` keeps negative values.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("ati_pa", hf.Subsets([[0, 1, 2], [0, 1, 3]], n_features=20)), 4)
    0.4476
    """
    observed, undefined = row_sums(score_blocks(tables, jaccard_index), None)
    sizes = tables.distinct_sizes.astype(np.float64)
    with np.errstate(invalid="ignore"):  # two empty subsets
        largest = np.minimum.outer(sizes, sizes) / np.maximum.outer(sizes, sizes)
    sums = np.array(
        [
            observed,
            _class_sums(tables, tables.expected(jaccard_index)),
            _class_sums(tables, largest),
        ]
    )
    values = chance_corrected(*(all_and_without(rows, undefined) for rows in sums))
    if clip:
        values = np.maximum(values, 0.0)
    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=zero_chance,
        undefined=_why(tables) if np.isnan(values[0]) else "",
    )


def _class_sums(tables: SubsetTables, table: Array) -> Array:
    """Sum a table over pairs of distinct sizes over the partners of each subset."""
    known = np.where(np.isnan(table), 0.0, table)
    sums = known @ np.bincount(tables.size_class) - np.diag(known)
    return np.asarray(sums)[tables.size_class]


def _why(tables: SubsetTables) -> str:
    empty = int((tables.sizes == 0).sum())
    return "two or more subsets are empty" if empty > 1 else "chance alone gives the maximum"
