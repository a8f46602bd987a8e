"""A study in a folder, run on."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from holdfast.cli._conduct import conduct
from holdfast.cli._progress import watcher
from holdfast.study import load, resume

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.cli._run_options import RunOptions
    from holdfast.study import Result


def run_resumed(folder: Path, data: str | None, options: RunOptions) -> int:
    """Go on with a study and return the exit code."""

    def run(workers: dict[str, Any]) -> Result:
        there = load(folder)
        with closing(there.store):
            watch = watcher(there.protocol_sentence, quiet=options.quiet)
        result = resume(folder, data=data, progress=watch, **workers)
        watch.end(result.n_units)
        return result

    return conduct(run, folder, options)
