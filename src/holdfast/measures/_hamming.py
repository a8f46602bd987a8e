"""Hamming: how many features are judged alike, selected or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.measures._pairs import subset_pair

if TYPE_CHECKING:
    from holdfast.measures._types import Array


@subset_pair(
    title="average normalised Hamming distance (ANHD)",
    minimum=0.0,
    maximum=1.0,
    distance=True,
    needs=("n_features",),
    references=("dunne2002", "somol2008"),
)
def anhd(r: Array, a: Array, b: Array, p: float) -> Array:
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


@subset_pair(
    title="Hamming similarity (simple matching)",
    minimum=0.0,
    maximum=1.0,
    needs=("n_features",),
    references=("dunne2002", "somol2008"),
    aliases=("simple_matching",),
)
def hamming(r: Array, a: Array, b: Array, p: float) -> Array:
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
