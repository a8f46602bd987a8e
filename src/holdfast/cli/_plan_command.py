"""``holdfast plan``: how many samples a stable selection needs."""

from __future__ import annotations

import math
from typing import Any

import click

from holdfast.cli._early_checks import check_names, check_source
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
DATA_OPTIONS = ("target", "drop", "groups", "positive", "classes")
PAIR_OPTIONS = ("selectors", "n_pairs", "impute", "seed", "found_again", "features_for")
THEORY_OPTIONS = ("effects", "informative", "features", "samples")
DEFAULTS: dict[str, Any] = {"selectors": SELECTORS, "n_pairs": 50, "seed": 0}


def _check_stability(_: click.Context, __: click.Parameter, value: float) -> float:
    if math.isnan(value):  # which passes click's check of the range
        raise click.BadParameter("expected a number above 0 and below 1; got nan.")
    return value


plan_options = in_group(
    "Plan",
    option(
        "--stability",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.8,
        show_default=True,
        callback=_check_stability,
        help="Target stability.",
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
        help="Numbers of features to select: counts or fractions; default: 5, 10, 20, 50.",
    ),
)
data_options = in_group(
    "With data",
    option("--target", metavar="COLUMN", help="Column of the classes; default: 'class'."),
    option(
        "--drop",
        metavar="COLUMNS",
        callback=split_names,
        help="Columns to omit, such as sample names.",
    ),
    option(
        "--groups",
        metavar="COLUMN",
        help="Column of subjects; no subject is on both sides of a split.",
    ),
    option("--positive", metavar="CLASS", help="Classify this class against all others."),
    CLASSES,
    option(
        "--selectors",
        metavar="NAMES",
        callback=split_spellings,
        help=f"See 'holdfast list selectors'; default: {', '.join(SELECTORS)}.",
    ),
    option(
        "--n-pairs",
        type=click.IntRange(min=4),
        metavar="N",
        help=f"Number of splits into halves; default: {DEFAULTS['n_pairs']}.",
    ),
    option(
        "--found-again",
        type=float,
        metavar="CHANCE",
        callback=check_share,
        help="Print how many samples a study needs to select a feature with this chance, "
        "such as 0.8.",
    ),
    option(
        "--for",
        "features_for",
        metavar="FEATURES",
        callback=split_names,
        help="The features for --found-again; default: those selected on DATA.",
    ),
    option(
        "--impute",
        type=click.Choice(["median"]),
        help="Impute missing values for selectors that do not accept them.",
    ),
    option("--seed", type=click.IntRange(min=0), metavar="N", help="Random seed; default: 0."),
)
theory_options = in_group(
    "Without data",
    option(
        "--effects",
        metavar="EFFECTS",
        help="Half the difference of the class means, in standard deviations within a class: a "
        "number, comma-separated numbers, or triangular:gamma=2,largest=0.15.",
    ),
    option(
        "--informative",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of features with the effect; the others have none.",
    ),
    option("--features", type=click.IntRange(min=2), metavar="P", help="Total number of features."),
    option(
        "--samples",
        type=click.IntRange(min=4),
        metavar="N",
        help="Print the expected stability for this many samples, in two equal classes.",
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
    """Estimate how many samples a stable selection needs.

    With DATA, a table as for 'holdfast study': the agreement of two independent studies is
    estimated from disjoint halves of the data, and predicted for larger studies. One line per
    selector and size gives how many of the selected features a second study of the same size would
    select again, and how many samples the target stability needs. With --found-again, one line per
    feature gives how many samples a study needs to select it with that chance.

    Without data: the theory of the t-score on independent Gaussian features with given effects.
    """
    if data is not None:
        _refuse_options(
            options, THEORY_OPTIONS, "cannot be combined with DATA", "cannot be combined with DATA"
        )
        check_names(options)
        check_source(data)
        from holdfast.cli._plan_run import run_plan

        given = {key: value for key, value in options.items() if value is not None}
        return run_plan(data, {**DEFAULTS, **given})
    _refuse_options(options, (*DATA_OPTIONS, *PAIR_OPTIONS), "needs DATA", "need DATA")
    missing = [f"--{name}" for name in ("effects", "features") if options[name] is None]
    if missing:
        raise click.UsageError(
            f"give DATA, or describe the expected effects: {' and '.join(missing)} must be given.",
            click.get_current_context(),
        )
    from holdfast.cli._plan_run import run_theory

    return run_theory(options)


def _refuse_options(
    options: dict[str, Any], names: tuple[str, ...], reason: str, plural_reason: str
) -> None:
    given = [f"--{name.replace('_', '-')}" for name in names if options[name] is not None]
    if given:
        raise click.UsageError(
            f"{', '.join(given)} {reason if len(given) == 1 else plural_reason}.",
            click.get_current_context(),
        )
