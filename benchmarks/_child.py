"""Run one benchmark, or its peer, in this process: ``python -m benchmarks._child TASK SIDE``.

Talks to the parent on stdout: the line ``begin`` when the first timed run starts, then one line
of JSON.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._memory import settle, status_mb
from benchmarks._record import SEED, Live, load

if TYPE_CHECKING:
    from benchmarks._record import Benchmark, Task

REPEATS = 3  # short tasks count by their best run
SHORT = 3.0  # CPU seconds


def main(task: str, side: str) -> None:
    """Prepare, warm up, time, and report."""
    warnings.simplefilter("ignore")  # a benchmark is no place to learn about undefined values
    row = load()[task]
    run = row.peer.run if side == "peer" and isinstance(row.peer, Live) else row.run
    run(row.tiny(np.random.default_rng(SEED)))
    inputs = row.inputs(np.random.default_rng(SEED))
    say(json.dumps(measured(row, run, inputs)))


def measured(row: Benchmark, run: Task, inputs: Any) -> dict[str, Any]:
    """Return the best CPU time of a few runs, and the memory of the first."""
    settle()
    before, anonymous = status_mb("VmRSS"), status_mb("RssAnon")
    say("begin")
    seconds, result = timed(run, inputs)
    figures: dict[str, Any] = {
        "peak_mb": status_mb("VmHWM") - before,
        "anonymous_mb": anonymous,
        "notes": [] if row.notes is None else row.notes(result),
    }
    if row.holds is not None:
        figures["held_mb"] = row.holds(result) / 1e6
    if row.clock is not None:
        return {**figures, "seconds": row.clock(result)}
    del result
    more = REPEATS - 1 if seconds < SHORT else 0
    figures["seconds"] = min([seconds, *(timed(run, inputs)[0] for _ in range(more))])
    return figures


def timed(run: Task, inputs: Any) -> tuple[float, Any]:
    """Return the CPU seconds of this process, all threads, user and system; and the result."""
    start = time.process_time()
    result = run(inputs)
    return time.process_time() - start, result


def say(line: str) -> None:
    """Send a line to the parent."""
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
