"""How often features are selected, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.plot._names import MOST, shown, shown_apart
from holdfast.plot._numbers import column, format_shares, numeric, percent
from holdfast.plot._rows import BAR, draw_dots, row_colours, rows_height
from holdfast.plot._sheet import check_columns, finish, name_rows, nothing, open_sheet, rule

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet
    from holdfast.plot._style import Style

TITLE = "How often features are selected"


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
    sheet = open_sheet(ax, style, rows_height(len(drawn)))
    if drawn.empty:
        return nothing(sheet, drawn, TITLE, "no feature was selected")
    _draw(sheet, drawn)
    _label(sheet, drawn, ordered)
    return finish(sheet, drawn, TITLE, _described(drawn, ordered))


def _draw(sheet: Sheet, table: pd.DataFrame) -> None:
    low, high = column(table, "low"), column(table, "high")
    sheet.ax.hlines(range(len(table)), low, high, color=list(row_colours(sheet, table)), **BAR)
    draw_dots(sheet, numeric(table["frequency"]), table)


def _label(sheet: Sheet, drawn: pd.DataFrame, ordered: pd.DataFrame) -> None:
    name_rows(sheet, shown_apart(drawn["feature"], sheet.letters(MOST)))
    sheet.ax.set_xlim(-0.02, 1.02)
    sheet.ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
    format_shares(sheet.ax.xaxis)
    rule(sheet, "x")
    rest = len(ordered) - len(drawn)
    note = ""
    if rest:
        upper = percent(float(ordered["frequency"].iloc[len(drawn)]))
        note = f"\nnot shown: {plural(rest, 'feature')}, selected in {upper} or less"
    sheet.ax.set_xlabel(f"share of resamples that select it, %{note}")


def _described(drawn: pd.DataFrame, ordered: pd.DataFrame) -> str:
    first = drawn.iloc[0]
    always = int((ordered["frequency"] >= 1).sum())
    often = int((ordered["frequency"] >= 0.5).sum())
    return (
        f"Dots for {plural(len(drawn), 'feature')}, the most frequent on top: "
        f"{shown(first['feature'])} in {percent(float(first['frequency']))} of the resamples. "
        f"Of {plural(len(ordered), 'feature')} ever selected, {often:,} in at least half of the "
        f"resamples, {always:,} in all."
    )
