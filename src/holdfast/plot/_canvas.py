"""The canvas of a picture: a new figure, or axes of the caller's figure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox

from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError
from holdfast.plot._picture import Picture
from holdfast.plot._style import (
    FIGURE_WIDTH_INCHES,
    LABEL_SIZE,
    NOTE_SIZE,
    TICK_SIZE,
    format_values,
    get_palette,
    ignore_font_warnings,
)

# Shares and sizes below are chosen by eye, unless stated otherwise.

LETTER_WIDTH = 0.55
"""Mean width of a letter, as a multiple of the font size."""
MAX_NAME_WIDTH_SHARE = 0.33
"""Largest share of the width of given axes that names may take."""
MIN_FULL_SIZE_POINTS = 190.0
"""Text is smaller than usual on given axes that are narrower or lower than this."""
NO_LAYOUT_SETTINGS: Any = {"figure.autolayout": False, "figure.constrained_layout.use": False}
"""A figure without a layout engine would take that of the user's settings."""


class Canvas(NamedTuple):
    """Axes to draw on and the colours to draw with.

    `box` is the space of given axes, as shares of the figure; None if the figure is new.
    """

    ax: Axes
    colours: Mapping[str, str]
    box: Bbox | None

    @property
    def owns_figure(self) -> bool:
        """Whether the figure was made for this picture."""
        return self.box is None

    @property
    def figure(self) -> Figure:
        """The whole figure."""
        return self.ax.figure.figure

    def height_points(self) -> float:
        """Return the height of the axes in points, according to the latest layout."""
        return float(self.ax.get_window_extent().height * 72 / self.figure.dpi)

    @property
    def text_scale(self) -> float:
        """Factor of all text sizes, below 1 on small given axes."""
        # a new figure has the size that its text needs; given axes have whatever is left
        if self.owns_figure:
            return 1.0
        return float(np.clip(self._size_points().min() / MIN_FULL_SIZE_POINTS, 0.65, 1))

    def max_name_letters(self, most: int) -> int:
        """Return how many letters a name may have: at most `most`, fewer on narrow given axes."""
        if self.owns_figure:
            return most
        letter = LETTER_WIDTH * TICK_SIZE * self.text_scale
        return int(np.clip(MAX_NAME_WIDTH_SHARE * self._size_points()[0] / letter, 8, most))

    def text_size(self, lines: int, usual: float = TICK_SIZE) -> float:
        """Return the text size at which this many lines fit below each other."""
        if self.owns_figure:
            return usual
        return float(np.clip(0.6 * self._size_points()[1] / lines, 3.5, usual * self.text_scale))

    def max_columns(self, most: int, width: float) -> int:
        """Return how many items of a width in points fit side by side, at most `most`."""
        return most if self.owns_figure else int(np.clip(self._size_points()[0] / width, 1, most))

    def _size_points(self) -> FloatArray:
        """Return width and height of the given box in points."""
        assert self.box is not None
        edges = self.ax.figure.transSubfigure.transform_bbox(self.box)
        return np.array([edges.width, edges.height]) * 72 / self.figure.dpi


def open_canvas(ax: Axes | None, style: str, height: float) -> Canvas:
    """Return a canvas on the given axes, or on a new figure of this height in inches."""
    colours, box = get_palette(style), None
    if ax is None:
        ax = _make_figure(colours, height).add_subplot()
    elif not isinstance(ax, Axes):
        raise InvalidInputError(
            f"ax must be an Axes of matplotlib, or None for a new figure, got {type(ax).__name__}."
        )
    else:
        box = find_available_box(ax)
    canvas = Canvas(ax, colours, box)
    style_axes(ax, colours, canvas.text_scale)
    return canvas


def _make_figure(colours: Mapping[str, str], height: float) -> Figure:
    size = (FIGURE_WIDTH_INCHES, height)
    return Figure(figsize=size, layout="constrained", facecolor=colours["paper"])


