"""The summary: one line a selector and size, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.measures import get_measure
from holdfast.study._storage._reader import cut, size_label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.table import Table

    from holdfast.study._storage._reader import View

    Row = Mapping[Any, Any]


REPLICATION = {
    "value": "replication",
    "low": "replication_low",
    "high": "replication_high",
    "chance": "replication_chance",
    "n_samples": "replication_n",
    "predicted": "predicted",
    "predicted_low": "predicted_low",
    "predicted_high": "predicted_high",
}
"""What the table of replication stability gives to a summary, and what it is called there."""
SUMMARY_COLUMNS = [
    *("selector", "size", "selected", "selected_sd", "measure"),
    *REPLICATION.values(),
    *("stability", "low", "high", "chance"),
    *("classifier", "error", "standard_error"),
]


def chief_measure(measures: list[str]) -> str | None:
    """Return the measure that a summary shows, the first that goes by size; None without any."""
    names = [get_measure(name).name for name in measures]
    of_sizes = [name for name in names if get_measure(name).by_size]
    return next(iter(of_sizes or names), None)


def summary_keys(measure: str | None) -> list[str]:
    """Return the columns by which the stability of a measure is found in its table."""
    if measure is not None and not get_measure(measure).by_size:
        return ["selector"]  # measured once, on all features
    return ["selector", "size"]


def summary_cells(view: View) -> list[dict[str, Any]]:
    """Return each selector and size, with mean and deviation of how many features it selected."""
    return [
        {"selector": name, "size": size_label(size), **_selected_count_stats(view, selector, size)}
        for selector, name in enumerate(view.selectors)
        for size in view.sizes(selector)
    ]


def _selected_count_stats(view: View, selector: int, size: int) -> dict[str, float]:
    found = view.choices(selector)
    rows = cut([found[i] for i in view.counted(found)], size)
    counts = pd.Series([len(row) for row in rows], dtype=float)
    return {"selected": counts.mean(), "selected_sd": counts.std()}


def summary_table(
    cells: list[dict[str, Any]],
    measure: str | None,
    replication: pd.DataFrame,
    stability: pd.DataFrame,
    errors: pd.DataFrame,
) -> pd.DataFrame:
    """Put both stabilities and the lowest error of each selector and size side by side."""
    table = pd.DataFrame(cells, columns=["selector", "size", "selected", "selected_sd"])
    keys = summary_keys(measure)
    for found in (_second_study(replication, measure, keys), _usual(stability, measure, keys)):
        table = table.merge(found, on=keys, how="left")
    known = errors.dropna(subset="error")
    best = known.sort_values("error", kind="stable").drop_duplicates(["selector", "size"])
    wanted = ["selector", "size", "classifier", "error", "standard_error"]
    return table.merge(best[wanted], on=["selector", "size"], how="left")[SUMMARY_COLUMNS]


def _second_study(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the replication stability by one measure, all of it numbers."""
    chosen = table[table["measure"] == measure].rename(columns=REPLICATION)
    return chosen[[*keys, *REPLICATION.values()]].astype(dict.fromkeys(REPLICATION.values(), float))


def _usual(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the stability over the resamples by one measure."""
    chosen = table[table["measure"] == measure].rename(columns={"value": "stability"})
    return chosen[[*keys, "measure", "stability", "low", "high", "chance"]]


# A result as a table for a terminal: plain, and safe whatever the names hold.

NEW = (
    "Replication: how well the selections of two independent studies agree, with its 95% "
    "interval; predicted: the same for studies as large as this one."
)


def rich_table(title: str, caption: str, summary: pd.DataFrame) -> Table:
    """Return the summary for a terminal; names are text, whatever markup they look like."""
    from rich.table import Table  # noqa: PLC0415  (only who prints with rich needs it)
    from rich.text import Text  # noqa: PLC0415

    new = bool(summary["replication"].notna().any())
    columns = _columns(summary, new=new)
    told = f"{NEW} {caption}" if new else caption
    table = Table(*columns, title=Text(title), caption=Text(told))
    for row in summary.to_dict("records"):
        table.add_row(*(Text(show(row)) for show in columns.values()))
    return table


def _columns(summary: pd.DataFrame, *, new: bool) -> dict[str, Callable[[Row], str]]:
    """Return what stands in each column, by its title; what a second study finds comes first."""
    columns: dict[str, Callable[[Row], str]] = {
        "selector": lambda row: str(row["selector"]),
        "features": _size,
    }
    if new:
        halves = summary["replication_n"].max()
        columns[f"replication\nn = {halves:,.0f}"] = _interval("replication")
        columns["predicted"] = _interval("predicted")
        if (summary["replication_chance"].fillna(0.0) != 0).any():
            columns["two at\nrandom"] = lambda row: _number(row["replication_chance"], 2)
    columns["stability"] = lambda row: _number(row["stability"])
    if not new:
        columns["95% interval"] = _span
    if (summary["chance"] != 0).any():
        columns["by chance"] = lambda row: _number(row["chance"])
    return columns | {
        "best classifier": lambda row: _text(row["classifier"]),
        "error ± standard error": _error,
    }


def _interval(name: str) -> Callable[[Row], str]:
    """Return what shows a value and the ends of its interval."""

    def show(row: Row) -> str:
        value, low, high = (_number(row[key], 2) for key in (name, f"{name}_low", f"{name}_high"))
        return f"{value}\n[{low}, {high}]" if low and high else value

    return show


def _span(row: Row) -> str:
    low, high = _number(row["low"]), _number(row["high"])
    return f"{low} to {high}" if low and high else ""


def _error(row: Row) -> str:
    error, spread = _number(row["error"]), _number(row["standard_error"])
    return f"{error} ± {spread}" if error and spread else error


def _size(row: Row) -> str:
    """Return how many features; their mean number where the selector chooses it."""
    known = row["size"] == "own" and not math.isnan(row["selected"])
    return f"own, mean {row['selected']:.1f}" if known else str(row["size"])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object, digits: int = 3) -> str:
    """Return a number with so many decimals, nothing for a missing one."""
    if not isinstance(value, float) or math.isnan(value):
        return ""
    return f"{round(value, digits) + 0.0:.{digits}f}"  # no -0.000
