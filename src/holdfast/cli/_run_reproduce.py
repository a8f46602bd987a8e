"""Experiments of papers: said how long they take, run, written, told."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.cli._cluster import cluster
from holdfast.cli._interrupt import orderly_stop
from holdfast.cli._logged import logged_warnings
from holdfast.cli._print import print_json
from holdfast.cli._program import INTERRUPTED
from holdfast.cli._progress import watcher
from holdfast.cli._reproduced import print_reproduction
from holdfast.cli._talk import say
from holdfast.papers._library import Library
from holdfast.papers._orders import Order, expected_seconds, ordered, why_none
from holdfast.papers._registry import PAPERS
from holdfast.papers._reproduce import Workshops, asked_for, check_some
from holdfast.papers._workshop import Workers
from holdfast.papers._write import check_free, write, write_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.papers._document import Document
    from holdfast.study import Progress


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    paper: str
    experiments: tuple[str, ...]
    full: bool
    data: str | None
    datasets: list[str] | None
    out: str
    seed: int
    n_jobs: int | None
    dask: str | None
    force: bool
    as_json: bool
    quiet: bool


@dataclass(frozen=True)
class Teller:
    """Tells which study is at work, and how far it is."""

    quiet: bool

    def studying(self, name: str) -> Progress | None:
        """Say that a study begins."""
        if not self.quiet:
            say("study", name)
        watch = watcher("", quiet=self.quiet)
        watch.explained = True  # what stability over these resamples means is not the point here
        return watch

    def making(self, name: str) -> None:
        """Say that tables are made."""
        if not self.quiet:
            say("simulating", name)


def run_reproduce(request: Request) -> int:
    """Run experiments; what cannot be is told before the work."""
    library = Library(request.data)
    asked = asked_for(request.paper, request.experiments)
    orders = ordered(asked, library, full=request.full, datasets=request.datasets)
    check_some(orders, library)
    able = [order for order in orders if order.runs]
    folder = Path(request.out)
    if not request.force:
        check_free(folder, map(_name, able))
    if not request.quiet:
        _announce(orders, library, request)
    try:
        with ExitStack() as stack:
            stack.enter_context(orderly_stop())
            stack.enter_context(logged_warnings(quiet=request.quiet))
            client = stack.enter_context(cluster(request.dask))
            workers = Workers(n_jobs=request.n_jobs, client=client)
            return _run(able, library, request, workers)
    except KeyboardInterrupt:
        say("interrupted", f"what was done is kept in {folder}; the same command goes on.")
        return INTERRUPTED


def _name(order: Order) -> str:
    return f"{order.paper.name}-{order.experiment.name}"


def _announce(orders: Sequence[Order], library: Library, request: Request) -> None:
    """Say what is left out, and how long the rest takes."""
    for order in orders:
        if not order.runs:
            say("left out", f"{_name(order)}: {why_none(order, library)}.")
    seconds = expected_seconds(orders, full=request.full)
    say("expected", f"about {_time(seconds)} of computing, shared by all processes.")


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _run(orders: Sequence[Order], library: Library, request: Request, workers: Workers) -> int:
    folder = Path(request.out)
    shop = Workshops(
        library=library,
        full=request.full,
        seed=request.seed,
        folder=folder,
        workers=workers,
        watcher=Teller(request.quiet),
        force=request.force,
    )
    shop.read(orders)
    documents, files = [], []
    for order in orders:
        document, written = _one(order, shop, folder, request)
        documents.append(document)
        files += written
    everything = (Order(paper, one, ()) for paper in PAPERS.values() for one in paper.experiments)
    index = write_index(folder, map(_name, everything))
    if request.as_json:
        print_json(documents)
    if not request.quiet:
        for path in (*files, index):
            say("written", path)
    return 0


def _one(
    order: Order, shop: Workshops, folder: Path, request: Request
) -> tuple[Document, list[Path]]:
    """Run, write and tell one experiment."""
    if not request.quiet:
        say("experiment", f"{_name(order)}: {order.experiment.title}")
    began = time.monotonic()
    made = shop.reproduced(order)
    files = write(made, folder)
    if not request.as_json:
        print_reproduction(made.document)
    if not request.quiet:
        say("took", f"{timedelta(seconds=round(time.monotonic() - began))} for {_name(order)}")
    return made.document, files
