"""``holdfast check``: whether a study is as it was written."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from holdfast.cli._early_checks import check_folders
from holdfast.cli._options import examples, json_option
from holdfast.cli._output import Column, log_line, print_json, print_line, print_table
from holdfast.cli._program import BAD_DATA

if TYPE_CHECKING:
    from holdfast.study import StudyCheck

_COLUMNS = (Column("selector"), Column("resample", right=True), Column("problem", free=True))


@click.command("check", epilog=examples("holdfast check run", "holdfast check run --json"))
@click.argument("folder", metavar="DIR")
@json_option
def check(folder: str, *, as_json: bool) -> int:
    """Check that the study in DIR is as it was written.

    Every result has a checksum, and so have the plan, the samples, the features and the resamples;
    saved data are compared with the plan. Damaged results are listed by selector and resample.
    'holdfast resume DIR --repair' computes them again. Exit codes: 0 intact, 3 damaged.
    """
    check_folders([folder])
    from holdfast.study import check as check_study

    found = check_study(folder)
    if as_json:
        _print_document(found)
    else:
        _print_lines(found)
    if not found.intact:
        log_line("next", f"compute them again: holdfast resume {shlex.quote(folder)} --repair")
    return 0 if found.intact else BAD_DATA


def _rows(found: StudyCheck) -> list[tuple[str | None, int | None, str]]:
    """Return selector, resample and problem of each damaged unit."""
    return [
        (selector, None if resample is None else int(resample), problem)
        for selector, resample, problem in found.damage.astype(object)
        .where(found.damage.notna(), None)
        .itertuples(index=False)
    ]


def _print_document(found: StudyCheck) -> None:
    rows = [
        dict(zip(("selector", "resample", "problem"), row, strict=True)) for row in _rows(found)
    ]
    print_json(
        {
            "folder": str(found.folder),
            "intact": found.intact,
            "checked": found.counts,
            "saved_data": found.has_data,
            "damage": rows,
        }
    )


def _print_lines(found: StudyCheck) -> None:
    counted = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
    data = "; the saved data are those of the plan" if found.has_data else ""
    print_line(f"checked: plan, {counted}{data}")
    if found.intact:
        print_line("intact: no result is damaged")
        return
    print_table(
        _COLUMNS,
        [
            (selector or "-", "-" if resample is None else str(resample), problem)
            for selector, resample, problem in _rows(found)
        ],
    )
