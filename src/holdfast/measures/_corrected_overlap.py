"""Overlap of two subsets beyond what chance gives, divided by different ranges."""

from __future__ import annotations

import numpy as np

from holdfast._typing import FloatArray
from holdfast.measures._overlap import jaccard_index
from holdfast.measures._pair_measures import (
    OverlapMeasure,
    chance_corrected,
    row_sums,
    score_blocks,
    sums_with_and_without,
)
from holdfast.measures._registry import Estimate, register_measure, zero_chance
from holdfast.measures._subset_tables import SubsetTables
from holdfast.measures._system_measures import SystemMeasure


@register_measure(
    OverlapMeasure,
    title="Kuncheva consistency index",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features", "equal_sizes"),
    references=("kuncheva2007", "somol2008"),
    aliases=("consistency_index",),
)
def kuncheva(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Overlap beyond chance of subsets of one size, divided by the largest possible.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij}\,p - d^2}{d\,(p - d)}

    All subsets have d features; with other sizes the value is undefined and ``lustgarten``,
    ``wald``, ``kappa``, ``unadjusted`` or ``phi`` take its place: the last four agree with it
    where sizes are equal.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("kuncheva", hf.Subsets([[0, 1, 2], [0, 1, 3]], n_features=20)), 4)
    0.6078
    """
    return np.where(a == b, (r * p - a * b) / (a * (p - b)), np.nan)


@register_measure(
    OverlapMeasure,
    title="Lustgarten's adjusted stability measure",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("lustgarten2009",),
    aliases=("asm",),
    identical="identical subsets of k features give max(k, p - k) / p",
)
def lustgarten(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Overlap beyond chance, divided by the range the overlap can have.

    .. math:: \operatorname{mean}_{i<j}
       \frac{r_{ij} - ab/p}{\min(a, b) - \max(0, a + b - p)}

    Identical subsets of k features give max(k, p - k) / p, which is below 1.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  0.6
    4 of 10, 4 others  -0.4
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("lustgarten", hf.Subsets([[0, 1, 2], [0, 1]], n_features=20)), 4)
    0.85
    """
    return np.asarray((r - a * b / p) / (np.minimum(a, b) - np.maximum(0, a + b - p)))


@register_measure(
    OverlapMeasure,
    title="Wald's consistency index",
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("wald2013",),
)
def wald(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Overlap beyond chance, divided by the most the smaller subset allows.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij} - ab/p}{\min(a, b) - ab/p}

    A subset inside a larger one counts as full agreement. The lowest value is 1 - p.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("wald", hf.Subsets([[0, 1, 2], [0, 1]], n_features=20))
    1.0
    """
    return (r - a * b / p) / (np.minimum(a, b) - a * b / p)


@register_measure(
    OverlapMeasure,
    title="Cohen's kappa",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("carletta1996",),
)
def kappa(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Overlap beyond chance, divided by what the mean size leaves beyond chance.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij} - ab/p}{(a + b)/2 - ab/p}

    The agreement of two raters who accept or reject each feature; equal to ``dice`` and
    ``hamming`` with ``corrected=True``.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("kappa", hf.Subsets([[0, 1, 2], [0, 1]], n_features=20)), 4)
    0.7727
    """
    return (r - a * b / p) / ((a + b) / 2 - a * b / p)


@register_measure(
    OverlapMeasure,
    title="unadjusted stability measure (corrected Ochiai)",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("bommert2020",),
)
def unadjusted(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Overlap beyond chance, divided by what the geometric mean size leaves beyond chance.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij} - ab/p}{\sqrt{ab} - ab/p}

    What the similarity-adjusted ``intersection`` measures become when no two features are
    similar; "unadjusted" for similarities, not for chance. Equal to ``ochiai`` with
    ``corrected=True``.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("unadjusted", hf.Subsets([[0, 1, 2], [0, 1]], n_features=20)), 4)
    0.7909
    """
    return (r - a * b / p) / (np.sqrt(a * b) - a * b / p)


@register_measure(
    OverlapMeasure,
    title="phi coefficient",
    minimum=-1.0,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("nogueira2016",),
    aliases=("pearson_subsets",),
)
def phi(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Pearson correlation of the two vectors of 0 and 1.

    .. math:: \operatorname{mean}_{i<j}
       \frac{r_{ij} - ab/p}{\sqrt{a(1 - a/p)\,b(1 - b/p)}}

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("phi", hf.Subsets([[0, 1, 2], [0, 1]], n_features=20)), 4)
    0.7935
    """
    return (r - a * b / p) / np.sqrt(a * (1 - a / p) * b * (1 - b / p))


@register_measure(
    OverlapMeasure,
    title="normalised percentage of overlapping genes (nPOG)",
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features",),
    references=("zhang2009",),
)
def npog(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""POG beyond chance in each direction, averaged over both.

    .. math:: \operatorname{mean}_{i<j} \frac12\left(
       \frac{r_{ij} - e}{a - e} + \frac{r_{ij} - e}{b - e}\right), \quad e = ab/p

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("npog", hf.Subsets([[0, 1, 2], [0, 1]], n_features=20)), 4)
    0.8148
    """
    e = a * b / p
    return ((r - e) / (a - e) + (r - e) / (b - e)) / 2


# ATI_PA: the mean Jaccard index between its chance level and the most the sizes allow.


@register_measure(
    SystemMeasure,
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
    values = chance_corrected(*(sums_with_and_without(rows, undefined) for rows in sums))
    if clip:
        values = np.maximum(values, 0.0)
    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=zero_chance,
        undefined=_explain_undefined(tables) if np.isnan(values[0]) else "",
    )


def _class_sums(tables: SubsetTables, table: FloatArray) -> FloatArray:
    """Sum a table over pairs of distinct sizes over the partners of each subset."""
    known = np.where(np.isnan(table), 0.0, table)
    sums = known @ np.bincount(tables.size_class) - np.diag(known)
    return np.asarray(sums)[tables.size_class]


def _explain_undefined(tables: SubsetTables) -> str:
    empty = int((tables.sizes == 0).sum())
    return "two or more subsets are empty" if empty > 1 else "chance alone gives the maximum"
