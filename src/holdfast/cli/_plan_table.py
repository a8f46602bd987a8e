"""The table of a plan, and what its numbers mean."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._paragraph import paragraph
from holdfast.cli._print import Column, print_table
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKED = 4
"""Times the data from which on predictions are orders of magnitude."""
AT_CHANCE = "at chance"
"""In the place of a number of samples, where selections agree no better than chance."""


def print_plan(
    rows: Sequence[dict[str, Any]], measure: str, target: float, *, subjects: bool
) -> None:
    """Print a row for each selector and size, and sentences."""
    done = [row for row in rows if "error" not in row]
    if not done:
        return
    noun = "subjects" if subjects else "samples"
    half = done[0]["half_n_samples"]
    now = next((row["n_samples"] for row in done if "n_samples" in row), None)
    columns = {
        Column("selector"): [row["selector"] for row in done],
        Column("size", right=True): [
            "all" if row["size"] is None else str(row["size"]) for row in done
        ],
        Column(f"at {half:,}", right=True): [_span(row, "half_value", "half_") for row in done],
    }
    if now is not None:
        columns[Column(f"at {now:,}", right=True)] = [_span(row, "value", "") for row in done]
        if _has_again(done):
            columns[Column("found again", right=True)] = [_again(row) for row in done]
        columns[Column(f"{noun} for {target:g}", right=True)] = [needed_text(row) for row in done]
    print_table(list(columns), list(zip(*columns.values(), strict=True)))
    click.echo()
    for sentence in _sentences(done, measure, half, now, noun):
        click.echo(paragraph(sentence, sys.stdout))


def _span(row: dict[str, Any], value: str, ends: str) -> str:
    if value not in row or math.isnan(row[value]):
        return "-"
    return f"{row[value]:.2f} [{row[f'{ends}low']:.2f}, {row[f'{ends}high']:.2f}]".replace(
        "-0.00", "0.00"
    )


def _has_again(rows: Sequence[dict[str, Any]]) -> bool:
    """Tell whether the measure says how many features are found again."""
    return any(not math.isnan(row.get("again", math.nan)) for row in rows)


def _again(row: dict[str, Any]) -> str:
    if math.isnan(row.get("again", math.nan)):
        return "-"
    return f"{row['again']:.0f} of {row['size']} [{row['again_low']:.0f}, {row['again_high']:.0f}]"


def needed_text(row: dict[str, Any]) -> str:
    """Return how many samples are needed, and between which numbers."""
    if "needed" not in row:
        return "-"
    needed, low, high = (row[key] for key in ("needed", "needed_low", "needed_high"))
    if math.isinf(needed):
        return AT_CHANCE
    if math.isnan(needed):
        return f"at least {low:,.0f}"
    return f"{needed:,.0f} [{low:,.0f}, {'unknown' if math.isnan(high) else format(high, ',.0f')}]"


def _sentences(
    rows: Sequence[dict[str, Any]], measure: str, half: int, now: int | None, noun: str
) -> list[str]:
    record = get_measure(measure)
    first = (
        f"Stability is {record.name} ({record.title}) between two independent studies. At "
        f"{half:,} {noun} each it is estimated from disjoint halves of the data, with the 95% "
        "interval for other data."
    )
    told = [first]
    if now is None:
        return [*told, *_why_none(rows)]
    again = "; found again: how many of the selected features a second study of this size selects"
    told.append(f"At {now:,} it is predicted{again if _has_again(rows) else ''}.")
    needed = [row["needed"] for row in rows if "needed" in row]
    if any(map(math.isinf, needed)):
        told.append(
            "At chance: selections agree no better than random ones, so no number of "
            f"{noun} can be named."
        )
    if any(map(math.isnan, needed)):
        told.append(f"At least: how many more {noun} it takes is not known.")
    if any(CHECKED * now < one < math.inf for one in needed):
        told.append(f"Take numbers above {CHECKED * now:,} as orders of magnitude.")
    return told


def _why_none(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Say why nothing is predicted, each reason once."""
    reasons = dict.fromkeys(row["note"] for row in rows if row["note"])
    return [f"Nothing is predicted for larger studies: {reason}." for reason in reasons]


def print_feature_plan(rows: list[dict[str, Any]], chance: float, *, subjects: bool) -> None:
    """Print how many samples studies need to select single features with a wanted chance."""
    noun = "subjects" if subjects else "samples"
    cells = [
        [row["selector"], str(row["size"]), str(one["feature"]), *_feature_cells(one)]
        for row in rows
        for one in row.get("features", [])
    ]
    click.echo()
    if cells:
        titles = ["selector", "size", "feature", "chance now", f"{noun} for {chance:g}"]
        columns = [Column(title, right=title not in titles[:3:2]) for title in titles]
        print_table(columns, cells)
        click.echo(
            f"A study of this many {noun} selects the feature with a chance of {chance:g}, if its "
            "effect is as in these data; take it as a rough guide."
        )
    reasons = dict.fromkeys(row["why_no_features"] for row in rows if "why_no_features" in row)
    for reason in reasons:
        click.echo(f"No chances of single features: {reason}.")


def _feature_cells(one: dict[str, Any]) -> list[str]:
    needed = "not reached" if math.isinf(one["needed"]) else f"{one['needed']:,.0f}"
    return [f"{one['found_again']:.2f}", needed]
