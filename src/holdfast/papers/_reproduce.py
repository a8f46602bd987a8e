"""Run the experiments of papers again, and compare with the published numbers."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from holdfast._formatting import did_you_mean, format_list
from holdfast._typing import DaskClient
from holdfast._validation import check_flag, check_seed
from holdfast.errors import FileFormatError, InvalidInputError, UnknownNameError
from holdfast.io import Dataset
from holdfast.papers._comparison import (
    compare_with_published,
    draw_published_values,
    published_numbers,
)
from holdfast.papers._dataset_locator import DatasetLocator, get_data
from holdfast.papers._document import is_measured, make_document, summary
from holdfast.papers._record import FULL, REDUCED, Experiment, Paper
from holdfast.papers._registry import ALL_PAPERS, PAPERS
from holdfast.papers._runner import ExperimentRunner, NullProgress, WorkerOptions

if TYPE_CHECKING:
    from holdfast.papers._document import Document
    from holdfast.papers._runner import ExperimentResult, Watcher
    from holdfast.plot import Picture


# The plan of a run: which experiments, on which data sets, and how long they take.


@dataclass(frozen=True)
class PlannedExperiment:
    """An experiment to run, with its available data sets."""

    paper: Paper
    experiment: Experiment
    names: tuple[str, ...]

    @property
    def is_runnable(self) -> bool:
        """Whether it needs no data, or some of its data sets are available."""
        return bool(self.names) or not self.experiment.data


def plan_experiments(
    requested: Mapping[Paper, Sequence[str]],
    locator: DatasetLocator,
    *,
    full: bool,
    datasets: Sequence[str] | None = None,
) -> list[PlannedExperiment]:
    """Plan the requested experiments of each paper; an empty list requests all of them."""
    experiments = [
        (paper, experiment)
        for paper, names in requested.items()
        for experiment in (
            [paper.get(name) for name in dict.fromkeys(names)] if names else paper.experiments
        )
    ]
    if datasets is not None:
        _check_datasets(datasets, [experiment for _, experiment in experiments], locator)
    planned = []
    for paper, experiment in experiments:
        wanted = experiment.data if full or datasets is not None else experiment.reduced
        available = (name for name in wanted if locator.source(name) is not None)
        names = tuple(name for name in available if datasets is None or name in datasets)
        planned.append(PlannedExperiment(paper, experiment, names))
    return planned


def _check_datasets(
    datasets: Iterable[str], experiments: Sequence[Experiment], locator: DatasetLocator
) -> None:
    used = list(dict.fromkeys(name for experiment in experiments for name in experiment.data))
    for name in datasets:
        get_data(name)
        if name not in used:
            hint = did_you_mean(name, used) if used else " They need none."
            raise UnknownNameError(f"none of these experiments uses the data set {name!r}.{hint}")
        if locator.source(name) is None:
            raise InvalidInputError(
                f"the data set {name} is not available: {locator.explain_missing(name)}."
            )


def explain_missing_data(task: PlannedExperiment, locator: DatasetLocator) -> str:
    """Return why an experiment cannot be run."""
    reasons = dict.fromkeys(
        f"{name}: {locator.explain_missing(name)}" for name in task.experiment.data
    )
    return f"none of its data sets is available ({format_list(reasons, most=3)})"


def expected_seconds(tasks: Iterable[PlannedExperiment], *, full: bool) -> float:
    """Estimate the CPU seconds of a run; computations that experiments share count once."""
    position = FULL if full else REDUCED
    pieces = {
        (task.paper.name, piece): task.paper.seconds[piece][position]
        for task in tasks
        if task.is_runnable
        for piece in _list_timing_keys(task)
    }
    return sum(pieces.values())


def _list_timing_keys(task: PlannedExperiment) -> list[str | tuple[str, str]]:
    """Return the parts of the computation, those that depend on the data once per data set."""
    known, pieces = task.paper.seconds, task.experiment.work
    common: list[str | tuple[str, str]] = [piece for piece in pieces if piece in known]
    return [
        *common,
        *((piece, name) for piece in pieces if piece not in known for name in task.names),
    ]


# Running experiments.

DEFAULT_FOLDER = "reproduction"
FINDING_COLUMNS = (
    "text",
    "place",
    "bar",
    "published",
    "setting",
    "status",
    "evidence",
    "cause",
)


@dataclass(frozen=True, repr=False)
class Reproduction:
    """The result of an experiment that was run again.

    Attributes
    ----------
    document : dict
        The whole report: command, seed, data, settings, numbers, agreement, findings.
    table : pandas.DataFrame
        Our numbers next to the published ones: ``setting``, the keys of the experiment, ``value``,
        ``published``, ``difference``.
    pictures : dict
        Pictures by name.
    """

    document: Document
    table: pd.DataFrame
    pictures: Mapping[str, Picture] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Paper and experiment: ``"saeys2008-table2"``."""
        return f"{self.document['paper']}-{self.document['experiment']}"

    @property
    def agreement(self) -> pd.DataFrame:
        """Agreement with the published numbers, by setting and part."""
        return pd.DataFrame(self.document["agreement"])

    @property
    def findings(self) -> pd.DataFrame:
        """Outcomes of the claims, one row per claim and setting.

        ``text``, its ``place`` in the paper, the ``bar``, the ``published`` value, the ``setting``,
        the ``status``, our value as ``evidence``, and the ``cause`` if it did not hold.
        """
        rows = [
            {
                **{name: finding[name] for name in ("text", "place", "bar")},
                "published": finding["published"]["evidence"],
                **result,
            }
            for finding in self.document["findings"]
            for result in finding["results"]
        ]
        return pd.DataFrame(rows, columns=list(FINDING_COLUMNS))

    def __repr__(self) -> str:
        return f"<Reproduction: {self.name}. {summary(self.document)} Next: .findings>"


