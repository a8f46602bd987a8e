"""Where features rank: the middle and the ends of their ranks over resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.plot._names import MOST, shown, shown_apart
from holdfast.plot._numbers import numeric, plain, scale_counts
from holdfast.plot._rows import BAR, draw_dots, row_colours, rows_height
from holdfast.plot._sheet import check_columns, finish, name_rows, nothing, open_sheet, rule

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet
    from holdfast.plot._style import Style

TITLE = "Where features rank"
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
    ordered = _ordered(table)
    drawn = ordered.head(max(most, 1)).reset_index(drop=True)
    sheet = open_sheet(ax, style, rows_height(len(drawn)))
    if drawn.empty:
        return nothing(sheet, drawn, TITLE, "no ranks are known")
    _draw(sheet, drawn)
    _label(sheet, drawn, len(ordered) - len(drawn))
    return finish(sheet, drawn, TITLE, _described(drawn))


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    numbers = {name: numeric(table[name]) for name in RANKS}
    frame = table.assign(**numbers, open=np.isnan(numbers["rank_high"]))
    keys = ["rank_median", "rank_high", "rank_low"]
    known: pd.DataFrame = frame[np.isfinite(frame["rank_low"])]
    return known.sort_values(keys, kind="stable")


def _draw(sheet: Sheet, table: pd.DataFrame) -> None:
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


def _label(sheet: Sheet, drawn: pd.DataFrame, rest: int) -> None:
    name_rows(sheet, shown_apart(drawn["feature"], sheet.letters(MOST)))
    rule(sheet, "x")
    text = "rank over the resamples (1 is best): median, and 5% to 95% of them"
    if drawn["open"].any():
        text += "\narrow: beyond the last rank that is kept"
    if rest:
        text += f"\nnot shown: {plural(rest, 'feature')} of higher rank"
    sheet.ax.set_xlabel(text)


def _described(drawn: pd.DataFrame) -> str:
    first = drawn.iloc[0]
    end = "beyond the last rank kept" if first["open"] else plain(first["rank_high"])
    beyond = int(drawn["open"].sum())
    return (
        f"Ranges of ranks of {plural(len(drawn), 'feature')}, the best on top: "
        f"{shown(first['feature'])} from {plain(first['rank_low'])} to {end}. "
        f"Reaching beyond the last rank that is kept: {beyond:,}."
    )
