"""The progress of a run: counted here, shown by the command line, or in Python as one line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Protocol, TextIO

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError

SECONDS_BETWEEN_UPDATES = 0.2
"""Least seconds between two changes of a line that is overwritten; chosen by hand."""
SECONDS_BETWEEN_LINES = 10.0
"""Least seconds between two lines where nothing can be overwritten; chosen by hand."""


class Progress(Protocol):
    """Callback interface for progress reporting.

    Sequential studies call `start` and `stop` once per step.
    """

    def start(self, totals: Mapping[str, int], done: Mapping[str, int], where: str) -> None:
        """Report how many units each selector has, how many are done, and which workers run."""

    def advance(self, done: Mapping[str, int], failed: int) -> None:
        """Report how many units were done since the last call, by selector, and the failures."""

    def stop(self) -> None:
        """Called once when the run ends, whether it succeeded or failed."""

    def note(self, text: str) -> None:
        """Report the expected cost, and the width of the intervals between two steps."""


class UnitCounter:
    """Counts the units of a run without showing anything.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.totals: dict[str, int] = {}
        self.done: dict[str, int] = {}
        self.failed = 0
        self.started = False
        self._began = 0.0
        self._done_before = 0

    @property
    def total(self) -> int:
        """Number of units."""
        return sum(self.totals.values())

    @property
    def n_done(self) -> int:
        """Number of units that are done."""
        return sum(self.done.values())

    def start(self, totals: Mapping[str, int], done: Mapping[str, int], where: str) -> None:
        """Set the number of units per selector, how many are done, and where they run."""
        self.totals = dict(totals)
        self.done = {name: done.get(name, 0) for name in totals}
        self.started = True
        self._began, self._done_before = self.clock(), self.n_done
        self.begin(where)

    def advance(self, done: Mapping[str, int], failed: int) -> None:
        """Add the units that were done since, by selector, and the failures among them."""
        self.failed += failed
        for name, count in done.items():
            self.done[name] += count
        self.show()

    def describe(self) -> str:
        """Return how much is done, and how long the rest takes, in a sentence."""
        share = self.n_done / max(1, self.total)
        failed = f", {self.failed:,} failed" if self.failed else ""
        # units that an earlier run finished took no time in this one
        new = self.n_done - self._done_before
        seconds = (self.clock() - self._began) / new * (self.total - self.n_done) if new else None
        left = "" if seconds is None else f", {timedelta(seconds=round(seconds))} left"
        units = plural(self.total, "unit")
        return f"{self.n_done:,} of {units} done ({share:.0%}){failed}{left}."

    def begin(self, where: str) -> None:
        """Called when work starts."""

    def show(self) -> None:
        """Show the progress."""

    def stop(self) -> None:
        """Called once when the run ends, whether it succeeded or failed."""

    def note(self, text: str) -> None:
        """Report the expected cost, or the width of the intervals."""


class ProgressLine(UnitCounter):
    """Shows the progress in one line that is overwritten, in notebooks and terminals.

    Elsewhere, such as in a file, it writes a line now and then.

    Parameters
    ----------
    stream : text stream, optional
        Where to write; None is the error stream.
    overwrites : bool, optional
        Whether a carriage return overwrites the line; None finds out.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        *,
        overwrites: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(clock)
        self._stream = sys.stderr if stream is None else stream
        self._overwrites = self._stream.isatty() or in_notebook()
        if overwrites is not None:
            self._overwrites = overwrites
        self._written_at = self._began
        self._width = 0

    def begin(self, where: str) -> None:
        """Write where the units run."""
        self._write_line(f"{plural(self.total, 'unit')} on {where}.")
        self._written_at = self._began

    def show(self) -> None:
        """Write how much is done, unless that was done a moment ago."""
        pause = SECONDS_BETWEEN_UPDATES if self._overwrites else SECONDS_BETWEEN_LINES
        if self.clock() - self._written_at < pause:
            return
        self._written_at = self.clock()
        if self._overwrites:
            self._overwrite(self.describe())
        else:
            self._write_line(self.describe())

    def stop(self) -> None:
        """Write the last state and the time that it took, and end the line."""
        seconds = round(self.clock() - self._began)
        units = f"{self.n_done:,} of {plural(self.total, 'unit')}"
        failed = f", {self.failed:,} of them failed" if self.failed else ""
        self._write_line(f"{units} done in {timedelta(seconds=seconds)}{failed}.")

    def note(self, text: str) -> None:
        """Write a text on a line of its own."""
        self._write_line(f"{text}.")

    def _overwrite(self, text: str) -> None:
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = len(text)

    def _write_line(self, text: str) -> None:
        if self._width:
            self._overwrite(text)
            text, self._width = "", 0
        self._stream.write(f"{text}\n")
        self._stream.flush()


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    get_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return getattr(get_shell and get_shell(), "kernel", None) is not None


def as_progress(given: Progress | bool | None) -> Progress | None:
    """Return what shows the progress: None is a line in notebooks, and nothing elsewhere."""
    if given is None:
        return ProgressLine() if in_notebook() else None
    if isinstance(given, bool):
        return ProgressLine() if given else None
    if not hasattr(given, "advance"):
        raise InvalidInputError(
            f"progress must be True, False, None, or an object with the methods of "
            f"holdfast.study.Progress; got {given!r}."
        )
    return given
