"""``holdfast reproduce``: the papers' tables and figures, run again."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli._data_option import data_option
from holdfast.cli._options import examples, json_option, seed_option, split_names
from holdfast.cli._run_options import dask_option, jobs_option, quiet_option


@click.command(
    "reproduce",
    epilog=examples(
        "holdfast reproduce somol2008",
        "holdfast reproduce saeys2008 table2 table4 --data folder",
        "holdfast reproduce all --full --data folder --out everything",
    ),
)
@click.argument("paper", metavar="PAPER")
@click.argument("experiments", metavar="[EXPERIMENT]...", nargs=-1)
@click.option("--full", is_flag=True, help="The size of the paper's own experiment.")
@data_option
@click.option(
    "--datasets",
    metavar="A,B",
    callback=split_names,
    help="Only these data sets; default some, with --full all that are at hand.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False),
    default="reproduction",
    show_default=True,
    help="Where studies are kept and pages go.",
)
@seed_option
@jobs_option
@dask_option
@click.option("--force", is_flag=True, help="Replace files and begin studies anew.")
@json_option
@quiet_option
def reproduce(paper: str, experiments: tuple[str, ...], **options: Any) -> int:
    """Run tables and figures of PAPER again, beside the published numbers.

    PAPER is kalousis2005, dernoncourt2014, somol2008, yu2008, saeys2008, or 'all'; without an
    EXPERIMENT, all of its tables and figures are run. 'holdfast list papers' shows them, and which
    data sets are at hand.

    Prints our numbers with the published ones and the differences, how well they agree overall, and
    what became of the paper's findings: held, not held, or cannot be checked. A page with all that
    and the pictures is written for each experiment.

    Runs are studies and are kept: the same command goes on where it was stopped. Reduced runs take
    minutes.
    """
    from holdfast.cli._run_reproduce import Request, run_reproduce  # noqa: PLC0415  (slow)

    return run_reproduce(Request(paper, experiments, **options))
