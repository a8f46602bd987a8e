"""Selection probability and expected stability against the number of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
    style_axes,
)
from holdfast.plot._curves import curves_height
from holdfast.plot._labels import LineLabel, draw_line_labels
from holdfast.plot._style import (
    Style,
    format_plain,
    format_values,
    include_zero_and_one,
    keep_finite_rows,
    line_options,
    marker_interval,
    scale_counts,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Theoretical predictions by number of samples"
REQUIRED_COLUMNS = ("n_per_class", "effect", "informative", "stability")
PANEL_GAP_SHARE, NARROW_PANEL_GAP_SHARE = 0.13, 0.26
"""Share of the width between the two panels, for labels; more on given axes (chosen by eye)."""


def stability_surface(
    table: pd.DataFrame,
    *,
    measure: str = "expected stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the selection probability of informative features and the stability, by effect.

    Each effect is a line; the left panel shows the probability, the right one the stability.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``n_per_class``, ``effect``, ``informative`` and ``stability``, as
        :func:`holdfast.theory.stability_surface` returns. Rows with missing numbers are left out.
    measure : str, default "expected stability"
        Name of the stability, for the axis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on, divided into two panels; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figure 1, as surfaces.

    Examples
    --------
    >>> import holdfast as hf
    >>> from holdfast.theory import stability_surface
    >>> table = stability_surface(n_per_class=[100, 500], effects=[0.05, 0.15])
    >>> hf.plot.stability_surface(table).description
    'Two panels of lines for 2 effects, from 100 to 500 samples per class. At 500 samples, an
    informative feature is selected with probability 0.40 (effect 0.05) to 0.97 (effect 0.15), and
    expected stability is 0.11 to 0.93.'
    """
    check_columns(table, REQUIRED_COLUMNS, "stability_surface")
    numbers = keep_finite_rows(table, *REQUIRED_COLUMNS).reset_index(drop=True)
    by_effect = numbers.sort_values("n_per_class", kind="stable").groupby("effect")
    lines = {float(str(effect)): rows for effect, rows in by_effect}
    canvas = open_canvas(ax, style, curves_height(len(lines), one_position=False))
    if not lines:
        return draw_empty_picture(canvas, numbers, TITLE, "no predictions are known")
    panels = _open_panels(canvas, numbers)
    labels = ("probability of an informative feature", measure)
    for panel, value, label in zip(panels, REQUIRED_COLUMNS[2:], labels, strict=True):
        _draw_lines(panel, lines, value)
        panel.ax.set(xlabel="samples per class", ylabel=label)
    layout(canvas)
    _label_effects(panels[1], lines)
    description = _describe_lines(lines, measure)
    return finalize(canvas, numbers, TITLE, description, [panel.ax for panel in panels])


def _open_panels(canvas: Canvas, numbers: pd.DataFrame) -> list[Canvas]:
    """Divide the axes into two panels with the same axis of samples."""
    canvas.ax.set_axis_off()
    width = (1 - (PANEL_GAP_SHARE if canvas.owns_figure else NARROW_PANEL_GAP_SHARE)) / 2
    boxes = ((0.0, 0.0, width, 1.0), (1 - width, 0.0, width, 1.0))
    panels = [canvas._replace(ax=canvas.ax.inset_axes(box)) for box in boxes]
    n_per_class = to_floats(numbers["n_per_class"])
    for panel in panels:
        style_axes(panel.ax, canvas.colours, canvas.text_scale)
        if scale_counts(panel.ax, n_per_class, canvas.max_columns(4, width=72)):
            # half of the width leaves room for fewer ticks than a whole picture
            few = LogLocator(subs=(1.0, 3.0) if canvas.owns_figure else (1.0,))
            panel.ax.xaxis.set_major_locator(few)
        format_values(panel.ax.yaxis)
        draw_grid_lines(panel, "y")
    return panels


def _draw_lines(panel: Canvas, lines: dict[float, pd.DataFrame], value: str) -> None:
    for position, rows in enumerate(lines.values()):
        panel.ax.plot(
            to_floats(rows["n_per_class"]), to_floats(rows[value]), zorder=3,
            markevery=marker_interval(len(rows)), **line_options(position, panel.colours),
        )  # fmt: skip
    include_zero_and_one(panel.ax.yaxis)


def _label_effects(panel: Canvas, lines: dict[float, pd.DataFrame]) -> None:
    """Write the effects next to the ends of the lines."""
    panel.ax.get_tightbbox()  # updates the position of the inset axes
    labels = [
        LineLabel(
            float(rows["n_per_class"].iloc[-1]), float(rows["stability"].iloc[-1]),
            f"effect {format_plain(effect)}", line_options(position, panel.colours),
        )
        for position, (effect, rows) in enumerate(lines.items())
    ]  # fmt: skip
    draw_line_labels(panel, labels)


def _describe_lines(lines: dict[float, pd.DataFrame], measure: str) -> str:
    sizes = np.concatenate([to_floats(rows["n_per_class"]) for rows in lines.values()])
    first, last = format_plain(sizes.min()), format_plain(sizes.max())
    ends = [
        (float(row["informative"]), float(row["stability"]), effect)
        for effect, row in ((effect, rows.iloc[-1]) for effect, rows in lines.items())
        # effects may have been tabulated up to different numbers of samples
        if row["n_per_class"] == sizes.max()
    ]
    ends.sort(key=lambda end: end[0])
    (low, _, low_effect), (high, _, high_effect) = ends[0], ends[-1]
    stability = [end[1] for end in ends]
    return (
        f"Two panels of lines for {plural(len(lines), 'effect')}, from {first} to {last} samples "
        f"per class. At {last} samples, an informative feature is selected with probability "
        f"{low:.2f} (effect {format_plain(low_effect)}) to {high:.2f} (effect "
        f"{format_plain(high_effect)}), and {measure} is {min(stability):.2f} to "
        f"{max(stability):.2f}."
    )
