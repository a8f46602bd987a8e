"""A matrix that local processes share, in a file that cannot be left behind."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@contextmanager
def shared(matrix: NDArray[Any], more: bytes) -> Iterator[str]:
    """Write a matrix, and more bytes behind it, for other processes to map; yield the path.

    On Linux the file has no name: the workers reach it through this process's open files, and
    the system frees it when the last of them is gone, even if all are killed. Elsewhere it has
    a name and is removed at the end.
    """
    nameless = sys.platform == "linux"
    with tempfile.TemporaryFile() if nameless else tempfile.NamedTemporaryFile() as file:
        _write(file, matrix, more)
        yield f"/proc/{os.getpid()}/fd/{file.fileno()}" if nameless else file.name


def _write(file: Any, matrix: NDArray[Any], more: bytes) -> None:  # noqa: ANN401  (any binary file)
    try:
        file.write(matrix.data.cast("B"))
        file.write(more)
        file.flush()
    except OSError as error:
        with suppress(OSError):
            file.close()  # which tries once more to write what there is no room for
        raise StoreError(
            f"{tempfile.gettempdir()}: the data cannot be put where all processes see them "
            f"({error.strerror}); make room there, or set TMPDIR to a folder with room."
        ) from error


def mapped(
    path: str, dtype: str, shape: tuple[int, int]
) -> tuple[np.ndarray[tuple[int, int], Any], bytes]:
    """Map the matrix that another process shares, and read what stands behind it."""
    matrix = np.memmap(path, dtype=dtype, mode="r", shape=shape)
    with open(path, "rb") as file:  # noqa: PTH123  (not a path but an open file's number)
        file.seek(matrix.nbytes)
        return matrix.view(np.ndarray), file.read()
