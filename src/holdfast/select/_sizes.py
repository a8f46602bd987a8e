"""How many features a subset may have: the best number, a given one, or one within a range."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from holdfast._checks import whole
from holdfast._spelling import parse_call
from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import count_of

NAME = "n_features_to_select"


class Sizes(NamedTuple):
    """The smallest and the largest size that a chosen subset may have."""

    low: int
    high: int

    def allow(self, size: int) -> bool:
        """Tell whether a subset of this size may be chosen."""
        return self.low <= size <= self.high

    @classmethod
    def of(cls, given: Any, least: int, most: int) -> Sizes:  # noqa: ANN401
        """Read what `n_features_to_select` says.

        Parameters
        ----------
        given : None, int, float, (int, int) or str
            Any size; a count or a fraction; a range, on the command line spelled ``(2,8)``.
        least, most : int
            The sizes that are possible at all.
        """
        if given is None:
            return cls(least, most)
        if isinstance(given, str):
            given = _spelled(given)
        if not isinstance(given, tuple | list | np.ndarray):
            counted = isinstance(given, int | np.integer)
            size = whole(given, NAME, 1) if counted else count_of(given, most, NAME)
            return cls(size, size)._checked(given, least, most)
        if len(given) != 2:
            raise InvalidInputError(f"{NAME} as a range must be (low, high); received {given!r}.")
        low, high = (whole(one, NAME, 1) for one in given)
        return cls(low, high)._checked(given, least, most)

    def _checked(self, given: Any, least: int, most: int) -> Sizes:  # noqa: ANN401
        if least <= self.low <= self.high <= most:
            return self
        raise InvalidInputError(
            f"{NAME} must lie between {least:,} and {most:,} (forced and constant features "
            f"considered), a range with the smaller number first; received {given!r}."
        )


def _spelled(text: str) -> list[Any]:
    """Take ``(low,high)`` apart."""
    if not text.strip().startswith("("):
        raise InvalidInputError(
            f"{NAME} must be a number, a range (low, high), or None; received {text!r}."
        )
    return parse_call(f"range{text.strip()}")[1]
