"""Run the units of a plan on a pool, run those of a crashed worker again, and store the results.

A selector first runs on a few resamples; if it fails on all of these, its other units are not run.
"""

from __future__ import annotations

import logging
import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from holdfast._interrupts import defer_interrupts, raise_if_interrupted
from holdfast.study._execution._local_pool import Pool
from holdfast.study._execution._progress import Progress
from holdfast.study._execution._worker import PoolEvent
from holdfast.study._planning._plan import Unit
from holdfast.study._storage._store import Store, UnitResult

logger = logging.getLogger(__name__)
MAX_UNITS_PER_BATCH = 256
"""Most units submitted at once; chosen by hand, as time ends most batches earlier."""
SECONDS_BETWEEN_CHECKS = 0.5
"""Longest wait for events of the pool, as interrupts are handled in between; chosen by hand."""
N_TRIAL_RESAMPLES = 3
"""How many resamples a selector runs on before all others; chosen by hand."""


@dataclass
class Trial:
    """The first resamples of a selector, and the units that wait for their outcome."""

    open_resamples: set[int] = field(default_factory=set)
    waiting: list[Unit] = field(default_factory=list)


class FirstRun(NamedTuple):
    """What the first unit of a selector took."""

    selection: float
    """Seconds of selection per resample; NaN if it failed."""
    classification: float
    """Seconds of training and testing the classifiers per resample; NaN if it failed."""
    peak_memory: int
    """Bytes that its process held; 0 where it is not known."""


