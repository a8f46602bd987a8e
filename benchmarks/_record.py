"""What a benchmark is, and the registry of all of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Inputs: TypeAlias = Callable[[np.random.Generator], Any]
Task: TypeAlias = Callable[[Any], Any]
SEED = 20240


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a benchmark is meant to reach; what is None is not asked for.

    Attributes
    ----------
    seconds : float or None
        CPU time stays below this.
    peak_mb : float or None
        Peak memory beyond the inputs stays below this.
    held_mb : float or None
        Memory that the result itself holds stays below this.
    ratio : float or None
        The peer takes at least this many times as long.
    """

    seconds: float | None = None
    peak_mb: float | None = None
    held_mb: float | None = None
    ratio: float | None = None


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A peer that cannot run here: its time as measured elsewhere, and where."""

    name: str
    seconds: float
    source: str


@dataclass(frozen=True, kw_only=True)
class Live:
    """A peer that runs in the same run, on the same inputs."""

    name: str
    run: Task


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One row of the table.

    Attributes
    ----------
    task : str
        What is done, and on how much; the row goes by this name.
    run : callable
        The work that is timed; it takes what `inputs` returned.
    inputs : callable
        Prepares the inputs from a seeded generator; not timed.
    tiny : callable
        The same inputs in small, for the warm-up: compiles kernels, imports what is lazy.
    goal : Goal
        What to reach.
    peer : Recorded, Live or None
        Whom to compare with.
    mapped : bool
        Whether inputs are mapped from a file; such pages then do not count as memory.
    holds : callable or None
        From the result to the bytes it holds.
    clock : callable or None
        From the result to the seconds that count, where other processes do the work and the CPU
        time of this one says nothing; applied to the peer's result, too.
    notes : callable or None
        From the result to lines on what else was measured; they go above the table.
    """

    task: str
    run: Task
    inputs: Inputs
    tiny: Inputs
    goal: Goal
    peer: Recorded | Live | None = None
    mapped: bool = False
    holds: Callable[[Any], int] | None = None
    clock: Callable[[Any], float] | None = None
    notes: Callable[[Any], list[str]] | None = None


BENCHMARKS: dict[str, Benchmark] = {}


def benchmark(**fields: Any) -> Callable[[Task], Task]:
    """Register the decorated function as the work of a benchmark; see `Benchmark` for fields."""

    def record(run: Task) -> Task:
        row = Benchmark(run=run, **fields)
        if row.task in BENCHMARKS:
            raise RuntimeError(f"two benchmarks are called {row.task!r}")
        BENCHMARKS[row.task] = row
        return run

    return record


def load() -> dict[str, Benchmark]:
    """Import the topics, that is all files without a leading underscore; return all rows."""
    package = importlib.import_module("benchmarks")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"benchmarks.{module.name}")
    return BENCHMARKS
