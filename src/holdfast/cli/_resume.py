"""``holdfast resume``: go on with a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdfast.cli._grouped import GroupedCommand
from holdfast.cli._options import examples, json_option
from holdfast.cli._run_options import RunOptions, quiet_option, run_options


@click.command(
    "resume",
    cls=GroupedCommand,
    epilog=examples("holdfast resume run", "holdfast resume run --n-jobs 8 --timeout 60"),
)
@click.argument("folder", metavar="DIR")
@click.option("--data", metavar="FILE", help="The data, if their file has moved since.")
@run_options
@json_option
@quiet_option
def resume(folder: str, data: str | None, **options: Any) -> int:
    """Go on with the study in DIR where it stopped.

    What is done is kept, what failed is tried again. The plan is the one in the folder, and the
    data must be what they were. The results are the same as those of a run that never stopped,
    whatever the number of processes.
    """
    from holdfast.cli._run_resumed import run_resumed  # noqa: PLC0415  (slow to import)

    return run_resumed(Path(folder), data, RunOptions(**options))
