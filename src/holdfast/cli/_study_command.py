"""``holdfast study``, ``resume``, ``merge`` and ``report``."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast._memory import pause_collection
from holdfast.cli._early_checks import (
    check_folders,
    check_names,
    check_source,
    check_study_file,
)
from holdfast.cli._options import (
    CLASSES,
    RunOptions,
    examples,
    found_again_option,
    json_option,
    quiet_option,
    run_options,
    split_names,
    split_or_none,
    split_sizes,
    split_spellings,
)
from holdfast.cli._output import log_line
from holdfast.cli._program import GroupedCommand, in_group, option

if TYPE_CHECKING:
    from collections.abc import Mapping


# ``holdfast resume``.


@click.command(
    "resume",
    cls=GroupedCommand,
    epilog=examples("holdfast resume run", "holdfast resume run --n-jobs 8 --timeout 60"),
)
@click.argument("folder", metavar="DIR")
@click.option("--data", metavar="FILE", help="The data, if the file has moved.")
@click.option(
    "--trust",
    is_flag=True,
    help="Run any code that the plan in DIR names, also from the working directory. Give it only "
    "for a folder whose origin you know.",
)
@click.option(
    "--repair", is_flag=True, help="Compute damaged results again; 'holdfast check' lists them."
)
@run_options
@json_option
@quiet_option
def resume(folder: str, data: str | None, *, trust: bool, repair: bool, **options: Any) -> int:
    """Continue the study in DIR.

    Finished work is kept, and failed work is tried again. The plan is the one in the folder, and
    the data must not have changed. The results equal those of an uninterrupted run, for any number
    of processes.

    Only selectors of holdfast and estimators of installed packages are run; a plan that names
    other code needs --trust.
    """
    check_folders([folder])
    with pause_collection():
        from holdfast.cli._study_run import run_resumed

    return run_resumed(Path(folder), data, RunOptions(**options), trust=trust, repair=repair)


# ``holdfast merge``.


@click.command(
    "merge",
    epilog=examples("holdfast merge part1 part2 part3 --out whole"),
)
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@click.option(
    "--out", metavar="DIR", required=True, help="A new or empty folder for the joined study."
)
@json_option
def merge(folders: tuple[str, ...], out: str, *, as_json: bool) -> int:
    """Join the parts of a study that were run in several folders.

    The parts come from 'holdfast study ... --part 1/3' and so on, for example on several machines:
    the same study of the same data. They are not changed.
    """
    check_folders(folders)
    with pause_collection():
        from holdfast.cli._study_run import finish_run
    from holdfast.study import merge as join

    return finish_run(join(folders, out), Path(out), RunOptions(as_json=as_json))


# ``holdfast report``.


@click.command(
    "report",
    epilog=examples("holdfast report run", "holdfast report run --out markers.html"),
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--out",
    metavar="PATH",
    help="A folder, or a file ending in .html; default: DIR/report.html.",
)
@click.option("--force", is_flag=True, help="Replace existing files even if they are not reports.")
@found_again_option
@quiet_option
def report(
    folder: str, out: str | None, *, force: bool, found_again: float | None, quiet: bool
) -> int:
    """Write the report of the study in DIR.

    A report is a single page (report.html), also written as JSON (report.json) and Markdown
    (report.md). It states which features a second study would find again, how certain that is,
    and what was done. The study may be running or interrupted: the report covers what is done.
    """
    check_folders([folder])
    from holdfast.report import write_report
    from holdfast.study import load

    result = load(folder)
    with closing(result.store):
        target = folder if out is None else out
        paths = write_report(result, target, force=force, found_again=found_again)
    if not quiet:
        for path in paths:
            log_line("written", path)
    return 0


# A requested study: options of the command line override the study file and the defaults.

SELECTORS = ("f_score", "symmetrical_uncertainty", "relieff", "svm_rfe", "random_score")
CLASSIFIERS = ("linear_svm", "knn3")
PROTOCOL = "subsampling:n_resamples=100,train_size=0.9"
DEFAULT_MAX_RESAMPLES = 1000
"""Most resamples of a study with --until-width, unless a protocol is given."""
GROWING_PROTOCOL = f"subsampling:n_resamples={DEFAULT_MAX_RESAMPLES},train_size=0.9"
DEFAULTS: dict[str, Any] = {
    "selectors": SELECTORS,
    "classifiers": CLASSIFIERS,
    "seed": 0,
}
DATA_OPTIONS = (
    *("target", "drop", "nominal", "groups", "cohort", "sample_weight", "positive", "classes"),
)
STUDY_OPTIONS = (
    *("selectors", "classifiers", "protocol", "sizes", "measures", "impute"),
    *("replication", "until_width"),
)
RUN_OPTIONS = tuple(field.name for field in fields(RunOptions))


@dataclass(frozen=True, kw_only=True)
class StudyRequest:
    """A requested study."""

    file: str
    """The data: a path, or ``@name``."""
    column_options: Mapping[str, Any]
    """The roles of the columns: arguments of `read_data`."""
    study: Mapping[str, Any]
    """Arguments of `Study`."""
    out: Path | None
    """The requested folder, if any."""
    run: RunOptions

    @property
    def folder(self) -> Path:
        """The folder of the run: as requested, or named after the data, without suffixes."""
        name = Path(self.file.removeprefix("@")).name
        stem = name.removesuffix(".gz").rpartition(".")[0] or name
        return self.out or Path(f"{stem}-study")


def build_request(data: str, options: Mapping[str, Any]) -> StudyRequest:
    """Combine the options of the command line with those of a study file, if one is given."""
    requested: dict[str, Any] = {"file": data}
    if data.lower().endswith(".toml"):
        check_study_file(Path(data))
        from holdfast.cli._study_file import read_study_file

        requested = read_study_file(Path(data), trust=bool(options.get("trust")))
        if options.get("scheduler_file") is not None:
            requested.pop("dask", None)  # both name the cluster: the command line decides
    requested |= {key: value for key, value in options.items() if value is not None}
    if "until_width" in requested and "part" in requested:
        raise click.UsageError(
            "--until-width and --part cannot be combined: a part cannot decide when the study has "
            "enough resamples.",
            click.get_current_context(silent=True),
        )
    # without a protocol, that of the study depends on the number of samples
    growing = {"protocol": GROWING_PROTOCOL} if "until_width" in requested else {}
    values = {**DEFAULTS, **growing, **requested}
    return StudyRequest(
        file=values["file"],
        column_options=_pick_keys(values, DATA_OPTIONS),
        study={**_pick_keys(values, STUDY_OPTIONS), "random_state": values["seed"]},
        out=Path(values["out"]) if "out" in values else None,
        run=RunOptions(**_pick_keys(values, RUN_OPTIONS)),
    )


def _pick_keys(values: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}


# ``holdfast study``.

data_options = in_group(
    "Data",
    option("--target", metavar="COLUMN", help="Column of the classes; default: 'class'."),
    option(
        "--drop",
        metavar="COLUMNS",
        callback=split_names,
        help="Columns to omit, such as sample names.",
    ),
    option("--nominal", metavar="COLUMNS", callback=split_names, help="Categorical columns."),
    option(
        "--groups",
        metavar="COLUMN",
        help="Column of subjects; no subject is on both sides of a split.",
    ),
    option(
        "--cohort", metavar="COLUMN", help="Column of study sites; their selections are compared."
    ),
    option(
        "--sample-weight",
        metavar="COLUMN",
        help="Column of sample weights, for selectors and classifiers that take them.",
    ),
    option("--positive", metavar="CLASS", help="Classify this class against all others."),
    CLASSES,
)
study_options = in_group(
    "Study",
    option(
        "--selectors",
        metavar="NAMES",
        callback=split_spellings,
        help="See 'holdfast list selectors'; or module:object or path/to/file.py:object; default: "
        f"{', '.join(SELECTORS)}.",
    ),
    option(
        "--sizes",
        metavar="SIZES",
        callback=split_sizes,
        help="Numbers of features to select: counts or fractions; default: 5, 10, 20, 50.",
    ),
    option(
        "--protocol",
        metavar="NAME",
        help=f"See 'holdfast list protocols'; default: {PROTOCOL}, or 30 resamples "
        "of more than 20,000 samples.",
    ),
    option(
        "--classifiers",
        metavar="NAMES",
        callback=split_or_none,
        help=f"Classifiers that estimate errors, or 'none'; default: {', '.join(CLASSIFIERS)}.",
    ),
    option(
        "--measures",
        metavar="NAMES",
        callback=split_names,
        help="See 'holdfast list measures'; default: nogueira and two others.",
    ),
    option(
        "--impute",
        type=click.Choice(["median"]),
        help="Impute missing values for selectors that do not accept them.",
    ),
    option(
        "--replication",
        type=click.IntRange(min=0),
        metavar="N",
        help="Number of pairs of disjoint halves, which show what a second study would find; 0 for "
        "none; default: 10 to 50, depending on the protocol.",
    ),
    option("--seed", type=click.IntRange(min=0), metavar="N", help="Random seed; default: 0."),
    option(
        "--trust",
        is_flag=True,
        help="Run the code that a study file names as a selector, such as my_scores.py:score.",
    ),
)
out_option = in_group(
    "Run",
    option(
        "--out",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Output folder; default: named after the data file.",
    ),
    option(
        "--until-width",
        type=click.FloatRange(min=0, min_open=True),
        metavar="W",
        help=f"Stop when the 95% intervals of the stability are at most W wide; the protocol sets "
        f"the maximum number of resamples, default: {DEFAULT_MAX_RESAMPLES:,}. Narrow intervals "
        "show what repeating the protocol gives, not what new samples would give.",
    ),
    option(
        "--dry-run",
        is_flag=True,
        help="Print the plan, and the time and memory that it will take; run and write nothing.",
    ),
)


@click.command(
    "study",
    cls=GroupedCommand,
    epilog=examples(
        "holdfast study @breast_cancer --out run",
        "holdfast study colon.csv --target tissue --sizes 10,0.05",
        "holdfast study a.csv --selectors f_score,svm_rfe:step=0.5,C=1,relieff",
        "holdfast study a.csv --selectors my_scores.py:score,sklearn.feature_selection:chi2",
        "holdfast study a.csv --selectors relieff,svm_rfe --dry-run",
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
def study(data: str, *, dry_run: bool, **options: Any) -> int:
    """Measure how stable and how accurate feature selectors are on DATA.

    DATA is a table (.csv, .tsv, .arff, .gct, .npz, .parquet, .h5ad), @breast_cancer, @wine,
    @digits or @simulated, or a study file (.toml) with all of these options.

    Names may have options: relieff:n_neighbors=5. In a list, a part with an equals sign but no
    colon is another option of the name before it: svm_rfe:step=0.5,C=1,relieff are two selectors.
    Nested names are in parentheses: ensemble:base=(relieff(n_neighbors=5),svm_rfe),n_bags=20.
    A selector may be a function, an instance or a class of a module or a file, such as
    my_scores.py:Mine:step=2. Its code is run, here and in the workers.

    To continue an interrupted run, give the same command again, or 'holdfast resume DIR'. Existing
    results are never overwritten.
    """
    check_names(options)
    request = build_request(data, options)
    check_source(request.file)
    if dry_run:
        from holdfast.cli._study_cost import print_cost

        return print_cost(request)
    with pause_collection():
        from holdfast.cli._study_run import run_study

    return run_study(request)
