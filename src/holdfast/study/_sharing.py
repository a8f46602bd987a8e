"""A matrix that local processes share without copying it, in a file that cannot be left behind."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@contextmanager
def shared(matrix: NDArray[Any]) -> Iterator[str]:
    """Write a matrix where other processes can map it, and yield the path.

    On Linux the file has no name: the workers reach it through this process's open files, and
    the system frees it when the last of them is gone, even if all are killed. Elsewhere it has
    a name and is removed at the end.
    """
    nameless = sys.platform == "linux"
    with tempfile.TemporaryFile() if nameless else tempfile.NamedTemporaryFile() as file:
        _write(file, matrix)
        yield f"/proc/{os.getpid()}/fd/{file.fileno()}" if nameless else file.name


def _write(file: Any, matrix: NDArray[Any]) -> None:  # noqa: ANN401  (any binary file)
    try:
        file.write(memoryview(matrix).cast("B"))
        file.flush()
    except OSError as error:
        raise StoreError(
            f"{tempfile.gettempdir()}: the data cannot be put where all processes see them "
            f"({error.strerror}); make room there, or set TMPDIR to a folder with room."
        ) from error
