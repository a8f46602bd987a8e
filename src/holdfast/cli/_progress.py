"""Progress of a run: bars on a terminal, lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast._formatting import plural, spell_out_invisible
from holdfast.cli._output import log_line, paragraph, print_line
from holdfast.io import read_data
from holdfast.study import UnitCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.io import Dataset


MIN_SECONDS_BETWEEN_LINES = 2.0
"""Least seconds between two lines; chosen by hand."""
MAX_PROGRESS_LINES = 10
"""Most progress lines of a run; chosen by hand."""
BAR_WIDTH_CHARACTERS = 24
"""Width of a bar: 80 columns then have room for the ^C that a terminal prints after it."""
MIN_SELECTORS_TO_HIDE_IDLE = 12
"""With this many selectors or more, only running ones have bars; chosen by hand."""


def on_terminal() -> bool:
    """Return whether standard error is a terminal that can move its cursor."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def make_progress(estimates: str, *, quiet: bool) -> ProgressCounter:
    """Return what reports the work of a run, what it estimates, and its progress."""
    if quiet:
        return ProgressCounter(estimates)
    return BarProgress(estimates) if on_terminal() else LineProgress(estimates)


class ProgressCounter(UnitCounter):
    """Counts units without printing anything."""

    def __init__(self, estimates: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self.estimates = estimates
        self.explained = False

    def end(self, units: int) -> None:
        """Report the end of a run in which nothing was left to do."""


def print_work(watch: ProgressCounter, where: str) -> None:
    """Print what is to be done, and where."""
    selectors, units = plural(len(watch.totals), "selector"), plural(watch.total, "unit")
    resamples, *others = set(watch.totals.values())
    size = f"{selectors} x {plural(resamples, 'training part')} = {units}"
    size = f"{units} of {selectors}" if others else size  # a part of a study
    already = f", {watch.n_done:,} of them done already" if watch.n_done else ""
    log_line("work", f"{size}{already}, on {where}.")
    if not watch.explained:
        print_line(paragraph(f"work: {watch.estimates}", sys.stderr), err=True)
    watch.explained = True


class ProgressWriter(ProgressCounter):
    """Prints the work to be done, even if there is none."""

    def end(self, units: int) -> None:
        """Print that nothing was left to do, if so."""
        if not self.started:
            log_line("work", f"nothing was left to do of {plural(units, 'unit')}.")

    def note(self, text: str) -> None:
        """Print the expected cost, or how wide the intervals are."""
        log_line("progress", f"{text}.")


class LineProgress(ProgressWriter):
    """Prints one line after each tenth of the work, with a pause between lines."""

    def begin(self, where: str) -> None:
        """Print the work to be done."""
        print_work(self, where)
        self._printed = self.clock()
        self._step = self._steps()

    def show(self) -> None:
        """Print a line if another tenth is done."""
        now = self.clock()
        if self._steps() == self._step or now - self._printed < MIN_SECONDS_BETWEEN_LINES:
            return
        self._step, self._printed = self._steps(), now
        log_line("progress", self.describe())

    def _steps(self) -> int:
        return MAX_PROGRESS_LINES * self.n_done // max(1, self.total)


class BarProgress(ProgressWriter):
    """Shows one bar for all units and one per selector."""

    def begin(self, where: str) -> None:
        """Draw the bars."""
        print_work(self, where)
        self._bars = bars("{task.completed:,.0f}/{task.total:,.0f}", "{task.fields[failed]}")
        self._all = self._bars.add_task("all", total=self.total, completed=self.n_done, failed="")
        self._tasks = {
            name: self._bars.add_task(
                spell_out_invisible(name, breaks=True),
                total=total,
                completed=self.done[name],
                failed="",
            )
            for name, total in self.totals.items()
        }
        self.show()
        self._bars.start()

    def show(self) -> None:
        """Move the bars."""
        failed = f"{self.failed:,} failed" if self.failed else ""
        self._bars.update(self._all, completed=self.n_done, failed=failed)
        for name, task in self._tasks.items():
            running = 0 < self.done[name] < self.totals[name]
            visible = running or len(self._tasks) < MIN_SELECTORS_TO_HIDE_IDLE
            self._bars.update(task, completed=self.done[name], visible=visible)

    def stop(self) -> None:
        """Remove the bars."""
        self._bars.stop()


def bars(*texts: str) -> Any:  # noqa: ANN401  (rich is imported when it is used)
    """Return bars followed by these texts; names are never markup."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=BAR_WIDTH_CHARACTERS),
        *(TextColumn(text, markup=False) for text in texts),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    )


# Reading data: a bar for large files, then a summary.


def read(source: str, column_options: Mapping[str, Any], *, quiet: bool) -> Dataset:
    """Read data and print their summary."""
    with _reading_bar(source, shown=on_terminal() and not quiet) as progress:
        data = read_data(source, **column_options, progress=progress)
    if not quiet:
        for line in data.summary().lines():
            log_line("data", line)
    return data


@contextmanager
def _reading_bar(source: str, *, shown: bool) -> Iterator[Callable[[float], None] | None]:
    """Yield a callable that draws a bar if a file is read in several steps."""
    if not shown:
        yield None
        return
    bar = bars("{task.percentage:.0f}%")
    task = bar.add_task(f"reading {spell_out_invisible(source, breaks=True)}", total=1.0)

    def show(part: float) -> None:
        if part < 1.0:
            bar.start()
        bar.update(task, completed=part)

    try:
        yield show
    finally:
        bar.stop()
