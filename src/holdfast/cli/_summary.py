"""The closing table: how stable and how good each selector is at each size."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._beside import cohorts_told, too_wide
from holdfast.cli._paragraph import paragraph
from holdfast.cli._print import Column, print_table
from holdfast.cli._second_study import expected_again, not_replicated, replication_told
from holdfast.errors import HoldfastError
from holdfast.judge._found import fewer
from holdfast.measures import get_measure
from holdfast.report._second import WHY_DIFFERENT
from holdfast.study._summary import chief_measure, summary_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.judge._found import Fewer
    from holdfast.study import Result


def print_summary(result: Result, *, part: str | None = None) -> None:
    """Print the table, and what its numbers mean; `part`: which part of a study it is of."""
    table = result.summary()
    shown = _columns(result, table)
    print_table(list(shown), list(zip(*shown.values(), strict=True)))
    click.echo()
    for sentence in _sentences(result, table, part):
        click.echo(paragraph(sentence, sys.stdout))


def _columns(result: Result, table: pd.DataFrame) -> dict[Column, list[str]]:
    """Return titles and cells; a column that says nothing is left out."""
    rows = table.to_dict("records")
    notes = _notes(result, table)
    columns = {
        Column("selector"): [row["selector"] for row in rows],
        Column("size", right=True): [str(row["size"]) for row in rows],
        **_second_study(result, rows),
    }
    ends = () if _replicated(table) else ("low", "high")  # the line would be too long with all
    columns[Column("stability", right=True)] = [_value(row, "stability", *ends) for row in rows]
    if not _chance_is_0(table):
        columns[Column("chance", right=True)] = [_decimals(row["chance"]) for row in rows]
    if result.plan["classifiers"]:
        columns[Column("error, %", right=True)] = [_error(row) for row in rows]
        named = Column("classifier", free=_replicated(table), named=True)
        columns[named] = [_classifier(row) for row in rows]
    if len(set(notes)) > 1:
        columns[Column("note", free=True)] = notes
    return columns


def _replicated(table: pd.DataFrame) -> bool:
    """Return whether it is known of any row what a second study would find."""
    return bool(table["replication"].notna().any())


def _second_study(result: Result, rows: list[dict[Any, Any]]) -> dict[Column, list[str]]:
    """Return what studies of half the size and as large would have in common, where known."""
    return {
        Column(f"{name} ({count:,})", right=True): [
            _value(row, name, f"{name}_low", f"{name}_high") for row in rows
        ]
        for name, column in (("replication", "n_samples"), ("predicted", "at"))
        if (count := _most(result.replication[column]))
    }


def _most(counts: pd.Series[Any]) -> int:
    """Return how many samples each study has: all estimates have the same number."""
    known = counts.dropna()
    return int(known.max()) if len(known) else 0


def _notes(result: Result, table: pd.DataFrame) -> list[str]:
    """Return what a reader of each row must know."""
    keys = [*summary_keys(chief_measure(result.plan["measures"])), "measure"]
    noted = table[keys].merge(result.stability[[*keys, "note"]], on=keys, how="left")
    return [note if isinstance(note, str) else "" for note in noted["note"]]


def _chance_is_0(table: pd.DataFrame) -> bool:
    known = table["chance"].dropna()
    return bool(len(known) and (known == 0).all())


def _value(row: dict[Any, Any], name: str, *ends: str) -> str:
    value, *span = (_decimals(row[key]) for key in (name, *ends))
    return f"{value} [{', '.join(span)}]" if span and "-" not in span else value


def _error(row: dict[Any, Any]) -> str:
    error, spread = (_decimals(100 * row[key], 1) for key in ("error", "standard_error"))
    return error if spread == "-" else f"{error} ± {spread}"


def _classifier(row: dict[Any, Any]) -> str:
    return "-" if math.isnan(row["error"]) else str(row["classifier"])


def _decimals(number: float, count: int = 2) -> str:
    return "-" if math.isnan(number) else f"{round(number, count) + 0.0:.{count}f}"  # no -0.00


def _sentences(result: Result, table: pd.DataFrame, part: str | None) -> list[str]:
    told = [*_stability_told(result, table)]
    if len(set(notes := _notes(result, table))) == 1 and notes[0]:
        told.append(f"Note: {notes[0]}.")
    told += [result.protocol_sentence, *too_wide(result, table)]
    if result.plan["classifiers"]:
        told.append("The error is that of the best classifier, ± its standard error.")
    choice = recommended(result)
    if choice is not None:
        told += _recommended(result, choice, part)
    return [*told, *cohorts_told(result, choice)]


def _recommended(result: Result, choice: Recommendation, part: str | None) -> Iterator[str]:
    """Say what to use, and what to expect of it; of a part of a study, only how it looks."""
    short = fewer_than_asked(result, choice)
    pair = f"{choice.pair}{'' if short is None else f', of which {short.remark}'}"
    if part is not None:
        yield f"Recommended so far, on part {part} alone: {pair}."
        return
    yield f"Recommended: {pair}; the report says why."
    if short is None:
        yield from expected_again(result, choice)


def _stability_told(result: Result, table: pd.DataFrame) -> Iterator[str]:
    """Say what the numbers mean: first those about a second study."""
    chance = "; chance gives 0" if _chance_is_0(table) else ""
    new = _replicated(table)
    for record in map(get_measure, table["measure"].dropna().unique()):
        what = f"{record.name} ({record.title}{'; a distance' if record.distance else ''}{chance})"
        if new:
            yield replication_told(result, table, what)
            usual = "Stability is the usual figure, over the resamples"
            yield f"{usual}; it differs, as {WHY_DIFFERENT}."
            continue
        yield f"Stability is {what}, with the 95% interval for repeating this protocol."
        yield not_replicated(result, table)


def recommended(result: Result) -> Recommendation | None:
    """Return the recommendation, None where nothing can be recommended."""
    try:
        return result.recommend()
    except HoldfastError:
        return None


def fewer_than_asked(result: Result, choice: Recommendation) -> Fewer | None:
    """Return how many features are found where the recommended number never is; else None."""
    if choice.size == "own":
        return None
    return fewer(int(choice.size), result.preferences[choice.selector, choice.size].sizes)
