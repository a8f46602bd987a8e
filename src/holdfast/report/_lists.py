"""The longest list of each selector of which a share is expected to be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._text import plural
from holdfast.report._evidence import Evidence
from holdfast.report._plain import records
from holdfast.report._words import joined, listed
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._schema import Section
    from holdfast.study import Result


def longest_lists(evidence: Evidence, found_again: float) -> Section:
    """Return the lists as rows and as sentences."""
    rows = records(evidence.result.longest_lists(found_again))
    named = [{**row, "features": ", ".join(map(str, row["features"]))} for row in rows]
    return {"sentences": list(_sentences(evidence, rows, found_again)), "rows": named}


def longest_list_sentences(result: Result, found_again: float) -> list[str]:
    """Say how long the list of each selector may be, and what is on it."""
    rows = records(result.longest_lists(found_again))
    return list(_sentences(Evidence(result), rows, found_again))


def _sentences(evidence: Evidence, rows: list[dict[str, Any]], found_again: float) -> Iterator[str]:
    share = percent(found_again)
    if not rows:
        yield f"Which lists reach {share} is not known, as the chances of the features are not."
        return
    found = [row for row in rows if row["n_features"]]
    for row in found:
        count = plural(row["n_features"], "feature")
        yield (
            f"{evidence.title(row['selector'])}: at least {share} of {count} can be expected "
            f"again: {listed(row['features'])}."
        )
    without = [row["selector"] for row in rows if not row["n_features"]]
    if not found:
        yield f"No list of these data reaches {share}."
    elif without:
        titles = joined([evidence.title(name) for name in without], last="or")
        yield f"No list of {titles} reaches {share}."
