"""``holdfast list protocols``."""

from __future__ import annotations

import click

from holdfast.cli._options import examples, json_option
from holdfast.cli._print import Column, print_json, print_table

_COLUMNS = (
    Column("protocol"),
    Column("tested"),
    Column("title", free=True),
    Column("estimates", free=True, named=True),
    Column("reference", free=True),
)


@click.command("protocols", epilog=examples("holdfast list protocols --json"))
@json_option
def protocols(*, as_json: bool) -> None:
    """List all resampling protocols.

    For each protocol: its name, how often a sample is tested (once, repeatedly or never), its
    title, what the stability over its resamples estimates, and who used it.
    """
    from holdfast.resample import list_protocols  # noqa: PLC0415  (slow to import)

    table = list_protocols().rename_axis("name").reset_index()
    records = [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]
    if as_json:
        print_json(records)
    else:
        keys = ("name", *(column.title for column in _COLUMNS[1:]))
        print_table(_COLUMNS, [[record[key] for key in keys] for record in records])
