"""How columns are named by the caller, and the one role that each of them may have."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, cast

from holdfast._text import did_you_mean, shortened
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._source import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Column: TypeAlias = str | int
TARGET = "class"  # the target where none is named
_NUMBER = re.compile(r"-?[0-9]{1,9}")


def as_column(role: str, value: object) -> Column:
    """Return what the caller calls a column by, such that JSON can hold it."""
    if isinstance(value, str):
        return str(value)
    try:
        if not isinstance(value, bool):
            return operator.index(cast("SupportsIndex", value))
    except TypeError:
        pass
    raise InvalidInputError(
        f"{role}: a column goes by its name, which is text, or by its number, a whole one; "
        f"got {shown(value)} ({type(value).__name__})."
    )


def as_columns(role: str, value: Column | Iterable[Column]) -> tuple[Column, ...]:
    """Return one column or several as a tuple."""
    try:
        several = (
            [value] if isinstance(value, str | bytes) else list(cast("Iterable[Column]", value))
        )
    except TypeError:  # a number
        several = [cast("Column", value)]
    return tuple(as_column(role, column) for column in several)


class Columns:
    """The columns of a table and what the caller made of them; one column has one role."""

    def __init__(self, where: str, names: Sequence[str], noun: str = "column") -> None:
        self._where, self._names, self._noun = where, names, noun
        self._positions = {name: position for position, name in enumerate(names)}
        self._roles: dict[int, str] = {}

    def give(self, role: str, column: Column) -> int:
        """Give a column a role and return its position; refuse a second role."""
        found = self._position(column)
        if self._roles.setdefault(found, role) != role:
            raise InvalidInputError(
                f"{self._where}: {self._noun} {shown(self._names[found])} is given as "
                f"{self._roles[found]} and as {role}; it can be one of them."
            )
        return found

    def give_target(self, column: Column | None) -> int:
        """Make a column the target; without one, that which is called ``class``."""
        if column is None:
            column = self._names[default_target(self._where, self._names)]
        return self.give("target", column)

    def give_rest(self, role: str, columns: Iterable[int]) -> None:
        """Give a role to columns that have none yet, by position."""
        for column in columns:
            self._roles.setdefault(column, role)

    def having(self, *roles: str) -> tuple[int, ...]:
        """Return the positions of the columns of some roles, in order."""
        return tuple(sorted(column for column, role in self._roles.items() if role in roles))

    def _position(self, column: Column) -> int:
        """Return the position of a column by its name, or else by its number.

        Numbers count from 0, negative ones from the end. A column whose name is a number goes by
        its name first.
        """
        text = str(column)
        if text in self._positions:
            return self._positions[text]
        missing = f"{self._where}: there is no {self._noun} {shown(text)}"
        if not _NUMBER.fullmatch(text):
            raise UnknownNameError(f"{missing}.{did_you_mean(text, self._names)}")
        number, count = int(text), len(self._names)
        if not -count <= number < count:
            raise UnknownNameError(
                f"{missing}: no name is the same, and numbers run from 0 to {count - 1:,}, or from "
                f"-1 back to -{count:,}."
            )
        return number % count


def default_target(where: str, names: Sequence[str]) -> int:
    """Return the position of the column called ``class``, in capitals if need be."""
    if TARGET in names:
        return names.index(TARGET)
    near = [j for j, name in enumerate(names) if name.lower() == TARGET]
    if len(near) == 1:
        return near[0]
    reason = f"{len(near)} columns are" if near else "no column is"
    ends = shortened(map(repr, names), most=10)
    raise InvalidInputError(
        f"{where}: the target must be named, as {reason} called {TARGET!r}; "
        f"the columns are {ends}. Name one, or give its number: -1 is the last."
    )
