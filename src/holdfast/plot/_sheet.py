"""Where pictures are drawn: a figure of their own, or the place that they are given."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from holdfast.errors import InvalidInputError
from holdfast.plot._cell import LETTER, cell_of, fit
from holdfast.plot._picture import Picture
from holdfast.plot._quiet import quiet
from holdfast.plot._style import LABEL, NOTE, TICK, WIDTH, palette

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

NAMES = 0.33
"""Share of the width of a given place that names may take."""
ROOMY = 190.0
"""Points of width and height that let letters have their usual size."""


class Sheet(NamedTuple):
    """A place to draw on, the colours to draw with, and the space of axes that were given.

    Shares of the figure; None where the figure is the picture's own.
    """

    ax: Axes
    colours: Mapping[str, str]
    box: Bbox | None

    @property
    def own(self) -> bool:
        """Whether the figure is the picture's own."""
        return self.box is None

    @property
    def figure(self) -> Figure:
        """The whole figure."""
        return self.ax.figure.figure

    def height(self) -> float:
        """Return the height of the place in points, as far as it is known yet."""
        return float(self.ax.get_window_extent().height * 72 / self.figure.dpi)

    @property
    def scale(self) -> float:
        """How large letters are: smaller on small places that were given."""
        return 1.0 if self.own else float(np.clip(self._room().min() / ROOMY, 0.65, 1))

    def letters(self, most: int) -> int:
        """Return how long names may be: at most so long, and not too long for a given place."""
        if self.own:
            return most
        letter = LETTER * TICK * self.scale
        return int(np.clip(NAMES * self._room()[0] / letter, 8, most))

    def size(self, lines: int, usual: float = TICK) -> float:
        """Return the size of letters that lets so many lines stand below each other."""
        if self.own:
            return usual
        return float(np.clip(0.6 * self._room()[1] / lines, 3.5, usual * self.scale))

    def abreast(self, most: int, each: float) -> int:
        """Return how many things of so many points stand side by side, at most so many."""
        return most if self.own else int(np.clip(self._room()[0] / each, 1, most))

    def _room(self) -> NDArray[np.float64]:
        """Return width and height of a given place in points."""
        assert self.box is not None
        edges = self.ax.figure.transSubfigure.transform_bbox(self.box)
        return np.array([edges.width, edges.height]) * 72 / self.figure.dpi


def open_sheet(ax: Axes | None, style: str, height: float) -> Sheet:
    """Return the place given, or a new one of so many inches."""
    colours, box = palette(style), None
    if ax is None:
        figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor=colours["paper"])
        ax = figure.add_subplot()
    elif not isinstance(ax, Axes):
        raise InvalidInputError(
            f"ax must be an Axes of matplotlib, or None for a new figure, got {type(ax).__name__}."
        )
    else:
        box = cell_of(ax)
    sheet = Sheet(ax, colours, box)
    dress(ax, colours, sheet.scale)
    return sheet


def dress(ax: Axes, colours: Mapping[str, str], scale: float = 1.0) -> None:
    """Give axes the calm looks of all pictures."""
    ax.set_facecolor("none")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[:].set(color=colours["muted"], linewidth=0.6)
    ax.tick_params(
        which="both", length=2.5, width=0.6, color=colours["muted"], labelsize=scale * TICK,
        labelcolor=colours["ink"],
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(size=scale * LABEL, color=colours["ink"], parse_math=False)
        axis.labelpad = 6


def rule(sheet: Sheet, which: str) -> None:
    """Draw thin lines across, at the ticks of the axis that carries values."""
    grid: Any = {"color": sheet.colours["rule"], "linewidth": 0.6}
    sheet.ax.grid(visible=True, axis="x" if which == "x" else "y", **grid)
    sheet.ax.set_axisbelow(True)


def name_rows(sheet: Sheet, names: Sequence[str]) -> None:
    """Write names at the left, from the top down, and leave the axis bare."""
    ax = sheet.ax
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0, pad=6, labelsize=sheet.size(len(names)))
    ax.spines["left"].set_visible(False)


def word(sheet: Sheet, x: float, y: float, text: str, **how: Any) -> None:
    """Write literal text at a place of the axes, by default small and muted."""
    how = {"color": sheet.colours["muted"], "fontsize": sheet.scale * NOTE, **how}
    sheet.ax.text(x, y, text, parse_math=False, **how)


def nothing(sheet: Sheet, numbers: pd.DataFrame, title: str, why: str) -> Picture:
    """Return a picture that says that there is nothing to show."""
    sheet.ax.set_axis_off()
    word(
        sheet, 0.5, 0.5, textwrap.fill(why, sheet.letters(60)), ha="center", va="center",
        transform=sheet.ax.transAxes, fontsize=LABEL,
    )  # fmt: skip
    return finish(sheet, numbers, title, f"Nothing to show: {why}.")


def finish(
    sheet: Sheet,
    numbers: pd.DataFrame,
    title: str,
    description: str,
    more: Iterable[Axes] = (),
) -> Picture:
    """Return the picture; a figure of its own keeps the layout that it has now.

    To lay out again is not to do nothing: each time, places move by a trifle.
    """
    settle(sheet)
    if sheet.own:
        sheet.figure.set_layout_engine("none")
    return Picture(sheet.figure, (sheet.ax, *more), numbers, title, description)


def settle(sheet: Sheet) -> None:
    """Lay the figure out, or the axes in the space that they had; so places are known."""
    if sheet.box is not None:
        fit(sheet.ax, sheet.box)
        return
    engine = sheet.figure.get_layout_engine()
    if engine is not None:
        with quiet():
            engine.execute(sheet.figure)


def check_columns(table: pd.DataFrame, needed: Sequence[str], what: str) -> None:
    """Refuse a table that lacks columns."""
    lacking = [name for name in needed if name not in table.columns]
    if lacking:
        raise InvalidInputError(
            f"{what} needs a table with the columns {', '.join(needed)}; missing: "
            f"{', '.join(lacking)}. It has: {', '.join(map(str, table.columns)) or 'none'}."
        )
