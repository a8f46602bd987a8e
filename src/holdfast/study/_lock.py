"""One run at a time in a folder: a lock that ends with its process, whatever ends that."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process alone, or say that another run has it."""
    handle = _taken(folder)
    if handle is None:
        raise StoreError(
            f"{folder}: another run is at work in this folder; wait for it to end, or give "
            "another folder."
        )
    try:
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _taken(folder: Path) -> int | None:
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(handle)
            return None
        return handle
else:
    import fcntl

    def _taken(folder: Path) -> int | None:
        """Lock the folder itself: no file is left behind when the process is killed."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        except OSError as error:
            os.close(handle)
            raise StoreError(
                f"{folder}: the folder cannot be locked ({error.strerror}); some network disks "
                "cannot do it. Give a folder on another disk."
            ) from error
        return handle
