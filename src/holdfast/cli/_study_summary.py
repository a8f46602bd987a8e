"""The summary of a study on the terminal: what a second study would find."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holdfast._formatting import format_number, plural
from holdfast.cli._output import Column, paragraph, print_table, table_lines
from holdfast.errors import HoldfastError
from holdfast.judge import find_shortfall
from holdfast.report import (
    NOT_KNOWN,
    NOTHING,
    collect_notes,
    conclude,
    expected_counts,
    longest_list_sentences,
    to_plain_text,
)
from holdfast.study import STOPPING_RULE_KEY, is_narrow, too_wide_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from holdfast.judge import Recommendation, SizeShortfall
    from holdfast.report import Verdict
    from holdfast.study import Result


MAX_FEATURES = 8
"""Most features that are listed; the report has all of them."""
MAX_SIZES = 6
"""Most sizes in the table, including the recommended one."""
MAX_NOTES = 2
"""Most notes below the table."""
MAX_NAME_LENGTH = 40
UNKNOWN = "-"


def print_summary(
    result: Result, *, part: str | None = None, found_again: float | None = None
) -> None:
    """Print the table of selectors, the verdict and the selected features.

    `part` is given for a part of a study. With `found_again`, the longest lists of which this share
    is expected to be found again are printed as well.
    """
    verdict, selected = conclude(result)
    table = result.summary()
    known = len(result.features) > 0
    click.echo(_table_title(known=known))
    columns = _columns(result, table, verdict, known=known)
    print_table(list(columns), list(zip(*columns.values(), strict=True)))
    for note in _notes(result, table):
        _print_paragraph(f"Note: {note}.")
    click.echo()
    if part is not None:
        _print_paragraph(
            f"Part {part} alone does not show what a second study would find; merge all parts."
        )
        return
    _print_paragraph(verdict["headline"], bold=True)
    for line in _feature_lines(verdict, selected):
        click.echo(line)
    for sentence in (verdict["why"], verdict["next_step"], verdict["certainty"]):
        _print_paragraph(sentence)
    if found_again is not None:
        for sentence in longest_list_sentences(result, found_again):
            _print_paragraph(sentence)
    for sentence in (
        *describe_wide_intervals(result, table),
        *describe_cohorts(result, try_recommend(result)),
    ):
        _print_paragraph(sentence)


def _print_paragraph(sentence: str, *, bold: bool = False) -> None:
    if sentence:
        click.secho(paragraph(to_plain_text(sentence), sys.stdout), bold=bold)


def _table_title(*, known: bool) -> str:
    if known:
        return "Features that a second study would find again, by size of the list:"
    return "Stability over resamples of these data, by size of the list:"


def _columns(
    result: Result, table: pd.DataFrame, verdict: Verdict, *, known: bool
) -> dict[Column, list[str]]:
    """Return columns and cells: one row per selector, one column per size."""
    cells = _format_found_again(result) if known else _format_stability(table)
    selectors = list(dict.fromkeys(table["selector"]))
    sizes = _shown_sizes(table, verdict)
    columns = {Column("selector"): selectors}
    recommended = (verdict["selector"], verdict["size"])
    for size in sizes:
        title = f"of {size:,}" if isinstance(size, int) and known else str(size)
        columns[Column(title, right=True)] = [
            cells.get((name, size), UNKNOWN if _is_requested(table, name, size) else "")
            + ("*" if (name, size) == recommended else " ")
            for name in selectors
        ]
    if result.plan["classifiers"]:
        rows = {name: _lowest_error(table, name) for name in selectors}
        columns[Column("lowest error, %", right=True)] = [rows[name][0] for name in selectors]
        columns[Column("classifier")] = [rows[name][1] for name in selectors]
    return columns


def _shown_sizes(table: pd.DataFrame, verdict: Verdict) -> list[int | str]:
    """Return the sizes of the columns: the first ones, and always the recommended one."""
    sizes: list[int | str] = list(dict.fromkeys(table["size"].tolist()))
    shown = sizes[:MAX_SIZES]
    recommended = verdict["size"]
    if recommended is None or recommended in shown:
        return shown
    return [*shown[:-1], recommended]


def _is_requested(table: pd.DataFrame, selector: str, size: int | str) -> bool:
    return bool(((table["selector"] == selector) & (table["size"] == size)).any())


def _format_found_again(result: Result) -> dict[tuple[str, int | str], str]:
    """Return how many of the selected features a second study would find."""
    return {
        (selector, size): f"{expected:.0f}{f' of {count:,}' if size == 'own' else ''}"
        for (selector, size), (expected, count) in expected_counts(result).items()
    }


def _format_stability(table: pd.DataFrame) -> dict[tuple[str, int | str], str]:
    rows = zip(table["selector"], table["size"], table["stability"], strict=True)
    return {
        (selector, size): format_number(value, missing=UNKNOWN) for selector, size, value in rows
    }


def _lowest_error(table: pd.DataFrame, selector: str) -> tuple[str, str]:
    """Return the lowest error of a selector with its standard error, and its classifier."""
    rows = table[table["selector"] == selector].dropna(subset="error")
    if not len(rows):
        return UNKNOWN, ""
    row = rows.sort_values("error", kind="stable").iloc[0]
    percentages = (100 * row[key] for key in ("error", "standard_error"))
    error, spread = (format_number(value, 1, missing=UNKNOWN) for value in percentages)
    return error if spread == UNKNOWN else f"{error} ± {spread}", str(row["classifier"])


def _feature_lines(verdict: Verdict, selected: pd.DataFrame) -> Iterator[str]:
    """Yield one line per selected feature; none if nothing can be expected."""
    if verdict["grade"] in (NOTHING, NOT_KNOWN):
        return
    rows = selected.head(MAX_FEATURES).to_dict("records")
    cells = [
        [
            f"  {_shorten_name(row['feature'])}",
            f"{row['found_again']:.2f} (at least {row['low']:.2f})",
            str(row["grade"]),
        ]
        for row in rows
    ]
    yield from table_lines([Column(""), Column(""), Column("")], cells)[1:]
    if len(selected) > len(rows):
        yield f"  and {len(selected) - len(rows):,} more with lower chances: see the report"


def _shorten_name(name: object) -> str:
    text = to_plain_text(" ".join(str(name).split()))
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 1]}…"


def _notes(result: Result, table: pd.DataFrame) -> list[str]:
    """Return the notes on the numbers, each once, with the selectors concerned."""
    stability = result.stability[result.stability["measure"].isin(table["measure"])]
    selectors = collect_notes(result.replication) | collect_notes(stability)
    n_selectors = table["selector"].nunique()
    texts = [
        note if len(names) == n_selectors else f"{note} ({', '.join(names[:3])})"
        for note, names in selectors.items()
    ]
    if len(texts) > MAX_NOTES:
        return [*texts[: MAX_NOTES - 1], f"the report has {len(texts) - MAX_NOTES + 1:,} more"]
    return texts


def try_recommend(result: Result) -> Recommendation | None:
    """Return the recommendation; None if nothing can be recommended."""
    try:
        return result.recommend()
    except HoldfastError:
        return None


def find_recommended_shortfall(result: Result, choice: Recommendation) -> SizeShortfall | None:
    """Return by how much the recommended selections are smaller than requested, if they are."""
    if choice.size == "own":
        return None
    return find_shortfall(int(choice.size), result.preferences[choice.selector, choice.size].sizes)


# Notes below the table: cohorts, and wide intervals.


def describe_cohorts(result: Result, choice: Recommendation | None) -> Iterator[str]:
    """Yield how cohorts agree on the recommended features, else on those of the first selector."""
    if not len(result.cohorts):
        return
    first = result.cohorts[["selector", "size"]].iloc[0].tolist()
    selector, size = first if choice is None else (choice.selector, choice.size)
    try:
        sentences = result.compare_cohorts(selector, size).sentences
    except HoldfastError as error:
        sentences = (str(error),)
    count = "its own size" if size == "own" else plural(int(size), "feature")
    yield to_plain_text(f"Cohorts by {selector}, {count}: {' '.join(sentences)}")


def describe_wide_intervals(result: Result, summary: pd.DataFrame) -> Iterator[str]:
    """Yield that a study stopped before its intervals were as narrow as requested."""
    fact = result.store.fact(STOPPING_RULE_KEY)
    if fact is None or not fact["stopped"]:
        return
    done = int(result.plan["protocol"]["resamples"])
    table = summary.assign(resamples=done, width=summary["high"] - summary["low"])
    if not is_narrow(table, fact["width"]):
        yield f"Wider than requested: {too_wide_sentence(table, fact['width'])}"
