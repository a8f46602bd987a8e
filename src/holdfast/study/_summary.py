"""The summary: one line a selector and size, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.measures import get_measure
from holdfast.study._view import cut, size_label

if TYPE_CHECKING:
    from holdfast.study._view import View

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
COLUMNS = [
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
    return table.merge(best[wanted], on=["selector", "size"], how="left")[COLUMNS]


def _second_study(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the replication stability by one measure, all of it numbers."""
    chosen = table[table["measure"] == measure].rename(columns=REPLICATION)
    return chosen[[*keys, *REPLICATION.values()]].astype(dict.fromkeys(REPLICATION.values(), float))


def _usual(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the stability over the resamples by one measure."""
    chosen = table[table["measure"] == measure].rename(columns={"value": "stability"})
    return chosen[[*keys, "measure", "stability", "low", "high", "chance"]]
