"""Features that are nearly copies of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COPY = 0.99
"""Correlation from which a feature is nearly a copy of another."""


def copies(X: NDArray[Any], columns: Sequence[int]) -> dict[int, tuple[int, float]]:
    """Return for each column that nearly is a copy of another of them that one, and how nearly.

    Constant columns, and those with missing values, are like none.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, -2.0, 5.0], [2.0, -4.0, 0.0]])
    >>> copies(X, [0, 1, 2])
    {0: (1, -1.0), 1: (0, -1.0)}
    """
    values = X[:, list(columns)].astype(np.float64)
    values -= values.mean(axis=0)
    lengths = np.linalg.norm(values, axis=0)
    with np.errstate(invalid="ignore"):
        values /= np.where(lengths > 0, lengths, np.nan)
    related = np.nan_to_num(values.T @ values)
    np.fill_diagonal(related, 0.0)
    nearest = np.abs(related).argmax(axis=1) if len(related) else np.zeros(0, dtype=int)
    return {
        columns[one]: (columns[other], round(float(related[one, other]), 12))
        for one, other in enumerate(nearest.tolist())
        if abs(related[one, other]) >= COPY
    }
