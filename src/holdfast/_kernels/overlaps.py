"""Common features of all pairs of subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._kernels._compile import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@kernel
def add_shared(
    table: NDArray[np.floating], first: int, indptr: Ints, owners: Ints, features: Ints
) -> None:
    """Add 1 for each feature that two subsets share; row 0 of the table is subset `first`."""
    last = first + len(table)
    for feature in features:
        own = owners[indptr[feature] : indptr[feature + 1]]
        for i in own:
            if first <= i < last:
                for j in own:
                    table[i - first, j] += 1
