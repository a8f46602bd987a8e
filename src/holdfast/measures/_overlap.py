"""Overlap of two subsets, each divided by another size: Jaccard, Dice, Ochiai, POG."""

from __future__ import annotations

import numpy as np

from holdfast._typing import FloatArray
from holdfast.measures._pair_measures import OverlapMeasure
from holdfast.measures._registry import register_measure


def jaccard_index(r: FloatArray, a: FloatArray, b: FloatArray, p: float) -> FloatArray:  # noqa: ARG001
    """Return the overlap over the union, whose size needs no p."""
    return r / (a + b - r)


@register_measure(
    OverlapMeasure,
    title="Jaccard (Tanimoto) index",
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
