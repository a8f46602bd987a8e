"""Which column of a table is the target, which are features, which are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from holdfast._text import did_you_mean, shortened
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._source import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Column: TypeAlias = str | int
TARGET = "class"  # the target where none is named
_NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the caller said about the columns of a table."""

    target: Any = None
    drop: tuple[Column, ...] = ()
    nominal: tuple[Column, ...] = ()
    groups: Column | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what differs from the defaults, as arguments of `read_data`."""
        said = {
            "target": self.target,
            "drop": list(self.drop),
            "nominal": list(self.nominal),
            "groups": self.groups,
        }
        return {key: value for key, value in said.items() if value not in (None, [])}


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Positions of columns by what they are; `nominal` are positions among all columns."""

    names: tuple[str, ...]
    target: int
    groups: int | None
    features: NDArray[np.intp]
    nominal: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self.names[column] for column in self.features)


def as_columns(value: Column | Iterable[Column]) -> tuple[Column, ...]:
    """Return one column or several as a tuple."""
    return (value,) if isinstance(value, str | int) else tuple(value)


def roles_of(
    where: str, names: Sequence[str], wishes: Wishes, declared: Iterable[int] = ()
) -> Roles:
    """Give each column its role; a first column without a name holds row labels.

    Parameters
    ----------
    where : str
        What messages call the table.
    names : sequence of str
        The names of the columns, each once.
    wishes : Wishes
        What the caller said.
    declared : iterable of int
        Columns that are nominal by the file itself, unless the caller gave them another role.
    """
    target = default_target(where, names) if wishes.target is None else position(
        where, names, wishes.target
    )  # fmt: skip
    given = {target: "target"}
    groups = None if wishes.groups is None else position(where, names, wishes.groups)
    if groups is not None:
        _give(where, names, given, groups, "groups")
    for role in ("drop", "nominal"):
        for column in getattr(wishes, role):
            _give(where, names, given, position(where, names, column), role)
    for column in declared:
        given.setdefault(column, "nominal")
    nominal = tuple(sorted(column for column, role in given.items() if role == "nominal"))
    labels = names[0] == "" and 0 not in given
    out = {column for column, role in given.items() if role != "nominal"} | (
        {0} if labels else set()
    )
    features = np.array([j for j in range(len(names)) if j not in out], dtype=np.intp)
    if not len(features):
        raise InvalidInputError(f"{where}: no column is left as a feature.")
    note = ("The first column has no name: it is taken as labels of the rows and left out.",)
    return Roles(
        names=tuple(names),
        target=target,
        groups=groups,
        features=features,
        nominal=nominal,
        notes=note if labels else (),
    )


def position(where: str, names: Sequence[str], column: object, noun: str = "column") -> int:
    """Return the position of a column by its name, or else by its number.

    Numbers count from 0, negative ones from the end. A column whose name is a number goes by
    its name first.
    """
    text = str(column)
    if text in names:
        return names.index(text)
    if not _NUMBER.fullmatch(text):
        raise UnknownNameError(
            f"{where}: there is no {noun} {shown(text)}.{did_you_mean(text, names)}"
        )
    number, count = int(text), len(names)
    if not -count <= number < count:
        raise UnknownNameError(
            f"{where}: there is no {noun} {shown(text)}: no name is the same, and numbers run "
            f"from 0 to {count - 1:,}, or from -1 back to -{count:,}."
        )
    return number % count


def default_target(where: str, names: Sequence[str]) -> int:
    """Return the position of the column called ``class``, in capitals if need be."""
    if TARGET in names:
        return names.index(TARGET)
    near = [j for j, name in enumerate(names) if name.lower() == TARGET]
    if len(near) == 1:
        return near[0]
    ends = shortened(map(repr, names), most=10)
    raise InvalidInputError(
        f"{where}: the target must be named, as no column is called {TARGET!r}; "
        f"the columns are {ends}. Name one, or give its number: -1 is the last."
    )


def _give(where: str, names: Sequence[str], given: dict[int, str], column: int, role: str) -> None:
    """Give a column a role; one column has one role."""
    if given.setdefault(column, role) != role:
        raise InvalidInputError(
            f"{where}: column {shown(names[column])} is given as {given[column]} "
            f"and as {role}; it can be one of them."
        )
