"""What a claim is: something that a user reads, and a simulation with known truth that tests it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Claim:
    """A claim, how it is tested, and what must come out.

    Attributes
    ----------
    name : str
        The name of its module, and of its section in the guide.
    title : str
        What is claimed, in a few words.
    about : str
        Settings, truth and goal, in one or two sentences for the guide.
    run : callable
        ``run(data_sets)`` simulates this number of data sets per setting and returns, or yields,
        the rows of a table: texts, numbers, and NaN where nothing is known. Seeds are fixed.
    missed : callable
        ``missed(rows, slack)`` returns a sentence for each goal that the rows miss. `slack` is the
        number of standard errors of the simulation that a row may be off: 0 for the guide, 3 for
        the reduced run of the tests.
    data_sets, few_data_sets : int
        How many data sets per setting the guide and the tests take.
    """

    name: str
    title: str
    about: str
    run: Callable[[int], Iterable[dict[str, Any]]]
    missed: Callable[[Rows, float], list[str]]
    data_sets: int
    few_data_sets: int


def share_error(share: float, count: int) -> float:
    """Return the standard error of a share of `count` data sets, never 0.

    Agresti and Coull's: two successes and two failures are added.
    """
    middle = (share * count + 2) / (count + 4)
    return float(np.sqrt(middle * (1 - middle) / (count + 4)))
