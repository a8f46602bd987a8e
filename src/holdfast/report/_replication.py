"""Would a second study find these features? Replication stability, and how cohorts agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from holdfast._text import plural
from holdfast.judge._replication._planning import plan_samples
from holdfast.measures import get_measure
from holdfast.report._evidence import attempt
from holdfast.report._names import set_apart
from holdfast.report._plain import records
from holdfast.report._second import WHY_DIFFERENT
from holdfast.report._selectors import title_of_row
from holdfast.report._words import known, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import ReplicationRow, SecondStudy, Section

GOOD = 0.8
"""Replication stability that samples are planned for."""
KEYS = ("replication", "replication_low", "replication_high")
AHEAD = ("predicted", "predicted_low", "predicted_high")
USUAL = ("stability", "low", "high")


def second_study(evidence: Evidence) -> SecondStudy:
    """Return what is known of a second study, by selector and size."""
    rows = _rows(evidence)
    sentences = list(_told(evidence) if rows else _untold(evidence))
    found: SecondStudy = {
        "measure": _measure(evidence),
        "n_samples": _common(evidence, "n_samples"),
        "at": _common(evidence, "at"),
        "noun": evidence.noun,
        "sentences": sentences,
        "rows": rows,
    }
    if evidence.replication is not None:
        found["curve"] = records(evidence.replication.curve)
    if (cohorts := _cohorts(evidence)) is not None:
        found["cohorts"] = cohorts
    return found


def _measure(evidence: Evidence) -> str | None:
    measures = evidence.result.summary()["measure"].dropna()
    return str(measures.iloc[0]) if len(measures) else None


def _common(evidence: Evidence, column: str) -> int | None:
    """Return the number of samples of the estimates, which all have the same."""
    known_ones = evidence.result.replication[column].dropna()
    return int(known_ones.max()) if len(known_ones) else None


def _rows(evidence: Evidence) -> list[ReplicationRow]:
    """Return the selectors and sizes in the order of the study; none if nothing was estimated."""
    rows = records(evidence.result.summary())
    if not any(known(row["replication"]) for row in rows):
        return []
    return [_row(evidence, row) for row in rows]


def _row(evidence: Evidence, row: dict[str, Any]) -> ReplicationRow:
    cell = (row["selector"], row["size"])
    return {
        "selector": row["selector"],
        "title": title_of_row(evidence, row["selector"]),
        "size": row["size"],
        **{key: row[key] for key in (*KEYS, *AHEAD, *USUAL)},  # type: ignore[typeddict-item]
        "recommended": evidence.choice is not None and cell == evidence.cell,
    }


def _told(evidence: Evidence) -> Iterator[str]:
    table, halves = evidence.result.replication, _common(evidence, "n_samples") or 0
    record = get_measure(_measure(evidence) or "")
    pairs = plural(int(table["n_pairs"].max()), "time")
    yield (
        f"Replication stability says how well the selections of two independent studies agree, "
        f"by {record.name} ({record.title}). The {evidence.noun}s were split {pairs} into "
        f"disjoint halves, of {halves:,} each: like two studies, these have none in common. The "
        f"mean agreement estimates that of two studies of {plural(halves, evidence.noun)} without "
        "bias; its 95% interval speaks about other data, not about other splits."
    )
    if (at := _common(evidence, "at")) is not None:
        yield (
            f"For two studies of {plural(at, evidence.noun)}, as many as there are, it is "
            "predicted by a curve through the agreement of quarters, three eighths and halves."
        )
    yield f"The usual stability, over the resamples, differs, as {WHY_DIFFERENT}."
    yield from _needed(evidence)
    yield from _notes(evidence)


def _needed(evidence: Evidence) -> Iterator[str]:
    """Say how many samples the recommended pair would need for a good replication stability."""
    found = evidence.replication
    if found is None:
        return
    plan = attempt(lambda: plan_samples(found, target=GOOD), "a plan of samples")
    if plan is None:
        return
    if math.isinf(plan.needed):
        yield f"A replication stability of {GOOD} is not predicted for any size of study."
        return
    fewest = int(found.points["n_samples"].min())
    low, about, high = (
        _counted(one, fewest) for one in (plan.needed_low, plan.needed, plan.needed_high)
    )
    ends = f"{low} to {high}"
    if math.isinf(plan.needed_high):
        ends = f"{low} or more" if plan.needed_low >= fewest else "open at both ends"
    yield (
        f"For a replication stability of {GOOD}, each of two studies is predicted to need {about} "
        f"{evidence.noun}s (95% interval {ends})."
    )


def _counted(needed: float, fewest: int) -> str:
    """Return a number of samples; below the smallest parts that were looked at, only that."""
    return f"fewer than {fewest:,}" if needed < fewest else f"{needed:,.0f}"


def _notes(evidence: Evidence) -> Iterator[str]:
    """Tell each note once, with the selectors that it is about."""
    table = evidence.result.replication
    table = table[table["measure"] == _measure(evidence)]
    for note, rows in table[table["note"].fillna("") != ""].groupby("note", sort=False):
        whose = "" if len(rows) == len(table) else f" ({listed(rows['selector'].unique())})"
        yield f"Please note{whose}: {str(note).removesuffix('.')}."


def _untold(evidence: Evidence) -> Iterator[str]:
    if evidence.drawn:
        count = plural(int(evidence.plan["data"]["n_samples"]), "sample")
        yield (
            "Each resample is an independent sample, so the stability of this study is its "
            f"replication stability: how well two independent studies of {count} agree."
        )
        return
    yield (
        f"Replication stability, how well the selections of two independent studies agree, was "
        f"not estimated: {evidence.why_no_second}. The stability over the resamples differs "
        f"from it, as {WHY_DIFFERENT}."
    )
    yield from _notes(evidence)


def _cohorts(evidence: Evidence) -> Section | None:
    """Return how well cohorts agree, beside what samples of one population would."""
    found = evidence.cohorts
    if found is None:
        return None
    return {
        "sentences": [set_apart(text, found.cohorts) for text in found.sentences],
        "rows": records(found.pairs),
        "numbers": records(found.features),
    }
