"""A study as it was asked for: checked, read, run."""

from __future__ import annotations

import hashlib
import shlex
import signal
import threading
import warnings
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from holdfast._formatting import plural
from holdfast.cli._output import log_line, logged_warnings, print_json
from holdfast.cli._program import COMMAND, FAILED, INTERRUPTED, cluster
from holdfast.cli._progress import read, watcher
from holdfast.cli._study_summary import fewer_than_asked, print_summary, try_recommend
from holdfast.errors import HoldfastError, InvalidInputError, StoreError, StudyError
from holdfast.report import conclude
from holdfast.report._escaping import bare
from holdfast.resample import as_protocol
from holdfast.study import Study, export, load, resume
from holdfast.study._execution._failed_selectors import FailedSelectorsWarning, failed_selectors
from holdfast.study._planning._plan import as_text
from holdfast.study._storage._folder import DATA, PLAN
from holdfast.study._storage._store import FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import FrameType

    import pandas as pd

    from holdfast.cli._options import RunOptions
    from holdfast.cli._study_command import StudyRequest
    from holdfast.study import Result


def run_study(request: StudyRequest) -> int:
    """Run a study and return the exit code; wrong usage is told before the data are read."""
    study = _build_study(request)
    return conduct(lambda workers: _run(study, request, workers), request.folder, request.run)


def _build_study(request: StudyRequest) -> Study:
    try:
        return Study(**request.study)
    except InvalidInputError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error


def _run(study: Study, request: StudyRequest, workers: dict[str, Any]) -> Result:
    quiet = request.run.quiet
    data = read(request.file, request.wishes, quiet=quiet)
    protocol = as_protocol(request.study["protocol"])
    estimates = protocol.estimates_for(subjects=data.groups is not None)
    watch = watcher(estimates, quiet=quiet)
    try:
        result = study.run(data, out=request.folder, progress=watch, **workers)
    except StoreError as error:
        if watch.started or request.out is not None:
            raise
        raise StoreError(f"{error} Name another folder by --out.") from error
    watch.end(result.n_units)
    return result


# A study in a folder, run on.


def run_resumed(folder: Path, data: str | None, options: RunOptions) -> int:
    """Go on with a study and return the exit code."""

    def run(workers: dict[str, Any]) -> Result:
        there = load(folder)
        with closing(there.store):
            watch = watcher(there.protocol_sentence, quiet=options.quiet)
        result = resume(folder, data=data, progress=watch, **workers)
        watch.end(result.n_units)
        return result

    return conduct(run, folder, options)


# What ``study`` and ``resume`` do alike: work, be interrupted, tell.


def conduct(run: Callable[[dict[str, Any]], Result], folder: Path, options: RunOptions) -> int:
    """Run a study, tell what came out, and return the exit code.

    Parameters
    ----------
    run : callable
        Takes the arguments that say who works, and returns the result.
    folder : Path
        Where the run is kept.
    options : RunOptions
        As the user gave them.
    """
    try:
        with orderly_stop(), logged_warnings(quiet=options.quiet), cluster(options.dask) as client:
            # the end of the run names these selectors, as errors
            warnings.simplefilter("ignore", FailedSelectorsWarning)
            result = run(
                {
                    "client": client,
                    "n_jobs": options.n_jobs,
                    "timeout": options.timeout,
                    "part": options.part,
                    "command": shlex.join(click.get_current_context().meta[COMMAND]),
                }
            )
            return close(result, folder, options)
    except KeyboardInterrupt:
        log_line("interrupted", _describe_stored_progress(folder) or "nothing was done yet.")
        return INTERRUPTED
    except StudyError:
        if kept := _describe_stored_progress(folder):
            log_line("next", kept)
        raise


def _describe_stored_progress(folder: Path) -> str:
    """Say how much is done and how to go on; nothing where nothing was begun."""
    try:
        result = load(folder)
    except HoldfastError:
        return ""
    with closing(result.store):
        return (
            f"{result.n_done:,} of {plural(result.n_units, 'unit')} are done and kept in {folder}; "
            f"go on with: holdfast resume {shlex.quote(str(folder))}"
        )


# The end of a study: its results for people or programs, what failed, and what was written.

MAX_FAILURE_KINDS = 5
"""Most kinds of failures that are told."""


def close(result: Result, folder: Path, options: RunOptions) -> int:
    """Tell what came out, close its store, and return the exit code."""
    with closing(result.store):
        _print_result(result, folder, options)
        return FAILED if len(result.failures) else 0


def _print_result(result: Result, folder: Path, options: RunOptions) -> None:
    files = [path for name in (FILE, PLAN, DATA) if (path := folder / name).exists()]
    files += _export_tables(result, folder, options.export)
    if not options.as_json:
        part = None if result.complete else options.part
        print_summary(result, part=part, found_again=options.found_again)
    reports = _write_report(result, folder, options)
    if options.as_json:
        document = _document(result, folder, [*files, *reports])
        print_json(document | _longest_lists(result, options.found_again))
    _say_failures(result)
    if not options.quiet:
        _say_next(result, folder, options.part, files, reports)


