"""The chance of each selected feature to be found again by a second study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    draw_legend_above,
    finalize,
    open_canvas,
    write_text,
)
from holdfast.plot._frequencies import draw_row_markers
from holdfast.plot._labels import format_name, name_rows
from holdfast.plot._style import (
    Style,
    get_floats,
    keep_finite_rows,
    reference_line_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Chance to be found again"
ROW_HEIGHT_INCHES, FRAME_HEIGHT_INCHES, MIN_ROWS = 0.235, 1.15, 4
"""Height of a row, height of legend and axis together, and fewest rows with space (by eye)."""


class GradeStyle(NamedTuple):
    """Colour and shape of a grade; either one identifies the grade."""

    colour: str
    marker: str
    size: float
    range: str


GRADE_STYLES = {
    "very likely": GradeStyle("blue", "o", 46, "0.9 or more"),
    "likely": GradeStyle("green", "s", 40, "0.7 to 0.9"),
    "uncertain": GradeStyle("orange", "^", 46, "0.3 to 0.7"),
    "unlikely": GradeStyle("slate", "X", 40, "below 0.3"),
}


def found_again(
    table: pd.DataFrame,
    *,
    chance_level: float | None = None,
    most: int = 18,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the chance of each feature to be found again, the highest on top.

    A line joins the lower bound and the chance. Colour and shape show the grade.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature``, ``found_again`` (from 0 to 1) and ``grade``; optionally ``low``, the
        lower bound, and ``selected``: features that are not selected are left out.
    chance_level : float, optional
        Chance of a feature if features are drawn at random; a dashed line marks it.
    most : int, default 18
        Most features shown; a note gives the number of the others.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, in their order.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {
    ...         "feature": ["MYC", "TP53"],
    ...         "found_again": [0.4, 0.95],
    ...         "low": [0.1, 0.8],
    ...         "grade": ["uncertain", "very likely"],
    ...     }
    ... )
    >>> hf.plot.found_again(table).numbers["feature"].tolist()
    ['TP53', 'MYC']
    """
    check_columns(table, ("feature", "found_again", "grade"), "found_again")
    known = keep_finite_rows(table, "found_again")
    if "selected" in known:
        known = known[known["selected"].astype(bool)]
    ordered = known.sort_values("found_again", ascending=False, kind="stable")
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    height = FRAME_HEIGHT_INCHES + ROW_HEIGHT_INCHES * max(len(drawn), MIN_ROWS)
    canvas = open_canvas(ax, style, height)
    if drawn.empty:
        return draw_empty_picture(canvas, drawn, TITLE, "no feature is selected")
    _draw_chances(canvas, drawn)
    _label_chances(canvas, drawn, len(ordered) - len(drawn))
    if chance_level is not None:
        canvas.ax.axvline(chance_level, zorder=1, **_chance_line_options(canvas))
    _draw_grade_legend(canvas, drawn)
    return finalize(canvas, drawn, TITLE, _describe_chances(drawn, ordered))


def _draw_chances(canvas: Canvas, table: pd.DataFrame) -> None:
    chances, low = to_floats(table["found_again"]), get_floats(table, "low")
    rows = np.arange(len(table))
    for grade, style in GRADE_STYLES.items():
        chosen = (table["grade"] == grade).to_numpy()
        x, y, colour = chances[chosen], rows[chosen], canvas.colours[style.colour]
        canvas.ax.hlines(y, low[chosen], x, color=colour, linewidth=2.4, alpha=0.5)
        draw_row_markers(canvas, x, y, style.marker, style.size, colour)
    size, ink = canvas.text_size(len(table)), canvas.colours["ink"]
    for row, chance in enumerate(chances):
        write_text(canvas, 1.06, row, f"{chance:.2f}", va="center", color=ink, fontsize=size)


def _label_chances(canvas: Canvas, drawn: pd.DataFrame, n_hidden: int) -> None:
    name_rows(canvas, drawn["feature"])
    canvas.ax.set_ylim(max(len(drawn), MIN_ROWS) - 0.4, -0.6)
    canvas.ax.set_xlim(-0.03, 1.13)
    canvas.ax.set_xticks([0, 0.3, 0.7, 0.9, 1.0], ["0", "0.3", "0.7", "0.9", "1"])
    draw_grid_lines(canvas, "x")
    text = "chance that a second study selects it (line: from its lower bound)"
    if n_hidden:
        verb = "has a lower chance" if n_hidden == 1 else "have lower chances"
        text += f"\n{plural(n_hidden, 'more feature')} {verb}"
    canvas.ax.set_xlabel(text)


def _chance_line_options(canvas: Canvas) -> dict[str, Any]:
    return reference_line_options(canvas.colours) | {"linewidth": 1.1}


def _draw_grade_legend(canvas: Canvas, drawn: pd.DataFrame) -> None:
    """Explain the drawn grades and the dashed line above the axes."""
    styles = {
        grade: style for grade, style in GRADE_STYLES.items() if (drawn["grade"] == grade).any()
    }
    handles = [
        Line2D([], [], linestyle="none", marker=style.marker, markersize=6,
               color=canvas.colours[style.colour])
        for style in styles.values()
    ]  # fmt: skip
    names = [f"{grade} ({style.range})" for grade, style in styles.items()]
    if canvas.ax.lines:
        handles.append(Line2D([], [], **_chance_line_options(canvas)))
        names.append("drawn at random")
    columns = canvas.max_columns(len(names), width=110)
    draw_legend_above(
        canvas, handles, names, loc="lower center", bbox_to_anchor=(0.4, 1.005), ncols=columns,
        columnspacing=1.2, handlelength=1.6,
    )  # fmt: skip


def _describe_chances(drawn: pd.DataFrame, ordered: pd.DataFrame) -> str:
    counts = [
        f"{int((ordered['grade'] == grade).sum()):,} {grade}"
        for grade in GRADE_STYLES
        if (ordered["grade"] == grade).any()
    ]
    first = drawn.iloc[0]
    return (
        f"Dots for {plural(len(drawn), 'selected feature')}, the highest chance on top: "
        f"{format_name(first['feature'])} {first['found_again']:.2f}. Of all "
        f"{len(ordered):,}, {', '.join(counts)} to be found again."
    )
