"""A simulated figure: said how long it takes, made, drawn, written, and told."""

from __future__ import annotations

from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._print import Column, number, print_json, print_table
from holdfast.cli._talk import say
from holdfast.errors import StoreError
from holdfast.plot import simulated_figure
from holdfast.simulate._figures import figure_tables, get_figure
from holdfast.study._folder import made_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd

    from holdfast.plot import Picture
    from holdfast.simulate._figures import SimulatedFigure

PICTURES = ("png", "svg")
WORDS = {
    "n_samples": "samples",
    "n_features": "features",
    "relative_weighted_consistency": "cw_rel",
}
"""What goes by shorter names on the terminal."""
TEXT = ("panel", "selector", "structure", "features")
GIVEN = ("x", "ratio", "n_samples", "n_features")
"""Columns of words, and of numbers that were chosen, not found."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    figure: int
    full: bool
    out: str | None
    seed: int
    n_jobs: int
    force: bool
    as_json: bool
    quiet: bool


def run_simulate(request: Request) -> int:
    """Make a figure; where its files cannot go is told before the work."""
    record = get_figure(request.figure)
    folder = _usable_folder(request.out or f"figure{record.number}")
    pictures = [folder / f"figure{record.number}.{kind}" for kind in PICTURES]
    tables = {name: folder / f"figure{record.number}_{name}.csv" for name in record.tables}
    _check_free([*pictures, *tables.values()], force=request.force)
    if not request.quiet:
        say("expected", _expected(record, request))
    made = figure_tables(
        record.number, full=request.full, random_state=request.seed, n_jobs=request.n_jobs
    )
    picture = simulated_figure(record.number, made)
    _write({path: made[name] for name, path in tables.items()}, picture, pictures)
    _tell(request, record.main(made), picture, [*pictures, *tables.values()])
    return 0


def _usable_folder(out: str) -> Path:
    """Return the folder, made if it is not there, after a try to write there."""
    folder = made_folder(out)
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StoreError(
            f"{folder}: files cannot be written there ({error.strerror}); give another folder by "
            "--out."
        ) from error
    return folder


def _check_free(paths: list[Path], *, force: bool) -> None:
    there = next((path for path in paths if path.exists()), None)
    if there is not None and not force:
        raise StoreError(
            f"{there}: this file is there; give another folder by --out, or replace it by --force."
        )


def _expected(record: SimulatedFigure, request: Request) -> str:
    """Say how long it will take; a second process does not quite halve it."""
    seconds = record.seconds_full if request.full else record.seconds
    time = f"{seconds / 60:.0f} minutes" if seconds >= 100 else f"{seconds:.0f} s"
    processes = "" if request.n_jobs == 1 else f", shared by {request.n_jobs} processes"
    return f"about {time} of computing{processes}, and a few seconds for the picture"


def _write(tables: Mapping[Path, pd.DataFrame], picture: Picture, pictures: list[Path]) -> None:
    for path, table in tables.items():
        table.to_csv(path, index=False, lineterminator="\n")
    for path in pictures:
        picture.save(path)


def _tell(request: Request, main: pd.DataFrame, picture: Picture, files: list[Path]) -> None:
    if request.as_json:
        print_json(_document(request, main, picture, files))
    else:
        click.echo(f"{picture.title}\n")
        columns = [Column(WORDS.get(name, name), right=name not in TEXT) for name in main.columns]
        print_table(columns, [_cells(row) for row in main.to_dict("records")])
    if not request.quiet:
        for path in files:
            say("written", path)


def _cells(row: Mapping[Any, Any]) -> list[str]:
    return [_cell(str(name), value) for name, value in row.items()]


def _cell(name: str, value: Any) -> str:  # noqa: ANN401
    if name in TEXT:
        return WORDS.get(value, str(value))
    return f"{value:,g}" if name in GIVEN else number(value)


def _document(
    request: Request, main: pd.DataFrame, picture: Picture, files: list[Path]
) -> dict[str, Any]:
    return {
        "figure": request.figure,
        "title": picture.title,
        "description": picture.description,
        "full": request.full,
        "seed": request.seed,
        "main": main.to_dict("records"),
        "files": [str(path) for path in files],
    }
