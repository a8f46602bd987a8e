"""``holdfast study``: the main job."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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


# ``holdfast resume``: go on with a study.


@click.command(
    "resume",
    cls=GroupedCommand,
    epilog=examples("holdfast resume run", "holdfast resume run --n-jobs 8 --timeout 60"),
)
@click.argument("folder", metavar="DIR")
@click.option("--data", metavar="FILE", help="The data, if their file has moved since.")
@run_options
@json_option
@quiet_option
def resume(folder: str, data: str | None, **options: Any) -> int:
    """Go on with the study in DIR where it stopped.

    What is done is kept, what failed is tried again. The plan is the one in the folder, and the
    data must be what they were. The results are the same as those of a run that never stopped,
    whatever the number of processes.
    """
    from holdfast.cli._study_run import run_resumed  # noqa: PLC0415  (slow to import)

    return run_resumed(Path(folder), data, RunOptions(**options))


# ``holdfast merge``: one study out of its parts.


@click.command(
    "merge",
    epilog=examples("holdfast merge part1 part2 part3 --out whole"),
)
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="A new or empty folder for the whole.")
@json_option
def merge(folders: tuple[str, ...], out: str, *, as_json: bool) -> int:
    """Join the parts of a study that were run in several folders.

    The parts come from 'holdfast study ... --part 1/3' and so on, on different machines: the
    same study of the same data. They stay as they are.
    """
    from holdfast.cli._study_run import close  # noqa: PLC0415  (slow to import)
    from holdfast.study import merge as join  # noqa: PLC0415

    return close(join(folders, out), Path(out), RunOptions(as_json=as_json))


# ``holdfast report``: the page of a study, made again.


@click.command(
    "report",
    epilog=examples("holdfast report run", "holdfast report run --out markers.html"),
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--out",
    metavar="PATH",
    help="A folder, or a name ending in .html; default DIR/report.html.",
)
@click.option("--force", is_flag=True, help="Replace files that are no reports, too.")
@found_again_option
@quiet_option
def report(
    folder: str, out: str | None, *, force: bool, found_again: float | None, quiet: bool
) -> int:
    """Write the report of the study in DIR.

    A report is one page to read, keep and mail (report.html), with twins for programs
    (report.json) and for plain text (report.md). It says which features a second study would
    find again, how sure that is, and what was done. The study may be running or interrupted: what
    is there is reported.
    """
    from holdfast.report import write_report  # noqa: PLC0415  (slow to import)
    from holdfast.study import load  # noqa: PLC0415

    result = load(folder)
    with closing(result.store):
        target = folder if out is None else out
        paths = write_report(result, target, force=force, found_again=found_again)
    if not quiet:
        for path in paths:
            log_line("written", path)
    return 0


# What a user asks of a study: the command line over the study file over the defaults.

SELECTORS = ("f_score", "symmetrical_uncertainty", "relieff", "svm_rfe", "random_score")
CLASSIFIERS = ("linear_svm", "knn3")
PROTOCOL = "subsampling:n_resamples=100,train_size=0.9"
DEFAULT_MAX_RESAMPLES = 1000
"""Most resamples of a study that stops by itself, where no protocol is named."""
GROWING = f"subsampling:n_resamples={DEFAULT_MAX_RESAMPLES},train_size=0.9"
DEFAULTS: dict[str, Any] = {
    "selectors": SELECTORS,
    "classifiers": CLASSIFIERS,
    "seed": 0,
}
OF_DATA = ("target", "drop", "nominal", "groups", "cohort", "positive", "classes")
OF_STUDY = (
    *("selectors", "classifiers", "protocol", "sizes", "measures", "impute"),
    *("replication", "until_width"),
)
OF_RUN = tuple(field.name for field in fields(RunOptions))


@dataclass(frozen=True, kw_only=True)
class StudyRequest:
    """A study as it was asked for."""

    file: str
    """The data: a path, or ``@name``."""
    wishes: Mapping[str, Any]
    """What was said about the columns; other arguments of `read_data`."""
    study: Mapping[str, Any]
    """Arguments of `Study`."""
    out: Path | None
    """The folder that was named."""
    run: RunOptions

    @property
    def folder(self) -> Path:
        """Where the run is kept: as named, or else named after the data."""
        return self.out or Path(f"{_stem(self.file)}-study")


def build_request(data: str, given: Mapping[str, Any]) -> StudyRequest:
    """Put together what the command line says and, for a study file, what that says."""
    said = {key: value for key, value in given.items() if value is not None}
    asked = {**_source(data), **said}
    _check(asked)
    usual = {**DEFAULTS, "protocol": GROWING if "until_width" in asked else PROTOCOL}
    values = {**usual, **asked}
    return StudyRequest(
        file=values["file"],
        wishes=_pick_keys(values, OF_DATA),
        study={**_pick_keys(values, OF_STUDY), "random_state": values["seed"]},
        out=Path(values["out"]) if "out" in values else None,
        run=RunOptions(**_pick_keys(values, OF_RUN)),
    )


def _check(asked: Mapping[str, Any]) -> None:
    if "until_width" in asked and "part" in asked:
        raise click.UsageError(
            "--until-width and --part do not go together: a part cannot tell when the study has "
            "resamples enough.",
            click.get_current_context(silent=True),
        )


def _source(data: str) -> dict[str, Any]:
    if not data.lower().endswith(".toml"):
        return {"file": data}
    from holdfast.cli._study_file import read_study_file  # noqa: PLC0415  (slow to import)

    return read_study_file(Path(data))


def _pick_keys(values: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}


def _stem(file: str) -> str:
    """Return the name of the data: without folder, sign and endings."""
    name = Path(file.removeprefix("@")).name
    return name.removesuffix(".gz").rpartition(".")[0] or name


# ``holdfast study``: the main job.

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
        f"how many resamples at most, default {DEFAULT_MAX_RESAMPLES:,}. Narrow intervals "
        "tell what repeating the "
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
    from holdfast.cli._study_run import run_study  # noqa: PLC0415  (slow to import)

    return run_study(build_request(data, options))
