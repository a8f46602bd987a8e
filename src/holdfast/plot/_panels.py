"""Several panels in one picture, with one key for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from holdfast.plot._numbers import format_values
from holdfast.plot._sheet import Sheet, dress, rule
from holdfast.plot._style import LABEL, TICK, WIDTH, palette

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

NARROW = 6
"""Most steps between the ticks of a panel."""
WIDE = 15.0
"""Positive numbers whose largest is so many times the smallest are spread out by logarithms."""
ROUND = [1, 2, 5, 10]
"""Steps that are easy to read, in some power of ten."""


def open_panels(rows: Sequence[Sequence[str]], style: str, height: float) -> dict[str, Sheet]:
    """Return a new figure's panels by name; a name that is repeated spans several places."""
    colours = palette(style)
    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor=colours["paper"])
    axes = figure.subplot_mosaic([list(row) for row in rows])
    sheets = {}
    for name, ax in axes.items():
        dress(ax, colours)
        sheets[name] = Sheet(ax, colours, None)
        rule(sheets[name], "y")
    return sheets


def entitle(sheet: Sheet, text: str) -> None:
    """Write what a panel shows above it."""
    sheet.ax.set_title(
        text, loc="left", fontsize=LABEL, color=sheet.colours["ink"], parse_math=False
    )


def spread_out(sheet: Sheet, values: NDArray[np.float64]) -> None:
    """Prepare the horizontal axis: logarithmic where the numbers differ much."""
    axis, low, high = sheet.ax.xaxis, float(values.min()), float(values.max())
    space_evenly(sheet)
    if low > 0 and high / low >= WIDE:
        sheet.ax.set_xscale("log")
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axis.set_minor_locator(NullLocator())
    format_values(axis)


def space_evenly(sheet: Sheet) -> None:
    """Prepare the horizontal axis for few, round numbers."""
    sheet.ax.xaxis.set_major_locator(MaxNLocator(NARROW, steps=ROUND))
    format_values(sheet.ax.xaxis)


def from_zero(sheet: Sheet, top: float = 1.0) -> None:
    """Let the vertical axis go from 0 to `top`, with a little room at both ends."""
    sheet.ax.set_ylim(-0.03 * top, 1.03 * top)
    sheet.ax.yaxis.set_major_locator(MaxNLocator(6, steps=ROUND))
    format_values(sheet.ax.yaxis)


def explain(sheet: Sheet, lines: Sequence[Line2D], columns: int) -> None:
    """Write a key of the lines below all panels."""
    key: Any = sheet.figure.legend(
        handles=list(lines), loc="outside lower center", ncols=columns, frameon=False,
        fontsize=TICK, labelcolor=sheet.colours["ink"], handlelength=2.6,
    )  # fmt: skip
    for text in key.get_texts():
        text.set_parse_math(False)


def shades(colours: Mapping[str, str], count: int) -> list[str]:
    """Return colours from faint to strong, for lines that follow on each other."""
    stops = [np.array(to_rgb(colours[name])) for name in ("paper", "blue", "ink")]
    places = np.linspace(0.35, 1.4, count) if count > 1 else [1.0]
    mixed = [
        [np.interp(place, (0, 1, 2), channel) for channel in np.transpose(stops)]
        for place in places
    ]
    return [to_hex(tuple(colour)) for colour in mixed]
