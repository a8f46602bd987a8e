"""Errors of the system calls that SQLite makes: its writes fail, not those of Python.

SQLite lets a program replace its system calls, one by one, by their names: this is how its authors
test it. The same calls serve all connections of the process.
"""

from __future__ import annotations

import ctypes
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WRITE = ("write", "pwrite", "pwrite64")
"""Which of these a build of SQLite uses depends on the platform."""
CALLS = {"write": WRITE, "create": ("open",), "commit": ("unlink",)}
"""What fails, and the calls that do it: a transaction is committed when its journal is deleted."""

_SIGNATURES = {
    "write": (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t),
    **dict.fromkeys(
        ("pwrite", "pwrite64"),
        (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    ),
    "open": (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_int),
    "unlink": (ctypes.c_int, ctypes.c_char_p),
}
_NAMED = (ctypes.c_void_p, ctypes.c_char_p)
"""Arguments of the methods for system calls: the file system, and the name of the call."""


class _FileSystem(ctypes.Structure):
    """The structure ``sqlite3_vfs``, version 3, as far as it is used."""

    _fields_ = (
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        ("pNext", ctypes.c_void_p),
        ("zName", ctypes.c_char_p),
        ("pAppData", ctypes.c_void_p),
        ("methods_before", ctypes.c_void_p * 13),  # xOpen to xCurrentTimeInt64
        ("xSetSystemCall", ctypes.CFUNCTYPE(ctypes.c_int, *_NAMED, ctypes.c_void_p)),
        ("xGetSystemCall", ctypes.CFUNCTYPE(ctypes.c_void_p, *_NAMED)),
    )


def _file_system() -> _FileSystem | None:
    """Return the file system of the SQLite that Python uses; None if it cannot be reached."""
    import _sqlite3

    try:
        find = ctypes.CDLL(_sqlite3.__file__).sqlite3_vfs_find
    except (AttributeError, OSError):  # it is a part of Python, or keeps its functions private
        return None
    find.restype, find.argtypes = ctypes.POINTER(_FileSystem), (ctypes.c_char_p,)
    found = find(None)
    return found.contents if found and found.contents.iVersion >= 3 else None


FILE_SYSTEM = _file_system()


class SystemCalls:
    """Counts the calls of SQLite that change files, and lets them fail from some call on."""

    def __init__(self, kind: str = "", after: int = 0, code: int = 0) -> None:
        self.kind, self.after, self.code = kind, after, code
        self.counts: Counter[str] = Counter()
        self.failed = 0

    def _fails(self, kind: str) -> bool:
        self.counts[kind] += 1
        if kind != self.kind or self.counts[kind] <= self.after:
            return False
        self.failed += 1
        return True

    def _replacement(self, kind: str, name: str, original: int) -> Callable[..., int]:
        prototype = ctypes.CFUNCTYPE(*_SIGNATURES[name], use_errno=True)
        go_on = prototype(original)

        def call(*arguments: object) -> int:
            if name == "open" and not arguments[1] & os.O_CREAT:
                return go_on(*arguments)  # reading is no change
            if self._fails(kind):
                ctypes.set_errno(self.code)
                return -1
            return go_on(*arguments)

        return prototype(call)

    @contextmanager
    def installed(self) -> Iterator[SystemCalls]:
        """Replace the calls within the block."""
        assert FILE_SYSTEM is not None
        address = ctypes.addressof(FILE_SYSTEM)
        kept = []
        for kind, names in CALLS.items():
            for name in names:
                original = FILE_SYSTEM.xGetSystemCall(address, name.encode())
                if original:  # a build may lack some
                    kept.append(self._replacement(kind, name, original))
                    pointer = ctypes.cast(kept[-1], ctypes.c_void_p)
                    assert FILE_SYSTEM.xSetSystemCall(address, name.encode(), pointer) == 0
        try:
            yield self
        finally:
            assert FILE_SYSTEM.xSetSystemCall(address, None, None) == 0  # the originals