def _export_tables(result: Result, folder: Path, form: str | None) -> list[Path]:
    if form is None:
        return []
    return export(result, folder / "tables", form)  # type: ignore[arg-type]


def _write_report(result: Result, folder: Path, options: RunOptions) -> list[Path]:
    """Write the report, but of a part of a study, or of one where nothing is done, none."""
    if result.n_done == 0 or (options.part is not None and not result.complete):
        return []
    return result.report(folder, found_again=options.found_again)


def _longest_lists(result: Result, found_again: float | None) -> dict[str, Any]:
    """Return the longest lists with the share asked for, where one was asked for."""
    if found_again is None:
        return {}
    return {"longest_lists": _records(result.longest_lists(found_again))}


def _document(result: Result, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "plan": plan_hash(result.plan),
        "estimates": result.protocol_sentence,
        "units": {
            "all": result.n_units,
            "done": result.n_done,
            "failed": len(result.failures),
        },
        "verdict": _verdict(result),
        "features": _records(result.features),
        "replication": _records(result.replication),
        "stability": _records(result.stability),
        "errors": _records(result.errors),
        "recommended": _recommendation_record(result),
        "failures": _records(result.failures),
        "files": [str(path) for path in files],
        **_cohorts(result),
    }


def _verdict(result: Result) -> dict[str, Any]:
    """Return what a second study would find, with names as they are."""
    verdict, _ = conclude(result)
    return {key: bare(value) if isinstance(value, str) else value for key, value in verdict.items()}


def _cohorts(result: Result) -> dict[str, Any]:
    """Return how well cohorts agree, where the data have any."""
    return {"cohorts": _records(result.cohorts)} if len(result.cohorts) else {}


def _recommendation_record(result: Result) -> dict[str, Any] | None:
    choice = try_recommend(result)
    if choice is None:
        return None
    short = fewer_than_asked(result, choice)
    remark = {} if short is None else {"remark": short.remark}
    return {**choice.pair._asdict(), **remark, "reasons": list(choice.reasons)}


def plan_hash(plan: dict[str, Any]) -> str:
    """Return the SHA-256 digest of a plan, the same as of its ``plan.json``."""
    return hashlib.sha256(as_text(plan).encode()).hexdigest()


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _say_failures(result: Result) -> None:
    """Say how many units failed, which selectors failed throughout, and why, each reason once."""
    table = result.failures
    if not len(table):
        return
    log_line("error", f"{len(table):,} of {plural(result.n_units, 'unit')} failed:")
    names = [one["name"] for one in result.plan["selectors"]]
    throughout = failed_selectors(result.store, names)
    for one in throughout:
        log_line("error", str(one))
    table = table[~table["selector"].isin([one.name for one in throughout])]
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    for kind in kinds.reset_index().head(MAX_FAILURE_KINDS).to_dict("records"):
        where = f"{plural(kind['count'], 'resample')} (the first is {kind['min']})"
        log_line("error", f"{kind['selector']} on {where}: {kind['message']}")
    if len(kinds) > MAX_FAILURE_KINDS:
        log_line(
            "error",
            f"and {len(kinds) - MAX_FAILURE_KINDS:,} more reasons: see the failures of the result.",
        )


def _say_next(
    result: Result,
    folder: Path,
    part: str | None,
    files: Sequence[Path],
    reports: Sequence[Path],
) -> None:
    """Say what is left to do, which files there are, and how to look at them."""
    where = shlex.quote(str(folder))
    state = f"{result.n_done:,} of {plural(result.n_units, 'unit')} are done"
    if part is not None and not result.complete:
        log_line("next", f"{state}; when all parts are: holdfast merge {where} DIR... --out DIR")
    elif not result.complete:
        log_line("next", f"{state}; try the others again: holdfast resume {where}")
    log_line("written", _format_paths(folder, [*files, *reports[1:]]))
    log_line("look further in Python", f"import holdfast as hf; hf.load({str(folder)!r})")
    for page in reports[:1]:
        log_line("report", page)


def _format_paths(folder: Path, files: Sequence[Path]) -> str:
    """Name files of a folder on one line: the first with its path, the others within the folder."""
    first, *others = files
    within = [str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
              for path in others]  # fmt: skip
    return ", ".join([str(first), *within])


# Ctrl-C, and the signal by which clusters end jobs, stop a run in good order.

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def orderly_stop() -> Iterator[None]:
    """Let both signals raise KeyboardInterrupt; impatient repetitions change nothing.

    Ending takes a moment, as the workers are killed and the store is closed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    before = {one: signal.signal(one, _stop) for one in SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _stop(_: int, __: FrameType | None) -> None:
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt
