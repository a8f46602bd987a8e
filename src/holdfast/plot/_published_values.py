"""Values of a repeated experiment against the published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._labels import draw_name_list, format_distinct_names
from holdfast.plot._style import (
    AXIS_MARGIN_SHARE,
    Style,
    format_values,
    keep_finite_rows,
    marker_options,
    reference_line_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Published values and ours"
REQUIRED_COLUMNS = ("published", "value")
MAX_LETTERS = 24
"""Longest name of a kind, in letters (chosen by eye)."""


def published_values(
    table: pd.DataFrame, *, ax: Axes | None = None, style: Style = "light"
) -> Picture:
    """Draw values against the published ones, with the line on which they are equal.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``published`` and ``value``; optionally ``kind``, the group of a point. Rows in
        which one of the two is missing are left out.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, with the ``difference`` of value and published value.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"published": [0.5, 0.9], "value": [0.6, 0.7], "kind": ["a", "b"]})
    >>> hf.plot.published_values(table).description
    '2 values against the published ones. Above: 1, below: 1; mean absolute difference 0.15.'
    """
    check_columns(table, REQUIRED_COLUMNS, "published_values")
    rows = keep_finite_rows(table, *REQUIRED_COLUMNS).reset_index(drop=True)
    numbers = rows.assign(difference=to_floats(rows["value"]) - to_floats(rows["published"]))
    canvas = open_canvas(ax, style, 4.2)
    if numbers.empty:
        return draw_empty_picture(canvas, numbers, TITLE, "no value was published")
    kinds = {"": numbers}
    if "kind" in numbers.columns:
        groups = numbers.groupby(numbers["kind"].astype(str), sort=False)
        kinds = {str(kind): group for kind, group in groups}
    _prepare_axes(canvas, numbers)
    for position, group in enumerate(kinds.values()):
        canvas.ax.plot(
            to_floats(group["published"]), to_floats(group["value"]), zorder=4, clip_on=False,
            markeredgecolor=canvas.colours["paper"], markeredgewidth=0.5,
            **marker_options(position, canvas.colours),
        )  # fmt: skip
    layout(canvas)
    if len(kinds) > 1:
        names = format_distinct_names(kinds, most=canvas.max_name_letters(MAX_LETTERS))
        entries = [(name, marker_options(i, canvas.colours)) for i, name in enumerate(names)]
        draw_name_list(canvas, entries)
    return finalize(canvas, numbers, TITLE, _describe(numbers))


def _prepare_axes(canvas: Canvas, numbers: pd.DataFrame) -> None:
    """Give both axes the same range, and draw the line of equal values."""
    values = to_floats(pd.concat([numbers["published"], numbers["value"]]))
    margin = AXIS_MARGIN_SHARE * float(np.ptp(values)) or 0.5
    limits = float(values.min()) - margin, float(values.max()) + margin
    canvas.ax.set(xlim=limits, ylim=limits, xlabel="published value", ylabel="our value")
    canvas.ax.plot(limits, limits, zorder=2, **reference_line_options(canvas.colours))
    draw_grid_lines(canvas, "y")
    format_values(canvas.ax.xaxis)
    format_values(canvas.ax.yaxis)


def _describe(numbers: pd.DataFrame) -> str:
    difference = to_floats(numbers["difference"])
    return (
        f"{plural(len(numbers), 'value')} against the published ones. Above: "
        f"{int((difference > 0).sum())}, below: {int((difference < 0).sum())}; mean absolute "
        f"difference {np.abs(difference).mean():.2g}."
    )
