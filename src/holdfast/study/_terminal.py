"""A result as a table for a terminal: plain, and safe whatever the names hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from rich.table import Table

HEADS = {
    "selector": "selector",
    "size": "features",
    "stability": "stability",
    "interval": "95% interval",
    "chance": "by chance",
    "classifier": "best classifier",
    "error": "error ± standard error",
}


def rich_table(title: str, caption: str, summary: pd.DataFrame) -> Table:
    """Return the summary for a terminal; names are text, whatever markup they look like."""
    from rich.table import Table  # noqa: PLC0415  (only who prints with rich needs it)
    from rich.text import Text  # noqa: PLC0415

    table = Table(*HEADS.values(), title=Text(title), caption=Text(caption))
    for row in summary.to_dict("records"):
        table.add_row(*map(Text, _cells(row)))
    return table


def _cells(row: Mapping[Any, Any]) -> list[str]:
    low, high, error, spread = (
        _number(row[key]) for key in ("low", "high", "error", "standard_error")
    )
    return [
        str(row["selector"]),
        _size(row),
        _number(row["stability"]),
        f"{low} to {high}" if low and high else "",
        _number(row["chance"]),
        row["classifier"] if isinstance(row["classifier"], str) else "",
        f"{error} ± {spread}" if error and spread else error,
    ]


def _size(row: Mapping[Any, Any]) -> str:
    """Return how many features; their mean number where the selector chooses it."""
    known = row["size"] == "own" and not math.isnan(row["selected"])
    return f"own, mean {row['selected']:.1f}" if known else str(row["size"])


def _number(value: object) -> str:
    """Return a number with three decimals, nothing for a missing one."""
    return f"{value:.3f}" if isinstance(value, float) and value == value else ""  # noqa: PLR0124
