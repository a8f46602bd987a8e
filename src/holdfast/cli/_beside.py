"""What the closing table is followed by where it applies: cohorts, and intervals that are wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.errors import HoldfastError
from holdfast.report._names import plain_text
from holdfast.study._until import FACT, is_narrow, too_wide_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.study import Result


def cohorts_told(result: Result, choice: Recommendation | None) -> Iterator[str]:
    """Say how cohorts agree on the recommended features, else on those of the first selector."""
    if not len(result.cohorts):
        return
    first = result.cohorts[["selector", "size"]].iloc[0].tolist()
    selector, size = first if choice is None else (choice.selector, choice.size)
    try:
        found = result.compare_cohorts(selector, size).sentences
    except HoldfastError as error:
        found = (str(error),)
    many = "its own size" if size == "own" else plural(int(size), "feature")
    yield plain_text(f"Cohorts by {selector}, {many}: {' '.join(found)}")


def too_wide(result: Result, summary: pd.DataFrame) -> Iterator[str]:
    """Say that a study had to stop before its intervals were as narrow as asked."""
    fact = result.store.fact(FACT)
    if fact is None or not fact["stopped"]:
        return
    done = int(result.plan["protocol"]["resamples"])
    table = summary.assign(resamples=done, width=summary["high"] - summary["low"])
    if not is_narrow(table, fact["width"]):
        yield f"Wider than asked: {too_wide_sentence(table, fact['width'])}"
