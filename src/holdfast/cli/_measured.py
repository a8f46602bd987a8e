"""Measured stability, as a table for people or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast._text import plural
from holdfast.cli._print import Column, number, print_json, print_table

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.preferences import Rankings, Subsets, Weights

_COLUMNS = (
    Column("measure"),
    Column("value", right=True),
    Column("low", right=True),
    Column("high", right=True),
    Column("chance", right=True),
    Column("range"),
    Column("note", free=True),
)
_NUMBERS = ("value", "low", "high", "chance", "chance_error", "minimum", "maximum")


def print_measured(
    preferences: Subsets | Weights | Rankings,
    table: pd.DataFrame,
    confidence: float,
    *,
    as_json: bool,
) -> None:
    """Print what was measured and the numbers."""
    records = [_record(str(name), row) for name, row in table.iterrows()]
    if as_json:
        print_json(_document(preferences, records, confidence))
        return
    click.echo(f"{described(preferences)}.\n")
    print_table(_COLUMNS, [_cells(record) for record in records])
    click.echo(
        f"\nThe {100 * confidence:g}% intervals (low to high) cover repeating the same protocol "
        "on the same data; they do not cover new data."
    )


def described(preferences: Subsets | Weights | Rankings) -> str:
    """Say in words what was measured."""
    count, known = len(preferences), preferences.n_features
    features = "an unknown number of features" if known is None else plural(known, "feature")
    if preferences.form == "weights":
        return f"{plural(count, 'vector')} of weights for {features}"
    if preferences.form == "ranking":
        return f"{plural(count, 'ranking')} of {features}"
    sizes = _sizes(preferences)
    low, high = sizes["min"], sizes["max"]
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{plural(count, 'selection')} of {size} out of {features}"


def _sizes(preferences: Any) -> dict[str, int]:  # noqa: ANN401
    return {"min": int(preferences.sizes.min()), "max": int(preferences.sizes.max())}


def _record(name: str, row: pd.Series[Any]) -> dict[str, Any]:
    numbers = {key: float(row[key]) for key in _NUMBERS}
    return {
        "name": name,
        **{key: numbers[key] for key in ("value", "low", "high")},
        "interval": str(row["interval"]),
        **{key: numbers[key] for key in ("chance", "chance_error", "minimum", "maximum")},
        "note": str(row["note"]),
    }


def _document(
    preferences: Subsets | Weights | Rankings, records: list[dict[str, Any]], confidence: float
) -> dict[str, Any]:
    return {
        "form": preferences.form,
        "n_preferences": len(preferences),
        "n_features": preferences.n_features,
        "sizes": _sizes(preferences) if preferences.form == "subset" else None,
        "confidence": confidence,
        "measures": records,
    }


def _cells(record: dict[str, Any]) -> list[str]:
    notes = [record["note"]]
    if record["chance_error"] > 0:
        notes.append(f"chance level simulated, +/- {number(record['chance_error'])}")
    return [
        record["name"],
        number(record["value"]),
        number(record["low"]),
        number(record["high"]),
        number(record["chance"]),
        f"{record['minimum']:g} to {record['maximum']:g}",
        "; ".join(filter(None, notes)),
    ]