class Scheduler:
    """Submits the remaining units to a pool and stores their results.

    The first unit of each selector runs before all others: it shows what the study will take.

    A selector that has not succeeded on any resample yet runs on its first three, or on the block
    that holds them. If it fails on all of these, its other units are not run. They wait for this
    decision, so it does not depend on the number of workers.

    A unit whose worker crashes is retried before it is marked as failed: first by itself, if
    other units were in its batch; then once more at the end, when nothing else runs. A block
    that crashes again is split into its resamples.

    Parameters
    ----------
    store : Store
        Takes the results.
    pool : Pool
        Runs the units.
    names : sequence of str
        The names of the selectors.
    progress : Progress or None
        Receives the progress.
    proven : collection of int, default ()
        The selectors that have succeeded on a resample before.

    on_first_runs : callable, optional
        Called once, when the first unit of each selector has run, with what they took.

    Attributes
    ----------
    stopped : set of int
        The selectors whose other units were not run.
    first_runs : dict of int to FirstRun
        What the first unit of each selector took, as far as they have run.
    """

    def __init__(
        self,
        store: Store,
        pool: Pool,
        names: Sequence[str],
        progress: Progress | None,
        proven: Collection[int] = (),
        on_first_runs: Callable[[Mapping[int, FirstRun]], None] | None = None,
    ) -> None:
        self._store = store
        self._pool = pool
        self._names = names
        self._progress = progress
        self._on_first_runs = on_first_runs
        self._first: deque[Unit] = deque()
        self._pending: deque[Unit] = deque()
        self._retry: deque[Unit] = deque()
        self._final_retry: deque[Unit] = deque()
        self._running_alone: Unit | None = None
        self._n_running = 0
        self._batch_sizes: Counter[int] = Counter()  # by selector
        self._warned: set[str] = set()
        self._proven = frozenset(proven)
        self._trials: dict[int, Trial] = {}
        self.stopped: set[int] = set()
        self.first_runs: dict[int, FirstRun] = {}
        self._n_selectors = 0

    def run(self, units: Iterable[Unit]) -> None:
        """Run all units, given selector by selector, but those of selectors that always fail.

        An interrupt ends the run between two steps: never while a process starts, or between
        the arrival of results and their storage.
        """
        for selector, group in groupby(units, key=lambda unit: unit.selector):
            all_units = list(group)
            proven = selector in self._proven
            first, *others = all_units if proven else self._begin_trial(all_units)
            self._first.append(first)
            self._pending.extend(others)
        self._n_selectors = len(self._first)
        with defer_interrupts():
            self._run_pending()

    def _begin_trial(self, units: Iterable[Unit]) -> list[Unit]:
        """Return the first units of a selector; the others wait."""
        trial, first = Trial(), []
        for unit in units:
            if len(trial.open_resamples) < N_TRIAL_RESAMPLES:
                first.append(unit)
                trial.open_resamples.update(range(unit.first, unit.stop))
            else:
                trial.waiting.append(unit)
        if trial.waiting:
            self._trials[first[0].selector] = trial
        return first

    def _judge_trial(self, result: UnitResult) -> None:
        """Let the other units of a selector run after a success, drop them after failures only."""
        trial = self._trials.get(result.selector)
        if trial is None:
            return
        if result.message is None:
            self._pending.extendleft(reversed(trial.waiting))
            del self._trials[result.selector]
            return
        trial.open_resamples.discard(result.resample)
        if not trial.open_resamples:
            del self._trials[result.selector]
            self.stopped.add(result.selector)
            logger.warning(
                "%s failed on each of its first resamples and is stopped: %s",
                self._names[result.selector],
                result.message,
            )

    def _run_pending(self) -> None:
        while self._first or self._pending or self._retry or self._final_retry or self._n_running:
            raise_if_interrupted()
            self._submit()
            events = self._pool.wait(SECONDS_BETWEEN_CHECKS)
            self._n_running -= len(events)
            try:
                self._submit()  # the workers go on while the store is written
            finally:  # results that have arrived are stored, even if the pool is gone
                self._store_results(
                    [result for event in events for result in self._handle_event(event)]
                )
            self._report_first_runs()

    def _report_first_runs(self) -> None:
        if self._on_first_runs is not None and len(self.first_runs) == self._n_selectors:
            report, self._on_first_runs = self._on_first_runs, None
            report(self.first_runs)

    def _submit(self) -> None:
        while self._pool.n_free() > 0 and (batch := self._next_batch()):
            self._pool.submit(batch)
            self._n_running += 1

    def _next_batch(self) -> list[Unit]:
        if self._running_alone is not None:
            return []  # if it crashes again, no other unit can be the cause
        if self._retry:
            return [self._retry.popleft()]
        if self._first:
            return [self._first.popleft()]
        if self._pending:
            return self._take_batch()
        if self._final_retry and not self._n_running:
            self._running_alone = self._final_retry.popleft()
            return [self._running_alone]
        return []

    def _take_batch(self) -> list[Unit]:
        """Return the next units of one selector, as many as fit into the time of a batch."""
        selector = self._pending[0].selector
        batch: list[Unit] = []
        while self._pending and self._pending[0].selector == selector:
            batch.append(self._pending.popleft())
            if len(batch) > self._batch_sizes[selector]:
                break
        return batch

    def _handle_event(self, event: PoolEvent) -> list[UnitResult]:
        """Return the results of an event; decide which units run again."""
        self.first_runs.setdefault(event.units[0].selector, _describe_first_run(event))
        if event.crash is not None:
            return self._handle_crash(event)
        if self._running_alone in event.units:
            self._running_alone = None
        remaining = event.units[event.n_done :]
        self._pending.extendleft(reversed(remaining))
        selector = event.units[0].selector
        # a batch whose time was not used up doubles the next one
        size = event.n_done if remaining else 2 * len(event.units)
        self._batch_sizes[selector] = min(MAX_UNITS_PER_BATCH, size)
        for text in set(event.warnings) - self._warned:
            self._warned.add(text)
            logger.warning("%s: %s", self._names[selector], text)
        return event.results

    def _handle_crash(self, event: PoolEvent) -> list[UnitResult]:
        """Queue the units of a crashed worker for a retry, or mark the unit as failed."""
        (unit, *others) = event.units
        ran_alone = unit == self._running_alone
        if ran_alone:
            self._running_alone = None
        if others:
            self._retry.extend(event.units)
            self._batch_sizes[unit.selector] = 0  # one unit per batch, until it grows again
        elif unit.stop - unit.first > 1 and (ran_alone or event.timed_out):
            # Only now is the block split: products over many resamples may differ in the last
            # bits from those over one, so an accidental crash must not decide which is used.
            self._retry.extend(unit.singles())
        elif event.timed_out:
            return [UnitResult(unit.selector, unit.first, "took longer than the time limit")]
        elif ran_alone:
            return [UnitResult(unit.selector, unit.first, event.crash)]
        else:
            self._final_retry.append(unit)
        return []

    def _store_results(self, results: list[UnitResult]) -> None:
        if not results:
            return
        with self._store.transaction():
            self._store.add(results)
        for result in results:
            self._judge_trial(result)
        if self._progress is not None:
            done = Counter(self._names[result.selector] for result in results)
            self._progress.advance(done, sum(result.message is not None for result in results))


def _describe_first_run(event: PoolEvent) -> FirstRun:
    """Return what the first batch of a selector took, per resample."""
    done = [result for result in event.results if result.message is None]
    if not done:
        return FirstRun(math.nan, math.nan, event.peak_memory)
    return FirstRun(
        sum(result.selection for result in done) / len(done),
        sum(result.classification for result in done) / len(done),
        event.peak_memory,
    )
