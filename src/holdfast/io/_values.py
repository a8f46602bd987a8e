"""Columns and matrices of NumPy, pandas, polars and Arrow as floating-point numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from holdfast._typing import AnyArray
from holdfast.io._text_files import LATIN_1


def as_numbers(values: AnyArray) -> AnyArray | None:
    """Return values as float32 or float64, NaN where missing; None if some are not numbers."""
    if values.dtype.kind == "f":
        return values if values.dtype == np.float32 else values.astype(np.float64, copy=False)
    if values.dtype.kind in "biu":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    numbers = [_to_number(value) for value in values.tolist()]
    return None if None in numbers else np.array(numbers, dtype=np.float64)


def first_non_number(values: AnyArray) -> str:
    """Return the first value that is not a number, for a message."""
    texts = as_texts(values)
    odd = (i for i, value in enumerate(values.tolist()) if _to_number(value) is None)
    return str(texts[next(odd, 0)])


def common_type(columns: Sequence[AnyArray]) -> type[np.float32 | np.float64]:
    """Return float32 if every column is, else float64."""
    return np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64


def _to_number(value: object) -> float | None:
    """Return a value as a number, NaN if it is missing, None if it is something else."""
    if isinstance(value, Real | Decimal | np.bool_):
        try:
            return float(value)
        except OverflowError:
            return np.inf  # infinite values are refused later
    missing = value is None or type(value).__name__ in MISSING_TYPES
    return np.nan if missing else None


# Values of any type as text, as labels and groups are stored.

# missing values of pandas; they equal nothing and have no truth value
MISSING_TYPES = frozenset({"NAType", "NaTType"})
MAX_AMBIGUOUS_VALUES = 20
"""Distinct numbers above which a target looks like a continuous outcome; chosen by hand."""


def as_texts(values: AnyArray) -> list[str | None]:
    """Return each value as text, None where it is missing.

    Integers lose a ``.0``, which only reflects how they were stored; text stays as it is. Bytes
    are UTF-8, or all of them Latin-1 if some are not valid UTF-8: two values are never merged.
    """
    if values.dtype.kind == "f":
        # a float64 would show digits that the float32 does not have
        return [format_label_number(value) for value in values]
    if values.dtype.kind == "M":
        days = np.datetime_as_string(values, unit="auto").tolist()
        return [None if day == "NaT" else day for day in days]
    encoding = LATIN_1 if holds_latin_1(values) else "utf-8"
    return [_to_text(value, encoding) for value in values.tolist()]


def holds_latin_1(values: AnyArray) -> bool:
    """Return whether some bytes among the values are not valid UTF-8."""
    if values.dtype.kind not in "SVO":
        return False
    return not all(_is_utf_8(value) for value in values.tolist() if isinstance(value, bytes))


def _is_utf_8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def flatten_column(values: AnyArray) -> AnyArray:
    """Return a matrix of one column as a one-dimensional array, anything else as it is."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def first_missing(texts: Sequence[str | None]) -> int | None:
    """Return the position of the first missing or empty text, None if there is none."""
    return next((i for i, text in enumerate(texts) if text is None or not text.strip()), None)


def _to_text(value: object, encoding: str) -> str | None:
    if value is None or type(value).__name__ in MISSING_TYPES:
        return None
    if isinstance(value, Real) and not isinstance(value, Integral | np.bool_):
        return format_label_number(value)
    if isinstance(value, bytes):
        return value.decode(encoding)
    return str(value)


def format_label_number(value: Any) -> str | None:  # noqa: ANN401  (any real number)
    """Return a number as text, without a ``.0``; None if it is NaN."""
    if np.isnan(value):
        return None
    return str(int(value)) if float(value).is_integer() else str(value)


def parse_finite_number(text: str) -> float | None:
    """Return text as a finite number, None if it is anything else."""
    if "_" in text:  # float("1_2") is 12, but no table means that
        return None
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
