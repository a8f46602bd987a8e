"""Data in: a wide table of text, and what a summary of it takes."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._inputs import labelled
from benchmarks._record import Goal, benchmark
from holdfast.io import Dataset, from_arrays, read_data

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

MATRIX_MB = 200 * 100_000 * 8 / 1e6


def table(rng: np.random.Generator, *, n: int, p: int, text: Callable[[float], str]) -> Path:
    """Write noise with two classes as CSV, a number a cell as `text` writes it."""
    path = Path(tempfile.mkstemp(suffix=".csv")[1])  # the parent process empties the folder
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join([*(f"f{j}" for j in range(p)), "class\n"]))
        for i in range(n):
            row = rng.normal(size=p).tolist()
            file.write(",".join([*map(text, row), f"{'ab'[i % 2]}\n"]))
    return path


def wide(text: Callable[[float], str]) -> dict[str, Any]:
    """Return inputs of the size that is asked for, and the same in small."""
    return {
        "inputs": partial(table, n=200, p=100_000, text=text),
        "tiny": partial(table, n=4, p=30, text=text),
    }


@benchmark(
    task="read CSV, 200 x 100,000, 8 digits",
    **wide("{:.7f}".format),
    goal=Goal(seconds=20, peak_mb=3 * MATRIX_MB),
)
def short_digits(path: Path) -> Dataset:
    return read_data(path)


@benchmark(
    task="read CSV, 200 x 100,000, 17 digits",
    **wide(repr),
    goal=Goal(seconds=20, peak_mb=3 * MATRIX_MB),
)
def all_digits(path: Path) -> Dataset:
    return read_data(path)


def dataset(rng: np.random.Generator, *, n: int, p: int) -> Dataset:
    """Return noise in which the last feature is a copy of the first."""
    X, y = labelled(rng, n=n, p=p)
    X[:, -1] = X[:, 0]
    return from_arrays(X, y)


@benchmark(
    task="summary of data, 200 x 100,000",
    inputs=partial(dataset, n=200, p=100_000),
    tiny=partial(dataset, n=4, p=30),
    goal=Goal(seconds=2, peak_mb=MATRIX_MB),
)
def summary(data: Dataset) -> Any:
    return data.summary()
