"""Rank-biased overlap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.ranks import overlap_tables
from holdfast.errors import InvalidInputError
from holdfast.measures._estimate import Chance
from holdfast.measures._pairs import PairMeasure, Pairs
from holdfast.measures._record import register

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.measures._types import Array
    from holdfast.preferences import Rankings

NEGLIGIBLE = 1e-17  # weight of all deeper ranks together at which a ranking is cut


def rbo(rankings: Rankings, *, persistence: float = 0.9) -> Pairs:
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
    depth = min(p, math.ceil(math.log(NEGLIGIBLE) / math.log(persistence)))
    weights = (1 - persistence) * persistence ** np.arange(depth, dtype=np.float64)
    weights[-1] += persistence**depth
    values, chance = overlap_tables(*_tops(rankings, depth), weights, p)
    above = np.triu_indices(len(values), 1)
    return Pairs(blocks=[values], chance=lambda: Chance(float(chance[above].mean())))


def _tops(
    rankings: Rankings, depth: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], Array]:
    """Return first ranks of all features that are near the top anywhere, and who is, by row."""
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


def _first_ranks(ranks: NDArray[Any]) -> NDArray[np.int32]:
    """Return the first rank of each feature's tie from its average rank."""
    if ranks.dtype.kind in "iu":
        return ranks.astype(np.int32)
    _, of, number = np.unique(ranks, return_inverse=True, return_counts=True)
    return np.rint(ranks - (number[of] - 1) / 2).astype(np.int32)


register(
    PairMeasure(
        name="rbo",
        title="rank-biased overlap",
        form="ranking",
        minimum=0.0,
        maximum=1.0,
        references=("webber2010",),
        function=rbo,
    )
)
