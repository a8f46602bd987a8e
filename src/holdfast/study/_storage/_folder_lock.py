"""Folders of studies: they exist, and have one run at a time, by a lock that ends with its process.

The lock works on network disks, too.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.errors import StoreError

LOCK_FILE = ".lock"
"""The file that is locked. It stays: its removal could hide it from another machine's cache."""
WRITE_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}
"""Errors of a folder that is read-only for this process."""
LOCK_UNSUPPORTED = {errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}
"""Errors by which network disks refuse ``flock``; their ``fcntl`` locks may work."""

logger = logging.getLogger(__name__)
_held_files: set[tuple[int, int]] = set()
"""Device and inode of the files locked by this process, which ``fcntl`` would lock twice."""


def refuse_missing_folder(path: Path) -> None:
    """Raise unless this is a folder."""
    if not path.is_dir():
        problem = (
            "this is a file; give its folder"
            if path.exists()
            else "there is no such folder; give the folder of a study"
        )
        raise StoreError(f"{path}: {problem}.")


@contextmanager
def folder_lock(folder: Path, *, reading: bool = False) -> Iterator[None]:
    """Lock a folder for this process; raise if another run holds it.

    With `reading`, a folder that this process cannot write to is not locked: the caller only
    reads it, and SQLite protects single reads.
    """
    handle = _open_lock_file(folder, reading=reading)
    if handle is None:
        logger.debug("%s is read-only and is read without a lock", folder)
        yield
        return
    try:
        _lock_handle(folder, handle)
        status = os.fstat(handle)
        identity = status.st_dev, status.st_ino
        _held_files.add(identity)
        try:
            yield
        finally:
            _held_files.discard(identity)
    finally:
        os.close(handle)  # releases the lock; the system does so if the process is killed


def _open_lock_file(folder: Path, *, reading: bool) -> int | None:
    """Return a handle for writing, which locks on NFS require; None if only reading is possible."""
    path = folder / LOCK_FILE
    # checked before opening: closing a second handle would end an fcntl lock of this process
    if _is_held_here(path):
        raise _folder_in_use(folder)
    # no link is followed and no pipe waited for: the folder may come from somebody else
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno in WRITE_REFUSED and reading:
            return None
        hint = (
            "a run writes to its folder: allow it, or copy the folder"
            if error.errno in WRITE_REFUSED
            else f"remove {LOCK_FILE} if no run is active, or use another folder"
        )
        raise StoreError(
            f"{folder}: the folder cannot be locked ({error.strerror}); {hint}."
        ) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise StoreError(f"{path}: this is not a regular file; remove it, then try again.")
    return handle


@contextmanager
def refuse_older_run(folder: Path) -> Iterator[None]:
    """Raise if a run of an earlier version uses a folder: those locked the folder itself."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # systems without handles of folders, where earlier versions had no lock
        yield
        return
    try:
        if not _try_flock(handle):
            raise StoreError(
                f"{folder}: a run of an earlier version of holdfast is using this folder; wait "
                "for it to end, then try again."
            )
        yield
    finally:
        os.close(handle)


def _is_held_here(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False  # there is no such file, or opening it will say why it cannot be used
    return (status.st_dev, status.st_ino) in _held_files


def _folder_in_use(folder: Path) -> StoreError:
    return StoreError(
        f"{folder}: another run is using this folder; wait for it to end, or use another folder."
    )


if sys.platform == "win32":
    import msvcrt

    def _lock_handle(folder: Path, handle: int) -> None:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise _folder_in_use(folder) from error

    def _try_flock(_: int) -> bool:
        return True
else:
    import fcntl

    def _lock_handle(folder: Path, handle: int) -> None:
        """Lock an open file by ``flock``, or by ``fcntl`` where that is not supported."""
        kind = "flock"
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in LOCK_UNSUPPORTED:
                    raise
                kind = "fcntl"
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:  # systems differ in what they raise
            raise _folder_in_use(folder) from error
        except OSError as error:
            raise StoreError(
                f"{folder}: the folder cannot be locked ({error.strerror}); this disk supports "
                "neither flock nor fcntl locks. Use a folder on another disk."
            ) from error
        logger.debug("%s is locked by %s", folder, kind)

    def _try_flock(handle: int) -> bool:
        """Return whether nobody else holds a lock; disks without flock have none to hold."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno in LOCK_UNSUPPORTED
        return True
