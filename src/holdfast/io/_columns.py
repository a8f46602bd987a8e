"""How columns are named by the caller, and the one role that each of them may have."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, cast

import numpy as np

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._dataset import Dataset
from holdfast.io._text_files import quote_value
from holdfast.io._values import first_missing, number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Sized

    from numpy.typing import NDArray

    from holdfast.errors import HoldfastError

    Error: TypeAlias = Callable[[str], HoldfastError]


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
        f"got {quote_value(value)} ({type(value).__name__})."
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


class ColumnAssignment:
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
                f"{self._where}: {self._noun} {quote_value(self._names[found])} is given as "
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
        missing = f"{self._where}: there is no {self._noun} {quote_value(text)}"
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
    ends = format_list(map(repr, names), most=10)
    raise InvalidInputError(
        f"{where}: the target must be named, as {reason} called {TARGET!r}; "
        f"the columns are {ends}. Name one, or give its number: -1 is the last."
    )


# Which column of a table is the target, which are features, which are left out.

_ROW_LABELS = "row labels"


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the caller said about the columns of a table."""

    target: Any = None
    drop: tuple[Column, ...] = ()
    nominal: tuple[Column, ...] = ()
    groups: Column | None = None
    cohort: Column | None = None
    classes: bool = False
    """Whether the numbers of the target are class labels."""

    def as_json(self) -> dict[str, Any]:
        """Return what differs from the defaults, as arguments of `read_data`."""
        said = {
            "target": self.target,
            "drop": list(self.drop),
            "nominal": list(self.nominal),
            "groups": self.groups,
            "cohort": self.cohort,
            "classes": self.classes or None,
        }
        return {key: value for key, value in said.items() if value not in (None, [])}


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Positions of columns by what they are; `nominal` are positions among all columns."""

    names: tuple[str, ...]
    target: int
    features: NDArray[np.intp]
    nominal: tuple[int, ...]
    groups: int | None = None
    cohort: int | None = None
    classes: bool = False
    """Whether the caller or the file declares the target's values as class labels."""
    notes: tuple[str, ...] = ()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self.names[column] for column in self.features)

    @property
    def labels(self) -> dict[str, int]:
        """The columns that become labels of a data set, by the name of its field."""
        found = {"y": self.target, "groups": self.groups, "cohorts": self.cohort}
        return {name: column for name, column in found.items() if column is not None}


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
    columns = ColumnAssignment(where, names)
    declared = tuple(declared)
    target = columns.give_target(wishes.target)
    groups, cohort = give_beside(columns, wishes)
    give_all(columns, wishes)
    columns.give_rest("nominal", declared)
    columns.give_rest(_ROW_LABELS, [0] if names[0] == "" else [])
    out = columns.having("target", "groups", "cohort", "drop", _ROW_LABELS)
    features = np.delete(np.arange(len(names)), out)
    refuse_nothing_left(where, features)
    note = ("The first column has no name: it is taken as labels of the rows and left out.",)
    return Roles(
        names=tuple(names),
        target=target,
        groups=groups,
        cohort=cohort,
        features=features,
        nominal=columns.having("nominal"),
        classes=wishes.classes or target in declared,
        notes=note if columns.having(_ROW_LABELS) else (),
    )


def give_beside(columns: ColumnAssignment, wishes: Wishes) -> tuple[int | None, int | None]:
    """Give the roles of subjects and of cohorts, and return the positions of their columns."""
    groups = None if wishes.groups is None else columns.give("groups", wishes.groups)
    cohort = None if wishes.cohort is None else columns.give("cohort", wishes.cohort)
    return groups, cohort


def give_all(columns: ColumnAssignment, wishes: Wishes) -> None:
    """Give the roles that several columns may have."""
    for column in wishes.drop:
        columns.give("drop", column)
    for column in wishes.nominal:
        columns.give("nominal", column)


def refuse_nothing_left(where: str, features: Sized) -> None:
    """Refuse a table in which every column has another role."""
    if not len(features):
        raise InvalidInputError(f"{where}: no column is left as a feature.")


# What all readers come down to: features and labels, put together as a data set.

# how people write that there is no value
MISSING = frozenset({"", "na", "nan", "?", "null"})
_LONGEST = 256  # characters of a label


def is_missing(cell: str) -> bool:
    """Tell whether a cell of a text file says that there is no value."""
    return cell.strip().lower() in MISSING


def labels_of(
    error: Error, name: str, texts: Sequence[str | None], place: Callable[[int], str] | None = None
) -> NDArray[np.str_]:
    """Return the texts of the target, the groups or the cohorts; refuse missing ones.

    `error` makes the error from a message; `place` says where a sample is to be found; without
    it, samples count from 0.
    """
    gap = first_missing(texts)
    if gap is not None:
        at = place(gap) if place is not None else f"sample {gap:,} (counted from 0)"
        raise error(
            f"each sample needs a value in {quote_value(name)}, got none in {at}; "
            "fill it in or leave the sample out.",
        )
    labels = [str(text).strip() for text in texts]
    _refuse_long(error, name, max(labels, key=len, default=""))
    return np.array(labels, dtype=np.str_)


def _refuse_long(error: Error, name: str, label: str) -> None:
    """Refuse a label that is none; each sample would take the room of the longest one."""
    if len(label) > _LONGEST:
        raise error(
            f"values of {quote_value(name)} may have {_LONGEST} characters, got "
            f"{quote_value(label)} with "
            f"{len(label):,}; is this the right column?"
        )


def codes_of(texts: Sequence[str | None]) -> NDArray[np.float64]:
    """Return nominal values as codes 0, 1, ... in sorted order, NaN where missing.

    Values are one and the same only where they are the same text: 1, 1.0 and 01 are three. They
    are sorted as numbers if each is a number in its plain form (10, not 10.0), else as text.
    """
    kinds = {text for text in texts if text is not None}
    codes: dict[str | None, float] = {None: np.nan}
    codes |= {text: code for code, text in enumerate(sorted(kinds, key=_order(kinds)))}
    return np.array([codes[text] for text in texts], dtype=np.float64)


def _order(kinds: set[str]) -> Callable[[str], Any]:
    """Return what values are sorted by."""
    return float if all(map(_is_plain_number, kinds)) else str


def _is_plain_number(text: str) -> bool:
    try:
        return number_text(float(text)) == text
    except ValueError:
        return False


def nominal_note(names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence on how nominal features are coded, if there are any."""
    if not names:
        return ()
    told = (
        f"Values of {plural(len(names), 'nominal feature')} ({format_list(names)}) are coded "
        "0, 1, ... in sorted order."
    )
    return (told,)


def text_features(found: Mapping[str, tuple[int | None, str]]) -> str:
    """Return the message about features that are text: by name, each with a line and a value."""
    listed = format_list(
        (f"{quote_value(name)} ({_format_value_and_line(*at)})" for name, at in found.items()),
        most=8,
    )
    return (
        f"features must be numbers, got text in {plural(len(found), 'column')}: {listed}. "
        "Leave such columns out (drop), or declare them nominal."
    )


def _format_value_and_line(line: int | None, value: str) -> str:
    return quote_value(value) if line is None else f"{quote_value(value)} in line {line:,}"


def build_dataset(dataset: dict[str, Any], nominal_names: Sequence[str]) -> Dataset:
    """Put a data set together, with the note on its nominal features."""
    notes = (*dataset.pop("notes", ()), *nominal_note(nominal_names))
    return Dataset(**dataset, notes=notes)
