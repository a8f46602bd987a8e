"""Pairs that no other beats in every respect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast._text import shortened
from holdfast.errors import InvalidInputError
from holdfast.judge._rule import DECIMALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEEDED = ("error", "stability", "size")


def pareto_front(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Find the rows that no other row beats: lower error, higher stability, fewer features.

    A row is beaten by another that is at least as good in all three respects and better in one.
    Where the size of one of two rows is not a number (``"own"``, missing), the two are compared
    by error and stability alone. Equal rows do not beat each other. Rows without an error or a
    stability are not on the front.

    Parameters
    ----------
    table : pandas.DataFrame
        With the columns ``error``, ``stability`` (higher is better) and ``size``.

    Returns
    -------
    bool array of shape (rows,)
        Which rows are on the front.

    Examples
    --------
    >>> import pandas as pd
    >>> import holdfast as hf
    >>> table = pd.DataFrame(
    ...     {"error": [0.1, 0.2, 0.2], "stability": [0.5, 0.9, 0.4], "size": [10, 10, 20]}
    ... )
    >>> hf.judge.pareto_front(table).tolist()
    [True, True, False]
    """
    lacking = [name for name in NEEDED if name not in table]
    if lacking:
        raise InvalidInputError(
            f"the table needs the columns {', '.join(NEEDED)}; it lacks {shortened(lacking)}."
        )
    error, stability, size = (
        pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64) for name in NEEDED
    )
    return front_of(error, -stability, size)


def front_of(
    error: NDArray[np.float64], instability: NDArray[np.float64], size: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Find the rows that no other beats; lower is better in all columns, rounding is no better."""
    error, instability = np.round(error, DECIMALS), np.round(instability, DECIMALS)
    fit = np.isfinite(error) & np.isfinite(instability)
    front = fit.copy()
    for row in np.flatnonzero(fit):
        sized = np.isfinite(size) & np.isfinite(size[row])
        as_good = fit & (error <= error[row]) & (instability <= instability[row])
        as_good &= ~sized | (size <= size[row])
        better = (error < error[row]) | (instability < instability[row])
        front[row] = not np.any(as_good & (better | (sized & (size < size[row]))))
    return front
