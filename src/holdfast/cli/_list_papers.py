"""``holdfast list papers``."""

from __future__ import annotations

import click

from holdfast.cli._data_option import data_option
from holdfast.cli._options import examples, json_option
from holdfast.cli._print import Column, print_json, print_table

_COLUMNS = (
    Column("paper"),
    Column("experiment"),
    Column("claims", right=True),
    Column("title", free=True),
    Column("data at hand", free=True, named=True),
    Column("missing", free=True, named=True),
)


@click.command(
    "papers", epilog=examples("holdfast list papers", "holdfast list papers --data folder --json")
)
@data_option
@json_option
def papers(*, data: str | None, as_json: bool) -> None:
    """List the papers' tables and figures.

    For each one: its paper, its name, how many of the paper's findings are checked, what it shows,
    and which of its data sets are at hand. 'holdfast reproduce' runs it again.

    Data sets that come with scikit-learn are always at hand. Others are files in a folder, called
    by the name of the data set: colon.parquet, colon.csv, colon.arff.
    """
    from holdfast.papers import list_papers  # noqa: PLC0415  (slow to import)

    records = list_papers(data).to_dict("records")
    if as_json:
        print_json([{str(key): _plain(value) for key, value in row.items()} for row in records])
        return
    rows = [
        [
            row["paper"],
            row["experiment"],
            str(row["claims"]),
            row["title"],
            ", ".join(row["at_hand"]) or ("simulated" if not row["missing"] else "none"),
            ", ".join(row["missing"]),
        ]
        for row in records
    ]
    print_table(_COLUMNS, rows)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
