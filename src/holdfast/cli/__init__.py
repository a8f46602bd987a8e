"""The command line: commands that parse options, call the library and print."""

from __future__ import annotations

import click

from holdfast.cli._options import examples
from holdfast.cli._program import Program

__all__ = ["main"]


@click.group(
    cls=Program,
    commands_at={
        "check": "holdfast.cli._check_command:check",
        "list": "holdfast.cli._list:list_",
        "measure": "holdfast.cli._measure_command:measure",
        "merge": "holdfast.cli._study_command:merge",
        "plan": "holdfast.cli._plan_command:plan",
        "reproduce": "holdfast.cli._reproduce_command:reproduce",
        "report": "holdfast.cli._study_command:report",
        "resume": "holdfast.cli._study_command:resume",
        "simulate": "holdfast.cli._reproduce_command:simulate",
        "study": "holdfast.cli._study_command:study",
    },
    epilog=examples(
        "holdfast study @breast_cancer --out run",
        "holdfast measure markers.txt --n-features 2000",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="holdfast", message="%(prog)s %(version)s")
def main() -> None:
    """Find out which of the selected features you would find again.

    holdfast measures the stability of feature selection: how much the selected features change
    when the data change a little. Results go to standard output, all other messages to standard
    error. Exit codes: 0 success, 1 failure, 2 usage error, 3 bad data, 130 interrupted (finished
    work is kept).
    """
