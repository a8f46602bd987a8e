"""``holdfast reproduce`` and ``holdfast simulate``: published results, computed again."""

from __future__ import annotations

from typing import Any

import click

from holdfast._formatting import did_you_mean
from holdfast.cli._early_checks import check_paper
from holdfast.cli._options import (
    dask_option,
    data_option,
    examples,
    jobs_option,
    json_option,
    quiet_option,
    scheduler_file_option,
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
@click.option("--full", is_flag=True, help="Run at the size of the published experiment.")
@data_option
@click.option(
    "--datasets",
    metavar="A,B",
    callback=split_names,
    help="Only these data sets; default: some; with --full, all that are available.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False),
    default="reproduction",
    show_default=True,
    help="Folder for studies and pages.",
)
@seed_option
@jobs_option
@dask_option
@scheduler_file_option
@click.option(
    "--force", is_flag=True, help="Replace existing files, and run studies again from the start."
)
@json_option
@quiet_option
def reproduce(paper: str, experiments: tuple[str, ...], **options: Any) -> int:
    """Run tables and figures of PAPER again and compare them with the published numbers.

    PAPER is kalousis2005, dernoncourt2014, somol2008, yu2008, saeys2008, or 'all'; without an
    EXPERIMENT, all of its tables and figures are run. 'holdfast list papers' lists them, and which
    data sets are available.

    Prints our numbers with the published ones and the differences, how well they agree overall, and
    the outcome of each finding of the paper: held, not held, or cannot be checked. For each
    experiment, a page with these results and the pictures is written.

    Studies are kept: the same command continues an interrupted run. Reduced runs take minutes.
    """
    check_paper(paper)
    from holdfast.cli._reproduce_run import ReproduceRequest, run_reproduce

    return run_reproduce(ReproduceRequest(paper, experiments, **options))


# ``holdfast simulate``: the figures of Dernoncourt et al. (2014).

FIGURE_NUMBERS = range(3, 10)


def _parse_figure(_: click.Context, __: click.Parameter, value: str) -> int:
    """Return the number of a figure, given as ``figure6`` or ``6``."""
    known = [f"figure{number}" for number in FIGURE_NUMBERS]
    name = f"figure{value}" if value.isdecimal() else value.lower()
    if name in known:
        return int(name.removeprefix("figure"))
    hint = did_you_mean(name, known)
    if name.removeprefix("figure").isdecimal():  # no number is nearer than another
        other = " Fig. 1 is holdfast.theory.stability_surface." if name == "figure1" else ""
        hint = f" Known: {known[0]} to {known[-1]}.{other}"
    raise click.BadParameter(f"no figure is called {value!r}.{hint}")


@click.command(
    "simulate",
    epilog=examples(
        "holdfast simulate figure6",
        "holdfast simulate figure7 --full --n-jobs 2 --out figures",
    ),
)
@click.argument("figure", metavar="FIGURE", callback=_parse_figure)
@click.option("--full", is_flag=True, help="The whole grid of the paper instead of some points.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Output folder; default: named after the figure.",
)
@seed_option
@click.option(
    "--n-jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of processes; does not affect the results.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@json_option
@quiet_option
def simulate(figure: int, **options: Any) -> int:
    """Simulate FIGURE, figure3 to figure9, and draw it.

    Data with known truth show how stable feature selection can be. 3: scores and ranks by true
    effect. 4 and 5: how often features are selected by t-score, CAT score and mutual information.
    6: stability by number of samples, features and selected features, and by distribution of the
    effects. 7: correlated features. 8: classification errors. 9: samples and features that grow
    together.

    Writes the picture (.png and .svg) and all its numbers (.csv); prints the main ones.
    """
    from holdfast.cli._reproduce_run import SimulateRequest, run_simulate

    return run_simulate(SimulateRequest(figure, **options))
