"""The verdict beside the truth, for simulated data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._text import plural
from holdfast.report._words import listed

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Section


def truth(evidence: Evidence) -> Section | None:
    """Return how many of the features found truly matter; None where that is not known."""
    if evidence.result.truth is None:
        return None
    lists = _lists(evidence)
    return {
        "sentences": _sentences(evidence),
        "rows": [_row(evidence, what, names) for what, names in lists.items()],
    }


def _lists(evidence: Evidence) -> dict[str, list[str]]:
    found = [str(name) for name in evidence.found["feature"]]
    size = round(float(evidence.found["frequency"].sum()))
    return {
        "trusted": evidence.trusted,
        f"the {size:,} most frequent": found[:size],
        "selected at least once": found,
    }


def _row(evidence: Evidence, what: str, names: Collection[str]) -> dict[str, Any]:
    hits = len(evidence.truth.intersection(names))
    return {
        "list": what,
        "features": len(names),
        "informative": hits,
        "noise": len(names) - hits,
    }


def _sentences(evidence: Evidence) -> list[str]:
    count, total = len(evidence.truth), evidence.plan["data"]["n_features"]
    verb = "differs" if count == 1 else "differ"
    known = f"{plural(count, 'feature')} of {total:,} {verb} between the classes"
    told = f"These data were simulated, so the truth is known: {known}."
    return [told, *_about_trusted(evidence)]


def _about_trusted(evidence: Evidence) -> list[str]:
    names = evidence.trusted
    false = [name for name in names if name not in evidence.truth]
    if not names:
        return ["No feature is trusted, so none is trusted in error."]
    hits = len(names) - len(false)
    verb = "matters" if hits == 1 else "matter"
    errors = f"; trusted in error: {listed(false)}" if false else ", none is trusted in error"
    told = [f"Of the {plural(len(names), 'trusted feature')}, {hits:,} truly {verb}{errors}."]
    missed = len(evidence.truth) - hits
    if missed:
        told.append(
            f"{plural(missed, 'informative feature')} {'is' if missed == 1 else 'are'} not among "
            "them: a short list that is selected again and again need not be a full one."
        )
    return told
