"""The end of a study: what a second study would find, by selector and by feature."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import click

from holdfast._formatting import plural
from holdfast.cli._output import Column, paragraph, print_table, table_lines
from holdfast.errors import HoldfastError
from holdfast.judge._measurement import find_shortfall
from holdfast.report import conclude
from holdfast.report._escaping import plain_text
from holdfast.report._feature_table import longest_list_sentences
from holdfast.report._second_study import notes_of
from holdfast.study._planning._stopping_rule import STOPPING_RULE_KEY, is_narrow, too_wide_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.judge._measurement import SizeShortfall
    from holdfast.report import Verdict
    from holdfast.study import Result


MAX_FEATURES = 8
"""Most features that are listed; the report has them all."""
MAX_SIZES = 6
"""Most sizes that the table shows, the recommended one among them."""
MAX_NOTES = 2
"""Most remarks on single selectors."""
MAX_NAME_LENGTH = 40
UNKNOWN = "-"


def print_summary(
    result: Result, *, part: str | None = None, found_again: float | None = None
) -> None:
    """Print table, sentence and list.

    `part` says which part of a study it is of; `found_again` asks for the longest lists of which
    this share is expected to be found again.
    """
    verdict, chosen = conclude(result)
    table = result.summary()
    known = len(result.features) > 0
    click.echo(_table_title(known=known))
    shown = _columns(result, table, verdict, known=known)
    print_table(list(shown), list(zip(*shown.values(), strict=True)))
    for note in _notes(result, table):
        _print_paragraph(f"Note: {note}.")
    click.echo()
    if part is not None:
        _print_paragraph(
            f"Part {part} alone does not show what a second study would find; merge all parts."
        )
        return
    _print_paragraph(verdict["headline"], bold=True)
    for line in _feature_lines(verdict, chosen):
        click.echo(line)
    for sentence in (verdict["why"], verdict["next_step"], verdict["certainty"]):
        _print_paragraph(sentence)
    if found_again is not None:
        for sentence in longest_list_sentences(result, found_again):
            _print_paragraph(sentence)
    for sentence in (*too_wide(result, table), *cohorts_told(result, try_recommend(result))):
        _print_paragraph(sentence)


def _print_paragraph(sentence: str, *, bold: bool = False) -> None:
    if sentence:
        click.secho(paragraph(plain_text(sentence), sys.stdout), bold=bold)


def _table_title(*, known: bool) -> str:
    if known:
        return "Features that a second study would find again, by size of the list:"
    return "Stability over resamples of these data, by size of the list:"


def _columns(
    result: Result, table: pd.DataFrame, verdict: Verdict, *, known: bool
) -> dict[Column, list[str]]:
    """Return titles and cells: a row for each selector, a column for each size."""
    cells = _format_found_again(result) if known else _stability(table)
    selectors = list(dict.fromkeys(table["selector"]))
    sizes = _shown_sizes(table, verdict)
    columns = {Column("selector"): selectors}
    best = (verdict["selector"], verdict["size"])
    for size in sizes:
        title = f"of {size:,}" if isinstance(size, int) and known else str(size)
        columns[Column(title, right=True)] = [
            cells.get((name, size), UNKNOWN if _is_requested(table, name, size) else "")
            + ("*" if (name, size) == best else " ")
            for name in selectors
        ]
    if result.plan["classifiers"]:
        rows = {name: _lowest_error(table, name) for name in selectors}
        columns[Column("lowest error, %", right=True)] = [rows[name][0] for name in selectors]
        columns[Column("classifier")] = [rows[name][1] for name in selectors]
    return columns


def _shown_sizes(table: pd.DataFrame, verdict: Verdict) -> list[int | str]:
    """Return the sizes of columns: the first ones, and the recommended one in any case."""
    sizes: list[int | str] = list(dict.fromkeys(table["size"].tolist()))
    shown = sizes[:MAX_SIZES]
    best = verdict["size"]
    return shown if best is None or best in shown else [*shown[:-1], best]


def _is_requested(table: pd.DataFrame, selector: str, size: int | str) -> bool:
    return bool(((table["selector"] == selector) & (table["size"] == size)).any())


def _format_found_again(result: Result) -> dict[tuple[str, int | str], str]:
    """Return how many of the selected features a second study would find, where known."""
    features = result.features
    chosen = features[features["selected"].astype(bool)]
    table = chosen.groupby(["selector", "size"], sort=False)["found_again"].agg(["sum", "size"])
    rows = zip(table.index.tolist(), table["sum"], table["size"], strict=True)
    return {
        (selector, size): f"{again:.0f}{f' of {count:,}' if size == 'own' else ''}"
        for (selector, size), again, count in rows
    }


def _stability(table: pd.DataFrame) -> dict[tuple[str, int | str], str]:
    rows = zip(table["selector"], table["size"], table["stability"], strict=True)
    return {(selector, size): _decimals(value) for selector, size, value in rows}


def _lowest_error(table: pd.DataFrame, selector: str) -> tuple[str, str]:
    """Return the lowest error of a selector with its standard error, and its classifier."""
    own = table[table["selector"] == selector].dropna(subset="error")
    if not len(own):
        return UNKNOWN, ""
    row = own.sort_values("error", kind="stable").iloc[0]
    error, spread = (_decimals(100 * row[key], 1) for key in ("error", "standard_error"))
    return error if spread == UNKNOWN else f"{error} ± {spread}", str(row["classifier"])


def _decimals(number: float, count: int = 2) -> str:
    return UNKNOWN if math.isnan(number) else f"{round(number, count) + 0.0:.{count}f}"  # no -0.00


def _feature_lines(verdict: Verdict, chosen: pd.DataFrame) -> Iterator[str]:
    """Yield a line for each selected feature; none where nothing can be expected."""
    if verdict["grade"] in ("nothing", "not known"):
        return
    rows = chosen.head(MAX_FEATURES).to_dict("records")
    cells = [
        [
            f"  {_short(row['feature'])}",
            f"{row['found_again']:.2f} (at least {row['low']:.2f})",
            str(row["grade"]),
        ]
        for row in rows
    ]
    yield from table_lines([Column(""), Column(""), Column("")], cells)[1:]
    if len(chosen) > len(rows):
        yield f"  and {len(chosen) - len(rows):,} more with lower chances: see the report"


def _short(name: Any) -> str:  # noqa: ANN401  (names are text or numbers)
    text = plain_text(" ".join(str(name).split()))
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 1]}…"


def _notes(result: Result, table: pd.DataFrame) -> list[str]:
    """Return remarks on the numbers, each once, and of whom."""
    stability = result.stability[result.stability["measure"].isin(table["measure"])]
    found = notes_of(result.replication) | notes_of(stability)
    every = table["selector"].nunique()
    texts = [
        note if len(names) == every else f"{note} ({', '.join(names[:3])})"
        for note, names in found.items()
    ]
    if len(texts) > MAX_NOTES:
        return [*texts[: MAX_NOTES - 1], f"the report has {len(texts) - MAX_NOTES + 1:,} more"]
    return texts


def try_recommend(result: Result) -> Recommendation | None:
    """Return the recommendation, None where nothing can be recommended."""
    try:
        return result.recommend()
    except HoldfastError:
        return None


def fewer_than_asked(result: Result, choice: Recommendation) -> SizeShortfall | None:
    """Return how many features are found where the recommended number never is; else None."""
    if choice.size == "own":
        return None
    return find_shortfall(int(choice.size), result.preferences[choice.selector, choice.size].sizes)


# What the closing table is followed by where it applies: cohorts, and intervals that are wide.


def cohorts_told(result: Result, choice: Recommendation | None) -> Iterator[str]:
    """Say how cohorts agree on the recommended features, else on those of the first selector."""
    if not len(result.cohorts):
        return
    first = result.cohorts[["selector", "size"]].iloc[0].tolist()
    selector, size = first if choice is None else (choice.selector, choice.size)
    try:
        found = result.compare_cohorts(selector, size).sentences
    except HoldfastError as error:
        found = (str(error),)
    many = "its own size" if size == "own" else plural(int(size), "feature")
    yield plain_text(f"Cohorts by {selector}, {many}: {' '.join(found)}")


def too_wide(result: Result, summary: pd.DataFrame) -> Iterator[str]:
    """Say that a study had to stop before its intervals were as narrow as asked."""
    fact = result.store.fact(STOPPING_RULE_KEY)
    if fact is None or not fact["stopped"]:
        return
    done = int(result.plan["protocol"]["resamples"])
    table = summary.assign(resamples=done, width=summary["high"] - summary["low"])
    if not is_narrow(table, fact["width"]):
        yield f"Wider than asked: {too_wide_sentence(table, fact['width'])}"
