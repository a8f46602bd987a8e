"""``holdfast report``: the page of a study, made again."""

from __future__ import annotations

from contextlib import closing

import click

from holdfast.cli._options import examples
from holdfast.cli._run_options import found_again_option, quiet_option
from holdfast.cli._talk import say


@click.command(
    "report",
    epilog=examples("holdfast report run", "holdfast report run --out markers.html"),
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--out",
    metavar="PATH",
    help="A folder, or a name ending in .html; default DIR/report.html.",
)
@click.option("--force", is_flag=True, help="Replace files that are no reports, too.")
@found_again_option
@quiet_option
def report(
    folder: str, out: str | None, *, force: bool, found_again: float | None, quiet: bool
) -> int:
    """Write the report of the study in DIR.

    A report is one page to read, keep and mail (report.html), with twins for programs
    (report.json) and for plain text (report.md). It says which features a second study would
    find again, how sure that is, and what was done. The study may be running or interrupted: what
    is there is reported.
    """
    from holdfast.report import write_report  # noqa: PLC0415  (slow to import)
    from holdfast.study import load  # noqa: PLC0415

    result = load(folder)
    with closing(result.store):
        target = folder if out is None else out
        paths = write_report(result, target, force=force, found_again=found_again)
    if not quiet:
        for path in paths:
            say("written", path)
    return 0
