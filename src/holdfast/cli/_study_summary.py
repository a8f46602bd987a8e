"""The summary of a study on the terminal: what a second study would find."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from holdfast._formatting import plural, spell_out_invisible
from holdfast.cli._output import Column, paragraph, print_line, print_table, table_lines
from holdfast.errors import HoldfastError
from holdfast.judge import find_shortfall
from holdfast.report import (
    NOT_KNOWN,
    NOTHING,
    TEXT_COLUMNS,
    collect_notes,
    conclude,
    describe_weighting,
    longest_list_sentences,
    overview_table,
    read_replication,
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
MAX_NOTES = 2
"""Most notes below the table."""
MAX_NAME_LENGTH = 40


def print_summary(
    result: Result, *, part: str | None = None, found_again: float | None = None
) -> None:
    """Print the table of selectors, the verdict and the selected features.

    `part` is given for a part of a study. With `found_again`, the longest lists of which this share
    is expected to be found again are printed as well.
    """
    table = result.summary()
    verdict, selected = conclude(result)
    overview = overview_table(result, verdict)
    print_line(to_plain_text(overview.title))
    columns = [Column(name, right=name not in TEXT_COLUMNS) for name in overview.columns]
    print_table(columns, list(zip(*overview.columns.values(), strict=True)))
    for note in _notes(result, table):
        _print_paragraph(f"Note: {note}.")
    for sentence in describe_weighting(result.plan):
        _print_paragraph(sentence)
    print_line()
    if part is not None:
        _print_paragraph(
            f"Part {part} alone does not show what a second study would find; merge all parts."
        )
        return
    _print_paragraph(verdict["headline"], bold=True)
    for line in _feature_lines(verdict, selected):
        print_line(line)
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
        print_line(paragraph(to_plain_text(sentence), sys.stdout), bold=bold)


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
    text = spell_out_invisible(str(name), breaks=True)
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 1]}…"


def _notes(result: Result, table: pd.DataFrame) -> list[str]:
    """Return the notes on the numbers, each once, with the selectors concerned."""
    stability = result.stability[result.stability["measure"].isin(table["measure"])]
    # first how many features were found, without which the sizes would be misread
    selectors = collect_notes(stability) | collect_notes(read_replication(result))
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
