"""Bounds of the weighted consistency against the number of selections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.axes import Axes

from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._labels import LineLabel, draw_line_labels
from holdfast.plot._style import (
    Style,
    format_values,
    include_zero_and_one,
    keep_finite_rows,
    line_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._picture import Picture

TITLE = "Bounds of the weighted consistency"
REQUIRED_COLUMNS = ("selected", "minimum", "maximum")


def consistency_bounds(
    table: pd.DataFrame, *, ax: Axes | None = None, style: Style = "light"
) -> Picture:
    """Draw the least and largest possible CW against the number of selections in all subsets.

    The value of a system of subsets lies between both lines; where they are close, CW says little
    about stability.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selected``, ``minimum`` and ``maximum``, as
        :func:`holdfast.measures.weighted_consistency_bounds` returns. Rows with missing numbers
        are left out.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn.

    References
    ----------
    Somol and Novovičová (2008): Weighted consistency, bounds.

    Examples
    --------
    >>> import holdfast as hf
    >>> table = hf.measures.weighted_consistency_bounds(10, 13)
    >>> hf.plot.consistency_bounds(table).description
    'The least and the largest weighted consistency against 1 to 130 selections. At 65 selections
    it lies between 0.444 and 0.957.'
    """
    check_columns(table, REQUIRED_COLUMNS, "consistency_bounds")
    numbers = keep_finite_rows(table, *REQUIRED_COLUMNS).sort_values("selected", kind="stable")
    numbers = numbers.reset_index(drop=True)
    canvas = open_canvas(ax, style, 3.6)
    if numbers.empty:
        return draw_empty_picture(canvas, numbers, TITLE, "no bounds are known")
    selected = to_floats(numbers["selected"])
    low, high = (to_floats(numbers[name]) for name in REQUIRED_COLUMNS[1:])
    canvas.ax.fill_between(selected, low, high, color=canvas.colours["rule"], linewidth=0, zorder=1)
    labels = []
    for position, (name, values) in enumerate((("largest CW", high), ("least CW", low))):
        options = {**line_options(position, canvas.colours), "marker": ""}
        canvas.ax.plot(selected, values, zorder=3, **options)
        labels.append(LineLabel(float(selected[-1]), float(values[-1]), name, options))
    canvas.ax.set(xlabel="selections in all subsets, N", ylabel="weighted consistency CW")
    include_zero_and_one(canvas.ax.yaxis)
    format_values(canvas.ax.xaxis)
    format_values(canvas.ax.yaxis)
    draw_grid_lines(canvas, "y")
    layout(canvas)
    draw_line_labels(canvas, labels[::-1])  # from the lowest: both may end at 1
    return finalize(canvas, numbers, TITLE, _describe_bounds(numbers))


def _describe_bounds(numbers: pd.DataFrame) -> str:
    first, last = (f"{value:,.0f}" for value in numbers["selected"].iloc[[0, -1]])
    # the middle row shows the width of the range; at the last one both bounds are often 1
    middle = numbers.iloc[(len(numbers) - 1) // 2]
    return (
        f"The least and the largest weighted consistency against {first} to {last} selections. "
        f"At {middle['selected']:,.0f} selections it lies between {middle['minimum']:.3g} and "
        f"{middle['maximum']:.3g}."
    )
