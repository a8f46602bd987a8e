"""The run of a plan: orders to workers, outcomes to the store, as they arrive."""

from __future__ import annotations

import logging
from collections import Counter, deque
from typing import TYPE_CHECKING, Protocol

from holdfast.study._storage._store import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.study._execution._local_pool import Pool, Report
    from holdfast.study._execution._worker import BatchResult
    from holdfast.study._planning._plan import Unit
    from holdfast.study._storage._store import Store

logger = logging.getLogger(__name__)
MAX_UNITS_PER_BATCH = 256
"""Most units in one order."""
PATIENCE = 0.5
"""Seconds between looks at what else goes on."""


class Progress(Protocol):
    """Somebody who wants to know how far a run is."""

    def start(self, totals: Mapping[str, int], done: Mapping[str, int], where: str) -> None:
        """Learn how many units each selector has, how many are done, and who works."""

    def advance(self, done: Mapping[str, int], failed: int) -> None:
        """Learn how many units were done since, by selector, and how many of them failed."""

    def stop(self) -> None:
        """Learn that the run is over, for better or worse.

        Studies that grow start and stop once a step.
        """

    def note(self, text: str) -> None:
        """Learn between the steps of a study that grows how wide its intervals are."""


class Scheduler:
    """The units that are still to be done, in the hands of a pool.

    A unit whose process dies is not to blame at once: with others in its order, it is tried by
    itself; by itself, it is tried once more at the end, when nothing else runs. A block that
    dies again is cut into its resamples.
    """

    def __init__(
        self, store: Store, pool: Pool, names: Sequence[str], progress: Progress | None
    ) -> None:
        self._store = store
        self._pool = pool
        self._names = names
        self._progress = progress
        self._units: deque[Unit] = deque()
        self._suspects: deque[Unit] = deque()
        self._accused: deque[Unit] = deque()
        self._at_work = 0
        self._last_chance: Unit | None = None
        self._many: Counter[int] = Counter()  # units an order, by selector
        self._warned: set[str] = set()

    def go(self, units: Iterable[Unit]) -> None:
        """Work all units off."""
        self._units.extend(units)
        while self._units or self._suspects or self._accused or self._at_work:
            self._feed()
            reports = self._pool.reports(PATIENCE)
            self._at_work -= len(reports)
            try:
                self._feed()  # the workers go on while the store is written
            finally:  # what has arrived is kept, even if there is nobody left to give orders to
                self._keep([outcome for report in reports for outcome in self._outcomes(report)])

    def _feed(self) -> None:
        while self._pool.room() > 0 and (order := self._next()):
            self._pool.order(order)
            self._at_work += 1

    def _next(self) -> list[Unit]:
        if self._last_chance is not None:
            return []
        if self._suspects:
            return [self._suspects.popleft()]
        if self._units:
            return self._some()
        if self._accused and not self._at_work:
            self._last_chance = self._accused.popleft()
            return [self._last_chance]
        return []

    def _some(self) -> list[Unit]:
        """Return the next units of one selector, as many as it did in its time last time."""
        selector = self._units[0].selector
        order: list[Unit] = []
        while self._units and self._units[0].selector == selector:
            order.append(self._units.popleft())
            if len(order) > self._many[selector]:
                break
        return order

    def _outcomes(self, report: Report) -> list[Outcome]:
        if report.answer is None:
            return self._dead(report)
        self._done(report.units, report.answer)
        return report.answer.outcomes

    def _done(self, units: Sequence[Unit], answer: BatchResult) -> None:
        """Put back what the worker did not come to; learn how much an order should hold."""
        if self._last_chance in units:
            self._last_chance = None
        left = units[answer.done :]
        self._units.extendleft(reversed(left))
        selector = units[0].selector
        self._many[selector] = min(MAX_UNITS_PER_BATCH, answer.done if left else 2 * len(units))
        for text in set(answer.warnings) - self._warned:
            self._warned.add(text)
            logger.warning("%s: %s", self._names[selector], text)

    def _dead(self, report: Report) -> list[Outcome]:
        """Decide what becomes of the units whose process died."""
        (unit, *others) = report.units
        last = unit == self._last_chance
        self._last_chance = None if last else self._last_chance
        if others:
            self._suspects.extend(report.units)
            self._many[unit.selector] = 0
        elif unit.stop - unit.first > 1:
            self._cut(unit, tried=last or report.timed_out)
        elif report.timed_out:
            return [Outcome(unit.selector, unit.first, "took longer than the time limit")]
        elif last:
            return [Outcome(unit.selector, unit.first, report.death)]
        else:
            self._accused.append(unit)
        return []

    def _cut(self, unit: Unit, *, tried: bool) -> None:
        """Cut a block into its resamples once it was tried again as a whole.

        Products over many resamples may differ in the last bits from those over one, so a
        process that dies by accident must not decide which of them is taken.
        """
        if tried:
            self._suspects.extend(unit.singles())
        else:
            self._accused.append(unit)

    def _keep(self, outcomes: list[Outcome]) -> None:
        if not outcomes:
            return
        with self._store.transaction():
            self._store.add(outcomes)
        if self._progress is not None:
            done = Counter(self._names[outcome.selector] for outcome in outcomes)
            self._progress.advance(done, sum(outcome.message is not None for outcome in outcomes))
