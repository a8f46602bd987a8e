"""``holdfast plan``: how many samples a stable selection needs."""

from __future__ import annotations

import math
from typing import Any

import click

from holdfast.cli._options import (
    CLASSES,
    check_share,
    examples,
    json_option,
    quiet_option,
    split_names,
    split_sizes,
    split_spellings,
)
from holdfast.cli._program import GroupedCommand, in_group, option

SELECTORS = ("f_score", "symmetrical_uncertainty", "relieff")
OF_DATA = ("target", "drop", "groups", "positive", "classes")
OF_PAIRS = ("selectors", "n_pairs", "impute", "seed", "found_again", "features_for")
OF_THEORY = ("effects", "informative", "features", "samples")
DEFAULTS: dict[str, Any] = {"selectors": SELECTORS, "n_pairs": 50, "seed": 0}


def _number(_: click.Context, __: click.Parameter, value: float) -> float:
    if math.isnan(value):  # passes any range
        raise click.BadParameter("a number above 0 and below 1 is needed; got nan.")
    return value


plan_options = in_group(
    "Plan",
    option(
        "--stability",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.8,
        show_default=True,
        callback=_number,
        help="The wanted stability.",
    ),
    option(
        "--measure",
        metavar="NAME",
        default="nogueira",
        show_default=True,
        help="A similarity; see 'holdfast list measures'.",
    ),
    option(
        "--sizes",
        metavar="SIZES",
        callback=split_sizes,
        help="Features to select: counts or fractions; default 5, 10, 20, 50.",
    ),
)
data_options = in_group(
    "With data",
    option("--target", metavar="COLUMN", help="Holds the classes; default the column 'class'."),
    option("--drop", metavar="COLUMNS", callback=split_names, help="Left out, such as names."),
    option("--groups", metavar="COLUMN", help="Subjects; none is on both sides of a split."),
    option("--positive", metavar="CLASS", help="This class against all others together."),
    CLASSES,
    option(
        "--selectors",
        metavar="NAMES",
        callback=split_spellings,
        help=f"See 'holdfast list selectors'; default {', '.join(SELECTORS)}.",
    ),
    option(
        "--n-pairs",
        type=click.IntRange(min=4),
        metavar="N",
        help=f"Splits into halves; default {DEFAULTS['n_pairs']}.",
    ),
    option(
        "--found-again",
        type=float,
        metavar="CHANCE",
        callback=check_share,
        help="Say how many samples a study needs to select a feature with this chance, as 0.8.",
    ),
    option(
        "--for",
        "features_for",
        metavar="FEATURES",
        callback=split_names,
        help="The features that --found-again is about; default those selected on DATA.",
    ),
    option(
        "--impute",
        type=click.Choice(["median"]),
        help="Missing values, for selectors that do not take them.",
    ),
    option(
        "--seed", type=click.IntRange(min=0), metavar="N", help="Of all that is random; default 0."
    ),
)
theory_options = in_group(
    "Without data",
    option(
        "--effects",
        metavar="EFFECTS",
        help="Half the difference of the class means, in standard deviations within a class: a "
        "number, numbers between commas, or triangular:gamma=2,largest=0.15.",
    ),
    option(
        "--informative",
        type=click.IntRange(min=1),
        metavar="N",
        help="Features that have the effect; the others have none.",
    ),
    option("--features", type=click.IntRange(min=2), metavar="P", help="Features in all."),
    option(
        "--samples",
        type=click.IntRange(min=4),
        metavar="N",
        help="What to expect of so many samples, in two equal classes.",
    ),
)


@click.command(
    "plan",
    cls=GroupedCommand,
    epilog=examples(
        "holdfast plan pilot.csv --target tissue --stability 0.8",
        "holdfast plan @breast_cancer --selectors t_score,relieff --sizes 5,10",
        "holdfast plan pilot.csv --sizes 10 --found-again 0.9 --for TP53,KRAS",
        "holdfast plan --effects 0.35 --informative 20 --features 500 --sizes 20",
        "holdfast plan --effects triangular:gamma=2,largest=0.3 --features 2000 --samples 200",
    ),
)
@click.argument("data", required=False)
@plan_options
@data_options
@theory_options
@json_option
@quiet_option
def plan(data: str | None, **options: Any) -> int:
    """Find out how many samples a stable selection needs.

    With DATA, a table as 'holdfast study' takes it: how well the selections of two independent
    studies agree is estimated from disjoint halves of the data, and predicted for larger studies.
    A line for each selector and size says how many of the selected features a second study of
    the same size would select again, and how many samples the wanted stability needs. With
    --found-again, lines for single features say how many samples a study needs to select them
    with that chance.

    Without data: what theory says of the t-score on independent Gaussian features with effects
    of your choice.
    """
    if data is not None:
        _refuse(options, OF_THEORY, "go without DATA")
        from holdfast.cli._plan_run import run_plan  # noqa: PLC0415  (slow to import)

        said = {key: value for key, value in options.items() if value is not None}
        return run_plan(data, {**DEFAULTS, **said})
    _refuse(options, (*OF_DATA, *OF_PAIRS), "need DATA")
    lacking = [f"--{name}" for name in ("effects", "features") if options[name] is None]
    if lacking:
        raise click.UsageError(
            f"name DATA, or say what is expected: {' and '.join(lacking)} must be given.",
            click.get_current_context(),
        )
    from holdfast.cli._plan_run import run_theory  # noqa: PLC0415

    return run_theory(options)


def _refuse(options: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    given = [f"--{name.replace('_', '-')}" for name in names if options[name] is not None]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} {why if len(given) > 1 else _singular(why)}.",
            click.get_current_context(),
        )


def _singular(why: str) -> str:
    return why.replace("go ", "goes ").replace("need ", "needs ")
