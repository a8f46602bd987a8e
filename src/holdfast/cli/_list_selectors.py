"""``holdfast list selectors``."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli._options import examples, json_option
from holdfast.cli._print import Column, print_json, print_table

_COLUMNS = (
    Column("selector"),
    Column("gives"),
    Column("missing"),
    Column("sparse"),
    Column("title", free=True),
    Column("reference", free=True),
)


@click.command("selectors", epilog=examples("holdfast list selectors --json"))
@json_option
def selectors(*, as_json: bool) -> None:
    """List all selectors.

    For each selector: its name, what it gives (weights, which can be ranked, a ranking only,
    groups of features, or a subset of a size of its own), whether it takes missing values and
    sparse matrices, its title and where it was published.
    """
    from holdfast.select import list_selectors  # noqa: PLC0415  (slow to import)

    table = list_selectors().rename_axis("name").reset_index()
    records = [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]
    if as_json:
        print_json(records)
    else:
        print_table(_COLUMNS, [_row(record) for record in records])


def _row(record: dict[str, Any]) -> list[str]:
    return [
        record["name"],
        record["gives"],
        "yes" if record["missing"] else "no",
        "yes" if record["sparse"] else "no",
        record["title"],
        record["reference"],
    ]
