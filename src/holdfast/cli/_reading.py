"""Reading data: a bar for large files, and what the data look like."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.cli._progress import bars, on_terminal
from holdfast.cli._talk import say
from holdfast.io import read_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.io import Dataset


def read(source: str, wishes: Mapping[str, Any], *, quiet: bool) -> Dataset:
    """Read data and say what they look like."""
    with _bar(source, shown=on_terminal() and not quiet) as progress:
        data = read_data(source, **wishes, progress=progress)
    if not quiet:
        for line in data.summary().lines():
            say("data", line)
    return data


@contextmanager
def _bar(source: str, *, shown: bool) -> Iterator[Callable[[float], None] | None]:
    """Yield a callable that draws a bar when a file is not read in one go."""
    if not shown:
        yield None
        return
    drawn = bars("{task.percentage:.0f}%")
    task = drawn.add_task(f"reading {source}", total=1.0)

    def show(part: float) -> None:
        if part < 1.0:
            drawn.start()
        drawn.update(task, completed=part)

    try:
        yield show
    finally:
        drawn.stop()
