"""Words that the descriptions of protocols share."""

from __future__ import annotations

NOT_INDEPENDENT = (
    "this is not the stability between independent studies of that size, which is usually lower"
)


def kind_of(stratify: bool) -> str:
    """Return the adjective for resamples that keep the shares of the classes."""
    return "stratified " if stratify else ""


def percent(part: float) -> str:
    """Return a fraction as people write it: ``90%``, ``66.7%``."""
    return f"{round(100 * part, 1):g}%"


def lowered(sentence: str) -> str:
    """Return a sentence as part of another one."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
