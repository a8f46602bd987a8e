"""The table of all benchmarks, for the terminal and as Markdown."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._record import SEED, Goal, Live, Recorded
from benchmarks._run import THREADS, Figures, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = ("task", "ours", "peer", "ratio", "goal", "met", "peak memory")
_PACKAGES = ("numpy", "scipy", "numba", "holdfast")
_METHOD = """\
ours, peer: CPU seconds of one process (user + system, all threads) after a warm-up on tiny \
inputs; best of 3 where below 3 s; for studies, whose work is done in other processes, seconds on \
the clock
ratio: peer / ours
peak memory: growth of the peak resident set (VmHWM) during the first run, inputs not counted; \
with a memory-mapped input (marked *) growth of anonymous memory (RssAnon, sampled every ms), \
which leaves out pages of files"""


def header(outcomes: Sequence[Outcome]) -> list[str]:
    """Say what the numbers depend on and how they were made."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]
    return [
        f"seed {SEED}, threads {THREADS}",
        f"Python {platform.python_version()}, {', '.join(versions)}",
        f"CPU: {_cpu()}",
        *_METHOD.splitlines(),
        *_peers(outcomes),
        *notes(outcomes),
    ]


def notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Return what rows measured beyond their figures, each line with the task in front."""
    return [
        f"{outcome.row.task}: {text}"
        for outcome in outcomes
        if outcome.ours is not None
        for text in outcome.ours.notes
    ]


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0]}, {len(models)} cores" if models else platform.machine()


def _peers(outcomes: Sequence[Outcome]) -> list[str]:
    """Name each peer once, and whether it ran now."""
    peers = [outcome.row.peer for outcome in outcomes]
    recorded = {p.name: f"recorded figure ({p.source})" for p in peers if isinstance(p, Recorded)}
    live = {p.name: "ran now, on the same inputs" for p in peers if isinstance(p, Live)}
    return [f"peer {name}: {how}" for name, how in {**recorded, **live}.items()]


def cells(outcome: Outcome) -> list[str]:
    """Return the texts of one row of the table."""
    row = outcome.row
    if outcome.ours is None:
        return [row.task, outcome.failure, "", "", goal_text(row.goal), "FAILED", ""]
    peer = "" if row.peer is None else f"{_seconds(outcome.peer_seconds)} {row.peer.name}"
    met = "met" if outcome.met else "MISSED"
    memory = _memory(outcome.ours, mapped=row.mapped)
    ours, ratio = _seconds(outcome.ours.seconds), _times(outcome.ratio)
    return [row.task, ours, peer, ratio, goal_text(row.goal), met, memory]


def goal_text(goal: Goal) -> str:
    """Say what is to be reached."""
    parts = (
        ("< {:g} s", goal.seconds),
        ("< {:g} MB", goal.peak_mb),
        ("holds < {:g} MB", goal.held_mb),
        (">= {:g} times", goal.ratio),
    )
    return ", ".join(text.format(value) for text, value in parts if value is not None)


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3g} s" if seconds >= 0.1 else f"{seconds:.4f} s"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _memory(figures: Figures, *, mapped: bool) -> str:
    held = "" if figures.held_mb is None else f" (holds {figures.held_mb:.1f} MB)"
    return f"{figures.peak_mb:,.0f} MB{'*' if mapped else ''}{held}"


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Align rows under the column names."""
    lines = [COLUMNS, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    padded = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([padded[0], "-" * sum(widths, 2 * len(widths) - 2), *padded[1:]])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _markdown_note(line: str) -> str:
    return f"- {line}".replace("*)", "\\*)")


def markdown(top: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the page that is kept in the repository."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    title = ["# Benchmarks", "", "Written by `make bench`; do not edit.", ""]
    return "\n".join([*title, *map(_markdown_note, top), "", *map(_markdown_row, lines), ""])


def replace_rows(page: str, outcomes: Sequence[Outcome]) -> str:
    """Return the page with the rows and notes of some tasks replaced, or added at the end."""
    tasks = [outcome.row.task for outcome in outcomes]
    starts = tuple(_markdown_note(f"{task}: ") for task in tasks)
    lines = [line for line in page.splitlines() if not line.startswith(starts)]
    table = lines.index(_markdown_row(COLUMNS))
    for task, outcome in zip(tasks, outcomes, strict=True):
        start = _markdown_row([task])
        at = next((i for i, line in enumerate(lines) if line.startswith(start)), len(lines))
        lines[at : at + 1] = [_markdown_row(cells(outcome))]
    lines[table - 1 : table - 1] = map(_markdown_note, notes(outcomes))
    return "\n".join([*lines, ""])
