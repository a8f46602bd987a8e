"""Numbers on axes and in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from numpy.typing import NDArray

WIDE = 30.0
"""Positive numbers whose largest is so many times the smallest are spread out by logarithms."""


def plain(value: float) -> str:
    """Return a number for people: ``12,000``, ``0.25``, ``−3``."""
    return f"{value:,.10g}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.3g}%"


def numeric(column: pd.Series) -> NDArray[np.float64]:
    """Return the numbers of a column as floats, NaN where there is none."""
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def column(table: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column, all NaN where the table lacks it."""
    return numeric(table[name]) if name in table.columns else np.full(len(table), np.nan)


def scale_counts(ax: Axes, values: Sequence[float] | NDArray[np.float64], most: int = 8) -> bool:
    """Prepare the horizontal axis for whole numbers; return whether it is logarithmic."""
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    wide = len(known) > 0 and known.min() > 0 and known.max() / known.min() >= WIDE
    if wide:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    else:
        ax.xaxis.set_major_locator(FixedLocator(count_ticks(known, most)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    return wide


def count_ticks(values: NDArray[np.float64], most: int = 8) -> list[float]:
    """Return round numbers over the range of counts; 1 takes the place of 0."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (1.0, 1.0)
    steps = MaxNLocator(integer=True, nbins=most).tick_values(low, high)
    ticks = [float(tick) for tick in steps if 1 <= tick <= high and tick % 1 == 0]
    if low <= 1 and 1 not in ticks:
        ticks = [1.0, *(tick for tick in ticks if tick > 0.4 * (steps[1] - steps[0]) + 1)]
    return ticks or [high]


def format_shares(axis: Axis) -> None:
    """Write shares in percent."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(round(100 * value, 6))))


def format_values(axis: Axis) -> None:
    """Write plain numbers."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(round(value, 10))))
