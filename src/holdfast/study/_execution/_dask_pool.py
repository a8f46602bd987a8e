"""Units on a Dask cluster: the data are scattered once, results are stored as they arrive."""

from __future__ import annotations

import os
import pickle
import time
import uuid
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import cloudpickle
import numpy as np

from holdfast.errors import HoldfastError, InvalidInputError, StudyError
from holdfast.study._execution._local_pool import Report, drain_queue, without_data
from holdfast.study._execution._unit import Work
from holdfast.study._execution._worker import Batch, BatchResult, check_versions, obey, versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.study._planning._plan import Unit

MAX_BATCHES_PER_WORKER = 2
"""Orders a worker has at a time, so that it never waits for the next."""
ALIGNMENT = 64


def obey_on_cluster(data: tuple[bytes, NDArray[Any]], order: Batch) -> BatchResult:
    """Work off units in a Dask worker."""
    if order.token not in _works:
        _works.clear()  # one study at a time
        payload, X = data
        _works[order.token] = Work(X=_align_matrix(X), **pickle.loads(payload))
    return obey(_works[order.token], order)


_works: dict[str, Work] = {}


def _align_matrix(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix where arrays usually lie in memory, so that no loop starts differently."""
    if matrix.ctypes.data % ALIGNMENT == 0:
        return matrix
    room = np.empty(matrix.nbytes + ALIGNMENT, dtype=np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    copy = room[start : start + matrix.nbytes].view(matrix.dtype).reshape(matrix.shape)
    copy[...] = matrix
    copy.flags.writeable = False
    return copy


class DaskPool:
    """The workers of a Dask cluster, through a client that the caller owns."""

    def __init__(self, client: Any, work: Work, timeout: float | None) -> None:  # noqa: ANN401
        self.name = f"the Dask cluster at {client.scheduler.address}"
        self._client = client
        self._timeout = timeout
        self._token = uuid.uuid4().hex
        self._finished: SimpleQueue[Any] = SimpleQueue()
        self._given: dict[str, SubmittedBatch] = {}
        self._workers = ClusterSize(client)
        self._check_workers()
        self._payload = (cloudpickle.dumps(without_data(work)), work.X)
        self._data: list[Any] = [self._scattered()]

    def _check_workers(self) -> None:
        with self._reached():
            found = self._client.run(versions)
        if not found:
            raise StudyError(f"{self.name} has no workers; start some and run again.")
        for address, theirs in sorted(found.items()):
            check_versions(theirs, address)
        if self._timeout is not None and os.getpid() in self._client.run(os.getpid).values():
            raise InvalidInputError(
                "a time limit ends processes, but a Dask worker runs in this very process; start "
                "the workers as processes of their own, or set no limit."
            )

    def _scattered(self) -> Any:  # noqa: ANN401  (a future)
        with self._reached():
            return self._client.scatter([self._payload], broadcast=True, hash=False)[0]

    def room(self) -> int:
        """Return how many more orders keep all workers busy."""
        with self._reached():
            return MAX_BATCHES_PER_WORKER * max(1, self._workers.count()) - len(self._given)

    def order(self, units: Sequence[Unit]) -> None:
        """Give an order to the cluster."""
        self._submit(units, resent=False)

    def _submit(self, units: Sequence[Unit], *, resent: bool) -> None:
        order = Batch(self._token, units, self._timeout, versions())
        with self._reached():
            future = self._client.submit(obey_on_cluster, self._data[-1], order, pure=False)
        self._given[future.key] = SubmittedBatch(future, units, len(self._data), resent)
        future.add_done_callback(self._finished.put)

    def reports(self, seconds: float) -> list[Report]:
        """Return what has come in; wait for the first at most so long."""
        found = [self._report(future) for future in drain_queue(self._finished, seconds)]
        reports = [report for report in found if report is not None]
        if self._client.status != "running" and not reports:
            raise self._gone()
        return reports

    def _report(self, future: Any) -> Report | None:  # noqa: ANN401
        """Return what became of an order; None where it was sent again."""
        given = self._given.pop(future.key)
        if future.status == "lost":
            return self._lost(given)
        try:
            return Report(given.units, future.result())
        except (CancelledError, OSError):  # an answer, too, is lost with the worker that has it
            return self._lost(given)
        except HoldfastError:
            raise
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise StudyError(f"a Dask worker cannot work: {error!r}") from error
            return self._dead(given)

    def _lost(self, given: SubmittedBatch) -> Report | None:
        """Send data and order again: the workers that had the data died, maybe of another order.

        An order that is lost a second time is taken for dead.
        """
        if self._client.status != "running":
            raise self._gone()
        if given.scattering == len(self._data):
            self._data.append(self._scattered())
        if given.resent:
            return self._dead(given)
        self._submit(given.units, resent=True)
        return None

    def _dead(self, given: SubmittedBatch) -> Report:
        limit = "" if self._timeout is None else f", or {self._timeout:g} s were not enough"
        return Report(given.units, None, f"its Dask workers died{limit}")

    def _gone(self) -> StudyError:
        return StudyError(
            f"{self.name} cannot be reached any more. What was done is kept; resume on another "
            "cluster, or here without one."
        )

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Say that the cluster is gone where calls to it fail."""
        try:
            yield
        except (TimeoutError, OSError, CancelledError, RuntimeError) as error:
            if isinstance(error, HoldfastError):
                raise
            raise self._gone() from error

    def close(self) -> None:
        """Take back what is still to be done; the workers are the caller's."""
        if self._client.status == "running":
            with suppress(TimeoutError, OSError, CancelledError, RuntimeError):  # it is going down
                self._client.cancel([given.future for given in self._given.values()])
        self._given.clear()
        self._data.clear()


class SubmittedBatch(NamedTuple):
    """An order that was given: its future, its scattering of the data, and if it was sent again."""

    future: Any
    units: Sequence[Unit]
    scattering: int
    resent: bool


class ClusterSize:
    """How many workers a cluster has; asked every few seconds, as it may grow or shrink."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self._client = client
        self._asked = -np.inf
        self._count = 1

    def count(self) -> int:
        """Return the number of workers."""
        if time.monotonic() - self._asked > 2 and self._client.status == "running":
            self._count = len(self._client.nthreads())
            self._asked = time.monotonic()
        return self._count
