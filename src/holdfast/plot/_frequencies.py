"""How often features are selected, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
)
from holdfast.plot._labels import MAX_NAME_LETTERS, format_distinct_names, format_name
from holdfast.plot._style import TICK, column, format_shares, numeric, percent, plain, scale_counts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style


TITLE_FREQUENCIES = "How often features are selected"


def frequencies(
    table: pd.DataFrame,
    *,
    most: int = 30,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the share of resamples that select a feature, the most frequent on top.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature`` and ``frequency`` (from 0 to 1); where known ``low`` and ``high``,
        and ``informative``, whether the feature truly matters.
    most : int, default 30
        Show at most so many features; a remark says how many are left out.
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
    >>> table = pd.DataFrame({"feature": ["MYC", "TP53"], "frequency": [0.4, 0.9]})
    >>> hf.plot.frequencies(table).numbers["feature"].tolist()
    ['TP53', 'MYC']
    """
    check_columns(table, ("feature", "frequency"), "frequencies")
    known = table[np.isfinite(numeric(table["frequency"]))]
    ordered = known.sort_values("frequency", ascending=False, kind="stable")
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    sheet = open_canvas(ax, style, rows_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(sheet, drawn, TITLE_FREQUENCIES, "no feature was selected")
    _draw(sheet, drawn)
    _label(sheet, drawn, ordered)
    return finalize(sheet, drawn, TITLE_FREQUENCIES, _describe_frequencies(drawn, ordered))


def _draw(sheet: Canvas, table: pd.DataFrame) -> None:
    low, high = column(table, "low"), column(table, "high")
    sheet.ax.hlines(range(len(table)), low, high, color=list(row_colours(sheet, table)), **BAR)
    draw_dots(sheet, numeric(table["frequency"]), table)


def _label(sheet: Canvas, drawn: pd.DataFrame, ordered: pd.DataFrame) -> None:
    name_rows(sheet, format_distinct_names(drawn["feature"], sheet.letters(MAX_NAME_LETTERS)))
    sheet.ax.set_xlim(-0.02, 1.02)
    sheet.ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
    format_shares(sheet.ax.xaxis)
    draw_grid_lines(sheet, "x")
    rest = len(ordered) - len(drawn)
    note = ""
    if rest:
        upper = percent(float(ordered["frequency"].iloc[len(drawn)]))
        note = f"\nnot shown: {plural(rest, 'feature')}, selected in {upper} or less"
    sheet.ax.set_xlabel(f"share of resamples that select it, %{note}")


def _describe_frequencies(drawn: pd.DataFrame, ordered: pd.DataFrame) -> str:
    first = drawn.iloc[0]
    always = int((ordered["frequency"] >= 1).sum())
    often = int((ordered["frequency"] >= 0.5).sum())
    return (
        f"Dots for {plural(len(drawn), 'feature')}, the most frequent on top: "
        f"{format_name(first['feature'])} in {percent(float(first['frequency']))} of the "
        "resamples. "
        f"Of {plural(len(ordered), 'feature')} ever selected, {often:,} in at least half of the "
        f"resamples, {always:,} in all."
    )


# Where features rank: the middle and the ends of their ranks over resamples.

TITLE_RANK_RANGES = "Where features rank"
RANKS = ["rank_low", "rank_median", "rank_high"]


def rank_ranges(
    table: pd.DataFrame,
    *,
    most: int = 30,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the range of ranks of each feature, the best on top.

    A line leads from the low to the high rank, a dot marks the median. Where the high rank is
    missing because it lies beyond the last rank that is known, the line ends in an open arrow.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature``, ``rank_low``, ``rank_median``, ``rank_high``; where known,
        ``informative``, whether the feature truly matters. Rows without a low rank are left out.
    most : int, default 30
        Show at most so many features; a remark says how many are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn, and whether the range is ``open``.

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
    check_columns(table, ("feature", *RANKS), "rank_ranges")
    ordered = _sort_by_rank(table)
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    sheet = open_canvas(ax, style, rows_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(sheet, drawn, TITLE_RANK_RANGES, "no ranks are known")
    _draw_rank_ranges(sheet, drawn)
    _label_rank_ranges(sheet, drawn, len(ordered) - len(drawn))
    return finalize(sheet, drawn, TITLE_RANK_RANGES, _describe_rank_ranges(drawn))


def _sort_by_rank(table: pd.DataFrame) -> pd.DataFrame:
    numbers = {name: numeric(table[name]) for name in RANKS}
    frame = table.assign(**numbers, open=np.isnan(numbers["rank_high"]))
    keys = ["rank_median", "rank_high", "rank_low"]
    known: pd.DataFrame = frame[np.isfinite(frame["rank_low"])]
    return known.sort_values(keys, kind="stable")


def _draw_rank_ranges(sheet: Canvas, table: pd.DataFrame) -> None:
    ax, rows = sheet.ax, np.arange(len(table))
    colours = list(row_colours(sheet, table))
    ranks = table[RANKS].to_numpy(dtype=np.float64)
    wide = scale_counts(ax, ranks.ravel(), sheet.abreast(8, each=36))
    last = float(np.nanmax(ranks))
    edge = last * 1.25 if wide else last + max(0.05 * last, 0.6)
    beyond = table["open"].to_numpy()
    ax.hlines(rows, ranks[:, 0], np.where(beyond, edge, ranks[:, 2]), color=colours, **BAR)
    draw_dots(sheet, ranks[:, 1], table)
    for row in rows[beyond]:
        ax.plot(
            edge, row, ">", color="none", markeredgecolor=colours[row], markersize=6,
            markeredgewidth=1.1, clip_on=False,
        )  # fmt: skip
    ax.set_xlim(0.85 if wide else 1 - 0.03 * edge, edge * 1.03)


def _label_rank_ranges(sheet: Canvas, drawn: pd.DataFrame, rest: int) -> None:
    name_rows(sheet, format_distinct_names(drawn["feature"], sheet.letters(MAX_NAME_LETTERS)))
    draw_grid_lines(sheet, "x")
    text = "rank over the resamples (1 is best): median, and 5% to 95% of them"
    if drawn["open"].any():
        text += "\narrow: beyond the last rank that is kept"
    if rest:
        text += f"\nnot shown: {plural(rest, 'feature')} of higher rank"
    sheet.ax.set_xlabel(text)


def _describe_rank_ranges(drawn: pd.DataFrame) -> str:
    first = drawn.iloc[0]
    end = "beyond the last rank kept" if first["open"] else plain(first["rank_high"])
    beyond = int(drawn["open"].sum())
    return (
        f"Ranges of ranks of {plural(len(drawn), 'feature')}, the best on top: "
        f"{format_name(first['feature'])} from {plain(first['rank_low'])} to {end}. "
        f"Reaching beyond the last rank that is kept: {beyond:,}."
    )


# What pictures with a row a feature share.

BAR: dict[str, Any] = {"linewidth": 2.4, "alpha": 0.4}
"""How ranges are drawn."""
INFORMATIVE, OTHER = "truly informative", "not informative"


def rows_height(count: int) -> float:
    """Return the inches that so many rows need."""
    return 1.0 + 0.215 * max(count, 4)


def row_colours(sheet: Canvas, table: pd.DataFrame) -> NDArray[np.str_]:
    """Return a colour for each row: one of two where the truth is known."""
    blue, vermilion = sheet.colours["blue"], sheet.colours["vermilion"]
    return np.where(_find_uninformative(table), vermilion, blue)


def draw_dots(sheet: Canvas, x: NDArray[np.float64], table: pd.DataFrame) -> None:
    """Draw a dot in each row, of another shape where a feature is known not to matter."""
    rows, colours, other = (
        np.arange(len(table)),
        row_colours(sheet, table),
        _find_uninformative(table),
    )
    for chosen, marker, size in ((~other, "o", 30), (other, "D", 22)):
        sheet.ax.scatter(
            x[chosen], rows[chosen], s=size, marker=marker, color=list(colours[chosen]), zorder=3,
            linewidths=0,
        )  # fmt: skip
    if "informative" in table.columns:
        legend_of_truth(sheet)


def _find_uninformative(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which features are known not to matter."""
    if "informative" not in table.columns:
        return np.zeros(len(table), dtype=np.bool_)
    return ~table["informative"].to_numpy(dtype=np.bool_)


def legend_of_truth(sheet: Canvas, markers: str = "oD") -> None:
    """Say above the picture how informative features are told from others."""
    handles = [
        Line2D([], [], linestyle="none", marker=marker, markersize=5, color=sheet.colours[colour])
        for marker, colour in zip(markers, ("blue", "vermilion"), strict=True)
    ]
    sheet.ax.legend(
        handles, [INFORMATIVE, OTHER], loc="lower left", bbox_to_anchor=(0, 1.005),
        ncols=sheet.abreast(2, each=110), frameon=False, fontsize=sheet.scale * TICK,
        labelcolor=sheet.colours["ink"], borderaxespad=0, handletextpad=0.3, columnspacing=1.5,
        borderpad=0.2,
    )  # fmt: skip
