"""Experiments of papers, run again: ours beside theirs."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._checks import flag, seed_of
from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.papers._compare import compared, published_numbers
from holdfast.papers._document import document as document_of
from holdfast.papers._document import is_measured
from holdfast.papers._library import Library
from holdfast.papers._orders import EVERYTHING, ordered, why_none
from holdfast.papers._registry import PAPERS, get_paper
from holdfast.papers._words import summary
from holdfast.papers._workshop import Nobody, Workers, Workshop

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from holdfast.io import Dataset
    from holdfast.papers._document import Document
    from holdfast.papers._made import Made
    from holdfast.papers._orders import Order
    from holdfast.papers._record import Paper
    from holdfast.papers._workshop import Watcher
    from holdfast.plot import Picture

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
    orders = ordered(asked_for(paper, names), library, full=flag(full, "full"), datasets=datasets)
    check_some(orders, library)
    shop = Workshops(
        library=library,
        full=full,
        seed=seed_of(random_state),
        folder=Path(out),
        workers=Workers(n_jobs=n_jobs, client=client),
        force=force,
        watcher=Nobody() if watcher is None else watcher,
    )
    shop.read(orders)
    return [shop.reproduced(order) for order in orders if order.runs]


def asked_for(paper: str, experiments: Sequence[str]) -> dict[Paper, Sequence[str]]:
    """Return the experiments that are asked for, by paper."""
    if paper != EVERYTHING:
        return {get_paper(paper): experiments}
    if experiments:
        raise InvalidInputError(
            f"{EVERYTHING!r} are all experiments of all papers; name a paper to choose among its "
            f"own. Received {list(experiments)!r} beside it."
        )
    return dict.fromkeys(PAPERS.values(), ())


def check_some(orders: Sequence[Order], library: Library) -> None:
    """Refuse orders of which none can be run."""
    if not any(order.runs for order in orders):
        first = orders[0]
        raise FileFormatError(
            f"{first.paper.name} {first.experiment.name} cannot be run: {why_none(first, library)}."
        )


@dataclass(kw_only=True)
class Workshops:
    """What all experiments of a run share."""

    library: Library
    full: bool
    seed: int
    folder: Path
    workers: Workers
    watcher: Watcher
    force: bool = False
    data: dict[str, Dataset] = field(default_factory=dict)

    def read(self, orders: Sequence[Order]) -> None:
        """Read all data sets, so that bad ones are told before work starts."""
        for name in dict.fromkeys(name for order in orders for name in order.names):
            self.data[name] = self.library.read(name)

    def reproduced(self, order: Order) -> Reproduction:
        """Run an experiment and compare."""
        record = order.experiment
        shop = Workshop(
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
        made: Made = record.make(shop)
        if not is_measured(record, made.values):
            raise InvalidInputError(
                f"{order.paper.name} {record.name} handed over the columns "
                f"{list(made.values.columns)}, its record names {list(record.keys)}."
            )
        table = compared(made.values, published_numbers(order.paper.name, record.name), record)
        told = document_of(order, shop, made, table, command=self._command(order))
        return Reproduction(told, table, dict(made.pictures))

    def _command(self, order: Order) -> str:
        """Return the command line that gives the same numbers."""
        words = ["holdfast", "reproduce", order.paper.name, order.experiment.name]
        usual = order.experiment.data if self.full else order.experiment.reduced
        at_hand = tuple(name for name in usual if self.library.source(name) is not None)
        words += ["--full"] * self.full
        words += [] if order.names == at_hand else ["--datasets", ",".join(order.names)]
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)
