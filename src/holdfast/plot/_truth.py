"""Selection frequencies, ranks or scores against true effects, for simulated data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from holdfast._formatting import plural
from holdfast._typing import FloatArray
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    open_canvas,
)
from holdfast.plot._features import INFORMATIVE, UNINFORMATIVE, draw_truth_legend
from holdfast.plot._labels import label_rows
from holdfast.plot._style import (
    Style,
    format_share,
    format_shares,
    format_values,
    get_floats,
    keep_finite_rows,
    to_floats,
)

if TYPE_CHECKING:
    from matplotlib.axis import Axis

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "What was found against what is true"
MAX_UNTHINNED_POINTS = 600
"""Of more points than this, points that cover each other are drawn once."""
MAX_POINTS_PER_KIND = 1500
"""Most informative and most other points drawn, so that the file stays small."""
CELLS_ACROSS = (250, 120, 60, 36)
"""Points in one cell count as covering each other: the first of these grids that thins enough."""
GOLDEN_RATIO = (5**0.5 - 1) / 2
"""Step between the shifts of successive points: its multiples fill the unit interval evenly."""


def truth(
    table: pd.DataFrame,
    *,
    value: str = "share of resamples that select it, %",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw a value of each feature against its true effect.

    A good selector gives high values (or low ranks) to features with large effects. If no effects
    are known, informative and other features are two rows. Of more than 600 features, those at the
    same position share a mark.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature`` and ``value`` (a frequency, rank or score), with ``effect`` (its sign
        is ignored), ``informative`` (true or false), or both. Rows without a value are left out.
    value : str, default "share of resamples that select it, %"
        Name of the values, for the axis; if it ends with ``%``, shares are shown in percent.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, with ``informative`` and ``effect``.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figures 3 and 4.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"feature": ["a", "b", "c"], "effect": [1.5, -0.5, 0], "value": [1.0, 0.3, 0.1]}
    ... )
    >>> hf.plot.truth(table).description
    '3 features, 2 of them truly informative. Mean: 65% for the informative ones, 10% for
    the others.'
    """
    known = "effect" if "effect" in table.columns else "informative"
    check_columns(table, ("feature", "value", known), "truth")
    effect = np.abs(get_floats(table, "effect"))
    informative = table["informative"] if "informative" in table.columns else effect > 0
    points = table.assign(value=to_floats(table["value"]), effect=effect, informative=informative)
    points = keep_finite_rows(points, "value").astype({"informative": bool})
    numbers = points.reset_index(drop=True)
    by_effect = bool(np.isfinite(numbers["effect"]).any())
    canvas = open_canvas(ax, style, 3.9 if by_effect else 2.4)
    if numbers.empty:
        return draw_empty_picture(canvas, numbers, TITLE, "no values of features are known")
    (_draw_effects if by_effect else _draw_strips)(canvas, numbers, value)
    return finalize(canvas, numbers, TITLE, _describe_truth(numbers, value))


def _draw_effects(canvas: Canvas, numbers: pd.DataFrame, value: str) -> None:
    draw_grid_lines(canvas, "y")
    _draw_points(canvas, numbers, numbers["effect"].to_numpy(), numbers["value"].to_numpy())
    canvas.ax.set(xlabel="true effect, in standard deviations", ylabel=value)
    format_values(canvas.ax.xaxis)
    _format_value_axis(canvas.ax.yaxis, value)
    draw_truth_legend(canvas)


def _draw_strips(canvas: Canvas, numbers: pd.DataFrame, value: str) -> None:
    """Draw two rows of points, shifted up and down so that fewer cover each other."""
    # evenly spread without random numbers: equal tables give equal pictures
    shift = (np.arange(len(numbers)) * GOLDEN_RATIO) % 1 - 0.5
    rows = np.where(numbers["informative"], 0, 1) + 0.6 * shift
    draw_grid_lines(canvas, "x")
    _draw_points(canvas, numbers, numbers["value"].to_numpy(), rows)
    counts = [int(numbers["informative"].sum()), int((~numbers["informative"]).sum())]
    names = zip((INFORMATIVE, UNINFORMATIVE), counts, strict=True)
    label_rows(canvas, [f"{name} ({count:,})" for name, count in names])
    canvas.ax.set_xlabel(value)
    _format_value_axis(canvas.ax.xaxis, value)


def _format_value_axis(axis: Axis, value: str) -> None:
    (format_shares if value.endswith("%") else format_values)(axis)


def _draw_points(canvas: Canvas, numbers: pd.DataFrame, x: FloatArray, y: FloatArray) -> None:
    informative = numbers["informative"].to_numpy()
    points = np.stack([x, y], axis=1)
    for chosen, colour, marker, size in (
        # informative features are drawn last: they are few and must not be covered
        (~informative, "vermilion", "D", 16),
        (informative, "blue", "o", 24),
    ):
        shown = points[chosen]
        if len(points) > MAX_UNTHINNED_POINTS:
            shown = _drop_covered_points(shown)
        canvas.ax.scatter(
            shown[:, 0], shown[:, 1], s=size, marker=marker, alpha=0.6, zorder=3,
            color=canvas.colours[colour], linewidths=0,
        )  # fmt: skip


def _drop_covered_points(points: FloatArray) -> FloatArray:
    """Return one point per cell of a grid; features that are never selected mostly share one."""
    if not len(points):
        return points
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    shares = (points - low) / np.where(span > 0, span, 1)
    # the finest grid that thins enough: coarser ones drop points that a reader could distinguish
    for n_cells in CELLS_ACROSS:
        first = np.unique(np.round(n_cells * shares), axis=0, return_index=True)[1]
        if len(first) <= MAX_POINTS_PER_KIND:
            break
    return np.asarray(points[np.sort(first)])


def _describe_truth(numbers: pd.DataFrame, value: str) -> str:
    informative = numbers["informative"]
    text = (
        f"{plural(len(numbers), 'feature')}, {int(informative.sum()):,} of them truly informative."
    )
    means = [numbers["value"][chosen].mean() for chosen in (informative, ~informative)]
    if not np.isfinite(means).all():
        return text
    first, second = map(format_share if value.endswith("%") else "{:.3g}".format, means)
    return f"{text} Mean: {first} for the informative ones, {second} for the others."
