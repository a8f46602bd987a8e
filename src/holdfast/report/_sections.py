"""Sections of sentences and numbers: profiles, similarity of selectors, stand-ins, failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._compared import compared, compared_size, size_of_pair
from holdfast.report._evidence import attempt
from holdfast.report._plain import records
from holdfast.report._words import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.judge import StabilityProfile
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Section

MOST = 200
"""Most rows of a table that a section shows."""
NO_KNOT = "no knot: "
OWN_SIZE = "no profile, as the number of features is chosen, not asked for"
EMPTY: Section = {"sentences": [], "rows": []}
"""A section that is left out."""
SHORTEST = 6
"""Fewest groups in which a knot can be seen: two, and twice as many after them."""
WHAT = (
    "that correlates with it by {} or more and is selected clearly more often without it than "
    "with it (Fisher's exact test, corrected for all correlated pairs)"
)


def profile(evidence: Evidence) -> Section:
    """Return how stability depends on the number of features, and where it breaks."""
    found = evidence.profile
    if found is None:
        return EMPTY
    if evidence.plan["data"]["n_features"] == 1:
        return EMPTY
    whole = found.knots.astype(dict.fromkeys(("size", "low", "high"), "Int64"))
    return {
        "sentences": [*_knots(evidence, found, _few_groups(evidence)), found.how],
        "rows": records(whole.drop(columns="sentence")),
        "numbers": records(found.table),
    }


def _few_groups(evidence: Evidence) -> dict[str, str]:
    """Say of the selectors that found but a few groups that these make no profile."""
    found = {name: evidence.fewer(name, evidence.result.depth) for name in evidence.groupers}
    return {
        name: f"there is no profile from so few groups ({short.remark})"
        for name, short in found.items()
        if short is not None and short.fewest < SHORTEST
    }


def _knots(evidence: Evidence, found: StabilityProfile, instead: dict[str, str]) -> Iterator[str]:
    """Say where each profile breaks; selectors of which the same is said stand together."""
    told = zip(found.knots["selector"], found.knots["sentence"], strict=True)
    left = ((name, OWN_SIZE) for name in found.left_out)
    names: dict[str, list[str]] = {}
    for name, sentence in (*told, *left):
        names.setdefault(instead.get(name, sentence), []).append(name)
    for sentence, same in names.items():
        why = sentence.removeprefix(NO_KNOT)
        who = joined([evidence.spoken(name) for name in same])
        head = f"No knot for {who}" if why != sentence else who
        yield f"{head}: {why}."


def similarity(evidence: Evidence) -> Section:
    """Return how alike selectors choose, against how alike each is to itself."""
    if len(evidence.result.selectors) < 2:
        return EMPTY
    size = compared_size(evidence)
    found = attempt(lambda: evidence.result.similarity(size=size), "the similarity of selectors")
    if found is None:
        return EMPTY
    told = [evidence.told(sentence) for sentence in found.sentences]
    rows = [
        {**row, "size": size_of_pair(evidence, row["first"], row["second"])}
        for row in records(found.table.head(MOST))
    ]
    how = f"Selectors are compared {compared(evidence, found.matrix.index)}."
    return {"sentences": [how, *told], "rows": rows}


def stand_ins(evidence: Evidence) -> Section:
    """Return the features that take each other's place, and what that does to stability."""
    found = evidence.stand_ins
    if found is None:
        return EMPTY
    count = found.table["feature"].nunique()
    if not count:
        return EMPTY
    told = [f"{_some(count)} a stand-in: one {WHAT.format(found.threshold)}.", found.sentence]
    note = f"{found.note[:1].upper()}{found.note[1:]}." if found.note else ""
    return {
        "sentences": [text for text in (*told, note) if text],
        "rows": records(found.table.head(MOST)),
        "numbers": records(found.stability),
    }


def _some(count: int) -> str:
    return "One frequent feature has" if count == 1 else f"{count:,} frequent features have"


def failures(evidence: Evidence) -> list[dict[str, Any]]:
    """Return what failed: each reason of each selector once, with the number of resamples."""
    table = evidence.result.failures
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    rows = kinds.reset_index().rename(columns={"count": "resamples", "min": "first"})
    return records(rows, ["selector", "resamples", "first", "message"])
