"""How far a run is: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from holdfast._formatting import plural
from holdfast.cli._output import log_line, paragraph
from holdfast.io import read_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.io import Dataset


PAUSE = 2.0
"""Fewest seconds between two lines."""
MAX_PROGRESS_LINES = 10
"""Most lines of a run."""
BAR_WIDTH_CHARACTERS = 24
"""Width of a bar: in 80 columns, room is left for the ^C that a terminal prints behind it."""
MIN_SELECTORS_TO_HIDE_IDLE = 12
"""From so many selectors on, bars are shown only of those at work."""


def on_terminal() -> bool:
    """Return whether somebody watches standard error on a terminal that can move its cursor."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def watcher(estimates: str, *, quiet: bool) -> Watch:
    """Return who tells what a run will do, what this estimates, and how far it is."""
    if quiet:
        return Watch(estimates)
    return Bars(estimates) if on_terminal() else Lines(estimates)


class Watch:
    """Counts, and says nothing."""

    def __init__(self, estimates: str) -> None:
        self.estimates = estimates
        self.totals: dict[str, int] = {}
        self.done: dict[str, int] = {}
        self.failed = 0
        self.started = False
        self.explained = False

    @property
    def total(self) -> int:
        """Number of units."""
        return sum(self.totals.values())

    @property
    def n_done(self) -> int:
        """Number of units that are done."""
        return sum(self.done.values())

    def start(self, totals: Mapping[str, int], done: Mapping[str, int], where: str) -> None:
        """Learn how many units each selector has, how many are done, and who works."""
        self.totals = dict(totals)
        self.done = {name: done.get(name, 0) for name in totals}
        self.started = True
        self.begin(where)

    def advance(self, done: Mapping[str, int], failed: int) -> None:
        """Learn how many units were done since, by selector, and how many of them failed."""
        self.failed += failed
        for name, count in done.items():
            self.done[name] += count
        self.show()

    def end(self, units: int) -> None:
        """Say so if there was nothing left to do."""

    def note(self, text: str) -> None:
        """Learn between the steps of a study that grows how wide its intervals are."""

    def begin(self, where: str) -> None:
        """Say that work starts."""

    def show(self) -> None:
        """Show how far it is."""

    def stop(self) -> None:
        """Learn that the run is over, for better or worse."""


def say_work(watch: Watch, where: str) -> None:
    """Say what is to be done, and by whom."""
    selectors, units = plural(len(watch.totals), "selector"), plural(watch.total, "unit")
    resamples, *others = set(watch.totals.values())
    size = f"{selectors} x {plural(resamples, 'training part')} = {units}"
    size = f"{units} of {selectors}" if others else size  # a part of a study
    already = f", {watch.n_done:,} of them done already" if watch.n_done else ""
    log_line("work", f"{size}{already}, on {where}.")
    if not watch.explained:
        click.echo(paragraph(f"work: {watch.estimates}", sys.stderr), err=True)
    watch.explained = True


class Talker(Watch):
    """Says what there is to do, also if that is nothing."""

    def end(self, units: int) -> None:
        """Say so if there was nothing left to do."""
        if not self.started:
            log_line("work", f"nothing was left to do of {plural(units, 'unit')}.")

    def note(self, text: str) -> None:
        """Say how wide the intervals are."""
        log_line("progress", f"{text}.")


class Lines(Talker):
    """A line after each tenth of the work, but not too many at a time."""

    def __init__(self, estimates: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(estimates)
        self._clock = clock
        self._began = self._told = clock()
        self._step = self._before = 0

    def begin(self, where: str) -> None:
        """Say that work starts."""
        say_work(self, where)
        self._began = self._told = self._clock()
        self._before = self.n_done
        self._step = self._steps()

    def show(self) -> None:
        """Print a line if there is something new to say."""
        now = self._clock()
        if self._steps() == self._step or now - self._told < PAUSE:
            return
        self._step, self._told = self._steps(), now
        share = self.n_done / self.total
        failed = f", {self.failed:,} failed" if self.failed else ""
        left = (now - self._began) / (self.n_done - self._before) * (self.total - self.n_done)
        log_line(
            "progress",
            f"{self.n_done:,} of {plural(self.total, 'unit')} done ({share:.0%}){failed}, "
            f"{timedelta(seconds=round(left))} left.",
        )

    def _steps(self) -> int:
        return MAX_PROGRESS_LINES * self.n_done // max(1, self.total)


class Bars(Talker):
    """A bar for all units and one for each selector."""

    def begin(self, where: str) -> None:
        """Draw the bars."""
        say_work(self, where)
        self._bars = bars("{task.completed:,.0f}/{task.total:,.0f}", "{task.fields[failed]}")
        self._all = self._bars.add_task("all", total=self.total, completed=self.n_done, failed="")
        self._tasks = {
            name: self._bars.add_task(name, total=total, completed=self.done[name], failed="")
            for name, total in self.totals.items()
        }
        self.show()
        self._bars.start()

    def show(self) -> None:
        """Move the bars."""
        failed = f"{self.failed:,} failed" if self.failed else ""
        self._bars.update(self._all, completed=self.n_done, failed=failed)
        for name, task in self._tasks.items():
            at_work = 0 < self.done[name] < self.totals[name]
            visible = at_work or len(self._tasks) < MIN_SELECTORS_TO_HIDE_IDLE
            self._bars.update(task, completed=self.done[name], visible=visible)

    def stop(self) -> None:
        """Take the bars away."""
        self._bars.stop()


def bars(*texts: str) -> Any:  # noqa: ANN401  (rich is imported when it is used)
    """Return bars with these texts behind them; names are no markup, whatever they hold."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=BAR_WIDTH_CHARACTERS),
        *(TextColumn(text, markup=False) for text in texts),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    )


# Reading data: a bar for large files, and what the data look like.


def read(source: str, wishes: Mapping[str, Any], *, quiet: bool) -> Dataset:
    """Read data and say what they look like."""
    with _bar(source, shown=on_terminal() and not quiet) as progress:
        data = read_data(source, **wishes, progress=progress)
    if not quiet:
        for line in data.summary().lines():
            log_line("data", line)
    return data


@contextmanager
def _bar(source: str, *, shown: bool) -> Iterator[Callable[[float], None] | None]:
    """Yield a callable that draws a bar when a file is not read in one go."""
    if not shown:
        yield None
        return
    drawn = bars("{task.percentage:.0f}%")
    task = drawn.add_task(f"reading {source}", total=1.0)

    def show(part: float) -> None:
        if part < 1.0:
            drawn.start()
        drawn.update(task, completed=part)

    try:
        yield show
    finally:
        drawn.stop()
