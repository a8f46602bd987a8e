"""Figures of peers that cannot run here, from the files in ``recorded/``."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

from benchmarks._record import Live, Recorded, Task

_FOLDER = Path(__file__).with_name("recorded")


def stabm(function: str, m: int, correction: str = "none") -> Recorded | None:
    """Return how long a function of stabm took, or None where no figure was recorded."""
    with (_FOLDER / "stabm.csv").open(encoding="utf-8") as file:
        file.readline()  # where the figures come from
        for line in csv.DictReader(file):
            key = (line["measure"], line["m"], line["correction"])
            if key == (function, str(m), correction) and line["seconds"] != "NA":
                seconds = float(line["seconds"])
                source = "R 4.2.2, stabm 1.2.2, 2 cores"
                return Recorded(name="stabm", seconds=seconds, source=source)
    return None


def peer(name: str, task: str) -> Recorded:
    """Return how long another program took for a task, on the data that the file names."""
    with (_FOLDER / "peers.csv").open(encoding="utf-8") as file:
        source = file.readline().removeprefix("# seconds; ").strip()
        for line in csv.DictReader(file):
            if (line["peer"], line["task"]) == (name, task):
                return Recorded(name=name, seconds=float(line["seconds"]), source=source)
    raise KeyError(f"no figure was recorded for {task} by {name}")


def live_or_recorded(name: str, module: str, task: str, run: Task) -> Live | Recorded:
    """Return a peer that runs now if its module is installed, else its recorded figure."""
    return peer(name, task) if find_spec(module) is None else Live(name=name, run=run)
