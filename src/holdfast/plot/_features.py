"""One row per feature: how often it is selected, where it ranks, its chance to be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from holdfast._formatting import plural
from holdfast._typing import BoolArray, FloatArray
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    draw_legend_above,
    finalize,
    open_canvas,
    write_text,
)
from holdfast.plot._labels import format_name, name_rows
from holdfast.plot._style import (
    Style,
    format_plain,
    format_share,
    format_shares,
    get_floats,
    keep_finite_rows,
    reference_line_options,
    scale_counts,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture


TITLE_FREQUENCIES = "How often features are selected"


def frequencies(
    table: pd.DataFrame, *, most: int = 30, ax: Axes | None = None, style: Style = "light"
) -> Picture:
    """Draw the share of resamples that select a feature, the most frequent on top.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature`` and ``frequency`` (from 0 to 1); optionally ``low`` and ``high``, and
        ``informative``, whether the feature is truly informative.
    most : int, default 30
        Most features shown; a note gives the number of features left out.
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
    >>> table = pd.DataFrame({"feature": ["MYC", "TP53"], "frequency": [0.4, 0.9]})
    >>> hf.plot.frequencies(table).numbers["feature"].tolist()
    ['TP53', 'MYC']
    """
    check_columns(table, ("feature", "frequency"), "frequencies")
    known = keep_finite_rows(table, "frequency")
    # stable: equal frequencies keep the order of the table, so the picture is reproducible
    ordered = known.sort_values("frequency", ascending=False, kind="stable")
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    canvas = open_canvas(ax, style, row_picture_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(canvas, drawn, TITLE_FREQUENCIES, "no feature was selected")
    low, high = get_floats(drawn, "low"), get_floats(drawn, "high")
    canvas.ax.hlines(
        range(len(drawn)), low, high, color=list(row_colours(canvas, drawn)), **BAR_OPTIONS
    )
    draw_dots(canvas, to_floats(drawn["frequency"]), drawn)
    _label_frequencies(canvas, drawn, ordered)
    return finalize(canvas, drawn, TITLE_FREQUENCIES, _describe_frequencies(drawn, ordered))


def _label_frequencies(canvas: Canvas, drawn: pd.DataFrame, ordered: pd.DataFrame) -> None:
    name_rows(canvas, drawn["feature"])
    canvas.ax.set_xlim(-0.02, 1.02)
    canvas.ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
    format_shares(canvas.ax.xaxis)
    draw_grid_lines(canvas, "x")
    n_hidden = len(ordered) - len(drawn)
    # the hidden features are counted: a cut-off list must not look complete
    note = ""
    if n_hidden:
        upper = format_share(float(ordered["frequency"].iloc[len(drawn)]))
        note = f"\nnot shown: {plural(n_hidden, 'feature')}, selected in {upper} or less"
    canvas.ax.set_xlabel(f"share of resamples that select it, %{note}")


def _describe_frequencies(drawn: pd.DataFrame, ordered: pd.DataFrame) -> str:
    first = drawn.iloc[0]
    always = int((ordered["frequency"] >= 1).sum())
    often = int((ordered["frequency"] >= 0.5).sum())
    return (
        f"Dots for {plural(len(drawn), 'feature')}, the most frequent on top: "
        f"{format_name(first['feature'])} in {format_share(float(first['frequency']))} of the "
        f"resamples. Of {plural(len(ordered), 'feature')} ever selected, {often:,} in at least "
        f"half of the resamples, {always:,} in all."
    )


# Rank ranges: the median and the quantiles of the ranks over resamples.

TITLE_RANK_RANGES = "Where features rank"
RANK_COLUMNS = ["rank_low", "rank_median", "rank_high"]


def rank_ranges(
    table: pd.DataFrame, *, most: int = 30, ax: Axes | None = None, style: Style = "light"
) -> Picture:
    """Draw the range of ranks of each feature, the best on top.

    A line joins the low and the high rank, a dot marks the median. If the high rank is missing
    because it lies beyond the last known rank, the line ends in an open arrow.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature``, ``rank_low``, ``rank_median``, ``rank_high``; optionally
        ``informative``, whether the feature is truly informative. Rows without a low rank are left
        out.
    most : int, default 30
        Most features shown; a note gives the number of features left out.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, and whether the range is ``open``.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"feature": ["TP53", "MYC"], "rank_low": [1, 2], "rank_median": [1, 4],
    ...      "rank_high": [3, None]}
    ... )
    >>> hf.plot.rank_ranges(table).numbers["open"].tolist()
    [False, True]
    """
    check_columns(table, ("feature", *RANK_COLUMNS), "rank_ranges")
    ranks = {name: to_floats(table[name]) for name in RANK_COLUMNS}
    # ranks are stored up to a limit: a missing upper end lies beyond it
    known = table.assign(**ranks, open=np.isnan(ranks["rank_high"]))
    keys = ["rank_median", "rank_high", "rank_low"]
    ordered = keep_finite_rows(known, "rank_low").sort_values(keys, kind="stable")
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    canvas = open_canvas(ax, style, row_picture_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(canvas, drawn, TITLE_RANK_RANGES, "no ranks are known")
    _draw_rank_ranges(canvas, drawn)
    _label_rank_ranges(canvas, drawn, len(ordered) - len(drawn))
    return finalize(canvas, drawn, TITLE_RANK_RANGES, _describe_rank_ranges(drawn))


def _draw_rank_ranges(canvas: Canvas, table: pd.DataFrame) -> None:
    ax, rows = canvas.ax, np.arange(len(table))
    colours = list(row_colours(canvas, table))
    ranks = table[RANK_COLUMNS].to_numpy(dtype=np.float64)
    logarithmic = scale_counts(ax, ranks.ravel(), canvas.max_columns(8, width=36))
    last = float(np.nanmax(ranks))
    # open ranges end in an arrow beyond the last known rank; distances are chosen by eye
    edge = last * 1.25 if logarithmic else last + max(0.05 * last, 0.6)
    is_open = table["open"].to_numpy()
    ax.hlines(rows, ranks[:, 0], np.where(is_open, edge, ranks[:, 2]), color=colours, **BAR_OPTIONS)
    draw_dots(canvas, ranks[:, 1], table)
    for row in rows[is_open]:
        ax.plot(
            edge, row, ">", color="none", markeredgecolor=colours[row], markersize=6,
            markeredgewidth=1.1, clip_on=False,
        )  # fmt: skip
    ax.set_xlim(0.85 if logarithmic else 1 - 0.03 * edge, edge * 1.03)


def _label_rank_ranges(canvas: Canvas, drawn: pd.DataFrame, n_hidden: int) -> None:
    name_rows(canvas, drawn["feature"])
    draw_grid_lines(canvas, "x")
    text = "rank over the resamples (1 is best): median, and 5% to 95% of them"
    if drawn["open"].any():
        text += "\narrow: beyond the last stored rank"
    if n_hidden:
        text += f"\nnot shown: {plural(n_hidden, 'feature')} of higher rank"
    canvas.ax.set_xlabel(text)


def _describe_rank_ranges(drawn: pd.DataFrame) -> str:
    first = drawn.iloc[0]
    end = "beyond the last stored rank" if first["open"] else format_plain(first["rank_high"])
    n_open = int(drawn["open"].sum())
    return (
        f"Rank ranges of {plural(len(drawn), 'feature')}, the best on top: "
        f"{format_name(first['feature'])} from {format_plain(first['rank_low'])} to {end}. "
        f"Reaching beyond the last stored rank: {n_open:,}."
    )


# Shared parts of pictures with one row per feature. Sizes are chosen by eye.

BAR_OPTIONS: dict[str, Any] = {"linewidth": 2.4, "alpha": 0.4}
"""How ranges are drawn."""
INFORMATIVE, UNINFORMATIVE = "truly informative", "not informative"


def row_picture_height(n_rows: int) -> float:
    """Return the height in inches of a picture with this many rows."""
    return 1.0 + 0.215 * max(n_rows, 4)


def row_colours(canvas: Canvas, table: pd.DataFrame) -> NDArray[np.str_]:
    """Return the colour of each row; uninformative features differ, if they are known."""
    blue, vermilion = canvas.colours["blue"], canvas.colours["vermilion"]
    return np.where(_find_uninformative(table), vermilion, blue)


def draw_dots(canvas: Canvas, x: FloatArray, table: pd.DataFrame) -> None:
    """Draw a dot in each row, or a diamond if the feature is known to be uninformative."""
    rows, colours = np.arange(len(table)), row_colours(canvas, table)
    uninformative = _find_uninformative(table)
    for chosen, marker, size in ((~uninformative, "o", 30), (uninformative, "D", 22)):
        draw_row_markers(canvas, x[chosen], rows[chosen], marker, size, list(colours[chosen]))
    if "informative" in table.columns:
        draw_truth_legend(canvas)


def draw_row_markers(
    canvas: Canvas,
    x: FloatArray,
    rows: NDArray[np.integer],
    marker: str,
    size: float,
    colour: str | list[str],
) -> None:
    """Draw filled markers in rows."""
    canvas.ax.scatter(x, rows, s=size, marker=marker, color=colour, zorder=3, linewidths=0)


def _find_uninformative(table: pd.DataFrame) -> BoolArray:
    """Return which features are known to be uninformative."""
    if "informative" not in table.columns:
        return np.zeros(len(table), dtype=np.bool_)
    return ~table["informative"].to_numpy(dtype=np.bool_)


def draw_truth_legend(canvas: Canvas, markers: str = "oD") -> None:
    """Write a legend of informative and other features above the axes."""
    handles = [
        Line2D([], [], linestyle="none", marker=marker, markersize=5, color=canvas.colours[colour])
        for marker, colour in zip(markers, ("blue", "vermilion"), strict=True)
    ]
    columns = canvas.max_columns(2, width=110)
    draw_legend_above(canvas, handles, [INFORMATIVE, UNINFORMATIVE], ncols=columns)


# The chance of each selected feature to be found again by a second study.

TITLE_FOUND_AGAIN = "Chance to be found again"
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
        return draw_empty_picture(canvas, drawn, TITLE_FOUND_AGAIN, "no feature is selected")
    _draw_chances(canvas, drawn)
    _label_chances(canvas, drawn, len(ordered) - len(drawn))
    if chance_level is not None:
        canvas.ax.axvline(chance_level, zorder=1, **_chance_line_options(canvas))
    _draw_grade_legend(canvas, drawn)
    return finalize(canvas, drawn, TITLE_FOUND_AGAIN, _describe_chances(drawn, ordered))


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
        # the numbers stand in a column right of 1, the end of the scale
        write_text(canvas, 1.06, row, f"{chance:.2f}", va="center", color=ink, fontsize=size)


def _label_chances(canvas: Canvas, drawn: pd.DataFrame, n_hidden: int) -> None:
    name_rows(canvas, drawn["feature"])
    canvas.ax.set_ylim(max(len(drawn), MIN_ROWS) - 0.4, -0.6)
    canvas.ax.set_xlim(-0.03, 1.13)
    # the limits of the grades
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
    # only the line of the chance level is a line object; ranges are collections
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
