"""Experiments of papers, run again: ours beside theirs."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._formatting import did_you_mean, format_list
from holdfast._validation import flag, seed_of
from holdfast.errors import FileFormatError, InvalidInputError, UnknownNameError
from holdfast.papers._comparison import compare_with_published, published_numbers
from holdfast.papers._document import document as document_of
from holdfast.papers._document import is_measured, summary
from holdfast.papers._record import FULL, REDUCED
from holdfast.papers._runner import ExperimentRunner, Library, NullProgress, WorkerOptions, get_data
from holdfast.papers.dernoncourt2014 import DERNONCOURT2014
from holdfast.papers.kalousis2005 import KALOUSIS2005
from holdfast.papers.saeys2008 import SAEYS2008
from holdfast.papers.somol2008 import SOMOL2008
from holdfast.papers.yu2008 import YU2008

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.io import Dataset
    from holdfast.papers._document import Document
    from holdfast.papers._record import Experiment, Paper
    from holdfast.papers._runner import ExperimentResult, Watcher
    from holdfast.plot import Picture


# What is to be run: which experiments, on which data sets, and how long that takes.

EVERYTHING = "all"


@dataclass(frozen=True)
class PlannedExperiment:
    """One experiment that is to be run, on these data sets."""

    paper: Paper
    experiment: Experiment
    names: tuple[str, ...]

    @property
    def runs(self) -> bool:
        """Whether it can be run: it needs no data, or some are at hand."""
        return bool(self.names) or not self.experiment.data


def plan_experiments(
    asked: Mapping[Paper, Sequence[str]],
    library: Library,
    *,
    full: bool,
    datasets: Sequence[str] | None = None,
) -> list[PlannedExperiment]:
    """Return the orders for experiments by paper; an empty list of them asks for all."""
    experiments = [
        (paper, experiment)
        for paper, names in asked.items()
        for experiment in (
            [paper.get(name) for name in dict.fromkeys(names)] if names else paper.experiments
        )
    ]
    if datasets is not None:
        _check_datasets(datasets, [experiment for _, experiment in experiments], library)
    return [
        PlannedExperiment(
            paper, experiment, _names(experiment, library, full=full, datasets=datasets)
        )
        for paper, experiment in experiments
    ]


def _names(
    experiment: Experiment, library: Library, *, full: bool, datasets: Sequence[str] | None
) -> tuple[str, ...]:
    wanted = experiment.data if full or datasets is not None else experiment.reduced
    at_hand = [name for name in wanted if library.source(name) is not None]
    return tuple(name for name in at_hand if datasets is None or name in datasets)


def _check_datasets(
    datasets: Iterable[str], experiments: Sequence[Experiment], library: Library
) -> None:
    used = list(dict.fromkeys(name for one in experiments for name in one.data))
    for name in datasets:
        get_data(name)
        if name not in used:
            what = did_you_mean(name, used) if used else " They need none."
            raise UnknownNameError(f"none of these experiments uses the data set {name!r}.{what}")
        if library.source(name) is None:
            raise InvalidInputError(f"the data set {name} is not at hand: {library.why_not(name)}.")


def explain_missing_data(order: PlannedExperiment, library: Library) -> str:
    """Say why an experiment cannot be run."""
    reasons = dict.fromkeys(f"{name}: {library.why_not(name)}" for name in order.experiment.data)
    return f"none of its data sets is at hand ({format_list(reasons, most=3)})"


def expected_seconds(orders: Iterable[PlannedExperiment], *, full: bool) -> float:
    """Return about how many CPU seconds orders take; what several share counts once."""
    place = FULL if full else REDUCED
    pieces = {
        (order.paper.name, piece): order.paper.seconds[piece][place]
        for order in orders
        if order.runs
        for piece in _list_timing_keys(order)
    }
    return sum(pieces.values())


def _list_timing_keys(order: PlannedExperiment) -> list[str | tuple[str, str]]:
    known = order.paper.seconds
    pieces: list[str | tuple[str, str]] = [one for one in order.experiment.work if one in known]
    more = [
        (one, name) for one in order.experiment.work if one not in known for name in order.names
    ]
    return [*pieces, *more]


# Experiments of papers, run again: ours beside theirs.

FOLDER = "reproduction"


@dataclass(frozen=True, repr=False)
class Reproduction:
    """An experiment that was run again.

    Attributes
    ----------
    document : dict
        All that is told about it: command, seed, data, settings, numbers, agreement, findings.
    table : pandas.DataFrame
        Our numbers beside the published ones: ``setting``, the keys of the experiment, ``value``,
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
        """How well numbers agree, by setting and part."""
        return pd.DataFrame(self.document["agreement"])

    @property
    def findings(self) -> pd.DataFrame:
        """What became of statements: ``text``, ``setting``, ``status``, ``evidence``."""
        rows = [
            {"text": finding["text"], **result}
            for finding in self.document["findings"]
            for result in finding["results"]
        ]
        return pd.DataFrame(rows, columns=["text", "setting", "status", "evidence"])

    def __repr__(self) -> str:
        return f"<Reproduction: {self.name}. {summary(self.document)} Next: .findings>"


