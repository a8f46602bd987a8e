"""What the engine costs on a Dask cluster, beyond the same units in one local process.

Wall is the time on the clock; CPU adds up all processes: the study, its worker, or the scheduler
and the workers. Both are per unit, and of a run of all units less a run of a few, so that what
starts once is left out: imports, connections, worker processes.
"""

from __future__ import annotations

import os
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import holdfast as hf
from benchmarks._memory import status_mb
from benchmarks._record import Goal, benchmark
from benchmarks.studies import first, small

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks._inputs import Labelled

UNITS = 100_000
WORKERS = 4
QUARTERS = 4  # memory is read whenever another quarter of the units is done


class Seconds(NamedTuple):
    """What a run took."""

    wall: float
    cpu: float

    def beyond(self, other: Seconds) -> Seconds:
        """Return what this took more than another."""
        return Seconds(self.wall - other.wall, self.cpu - other.cpu)

    def __str__(self) -> str:
        return f"{1e3 * self.wall:.3f} ms wall, {1e3 * self.cpu:.3f} ms CPU"


class Comparison(NamedTuple):
    """The same units in one local process and on a cluster; seconds per unit, memory in MB."""

    local: Seconds
    cluster: Seconds
    scheduler_mb: list[float]
    study_mb: list[float]

    def growth(self) -> int:
        """Return the bytes by which the scheduler grew after the first quarter of the units."""
        first_quarter, *later = self.scheduler_mb
        return int(1e6 * (max(later) - first_quarter))

    def notes(self) -> list[str]:
        """Return the lines that go above the table."""
        scheduler, study = (
            ", ".join(f"{value:.0f}" for value in values)
            for values in (self.scheduler_mb, self.study_mb)
        )
        more = self.cluster.beyond(self.local)
        return [
            f"a unit takes {self.local} in one local process; {self.cluster} here; {more} more",
            f"MB resident at 25, 50, 75, 100% of the units: scheduler {scheduler}; study {study}",
        ]


class MemoryLog:
    """Reads the memory of processes as units finish; given to a study as its progress."""

    def __init__(self, units: int, processes: list[int]) -> None:
        self._units = units
        self._processes = processes
        self._done = 0
        self.readings: list[list[float]] = []

    def advance(self, done: Mapping[str, int], failed: int) -> None:
        """Count units; read the memory if another quarter is done."""
        self._done += sum(done.values())
        while self._done * QUARTERS >= self._units * (len(self.readings) + 1):
            self.readings.append([status_mb("VmRSS", process) for process in self._processes])

    def start(self, totals: Mapping[str, int], done: Mapping[str, int], where: str) -> None:
        """Nothing is displayed."""

    def stop(self) -> None:
        """Nothing is displayed."""

    def note(self, text: str) -> None:
        """Nothing is displayed."""


def seconds_of(data: Labelled, units: int, cpu: Callable[[], float], **where: Any) -> Seconds:
    """Run a selector that costs nothing on many resamples."""
    study = hf.Study({"first": first}, protocol=hf.Subsampling(units), classifiers=(), sizes=[3])
    with tempfile.TemporaryDirectory() as folder:
        before = Seconds(time.perf_counter(), cpu())
        result = study.run(*data, out=Path(folder) / "run", **where)
        after = Seconds(time.perf_counter(), cpu())
        if not result.complete:
            raise RuntimeError(f"units failed: {result.failures}")
        result.store.close()
    return after.beyond(before)


def seconds_per_unit(
    data: Labelled, units: int, cpu: Callable[[], float], progress: MemoryLog | None, **where: Any
) -> Seconds:
    """Run one unit per worker, which costs what every start does; then all units."""
    start = seconds_of(data, WORKERS, cpu, **where)
    beyond = seconds_of(data, units, cpu, progress=progress, **where).beyond(start)
    return Seconds(beyond.wall / units, beyond.cpu / units)


def compare(inputs: tuple[Labelled, int]) -> Comparison:
    """Run the units in one local process, then on a cluster of processes."""
    from distributed import Client
    from distributed.deploy.subprocess import SubprocessCluster

    # of this process, and of those that it started and that have ended
    local = seconds_per_unit(*inputs, lambda: sum(os.times()[:4]), None, n_jobs=1)
    address = {"host": "127.0.0.1"}
    with (
        SubprocessCluster(
            **address,
            n_workers=WORKERS,
            threads_per_worker=1,
            scheduler_kwargs={**address, "dashboard": False},
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(WORKERS)

        def cpu() -> float:
            there = [*client.run(time.process_time).values()]
            return sum([time.process_time(), client.run_on_scheduler(time.process_time), *there])

        seconds_of(inputs[0], WORKERS, cpu, client=client)  # the workers import what they need
        log = MemoryLog(inputs[1], [client.run_on_scheduler(os.getpid), os.getpid()])
        there = seconds_per_unit(*inputs, cpu, log, client=client)
    scheduler, study = zip(*log.readings, strict=True)
    return Comparison(local, there, [*scheduler], [*study])


benchmark(
    task="study, CPU a unit (of 100,000) on Dask beyond one local process, 4 workers",
    inputs=partial(small, units=UNITS),
    tiny=partial(small, units=20),
    goal=Goal(seconds=0.001, held_mb=10),
    clock=lambda run: run.cluster.beyond(run.local).cpu,
    holds=Comparison.growth,
    notes=Comparison.notes,
)(compare)
