"""Inside a worker process: one thread, a hard time limit, and an end when the parent ends."""

from __future__ import annotations

import faulthandler
import os
import pickle
import platform
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, NamedTuple

import numba
import numpy as np
from scipy.sparse import csr_matrix
from threadpoolctl import ThreadpoolController

from holdfast._imported_objects import unpickle_with_files
from holdfast._memory import is_sparse, pause_collection, peak_memory, reset_peak_memory
from holdfast._typing import AnyArray, MatrixLike
from holdfast.errors import HoldfastError, StoreError, StudyError
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._planning._plan import Unit
from holdfast.study._storage._store import UnitResult

SECONDS_PER_BATCH = 0.1
"""Seconds of work, or one unit, after which a worker returns its results; chosen by hand."""
THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS",
)  # fmt: skip
ALIGNMENT = 64
"""Bytes of a cache line, to which numpy's larger arrays are aligned: vectorized sums depend on
where an array starts."""
SECONDS_OF_GRACE = 5.0
"""How long after the time limit a process is ended whose alarm did not go off; chosen by hand."""
_PROCESS_LOCK = threading.Lock()
"""Held by the running unit: a Dask worker may have several threads."""


class PoolEvent(NamedTuple):
    """What became of a batch of units: results of the first of them, or a crashed worker."""

    units: Sequence[Unit]
    """The batch as it was submitted."""
    results: list[UnitResult]
    n_done: int = 0
    """How many units of the batch the worker ran before its time was up."""
    warnings: tuple[str, ...] = ()
    crash: str | None = None
    """How the worker process ended; None if it did not crash."""
    timed_out: bool = False
    """Whether the crash was caused by the time limit."""
    peak_memory: int = 0
    """The most bytes that the worker held during the batch; 0 where it is not known."""


@cache
def versions() -> dict[str, str]:
    """Return the versions of everything that numbers depend on."""
    names = ("holdfast", "numpy", "scipy", "scikit-learn", "numba")
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "machine": platform.machine(),
        **{name: version(name) for name in names},
    }


