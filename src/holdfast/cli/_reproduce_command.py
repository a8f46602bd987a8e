"""``holdfast reproduce``: the papers' tables and figures, run again."""

from __future__ import annotations

from typing import Any

import click

from holdfast._formatting import did_you_mean
from holdfast.cli._options import (
    dask_option,
    data_option,
    examples,
    jobs_option,
    json_option,
    quiet_option,
    seed_option,
    split_names,
)


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
    from holdfast.cli._reproduce_run import ReproduceRequest as Request  # noqa: PLC0415  (slow)
    from holdfast.cli._reproduce_run import run_reproduce  # noqa: PLC0415  (slow)

    return run_reproduce(Request(paper, experiments, **options))


# ``holdfast simulate``: the figures of Dernoncourt et al. (2014), made again.

NUMBERS = range(3, 10)


def _number(_: click.Context, __: click.Parameter, value: str) -> int:
    """Return the number of a figure that is spelled ``figure6`` or ``6``."""
    known = [f"figure{number}" for number in NUMBERS]
    name = f"figure{value}" if value.isdecimal() else value.lower()
    if name not in known:
        raise click.BadParameter(f"no figure is called {value!r}.{_hint(name, known)}")
    return int(name.removeprefix("figure"))


def _hint(name: str, known: list[str]) -> str:
    """Say which figures there are, where the nearest name says nothing."""
    if not name.removeprefix("figure").isdecimal():
        return did_you_mean(name, known)
    other = " Fig. 1 is holdfast.theory.stability_surface." if name == "figure1" else ""
    return f" Known: {known[0]} to {known[-1]}.{other}"


@click.command(
    "simulate",
    epilog=examples(
        "holdfast simulate figure6",
        "holdfast simulate figure7 --full --n-jobs 2 --out figures",
    ),
)
@click.argument("figure", metavar="FIGURE", callback=_number)
@click.option("--full", is_flag=True, help="The whole grid of the paper, not some points of it.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Where files go; default a folder named after the figure.",
)
@seed_option
@click.option(
    "--n-jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Processes; results do not depend on it.",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@json_option
@quiet_option
def simulate(figure: int, **options: Any) -> int:
    """Simulate FIGURE, figure3 to figure9, and draw it.

    Data with known truth show how stable feature selection can be. 3: scores and ranks by true
    effect. 4 and 5: how often features are selected by t-score, CAT score and mutual information.
    6: stability by numbers of samples, features and selected features, and by how
    effects are distributed. 7: on correlated features. 8: errors of classification.
    9: where samples and features grow together.

    The picture (.png and .svg) and all its numbers (.csv) are written; the main ones are printed.
    """
    from holdfast.cli._reproduce_run import RequestRunSimulate as Request  # noqa: PLC0415  (slow to import)
    from holdfast.cli._reproduce_run import run_simulate  # noqa: PLC0415  (slow to import)

    return run_simulate(Request(figure, **options))
