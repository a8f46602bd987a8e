"""Numbers as a target: class labels, or amounts? What is ambiguous is refused."""

from __future__ import annotations

import math
from enum import Enum
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import format_list
from holdfast.errors import InvalidInputError
from holdfast.io._columns import is_missing
from holdfast.io._text_files import quote_value
from holdfast.io._values import MAX_AMBIGUOUS_VALUES, MISSING_TYPES, number_of, number_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MIN_AMBIGUOUS_VALUES = 3
"""Distinct numbers from which on a target may hold amounts; two are two classes either way."""
VALUES_SHOWN = 3
"""Numbers that a message shows."""


class TargetOrigin(Enum):
    """Where a target comes from, which decides what its numbers may be."""

    TEXT = "text"
    """Cells without a type: those that read as numbers are numbers."""
    TABLE = "table"
    """A column with a type, measured or coded."""
    ARRAY = "array"
    """An array made in Python, where integers are the usual way to code classes."""


def check_target(where: str, name: str, values: NDArray[Any], origin: TargetOrigin) -> None:
    """Refuse a target of a file or frame whose numbers may not be class labels.

    Parameters
    ----------
    where : str
        What messages call the file or the frame.
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


def check_target_array(name: str, values: NDArray[Any]) -> None:
    """Refuse an array of labels that is structured, or whose fractions may not be classes."""
    found = _distinct_numbers(values, TargetOrigin.ARRAY)
    if len(found) < MIN_AMBIGUOUS_VALUES:
        return
    kind = "int" if all(float(value).is_integer() for value in found) else "str"
    raise InvalidInputError(
        f"{name} {_question(found)} If they are class labels, pass "
        f"np.asarray({name}).astype({kind})."
    )


def refuse_structured(name: str, values: NDArray[Any]) -> None:
    """Refuse an array of records, as survival outcomes are kept in."""
    if values.dtype.names is None:
        return
    fields = ", ".join(values.dtype.names)
    raise InvalidInputError(
        f"{name} is a structured array with the fields {fields}: one class label per sample is "
        "needed. Survival outcomes are not supported yet; choose one field that holds classes."
    )


def _question(found: list[float]) -> str:
    """Say which numbers were seen, and ask what they are."""
    values = format_list((str(number_text(value)) for value in sorted(found)), most=VALUES_SHOWN)
    seen = f"holds {len(found):,} distinct numbers ({values})"
    if len(found) > MAX_AMBIGUOUS_VALUES:
        return f"{seen}: this looks like a continuous outcome, which is not supported yet."
    return f"{seen}: classes, or amounts? Amounts are not supported as a target yet."


def _distinct_numbers(values: NDArray[Any], origin: TargetOrigin) -> list[float]:
    """Return the distinct numbers of a target that may be amounts; none where it holds classes."""
    if origin is TargetOrigin.TEXT:
        return _numbers_of_texts(set(values.tolist()))
    if values.dtype.kind == "O":
        return _numbers_of_objects(values.tolist(), origin)
    if values.dtype.kind not in ("f" if origin is TargetOrigin.ARRAY else "fiu"):
        return []
    distinct = np.unique(values)
    return [value for value in distinct.tolist() if value == value]  # noqa: PLR0124  (NaN)


def _numbers_of_texts(texts: Iterable[str]) -> list[float]:
    """Return the numbers that cells hold; none where one cell is neither a number nor missing."""
    found = set()
    for text in texts:
        if is_missing(text):
            continue
        number = number_of(text)
        if number is None:
            return []
        found.add(number)
    return list(found)


def _numbers_of_objects(values: list[Any], origin: TargetOrigin) -> list[float]:
    """Return the distinct numbers of a column of objects; none where one is something else."""
    there = [one for one in values if one is not None and type(one).__name__ not in MISSING_TYPES]
    if not all(isinstance(one, Real) and not isinstance(one, bool | np.bool_) for one in there):
        return []
    if origin is TargetOrigin.ARRAY and all(isinstance(one, Integral) for one in there):
        return []
    return [value for value in {float(one) for one in there} if not math.isnan(value)]
