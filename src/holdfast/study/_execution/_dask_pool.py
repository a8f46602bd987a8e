"""Run units on a Dask cluster: data are scattered once, results are stored as they arrive."""

from __future__ import annotations

import os
import pickle
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from holdfast._imported_objects import unpickle_with_files
from holdfast._memory import is_sparse
from holdfast._typing import DaskClient, MatrixLike
from holdfast.errors import HoldfastError, InvalidInputError, StudyError
from holdfast.study._execution._local_pool import drain_queue, pickle_runner
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._execution._worker import (
    ALIGNMENT,
    PoolEvent,
    check_worker_versions,
    run_batch,
    versions,
)
from holdfast.study._planning._plan import Unit

MAX_BATCHES_PER_WORKER = 2
"""Batches that a worker has at a time: one runs, one waits, so that it is never idle."""
SECONDS_BETWEEN_COUNTS = 2
"""Seconds for which a count of the workers is used; chosen by hand."""

_runners: dict[str, UnitRunner] = {}
"""The runner of the current study, by token; a worker keeps it from batch to batch."""


def run_cluster_batch(
    data: tuple[bytes, MatrixLike],
    token: str,
    units: bytes,
    timeout: float | None,
    expected_versions: Mapping[str, str],
) -> PoolEvent:
    """Run pickled units in a Dask worker; `token` identifies the study."""
    from distributed import get_worker

    # it may have joined during the run, when the workers had been checked
    check_worker_versions(get_worker().address, versions(), expected_versions)
    if token not in _runners:
        _runners.clear()  # one study at a time
        payload, X = data
        _runners[token] = UnitRunner(X=_align_matrix(X), **unpickle_with_files(payload))
    return run_batch(_runners[token], pickle.loads(units), timeout)


def _align_matrix(matrix: MatrixLike) -> MatrixLike:
    """Align the matrix as numpy does: vectorized sums depend on where an array starts."""
    if is_sparse(matrix):
        values, indices, indptr = map(_align_matrix, (matrix.data, matrix.indices, matrix.indptr))
        return type(matrix)((values, indices, indptr), shape=matrix.shape, copy=False)
    if matrix.ctypes.data % ALIGNMENT == 0:
        return matrix
    buffer = np.empty(matrix.nbytes + ALIGNMENT, dtype=np.uint8)
    start = -buffer.ctypes.data % ALIGNMENT
    copy = buffer[start : start + matrix.nbytes].view(matrix.dtype).reshape(matrix.shape)
    copy[...] = matrix
    copy.flags.writeable = False
    return copy


