"""Figures of peers that cannot run here, from the files in ``recorded/``."""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks._record import Recorded

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
