"""``holdfast list measures``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._options import examples, form_option, json_option
from holdfast.cli._print import Column, print_json, print_table

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = (
    Column("measure"),
    Column("form"),
    Column("range"),
    Column("corrected"),
    Column("title", free=True),
    Column("needs", free=True, named=True),
    Column("reference", free=True),
)
_FORMS = ("weights", "rankings", "subset", "groups")


@click.command("measures", epilog=examples("holdfast list measures --form subset"))
@form_option(_FORMS, help="Only measures of this form of preferences.")
@json_option
def measures(form: str | None, *, as_json: bool) -> None:
    """List all stability measures.

    For each measure: its name, the form of preferences it takes, its range (a distance is best
    at its lowest value, all others at their highest), whether it is corrected for chance
    (random selections average to 0), its title, what it needs beside the preferences and where
    it was published.
    """
    from holdfast.measures import list_measures  # noqa: PLC0415  (slow to import)

    table = list_measures("ranking" if form == "rankings" else form)  # type: ignore[arg-type]
    if as_json:
        print_json(_records(table))
    else:
        print_table(_COLUMNS, [_row(record) for record in _records(table)])


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    records = table.rename_axis("name").reset_index().to_dict("records")
    return [
        {**{str(key): value for key, value in record.items()}, "needs": _split(record["needs"])}
        for record in records
    ]


def _split(needs: str) -> list[str]:
    return needs.split(", ") if needs else []


def _row(record: dict[str, Any]) -> list[str]:
    span = f"{record['minimum']:g} to {record['maximum']:g}"
    return [
        record["name"],
        record["form"],
        f"{span} (distance)" if record["distance"] else span,
        "yes" if record["corrected"] else "no",
        record["title"],
        ", ".join(record["needs"]),
        record["reference"],
    ]
