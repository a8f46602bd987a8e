"""Small helpers for sentences that people read."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.measures import Measure


def format_list(items: Iterable[object], most: int = 5) -> str:
    """Join items by commas; past `most` of them, say how many more there are."""
    texts = [str(item) for item in items]
    extra = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {extra:,} more" if extra > 0 else "")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the nearest known name, or what is known.

    Upper and lower case are first told apart, then not.
    """
    names, given = sorted(known), str(name)
    near = difflib.get_close_matches(given, names, n=1) or difflib.get_close_matches(
        given.lower(), names, n=1
    )
    return f" Did you mean {near[0]!r}?" if near else f" Known: {format_list(names, most=60)}."


def plural(count: int, noun: str) -> str:
    """Return the count with its noun: ``1 feature``, ``2,000 features``."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


# Words that the descriptions of protocols share.

NOT_INDEPENDENT = (
    "this is not the stability between independent studies of that size, which is usually lower"
)


def kind_of(stratify: bool) -> str:
    """Return the adjective for resamples that keep the shares of the classes."""
    return "stratified " if stratify else ""


def percent(part: float) -> str:
    """Return a fraction between 0 and 1 as people write it: ``90%``, ``66.7%``, ``0.03%``.

    There are more digits where the fraction would else be written as none or all.
    """
    digits = next((d for d in range(1, 16) if 0 < round(100 * part, d) < 100), 1)
    return f"{100 * part:.{digits}f}".rstrip("0").rstrip(".") + "%"


def as_clause(sentence: str) -> str:
    """Return a sentence as part of another one."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


# Numbers in sentences.


def percent_words(share: float, decimals: int = 1) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{decimals}f}%"


def plus_minus(error: float, spread: float) -> str:
    """Return an error with its standard error, where there is one."""
    return percent_words(error) + ("" if math.isnan(spread) else f" ± {percent_words(spread)}")


def format_interval(low: float, high: float, measure: Measure) -> str:
    """Return an interval in brackets, cut to the range of its measure; nothing if there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    ends = (min(max(end, measure.minimum), measure.maximum) for end in (low, high))
    return " [{:.2f}, {:.2f}]".format(*ends)