def reproduce(
    paper: str,
    experiments: str | Sequence[str] = (),
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    datasets: Sequence[str] | None = None,
    out: str | os.PathLike[str] = DEFAULT_FOLDER,
    random_state: int = 0,
    n_jobs: int | None = None,
    client: DaskClient = None,
    force: bool = False,
    watcher: Watcher | None = None,
) -> list[Reproduction]:
    """Run experiments of a paper again and compare the results with the published ones.

    Parameters
    ----------
    paper : str
        A paper, or ``"all"``; :func:`list_papers` shows them.
    experiments : str or sequence of str, default ()
        Names of its tables and figures; by default all.
    full : bool, default False
        Run at the size of the paper's experiment instead of a reduced size.
    data : path, optional
        The folder of the papers' data sets: ``.parquet``, ``.csv`` or ``.arff`` files named after
        the data set, with a column ``class``. By default the folder that ``HOLDFAST_DATA`` names.
    datasets : sequence of str, optional
        Run on these data sets only; by default on some in a reduced run, on all in a full one.
    out : path, default "reproduction"
        Folder in which studies are stored, so that an interrupted run can be continued.
    random_state : int, default 0
        Random seed.
    n_jobs : int, optional
        Number of processes; None takes all cores.
    client : dask.distributed.Client, optional
        Run studies on its Dask cluster instead.
    force : bool, default False
        Replace other studies of the same name in the folder.
    watcher : Watcher, optional
        Progress callbacks.

    Returns
    -------
    list of Reproduction
        One per experiment that can be run, in the order of the paper.

    Raises
    ------
    UnknownNameError
        There is no such paper, experiment or data set.
    FileFormatError
        No data set is available, or one cannot be read; raised before any study starts.
    StoreError
        The folder cannot be used, or holds another study of the same name.

    Examples
    --------
    >>> import tempfile
    >>> from holdfast.papers import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (figure,) = reproduce("dernoncourt2014", "figure1", out=folder)
    >>> cells = figure.table.query("n == 2000 and effect == 0.05 and what == 'selected'")
    >>> cells.set_index("setting")["value"].round(2)
    setting
    noncentral F    0.81
    chi-squared     0.81
    N in all        0.59
    Name: value, dtype: float64
    """
    names = [experiments] if isinstance(experiments, str) else list(experiments)
    locator = DatasetLocator(data)
    tasks = plan_experiments(
        get_requested_experiments(paper, names),
        locator,
        full=check_flag(full, "full"),
        datasets=datasets,
    )
    check_any_runnable(tasks, locator)
    session = ExperimentSession(
        locator=locator,
        full=full,
        seed=check_seed(random_state),
        folder=Path(out),
        workers=WorkerOptions(n_jobs=n_jobs, client=client),
        force=force,
        watcher=NullProgress() if watcher is None else watcher,
    )
    session.read(tasks)
    return [session.reproduce(task) for task in tasks if task.is_runnable]


