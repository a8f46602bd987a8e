"""Numbers in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.measures import Measure


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{decimals}f}%"


def plus_minus(error: float, spread: float) -> str:
    """Return an error with its standard error, where there is one."""
    return percent(error) + ("" if math.isnan(spread) else f" ± {percent(spread)}")


def within(low: float, high: float, measure: Measure) -> str:
    """Return an interval in brackets, cut to the range of its measure; nothing if there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    ends = (min(max(end, measure.minimum), measure.maximum) for end in (low, high))
    return " [{:.2f}, {:.2f}]".format(*ends)
