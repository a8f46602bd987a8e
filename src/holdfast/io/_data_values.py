"""Columns and matrices of NumPy, pandas, polars and Arrow as floating-point numbers."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.io._data_labels import MISSING_TYPES, as_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def as_numbers(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return values as float32 or float64, NaN where missing; None if some are no numbers."""
    if values.dtype.kind == "f":
        return values if values.dtype == np.float32 else values.astype(np.float64, copy=False)
    if values.dtype.kind in "biu":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    numbers = [_number(value) for value in values.tolist()]
    return None if None in numbers else np.array(numbers, dtype=np.float64)


def first_text(values: NDArray[Any]) -> str:
    """Return the first value that is no number, for a message."""
    texts = as_texts(values)
    odd = (i for i, value in enumerate(values.tolist()) if _number(value) is None)
    return str(texts[next(odd, 0)])


def common_type(columns: Sequence[NDArray[Any]]) -> type[np.float32 | np.float64]:
    """Return float32 if every column is, else float64."""
    return np.float32 if all(column.dtype == np.float32 for column in columns) else np.float64


def _number(value: object) -> float | None:
    """Return a value as a number, NaN if it is missing, None if it is something else."""
    if isinstance(value, Real | Decimal | np.bool_):
        try:
            return float(value)
        except OverflowError:
            return np.inf  # refused, as all infinite values are
    missing = value is None or type(value).__name__ in MISSING_TYPES
    return np.nan if missing else None
