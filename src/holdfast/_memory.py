"""Memory: the limit on what one input may take, its use, and pauses of garbage collection.

What needs more than the limit is refused by estimate.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast._formatting import plural
from holdfast.errors import HoldfastError, InvalidInputError

if TYPE_CHECKING:
    from holdfast._typing import AnyArray, IndexArray, MatrixLike

MEMORY_VARIABLE = "HOLDFAST_MAX_MEMORY"
"""Environment variable with the limit, such as ``8G``."""
DEFAULT_MEMORY_SHARE = 0.5
"""Share of the memory that one input may take by default.

Chosen by hand: the other half is left for copies, such as those of worker processes.
"""
ASSUMED_MEMORY_BYTES = 8 * 10**9
"""Memory of a machine that does not report it; that of a small laptop, chosen by hand."""
BYTES_PER_UNIT = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
"""Decimal units, as in messages."""
BYTES_PER_RESAMPLE = 300
"""Memory of a resample next to its row numbers: the object and two arrays; measured."""
BYTES_PER_ROW_NUMBER = 8
"""Memory of a row number; each sample is in the training or in the test part."""
_AMOUNT = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]?)B?", re.IGNORECASE)
_PROCESS_STATUS = Path("/proc/self/status")
_PEAK_RESET = Path("/proc/self/clear_refs")
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a Linux container; "max" means none


def memory_limit() -> int:
    """Return the limit in bytes: the value of ``HOLDFAST_MAX_MEMORY``, else half the memory."""
    text = os.environ.get(MEMORY_VARIABLE, "").strip()
    if not text:
        return int(DEFAULT_MEMORY_SHARE * _machine_memory())
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise InvalidInputError(
            f"{MEMORY_VARIABLE} must be an amount of memory such as 500M or 8G; got {text!r}."
        )
    return int(float(match[1]) * BYTES_PER_UNIT[match[2].upper()])


def check_memory(n_bytes: int, what: str, error: Callable[[str], HoldfastError]) -> None:
    """Raise if this needs more memory than the limit; `error` makes the exception."""
    limit = memory_limit()
    if n_bytes > limit:
        raise error(
            f"{what} would take about {format_bytes(n_bytes)} of memory, more than the limit of "
            f"{format_bytes(limit)}; if the machine has more, raise it: "
            f"{MEMORY_VARIABLE}={_next_amount(n_bytes)}."
        )


def check_resample_memory(name: str, n_resamples: int, n_samples: int) -> None:
    """Raise if this number of resamples needs more memory than the limit."""
    check_memory(
        n_resamples * (BYTES_PER_RESAMPLE + BYTES_PER_ROW_NUMBER * n_samples),
        f"{name}: {plural(n_resamples, 'resample')}",
        InvalidInputError,
    )


def check_process_memory(
    n_processes: int, each: int, shared: int, error: Callable[[str], HoldfastError]
) -> None:
    """Raise if processes need more memory than the machine has; one process is never refused.

    Parameters
    ----------
    n_processes : int
        How many run at a time.
    each : int
        Bytes that each of them needs.
    shared : int
        Bytes that are needed whatever their number.
    error : callable
        Makes the exception.
    """
    machine = _machine_memory()
    needed = shared + n_processes * each
    if needed <= machine or n_processes == 1:
        return
    fitting = max(1, (machine - shared) // each)
    raise error(
        f"{n_processes:,} processes would take about {format_bytes(needed)} of memory, more than "
        f"the {format_bytes(machine)} of this machine; run "
        f"{'one process' if fitting == 1 else f'{fitting:,} processes'} at a time: "
        f"--n-jobs {fitting} (in Python, n_jobs={fitting})."
    )


def peak_memory() -> int:
    """Return the most memory that this process has held, in bytes; 0 where it is not known."""
    try:
        status = _PROCESS_STATUS.read_text(encoding="ascii", errors="replace")
        return int(re.findall(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[0]) * 1024
    except (OSError, IndexError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # in bytes on macOS


def reset_peak_memory() -> None:
    """Let `peak_memory` begin again with what the process holds now, where Linux allows it."""
    with suppress(OSError):
        _PEAK_RESET.write_text("5", encoding="ascii")


class MemoryUse:
    """Sums the memory that a reader takes; raises before the limit is exceeded."""

    def __init__(self, error: Callable[[str], HoldfastError]) -> None:
        self._error, self._limit, self._n_bytes = error, memory_limit(), 0

    def add(self, n_bytes: int, what: str) -> None:
        """Count memory that is about to be taken."""
        self._n_bytes += n_bytes
        if self._n_bytes > self._limit:
            check_memory(self._n_bytes, what, self._error)


@lru_cache(maxsize=1)
def _machine_memory() -> int:
    """Return the memory of the machine, or of the container, in bytes."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows
        machine = ASSUMED_MEMORY_BYTES
    try:
        return min(machine, int(_CONTAINER_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return machine


def format_bytes(n_bytes: int) -> str:
    """Return an amount in the largest unit that leaves at least 1."""
    unit, size = max(
        ((unit, size) for unit, size in BYTES_PER_UNIT.items() if n_bytes >= size),
        key=lambda pair: pair[1],
        default=("", 1),
    )
    return f"{n_bytes / size:,.3g} {unit}B" if n_bytes < 10**15 else f"{n_bytes / 10**12:,.0f} TB"


def _next_amount(n_bytes: int) -> str:
    """Return an amount that is enough, as the variable takes it."""
    unit = "G" if n_bytes >= BYTES_PER_UNIT["G"] else "M"
    return f"{n_bytes // BYTES_PER_UNIT[unit] + 1}{unit}"


# Sparse matrices.


def is_sparse(X: object) -> bool:
    """Return whether X is a sparse matrix or array of SciPy, which need not be imported for it."""
    return hasattr(X, "toarray")


def to_dense(X: MatrixLike, what: str = "the data") -> AnyArray:
    """Return X as an array; raise if a sparse X would exceed the limit on memory."""
    dense: AnyArray = X
    if is_sparse(X):
        n_bytes = X.dtype.itemsize * X.shape[0] * X.shape[1]
        check_memory(n_bytes, f"{what} as a dense matrix", InvalidInputError)
        dense = X.toarray()
    return dense


def dense_columns(X: MatrixLike, columns: Sequence[int] | IndexArray) -> AnyArray:
    """Return some columns as an array."""
    return to_dense(X[:, columns], f"{len(columns):,} features of {X.shape[0]:,} samples")


def memory_size(X: MatrixLike) -> int:
    """Return the bytes that the values of an array or sparse matrix take, with their indices."""
    arrays = (X.data, X.indices, X.indptr) if is_sparse(X) else (X,)
    return sum(array.nbytes for array in arrays)


# Garbage collection.


@contextmanager
def pause_collection() -> Iterator[None]:
    """Import large packages in this block without garbage collection, and spare what they hold.

    The objects of a module live as long as the process, but each full collection visits all of
    them: numpy, scikit-learn and numba hold a million. If anything is imported, the collector
    ignores all objects that exist at the end of the block. So only a process of holdfast's own, a
    command or a worker, calls this.

    Examples
    --------
    >>> import gc
    >>> from holdfast._memory import pause_collection
    >>> with pause_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    n_modules, was_enabled = len(sys.modules), gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > n_modules:
            gc.freeze()
        if was_enabled:
            gc.enable()
