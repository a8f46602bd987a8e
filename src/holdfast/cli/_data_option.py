"""The option that says where the papers' data sets are."""

from __future__ import annotations

import click

data_option = click.option(
    "--data",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder of the papers' data sets; default the one that HOLDFAST_DATA names.",
)
