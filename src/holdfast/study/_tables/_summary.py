"""The summary of a study: one row per selector and size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.measures import get_measure
from holdfast.study._storage._reader import StudyReader, cut, size_label

if TYPE_CHECKING:
    pass

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
