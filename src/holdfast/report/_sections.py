"""Sections of sentences and numbers: profiles, similarity of selectors, stand-ins, failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._evidence import attempt
from holdfast.report._plain import records

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Section

MOST = 200
"""Most rows of a table that a section shows."""
WHAT = "that correlates with it by {} or more and is selected in its absence"


def profile(evidence: Evidence) -> Section:
    """Return how stability depends on the number of features, and where it breaks."""
    found = evidence.profile
    if found is None:
        return _without("There is no profile: it takes rankings of at least two resamples.")
    whole = found.knots.astype(dict.fromkeys(("size", "low", "high"), "Int64"))
    return {
        "sentences": [*found.sentences, found.how],
        "rows": records(whole.drop(columns="sentence")),
        "numbers": records(found.table),
    }


def similarity(evidence: Evidence) -> Section:
    """Return how alike selectors choose, against how alike each is to itself."""
    if len(evidence.result.selectors) < 2:
        return _without("There is one selector only, so there is none to compare it with.")
    found = attempt(evidence.result.similarity, "the similarity of selectors")
    if found is None:
        return _without("Selectors cannot be compared: too little is done.")
    return {"sentences": list(found.sentences), "rows": records(found.table.head(MOST))}


def stand_ins(evidence: Evidence) -> Section:
    """Return the features that take each other's place, and what that does to stability."""
    found = evidence.stand_ins
    if found is None:
        return _without("Stand-ins cannot be looked for: the data or the selections are missing.")
    count = found.table["feature"].nunique()
    told = [f"{_some(count)} a stand-in: one {WHAT.format(found.threshold)}.", found.sentence]
    note = f"{found.note[:1].upper()}{found.note[1:]}." if found.note else ""
    return {
        "sentences": [text for text in (*told, note) if text],
        "rows": records(found.table.head(MOST)),
        "numbers": records(found.stability),
    }


def _some(count: int) -> str:
    if not count:
        return "No frequent feature has"
    return "One frequent feature has" if count == 1 else f"{count:,} frequent features have"


def failures(evidence: Evidence) -> list[dict[str, Any]]:
    """Return what failed: each reason of each selector once, with the number of resamples."""
    table = evidence.result.failures
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    rows = kinds.reset_index().rename(columns={"count": "resamples", "min": "first"})
    return records(rows, ["selector", "resamples", "first", "message"])


def _without(sentence: str) -> Section:
    return {"sentences": [sentence], "rows": []}
