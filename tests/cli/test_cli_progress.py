"""Progress: bars on a terminal, few lines elsewhere, silence when asked for."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys

import pytest
from rich.console import Console

from holdfast.cli._progress import (
    MAX_PROGRESS_LINES,
    MIN_SECONDS_BETWEEN_LINES,
    BarProgress,
    LineProgress,
    ProgressCounter,
    bars,
    make_progress,
)

TOTALS = {"f_score": 100, "relieff": 100}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def lines(capsys):
    """Return lines with a clock, and a function that returns what they printed since."""
    clock = Clock()

    def printed():
        return capsys.readouterr().err.splitlines()

    return LineProgress("It estimates.", clock), clock, printed


def test_the_work_is_reported_at_the_start(lines):
    watch, _, printed = lines
    watch.start(TOTALS, {"relieff": 30}, "2 local processes")
    work, estimates = printed()
    assert work == (
        "work: 2 selectors x 100 training parts = 200 units, 30 of them done already, "
        "on 2 local processes."
    )
    assert estimates == "work: It estimates."


def test_a_part_has_unequal_shares_of_selectors(lines):
    watch, _, printed = lines
    watch.start({"f_score": 50, "relieff": 33}, {}, "1 local process")
    assert printed()[0] == "work: 83 units of 2 selectors, on 1 local process."


def test_lines_tell_how_much_is_done_and_how_long_it_takes(lines):
    watch, clock, printed = lines
    watch.start(TOTALS, {"relieff": 100}, "1 local process")
    printed()
    clock.now = 30.0
    watch.advance({"f_score": 50}, 2)
    assert printed() == ["progress: 150 of 200 units done (75%), 2 failed, 0:00:30 left."]


def test_lines_are_few_however_fast_the_work(lines):
    watch, clock, printed = lines
    watch.start(TOTALS, {}, "1 local process")
    printed()
    for _ in range(100):
        clock.now += MIN_SECONDS_BETWEEN_LINES / 100
        watch.advance({"f_score": 1}, 0)
    assert len(printed()) == 1


def test_lines_are_few_however_slow_the_work(lines):
    watch, clock, printed = lines
    watch.start(TOTALS, {}, "1 local process")
    printed()
    for name in TOTALS:
        for _ in range(100):
            clock.now += 100 * MIN_SECONDS_BETWEEN_LINES
            watch.advance({name: 1}, 0)
    watch.stop()
    assert len(printed()) == MAX_PROGRESS_LINES


def test_quiet_says_nothing_but_counts(capsys):
    watch = make_progress("It estimates.", quiet=True)
    watch.start(TOTALS, {}, "1 local process")
    watch.advance({"f_score": 3}, 1)
    watch.stop()
    assert (watch.n_done, watch.failed, watch.total, watch.started) == (3, 1, 200, True)
    assert capsys.readouterr().err == ""


def test_who_watches_depends_on_where(monkeypatch):
    kinds = {}
    for terminal in (True, False):
        monkeypatch.setattr("sys.stderr.isatty", lambda terminal=terminal: terminal, raising=False)
        monkeypatch.setenv("TERM", "xterm")
        kinds[terminal] = type(make_progress("", quiet=False))
    assert kinds == {True: BarProgress, False: LineProgress}
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert type(make_progress("", quiet=False)) is LineProgress
    assert type(make_progress("", quiet=True)) is ProgressCounter


SHOWN = """
import logging, time
from holdfast.cli._output import logged_warnings
from holdfast.cli._progress import make_progress
names = [f"selector{i}" for i in range(COUNT)]
with logged_warnings(quiet=False):
    watch = make_progress("It estimates.", quiet=False)
    watch.start(dict.fromkeys(names, 10), {}, "2 local processes")
    for _ in range(10):
        watch.advance({names[0]: 1}, 0)
    watch.advance({names[1]: 5}, 1)
    logging.getLogger("holdfast.study").warning("something [bold]odd[/bold]")
    time.sleep(0.3)
    watch.stop()
"""


def on_a_terminal(count):
    """Return what a run of this many selectors shows on a terminal of 80 columns."""
    pty = pytest.importorskip("pty", reason="no terminals of this kind here")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", SHOWN.replace("COUNT", str(count))], stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # the other side was closed
        pass
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


@pytest.mark.integration
def test_bars_show_all_units_and_each_selector():
    shown = on_a_terminal(3)
    assert "15/30" in shown
    assert "1 failed" in shown
    assert all(f"selector{i}" in shown for i in range(3))
    assert "10/10" in shown
    assert "5/10" in shown


@pytest.mark.integration
def test_warnings_stand_above_the_bars():
    lines = [line.split("\x1b[2K")[-1] for line in on_a_terminal(3).splitlines()]
    assert "warning: something [bold]odd[/bold]" in [line.strip() for line in lines]


@pytest.mark.integration
def test_of_many_selectors_only_those_at_work_have_bars():
    shown = on_a_terminal(30)
    assert "selector1 " in shown
    assert "selector20" not in shown


def test_names_that_look_like_markup_are_drawn_as_they_are():
    drawn = bars("{task.fields[failed]}")
    drawn.add_task("a[/b] [red]c", total=1, failed="[/d]")
    console = Console(file=io.StringIO(), width=100)
    console.print(drawn.get_renderable())
    shown = console.file.getvalue()
    assert "a[/b] [red]c" in shown
    assert "[/d]" in shown


def test_nothing_is_left_of_the_handler_of_warnings():
    assert not logging.getLogger("holdfast").handlers
