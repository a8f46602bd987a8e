"""Overlap of two subsets, as it is and beyond chance: Jaccard, Dice, Kuncheva, phi and others."""

from __future__ import annotations

import numpy as np

from holdfast._typing import FloatArray
from holdfast.measures._registry import Estimate, register_measure, zero_chance
from holdfast.measures._subset_tables import (
    OverlapMeasure,
    SubsetTables,
    SystemMeasure,
    chance_corrected,
    row_sums,
    score_blocks,
    sums_with_and_without,
)


def jaccard_index(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:  # noqa: ARG001
    """Return the overlap over the union, whose size needs no p."""
    return r / (a + b - r)


@register_measure(
    OverlapMeasure,
    title="Jaccard (Tanimoto) index",
    focus="subsets",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("jaccard1901", "kalousis2005"),
    aliases=("tanimoto", "ati"),
)
def jaccard(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Share of the features of either subset that both hold.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij}}{a + b - r_{ij}}

    It is also known as the Tanimoto index, S_S, ATI and GK. Larger subsets agree more by chance:
    ``corrected=True`` gives (J - E J) / (1 - E J) for each pair, with the exact expectation.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0.4
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("jaccard", hf.Subsets([[0, 1, 2], [0, 1, 3]]))
    0.5
    """
    return jaccard_index(r, a, b, p)


@register_measure(
    OverlapMeasure,
    title="Dice coefficient",
    focus="subsets",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("dice1945", "yu2008"),
    aliases=("sorensen", "sim_id"),
)
def dice(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:  # noqa: ARG001
    r"""Overlap divided by the mean size of the two subsets.

    .. math:: \operatorname{mean}_{i<j} \frac{2 r_{ij}}{a + b}

    Yu et al. call it Sim_ID. ``corrected=True`` gives (D - E D) / (1 - E D) for each pair,
    which is ``kappa``.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0.5714
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("dice", hf.Subsets([[0, 1, 2], [0, 1, 3]])), 4)
    0.6667
    """
    return 2 * r / (a + b)


@register_measure(
    OverlapMeasure,
    title="Ochiai (cosine) coefficient",
    focus="subsets",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("ochiai1957",),
    aliases=("cosine",),
)
def ochiai(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:  # noqa: ARG001
    r"""Overlap divided by the geometric mean of the two sizes.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij}}{\sqrt{ab}}

    ``corrected=True`` gives (O - E O) / (1 - E O) for each pair, which is ``unadjusted``.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0.6325
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("ochiai", hf.Subsets([[0, 1], [0, 1, 2, 3]])), 4)
    0.7071
    """
    return r / np.sqrt(a * b)


@register_measure(
    OverlapMeasure,
    title="percentage of overlapping genes (POG)",
    focus="subsets",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("shi2006", "zhang2009"),
)
def pog(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:  # noqa: ARG001
    r"""Share of one subset found again in the other, averaged over both directions.

    .. math:: \operatorname{mean}_{i<j} \frac12\left(\frac{r_{ij}}{a} + \frac{r_{ij}}{b}\right)

    ``corrected=True`` subtracts the expectation of each pair: (POG - E) / (1 - E); ``npog``
    corrects each direction by itself.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0.7
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("pog", hf.Subsets([[0, 1], [0, 1, 2, 3]]))
    0.75
    """
    return (r / a + r / b) / 2


# Hamming: how many features are judged alike, selected or not.


@register_measure(
    OverlapMeasure,
    title="average normalised Hamming distance (ANHD)",
    focus="subsets",
    registers="selection and exclusion",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    distance=True,
    needs=("n_features",),
    references=("dunne2002", "somol2008"),
)
def anhd(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Share of all features that one subset holds and the other does not.

    .. math:: \operatorname{mean}_{i<j} \frac{a + b - 2 r_{ij}}{p}

    A distance: 0 is perfect stability. ``hamming`` is 1 - ANHD; ``relative_anhd`` takes the
    sizes into account.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       0
    empty, 4 of 10     0.4
    all 10, 4 of 10    0.6
    all 10, all 10     0
    4 of 10, the same  0
    4 of 10, 4 others  0.8
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("anhd", hf.Subsets([[0, 1, 2], [0, 1, 3]], n_features=20))
    0.1
    """
    return (a + b - 2 * r) / p


@register_measure(
    OverlapMeasure,
    title="Hamming similarity (simple matching)",
    focus="subsets",
    registers="selection and exclusion",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    needs=("n_features",),
    references=("dunne2002", "somol2008"),
    aliases=("simple_matching",),
)
def hamming(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    r"""Share of all features that both subsets hold or both leave out.

    .. math:: \operatorname{mean}_{i<j} \frac{p - a - b + 2 r_{ij}}{p} = 1 - \mathrm{ANHD}

    Close to 1 for any small subsets of many features: with p >> n prefer a measure that is
    corrected for chance. ``corrected=True`` gives ``kappa``.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       1
    empty, 4 of 10     0.6
    all 10, 4 of 10    0.4
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0.2
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("hamming", hf.Subsets([[0, 1, 2], [0, 1, 3]], n_features=20))
    0.9
    """
    return (p - a - b + 2 * r) / p


# Overlap of two subsets beyond what chance gives, divided by different ranges.


@register_measure(
    OverlapMeasure,
    title="Kuncheva consistency index",
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    # Kuncheva's index is defined for subsets of one size only
    return np.where(a == b, (r * p - a * b) / (a * (p - b)), np.nan)


@register_measure(
    OverlapMeasure,
    title="Lustgarten's adjusted stability measure",
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    focus="subsets",
    registers="selection",
    size_biased=False,
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
    # numerator and denominator are summed over pairs before
    # the division, as [Dernoncourt2014]_ defines
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
    several_empty = int((tables.sizes == 0).sum()) > 1
    why = "two or more subsets are empty" if several_empty else "chance alone gives the maximum"
    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=zero_chance,
        undefined=why if np.isnan(values[0]) else "",
    )


def _class_sums(tables: SubsetTables, table: FloatArray) -> FloatArray:
    """Sum a table over pairs of distinct sizes over the partners of each subset."""
    known = np.where(np.isnan(table), 0.0, table)
    # a subset is no partner of itself
    sums = known @ np.bincount(tables.size_class) - np.diag(known)
    return np.asarray(sums)[tables.size_class]
