"""The section on groups: which features lie in one together, and how well groups match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.measures import get_measure
from holdfast.report._cells import some
from holdfast.report._evidence import MOST_MEMBERS
from holdfast.report._plain import records
from holdfast.report._words import called

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Groups, Section

COLUMNS = ["selector", "size", "measure", "value", "low", "high"]


def groups(evidence: Evidence) -> Groups | None:
    """Return what is known of groups; None where there are none, and none were measured."""
    table, measured = evidence.members, _measured(evidence)
    if table is None and measured is None:
        return None
    section: Groups = {"sentences": [], "rows": []}
    if table is not None:
        shown = records(table.head(MOST_MEMBERS))
        section = {"sentences": _told(evidence, table), "rows": [_row(one) for one in shown]}
    return section if measured is None else {**section, "measures": measured}


def _told(evidence: Evidence, table: pd.DataFrame) -> list[str]:
    selector = "" if evidence.cell is None else evidence.cell[0]
    shown = table.head(MOST_MEMBERS)
    together = int((shown["companions"].str.len() > 0).sum())
    often = " most often" if len(table) > len(shown) else ""
    count = f"{together:,}" if together < len(shown) else "all"
    what = (
        f"{evidence.spoken(selector)} selects groups of features; the table of "
        "features and the classifiers take one of each group, its representative. Which member "
        "that is may change while the group stays."
    )
    who = (
        f"Of the {len(shown):,} features that lay in selected groups{often}, {count} had "
        "companions: features that were in the same group at least half of the times."
    )
    return [what, who]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Return how often a feature was in a group, and with which others, as a table shows it."""
    others = [called(name) for name in row["companions"]]
    return {
        "feature": row["feature"],
        "member": row["member"],
        "representative": row["representative"],
        "companions": ", ".join(some(others, len(others))),
    }


def _measured(evidence: Evidence) -> Section | None:
    """Return what the measures of groups say of each selector at each size; None without any."""
    asked = map(get_measure, evidence.plan["measures"])
    names = [one.name for one in asked if one.form == "groups"]
    if not names:
        return None
    table = evidence.result.stability
    rows = records(table[table["measure"].isin(names)], COLUMNS)
    return {"sentences": [_matching(evidence, names)], "rows": rows} if rows else None


def _matching(evidence: Evidence, names: list[str]) -> str:
    text = "Measures of groups say how well the groups of different resamples match"
    if len(evidence.groupers) < len(evidence.result.selectors):
        text += "; the features of a selector that finds none count as groups of one"
    if not any(get_measure(name).corrected for name in names):
        text += "; the values are not corrected for chance"
    return f"{text}."
