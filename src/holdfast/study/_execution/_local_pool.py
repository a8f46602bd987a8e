"""Where units are worked off: local processes here, a cluster in `_dask`."""

from __future__ import annotations

import os
import re
import signal
import threading
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, fields
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import cloudpickle
from joblib import cpu_count
from joblib.externals.loky import ProcessPoolExecutor

from holdfast.errors import HoldfastError, InvalidInputError, StudyError
from holdfast.study._execution._worker import (
    THREADS,
    Batch,
    BatchResult,
    obey_locally,
    prepare,
    share_matrix,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from holdfast.study._execution._unit import Work
    from holdfast.study._planning._plan import Unit

QUIET = "PYTHONFAULTHANDLER"
"""Set, if to nothing, it keeps loky from printing the stack of a worker that crashes."""
_SIGNALS = re.compile(r"exit codes of the workers are \{(.*?)\}")


class Report(NamedTuple):
    """What became of an order: an answer, or how the process that had it ended."""

    units: Sequence[Unit]
    answer: BatchResult | None
    death: str | None = None
    timed_out: bool = False


class Pool(Protocol):
    """A place with workers. All methods are called by one thread."""

    name: str

    def room(self) -> int:
        """Return how many more orders can be given now."""

    def order(self, units: Sequence[Unit]) -> None:
        """Give an order."""

    def reports(self, seconds: float) -> list[Report]:
        """Return what has come in; wait for the first at most so long."""

    def close(self) -> None:
        """End all workers at once."""


def count_of_jobs(n_jobs: int | None) -> int:
    """Return the number of processes: None is all, negative numbers count from all + 1."""
    if n_jobs is None:
        return int(cpu_count())
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidInputError(f"n_jobs must be a whole number but 0, got {n_jobs!r}.")
    return int(n_jobs) if n_jobs > 0 else max(1, int(cpu_count()) + 1 + int(n_jobs))


def without_data(work: Work) -> dict[str, Any]:
    """Return what makes the work again, all but the matrix."""
    names = [field.name for field in fields(work) if field.init and field.name != "X"]
    return {name: getattr(work, name) for name in names}


@dataclass
class Slot:
    """One worker process, and the order it has."""

    executor: ProcessPoolExecutor
    units: Sequence[Unit] | None = None
    fresh: bool = True
    """Whether the process is still to be started, which its first order does."""


class LocalPool:
    """Local processes, each an executor of its own.

    So when a process dies it takes no other with it, and it is known which order it had.
    """

    def __init__(self, work: Work, n_jobs: int, timeout: float | None) -> None:
        self.name = f"{n_jobs} local {'process' if n_jobs == 1 else 'processes'}"
        self._timeout = timeout
        self._open = ExitStack()
        payload = cloudpickle.dumps(without_data(work))
        path = self._open.enter_context(share_matrix(work.X, payload))
        self._start = (os.getpid(), path, work.X.dtype.str, work.X.shape)
        self._slots = [Slot(self._executor()) for _ in range(n_jobs)]
        self._finished: SimpleQueue[tuple[Slot, Future[BatchResult]]] = SimpleQueue()

    def _executor(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            max_workers=1,
            initializer=prepare,
            initargs=self._start,
            env={**dict.fromkeys(THREADS, "1"), QUIET: os.environ.get(QUIET, "")},
        )

    def room(self) -> int:
        """Return the number of idle processes."""
        return sum(slot.units is None for slot in self._slots)

    def order(self, units: Sequence[Unit]) -> None:
        """Give an order to an idle process."""
        slot = next(slot for slot in self._slots if slot.units is None)
        slot.units = units
        order = Batch("", units, self._timeout, versions())
        with deaf_children() if slot.fresh else nullcontext():
            future = slot.executor.submit(obey_locally, order)
        slot.fresh = False
        future.add_done_callback(lambda done, slot=slot: self._finished.put((slot, done)))

    def reports(self, seconds: float) -> list[Report]:
        """Return what has come in; wait for the first at most so long."""
        return [self._report(*one) for one in drain_queue(self._finished, seconds)]

    def _report(self, slot: Slot, future: Future[BatchResult]) -> Report:
        units, slot.units = slot.units or (), None
        try:
            return Report(units, future.result())
        except BrokenExecutor as error:
            slot.executor.shutdown(wait=True, kill_workers=True)
            slot.executor, slot.fresh = self._executor(), True
            found = _SIGNALS.search(str(error))
            signs = found[1] if found else "for an unknown reason"
            timed_out = self._timeout is not None and "SIGALRM" in signs
            return Report(units, None, f"its process died ({signs})", timed_out)
        except HoldfastError:
            raise
        except Exception as error:  # units report their own failures: this is about the worker
            raise StudyError(f"a worker process cannot work: {error!r}") from error

    def close(self) -> None:
        """End all processes at once and free the shared matrix."""
        for slot in self._slots:
            slot.executor.shutdown(wait=True, kill_workers=True)
        self._open.close()


@contextmanager
def deaf_children() -> Iterator[None]:
    """Let processes that start here ignore Ctrl-C from the first: their parent hears it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's business
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def drain_queue(queue: SimpleQueue[Any], seconds: float) -> list[Any]:
    """Return all that a queue holds; wait for the first at most so long."""
    items: list[Any] = []
    wait: Callable[[], Any] = lambda: queue.get(timeout=seconds)  # noqa: E731
    while True:
        try:
            items.append(wait())
        except Empty:
            return items
        wait = queue.get_nowait
