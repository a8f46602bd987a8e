"""Parameters that cannot be used are refused, in one voice."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING

import numpy as np

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_integer(value: object, name: str, least: int) -> int:
    """Return a whole number as an int that JSON can hold."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise InvalidInputError(
        f"{name} must be a whole number of at least {least}; received {value!r}."
    )


def check_positive_number(
    value: object, name: str, most: float, *, inclusive: bool = False
) -> float:
    """Return a number above 0 and below `most` (or up to it) as a float."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)
        if 0 < number < most or (inclusive and number == most):
            return number
    end = f" and {'up to' if inclusive else 'below'} {most:g}" if math.isfinite(most) else ""
    raise InvalidInputError(f"{name} must be a number above 0{end}; received {value!r}.")


def part_or_count(value: object, name: str, *, inclusive: bool = False) -> float:
    """Return a fraction as a float, or a count of at least 2 as an int."""
    if isinstance(value, numbers.Integral):
        try:
            return check_integer(value, name, 2)
        except InvalidInputError as error:
            raise InvalidInputError(f"{error} A fraction has a point, as in {name}=0.9.") from None
    return check_positive_number(value, name, 1.0, inclusive=inclusive)


def flag(value: object, name: str) -> bool:
    """Return a bool."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InvalidInputError(f"{name} must be True or False; received {value!r}.")


def count_of_part(part: float, total: int) -> int:
    """Return how many of `total` a fraction or a count is; fractions are rounded up."""
    if isinstance(part, int):
        return part
    return math.ceil(round(part * total, 6))  # 0.7 * 10 is a little more than 7


def seed_of(random_state: object) -> int:
    """Return the seed as an int."""
    return check_integer(random_state, "random_state", 0)


def one_of(value: object, name: str, known: Iterable[str]) -> str:
    """Return one of some names, or say which there are."""
    names = list(known)
    if isinstance(value, str) and value in names:
        return value
    raise UnknownNameError(f"unknown {name} {value!r}.{did_you_mean(value, names)}")