def run_batch(
    runner: UnitRunner,
    units: Sequence[Unit],
    timeout: float | None,
    on_unit_start: Callable[[], None] = lambda: None,
) -> PoolEvent:
    """Run units until the time of a batch is used up, at least one of them.

    `on_unit_start` is called whenever the time of a unit begins.
    """
    results: list[UnitResult] = []
    n_done, process = 0, os.getpid()
    reset_peak_memory()
    with _PROCESS_LOCK, limit_threads(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        start = time.perf_counter()
        for unit in units:
            runner.warm_up(unit.selector)
            on_unit_start()
            with hard_time_limit(timeout):
                results += runner.run(unit)
                if os.getpid() != process:  # a selector has forked, and its copy came back
                    os._exit(1)
            n_done += 1
            # units of one selector take about the same time
            expected = (time.perf_counter() - start) * (n_done + 1) / n_done
            if expected > SECONDS_PER_BATCH:
                break
    texts = {f"{warning.category.__name__}: {warning.message}" for warning in caught}
    return PoolEvent(units, results, n_done, tuple(sorted(texts)), peak_memory=peak_memory())


def check_worker_versions(
    worker: str, theirs: Mapping[str, str], expected: Mapping[str, str]
) -> None:
    """Raise if a worker computes with other versions than the process that leads the study."""
    differences = [
        f"{name} {theirs.get(name)}, not {expected.get(name)}"
        for name in sorted({*expected, *theirs})
        if theirs.get(name) != expected.get(name)
    ]
    if differences:
        raise StudyError(
            f"{worker} has {'; '.join(differences)}: all processes of a study need the same "
            "versions, or their numbers could differ."
        )


@contextmanager
def limit_threads() -> Iterator[None]:
    """Limit BLAS, OpenMP and numba to one thread: sums depend on the number of threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with _thread_controller().limit(limits=1):
            yield
    finally:
        numba.set_num_threads(before)


@cache
def _thread_controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  (its BLAS must be loaded to be limited)
    import sklearn.ensemble  # noqa: F401  (and scikit-learn's OpenMP)

    return ThreadpoolController()


@contextmanager
def hard_time_limit(seconds: float | None) -> Iterator[None]:
    """End this process if the block takes longer, even inside compiled code.

    The alarm has no handler, so the operating system itself ends the process. A selector may
    ignore, block or replace the alarm: a little later, a thread without Python code ends the
    process.
    """
    if seconds is None:
        yield
        return
    faulthandler.dump_traceback_later(
        seconds + SECONDS_OF_GRACE, exit=True, file=_null_device().fileno()
    )
    try:
        if hasattr(signal, "setitimer"):
            _reset_alarm()
            signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _reset_alarm() -> None:
    """Undo what an earlier selector did to the alarm of this process."""
    if threading.current_thread() is threading.main_thread():  # others may set no handlers
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})


@cache
def _null_device() -> IO[bytes]:
    """Return where traces of other people's code go."""
    return Path(os.devnull).open("wb")


# Local workers only.

_local_state: dict[str, Any] = {}


def serve_batches() -> None:
    """Run the batches that arrive on standard input, until it ends; send events on the output."""
    # Workers have no terminal, but may be signalled with their parent, which handles interrupts.
    # Unlike SIG_IGN, a handler is not inherited by the programs that a selector starts.
    signal.signal(signal.SIGINT, lambda *_: None)
    with _take_standard_streams() as (commands, messages):

        def send(message: PoolEvent | HoldfastError | None) -> None:
            pickle.dump(message, messages)
            messages.flush()

        parent, *shared = pickle.load(commands)
        _end_with_parent(parent)
        _local_state["shared"] = shared
        while True:
            try:
                units, timeout, expected_versions = pickle.load(commands)
            except EOFError:
                return
            send(_answer(units, timeout, expected_versions, lambda: send(None)))


@contextmanager
def _take_standard_streams() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Yield what were input and output; what selectors print goes to the error stream."""
    with os.fdopen(os.dup(0), "rb") as commands, os.fdopen(os.dup(1), "wb") as messages:
        with Path(os.devnull).open("rb") as empty:
            os.dup2(empty.fileno(), 0)
        os.dup2(2, 1)
        yield commands, messages


def _answer(
    units: Sequence[Unit],
    timeout: float | None,
    expected_versions: Mapping[str, str],
    on_unit_start: Callable[[], None],
) -> PoolEvent | HoldfastError:
    """Return the event of a batch, or why this process cannot work."""
    try:
        return run_local_batch(units, timeout, expected_versions, on_unit_start)
    except HoldfastError as error:
        return error
    except Exception as error:  # noqa: BLE001  (units report their failures: this is the worker's)
        return StudyError(f"a worker process cannot work: {error!r}")


def run_local_batch(
    units: Sequence[Unit],
    timeout: float | None,
    expected_versions: Mapping[str, str],
    on_unit_start: Callable[[], None],
) -> PoolEvent:
    """Run units in a local worker process."""
    check_worker_versions("a local worker process", versions(), expected_versions)
    if "runner" not in _local_state:
        X, payload = map_matrix(*_local_state["shared"])
        with pause_collection():  # the objects bring their modules
            _local_state["runner"] = UnitRunner(X=X, **unpickle_with_files(payload))
    return run_batch(_local_state["runner"], units, timeout, on_unit_start)


def _end_with_parent(parent: int) -> None:
    """End this process when its parent ends, for whatever reason."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the signal was set
        os._exit(1)

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    # elsewhere, and if the signal is not delivered
    threading.Thread(target=watch_parent, daemon=True).start()


# A matrix shared by local processes, in a file that cannot be left behind.


class MatrixLayout(NamedTuple):
    """How the arrays of a matrix follow each other in a file."""

    shape: tuple[int, int]
    parts: tuple[tuple[str, int], ...]
    """Type and length of each array: the values, and of a sparse matrix indices and indptr."""


def matrix_layout(matrix: MatrixLike) -> MatrixLayout:
    """Return how a matrix is written."""
    parts = tuple((part.dtype.str, part.size) for part in _matrix_parts(matrix))
    return MatrixLayout(matrix.shape, parts)


def _matrix_parts(matrix: MatrixLike) -> list[AnyArray]:
    if is_sparse(matrix):
        return [matrix.data, matrix.indices, matrix.indptr]
    return [matrix]


@contextmanager
def share_matrix(matrix: MatrixLike, payload: bytes) -> Iterator[str]:
    """Write a matrix, followed by other bytes, for other processes to map; yield the path.

    On Linux the file has no name: workers open it through this process's file descriptor, and
    the system frees it when the last process ends, even if all are killed. Elsewhere it has a
    name and is removed at the end.
    """
    nameless = sys.platform == "linux"
    with tempfile.TemporaryFile() if nameless else tempfile.NamedTemporaryFile() as file:
        _write_matrix(file, matrix, payload)
        yield f"/proc/{os.getpid()}/fd/{file.fileno()}" if nameless else file.name


def _write_matrix(file: IO[bytes], matrix: MatrixLike, payload: bytes) -> None:
    try:
        for part in _matrix_parts(matrix):
            file.write(part.reshape(-1).view(np.uint8).data)
            file.write(bytes(-part.nbytes % ALIGNMENT))
        file.write(payload)
        file.flush()
    except OSError as error:
        with suppress(OSError):
            file.close()  # which tries to flush again
        raise StoreError(
            f"{tempfile.gettempdir()}: the data cannot be shared with the workers "
            f"({error.strerror}); free space there, or set TMPDIR to a folder with space."
        ) from error


def map_matrix(path: str, layout: MatrixLayout) -> tuple[MatrixLike, bytes]:
    """Map the matrix shared by another process, and read the bytes that follow it."""
    arrays, offset = [], 0
    for dtype, length in layout.parts:
        part = np.empty(0, dtype)
        if length:
            part = np.memmap(path, dtype, mode="r", offset=offset, shape=(length,)).view(np.ndarray)
        offset += part.nbytes + -part.nbytes % ALIGNMENT
        arrays.append(part)
    with open(path, "rb") as file:  # noqa: PTH123  (a file descriptor, not a path)
        file.seek(offset)
        payload = file.read()
    values, *pointers = arrays
    if not pointers:
        return values.reshape(layout.shape), payload
    matrix = csr_matrix((values, *pointers), shape=layout.shape, copy=False)
    matrix.has_canonical_format = True  # as data sets store it; a check would read all of it
    return matrix, payload
