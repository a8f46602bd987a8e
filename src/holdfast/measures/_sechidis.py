"""Sechidis et al.: Nogueira's measure in which correlated features share their variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.measures._estimate import Chance, Estimate
from holdfast.measures._system import all_empty, subset_system, with_and_without

if TYPE_CHECKING:
    from holdfast.measures._similarity import Similarity
    from holdfast.measures._tables import SubsetTables
    from holdfast.measures._types import Array


@subset_system(
    title="Sechidis's effective stability",
    minimum=-np.inf,
    maximum=np.inf,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("sechidis2020",),
    identical="identical subsets give 1, yet there is no upper bound",
)
def sechidis(tables: SubsetTables, *, graph: Similarity) -> Estimate:
    r"""Nogueira's stability with the variance of selection weighted by similarity.

    .. math:: 1 - \frac{\operatorname{tr}(C S)}{\operatorname{tr}(C \Sigma)}

    C holds the similarities of at least the threshold and a diagonal of 1, S is the covariance
    (divisor m - 1) of the m vectors of 0 and 1, and Σ that of random subsets: with k̄ the mean
    size, k̄/p (1 - k̄/p) on the diagonal and (mean k² - k̄) / (p² - p) - k̄²/p² off it. Give
    ``similarity=`` or ``data=``, and ``threshold=`` (0.9). Identical subsets give 1; there are
    no bounds, as thresholding can leave C indefinite. Random subsets average to
    :math:`-\overline{(k_i - \bar k)^2}\,\sum C / ((m - 1)\,p^2 \operatorname{tr}(C\Sigma))`, 0
    for equal sizes. Without similar features and with equal sizes it is ``nogueira``.

    Only features that were selected enter tr(CS), so nothing of size p x p is formed.

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     -0.25
    all 10, 4 of 10    -0.4286
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3], [0, 2]], n_features=5)
    >>> round(hf.measure("sechidis", s, similarity=similar), 4)
    0.9693
    """
    total = graph.total
    spread = _spread(tables, graph)
    null = _null(tables, total)
    with np.errstate(divide="ignore", invalid="ignore"):  # all empty, all full, one subset left
        values = 1 - spread / null
    values[~np.isfinite(values)] = np.nan
    whole = (total + tables.p) / tables.p**2
    level = -tables.sizes.var() * whole / (tables.m - 1) / (null[0] or np.nan)
    full = "all subsets are full" if tables.q == tables.m * tables.p else ""
    why = all_empty(tables) or full or "random subsets have no variance by these similarities"
    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=lambda: Chance(float(level) + 0.0),
        undefined=why if np.isnan(values[0]) else "",
    )


def _spread(tables: SubsetTables, graph: Similarity) -> Array:
    """Return tr(CS) with all subsets and without each, from products on the union only."""
    similar = graph.among(tables.union)
    h = tables.counts.astype(np.float64)
    reach = similar @ h + h
    own = np.asarray((tables.incidence @ similar).multiply(tables.incidence).sum(axis=1)).ravel()
    own = own + tables.sizes
    whole, with_h = float(h @ reach), tables.within(reach)
    m = with_and_without(tables.m)
    singles = np.concatenate(([own.sum()], own.sum() - own))
    squares = np.concatenate(([whole], whole - 2 * with_h + own))
    with np.errstate(divide="ignore", invalid="ignore"):  # one subset left
        return np.asarray((singles - squares / m) / (m - 1))


def _null(tables: SubsetTables, total: float) -> Array:
    """Return tr(CΣ) with all subsets and without each."""
    p, sizes = tables.p, tables.sizes.astype(np.float64)
    m = with_and_without(tables.m)
    mean = np.concatenate(([sizes.sum()], sizes.sum() - sizes)) / m
    squares = np.square(sizes)
    square = np.concatenate(([squares.sum()], squares.sum() - squares)) / m
    diagonal = mean / p * (1 - mean / p)
    off = (square - mean) / (p * p - p) - (mean / p) ** 2 if p > 1 else 0.0 * mean
    return np.asarray(p * diagonal + total * off)
