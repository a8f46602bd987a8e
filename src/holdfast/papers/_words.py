"""Sentences about a document, for the terminal, the page and the guide alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.papers._compare import OVERALL
from holdfast.papers._document import tally
from holdfast.papers._layout import NOTHING, number

if TYPE_CHECKING:
    from holdfast.papers._document import Document


def size_word(document: Document) -> str:
    """Say how large the run was."""
    return "full size" if document["full"] else "reduced size"


def summary(document: Document) -> str:
    """Say how many of the findings held, in the main setting."""
    counts = tally(document)
    total = sum(counts.values())
    if not total:
        return ""
    held, failed, open_ = counts.values()
    verb = "cannot be checked"
    return (
        f"Of {plural(total, 'finding')} of the paper, {held} held, {failed} did not"
        + (f", {open_} {verb}" if open_ else "")
        + ("." if len(document["settings"]) == 1 else " (in the main setting).")
    )


def agreement_sentence(document: Document) -> str:
    """Say how well numbers agree overall, in the main setting."""
    main = document["settings"][0]["name"]
    rows = [one for one in document["agreement"] if one["setting"] == main]
    if not rows:
        return ""
    row = rows[-1]
    share = row["part"] == OVERALL
    gap = row["mean_absolute_difference"]
    size = NOTHING if gap is None else f"{gap:.0%}" if share else number(gap, _decimals(document))
    correlation = row["rank_correlation"]
    ranks = "" if correlation is None else f", rank correlation {number(correlation, 2)}"
    what = " of their range" if share else ""
    return (
        f"Our numbers differ from the published ones by {size}{what} on average{ranks} "
        f"({plural(row['n'], 'pair')})."
    )


def _decimals(document: Document) -> int:
    return max(3, int(document["digits"]))


def data_sentences(document: Document) -> list[str]:
    """Say which data sets were used, how they differ from the paper's, and which are missing."""
    used = [one for one in document["data"] if one["used"]]
    absent = [one for one in document["data"] if not one["used"]]
    sentences = []
    if used:
        texts = [f"{one['name']} ({_size(one)})" for one in used]
        sentences.append(f"Data: {', '.join(texts)}.")
    if absent:
        texts = [f"{one['name']} ({one['why_not']})" for one in absent]
        sentences.append(f"Not used: {', '.join(texts)}.")
    return sentences


def _size(one: Document) -> str:
    size = f"{one['samples']:,} x {one['features']:,}"
    theirs = one.get("published")
    if theirs is None or theirs == [one["samples"], one["features"]]:
        return size
    return f"{size}; in the paper {theirs[0]:,} x {theirs[1]:,}"


def agreement_rows(document: Document) -> list[list[str]]:
    """Return how well numbers agree, as rows of text."""
    return [
        [
            one["setting"],
            str(one["part"]),
            str(one["n"]),
            number(one["mean_absolute_difference"], _decimals(document)),
            NOTHING if one["rank_correlation"] is None else number(one["rank_correlation"], 2),
        ]
        for one in document["agreement"]
    ]
