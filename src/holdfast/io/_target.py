"""Targets that hold numbers: class labels or quantities? Ambiguous targets are refused."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from numbers import Integral, Real
from typing import Any

import numpy as np

from holdfast._formatting import format_list
from holdfast._typing import AnyArray
from holdfast.errors import InvalidInputError
from holdfast.io._columns import is_missing
from holdfast.io._text_files import quote_value
from holdfast.io._values import (
    MAX_AMBIGUOUS_VALUES,
    MISSING_TYPES,
    format_label_number,
    parse_finite_number,
)

MIN_AMBIGUOUS_VALUES = 3
"""Distinct numbers from which a target may hold quantities; two values are two classes."""
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
    found = _distinct_numbers(values, origin)
    if len(found) < MIN_AMBIGUOUS_VALUES:
        return
    remedy = "If they are class labels, say so: --classes, or classes=True in Python."
    raise InvalidInputError(f"{where}: column {quote_value(name)} {_question(found)} {remedy}")


def check_target_array(name: str, values: AnyArray) -> None:
    """Raise for structured arrays, and for floats that may not be class labels."""
    found = _distinct_numbers(values, TargetOrigin.ARRAY)
    if len(found) < MIN_AMBIGUOUS_VALUES:
        return
    kind = "int" if all(float(value).is_integer() for value in found) else "str"
    raise InvalidInputError(
        f"{name} {_question(found)} If they are class labels, pass "
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


def _question(found: list[float]) -> str:
    """Return the part of the message that lists the numbers and asks what they are."""
    values = format_list(
        (str(format_label_number(value)) for value in sorted(found)), most=VALUES_SHOWN
    )
    holds = f"holds {len(found):,} distinct numbers ({values})"
    if len(found) > MAX_AMBIGUOUS_VALUES:
        return f"{holds}: this looks like a continuous outcome, which is not supported yet."
    return f"{holds}: classes or quantities? Quantities are not supported as a target yet."


def _distinct_numbers(values: AnyArray, origin: TargetOrigin) -> list[float]:
    """Return the distinct numbers of a target that may be quantities; [] if it holds classes."""
    if origin is TargetOrigin.TEXT:
        return _numbers_of_texts(set(values.tolist()))
    if values.dtype.kind == "O":
        return _numbers_of_objects(values.tolist(), origin)
    if values.dtype.kind not in ("f" if origin is TargetOrigin.ARRAY else "fiu"):
        return []
    distinct = np.unique(values)
    return [value for value in distinct.tolist() if not math.isnan(value)]


def _numbers_of_texts(texts: Iterable[str]) -> list[float]:
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


def _numbers_of_objects(values: list[Any], origin: TargetOrigin) -> list[float]:
    """Return the distinct numbers of a column of objects; [] if an object is anything else."""
    present = [v for v in values if v is not None and type(v).__name__ not in MISSING_TYPES]
    if not all(isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in present):
        return []
    if origin is TargetOrigin.ARRAY and all(isinstance(v, Integral) for v in present):
        return []
    return [value for value in {float(v) for v in present} if not math.isnan(value)]
