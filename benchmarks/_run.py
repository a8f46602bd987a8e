"""Run benchmarks, each in a fresh process with one thread, and watch their memory."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks._memory import status_mb
from benchmarks._record import Benchmark, Live

THREADS = 1
_POOLS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")
_ROOT = Path(__file__).parents[1]
_PAUSE = 0.001  # seconds between two looks at the memory of a mapped benchmark


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What one process measured: CPU seconds, peak memory beyond its inputs, memory held, notes."""

    seconds: float
    peak_mb: float
    held_mb: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A row with our figures and those of a live peer; or why there are none."""

    row: Benchmark
    ours: Figures | None = None
    peer: Figures | None = None
    failure: str = ""

    @property
    def peer_seconds(self) -> float | None:
        """Seconds of the peer, run now or recorded; None without one."""
        if self.row.peer is None or isinstance(self.row.peer, Live):
            return self.peer.seconds if self.peer else None
        return self.row.peer.seconds

    @property
    def ratio(self) -> float | None:
        """How many times as long the peer takes; None without a peer."""
        if self.peer_seconds is None or self.ours is None:
            return None
        return self.peer_seconds / self.ours.seconds

    @property
    def met(self) -> bool:
        """Whether every part of the goal is reached."""
        goal, ours = self.row.goal, self.ours
        if ours is None:
            return False
        below = [
            (goal.seconds, ours.seconds),
            (goal.peak_mb, ours.peak_mb),
            (goal.held_mb, ours.held_mb),
        ]
        low = all(limit is None or (is_ is not None and is_ < limit) for limit, is_ in below)
        return low and (goal.ratio is None or (self.ratio or 0.0) >= goal.ratio)


def outcome_of(row: Benchmark) -> Outcome:
    """Run a benchmark and its live peer; a crash becomes part of the table."""
    try:
        ours = _in_process(row, "ours")
        peer = _in_process(row, "peer") if isinstance(row.peer, Live) else None
    except subprocess.CalledProcessError as error:
        return Outcome(row=row, failure=str(error.stderr))
    return Outcome(row=row, ours=ours, peer=peer)


def _in_process(row: Benchmark, side: str) -> Figures:
    command = [sys.executable, "-m", "benchmarks._child", row.task, side]
    # temporary files of the task go into a folder that goes with it
    with (
        tempfile.TemporaryDirectory(prefix="benchmark-") as folder,
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command,
            cwd=_ROOT,
            env=_environment(folder),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as child,
    ):
        answer, peak = _watched(child, watch=row.mapped)
        if child.wait() != 0:
            errors.seek(0)
            said = errors.read().strip().splitlines() or [f"exit code {child.returncode}"]
            raise subprocess.CalledProcessError(child.returncode, command, stderr=said[-1])
    return _figures(json.loads(answer), peak if row.mapped else None)


def _environment(folder: str) -> dict[str, str]:
    one = {f"{pool}_NUM_THREADS": str(THREADS) for pool in _POOLS}
    return {**os.environ, **one, "TMPDIR": folder}


def _watched(child: subprocess.Popen[str], *, watch: bool) -> tuple[str, float]:
    """Wait for the answer; meanwhile, if asked, look for the peak of anonymous memory.

    The parent looks, so that neither the time nor the interpreter lock of the task is touched.
    """
    stream: IO[str] | Any = child.stdout
    peak = 0.0
    stream.readline()  # begin
    while watch and not select.select([stream], [], [], _PAUSE)[0]:
        peak = max(peak, status_mb("RssAnon", child.pid))
    return stream.readline(), peak


def _figures(said: dict[str, Any], anonymous_peak: float | None) -> Figures:
    peak = said["peak_mb"]
    if anonymous_peak is not None:
        peak = anonymous_peak - said["anonymous_mb"]
    return Figures(
        seconds=said["seconds"],
        peak_mb=peak,
        held_mb=said.get("held_mb"),
        notes=tuple(said["notes"]),
    )