def style_axes(ax: Axes, colours: Mapping[str, str], text_scale: float = 1.0) -> None:
    """Set the colours, line widths and text sizes that all pictures share."""
    ax.set_facecolor("none")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[:].set(color=colours["muted"], linewidth=0.6)
    ax.tick_params(
        which="both", length=2.5, width=0.6, color=colours["muted"],
        labelsize=text_scale * TICK_SIZE, labelcolor=colours["ink"],
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(size=text_scale * LABEL_SIZE, color=colours["ink"], parse_math=False)
        axis.labelpad = 6


def draw_grid_lines(canvas: Canvas, which: str) -> None:
    """Draw thin lines across the axes at the ticks of one axis, "x" or "y"."""
    options: Any = {"color": canvas.colours["rule"], "linewidth": 0.6}
    canvas.ax.grid(visible=True, axis="x" if which == "x" else "y", **options)
    canvas.ax.set_axisbelow(True)


def write_text(canvas: Canvas, x: float, y: float, text: str, **options: Any) -> None:
    """Write literal text at a point of the axes, by default small and muted."""
    defaults: dict[str, Any] = {
        "color": canvas.colours["muted"],
        "fontsize": canvas.text_scale * NOTE_SIZE,
    }
    canvas.ax.text(x, y, text, parse_math=False, **defaults | options)


def draw_legend_above(
    canvas: Canvas, handles: Sequence[Line2D], names: Sequence[str], **options: Any
) -> None:
    """Write a legend in one or more rows above the axes; `options` replace the defaults."""
    defaults: dict[str, Any] = {
        "loc": "lower left", "bbox_to_anchor": (0, 1.005), "frameon": False,
        "fontsize": canvas.text_scale * TICK_SIZE, "labelcolor": canvas.colours["ink"],
        "borderaxespad": 0, "borderpad": 0.2, "handletextpad": 0.3, "columnspacing": 1.5,
    }  # fmt: skip
    canvas.ax.legend(handles, names, **defaults | options)


def draw_empty_picture(canvas: Canvas, numbers: pd.DataFrame, title: str, reason: str) -> Picture:
    """Return a picture that states why there is nothing to show."""
    canvas.ax.set_axis_off()
    write_text(
        canvas, 0.5, 0.5, textwrap.fill(reason, canvas.max_name_letters(60)), ha="center",
        va="center", transform=canvas.ax.transAxes, fontsize=LABEL_SIZE,
    )  # fmt: skip
    return finalize(canvas, numbers, title, f"Nothing to show: {reason}.")


def finalize(
    canvas: Canvas, numbers: pd.DataFrame, title: str, description: str, more: Iterable[Axes] = ()
) -> Picture:
    """Lay out the figure and return the picture; a new figure is not laid out again.

    Constrained layout moves axes slightly each time it runs; without it, equal pictures give equal
    files.
    """
    layout(canvas)
    if canvas.owns_figure:
        # a second layout, when the picture is saved, could move the axes under their placed labels;
        # with the engine "none", matplotlib would still draw each picture twice
        with mpl.rc_context(NO_LAYOUT_SETTINGS):
            canvas.figure.set_layout_engine(None)
    return Picture(canvas.figure, (canvas.ax, *more), numbers, title, description)


def layout(canvas: Canvas) -> None:
    """Lay out the figure, or fit given axes into their box, so that positions are known."""
    if canvas.box is not None:
        fit_axes_to_box(canvas.ax, canvas.box)
    else:
        _run_layout_engine(canvas.figure)


def _run_layout_engine(figure: Figure) -> None:
    engine = figure.get_layout_engine()
    if engine is not None:
        with ignore_font_warnings():
            engine.execute(figure)


def check_columns(table: pd.DataFrame, needed: Sequence[str], what: str) -> None:
    """Raise if a table lacks columns."""
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise InvalidInputError(
            f"{what} needs a table with the columns {', '.join(needed)}; missing: "
            f"{', '.join(missing)}. It has: {', '.join(map(str, table.columns)) or 'none'}."
        )


# Pictures on given axes: everything drawn stays inside the space that the axes had.

MAX_SHRINK_ROUNDS = 6
"""How often axes are shrunk: text next to them moves with them, so one round is rarely enough."""
MIN_AXES_SHARE = 0.25
"""Smallest share of the box left to the axes; beyond that, text gets smaller."""
TEXT_REDUCTION_FACTOR, MIN_TEXT_SIZE = 0.85, 3.0
"""Factor by which text gets smaller in one step, and the size in points where that ends."""
MIN_LINE_LETTERS = 14
"""Fewest letters per line of an axis label."""
MAX_OVERHANG_PIXELS = 0.5
"""Overhang that is ignored: it is invisible."""
CELL_GAP_SHARE = 0.006
"""Share of the figure between a picture and the middle of the gap to the next."""
FIGURE_EDGE_SHARE = 0.01
"""Share of the figure that stays free at its edges."""


def find_available_box(ax: Axes) -> Bbox:
    """Return the space of axes as shares of the figure: the axes and half of the gaps around.

    With constrained layout, it is the space left if empty subplots have no ticks.
    """
    spec = ax.get_subplotspec()
    # axes outside a grid, such as insets: their box is all they have
    if spec is None:
        return ax.get_position().frozen()
    if isinstance(ax.figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        return _find_constrained_box(ax)
    position = ax.get_position(original=True)
    if not np.allclose(position.extents, spec.get_position(cast("Figure", ax.figure)).extents):
        return position.frozen()  # the caller placed the axes by hand
    return _find_grid_box(ax)


def _find_constrained_box(ax: Axes) -> Bbox:
    """Return the space that constrained layout leaves to the axes if they are bare."""
    figure = ax.figure.figure
    # axes that are still empty would claim space for their ticks
    empty = [other for other in figure.axes if other.get_in_layout() and not other.has_data()]
    axis_was_on = ax.axison
    for other in empty:
        other.set_in_layout(False)
    ax.set_in_layout(True)
    ax.set_axis_off()
    _run_layout_engine(figure)
    for other in empty:
        other.set_in_layout(True)
    ax.axison = axis_was_on
    return ax.get_position().padded(-CELL_GAP_SHARE)


def _find_grid_box(ax: Axes) -> Bbox:
    """Return the cell of a grid up to the middle of the gaps and the edges of the figure.

    Nothing is added above, where titles are.
    """
    spec = ax.get_subplotspec()
    assert spec is not None
    grid = spec.get_gridspec()
    bottoms, tops, lefts, rights = grid.get_grid_positions(cast("Figure", ax.figure))
    x0, y0, x1, y1 = ax.get_position(original=True).extents
    # neighbours get the other half of the gap
    half_gap_x = (lefts[1] - rights[0]) / 2 if grid.ncols > 1 else 0.0
    half_gap_y = (bottoms[0] - tops[1]) / 2 if grid.nrows > 1 else 0.0
    return Bbox.from_extents(
        x0 - half_gap_x if spec.colspan.start else FIGURE_EDGE_SHARE,
        FIGURE_EDGE_SHARE if spec.rowspan.stop == grid.nrows else y0 - half_gap_y,
        x1 + half_gap_x if spec.colspan.stop < grid.ncols else max(x1, 1 - FIGURE_EDGE_SHARE),
        y1 + CELL_GAP_SHARE,
    ).padded(-CELL_GAP_SHARE)


def fit_axes_to_box(ax: Axes, box: Bbox) -> None:
    """Shrink axes, and text if needed, until nothing drawn reaches over the box."""
    labels = [axis.label for part in _axes_with_insets(ax) for axis in (part.xaxis, part.yaxis)]
    while True:
        ax.set_position(box)
        # without axis labels first: how they are wrapped
        # depends on the size that is left to the axes
        _set_visible(labels, visible=False)
        _shrink_axes(ax, box)
        _wrap_axis_labels(ax)
        _set_visible(labels, visible=True)
        if _shrink_axes(ax, box) <= MAX_OVERHANG_PIXELS or not _reduce_text(ax):
            break
    if not isinstance(ax.figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        ax.set_in_layout(True)  # set_position took the axes out of the layout


def _shrink_axes(ax: Axes, box: Bbox) -> float:
    """Move the edges of axes inwards; return the remaining overhang in pixels."""
    overhang = _overhang_pixels(ax, box)
    for _ in range(MAX_SHRINK_ROUNDS):
        if overhang.max() <= MAX_OVERHANG_PIXELS:
            break
        _inset_axes(ax, box, overhang)
        overhang = _overhang_pixels(ax, box)
    return float(overhang.max())


def _overhang_pixels(ax: Axes, box: Bbox) -> FloatArray:
    """Return how far the drawing reaches over the left, bottom, right and top of the box."""
    edges = ax.figure.transSubfigure.transform_bbox(box)
    with ignore_font_warnings():
        drawn = ax.get_tightbbox()
    if drawn is None:
        return np.zeros(4)
    overhang = (np.asarray(drawn.extents) - edges.extents) * [-1, -1, 1, 1]
    return np.asarray(np.maximum(overhang, 0), dtype=np.float64)


def _inset_axes(ax: Axes, box: Bbox, overhang: FloatArray) -> None:
    """Move the edges of axes inwards by the overhang, down to their smallest size."""
    pixels = ax.figure.transSubfigure.transform_bbox(box)
    shares = overhang * np.tile([box.width / pixels.width, box.height / pixels.height], 2)
    x0, y0, x1, y1 = ax.get_position(original=True).extents + shares * [1, 1, -1, -1]
    min_width, min_height = MIN_AXES_SHARE * box.width, MIN_AXES_SHARE * box.height
    x0, y0 = min(x0, box.x1 - min_width), min(y0, box.y1 - min_height)
    # axes never get narrower than a share of their box: beyond that, text gets smaller
    ax.set_position(Bbox.from_extents(x0, y0, max(x1, x0 + min_width), max(y1, y0 + min_height)))


def _axes_with_insets(ax: Axes) -> list[Axes]:
    return [ax, *(child for child in ax.child_axes if isinstance(child, Axes))]


def _set_visible(labels: Iterable[Text], *, visible: bool) -> None:
    for label in labels:
        label.set_visible(visible)


def _wrap_axis_labels(ax: Axes) -> None:
    """Break axis labels into lines that are no longer than the axes.

    A blank precedes each break made here, so that a later call can move it.
    """
    for part in _axes_with_insets(ax):
        area = part.get_window_extent()
        for label, pixels in ((part.xaxis.label, area.width), (part.yaxis.label, area.height)):
            letter = LETTER_WIDTH * float(label.get_fontsize()) * part.figure.figure.dpi / 72
            # a break made here has a space before it and is undone; breaks of the text itself stay
            lines = label.get_text().replace(" \n", " ").split("\n")
            most = max(int(pixels / letter), MIN_LINE_LETTERS)
            label.set_text("\n".join(" \n".join(textwrap.wrap(line, most)) for line in lines))


def _reduce_text(ax: Axes) -> bool:
    """Make all text one step smaller; return False if it is as small as allowed."""
    texts = [text for text in ax.findobj(Text) if text.get_text()]
    sizes = [TEXT_REDUCTION_FACTOR * float(text.get_fontsize()) for text in texts]
    if max(sizes, default=0.0) < MIN_TEXT_SIZE:
        return False
    for text, size in zip(texts, sizes, strict=True):
        text.set_fontsize(size)
    return True


# Several panels in one picture, with one legend for all.

MAX_PANEL_TICK_STEPS = 6
"""Most steps between the ticks of a panel."""
MIN_PANEL_LOG_RATIO = 15.0
"""Ratio of the largest to the smallest value that makes the axis of a panel logarithmic."""
READABLE_STEPS = [1, 2, 5, 10]
"""Distances of ticks that are easy to read, up to a power of ten (the usual ones)."""


def open_panels(rows: Sequence[Sequence[str]], style: str, height: float) -> dict[str, Canvas]:
    """Return the panels of a new figure by name; a repeated name spans several cells."""
    colours = get_palette(style)
    axes = _make_figure(colours, height).subplot_mosaic([list(row) for row in rows])
    panels = {}
    for name, ax in axes.items():
        style_axes(ax, colours)
        panels[name] = Canvas(ax, colours, None)
        draw_grid_lines(panels[name], "y")
    return panels


def finalize_panels(
    panels: Iterable[Canvas], numbers: pd.DataFrame, title: str, description: str
) -> Picture:
    """Lay out the figure of several panels and return the picture."""
    first, *others = panels
    return finalize(first, numbers, title, description, [panel.ax for panel in others])


def write_panel_title(panel: Canvas, text: str) -> None:
    """Write a title above a panel."""
    panel.ax.set_title(
        text, loc="left", fontsize=LABEL_SIZE, color=panel.colours["ink"], parse_math=False
    )


def scale_panel_x(panel: Canvas, values: FloatArray) -> None:
    """Prepare the horizontal axis of a panel: logarithmic if the values span a wide range."""
    axis, low, high = panel.ax.xaxis, float(values.min()), float(values.max())
    set_round_ticks(panel)
    if low > 0 and high / low >= MIN_PANEL_LOG_RATIO:
        panel.ax.set_xscale("log")
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axis.set_minor_locator(NullLocator())
    format_values(axis)


def set_round_ticks(panel: Canvas) -> None:
    """Put few ticks at round numbers of the horizontal axis."""
    panel.ax.xaxis.set_major_locator(MaxNLocator(MAX_PANEL_TICK_STEPS, steps=READABLE_STEPS))
    format_values(panel.ax.xaxis)


def scale_panel_y(panel: Canvas, top: float = 1.0) -> None:
    """Let the vertical axis reach from 0 to `top`, with a small margin at both ends."""
    panel.ax.set_ylim(-0.03 * top, 1.03 * top)
    panel.ax.yaxis.set_major_locator(MaxNLocator(MAX_PANEL_TICK_STEPS, steps=READABLE_STEPS))
    format_values(panel.ax.yaxis)


def draw_legend(canvas: Canvas, lines: Sequence[Line2D], columns: int) -> None:
    """Write a legend of the lines below all panels."""
    legend: Any = canvas.figure.legend(
        handles=list(lines), loc="outside lower center", ncols=columns, frameon=False,
        fontsize=TICK_SIZE, labelcolor=canvas.colours["ink"], handlelength=2.6,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def make_shades(colours: Mapping[str, str], count: int) -> list[str]:
    """Return colours from faint to strong, for lines with a natural order."""
    stops = [np.array(to_rgb(colours[name])) for name in ("paper", "blue", "ink")]
    # from a third of the way from paper to blue, to 0.4 of the way
    # from blue to ink: the first line is visible, the last not black
    places = np.linspace(0.35, 1.4, count) if count > 1 else [1.0]
    mixed = [
        [np.interp(place, (0, 1, 2), channel) for channel in np.transpose(stops)]
        for place in places
    ]
    return [to_hex(tuple(colour)) for colour in mixed]
