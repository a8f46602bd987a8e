"""Where pictures are drawn: a figure of their own, or the place that they are given."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox

from holdfast.errors import InvalidInputError
from holdfast.plot._picture import Picture
from holdfast.plot._style import (
    FIGURE_WIDTH_INCHES,
    LABEL,
    NOTE,
    TICK,
    format_values,
    ignore_font_warnings,
    palette,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray


MAX_NAME_WIDTH_SHARE = 0.33
"""Share of the width of a given place that names may take."""
MIN_FULL_SIZE_POINTS = 190.0
"""Points of width and height that let letters have their usual size."""


class Canvas(NamedTuple):
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
        return (
            1.0 if self.own else float(np.clip(self._room().min() / MIN_FULL_SIZE_POINTS, 0.65, 1))
        )

    def letters(self, most: int) -> int:
        """Return how long names may be: at most so long, and not too long for a given place."""
        if self.own:
            return most
        letter = LETTER * TICK * self.scale
        return int(np.clip(MAX_NAME_WIDTH_SHARE * self._room()[0] / letter, 8, most))

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


def open_canvas(ax: Axes | None, style: str, height: float) -> Canvas:
    """Return the place given, or a new one of so many inches."""
    colours, box = palette(style), None
    if ax is None:
        figure = Figure(
            figsize=(FIGURE_WIDTH_INCHES, height), layout="constrained", facecolor=colours["paper"]
        )
        ax = figure.add_subplot()
    elif not isinstance(ax, Axes):
        raise InvalidInputError(
            f"ax must be an Axes of matplotlib, or None for a new figure, got {type(ax).__name__}."
        )
    else:
        box = cell_of(ax)
    sheet = Canvas(ax, colours, box)
    style_axes(ax, colours, sheet.scale)
    return sheet


def style_axes(ax: Axes, colours: Mapping[str, str], scale: float = 1.0) -> None:
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


def draw_grid_lines(sheet: Canvas, which: str) -> None:
    """Draw thin lines across, at the ticks of the axis that carries values."""
    grid: Any = {"color": sheet.colours["rule"], "linewidth": 0.6}
    sheet.ax.grid(visible=True, axis="x" if which == "x" else "y", **grid)
    sheet.ax.set_axisbelow(True)


def name_rows(sheet: Canvas, names: Sequence[str]) -> None:
    """Write names at the left, from the top down, and leave the axis bare."""
    ax = sheet.ax
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0, pad=6, labelsize=sheet.size(len(names)))
    ax.spines["left"].set_visible(False)


def write_text(sheet: Canvas, x: float, y: float, text: str, **how: Any) -> None:
    """Write literal text at a place of the axes, by default small and muted."""
    how = {"color": sheet.colours["muted"], "fontsize": sheet.scale * NOTE, **how}
    sheet.ax.text(x, y, text, parse_math=False, **how)


def draw_empty_picture(sheet: Canvas, numbers: pd.DataFrame, title: str, why: str) -> Picture:
    """Return a picture that says that there is nothing to show."""
    sheet.ax.set_axis_off()
    write_text(
        sheet, 0.5, 0.5, textwrap.fill(why, sheet.letters(60)), ha="center", va="center",
        transform=sheet.ax.transAxes, fontsize=LABEL,
    )  # fmt: skip
    return finalize(sheet, numbers, title, f"Nothing to show: {why}.")


def finalize(
    sheet: Canvas,
    numbers: pd.DataFrame,
    title: str,
    description: str,
    more: Iterable[Axes] = (),
) -> Picture:
    """Return the picture; a figure of its own keeps the layout that it has now.

    To lay out again is not to do nothing: each time, places move by a trifle.
    """
    layout(sheet)
    if sheet.own:
        sheet.figure.set_layout_engine("none")
    return Picture(sheet.figure, (sheet.ax, *more), numbers, title, description)


def layout(sheet: Canvas) -> None:
    """Lay the figure out, or the axes in the space that they had; so places are known."""
    if sheet.box is not None:
        fit_axes_to_box(sheet.ax, sheet.box)
        return
    engine = sheet.figure.get_layout_engine()
    if engine is not None:
        with ignore_font_warnings():
            engine.execute(sheet.figure)


def check_columns(table: pd.DataFrame, needed: Sequence[str], what: str) -> None:
    """Refuse a table that lacks columns."""
    lacking = [name for name in needed if name not in table.columns]
    if lacking:
        raise InvalidInputError(
            f"{what} needs a table with the columns {', '.join(needed)}; missing: "
            f"{', '.join(lacking)}. It has: {', '.join(map(str, table.columns)) or 'none'}."
        )


# Pictures on axes that were given: all of them stays inside the space that these had.

LETTER = 0.55
"""Width of a usual letter, in sizes of the font."""
MAX_SHRINK_ROUNDS = 6
"""So often the axes are shrunk; what stands beside them moves with them, but not quite."""
MIN_AXES_SHARE = 0.25
"""Smallest share of the space that is left to the axes; then letters get smaller."""
SMALLER, SMALLEST = 0.85, 3.0
"""Steps of smaller letters, and where they end."""
MIN_LINE_LETTERS = 14
"""Fewest letters on a line of a label."""
MAX_OVERHANG_PIXELS = 0.5
"""Pixels that may reach over an edge."""
GAP = 0.006
"""Share of the figure between a picture and the middle of the gap to the next."""
EDGE = 0.01
"""Share of the figure that stays free at its edges."""


def cell_of(ax: Axes) -> Bbox:
    """Return the space of axes, in shares of the figure: theirs, and half of the gaps around.

    Constrained layout is asked for it, as if other subplots that are still empty had no ticks.
    """
    spec = ax.get_subplotspec()
    if spec is None:
        return ax.get_position().frozen()
    if isinstance(ax.figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        return _laid_out(ax)
    position = ax.get_position(original=True)
    if not np.allclose(position.extents, spec.get_position(cast("Figure", ax.figure)).extents):
        return position.frozen()  # someone put it there
    return _with_gaps(ax)


def _laid_out(ax: Axes) -> Bbox:
    """Return the space that constrained layout leaves for bare axes, and take them out of it."""
    figure = ax.figure.figure
    empty = [one for one in figure.axes if one.get_in_layout() and not one.has_data()]
    shown = ax.axison
    for one in empty:
        one.set_in_layout(False)
    ax.set_in_layout(True)
    ax.set_axis_off()
    engine = figure.get_layout_engine()
    if engine is not None:
        with ignore_font_warnings():
            engine.execute(figure)
    for one in empty:
        one.set_in_layout(True)
    ax.axison = shown
    return ax.get_position().padded(-GAP)


def _with_gaps(ax: Axes) -> Bbox:
    """Widen the place in a grid up to the middle of the gaps and to the edges of the figure.

    Nothing is added above: titles stand there.
    """
    spec = ax.get_subplotspec()
    assert spec is not None
    grid = spec.get_gridspec()
    bottoms, tops, lefts, rights = grid.get_grid_positions(cast("Figure", ax.figure))
    x0, y0, x1, y1 = ax.get_position(original=True).extents
    across = (lefts[1] - rights[0]) / 2 if grid.ncols > 1 else 0.0
    along = (bottoms[0] - tops[1]) / 2 if grid.nrows > 1 else 0.0
    return Bbox.from_extents(
        x0 - across if spec.colspan.start else EDGE,
        EDGE if spec.rowspan.stop == grid.nrows else y0 - along,
        x1 + across if spec.colspan.stop < grid.ncols else max(x1, 1 - EDGE),
        y1 + GAP,
    ).padded(-GAP)


def fit_axes_to_box(ax: Axes, box: Bbox) -> None:
    """Shrink axes until nothing of them reaches over the box; at last, shrink letters."""
    labels = _labels(ax)
    while True:
        ax.set_position(box)
        _show(labels, visible=False)
        _shrink(ax, box)
        _wrap(ax)
        _show(labels, visible=True)
        if _shrink(ax, box) <= MAX_OVERHANG_PIXELS or not _smaller(ax):
            break
    if not isinstance(ax.figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        ax.set_in_layout(True)  # as it was before it got its position


def _shrink(ax: Axes, box: Bbox) -> float:
    """Move the edges of axes inwards; return by how many pixels they still reach too far."""
    beyond = _beyond(ax, box)
    for _ in range(MAX_SHRINK_ROUNDS):
        if beyond.max() <= MAX_OVERHANG_PIXELS:
            break
        _inset(ax, box, beyond)
        beyond = _beyond(ax, box)
    return float(beyond.max())


def _beyond(ax: Axes, box: Bbox) -> NDArray[np.float64]:
    """Return by how many pixels what is drawn reaches over left, bottom, right and top."""
    edges = ax.figure.transSubfigure.transform_bbox(box)
    with ignore_font_warnings():
        found = ax.get_tightbbox()
    if found is None:
        return np.zeros(4)
    reach = (np.asarray(found.extents) - edges.extents) * [-1, -1, 1, 1]
    return np.asarray(np.maximum(reach, 0), dtype=np.float64)


def _inset(ax: Axes, box: Bbox, beyond: NDArray[np.float64]) -> None:
    """Take what reaches over the edges away from the axes, as far as they can spare it."""
    pixels = ax.figure.transSubfigure.transform_bbox(box)
    share = beyond * np.tile([box.width / pixels.width, box.height / pixels.height], 2)
    x0, y0, x1, y1 = ax.get_position(original=True).extents + share * [1, 1, -1, -1]
    wide, high = MIN_AXES_SHARE * box.width, MIN_AXES_SHARE * box.height
    x0, y0 = min(x0, box.x1 - wide), min(y0, box.y1 - high)
    ax.set_position(Bbox.from_extents(x0, y0, max(x1, x0 + wide), max(y1, y0 + high)))


def _list_axes(ax: Axes) -> list[Axes]:
    return [ax, *(one for one in ax.child_axes if isinstance(one, Axes))]


def _labels(ax: Axes) -> list[Text]:
    return [axis.label for one in _list_axes(ax) for axis in (one.xaxis, one.yaxis)]


def _show(labels: list[Text], *, visible: bool) -> None:
    for label in labels:
        label.set_visible(visible)


def _wrap(ax: Axes) -> None:
    """Break labels of axes into lines that are no longer than the axes.

    A blank before the break tells the breaks made here, which may move, from others.
    """
    for one in _list_axes(ax):
        area = one.get_window_extent()
        for label, pixels in ((one.xaxis.label, area.width), (one.yaxis.label, area.height)):
            letter = LETTER * float(label.get_fontsize()) * one.figure.figure.dpi / 72
            lines = label.get_text().replace(" \n", " ").split("\n")
            most = max(int(pixels / letter), MIN_LINE_LETTERS)
            label.set_text("\n".join(" \n".join(textwrap.wrap(line, most)) for line in lines))


def _smaller(ax: Axes) -> bool:
    """Make all letters smaller; return whether that was possible."""
    letters = [text for text in ax.findobj(Text) if text.get_text()]
    sizes = [SMALLER * float(text.get_fontsize()) for text in letters]
    if max(sizes, default=0.0) < SMALLEST:
        return False
    for text, size in zip(letters, sizes, strict=True):
        text.set_fontsize(size)
    return True


# Several panels in one picture, with one key for all.

MAX_PANEL_TICK_STEPS = 6
"""Most steps between the ticks of a panel."""
MIN_PANEL_LOG_RATIO = 15.0
"""Positive numbers whose largest is so many times the smallest are spread out by logarithms."""
ROUND = [1, 2, 5, 10]
"""Steps that are easy to read, in some power of ten."""


def open_panels(rows: Sequence[Sequence[str]], style: str, height: float) -> dict[str, Canvas]:
    """Return a new figure's panels by name; a name that is repeated spans several places."""
    colours = palette(style)
    figure = Figure(
        figsize=(FIGURE_WIDTH_INCHES, height), layout="constrained", facecolor=colours["paper"]
    )
    axes = figure.subplot_mosaic([list(row) for row in rows])
    sheets = {}
    for name, ax in axes.items():
        style_axes(ax, colours)
        sheets[name] = Canvas(ax, colours, None)
        draw_grid_lines(sheets[name], "y")
    return sheets


