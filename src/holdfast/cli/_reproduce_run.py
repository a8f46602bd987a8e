"""Running experiments of papers and simulated figures from the command line."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from holdfast._interrupts import handle_interrupts
from holdfast.cli._output import (
    Column,
    log_line,
    logged_warnings,
    number,
    paragraph,
    print_json,
    print_line,
    print_table,
)
from holdfast.cli._program import INTERRUPTED, SIGNALS, cluster
from holdfast.cli._progress import make_progress
from holdfast.errors import StoreError
from holdfast.papers import (
    PAPERS,
    DatasetLocator,
    ExperimentSession,
    PlannedExperiment,
    WorkerOptions,
    agreement_rows,
    agreement_sentence,
    check_any_runnable,
    check_free,
    data_sentences,
    expected_seconds,
    explain_missing_data,
    get_requested_experiments,
    grid,
    has_stored_work,
    plan_experiments,
    settings_shown,
    size_word,
    summary,
    write,
    write_index,
)
from holdfast.plot import simulated_figure
from holdfast.simulate import figure_tables, get_figure
from holdfast.study import create_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from holdfast.papers import Document
    from holdfast.plot import Picture
    from holdfast.simulate import SimulatedFigure
    from holdfast.study import Progress


@dataclass(frozen=True)
class ReproduceRequest:
    """The options of the command."""

    paper: str
    experiments: tuple[str, ...]
    full: bool
    data: str | None
    datasets: list[str] | None
    out: str
    seed: int
    n_jobs: int | None
    dask: str | None
    scheduler_file: str | None
    force: bool
    as_json: bool
    quiet: bool


@dataclass(frozen=True)
class ExperimentProgress:
    """Prints which study is running, and its progress."""

    quiet: bool

    def studying(self, name: str) -> Progress | None:
        """Print that a study starts."""
        if not self.quiet:
            log_line("study", name)
        watch = make_progress("", quiet=self.quiet)
        watch.explained = True  # the meaning of stability over resamples is not the point here
        return watch

    def making(self, name: str) -> None:
        """Print that tables are simulated."""
        if not self.quiet:
            log_line("simulating", name)


def run_reproduce(request: ReproduceRequest) -> int:
    """Run experiments; what cannot be run is reported first."""
    locator = DatasetLocator(request.data)
    requested = get_requested_experiments(request.paper, request.experiments)
    tasks = plan_experiments(requested, locator, full=request.full, datasets=request.datasets)
    check_any_runnable(tasks, locator)
    runnable = [task for task in tasks if task.is_runnable]
    folder = Path(request.out)
    if not request.force:
        check_free(folder, map(_name, runnable))
    if not request.quiet:
        for task in tasks:
            if not task.is_runnable:
                log_line("left out", f"{_name(task)}: {explain_missing_data(task, locator)}.")
        time_needed = _format_time(expected_seconds(tasks, full=request.full))
        log_line("expected", f"about {time_needed} of computing, shared by all processes.")
    try:
        with ExitStack() as stack:
            stack.enter_context(handle_interrupts(*SIGNALS))
            stack.enter_context(logged_warnings(quiet=request.quiet))
            client = stack.enter_context(cluster(request.dask, request.scheduler_file))
            workers = WorkerOptions(n_jobs=request.n_jobs, client=client)
            return _run(runnable, locator, request, workers)
    except KeyboardInterrupt:
        kept = (
            f"what was done is kept in {folder}"
            if has_stored_work(folder)
            else "nothing was done yet"
        )
        log_line("interrupted", f"{kept}; the same command continues.")
        return INTERRUPTED


def _name(task: PlannedExperiment) -> str:
    return f"{task.paper.name}-{task.experiment.name}"


def _format_time(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _run(
    tasks: Sequence[PlannedExperiment],
    locator: DatasetLocator,
    request: ReproduceRequest,
    workers: WorkerOptions,
) -> int:
    folder = Path(request.out)
    session = ExperimentSession(
        locator=locator,
        full=request.full,
        seed=request.seed,
        folder=folder,
        workers=workers,
        watcher=ExperimentProgress(request.quiet),
        force=request.force,
    )
    session.read(tasks)
    documents, files = [], []
    for task in tasks:
        document, written = _run_experiment(task, session, folder, request)
        documents.append(document)
        files += written
    # the index also lists what earlier runs wrote into this folder
    everything = (
        PlannedExperiment(paper, experiment, ())
        for paper in PAPERS.values()
        for experiment in paper.experiments
    )
    index = write_index(folder, map(_name, everything))
    if request.as_json:
        print_json(documents)
    if not request.quiet:
        for path in (*files, index):
            log_line("written", path)
    return 0


def _run_experiment(
    task: PlannedExperiment, session: ExperimentSession, folder: Path, request: ReproduceRequest
) -> tuple[Document, list[Path]]:
    """Run, write and print one experiment."""
    if not request.quiet:
        log_line("experiment", f"{_name(task)}: {task.experiment.title}")
    began = time.monotonic()
    reproduction = session.reproduce(task)
    files = write(reproduction, folder)
    if not request.as_json:
        print_reproduction(reproduction.document)
    if not request.quiet:
        log_line("took", f"{timedelta(seconds=round(time.monotonic() - began))} for {_name(task)}")
    return reproduction.document, files


# A reproduced experiment on the terminal.


def print_reproduction(document: Document) -> None:
    """Print the numbers, how well they agree, and the outcomes of the findings."""
    title = f"{document['short']}, {document['label']}: {document['title']}"
    print_line(title, bold=True)
    _print_paragraph(f"{size_word(document).capitalize()}: {document['size']}.")
    for sentence in data_sentences(document):
        _print_paragraph(sentence)
    settings = settings_shown(document)
    for setting in settings:
        _print_numbers(document, setting, several=len(settings) > 1)
    _print_agreement(document)
    _print_findings(document)
    print_line()


def _print_paragraph(text: str) -> None:
    print_line(paragraph(text, sys.stdout))


def _print_numbers(document: Document, setting: Document, *, several: bool) -> None:
    numbers = grid(document, setting["name"])
    if not numbers.rows:
        return
    print_line()
    name = f"{setting['name']}: {setting['title']}" if several else ""
    compared = "Ours (published, difference)." if numbers.compared else ""
    _print_paragraph(" ".join(filter(None, (name, compared))) or "Numbers:")
    columns = [Column(title) for title in numbers.titles]
    columns += [Column(head, right=True) for head in numbers.heads]
    rows = [[*names, *(cell.text() for cell in cells)] for names, cells in numbers.rows]
    print_table(columns, rows)


def _print_agreement(document: Document) -> None:
    rows = agreement_rows(document)
    if not rows:
        return
    print_line("\nAgreement with the published numbers:")
    columns = [
        Column("setting"),
        Column("part"),
        Column("pairs", right=True),
        Column("mean difference", right=True),
        Column("rank correlation", right=True),
    ]
    print_table(columns, rows)
    _print_paragraph(agreement_sentence(document))


def _print_findings(document: Document) -> None:
    if not document["findings"]:
        return
    print_line(f"\nFindings. {summary(document)}")
    several = len(document["settings"]) > 1
    for place, finding in enumerate(document["findings"], 1):
        _print_paragraph(f"{place}. {finding['text']} ({finding['place']}; bar: {finding['bar']})")
        _print_paragraph(f"   published: {finding['published']['evidence']}")
        for result in finding["results"]:
            setting = f" ({result['setting']})" if several else ""
            cause = f"; cause: {result['cause']}" if result["cause"] else ""
            _print_paragraph(f"   {result['status']}{setting}: {result['evidence']}{cause}")


# Simulated figures.

PICTURES = ("png", "svg")
SHORT_COLUMN_NAMES = {
    "n_samples": "samples",
    "n_features": "features",
    "relative_weighted_consistency": "cw_rel",
}
"""Shorter names for the terminal."""
TEXT_COLUMNS = ("panel", "selector", "structure", "features")
SETTING_COLUMNS = ("x", "ratio", "n_samples", "n_features")
"""Columns of words, and of numbers that are settings, not results."""


@dataclass(frozen=True)
class SimulateRequest:
    """The options of the command."""

    figure: int
    full: bool
    out: str | None
    seed: int
    n_jobs: int
    force: bool
    as_json: bool
    quiet: bool


def run_simulate(request: SimulateRequest) -> int:
    """Simulate a figure; problems with its files are reported first."""
    record = get_figure(request.figure)
    folder = _create_writable_folder(request.out or f"figure{record.number}")
    pictures = [folder / f"figure{record.number}.{kind}" for kind in PICTURES]
    tables = {name: folder / f"figure{record.number}_{name}.csv" for name in record.tables}
    files = [*pictures, *tables.values()]
    existing = next((path for path in files if path.exists()), None)
    if existing is not None and not request.force:
        raise StoreError(
            f"{existing}: this file is there; give another folder by --out, or replace it by "
            "--force."
        )
    if not request.quiet:
        log_line("expected", _format_expected_time(record, request))
    tables_by_name = figure_tables(
        record.number, full=request.full, random_state=request.seed, n_jobs=request.n_jobs
    )
    picture = simulated_figure(record.number, tables_by_name)
    for name, path in tables.items():
        tables_by_name[name].to_csv(path, index=False, lineterminator="\n")
    for path in pictures:
        picture.save(path)
    _print_figure(request, record.summarize(tables_by_name), picture, files)
    return 0


def _create_writable_folder(out: str) -> Path:
    """Return the folder, created if needed, after checking that it is writable."""
    folder = create_folder(out)
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StoreError(
            f"{folder}: files cannot be written there ({error.strerror}); give another folder by "
            "--out."
        ) from error
    return folder


def _format_expected_time(record: SimulatedFigure, request: SimulateRequest) -> str:
    """Return how long it will take; a second process does not quite halve it."""
    seconds = record.seconds_full if request.full else record.seconds
    time = f"{seconds / 60:.0f} minutes" if seconds >= 100 else f"{seconds:.0f} s"
    processes = "" if request.n_jobs == 1 else f", shared by {request.n_jobs} processes"
    return f"about {time} of computing{processes}, and a few seconds for the picture"


def _print_figure(
    request: SimulateRequest, main: pd.DataFrame, picture: Picture, files: list[Path]
) -> None:
    if request.as_json:
        print_json(
            {
                "figure": request.figure,
                "title": picture.title,
                "description": picture.description,
                "full": request.full,
                "seed": request.seed,
                "main": main.to_dict("records"),
                "files": [str(path) for path in files],
            }
        )
    else:
        print_line(f"{picture.title}\n")
        columns = [
            Column(SHORT_COLUMN_NAMES.get(name, name), right=name not in TEXT_COLUMNS)
            for name in main.columns
        ]
        records = main.to_dict("records")
        print_table(
            columns,
            [[_format_cell(str(name), row[name]) for name in main.columns] for row in records],
        )
    if not request.quiet:
        for path in files:
            log_line("written", path)


def _format_cell(name: str, value: Any) -> str:  # noqa: ANN401
    if name in TEXT_COLUMNS:
        return SHORT_COLUMN_NAMES.get(value, str(value))
    return f"{value:,g}" if name in SETTING_COLUMNS else number(value)
