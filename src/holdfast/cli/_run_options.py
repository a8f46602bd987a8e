"""How a study is run: the options that ``study`` and ``resume`` share."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import click

from holdfast.cli._grouped import in_group, option

LONGEST = 1e7
"""Most seconds that a unit may be given: some months, and no more than clocks can wait."""
_PART = re.compile(r"([1-9]\d*)/([1-9]\d*)")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Who works, on which part, and what is told and written at the end."""

    n_jobs: int | None = None
    dask: str | None = None
    timeout: float | None = None
    part: str | None = None
    export: str | None = None
    found_again: float | None = None
    as_json: bool = False
    quiet: bool = False


def _not_zero(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("a number of processes is needed, or -1 for all cores; got 0.")
    return value


def _not_nan(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and math.isnan(value):  # passes any range
        raise click.BadParameter(f"a number of seconds up to {LONGEST:.0f} is needed; got nan.")
    return value


def check_share(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Refuse what is no share above 0 and below 1; NaN passes any range."""
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(f"a share above 0 and below 1 is needed, as 0.8; got {value:g}.")
    return value


def _part(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    found = _PART.fullmatch(value or "1/1")
    if found is None or int(found[1]) > int(found[2]):
        raise click.BadParameter(f"spell parts as 1/3, 2/3 and 3/3; got {value!r}.")
    return value


JOBS = option(
    "--n-jobs",
    type=int,
    metavar="N",
    callback=_not_zero,
    help="Processes; default all cores, -2 all but one.",
)
DASK = option(
    "--dask",
    metavar="ADDRESS",
    help="Run on a Dask cluster: its scheduler's address, or its scheduler file.",
)
FOUND_AGAIN = option(
    "--found-again",
    type=float,
    metavar="SHARE",
    callback=check_share,
    help="For each selector, name the longest list of which this share is expected to be found "
    "again, as 0.8.",
)
run_options = in_group(
    "Run",
    JOBS,
    DASK,
    FOUND_AGAIN,
    option(
        "--timeout",
        type=click.FloatRange(0, LONGEST, min_open=True),
        metavar="SECONDS",
        callback=_not_nan,
        help="Most time for one selector on one resample; it counts as failed then.",
    ),
    option(
        "--part",
        metavar="K/N",
        callback=_part,
        help="Do part K of N only; 'holdfast merge' joins them.",
    ),
    option(
        "--export",
        type=click.Choice(["csv", "parquet"]),
        help="All tables to DIR/tables as well: lossless, so names that are formulas stay so.",
    ),
)
jobs_option, dask_option, found_again_option = (
    click.option(*names, **said) for names, said in (JOBS, DASK, FOUND_AGAIN)
)
quiet_option = click.option(
    "--quiet", is_flag=True, help="Print nothing but the results and errors."
)
