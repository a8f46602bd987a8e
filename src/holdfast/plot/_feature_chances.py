"""Each selected feature's chance to be found again by a second study."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.lines import Line2D

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    name_rows,
    open_canvas,
    write_text,
)
from holdfast.plot._labels import MAX_NAME_LETTERS, format_distinct_names, format_name
from holdfast.plot._style import TICK, column, numeric

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style

TITLE = "Chance to be found again"
ROW_HEIGHT, FRAME_HEIGHT, FEWEST_ROWS = 0.235, 1.15, 4
"""Inches of a row, of legend and axis together, and the fewest rows that there is room for."""


class GradeLook(NamedTuple):
    """Colour and shape of a grade: each alone tells the grades apart."""

    colour: str
    marker: str
    size: float
    range: str


LOOKS = {
    "very likely": GradeLook("blue", "o", 46, "0.9 or more"),
    "likely": GradeLook("green", "s", 40, "0.7 to 0.9"),
    "uncertain": GradeLook("orange", "^", 46, "0.3 to 0.7"),
    "unlikely": GradeLook("slate", "X", 40, "below 0.3"),
}


def found_again(
    table: pd.DataFrame,
    *,
    chance_level: float | None = None,
    most: int = 18,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw each feature's chance to be found again, the highest on top.

    A line goes from the lower bound to the chance. Colour and shape show the grade.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature``, ``found_again`` (from 0 to 1) and ``grade``; where known ``low``, the
        lower bound, and ``selected``: features that are not selected are left out.
    chance_level : float, optional
        The chance of a feature if features were drawn at random; a dashed line marks it.
    most : int, default 18
        Show at most so many features; a remark counts the others.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn, in their order.

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
    known = table[np.isfinite(numeric(table["found_again"]))]
    if "selected" in known:
        known = known[known["selected"].astype(bool)]
    ordered = known.sort_values("found_again", ascending=False, kind="stable")
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    height = FRAME_HEIGHT + ROW_HEIGHT * max(len(drawn), FEWEST_ROWS)
    sheet = open_canvas(ax, style, height)
    if drawn.empty:
        return draw_empty_picture(sheet, drawn, TITLE, "no feature is selected")
    _draw(sheet, drawn)
    _label(sheet, drawn, len(ordered) - len(drawn))
    if chance_level is not None:
        _mark_chance_level(sheet, chance_level)
    _add_legend(sheet, drawn)
    return finalize(sheet, drawn, TITLE, _description(drawn, ordered))


def _draw(sheet: Canvas, table: pd.DataFrame) -> None:
    chances, low = numeric(table["found_again"]), column(table, "low")
    rows = np.arange(len(table))
    for grade, look in LOOKS.items():
        own = (table["grade"] == grade).to_numpy()
        colour = sheet.colours[look.colour]
        sheet.ax.hlines(rows[own], low[own], chances[own], color=colour, linewidth=2.4, alpha=0.5)
        sheet.ax.scatter(
            chances[own], rows[own], s=look.size, marker=look.marker, color=colour, zorder=3,
            linewidths=0,
        )  # fmt: skip
    for row, chance in enumerate(chances):
        write_text(sheet, 1.06, row, f"{chance:.2f}", va="center", color=sheet.colours["ink"],
             fontsize=sheet.size(len(table)))  # fmt: skip


def _label(sheet: Canvas, drawn: pd.DataFrame, n_left_out: int) -> None:
    name_rows(sheet, format_distinct_names(drawn["feature"], sheet.letters(MAX_NAME_LETTERS)))
    sheet.ax.set_ylim(max(len(drawn), FEWEST_ROWS) - 0.4, -0.6)
    sheet.ax.set_xlim(-0.03, 1.13)
    sheet.ax.set_xticks([0, 0.3, 0.7, 0.9, 1.0], ["0", "0.3", "0.7", "0.9", "1"])
    draw_grid_lines(sheet, "x")
    note = ""
    if n_left_out:
        verb = "has a" if n_left_out == 1 else "have"
        lower = " lower chance" if n_left_out == 1 else " lower chances"
        note = f"\n{plural(n_left_out, 'more feature')} {verb}{lower}"
    sheet.ax.set_xlabel(f"chance that a second study selects it (line: from its lower bound){note}")


def _mark_chance_level(sheet: Canvas, level: float) -> None:
    ink = sheet.colours["muted"]
    sheet.ax.axvline(level, color=ink, linewidth=1.1, linestyle=(0, (4, 3)), zorder=1)


def _add_legend(sheet: Canvas, drawn: pd.DataFrame) -> None:
    """Explain the grades that are drawn, and the dashed line."""
    looks = {grade: look for grade, look in LOOKS.items() if (drawn["grade"] == grade).any()}
    handles = [
        Line2D([], [], linestyle="none", marker=look.marker, markersize=6,
               color=sheet.colours[look.colour])
        for look in looks.values()
    ]  # fmt: skip
    names = [f"{grade} ({look.range})" for grade, look in looks.items()]
    if sheet.ax.lines:
        dashed = Line2D([], [], color=sheet.colours["muted"], linewidth=1.1, linestyle=(0, (4, 3)))
        handles, names = [*handles, dashed], [*names, "drawn at random"]
    sheet.ax.legend(
        handles, names, loc="lower center", bbox_to_anchor=(0.4, 1.005),
        ncols=sheet.abreast(len(names), each=110), frameon=False, fontsize=sheet.scale * TICK,
        labelcolor=sheet.colours["ink"], borderaxespad=0, handletextpad=0.3, columnspacing=1.2,
        borderpad=0.2, handlelength=1.6,
    )  # fmt: skip


def _description(drawn: pd.DataFrame, ordered: pd.DataFrame) -> str:
    counts = [
        f"{int((ordered['grade'] == grade).sum()):,} {grade}"
        for grade in LOOKS
        if (ordered["grade"] == grade).any()
    ]
    first = drawn.iloc[0]
    return (
        f"Dots for {plural(len(drawn), 'selected feature')}, the highest chance on top: "
        f"{format_name(first['feature'])} {first['found_again']:.2f}. Of all "
        f"{len(ordered):,}, {', '.join(counts)} to be found again."
    )
