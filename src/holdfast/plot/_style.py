"""How pictures look: colours that most eyes can tell apart, line styles, sizes of text."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from holdfast._formatting import did_you_mean
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from numpy.typing import NDArray


Style = Literal["light", "dark"]

# The hues follow Okabe and Ito; each value stands for one name, so that a page can swap them.
COLOURS: dict[str, str] = {
    "ink": "#1f2933",
    "muted": "#5b6873",
    "rule": "#dde3e8",
    "paper": "#ffffff",
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "purple": "#b5629b",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "slate": "#7a858f",
}
"""Colours on a light page, by name."""
DARK: dict[str, str] = {
    "ink": "#e6eaee",
    "muted": "#a3afba",
    "rule": "#343d46",
    "paper": "#14181d",
    "blue": "#4da3dc",
    "vermilion": "#f0803c",
    "green": "#2fc39b",
    "purple": "#dd98c4",
    "orange": "#f2b63d",
    "sky": "#8fd0f5",
    "slate": "#8996a3",
}
"""The same on a dark page."""
STYLES: dict[str, Mapping[str, str]] = {"light": COLOURS, "dark": DARK}

FAMILIES = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
"""Fonts of the text in SVG files, the first that the reader has."""
LABEL, TICK, NOTE = 9.0, 8.5, 8.0
"""Sizes of text in points: of labels of axes, of ticks and names, of remarks."""
FIGURE_WIDTH_INCHES = 7.0
"""Width of a picture in inches."""

SERIES = ("blue", "vermilion", "green", "purple", "orange", "sky", "slate")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.5, 1.5)),
    (0, (6, 1.5, 1.5, 1.5)),
    (0, (9, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
)


class LineStyle(NamedTuple):
    """How one of several selectors is drawn; differs by more than its colour."""

    colour: str
    marker: str
    dash: Any


def palette(style: str) -> Mapping[str, str]:
    """Return the colours of a style."""
    if style not in STYLES:
        raise UnknownNameError(f"style must be one of {list(STYLES)}, got {style!r}."
                               f"{did_you_mean(str(style), STYLES)}")  # fmt: skip
    return STYLES[style]


def get_line_style(position: int, colours: Mapping[str, str]) -> LineStyle:
    """Return the look of the selector at a position."""
    turn, place = divmod(position, len(SERIES))
    marker = MARKERS[(place + turn) % len(MARKERS)]
    return LineStyle(colours[SERIES[place]], marker, DASHES[turn % len(DASHES)])


# Names in any script, without warnings about fonts.


@contextmanager
def ignore_font_warnings() -> Iterator[None]:
    """Keep still about letters that the font at hand lacks: those of the reader have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield


# Numbers on axes and in sentences.

MIN_LOG_SCALE_RATIO = 30.0
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
    wide = len(known) > 0 and known.min() > 0 and known.max() / known.min() >= MIN_LOG_SCALE_RATIO
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
