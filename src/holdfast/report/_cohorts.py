"""The table of cohorts as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._cells import cell, hundredths, interval, p_value

if TYPE_CHECKING:
    from holdfast.report._schema import Section


def cohort_section(section: Section) -> Section:
    """Return the section with the numbers of each pair as text, under headings to read."""
    return {**section, "rows": list(map(_pair, section["rows"]))}


def _pair(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "first cohort": row["cohort_a"],
        "samples (first)": cell(row["n_a"]),
        "second cohort": row["cohort_b"],
        "samples (second)": cell(row["n_b"]),
        "agreement": hundredths(row["value"]),
        "expected": hundredths(row["expected"]),
        "95% range": interval(row["low"], row["high"], None),
        "p": p_value(row["p_value"]),
        "shuffles": cell(row["n_shuffles"]),
    }
