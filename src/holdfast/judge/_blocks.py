"""Work on many columns in blocks, so that memory stays small."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CELLS = 2**22  # numbers that are looked at together


def blocks(count: int, each: int) -> Iterator[slice]:
    """Cut `count` things, of `each` numbers every one, into blocks of not too many numbers."""
    height = max(1, CELLS // max(each, 1))
    return (slice(start, min(start + height, count)) for start in range(0, count, height))