class DaskPool:
    """The workers of a Dask cluster, through the caller's client."""

    def __init__(self, client: DaskClient, runner: UnitRunner, timeout: float | None) -> None:
        self.name = f"the Dask cluster at {client.scheduler.address}"
        self._client = client
        self._timeout = timeout
        self._token = uuid.uuid4().hex
        self._finished: SimpleQueue[Any] = SimpleQueue()
        self._submitted: dict[str, SubmittedBatch] = {}
        self._workers = ClusterSize(client)
        self._check_workers()
        self._payload = (pickle_runner(runner), runner.X)
        self._data: list[Any] = [self._scatter()]

    def _check_workers(self) -> None:
        with self._reach_cluster():
            versions_by_worker = self._client.run(versions)
        if not versions_by_worker:
            raise StudyError(f"{self.name} has no workers; start some and run again.")
        for address, theirs in sorted(versions_by_worker.items()):
            check_worker_versions(address, theirs, versions())
        if self._timeout is not None and os.getpid() in self._client.run(os.getpid).values():
            raise InvalidInputError(
                "a time limit ends processes, but a Dask worker runs in this very process; start "
                "the workers as separate processes, or set no limit."
            )

    def _scatter(self) -> Any:  # noqa: ANN401  (a future)
        with self._reach_cluster():
            return self._client.scatter([self._payload], broadcast=True, hash=False)[0]

    def n_free(self) -> int:
        """Return how many more batches keep all workers busy."""
        with self._reach_cluster():
            return MAX_BATCHES_PER_WORKER * max(1, self._workers.count()) - len(self._submitted)

    def submit(self, units: Sequence[Unit]) -> None:
        """Submit a batch to the cluster."""
        self._submit(units, resent=False)

    def _submit(self, units: Sequence[Unit], *, resent: bool) -> None:
        # the scheduler unpickles arguments and keeps those of its latest tasks in logs: bytes
        # take about a tenth of the memory of the units
        pickled = pickle.dumps(units)
        arguments = (self._data[-1], self._token, pickled, self._timeout, versions())
        with self._reach_cluster():
            future = self._client.submit(run_cluster_batch, *arguments, pure=False)
        self._submitted[future.key] = SubmittedBatch(future, units, len(self._data), resent)
        future.add_done_callback(self._finished.put)

    def wait(self, seconds: float) -> list[PoolEvent]:
        """Return the events since the last call; wait at most this long for the first."""
        futures = drain_queue(self._finished, seconds)
        events = [event for event in map(self._to_event, futures) if event is not None]
        if self._client.status != "running" and not events:
            raise self._unreachable_error()
        return events

    def _to_event(self, future: Any) -> PoolEvent | None:  # noqa: ANN401  (Dask is untyped)
        """Return what became of a batch; None if it was submitted again."""
        batch = self._submitted.pop(future.key)
        if future.status == "lost":
            return self._resubmit(batch)
        try:
            event: PoolEvent = future.result()
        except (CancelledError, OSError):  # results are lost with the worker that holds them
            return self._resubmit(batch)
        except HoldfastError:
            raise
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise StudyError(f"a Dask worker cannot work: {error!r}") from error
            return self._crash_event(batch)
        return event

    def _resubmit(self, batch: SubmittedBatch) -> PoolEvent | None:
        """Send data and batch again: the workers that held the data may have crashed.

        A batch that is lost a second time counts as crashed.
        """
        if self._client.status != "running":
            raise self._unreachable_error()
        # once per loss: other batches that used the same copy of the data are lost with it
        if batch.scattering == len(self._data):
            self._data.append(self._scatter())
        if batch.resent:
            return self._crash_event(batch)
        self._submit(batch.units, resent=True)
        return None

    def _crash_event(self, batch: SubmittedBatch) -> PoolEvent:
        limit = "" if self._timeout is None else f", or {self._timeout:g} s were not enough"
        return PoolEvent(batch.units, [], crash=f"its Dask workers died{limit}")

    def _unreachable_error(self) -> StudyError:
        return StudyError(
            f"{self.name} cannot be reached any more. Finished units are kept in the folder of "
            "the study, if it has one (out=); resume there on another cluster, or without one."
        )

    @contextmanager
    def _reach_cluster(self) -> Iterator[None]:
        """Raise `StudyError` if the cluster cannot be reached."""
        try:
            yield
        except (TimeoutError, OSError, CancelledError, RuntimeError) as error:
            if isinstance(error, HoldfastError):
                raise
            raise self._unreachable_error() from error

    def close(self) -> None:
        """Cancel what is still to be done; the workers belong to the caller."""
        if self._client.status == "running":
            # the cluster may be shutting down
            with suppress(TimeoutError, OSError, CancelledError, RuntimeError):
                self._client.cancel([batch.future for batch in self._submitted.values()])
        self._submitted.clear()
        self._data.clear()


class SubmittedBatch(NamedTuple):
    """A batch on the cluster."""

    future: Any
    units: Sequence[Unit]
    scattering: int
    """Which scattering of the data it uses, counted from 1."""
    resent: bool


class ClusterSize:
    """Number of workers of a cluster, read again from time to time, as it may grow or shrink."""

    def __init__(self, client: DaskClient) -> None:
        self._client = client
        self._read_at = -np.inf
        self._count = 1

    def count(self) -> int:
        """Return the number of workers."""
        outdated = time.monotonic() - self._read_at > SECONDS_BETWEEN_COUNTS
        if outdated and self._client.status == "running":
            self._count = len(self._client.nthreads())
            self._read_at = time.monotonic()
        return self._count
