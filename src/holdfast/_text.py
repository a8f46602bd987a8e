"""Small helpers for sentences that people read."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def shortened(items: Iterable[object], most: int = 5) -> str:
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
    return f" Did you mean {near[0]!r}?" if near else f" Known: {shortened(names, most=60)}."


def plural(count: int, noun: str) -> str:
    """Return the count with its noun: ``1 feature``, ``2,000 features``."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
