"""Numbers in sentences."""

from __future__ import annotations

import math


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{decimals}f}%"


def plus_minus(error: float, spread: float) -> str:
    """Return an error with its standard error, where there is one."""
    return percent(error) + ("" if math.isnan(spread) else f" ± {percent(spread)}")


def within(low: float, high: float) -> str:
    """Return an interval in brackets, nothing where there is none."""
    return "" if math.isnan(low) or math.isnan(high) else f" [{low:.2f}, {high:.2f}]"
