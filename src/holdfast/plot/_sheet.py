"""Where pictures are drawn: a figure of their own, or the place that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from holdfast.errors import InvalidInputError
from holdfast.plot._picture import Picture
from holdfast.plot._quiet import quiet
from holdfast.plot._style import LABEL, NOTE, TICK, WIDTH, palette

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd


class Sheet(NamedTuple):
    """A place to draw on, the colours to draw with, and whether the figure is the picture's own."""

    ax: Axes
    colours: Mapping[str, str]
    own: bool

    @property
    def figure(self) -> Figure:
        """The whole figure."""
        return self.ax.figure.figure

    def height(self) -> float:
        """Return the height of the place in points, as far as it is known yet."""
        return float(self.figure.get_figheight() * 72 * self.ax.get_position().height)


def open_sheet(ax: Axes | None, style: str, height: float) -> Sheet:
    """Return the place given, or a new one of so many inches."""
    colours, own = palette(style), ax is None
    if ax is None:
        figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor=colours["paper"])
        ax = figure.add_subplot()
    elif not isinstance(ax, Axes):
        raise InvalidInputError(
            f"ax must be an Axes of matplotlib, or None for a new figure, got {type(ax).__name__}."
        )
    dress(ax, colours)
    return Sheet(ax, colours, own)


def dress(ax: Axes, colours: Mapping[str, str]) -> None:
    """Give axes the calm looks of all pictures."""
    ax.set_facecolor("none")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[:].set(color=colours["muted"], linewidth=0.6)
    ax.tick_params(
        which="both", length=2.5, width=0.6, color=colours["muted"], labelsize=TICK,
        labelcolor=colours["ink"],
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(size=LABEL, color=colours["ink"], parse_math=False)
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
    ax.tick_params(axis="y", length=0, pad=6)
    ax.spines["left"].set_visible(False)


def word(sheet: Sheet, x: float, y: float, text: str, **how: Any) -> None:
    """Write literal text at a place of the axes, by default small and muted."""
    how = {"color": sheet.colours["muted"], "fontsize": NOTE, **how}
    sheet.ax.text(x, y, text, parse_math=False, **how)


def nothing(sheet: Sheet, numbers: pd.DataFrame, title: str, why: str) -> Picture:
    """Return a picture that says that there is nothing to show."""
    sheet.ax.set_axis_off()
    word(
        sheet, 0.5, 0.5, why, ha="center", va="center", transform=sheet.ax.transAxes,
        fontsize=LABEL,
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
    if sheet.own:
        settle(sheet)
        sheet.figure.set_layout_engine("none")
    return Picture(sheet.figure, (sheet.ax, *more), numbers, title, description)


def settle(sheet: Sheet) -> None:
    """Lay the figure out, so that places on it are known."""
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
