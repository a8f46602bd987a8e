"""Options that several commands share."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from holdfast._formatting import did_you_mean
from holdfast._object_spec import parse_names
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
    help="Of all that is random.",
)
CLASSES = option(
    "--classes",
    is_flag=True,
    default=None,  # what is not said is left to the study file
    help="The target's numbers are class labels.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def examples(*commands: str) -> str:
    """Return the closing part of a help text: commands to try, each on its line."""
    lines = "".join(f"\n  {command}" for command in commands)
    return f"\b\n{'Example' if len(commands) == 1 else 'Examples'}:{lines}"


def form_option(
    forms: Sequence[str],
    **attributes: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--form``; singular and plural are both understood."""

    def chosen(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        form = value if value is None else _OTHER_NUMBER.get(value, value)
        if form is not None and form not in forms:
            raise click.BadParameter(f"no form is called {form!r}.{did_you_mean(form, forms)}")
        return form

    return click.option("--form", metavar=f"[{'|'.join(forms)}]", callback=chosen, **attributes)


def split_names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Return the names between commas, each once; the callback of an option."""
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise click.BadParameter(f"names between commas are needed, got {value!r}.")
    return list(dict.fromkeys(names))


# How a study is run: the options that ``study`` and ``resume`` share.

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


def _check_part(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
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
        callback=_check_part,
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


# Lists on the command line: names with options, and sizes.


def split_spellings(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Divide names with options, such as ``a,b:x=1,y=2,c``; the callback of an option."""
    if value is None:
        return None
    try:
        return parse_names(value)
    except InvalidInputError as error:
        raise click.BadParameter(str(error)) from None


def split_or_none(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[str] | None:
    """Divide names with options; ``none`` is none of them."""
    return [] if value == "none" else split_spellings(context, parameter, value)


def split_sizes(_: click.Context, __: click.Parameter, value: str | None) -> list[float] | None:
    """Return the sizes between commas: counts, or fractions written with a point."""
    if value is None:
        return None
    try:
        return [_size(part.strip()) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"counts or fractions between commas are needed, as in 10,20,0.05; got {value!r}."
        ) from None


def _size(text: str) -> float:
    size = int(text) if text.isdecimal() else float(text)
    if not (isinstance(size, int) and size > 0) and not 0 < size <= 1:
        raise ValueError(text)
    return size


# The option that says where the papers' data sets are.

data_option = click.option(
    "--data",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder of the papers' data sets; default the one that HOLDFAST_DATA names.",
)
