"""How pictures look: colours distinguishable by most readers, line styles, text sizes, axes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from holdfast._formatting import did_you_mean
from holdfast._typing import FloatArray
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


Style = Literal["light", "dark"]
Scale = Literal["auto", "linear"]

# The hues follow Okabe and Ito. No two names share a value, so a page can replace colours by name.
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
"""Colours on a dark page, by the same names."""
STYLES: dict[str, Mapping[str, str]] = {"light": COLOURS, "dark": DARK}

FONT_FAMILIES = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
"""Fonts of the text in SVG files; the first one that the reader's system has is used."""
LABEL_SIZE, TICK_SIZE, NOTE_SIZE = 9.0, 8.5, 8.0
"""Text sizes in points of axis labels, of ticks and names, and of notes (chosen by eye)."""
FIGURE_WIDTH_INCHES = 7.0
"""Width of a picture (chosen: a printed page without its margins)."""

SERIES_COLOURS = ("blue", "vermilion", "green", "purple", "orange", "sky", "slate")
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
    """How one of several series is drawn; series differ by more than their colour."""

    colour: str
    marker: str
    dash: Any


def get_palette(style: str) -> Mapping[str, str]:
    """Return the colours of a style."""
    if style not in STYLES:
        raise UnknownNameError(f"style must be one of {list(STYLES)}, got {style!r}."
                               f"{did_you_mean(str(style), STYLES)}")  # fmt: skip
    return STYLES[style]


def get_line_style(position: int, colours: Mapping[str, str]) -> LineStyle:
    """Return the style of the series at a position.

    Colours repeat after seven series; each repetition has other markers and dashes.
    """
    # marker and dash change with each turn through the colours: no two early series look alike
    turn, place = divmod(position, len(SERIES_COLOURS))
    marker = MARKERS[(place + turn) % len(MARKERS)]
    return LineStyle(colours[SERIES_COLOURS[place]], marker, DASHES[turn % len(DASHES)])


# Keyword arguments of matplotlib's `plot`. Widths and sizes are in points, chosen by eye.


def line_options(
    position: int, colours: Mapping[str, str], *, in_panel: bool = False
) -> dict[str, Any]:
    """Return how to plot the line of a series; lines in small panels are thinner."""
    style = get_line_style(position, colours)
    width, size, edge = (1.4, 4, 0.4) if in_panel else (1.5, 4.5, 0.5)
    return {
        "color": style.colour, "linestyle": style.dash, "marker": style.marker, "linewidth": width,
        "markersize": size, "markeredgecolor": colours["paper"], "markeredgewidth": edge,
    }  # fmt: skip


def marker_options(position: int, colours: Mapping[str, str]) -> dict[str, Any]:
    """Return how to plot the points of a series, without a line."""
    style = get_line_style(position, colours)
    return {"color": style.colour, "marker": style.marker, "markersize": 5.5, "linestyle": "none"}


def reference_line_options(colours: Mapping[str, str]) -> dict[str, Any]:
    """Return how to plot a value for comparison, such as a threshold: thin, dashed and muted."""
    return {"color": colours["muted"], "linestyle": (0, (4, 3)), "linewidth": 1.0}


def marker_interval(n_points: int) -> int:
    """Return every which point of a line has a marker, so that there are about ten."""
    return max(1, n_points // 10)


# Names in any script.


@contextmanager
def ignore_font_warnings() -> Iterator[None]:
    """Silence warnings about glyphs missing from the local font; the reader's fonts have them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield


# Columns of tables.


def to_floats(values: pd.Series) -> FloatArray:
    """Return a column as floats, with NaN for entries that are not numbers."""
    return pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def get_floats(table: pd.DataFrame, name: str) -> FloatArray:
    """Return a column as floats, or NaN in all rows if the table lacks it."""
    return to_floats(table[name]) if name in table.columns else np.full(len(table), np.nan)


def keep_finite_rows(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Return the rows with a finite number in each of the named columns."""
    return table[np.all([np.isfinite(to_floats(table[name])) for name in names], axis=0)]


# Numbers on axes and in sentences.

MIN_LOG_SCALE_RATIO = 30.0
"""Ratio of the largest to the smallest count that makes an axis logarithmic (chosen by eye)."""
AXIS_MARGIN_SHARE = 0.03
"""Free share of an axis beyond the outermost values (chosen by eye)."""


def format_plain(value: float) -> str:
    """Format a number with thousands separators and a true minus sign.

    >>> format_plain(12000), format_plain(0.25), format_plain(-3)
    ('12,000', '0.25', '−3')
    """
    return f"{value:,.10g}".replace("-", "−")


def format_share(share: float) -> str:
    """Format a share as a percentage with three significant digits."""
    return f"{100 * share:.3g}%"


def is_wide_range(values: FloatArray) -> bool:
    """Return whether finite values are positive and span enough for a logarithmic axis."""
    return bool(
        len(values) and values.min() > 0 and values.max() / values.min() >= MIN_LOG_SCALE_RATIO
    )


def scale_counts(
    ax: Axes, values: Sequence[float] | FloatArray, most: int = 8, *, scale: Scale = "auto"
) -> bool:
    """Prepare the horizontal axis for integers; return whether it is logarithmic."""
    counts = np.asarray(values, dtype=np.float64)
    counts = counts[np.isfinite(counts)]
    logarithmic = scale == "auto" and is_wide_range(counts)
    if logarithmic:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    else:
        ax.xaxis.set_major_locator(FixedLocator(count_ticks(counts, most)))
    ax.xaxis.set_minor_locator(NullLocator())
    format_values(ax.xaxis)
    return logarithmic


def count_ticks(values: FloatArray, most: int = 8) -> list[float]:
    """Return round numbers over the range of counts, with 1 instead of 0."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (1.0, 1.0)
    steps = MaxNLocator(integer=True, nbins=most).tick_values(low, high)
    ticks = [float(tick) for tick in steps if 1 <= tick <= high and tick % 1 == 0]
    # a count of 0 does not occur, so 1 is the natural first tick
    if low <= 1 and 1 not in ticks:  # without the ticks whose labels would touch that of 1
        ticks = [1.0, *(tick for tick in ticks if tick > 0.4 * (steps[1] - steps[0]) + 1)]
    return ticks or [high]


def padded_limits(values: FloatArray, *, logarithmic: bool) -> tuple[float, float]:
    """Return axis limits that leave a margin beyond the values."""
    low, high = float(values.min()), float(values.max())
    if logarithmic:
        factor = (high / low) ** AXIS_MARGIN_SHARE
        return low / factor, high * factor
    margin = AXIS_MARGIN_SHARE * (high - low) or 0.5
    return low - margin, high + margin


def include_zero_and_one(axis: Axis) -> None:
    """Extend the limits of an axis so that it shows 0 and 1."""
    low, high = axis.get_view_interval()
    limits = min(low, -AXIS_MARGIN_SHARE), max(high, 1 + AXIS_MARGIN_SHARE)
    (axis.axes.set_xlim if axis is axis.axes.xaxis else axis.axes.set_ylim)(*limits)


def format_shares(axis: Axis) -> None:
    """Label the ticks of an axis of shares in percent."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_plain(round(100 * value, 6))))


def format_values(axis: Axis) -> None:
    """Label the ticks of an axis as plain numbers."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_plain(round(value, 10))))
