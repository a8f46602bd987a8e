"""The roles of columns: target, groups, cohort, nominal features; and how callers name columns."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from enum import Enum
from numbers import Integral, Real
from typing import Any, SupportsIndex, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast._memory import check_memory
from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.errors import HoldfastError, InvalidInputError, UnknownNameError
from holdfast.io._dataset import Dataset
from holdfast.io._text_files import quote_value
from holdfast.io._values import (
    MAX_AMBIGUOUS_VALUES,
    MISSING_TYPES,
    first_missing,
    format_label_number,
    holds_latin_1,
    parse_finite_number,
)

Error: TypeAlias = Callable[[str], HoldfastError]


Column: TypeAlias = str | int
TARGET = "class"  # the target where none is named
_COLUMN_NUMBER = re.compile(r"-?[0-9]{1,9}")


def as_column(role: str, value: object) -> Column:
    """Return a column's name or number as a plain str or int, so that JSON can hold it."""
    if isinstance(value, str):
        return str(value)
    try:
        if not isinstance(value, bool):  # operator.index(True) is 1
            return operator.index(cast("SupportsIndex", value))
    except TypeError:
        pass
    raise InvalidInputError(
        f"{role}: give a column by its name (text) or its number (an integer); "
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
    """The columns of a table and their roles; each column has at most one role."""

    def __init__(self, where: str, names: Sequence[str], noun: str = "column") -> None:
        self._where, self._names, self._noun = where, names, noun
        self._positions = {name: position for position, name in enumerate(names)}
        self._roles: dict[int, str] = {}

    def assign(self, role: str, column: Column) -> int:
        """Assign a role to a column and return its position; raise if it has another role."""
        position = self._find_position(column)
        if self._roles.setdefault(position, role) != role:
            raise InvalidInputError(
                f"{self._where}: {self._noun} {quote_value(self._names[position])} is given as "
                f"{self._roles[position]} and as {role}; a column can have one role only."
            )
        return position

    def assign_target(self, column: Column | None) -> int:
        """Assign the target; by default the column called ``class``."""
        if column is None:
            column = self._names[default_target(self._where, self._names)]
        return self.assign("target", column)

    def assign_remaining(self, role: str, columns: Iterable[int]) -> None:
        """Assign a role to those of the columns that have none yet, by position."""
        for column in columns:
            self._roles.setdefault(column, role)

    def with_roles(self, *roles: str) -> tuple[int, ...]:
        """Return the positions of the columns with these roles, in order."""
        return tuple(sorted(column for column, role in self._roles.items() if role in roles))

    def _find_position(self, column: Column) -> int:
        """Return the position of a column, looked up by name first, then by number.

        Numbers count from 0; negative numbers count from the end.
        """
        text = str(column)
        if text in self._positions:
            return self._positions[text]
        missing = f"{self._where}: there is no {self._noun} {quote_value(text)}"
        if not _COLUMN_NUMBER.fullmatch(text):
            raise UnknownNameError(f"{missing}.{did_you_mean(text, self._names)}")
        number, count = int(text), len(self._names)
        if not -count <= number < count:
            raise UnknownNameError(
                f"{missing}: no column has this name, and numbers run from 0 to {count - 1:,}, or "
                f"from -1 back to -{count:,}."
            )
        return number % count


def default_target(where: str, names: Sequence[str]) -> int:
    """Return the position of the column called ``class``, ignoring case if no name matches."""
    if TARGET in names:
        return names.index(TARGET)
    matches = [j for j, name in enumerate(names) if name.lower() == TARGET]
    if len(matches) == 1:
        return matches[0]
    reason = f"{len(matches)} columns are" if matches else "no column is"
    columns = format_list(map(repr, names), most=10)
    raise InvalidInputError(
        f"{where}: the target must be named, as {reason} called {TARGET!r}; "
        f"the columns are {columns}. Name one, or give its number: -1 is the last."
    )


# Options of the caller, and the role of each column that follows from them.

_ROW_LABELS = "row labels"


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """What the caller said about the columns of a table; arguments of `read_data`."""

    target: Any = None
    drop: tuple[Column, ...] = ()
    nominal: tuple[Column, ...] = ()
    groups: Column | None = None
    cohort: Column | None = None
    sample_weight: Column | None = None
    classes: bool = False
    """Whether the numbers of the target are class labels."""

    def as_json(self) -> dict[str, Any]:
        """Return what differs from the defaults, as arguments of `read_data`."""
        options = {
            "target": self.target,
            "drop": list(self.drop),
            "nominal": list(self.nominal),
            "groups": self.groups,
            "cohort": self.cohort,
            "sample_weight": self.sample_weight,
            "classes": self.classes or None,
        }
        return {key: value for key, value in options.items() if value not in (None, [])}


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Positions of the columns by role; `nominal` holds positions among all columns."""

    names: tuple[str, ...]
    target: int
    features: IndexArray
    nominal: tuple[int, ...]
    sample_columns: Mapping[str, int] = field(default_factory=dict)
    """Columns about the samples other than the target, by the field of a data set."""
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
        return {"y": self.target, **self.sample_columns}


def assign_roles(
    where: str, names: Sequence[str], options: ColumnOptions, declared: Iterable[int] = ()
) -> Roles:
    """Assign a role to each column; a first column without a name holds row labels.

    Parameters
    ----------
    where : str
        The name of the table in messages.
    names : sequence of str
        The names of the columns, without repeats.
    options : ColumnOptions
        The options of the caller.
    declared : iterable of int
        Columns that the file declares as nominal; roles given by the caller take precedence.
    """
    columns = ColumnAssignment(where, names)
    declared = tuple(declared)
    target = columns.assign_target(options.target)
    sample_columns = assign_sample_columns(columns, options)
    assign_dropped_and_nominal(columns, options)
    columns.assign_remaining("nominal", declared)
    columns.assign_remaining(_ROW_LABELS, [0] if names[0] == "" else [])
    out = columns.with_roles("target", *SAMPLE_ROLES, "drop", _ROW_LABELS)
    features = np.delete(np.arange(len(names)), out)
    check_features_left(where, features)
    note = ("The first column has no name: it is read as row labels and left out.",)
    return Roles(
        names=tuple(names),
        target=target,
        sample_columns=sample_columns,
        features=features,
        nominal=columns.with_roles("nominal"),
        classes=options.classes or target in declared,
        notes=note if columns.with_roles(_ROW_LABELS) else (),
    )


SAMPLE_ROLES = {"groups": "groups", "cohort": "cohorts", "sample_weight": "sample_weight"}
"""Roles of columns about the samples, each with the field of a data set."""


def assign_sample_columns(columns: ColumnAssignment, options: ColumnOptions) -> dict[str, int]:
    """Assign the columns of subjects, cohorts and weights; return positions by field."""
    given = {role: getattr(options, role) for role in SAMPLE_ROLES}
    return {
        SAMPLE_ROLES[role]: columns.assign(role, column)
        for role, column in given.items()
        if column is not None
    }


def assign_dropped_and_nominal(columns: ColumnAssignment, options: ColumnOptions) -> None:
    """Assign the roles that several columns may have."""
    for column in options.drop:
        columns.assign("drop", column)
    for column in options.nominal:
        columns.assign("nominal", column)


def check_features_left(where: str, features: Sized) -> None:
    """Raise if no column is left as a feature."""
    if not len(features):
        raise InvalidInputError(f"{where}: no column is left as a feature.")


# Features and labels as all readers return them.

# spellings of a missing value in lower case: R, pandas, WEKA and SQL
MISSING = frozenset({"", "na", "nan", "?", "null"})
MAX_LABEL_LENGTH = 256  # characters, chosen by hand; longer text is not a label but another column


def is_missing(cell: str) -> bool:
    """Return whether a cell of a text file holds a missing value."""
    return cell.strip().lower() in MISSING


def check_labels_present(
    error: Error, name: str, texts: Sequence[str | None], place: Callable[[int], str] | None = None
) -> NDArray[np.str_]:
    """Return the labels of the target, groups or cohorts as text; raise if one is missing.

    `error` makes the exception from a message. `place` describes where a sample is in the file;
    without it, messages count samples from 0.
    """
    gap = first_missing(texts)
    if gap is not None:
        at = place(gap) if place is not None else f"sample {gap:,} (counted from 0)"
        raise error(
            f"each sample needs a value in {quote_value(name)}, got none in {at}; "
            "fill it in or leave the sample out.",
        )
    labels = [str(text).strip() for text in texts]
    longest = max(labels, key=len, default="")
    # in a NumPy array, each label takes the space of the longest
    if len(longest) > MAX_LABEL_LENGTH:
        raise error(
            f"values of {quote_value(name)} may have at most {MAX_LABEL_LENGTH} characters, got "
            f"{quote_value(longest)} with {len(longest):,}; is this the right column?"
        )
    check_memory(
        4 * len(longest) * len(labels),  # bytes of a character in NumPy
        f"{quote_value(name)} with {len(labels):,} values of up to {len(longest)} characters",
        error,
    )
    return np.array(labels, dtype=np.str_)


def encode_nominal(texts: Sequence[str | None]) -> FloatArray:
    """Return nominal values as codes 0, 1, ... in sorted order, NaN where missing.

    Values are equal only if their texts are: 1, 1.0 and 01 are three values. They are sorted as
    numbers if each is a number in its plain form (10, not 10.0), else as text.
    """
    kinds = {text for text in texts if text is not None}
    sort_key: Callable[[str], Any] = float if all(map(_is_plain_number, kinds)) else str
    codes: dict[str | None, float] = {None: np.nan}
    codes |= {text: code for code, text in enumerate(sorted(kinds, key=sort_key))}
    return np.array([codes[text] for text in texts], dtype=np.float64)


def _is_plain_number(text: str) -> bool:
    try:
        return format_label_number(float(text)) == text
    except ValueError:
        return False


def nominal_note(names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence on how nominal features are coded, if there are any."""
    if not names:
        return ()
    note = (
        f"Values of {plural(len(names), 'nominal feature')} ({format_list(names)}) are coded "
        "0, 1, ... in sorted order."
    )
    return (note,)


def encoding_note(columns: Mapping[str, AnyArray]) -> tuple[str, ...]:
    """Return a sentence on columns of bytes that were read as Latin-1, if there are any."""
    odd = [name for name, values in columns.items() if holds_latin_1(values)]
    if not odd:
        return ()
    note = (
        f"The bytes in {format_list(map(quote_value, odd))} are not in UTF-8: they were read as "
        "Latin-1; check names with special letters."
    )
    return (note,)


def format_text_features(texts: Mapping[str, tuple[int | None, str]]) -> str:
    """Return the error message for text in features, given a line and a value per column."""
    listed = format_list(
        (
            f"{quote_value(name)} ({quote_value(value)}"
            + (")" if line is None else f" in line {line:,})")
            for name, (line, value) in texts.items()
        ),
        most=8,
    )
    return (
        f"features must be numbers, got text in {plural(len(texts), 'column')}: {listed}. "
        "Leave such columns out (drop), or declare them nominal."
    )


def build_dataset(dataset: dict[str, Any], nominal_names: Sequence[str]) -> Dataset:
    """Build a data set, with the note on its nominal features; weights are read from text."""
    notes = (*dataset.pop("notes", ()), *nominal_note(nominal_names))
    weights = dataset.pop("sample_weight", None)
    if weights is not None:
        dataset["sample_weight"] = _parse_weights(weights)
    return Dataset(**dataset, notes=notes)


def _parse_weights(texts: NDArray[np.str_]) -> FloatArray:
    """Return sample weights as numbers; raise for text and infinite values."""
    numbers = list(map(parse_finite_number, texts.tolist()))
    if None in numbers:
        place = numbers.index(None)
        raise InvalidInputError(
            "sample weights must be finite numbers of at least 0, got "
            f"{quote_value(str(texts[place]))} for sample {place:,} (counted from 0); is this the "
            "right column?"
        )
    return np.array(numbers, dtype=np.float64)


# Targets that hold numbers: class labels or quantities? Ambiguous targets are refused.

MIN_AMBIGUOUS_VALUES = 3
"""Distinct numbers from which a target may hold quantities (two are classes); chosen by hand."""
VALUES_SHOWN = 3
"""Numbers that a message lists."""


class TargetOrigin(Enum):
    """The origin of a target, which determines how its numbers are interpreted."""

    TEXT = "text"
    """Untyped cells; those that parse as numbers are numbers."""
    TABLE = "table"
    """A typed column, which may be measured or coded."""
    ARRAY = "array"
    """An array from Python code, where integers usually encode classes."""


def check_target(where: str, name: str, values: AnyArray, origin: TargetOrigin) -> None:
    """Raise if the numbers in a target of a file or frame may not be class labels.

    Parameters
    ----------
    where : str
        The name of the file or frame in messages.
    name : str
        The name of the target.
    values : ndarray
        The target as it was read; text for `TargetOrigin.TEXT`.
    origin : TargetOrigin
        Where the target comes from.
    """
    refuse_structured(f"{where}: {quote_value(name)}", values)
    numbers = _distinct_numbers(values, origin)
    if len(numbers) < MIN_AMBIGUOUS_VALUES:
        return
    remedy = "If they are class labels, say so: --classes, or classes=True in Python."
    raise InvalidInputError(
        f"{where}: column {quote_value(name)} {_describe_numbers(numbers)} {remedy}"
    )


def check_target_array(name: str, values: AnyArray) -> None:
    """Raise for structured arrays, and for floats that may not be class labels."""
    numbers = _distinct_numbers(values, TargetOrigin.ARRAY)
    if len(numbers) < MIN_AMBIGUOUS_VALUES:
        return
    kind = "int" if all(float(value).is_integer() for value in numbers) else "str"
    raise InvalidInputError(
        f"{name} {_describe_numbers(numbers)} If they are class labels, pass "
        f"np.asarray({name}).astype({kind})."
    )


def refuse_structured(name: str, values: AnyArray) -> None:
    """Raise for an array of records, the usual form of survival outcomes."""
    if values.dtype.names is None:
        return
    fields = ", ".join(values.dtype.names)
    raise InvalidInputError(
        f"{name} is a structured array with the fields {fields}: one class label per sample is "
        "needed. Survival outcomes are not supported yet; choose one field that holds classes."
    )


def _describe_numbers(numbers: list[float]) -> str:
    """Return the part of the message that lists the numbers and asks what they are."""
    values = format_list(
        (str(format_label_number(value)) for value in sorted(numbers)), most=VALUES_SHOWN
    )
    holds = f"holds {len(numbers):,} distinct numbers ({values})"
    if len(numbers) > MAX_AMBIGUOUS_VALUES:
        return f"{holds}: this looks like a continuous outcome, which is not supported yet."
    return f"{holds}: classes or quantities? Quantities are not supported as a target yet."


def _distinct_numbers(values: AnyArray, origin: TargetOrigin) -> list[float]:
    """Return the distinct numbers of a target that may be quantities; [] if it holds classes."""
    if origin is TargetOrigin.TEXT:
        return _distinct_numbers_of_texts(set(values.tolist()))
    if values.dtype.kind == "O":
        return _distinct_numbers_of_objects(values.tolist(), origin)
    if values.dtype.kind not in ("f" if origin is TargetOrigin.ARRAY else "fiu"):
        return []
    distinct = np.unique(values)
    return [value for value in distinct.tolist() if not math.isnan(value)]


def _distinct_numbers_of_texts(texts: Iterable[str]) -> list[float]:
    """Return the distinct numbers in cells; [] if a cell is neither a number nor missing."""
    numbers = set()
    for text in texts:
        if is_missing(text):
            continue
        number = parse_finite_number(text)
        if number is None:
            return []
        numbers.add(number)
    return list(numbers)


def _distinct_numbers_of_objects(values: list[Any], origin: TargetOrigin) -> list[float]:
    """Return the distinct numbers of a column of objects; [] if an object is anything else."""
    present = [v for v in values if v is not None and type(v).__name__ not in MISSING_TYPES]
    if not all(isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in present):
        return []
    if origin is TargetOrigin.ARRAY and all(isinstance(v, Integral) for v in present):
        return []
    return [value for value in {float(v) for v in present} if not math.isnan(value)]
