"""Large matrices in parts, so that temporary arrays stay small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

BLOCK = 1_000_000  # cells, about


def rows_a_block(n_columns: int) -> int:
    """Return how many rows of so many columns make a block; at least one."""
    return max(1, BLOCK // max(1, n_columns))


def row_blocks(X: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield blocks of rows, each with the number of its first row."""
    step = rows_a_block(X.shape[1])
    for start in range(0, X.shape[0], step):
        yield start, X[start : start + step]
