"""Where m x p tables live: in memory while small, in a temporary file once they are not."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import DTypeLike, NDArray

IN_MEMORY = 512 * 2**20  # bytes of a table that is still kept in memory
BLOCK = 16 * 2**20  # bytes of one block when a table is walked through


def empty_table(shape: tuple[int, int], dtype: DTypeLike) -> NDArray[Any]:
    """Return an uninitialised table; a large one is backed by a file that goes when it does."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if size <= IN_MEMORY:
        return np.empty(shape, dtype)
    return _mapped(_temporary(), shape, dtype)


def spooled(rows: Iterable[Any]) -> NDArray[np.float64]:
    """Write rows of numbers to a temporary file one by one and return it as a mapped table."""
    path = _temporary()
    try:
        with path.open("wb") as file:
            shape = _write_rows(rows, file)
    except BaseException:
        path.unlink()
        raise
    return _mapped(path, shape, np.float64)


def _write_rows(rows: Iterable[Any], file: BinaryIO) -> tuple[int, int]:
    """Write vectors of one length; return how many there were, and their length."""
    width, count = -1, 0
    for count, row in enumerate(rows, start=1):
        try:
            values = np.ascontiguousarray(row, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError(f"row {count - 1} does not hold numbers: {row!r}.") from None
        width = values.size if width < 0 else width
        if values.ndim != 1 or values.size != width:
            raise InvalidInputError(
                f"row {count - 1} has the shape {values.shape}; "
                f"each row must be one vector of {width:,} numbers, as row 0 is."
            )
        file.write(values.data)
    if width <= 0:
        raise InvalidInputError("at least one row with at least one feature is needed, got none.")
    return count, width


def column_blocks(table: NDArray[Any]) -> Iterator[slice]:
    """Cut the columns of a table so that one block of all rows, as float64, stays small."""
    rows, columns = table.shape
    width = max(1, BLOCK // (8 * rows))
    return (slice(start, start + width) for start in range(0, columns, width))


def _temporary() -> Path:
    handle, name = tempfile.mkstemp(prefix="holdfast-", suffix=".table")
    os.close(handle)
    return Path(name)


def _mapped(path: Path, shape: tuple[int, int], dtype: DTypeLike) -> NDArray[Any]:
    table: NDArray[Any]
    if path.stat().st_size:
        table = np.memmap(path, dtype=np.dtype(dtype), mode="r+", shape=shape)
    else:
        table = np.memmap(path, dtype=np.dtype(dtype), mode="w+", shape=shape)
    # views hold the map alive through .base, so the file goes after the last of them
    weakref.finalize(table, path.unlink, missing_ok=True)
    return table
