"""The summary: one line a selector and size, for people."""

from __future__ import annotations

import pandas as pd

from holdfast.measures import get_measure

COLUMNS = [
    *("selector", "size", "measure", "stability", "low", "high", "chance"),
    *("classifier", "error", "standard_error"),
]


def chief_measure(measures: list[str]) -> str | None:
    """Return the measure that a summary shows, the first that goes by size; None without any."""
    names = [get_measure(name).name for name in measures]
    of_sizes = [name for name in names if get_measure(name).by_size]
    return next(iter(of_sizes or names), None)


def summary_table(
    cells: list[tuple[str, int | str]],
    measure: str | None,
    stability: pd.DataFrame,
    errors: pd.DataFrame,
) -> pd.DataFrame:
    """Put the stability and the lowest error of each selector and size side by side."""
    table = pd.DataFrame(cells, columns=["selector", "size"])
    chosen = stability[stability["measure"] == measure].rename(columns={"value": "stability"})
    keys = ["selector", "size"]
    if measure is not None and not get_measure(measure).by_size:
        keys = ["selector"]  # measured once, on all features
    wanted = [*keys, "measure", "stability", "low", "high", "chance"]
    table = table.merge(chosen[wanted], on=keys, how="left")
    known = errors.dropna(subset="error")
    best = known.sort_values("error", kind="stable").drop_duplicates(["selector", "size"])
    wanted = ["selector", "size", "classifier", "error", "standard_error"]
    return table.merge(best[wanted], on=["selector", "size"], how="left")[COLUMNS]