def write_panel_title(sheet: Canvas, text: str) -> None:
    """Write what a panel shows above it."""
    sheet.ax.set_title(
        text, loc="left", fontsize=LABEL, color=sheet.colours["ink"], parse_math=False
    )


def scale_panel_values(sheet: Canvas, values: NDArray[np.float64]) -> None:
    """Prepare the horizontal axis: logarithmic where the numbers differ much."""
    axis, low, high = sheet.ax.xaxis, float(values.min()), float(values.max())
    space_evenly(sheet)
    if low > 0 and high / low >= MIN_PANEL_LOG_RATIO:
        sheet.ax.set_xscale("log")
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axis.set_minor_locator(NullLocator())
    format_values(axis)


def space_evenly(sheet: Canvas) -> None:
    """Prepare the horizontal axis for few, round numbers."""
    sheet.ax.xaxis.set_major_locator(MaxNLocator(MAX_PANEL_TICK_STEPS, steps=ROUND))
    format_values(sheet.ax.xaxis)


def scale_from_zero(sheet: Canvas, top: float = 1.0) -> None:
    """Let the vertical axis go from 0 to `top`, with a little room at both ends."""
    sheet.ax.set_ylim(-0.03 * top, 1.03 * top)
    sheet.ax.yaxis.set_major_locator(MaxNLocator(6, steps=ROUND))
    format_values(sheet.ax.yaxis)


def draw_legend(sheet: Canvas, lines: Sequence[Line2D], columns: int) -> None:
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