def reproduce(  # noqa: PLR0913  (each says one thing about the run)
    paper: str,
    experiments: str | Sequence[str] = (),
    *,
    full: bool = False,
    data: str | os.PathLike[str] | None = None,
    datasets: Sequence[str] | None = None,
    out: str | os.PathLike[str] = FOLDER,
    random_state: int = 0,
    n_jobs: int | None = None,
    client: Any = None,  # noqa: ANN401  (a distributed.Client)
    force: bool = False,
    watcher: Watcher | None = None,
) -> list[Reproduction]:
    """Run experiments of a paper again and hold the outcome against what was published.

    Parameters
    ----------
    paper : str
        A paper, or ``"all"``; :func:`list_papers` shows them.
    experiments : str or sequence of str, default ()
        Its tables and figures by name; none asks for all.
    full : bool, default False
        Take the size of the paper's own experiment, not a reduced one.
    data : path, optional
        The folder of the papers' data sets: files that are called by the name of the data set and
        end in ``.parquet``, ``.csv`` or ``.arff``, with a column ``class``. By default the folder
        that ``HOLDFAST_DATA`` names.
    datasets : sequence of str, optional
        Only these of the data sets; by default some in a reduced run, and all in a full one.
    out : path, default "reproduction"
        Folder in which studies are kept, so that a run that was stopped goes on.
    random_state : int, default 0
        Seed of all that is random.
    n_jobs : int, optional
        Number of processes; None takes all cores.
    client : dask.distributed.Client, optional
        Run studies on its Dask cluster instead.
    force : bool, default False
        Begin studies anew where the folder holds others of the same name.
    watcher : Watcher, optional
        Told which study is at work.

    Returns
    -------
    list of Reproduction
        One for each experiment that could be run, in the order of the paper.

    Raises
    ------
    UnknownNameError
        There is no such paper, experiment or data set.
    FileFormatError
        None of the data sets is at hand, or one cannot be read; told before work starts.
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
    library = Library(data)
    orders = plan_experiments(
        get_requested_experiments(paper, names), library, full=flag(full, "full"), datasets=datasets
    )
    check_any_runnable(orders, library)
    shop = ExperimentSession(
        library=library,
        full=full,
        seed=seed_of(random_state),
        folder=Path(out),
        workers=WorkerOptions(n_jobs=n_jobs, client=client),
        force=force,
        watcher=NullProgress() if watcher is None else watcher,
    )
    shop.read(orders)
    return [shop.reproduced(order) for order in orders if order.runs]


def get_requested_experiments(paper: str, experiments: Sequence[str]) -> dict[Paper, Sequence[str]]:
    """Return the experiments that are asked for, by paper."""
    if paper != EVERYTHING:
        return {get_paper(paper): experiments}
    if experiments:
        raise InvalidInputError(
            f"{EVERYTHING!r} are all experiments of all papers; name a paper to choose among its "
            f"own. Received {list(experiments)!r} beside it."
        )
    return dict.fromkeys(PAPERS.values(), ())


def check_any_runnable(orders: Sequence[PlannedExperiment], library: Library) -> None:
    """Refuse orders of which none can be run."""
    if not any(order.runs for order in orders):
        first = orders[0]
        raise FileFormatError(
            f"{first.paper.name} {first.experiment.name} cannot be run: "
            f"{explain_missing_data(first, library)}."
        )


@dataclass(kw_only=True)
class ExperimentSession:
    """What all experiments of a run share."""

    library: Library
    full: bool
    seed: int
    folder: Path
    workers: WorkerOptions
    watcher: Watcher
    force: bool = False
    data: dict[str, Dataset] = field(default_factory=dict)

    def read(self, orders: Sequence[PlannedExperiment]) -> None:
        """Read all data sets, so that bad ones are told before work starts."""
        for name in dict.fromkeys(name for order in orders for name in order.names):
            self.data[name] = self.library.read(name)

    def reproduced(self, order: PlannedExperiment) -> Reproduction:
        """Run an experiment and compare."""
        record = order.experiment
        shop = ExperimentRunner(
            paper=order.paper.name,
            full=self.full,
            seed=self.seed,
            folder=self.folder,
            library=self.library,
            names=order.names,
            workers=self.workers,
            force=self.force,
            watcher=self.watcher,
            _read=self.data,
        )
        made: ExperimentResult = record.make(shop)
        if not is_measured(record, made.values):
            raise InvalidInputError(
                f"{order.paper.name} {record.name} handed over the columns "
                f"{list(made.values.columns)}, its record names {list(record.keys)}."
            )
        table = compare_with_published(
            made.values, published_numbers(order.paper.name, record.name), record
        )
        told = document_of(order, shop, made, table, command=self._command(order))
        return Reproduction(told, table, dict(made.pictures))

    def _command(self, order: PlannedExperiment) -> str:
        """Return the command line that gives the same numbers."""
        words = ["holdfast", "reproduce", order.paper.name, order.experiment.name]
        usual = order.experiment.data if self.full else order.experiment.reduced
        at_hand = tuple(name for name in usual if self.library.source(name) is not None)
        words += ["--full"] * self.full
        words += [] if order.names == at_hand else ["--datasets", ",".join(order.names)]
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)


# All papers whose experiments can be run again.

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (KALOUSIS2005, DERNONCOURT2014, SOMOL2008, YU2008, SAEYS2008)
}


def get_paper(name: str) -> Paper:
    """Return the record of a paper."""
    if name not in PAPERS:
        known = [*PAPERS, "all"]
        raise UnknownNameError(f"no paper is called {name!r}.{did_you_mean(name, known)}")
    return PAPERS[name]


def list_papers(data: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """List the papers' tables and figures, and whether their data sets are at hand.

    Parameters
    ----------
    data : path, optional
        The folder of data sets; by default the one that ``HOLDFAST_DATA`` names.

    Returns
    -------
    pandas.DataFrame
        One row for each experiment: ``paper``, ``experiment``, ``title``, the data sets ``at_hand``
        and ``missing`` (both empty where the experiment simulates), the number of ``claims``
        that are checked, and the full ``reference``.

    Examples
    --------
    >>> from holdfast.papers import list_papers
    >>> table = list_papers().set_index(["paper", "experiment"])
    >>> table.loc[("somol2008", "table"), "at_hand"]
    ('wine',)
    """
    library = Library(data)
    rows = [
        {
            "paper": paper.name,
            "experiment": one.name,
            "title": one.title,
            "at_hand": tuple(name for name in one.data if library.source(name) is not None),
            "missing": tuple(name for name in one.data if library.source(name) is None),
            "claims": len(one.claims),
            "reference": paper.reference,
        }
        for paper in PAPERS.values()
        for one in paper.experiments
    ]
    return pd.DataFrame(rows)
