"""Run units in local processes; `_dask_pool` runs them on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import fields
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import cloudpickle
from joblib import cpu_count

from holdfast._imported_objects import IMPORTED_FILES, pickle_with_files
from holdfast._interrupts import defer_interrupts
from holdfast.errors import InvalidInputError
from holdfast.study._execution._local_worker import LocalWorker
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._execution._worker import PoolEvent, matrix_layout, share_matrix, versions
from holdfast.study._planning._plan import Unit


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


def pickle_runner(runner: UnitRunner) -> bytes:
    """Return the arguments that rebuild a runner, all but the matrix, for another process."""
    arguments = fields_without_matrix(runner)
    return pickle_with_files(arguments) if IMPORTED_FILES else cloudpickle.dumps(arguments)


class LocalPool:
    """Local processes, each with a batch of its own.

    A process that crashes thus takes no other with it, and it is known which batch it had.
    """

    def __init__(self, runner: UnitRunner, n_jobs: int, timeout: float | None) -> None:
        self.name = f"{n_jobs} local {'process' if n_jobs == 1 else 'processes'}"
        self._n_jobs = n_jobs
        self._timeout = timeout
        self._open = ExitStack()
        payload = pickle_runner(runner)
        path = self._open.enter_context(share_matrix(runner.X, payload))
        self._start_arguments = (os.getpid(), path, matrix_layout(runner.X))
        self._workers: list[LocalWorker] = []
        self._received: SimpleQueue[LocalWorker] = SimpleQueue()

    def n_free(self) -> int:
        """Return the number of processes that are idle or not started yet."""
        return self._n_jobs - sum(worker.units is not None for worker in self._workers)

    def submit(self, units: Sequence[Unit]) -> None:
        """Submit a batch to an idle process; start one if there is none."""
        self._idle_worker().submit(units, self._timeout, versions())

    def _idle_worker(self) -> LocalWorker:
        for worker in [worker for worker in self._workers if worker.units is None]:
            if not worker.has_ended():
                return worker
            worker.end()  # what it has started may still run
            self._workers.remove(worker)
        worker = LocalWorker(self._start_arguments, self._timeout, self._received)
        self._workers.append(worker)
        return worker

    def wait(self, seconds: float) -> list[PoolEvent]:
        """Return the events since the last call; wait at most this long for the first."""
        drain_queue(self._received, seconds)
        events = (worker.take_event() for worker in self._workers)
        return [event for event in events if event is not None]

    def close(self) -> None:
        """End all processes at once and free the shared matrix."""
        with defer_interrupts():
            for worker in self._workers:
                worker.end()
            self._open.close()


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
