"""Options that several commands share."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast._formatting import did_you_mean
from holdfast._object_spec import names_code, parse_names
from holdfast._study_part import parse_part
from holdfast.cli._program import in_group, option
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_OTHER_NUMBER = {"subsets": "subset", "weight": "weights", "ranking": "rankings"}

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Random seed.",
)
CLASSES = option(
    "--classes",
    is_flag=True,
    default=None,  # not given: the study file decides
    help="Treat the numbers of the target as class labels.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def examples(*commands: str) -> str:
    """Return the end of a help text: example commands, one per line."""
    lines = "".join(f"\n  {command}" for command in commands)
    return f"\b\n{'Example' if len(commands) == 1 else 'Examples'}:{lines}"


def form_option(
    forms: Sequence[str], **attributes: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--form``; singular and plural are both accepted."""

    def check_form(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        form = value if value is None else _OTHER_NUMBER.get(value, value)
        if form is not None and form not in forms:
            raise click.BadParameter(f"no form is called {form!r}.{did_you_mean(form, forms)}")
        return form

    return click.option("--form", metavar=f"[{'|'.join(forms)}]", callback=check_form, **attributes)


def split_names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Return comma-separated names, each once; the callback of an option."""
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise click.BadParameter(f"expected comma-separated names, got {value!r}.")
    return list(dict.fromkeys(names))


# Options of a run, shared by ``study`` and ``resume``.

MAX_TIMEOUT_SECONDS = 1e7
"""Longest time limit of a unit: some months, chosen by hand within the limits of timers."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a study is executed, and what is printed and written at the end."""

    n_jobs: int | None = None
    dask: str | None = None
    scheduler_file: str | None = None
    timeout: float | None = None
    part: str | None = None
    export: str | None = None
    found_again: float | None = None
    as_json: bool = False
    quiet: bool = False


def _check_n_jobs(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("expected a number of processes, or -1 for all cores; got 0.")
    return value


def _check_timeout(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and math.isnan(value):  # which passes click's check of the range
        raise click.BadParameter(
            f"expected a number of seconds up to {MAX_TIMEOUT_SECONDS:.0f}; got nan."
        )
    return value


def check_share(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Raise unless the value is above 0 and below 1; NaN passes any range."""
    if value is not None and not 0 < value < 1:
        raise click.BadParameter(
            f"expected a share above 0 and below 1, such as 0.8; got {value:g}."
        )
    return value


def _check_part(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Return the part as K/N; ``auto`` reads it from the environment."""
    try:
        return None if value is None else str(parse_part(value))
    except InvalidInputError as error:
        raise click.BadParameter(str(error)) from None


JOBS = option(
    "--n-jobs",
    type=int,
    metavar="N",
    callback=_check_n_jobs,
    help="Number of processes; default: all cores; -2: all but one.",
)
DASK = option(
    "--dask",
    metavar="ADDRESS",
    help="Run on a Dask cluster: address of the scheduler, or scheduler file.",
)
SCHEDULER_FILE = option(
    "--scheduler-file",
    metavar="PATH",
    help="Run on the Dask cluster of this file, which 'dask scheduler --scheduler-file' writes.",
)
FOUND_AGAIN = option(
    "--found-again",
    type=float,
    metavar="SHARE",
    callback=check_share,
    help="For each selector, print the longest list of which this share is expected to be found "
    "again, such as 0.8.",
)
run_options = in_group(
    "Run",
    JOBS,
    DASK,
    SCHEDULER_FILE,
    FOUND_AGAIN,
    option(
        "--timeout",
        type=click.FloatRange(0, MAX_TIMEOUT_SECONDS, min_open=True),
        metavar="SECONDS",
        callback=_check_timeout,
        help="Time limit for one selector on one resample, which then counts as failed.",
    ),
    option(
        "--part",
        metavar="K/N",
        callback=_check_part,
        help="Run part K of N only; 'holdfast merge' joins the parts. 'auto' is the task of the "
        "job array that runs the command, and 'auto/N' that of an array of the tasks 1 to N.",
    ),
    option(
        "--export",
        type=click.Choice(["csv", "parquet"]),
        help="Also write all tables to DIR/tables; names that look like formulas are kept.",
    ),
)
jobs_option, dask_option, scheduler_file_option, found_again_option = (
    click.option(*names, **arguments)
    for names, arguments in (JOBS, DASK, SCHEDULER_FILE, FOUND_AGAIN)
)
quiet_option = click.option("--quiet", is_flag=True, help="Print only results and errors.")


# Lists: names with options, and sizes.


def split_spellings(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Split names with options, such as ``a,b:x=1,y=2,c``; the callback of an option."""
    if value is None:
        return None
    try:
        names = parse_names(value)
    except InvalidInputError as error:
        raise click.BadParameter(str(error)) from None
    search_working_directory(names)
    return names


def search_working_directory(names: Sequence[str]) -> None:
    """Let Python search the working directory for modules, if a name asks for one.

    The folder of the program comes first here, not that of the user, as in `python -m`.
    """
    if any(map(names_code, names)) and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))


def split_or_none(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[str] | None:
    """Split names with options; ``none`` is an empty list."""
    return [] if value == "none" else split_spellings(context, parameter, value)


def split_sizes(_: click.Context, __: click.Parameter, value: str | None) -> list[float] | None:
    """Return comma-separated sizes: counts, or fractions with a decimal point."""
    if value is None:
        return None
    try:
        parts = [part.strip() for part in value.split(",")]
        sizes = [int(part) if part.isdecimal() else float(part) for part in parts]
    except ValueError:
        sizes = []
    if not sizes or not all((isinstance(k, int) and k > 0) or 0 < k <= 1 for k in sizes):
        raise click.BadParameter(
            f"expected counts or fractions, separated by commas, such as 10,20,0.05; got {value!r}."
        )
    return sizes


# The folder of the papers' data sets.

data_option = click.option(
    "--data",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder of the papers' data sets; default: the value of HOLDFAST_DATA.",
)
