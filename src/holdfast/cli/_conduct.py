"""What ``study`` and ``resume`` do alike: work, be interrupted, tell."""

from __future__ import annotations

import shlex
import warnings
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from holdfast._text import plural
from holdfast.cli._closing import close
from holdfast.cli._cluster import cluster
from holdfast.cli._interrupt import orderly_stop
from holdfast.cli._logged import logged_warnings
from holdfast.cli._program import COMMAND, INTERRUPTED
from holdfast.cli._talk import say
from holdfast.errors import HoldfastError, StudyError
from holdfast.study import load
from holdfast.study._failed_selectors import FailedSelectorsWarning

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.cli._run_options import RunOptions
    from holdfast.study import Result


def conduct(run: Callable[[dict[str, Any]], Result], folder: Path, options: RunOptions) -> int:
    """Run a study, tell what came out, and return the exit code.

    Parameters
    ----------
    run : callable
        Takes the arguments that say who works, and returns the result.
    folder : Path
        Where the run is kept.
    options : RunOptions
        As the user gave them.
    """
    try:
        with orderly_stop(), logged_warnings(quiet=options.quiet), cluster(options.dask) as client:
            # the end of the run names these selectors, as errors
            warnings.simplefilter("ignore", FailedSelectorsWarning)
            result = run(
                {
                    "client": client,
                    "n_jobs": options.n_jobs,
                    "timeout": options.timeout,
                    "part": options.part,
                    "command": shlex.join(click.get_current_context().meta[COMMAND]),
                }
            )
            return close(result, folder, options)
    except KeyboardInterrupt:
        say("interrupted", _kept(folder) or "nothing was done yet.")
        return INTERRUPTED
    except StudyError:
        if kept := _kept(folder):
            say("next", kept)
        raise


def _kept(folder: Path) -> str:
    """Say how much is done and how to go on; nothing where nothing was begun."""
    try:
        result = load(folder)
    except HoldfastError:
        return ""
    with closing(result.store):
        return (
            f"{result.n_done:,} of {plural(result.n_units, 'unit')} are done and kept in {folder}; "
            f"go on with: holdfast resume {shlex.quote(str(folder))}"
        )
