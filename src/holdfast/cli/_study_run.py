"""Running a study from the command line: execution, interrupts, results."""

from __future__ import annotations

import hashlib
import shlex
import sys
import warnings
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast._formatting import plural
from holdfast._interrupts import handle_interrupts
from holdfast.cli._output import log_line, logged_warnings, print_json
from holdfast.cli._program import COMMAND, FAILED, INTERRUPTED, SIGNALS, cluster
from holdfast.cli._progress import make_progress, read
from holdfast.cli._study_summary import find_recommended_shortfall, print_summary, try_recommend
from holdfast.errors import (
    HoldfastError,
    InvalidInputError,
    StoreError,
    StudyError,
    UntrustedCodeError,
)
from holdfast.report import conclude, remove_name_marks
from holdfast.resample import as_protocol
from holdfast.study import (
    DATA,
    FILE,
    PLAN,
    FailedSelectorsWarning,
    Study,
    as_text,
    default_protocol,
    export,
    failed_selectors,
    load,
    resume,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from holdfast.cli._options import RunOptions
    from holdfast.cli._study_command import StudyRequest
    from holdfast.study import Result


@dataclass
class RunSession:
    """A run of a study: how it is executed, and the exit code when it is over."""

    execution: dict[str, Any] = field(default_factory=dict)
    """Arguments of `Study.run` and `resume`: processes, cluster, time limit, part, command."""
    exit_code: int = INTERRUPTED


def run_study(request: StudyRequest) -> int:
    """Run a study and return the exit code; usage errors are reported before data are read."""
    study, options = make_study(request), request.run
    with open_session(request.folder, options, trust=True) as session:
        data = read(request.file, request.column_options, quiet=options.quiet)
        protocol = as_protocol(request.study.get("protocol") or default_protocol(data.n_samples))
        estimates = protocol.estimates_for(subjects=data.groups is not None)
        progress = make_progress(estimates, quiet=options.quiet)
        try:
            result = study.run(data, out=request.folder, progress=progress, **session.execution)
        except StoreError as error:
            if progress.started or request.out is not None:
                raise
            raise StoreError(f"{error} Name another folder by --out.") from error
        progress.end(result.n_units)
        session.exit_code = finish_run(result, request.folder, options)
    return session.exit_code


def make_study(request: StudyRequest) -> Study:
    """Return the requested study; invalid settings are usage errors."""
    try:
        return Study(**request.study)
    except InvalidInputError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error


def run_resumed(
    folder: Path, data: str | None, options: RunOptions, *, trust: bool, repair: bool
) -> int:
    """Resume a study and return the exit code."""
    if trust:
        # the folder of the program comes first here, not that of the user, as in `python -m`
        sys.path.append(str(Path.cwd()))
    with open_session(folder, options, trust=trust) as session:
        stored = load(folder)
        with closing(stored.store):
            progress = make_progress(stored.protocol_sentence, quiet=options.quiet)
        result = resume(
            folder, data=data, progress=progress, trust=trust, repair=repair, **session.execution
        )
        progress.end(result.n_units)
        session.exit_code = finish_run(result, folder, options)
    return session.exit_code


@contextmanager
def open_session(folder: Path, options: RunOptions, *, trust: bool) -> Iterator[RunSession]:
    """Yield a session; handle interrupts and failures: print what is kept, and how to go on.

    With `trust`, the code that the plan names was requested by the user.
    """
    session = RunSession()
    try:
        with (
            handle_interrupts(*SIGNALS),
            logged_warnings(quiet=options.quiet),
            cluster(options.dask, options.scheduler_file) as client,
        ):
            # these selectors are named at the end of the run, as errors
            warnings.simplefilter("ignore", FailedSelectorsWarning)
            session.execution = {
                "client": client,
                "n_jobs": options.n_jobs,
                "timeout": options.timeout,
                "part": options.part,
                "command": shlex.join(click.get_current_context().meta[COMMAND]),
            }
            yield session
    except KeyboardInterrupt:
        session.exit_code = INTERRUPTED  # also if all is written, and the signal was swallowed
        progress = _describe_stored_progress(folder, options.part, trust=trust)
        log_line("interrupted", progress or "nothing was done yet.")
    except UntrustedCodeError:
        raise  # its message has the command
    except StudyError:
        if progress := _describe_stored_progress(folder, options.part, trust=trust):
            log_line("next", progress)
        raise


def _describe_stored_progress(folder: Path, part: str | None, *, trust: bool) -> str:
    """Return how much is done and how to go on; empty if nothing was started."""
    try:
        result = load(folder, trust=trust)
    except HoldfastError:
        return ""
    with closing(result.store):
        return (
            f"{result.n_done:,} of {plural(result.n_units, 'unit')} are done and kept in {folder}; "
            f"go on with: {result.resume_command(folder)}"
            + ("" if part is None else f" --part {part}")
        )


# The end of a run: results, failures, files.

MAX_FAILURE_KINDS = 5
"""Most kinds of failures that are printed; chosen by hand."""


def finish_run(result: Result, folder: Path, options: RunOptions) -> int:
    """Print and write the results, close their store, and return the exit code."""
    with closing(result.store):
        files = [path for name in (FILE, PLAN, DATA) if (path := folder / name).exists()]
        if options.export is not None:
            files += export(result, folder / "tables", options.export)  # type: ignore[arg-type]
        if not options.as_json:
            part = None if result.complete else options.part
            print_summary(result, part=part, found_again=options.found_again)
        reports: list[Path] = []
        if result.n_done and (options.part is None or result.complete):  # else a part of a study
            reports = result.report(folder, found_again=options.found_again)
        if options.as_json:
            document = _document(result, folder, [*files, *reports])
            if options.found_again is not None:
                document["longest_lists"] = _records(result.longest_lists(options.found_again))
            print_json(document)
        _print_failures(result)
        if not options.quiet:
            _print_next_steps(result, folder, options.part, files, reports)
        return FAILED if len(result.failures) else 0


def _document(result: Result, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    verdict, _ = conclude(result)
    document = {
        "folder": str(folder),
        "plan": plan_hash(result.plan),
        "estimates": result.protocol_sentence,
        "units": {
            "all": result.n_units,
            "done": result.n_done,
            "failed": len(result.failures),
            "not_run": result.n_not_run,
        },
        "verdict": {
            key: remove_name_marks(value) if isinstance(value, str) else value
            for key, value in verdict.items()
        },
        "features": _records(result.features),
        "replication": _records(result.replication),
        "stability": _records(result.stability),
        "errors": _records(result.errors),
        "recommended": _recommendation_record(result),
        "failures": _records(result.failures),
        "files": [str(path) for path in files],
    }
    if len(result.cohorts):
        document["cohorts"] = _records(result.cohorts)
    return document


def _recommendation_record(result: Result) -> dict[str, Any] | None:
    choice = try_recommend(result)
    if choice is None:
        return None
    shortfall = find_recommended_shortfall(result, choice)
    remark = {} if shortfall is None else {"remark": shortfall.remark}
    return {**choice.pair._asdict(), **remark, "reasons": list(choice.reasons)}


def plan_hash(plan: dict[str, Any]) -> str:
    """Return the SHA-256 digest of a plan, the same as that of its ``plan.json``."""
    return hashlib.sha256(as_text(plan).encode()).hexdigest()


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _print_failures(result: Result) -> None:
    """Print how many units failed, which selectors always failed, and each reason once."""
    table = result.failures
    if not len(table):
        return
    log_line("error", f"{len(table):,} of {plural(result.n_units, 'unit')} failed:")
    names = [selector["name"] for selector in result.plan["selectors"]]
    always_failed = failed_selectors(result.store, names)
    for selector in always_failed:
        log_line("error", str(selector))
    table = table[~table["selector"].isin([selector.name for selector in always_failed])]
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    for kind in kinds.reset_index().head(MAX_FAILURE_KINDS).to_dict("records"):
        where = f"{plural(kind['count'], 'resample')} (the first is {kind['min']})"
        log_line("error", f"{kind['selector']} on {where}: {kind['message']}")
    if len(kinds) > MAX_FAILURE_KINDS:
        log_line(
            "error",
            f"and {len(kinds) - MAX_FAILURE_KINDS:,} more reasons: see the failures of the result.",
        )


def _print_next_steps(
    result: Result, folder: Path, part: str | None, files: Sequence[Path], reports: Sequence[Path]
) -> None:
    """Print what is left to do, which files were written, and how to explore them."""
    where = shlex.quote(str(folder))
    state = f"{result.n_done:,} of {plural(result.n_units, 'unit')} are done"
    if part is not None and not result.complete:
        log_line("next", f"{state}; when all parts are: holdfast merge {where} DIR... --out DIR")
    elif not result.complete:
        log_line("next", f"{state}; try the others again: {result.resume_command(folder)}")
    log_line("written", _format_paths(folder, [*files, *reports[1:]]))
    log_line("explore in Python", f"import holdfast as hf; hf.load({str(folder)!r})")
    for page in reports[:1]:
        log_line("report", page)


def _format_paths(folder: Path, files: Sequence[Path]) -> str:
    """Return the files on one line: the first with its path, the others within the folder."""
    first, *others = files
    within = [str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
              for path in others]  # fmt: skip
    return ", ".join([str(first), *within])
