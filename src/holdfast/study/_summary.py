"""The summary: one line a selector and size, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.measures import get_measure
from holdfast.study._view import cut, size_label

if TYPE_CHECKING:
    from holdfast.study._view import View

COLUMNS = [
    *("selector", "size", "selected", "selected_sd"),
    *("measure", "stability", "low", "high", "chance"),
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
        {"selector": name, "size": size_label(size), **_selected(view, selector, size)}
        for selector, name in enumerate(view.selectors)
        for size in view.sizes(selector)
    ]


def _selected(view: View, selector: int, size: int) -> dict[str, float]:
    found = view.choices(selector)
    rows = cut([found[i] for i in view.counted(found)], size)
    counts = pd.Series([len(row) for row in rows], dtype=float)
    return {"selected": counts.mean(), "selected_sd": counts.std()}


def summary_table(
    cells: list[dict[str, Any]],
    measure: str | None,
    stability: pd.DataFrame,
    errors: pd.DataFrame,
) -> pd.DataFrame:
    """Put the stability and the lowest error of each selector and size side by side."""
    table = pd.DataFrame(cells, columns=["selector", "size", "selected", "selected_sd"])
    chosen = stability[stability["measure"] == measure].rename(columns={"value": "stability"})
    keys = summary_keys(measure)
    wanted = [*keys, "measure", "stability", "low", "high", "chance"]
    table = table.merge(chosen[wanted], on=keys, how="left")
    known = errors.dropna(subset="error")
    best = known.sort_values("error", kind="stable").drop_duplicates(["selector", "size"])
    wanted = ["selector", "size", "classifier", "error", "standard_error"]
    return table.merge(best[wanted], on=["selector", "size"], how="left")[COLUMNS]
