"""``holdfast merge``: one study out of its parts."""

from __future__ import annotations

from pathlib import Path

import click

from holdfast.cli._options import examples, json_option
from holdfast.cli._run_options import RunOptions


@click.command(
    "merge",
    epilog=examples("holdfast merge part1 part2 part3 --out whole"),
)
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="A new or empty folder for the whole.")
@json_option
def merge(folders: tuple[str, ...], out: str, *, as_json: bool) -> int:
    """Join the parts of a study that were run in several folders.

    The parts come from 'holdfast study ... --part 1/3' and so on, on different machines: the
    same study of the same data. They stay as they are.
    """
    from holdfast.cli._closing import close  # noqa: PLC0415  (slow to import)
    from holdfast.study import merge as join  # noqa: PLC0415

    return close(join(folders, out), Path(out), RunOptions(as_json=as_json))
