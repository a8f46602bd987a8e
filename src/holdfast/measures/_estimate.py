"""A value with what is needed for its interval, its chance level and its explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Chance(NamedTuple):
    """Expected value for random preferences of the same sizes, and its standard error.

    The error is 0 where the expectation is exact.
    """

    value: float
    error: float = 0.0
    note: str = ""


def no_chance_level() -> Chance:
    """Return the chance level of a measure that has none."""
    return Chance(np.nan, 0.0, "no chance level is defined")


def zero_chance() -> Chance:
    """Return the chance level of a measure that is corrected for chance."""
    return Chance(0.0)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The value of a measure for one system of preferences.

    Attributes
    ----------
    value : float
        NaN where the measure is undefined; `undefined` then says why.
    leave_one_out : array of shape (m,)
        The value without preference i; the jackknife is made of these.
    chance : callable
        Gives the chance level; called only when somebody asks.
    """

    value: float
    leave_one_out: NDArray[np.float64]
    chance: Callable[[], Chance]
    undefined: str = ""
