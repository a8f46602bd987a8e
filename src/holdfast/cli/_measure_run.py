"""Measures to compute, requested or applicable, and their output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from holdfast._formatting import plural
from holdfast.cli._output import Column, log_line, number, print_json, print_line, print_table
from holdfast.measures import get_measure, list_measures

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from holdfast.measures import Measure
    from holdfast.preferences import Rankings, Subsets, Weights

    AnyPreferences: TypeAlias = Subsets | Weights | Rankings


_OPTION_BY_NEED = {"n_features": "--n-features", "similarity": "--similarity"}


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """Preferences to measure, with similarities and the choice of correction, if requested."""

    preferences: AnyPreferences
    similarity: Any = None
    corrected: bool | None = None

    def get_missing_needs(self, measure: Measure) -> frozenset[str]:
        """Return the needs of a measure that are not met."""
        met = {"similarity"} if self.similarity is not None else set()
        if self.preferences.n_features is not None:
            met.add("n_features")
        sizes = getattr(self.preferences, "sizes", None)
        if sizes is None or sizes.min() == sizes.max():
            met.add("equal_sizes")
        needs = measure.needs | ({"n_features"} if self.corrected else set())
        return needs - met

    def explain_conflict(self, measure: Measure) -> str:
        """Return why a measure cannot be corrected, or left uncorrected, as requested."""
        if self.corrected in (None, measure.corrected) or "corrected" in measure.options:
            return ""
        return "cannot be corrected" if self.corrected else "is corrected by definition"


def get_requested_measures(names: Sequence[str], request: MeasureRequest) -> list[Measure]:
    """Return the measures of these names; raise if one cannot be computed as requested."""
    measures = [get_measure(name) for name in names]
    for measure in measures:
        problem = _explain_problem(measure, request)
        if problem:
            raise click.UsageError(f"{measure.name} {problem}.", click.get_current_context())
    return measures


def get_applicable_measures(request: MeasureRequest) -> list[Measure]:
    """Return all measures that can be computed; print which ones need an option."""
    table = list_measures()
    forms = _measurable_forms(request)
    measures = [get_measure(str(name)) for name in table.index[table["form"].isin(forms)]]
    reachable = [m for m in measures if request.get_missing_needs(m) <= {"n_features"}]
    conflicting = [measure for measure in reachable if request.explain_conflict(measure)]
    allowed = [measure for measure in reachable if not request.explain_conflict(measure)]
    applicable = [measure for measure in allowed if not request.get_missing_needs(measure)]
    incomplete = [measure for measure in allowed if request.get_missing_needs(measure)]
    _print_omitted(conflicting, f"as they {'cannot be' if request.corrected else 'are'} corrected")
    _print_omitted(incomplete, "as the number of features is not known (see --n-features)")
    if not applicable:
        raise click.UsageError("no measure is left to compute.", click.get_current_context())
    return applicable


def _measurable_forms(request: MeasureRequest) -> set[str]:
    form = request.preferences.form
    # weights are ranked for measures of rankings
    return {"weights", "ranking"} if form == "weights" else {form}


def _explain_problem(measure: Measure, request: MeasureRequest) -> str:
    if measure.form not in _measurable_forms(request):
        return (
            f"measures {measure.form}, the file was read as {request.preferences.form}: see --form"
        )
    missing = request.get_missing_needs(measure)
    options = [option for need, option in _OPTION_BY_NEED.items() if need in missing]
    needs = f"needs {' and '.join(options)}" if options else ""
    return request.explain_conflict(measure) or needs


def _print_omitted(measures: Sequence[Measure], why: str) -> None:
    if measures:
        log_line("note", f"left out {why}: {', '.join(measure.name for measure in measures)}.")


# Measured stability, as a table for people or as JSON.

_MEASURED_COLUMNS = (
    Column("measure"),
    Column("value", right=True),
    Column("low", right=True),
    Column("high", right=True),
    Column("chance", right=True),
    Column("range"),
    Column("note", free=True),
)


def print_measurement(
    preferences: Subsets | Weights | Rankings,
    table: pd.DataFrame,
    confidence: float,
    *,
    as_json: bool,
) -> None:
    """Print what was measured, and the values."""
    records = [_measure_record(str(name), row) for name, row in table.iterrows()]
    if as_json:
        print_json(
            {
                "form": preferences.form,
                "n_preferences": len(preferences),
                "n_features": preferences.n_features,
                "sizes": _size_range(preferences) if preferences.form == "subset" else None,
                "confidence": confidence,
                "measures": records,
            }
        )
        return
    print_line(f"{describe_preferences(preferences)}.\n")
    print_table(_MEASURED_COLUMNS, [_format_cells(record) for record in records])
    print_line(
        f"\nThe {100 * confidence:g}% intervals (low to high) cover repeating the same protocol "
        "on the same data; they do not cover new data."
    )


def describe_preferences(preferences: Subsets | Weights | Rankings) -> str:
    """Return in words what was measured."""
    count, known = len(preferences), preferences.n_features
    features = "an unknown number of features" if known is None else plural(known, "feature")
    if preferences.form == "weights":
        return f"{plural(count, 'vector')} of weights for {features}"
    if preferences.form == "ranking":
        return f"{plural(count, 'ranking')} of {features}"
    sizes = _size_range(preferences)
    low, high = sizes["min"], sizes["max"]
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{plural(count, 'selection')} of {size} out of {features}"


def _size_range(preferences: Any) -> dict[str, int]:  # noqa: ANN401
    return {"min": int(preferences.sizes.min()), "max": int(preferences.sizes.max())}


def _measure_record(name: str, row: pd.Series[Any]) -> dict[str, Any]:
    return {
        "name": name,
        **{key: float(row[key]) for key in ("value", "low", "high")},
        "interval": str(row["interval"]),
        **{key: float(row[key]) for key in ("chance", "chance_error", "minimum", "maximum")},
        "note": str(row["note"]),
    }


def _format_cells(record: dict[str, Any]) -> list[str]:
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
