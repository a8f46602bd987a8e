"""What happens inside a worker process: one thread, a hard time limit, an end with its parent."""

from __future__ import annotations

import os
import pickle
import platform
import signal
import sys
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from threadpoolctl import ThreadpoolController

from holdfast.errors import StoreError, StudyError
from holdfast.study._execution._unit import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.study._planning._plan import Unit
    from holdfast.study._storage._store import Outcome


BUDGET = 0.1
"""Seconds of work, or one unit, after which a worker hands in what it has."""
THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS",
)  # fmt: skip
_ALONE = threading.Lock()  # a Dask worker may have several threads, a unit wants the process


class Batch(NamedTuple):
    """What a worker is asked to do."""

    token: str
    """Which study it is for."""
    units: Sequence[Unit]
    timeout: float | None
    versions: Mapping[str, str]
    """What the coordinating process computes with; a worker must have the same."""


class BatchResult(NamedTuple):
    """What a worker did: the first units of its order, and what they warned of."""

    outcomes: list[Outcome]
    done: int
    warnings: tuple[str, ...]


@cache
def versions() -> dict[str, str]:
    """Return the versions of everything that numbers depend on."""
    names = ("holdfast", "numpy", "scipy", "scikit-learn", "numba")
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "machine": platform.machine(),
        **{name: version(name) for name in names},
    }


def obey(work: Work, order: Batch) -> BatchResult:
    """Work off units until the budget of time is used up; at least one."""
    check_versions(order.versions, "the process that leads the study")
    outcomes: list[Outcome] = []
    done = 0
    with _ALONE, one_thread(), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        start = time.perf_counter()
        for unit in order.units:
            if order.timeout is not None:
                work.warm_up(unit.selector)
            with ended_after(order.timeout):
                outcomes += work.run(unit)
            done += 1
            if (time.perf_counter() - start) * (done + 1) / done > BUDGET:  # one more is too many
                break
    texts = {f"{one.category.__name__}: {one.message}" for one in seen}
    return BatchResult(outcomes, done, tuple(sorted(texts)))


def check_versions(theirs: Mapping[str, str], who: str) -> None:
    """Refuse a process that computes with other versions than this one."""
    names = sorted({*versions(), *theirs})
    other = [
        f"{name} {theirs.get(name)}, not {versions().get(name)}"
        for name in names
        if theirs.get(name) != versions().get(name)
    ]
    if other:
        raise StudyError(
            f"{who} has {'; '.join(other)}: all processes of a study need the same versions, or "
            "their numbers could differ."
        )


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS, OpenMP and numba at one thread: products change bits with their number."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with _controller().limit(limits=1):
            yield
    finally:
        numba.set_num_threads(before)


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401, PLC0415  (its BLAS must be loaded to be found)
    import sklearn.ensemble  # noqa: F401, PLC0415  (and so must scikit-learn's OpenMP)

    return ThreadpoolController()


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """End this process if the work takes longer, even inside compiled code.

    The alarm has no handler, so that the operating system itself ends the process.
    """
    disarm = None if seconds is None else _set_alarm(seconds)
    try:
        yield
    finally:
        if disarm is not None:
            disarm()


def _set_alarm(seconds: float) -> Callable[[], object]:
    """Set the alarm and return what takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return lambda: signal.setitimer(signal.ITIMER_REAL, 0)
    timer = threading.Timer(seconds, os._exit, (1,))  # Windows: in vain inside compiled code
    timer.start()
    return timer.cancel


# What follows concerns local workers only.

_own: dict[str, Any] = {}


def prepare(parent: int, path: str, dtype: str, shape: tuple[int, int]) -> None:
    """Set up a local worker process; what may fail waits until the first order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    _end_with(parent)
    _own["shared"] = path, dtype, shape


def obey_locally(order: Batch) -> BatchResult:
    """Work off units in a local worker process."""
    if "work" not in _own:
        X, payload = map_matrix(*_own["shared"])
        _own["work"] = Work(X=X, **pickle.loads(payload))
    return obey(_own["work"], order)


def _end_with(parent: int) -> None:
    """See to it that this process ends when its parent does, however that ended."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415  (Linux only)

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it is gone already
        os._exit(1)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


# A matrix that local processes share, in a file that cannot be left behind.


@contextmanager
def share_matrix(matrix: NDArray[Any], more: bytes) -> Iterator[str]:
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


def map_matrix(
    path: str, dtype: str, shape: tuple[int, int]
) -> tuple[np.ndarray[tuple[int, int], Any], bytes]:
    """Map the matrix that another process shares, and read what stands behind it."""
    matrix = np.memmap(path, dtype=dtype, mode="r", shape=shape)
    with open(path, "rb") as file:  # noqa: PTH123  (not a path but an open file's number)
        file.seek(matrix.nbytes)
        return matrix.view(np.ndarray), file.read()
