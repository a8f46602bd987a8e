"""Checks of parameters, with one wording for all errors."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable

import numpy as np

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError


def check_integer(value: object, name: str, least: int) -> int:
    """Return a whole number as a Python int, which JSON can hold."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise InvalidInputError(f"{name} must be a whole number of at least {least}; got {value!r}.")


def check_positive_number(
    value: object, name: str, most: float, *, inclusive: bool = False
) -> float:
    """Return a number above 0 and below `most` (`inclusive`: up to `most`) as a float."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)
        if 0 < number < most or (inclusive and number == most):
            return number
    end = f" and {'up to' if inclusive else 'below'} {most:g}" if math.isfinite(most) else ""
    raise InvalidInputError(f"{name} must be a number above 0{end}; got {value!r}.")


def check_finite_number(value: object, name: str) -> float:
    """Return a finite number as a float."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise InvalidInputError(f"{name} must be a finite number; got {value!r}.")


def check_part_or_count(value: object, name: str, *, inclusive: bool = False) -> float:
    """Return a fraction as a float, or a count of at least 2 as an int."""
    if isinstance(value, numbers.Integral):
        try:
            return check_integer(value, name, 2)
        except InvalidInputError as error:
            raise InvalidInputError(f"{error} A fraction has a point, as in {name}=0.9.") from None
    return check_positive_number(value, name, 1.0, inclusive=inclusive)


def check_flag(value: object, name: str) -> bool:
    """Return a bool."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InvalidInputError(f"{name} must be True or False; got {value!r}.")


def as_count(part: float, total: int) -> int:
    """Return a fraction of `total`, rounded up, as a count; a count stays as it is."""
    if isinstance(part, int):
        return part
    return math.ceil(round(part * total, 6))  # 0.07 * 100 is a little more than 7


def check_seed(random_state: object) -> int:
    """Return the seed as an int."""
    return check_integer(random_state, "random_state", 0)


def check_choice(value: object, name: str, known: Iterable[str]) -> str:
    """Return a name that must be among the known ones; the error suggests the nearest."""
    names = list(known)
    if isinstance(value, str) and value in names:
        return value
    raise UnknownNameError(f"unknown {name} {value!r}.{did_you_mean(value, names)}")
