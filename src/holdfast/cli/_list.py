"""``holdfast list``: what there is."""

from __future__ import annotations

import click

from holdfast.cli._options import examples
from holdfast.cli._program import Program


@click.group(
    "list",
    cls=Program,
    epilog=examples("holdfast list measures", "holdfast list selectors"),
    commands_at={
        "measures": "holdfast.cli._list_measures:measures",
        "selectors": "holdfast.cli._list_selectors:selectors",
        "protocols": "holdfast.cli._list_protocols:protocols",
        "papers": "holdfast.cli._list_papers:papers",
    },
)
def list_() -> None:
    """List what holdfast knows.

    Each list is a table for people, or JSON for programs with --json.
    """
