"""Kendall's tau-b."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels.ranks import kendall_table
from holdfast.measures._correlations import correlation_measure
from holdfast.measures._estimate import zero_chance
from holdfast.measures._pairs import Pairs

if TYPE_CHECKING:
    from holdfast.preferences import Rankings


@correlation_measure(title="Kendall's tau-b", form="ranking", references=("kendall1945",))
def kendall(rankings: Rankings) -> Pairs:
    r"""Mean over pairs of preferences of how much more often they order two features alike.

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
    return Pairs(blocks=[kendall_table(np.asarray(rankings.values))], chance=zero_chance)
