"""Names in pictures: literal, on one line, and not too long."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 30
"""Widest name that is shown whole, in letters of usual width."""
BLANK = "(no name)"


def shown(name: object, most: int = MOST) -> str:
    """Return a name as pictures show it: what is too long loses its middle.

    Examples
    --------
    >>> from holdfast.plot._names import shown
    >>> shown("a very long name of a feature", most=15)
    'a very …feature'
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())
    if width(text) <= most:
        return text or BLANK
    head = _fitting(text, (most - 1) // 2)
    tail = _fitting(text[::-1], most - 1 - (most - 1) // 2)[::-1]
    return f"{head}…{tail}"


def shown_apart(names: Iterable[object], most: int = MOST) -> list[str]:
    """Return names as pictures show them; those that look alike when shortened are numbered."""
    whole = [str(name) for name in names]
    short = [shown(name, most) for name in whole]
    alike: dict[str, list[str]] = {}
    for name, text in zip(whole, short, strict=True):
        if name not in alike.setdefault(text, []):
            alike[text].append(name)
    return [
        text if len(alike[text]) == 1 else f"{text} ({alike[text].index(name) + 1})"
        for name, text in zip(whole, short, strict=True)
    ]


def width(text: str) -> int:
    """Return the width of a text in usual letters; those of East Asia are twice as wide."""
    return sum(map(_width_of, text))


def _width_of(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _fitting(text: str, room: int) -> str:
    """Return as much of the beginning as there is room for."""
    used = 0
    for position, letter in enumerate(text):
        used += _width_of(letter)
        if used > room:
            return text[:position]
    return text
