"""Words that the descriptions of protocols share."""

from __future__ import annotations

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


def lowered(sentence: str) -> str:
    """Return a sentence as part of another one."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
