"""``holdfast study``: the main job."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli._grouped import GroupedCommand, in_group, option
from holdfast.cli._options import CLASSES, examples, json_option, split_names
from holdfast.cli._request import CLASSIFIERS, MOST, PROTOCOL, SELECTORS, requested
from holdfast.cli._run_options import quiet_option, run_options
from holdfast.cli._spellings import split_or_none, split_sizes, split_spellings

data_options = in_group(
    "Data",
    option("--target", metavar="COLUMN", help="Holds the classes; default the column 'class'."),
    option("--drop", metavar="COLUMNS", callback=split_names, help="Left out, such as names."),
    option("--nominal", metavar="COLUMNS", callback=split_names, help="Kinds, not amounts."),
    option("--groups", metavar="COLUMN", help="Subjects; none is on both sides of a split."),
    option("--cohort", metavar="COLUMN", help="Study sites, whose selections are compared."),
    option("--positive", metavar="CLASS", help="This class against all others together."),
    CLASSES,
)
study_options = in_group(
    "Study",
    option(
        "--selectors",
        metavar="NAMES",
        callback=split_spellings,
        help=f"See 'holdfast list selectors'; default {', '.join(SELECTORS)}.",
    ),
    option(
        "--sizes",
        metavar="SIZES",
        callback=split_sizes,
        help="Features to select: counts or fractions; default 5, 10, 20, 50.",
    ),
    option(
        "--protocol",
        metavar="NAME",
        help=f"See 'holdfast list protocols'; default {PROTOCOL}.",
    ),
    option(
        "--classifiers",
        metavar="NAMES",
        callback=split_or_none,
        help=f"To estimate errors, or 'none'; default {', '.join(CLASSIFIERS)}.",
    ),
    option(
        "--measures",
        metavar="NAMES",
        callback=split_names,
        help="See 'holdfast list measures'; default nogueira and two others.",
    ),
    option(
        "--impute",
        type=click.Choice(["median"]),
        help="Missing values, for selectors that do not take them.",
    ),
    option(
        "--replication",
        type=click.IntRange(min=0),
        metavar="N",
        help="Pairs of disjoint halves that tell what a second study would find; 0 for none, "
        "default 10 to 50, with the protocol.",
    ),
    option(
        "--seed", type=click.IntRange(min=0), metavar="N", help="Of all that is random; default 0."
    ),
)
out_option = in_group(
    "Run",
    option(
        "--out",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Kept here; default a folder named after the data.",
    ),
    option(
        "--until-width",
        type=click.FloatRange(min=0, min_open=True),
        metavar="W",
        help=f"Stop when the 95% intervals of the stability are at most W wide; the protocol says "
        f"how many resamples at most, default {MOST:,}. Narrow intervals tell what repeating the "
        "protocol gives, not what new samples would.",
    ),
)


@click.command(
    "study",
    cls=GroupedCommand,
    epilog=examples(
        "holdfast study @breast_cancer --out run",
        "holdfast study colon.csv --target tissue --sizes 10,0.05",
        "holdfast study a.csv --selectors f_score,svm_rfe:step=0.5,C=1,relieff",
        "holdfast study study.toml --n-jobs 4 --export csv",
    ),
)
@click.argument("data")
@data_options
@study_options
@out_option
@run_options
@json_option
@quiet_option
def study(data: str, **options: Any) -> int:
    """Find out how stable, and how good, feature selectors are on DATA.

    DATA is a table (.csv, .tsv, .arff, .gct, .npz, .parquet, .h5ad), @breast_cancer, @wine,
    @digits or @simulated, or a study file (.toml) that holds all of this.

    Names may have options: relieff:n_neighbors=5. In a list, a part with an equals sign but no
    colon is a further option of the name before it: svm_rfe:step=0.5,C=1,relieff are two. Names
    within names stand in brackets: ensemble:base=(relieff(n_neighbors=5),svm_rfe),n_bags=20.

    A run that was interrupted goes on when the same command is given again, or by 'holdfast
    resume DIR'. Nothing is ever overwritten.
    """
    from holdfast.cli._run_study import run_study  # noqa: PLC0415  (slow to import)

    return run_study(requested(data, options))
