"""The summary of a study: one row per selector and size, as a table and as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.measures import get_measure
from holdfast.study._storage._reader import StudyReader, cut, size_label

if TYPE_CHECKING:
    from rich.table import Table

SummaryRow = Mapping[Any, Any]
REPLICATION_NAMES = {
    "value": "replication",
    "low": "replication_low",
    "high": "replication_high",
    "chance": "replication_chance",
    "n_samples": "replication_n",
    "predicted": "predicted",
    "predicted_low": "predicted_low",
    "predicted_high": "predicted_high",
}
"""Columns of the table of replication stability, and their names in the summary."""
SUMMARY_COLUMNS = [
    *("selector", "size", "selected", "selected_sd", "measure"),
    *REPLICATION_NAMES.values(),
    *("stability", "low", "high", "chance"),
    *("classifier", "error", "standard_error"),
]


def main_measure(measures: list[str]) -> str | None:
    """Return the measure of the summary: the first that depends on the size; None if none."""
    names = [get_measure(name).name for name in measures]
    by_size = [name for name in names if get_measure(name).by_size]
    return next(iter(by_size or names), None)


def summary_keys(measure: str | None) -> list[str]:
    """Return the columns that identify the stability of a measure in its table."""
    if measure is not None and not get_measure(measure).by_size:
        return ["selector"]  # measured once, on all features
    return ["selector", "size"]


def summary_cells(reader: StudyReader) -> list[dict[str, Any]]:
    """Return each selector and size with mean and deviation of the number of selected features."""
    return [
        {
            "selector": name,
            "size": size_label(size),
            **_selected_count_stats(reader, selector, size),
        }
        for selector, name in enumerate(reader.selectors)
        for size in reader.sizes(selector)
    ]


def _selected_count_stats(reader: StudyReader, selector: int, size: int) -> dict[str, float]:
    features = reader.selected_features(selector)
    rows = cut([features[i] for i in reader.compared(features)], size)
    counts = pd.Series([len(row) for row in rows], dtype=float)
    return {"selected": counts.mean(), "selected_sd": counts.std()}


def summary_table(
    cells: list[dict[str, Any]],
    measure: str | None,
    replication: pd.DataFrame,
    stability: pd.DataFrame,
    errors: pd.DataFrame,
) -> pd.DataFrame:
    """Join replication, stability and the lowest error of each selector and size."""
    table = pd.DataFrame(cells, columns=["selector", "size", "selected", "selected_sd"])
    keys = summary_keys(measure)
    table = table.merge(_replication_part(replication, measure, keys), on=keys, how="left")
    table = table.merge(_stability_part(stability, measure, keys), on=keys, how="left")
    known = errors.dropna(subset="error")
    best = known.sort_values("error", kind="stable").drop_duplicates(["selector", "size"])
    columns = ["selector", "size", "classifier", "error", "standard_error"]
    return table.merge(best[columns], on=["selector", "size"], how="left")[SUMMARY_COLUMNS]


def _replication_part(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the replication stability by one measure, as floats."""
    chosen = table[table["measure"] == measure].rename(columns=REPLICATION_NAMES)
    return chosen[[*keys, *REPLICATION_NAMES.values()]].astype(
        dict.fromkeys(REPLICATION_NAMES.values(), float)
    )


def _stability_part(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the stability over the resamples by one measure."""
    chosen = table[table["measure"] == measure].rename(columns={"value": "stability"})
    return chosen[[*keys, "measure", "stability", "low", "high", "chance"]]


# The summary as a table of rich: one row per selector and size.

REPLICATION_NOTE = (
    "Replication: how well the selections of two independent studies agree, with its 95% "
    "interval; predicted: the same for studies as large as this one."
)


def rich_table(title: str, caption: str, summary: pd.DataFrame) -> Table:
    """Return the summary for a terminal; names are plain text, even if they look like markup."""
    from rich.table import Table
    from rich.text import Text

    replicated = bool(summary["replication"].notna().any())
    columns = _rich_columns(summary, replicated=replicated)
    note = f"{REPLICATION_NOTE} {caption}" if replicated else caption
    table = Table(*columns, title=Text(title), caption=Text(note))
    for row in summary.to_dict("records"):
        table.add_row(*(Text(show(row)) for show in columns.values()))
    return table


def _rich_columns(
    summary: pd.DataFrame, *, replicated: bool
) -> dict[str, Callable[[SummaryRow], str]]:
    """Return the function that formats the cells of each column, by title."""
    columns: dict[str, Callable[[SummaryRow], str]] = {
        "selector": lambda row: str(row["selector"]),
        "features": _format_size,
    }
    if replicated:
        halves = summary["replication_n"].max()
        columns[f"replication\nn = {halves:,.0f}"] = _interval_formatter("replication")
        columns["predicted"] = _interval_formatter("predicted")
        if (summary["replication_chance"].fillna(0.0) != 0).any():
            columns["two at\nrandom"] = lambda row: _format_number(row["replication_chance"], 2)
    columns["stability"] = lambda row: _format_number(row["stability"])
    if not replicated:
        columns["95% interval"] = _format_span
    if (summary["chance"] != 0).any():
        columns["by chance"] = lambda row: _format_number(row["chance"])
    return columns | {
        "best classifier": lambda row: (
            row["classifier"] if isinstance(row["classifier"], str) else ""
        ),
        "error ± standard error": _format_error,
    }


def _interval_formatter(name: str) -> Callable[[SummaryRow], str]:
    """Return a function that formats a value and its interval."""

    def show(row: SummaryRow) -> str:
        keys = (name, f"{name}_low", f"{name}_high")
        value, low, high = (_format_number(row[key], 2) for key in keys)
        return f"{value}\n[{low}, {high}]" if low and high else value

    return show


def _format_span(row: SummaryRow) -> str:
    low, high = _format_number(row["low"]), _format_number(row["high"])
    return f"{low} to {high}" if low and high else ""


def _format_error(row: SummaryRow) -> str:
    error, spread = _format_number(row["error"]), _format_number(row["standard_error"])
    return f"{error} ± {spread}" if error and spread else error


def _format_size(row: SummaryRow) -> str:
    """Return the number of features; the mean number if the selector chooses it."""
    known = row["size"] == "own" and not math.isnan(row["selected"])
    return f"own, mean {row['selected']:.1f}" if known else str(row["size"])


def _format_number(value: object, digits: int = 3) -> str:
    """Return a number with this many decimals; empty if it is missing."""
    if not isinstance(value, float) or math.isnan(value):
        return ""
    return f"{round(value, digits) + 0.0:.{digits}f}"  # no -0.000