def get_requested_experiments(paper: str, experiments: Sequence[str]) -> dict[Paper, Sequence[str]]:
    """Return the requested experiments by paper."""
    if paper != ALL_PAPERS:
        return {PAPERS.get_record(paper): experiments}
    if experiments:
        raise InvalidInputError(
            f"{ALL_PAPERS!r} runs all experiments of all papers; name one paper to choose some of "
            f"its experiments, got {list(experiments)!r}."
        )
    return dict.fromkeys(PAPERS.values(), ())


def check_any_runnable(tasks: Sequence[PlannedExperiment], locator: DatasetLocator) -> None:
    """Raise if none of the experiments can be run."""
    if not any(task.is_runnable for task in tasks):
        first = tasks[0]
        raise FileFormatError(
            f"{first.paper.name} {first.experiment.name} cannot be run: "
            f"{explain_missing_data(first, locator)}."
        )


@dataclass(kw_only=True)
class ExperimentSession:
    """Options and data that all experiments of a run share."""

    locator: DatasetLocator
    full: bool
    seed: int
    folder: Path
    workers: WorkerOptions
    watcher: Watcher
    force: bool = False
    data: dict[str, Dataset] = field(default_factory=dict)

    def read(self, tasks: Sequence[PlannedExperiment]) -> None:
        """Read all data sets, so that errors are raised before any study starts."""
        for name in dict.fromkeys(name for task in tasks for name in task.names):
            self.data[name] = self.locator.read(name)

    def reproduce(self, task: PlannedExperiment) -> Reproduction:
        """Run an experiment and compare it with the published numbers."""
        record = task.experiment
        runner = ExperimentRunner(
            paper=task.paper.name,
            full=self.full,
            seed=self.seed,
            folder=self.folder,
            locator=self.locator,
            names=task.names,
            workers=self.workers,
            force=self.force,
            watcher=self.watcher,
            _read=self.data,
        )
        result: ExperimentResult = record.make(runner)
        if not is_measured(record, result.values):
            raise InvalidInputError(
                f"{task.paper.name} {record.name} returned the columns "
                f"{list(result.values.columns)}, its record names {list(record.keys)}."
            )
        table = compare_with_published(
            result.values, published_numbers(task.paper.name, record.name), record
        )
        drawn = draw_published_values(table, record, record.settings[0].name)
        result = replace(result, pictures={**result.pictures, **drawn})
        document = make_document(task, runner, result, table, command=self._format_command(task))
        return Reproduction(document, table, dict(result.pictures))

    def _format_command(self, task: PlannedExperiment) -> str:
        """Return the command line that reproduces the same numbers."""
        words = ["holdfast", "reproduce", task.paper.name, task.experiment.name]
        defaults = task.experiment.data if self.full else task.experiment.reduced
        available = tuple(name for name in defaults if self.locator.source(name) is not None)
        words += ["--full"] * self.full
        words += [] if task.names == available else ["--datasets", ",".join(task.names)]
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)
