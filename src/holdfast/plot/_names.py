"""Names in pictures: literal, on one line, and not too long."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST = 30
"""Widest name that is shown whole, in letters of usual width."""
BLANK = "(no name)"
BREAKS = " _-.,:;/|"
"""Where names may be cut without splitting a word."""


def shown(name: object, most: int = MOST) -> str:
    """Return a name as pictures show it: what is too long loses its middle.

    Examples
    --------
    >>> from holdfast.plot._names import shown
    >>> shown("a very long name of a feature", most=15)
    'a very …feature'
    """
    text = _plain(name)
    if width(text) <= most:
        return text or BLANK
    head = _fitting(text, (most - 1) // 2)
    tail = _fitting(text[::-1], most - 1 - (most - 1) // 2)[::-1]
    return f"{head}…{tail}"


def shown_apart(names: Iterable[object], most: int = MOST) -> list[str]:
    """Return names as pictures show them; what is too long keeps what tells it from others.

    Names that look alike even so are numbered.

    Examples
    --------
    >>> from holdfast.plot._names import shown_apart
    >>> shown_apart([f"relieff with k={k} and the usual distance" for k in (5, 10)], most=20)
    ['relieff…k=5…distance', 'relieff…k=10…istance']
    """
    whole = [str(name) for name in names]
    distinct = list(dict.fromkeys(whole))
    short = {name: shown(name, most) for name in distinct}
    short |= _told_apart([name for name in distinct if width(_plain(name)) > most], most)
    numbered = _numbered(short)
    return [numbered[name] for name in whole]


def width(text: str) -> int:
    """Return the width of a text in usual letters; those of East Asia are twice as wide."""
    return sum(map(_width_of, text))


def _plain(name: object) -> str:
    """Return a name on one line, without what cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())


def _told_apart(names: Sequence[str], most: int) -> dict[str, str]:
    """Return short forms of long names; those that come out alike are compared once more."""
    short = dict(zip(names, _contrasted([_plain(name) for name in names], most), strict=True))
    for group in _alike(short):
        if len(group) < len(names):
            short |= _told_apart(group, most)
    return short


def _alike(short: Mapping[str, str]) -> list[list[str]]:
    """Return the names that share a short form, together."""
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _numbered(short: Mapping[str, str]) -> dict[str, str]:
    """Return short forms with a number behind those that several names share."""
    places = {name: i for group in _alike(short) for i, name in enumerate(group, start=1)}
    return {name: f"{text} ({places[name]})" if name in places else text
            for name, text in short.items()}  # fmt: skip


def _contrasted(texts: Sequence[str], most: int) -> list[str]:
    """Shorten texts at what they share: their common beginning and end."""
    if len(texts) < 2:  # nothing to compare with
        return [shown(text, most) for text in texts]
    start = _word_before(_shared(texts))
    rests = [text[len(start) :] for text in texts]
    end = _word_before(_shared([rest[::-1] for rest in rests]))[::-1]
    cores = [rest[: len(rest) - len(end)] for rest in rests]
    return [_framed(start, core, end, most) for core in cores]


def _shared(texts: Sequence[str]) -> str:
    """Return the beginning that all texts share."""
    first, last = min(texts), max(texts)
    same = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(same, min(len(first), len(last)))]


def _word_before(shared: str) -> str:
    """Return what is shared without the word that it ends in, if there are several words."""
    cut = max((shared.rfind(letter) for letter in BREAKS), default=-1)
    return shared[: cut + 1] if cut >= 0 else shared


def _framed(start: str, core: str, end: str, most: int) -> str:
    """Write what is special about a name between short forms of what it shares."""
    spare = most - width(core)
    if spare < 4:
        head = _cut(start, most // 4)
        return head + shown(core, most - width(head))
    head = _cut(start, max(spare // 2, spare - width(end)))
    return head + core + _cut(end[::-1], spare - width(head))[::-1]


def _cut(text: str, room: int) -> str:
    """Return as much of the beginning as fits, with a sign of what is left out."""
    return text if width(text) <= room else f"{_fitting(text, room - 1).rstrip()}…"


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
