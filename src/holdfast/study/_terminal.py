"""A result as a table for a terminal: plain, and safe whatever the names hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from rich.table import Table

    Row = Mapping[Any, Any]

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
