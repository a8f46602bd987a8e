"""Selections as found in a file, checked row by row so that messages can name the line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.io._source import first_repeat, shown
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.io._source import Source

_LARGEST_INDEX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Selections:
    """Rows of indices or of names, and where they stand in the file.

    Attributes
    ----------
    rows : list of lists
        Indices, or names throughout.
    where : callable
        Takes a row and an item of it, returns the line.
    names : sequence of str or None
        Names of all features, in order, where the file lists them.
    n_features : int or None
        Number of features, where the file says it.
    """

    rows: list[list[Any]]
    where: Callable[[int, int], int]
    names: Sequence[str] | None = None
    n_features: int | None = None

    @property
    def by_name(self) -> bool:
        """Whether rows hold names, numbered in the order in which they turn up."""
        return any(isinstance(item, str) for row in self.rows for item in row)


def to_subsets(
    source: Source,
    found: Selections,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
) -> Subsets:
    """Check all rows and build the subsets."""
    if not found.rows:
        raise source.error("at least one selection is needed, got none.")
    if feature_names is not None and found.names is not None:
        found = _renumbered(source, found, feature_names)
    names = feature_names if feature_names is not None else found.names
    count = _agreed_count(source, found, n_features, names)
    _check_rows(source, found, count, names)
    try:
        return Subsets(found.rows, n_features=count, feature_names=names)
    except InvalidInputError as error:
        raise source.error(str(error)) from error


def _agreed_count(
    source: Source, found: Selections, asked: int | None, names: Sequence[str] | None
) -> int | None:
    """Return the number of features that the file and the caller agree on."""
    told = found.n_features if names is None else len(names)
    if asked is not None and told is not None and asked != told:
        raise source.error(
            f"n_features must be the {told:,} that the file tells, got {asked:,}; "
            "leave it out or correct it."
        )
    return asked if told is None else told


def _renumbered(source: Source, found: Selections, names: Sequence[str]) -> Selections:
    """Return rows of names where the file numbers its features otherwise than `names` does."""
    own = found.names or ()
    _check_rows(source, found, len(own), own)
    if set(own) != set(names):
        odd = min(set(own) ^ set(names))
        raise source.error(
            f"the features must be the {len(names):,} of the similarity matrix, got "
            f"{len(own):,} of which some differ, such as {shown(odd)}."
        )
    rows = [[item if isinstance(item, str) else own[item] for item in row] for row in found.rows]
    return Selections(rows, found.where, None, found.n_features)


def _check_rows(
    source: Source, found: Selections, count: int | None, names: Sequence[str] | None
) -> None:
    known: dict[str, int] = {name: i for i, name in enumerate(names or ())}
    for position, row in enumerate(found.rows):
        if len(set(row)) < len(row):
            item = first_repeat(row)
            raise source.error(_repeated(row, item), found.where(position, item))
        for item, value in enumerate(row):
            if isinstance(value, str):
                wrong = _odd_name(value, known, count, closed=names is not None)
            else:
                wrong = _odd_index(value, count)
            if wrong:
                raise source.error(wrong, found.where(position, item))


def _repeated(row: list[Any], item: int) -> str:
    hint = "; drop the repeat."
    if {str(value) for value in row} <= {"0", "1"}:
        hint = " (a matrix of 0 and 1? give it a header of names and save it as .csv)."
    return f"a feature may stand once in a selection, got {shown(row[item])} again{hint}"


def _odd_index(value: int, count: int | None) -> str:
    highest = _LARGEST_INDEX if count is None else count - 1
    if 0 <= value <= highest:
        return ""
    allowed = "0 or more" if count is None and value < 0 else f"0 to {highest:,}"
    return (
        f"indices of features run from {allowed}, got {shown(value)}; "
        "names that look like numbers are read from JSON, in quotes."
    )


def _odd_name(name: str, known: dict[str, int], count: int | None, *, closed: bool) -> str:
    """Say what is wrong with a name; learn a new one while the list is not closed."""
    if name in known:
        return ""
    if closed:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {shown(near[0])}?" if near else "."
        return f"a name must be among the {plural(len(known), 'feature')}, got {shown(name)}{hint}"
    known[name] = len(known)
    if count is None or len(known) <= count:
        return ""
    return (
        f"at most {plural(count, 'different name')} may occur, as n_features says, "
        f"got one more: {shown(name)}."
    )
