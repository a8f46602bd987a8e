"""Values of any kind as text, the form that labels and groups have."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


# what pandas has for missing values; they equal nothing and have no truth value
MISSING_TYPES = frozenset({"NAType", "NaTType"})
MAX_AMBIGUOUS_VALUES = 20
"""Distinct numbers up to which a target may hold classes; more look like a continuous outcome."""


def as_texts(values: NDArray[Any]) -> list[str | None]:
    """Return each value as text, None where it is missing.

    Whole numbers lose a ``.0``, which only tells how they were stored; text stays as it is.
    """
    if values.dtype.kind == "f":
        # a longer type shows digits that the shorter one does not have
        return [number_text(value) for value in values]
    if values.dtype.kind == "M":
        days = np.datetime_as_string(values, unit="auto").tolist()
        return [None if day == "NaT" else day for day in days]
    return [_text(value) for value in values.tolist()]


def flattened(values: NDArray[Any]) -> NDArray[Any]:
    """Return a matrix of one column as an array of one dimension, all else as it is."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def first_missing(texts: Sequence[str | None]) -> int | None:
    """Return the position of the first missing or empty text, None if there is none."""
    return next((i for i, text in enumerate(texts) if text is None or not text.strip()), None)


def _text(value: object) -> str | None:
    if value is None or type(value).__name__ in MISSING_TYPES:
        return None
    if isinstance(value, Real) and not isinstance(value, Integral | np.bool_):
        return number_text(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def number_text(value: Any) -> str | None:  # noqa: ANN401
    """Return a number as text, without a ``.0``; None if it is NaN."""
    if value != value:  # noqa: PLR0124  (NaN)
        return None
    return str(int(value)) if float(value).is_integer() else str(value)


def number_of(text: str) -> float | None:
    """Return text as a finite number, None if it is something else, such as ``1_2``."""
    if "_" in text:  # Python reads it as a number, people do not
        return None
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
