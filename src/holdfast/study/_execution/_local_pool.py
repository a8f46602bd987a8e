"""Run units in local processes; `_dask_pool` runs them on a cluster."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, fields
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import cloudpickle
from joblib import cpu_count
from joblib.externals.loky import ProcessPoolExecutor

from holdfast.errors import HoldfastError, InvalidInputError, StudyError
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._execution._worker import (
    THREAD_VARIABLES,
    PoolEvent,
    run_local_batch,
    share_matrix,
    start_local_worker,
    versions,
)
from holdfast.study._planning._plan import Unit

FAULT_HANDLER_VARIABLE = "PYTHONFAULTHANDLER"
"""Set to the empty string, it keeps loky from printing the stack of a crashed worker."""
_EXIT_CODES = re.compile(r"exit codes of the workers are \{(.*?)\}")


class Pool(Protocol):
    """Workers that run batches of units. All methods are called from one thread."""

    name: str

    def n_free(self) -> int:
        """Return how many more batches can be submitted now."""

    def submit(self, units: Sequence[Unit]) -> None:
        """Submit a batch of units."""

    def wait(self, seconds: float) -> list[PoolEvent]:
        """Return the events since the last call; wait at most this long for the first."""

    def close(self) -> None:
        """End all workers at once."""


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Return the number of processes: None means all cores, -1 too, -2 all but one."""
    if n_jobs is None:
        return int(cpu_count())
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidInputError(f"n_jobs must be a non-zero integer, got {n_jobs!r}.")
    return int(n_jobs) if n_jobs > 0 else max(1, int(cpu_count()) + 1 + int(n_jobs))


def fields_without_matrix(runner: UnitRunner) -> dict[str, Any]:
    """Return the arguments that rebuild a runner, all but the matrix."""
    names = [field.name for field in fields(runner) if field.init and field.name != "X"]
    return {name: getattr(runner, name) for name in names}


@dataclass
class WorkerSlot:
    """One worker process, and the batch that it is running."""

    executor: ProcessPoolExecutor
    units: Sequence[Unit] | None = None
    fresh: bool = True
    """Whether the process is still to be started; its first batch starts it."""


class LocalPool:
    """Local processes, each in an executor of its own.

    A process that crashes thus takes no other with it, and it is known which batch it had.
    """

    def __init__(self, runner: UnitRunner, n_jobs: int, timeout: float | None) -> None:
        self.name = f"{n_jobs} local {'process' if n_jobs == 1 else 'processes'}"
        self._timeout = timeout
        self._open = ExitStack()
        payload = cloudpickle.dumps(fields_without_matrix(runner))
        path = self._open.enter_context(share_matrix(runner.X, payload))
        self._start_arguments = (os.getpid(), path, runner.X.dtype.str, runner.X.shape)
        self._slots = [WorkerSlot(self._new_executor()) for _ in range(n_jobs)]
        self._finished: SimpleQueue[tuple[WorkerSlot, Future[PoolEvent]]] = SimpleQueue()

    def _new_executor(self) -> ProcessPoolExecutor:
        handler = os.environ.get(FAULT_HANDLER_VARIABLE, "")
        return ProcessPoolExecutor(
            max_workers=1,
            initializer=start_local_worker,
            initargs=self._start_arguments,
            env={**dict.fromkeys(THREAD_VARIABLES, "1"), FAULT_HANDLER_VARIABLE: handler},
        )

    def n_free(self) -> int:
        """Return the number of idle processes."""
        return sum(slot.units is None for slot in self._slots)

    def submit(self, units: Sequence[Unit]) -> None:
        """Submit a batch to an idle process."""
        slot = next(slot for slot in self._slots if slot.units is None)
        slot.units = units
        with ignore_interrupts() if slot.fresh else nullcontext():
            future = slot.executor.submit(run_local_batch, units, self._timeout, versions())
        slot.fresh = False
        future.add_done_callback(lambda done, slot=slot: self._finished.put((slot, done)))

    def wait(self, seconds: float) -> list[PoolEvent]:
        """Return the events since the last call; wait at most this long for the first."""
        return [self._to_event(*item) for item in drain_queue(self._finished, seconds)]

    def _to_event(self, slot: WorkerSlot, future: Future[PoolEvent]) -> PoolEvent:
        units, slot.units = slot.units or (), None
        try:
            return future.result()
        except BrokenExecutor as error:
            # loky restarts no process of a broken executor
            slot.executor.shutdown(wait=True, kill_workers=True)
            slot.executor, slot.fresh = self._new_executor(), True
            match = _EXIT_CODES.search(str(error))
            reason = match[1] if match else "for an unknown reason"
            # the alarm has no handler, so its name in the exit code shows that it went off
            timed_out = self._timeout is not None and "SIGALRM" in reason
            crash = f"its process died ({reason})"
            return PoolEvent(units, [], crash=crash, timed_out=timed_out)
        except HoldfastError:
            raise
        except Exception as error:  # units report their failures: this is one of the worker
            raise StudyError(f"a worker process cannot work: {error!r}") from error

    def close(self) -> None:
        """End all processes at once and free the shared matrix."""
        for slot in self._slots:
            slot.executor.shutdown(wait=True, kill_workers=True)
        self._open.close()


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Start processes that ignore Ctrl-C from the beginning; their parent handles it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def drain_queue(queue: SimpleQueue[Any], seconds: float) -> list[Any]:
    """Return all items of a queue; wait at most this long for the first."""
    items: list[Any] = []
    wait: Callable[[], Any] = lambda: queue.get(timeout=seconds)  # noqa: E731
    while True:
        try:
            items.append(wait())
        except Empty:
            return items
        wait = queue.get_nowait
