"""What is said where a selector found fewer features, or groups of them, than it was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Fewer(NamedTuple):
    """How many were found on a resample where more were asked for."""

    asked: int
    fewest: int
    most: int

    @property
    def number(self) -> str:
        """How many there were, as a number or a range."""
        return f"{self.most:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"

    @property
    def remark(self) -> str:
        """What a table remarks."""
        if self.most == 0:
            return "none was found"
        return f"only {self.number} {_verb(self.fewest, self.most)} found"

    @property
    def features(self) -> str:
        """The number of features in a sentence, beside what was asked for."""
        noun = "feature" if self.fewest == self.most == 1 else "features"
        asked = f"{self.asked:,} {_verb(self.asked, self.asked)} asked for"
        return f"{self.number} {noun} ({asked})"


def fewer(asked: int, sizes: Iterable[int]) -> Fewer | None:
    """Return how many were found on the resamples; None where all found as many as asked for.

    >>> fewer(8, [3, 3]).remark, fewer(2, [1]).remark, fewer(8, [2, 8]).remark, fewer(2, [2])
    ('only 3 were found', 'only 1 was found', 'only 2 to 8 were found', None)
    >>> fewer(8, [3, 3]).features
    '3 features (8 were asked for)'
    """
    found = [int(size) for size in sizes]
    if not found or min(found) >= asked:
        return None
    return Fewer(asked, min(found), max(found))


def _verb(fewest: int, most: int) -> str:
    return "was" if fewest == most == 1 else "were"
