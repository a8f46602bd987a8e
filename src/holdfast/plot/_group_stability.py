"""Stability of groups of features against their number, a panel a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from holdfast._text import plural
from holdfast.plot._names import shown
from holdfast.plot._numbers import numeric
from holdfast.plot._panels import entitle, explain, from_zero, open_panels, spread_out
from holdfast.plot._sheet import check_columns, finish, nothing
from holdfast.plot._style import DASHES, look

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet
    from holdfast.plot._style import Style

TITLE = "Stability by number of groups"
NEEDED = ("data", "selector", "measure", "size", "value")
MEASURES = {"group_matching_index": "index", "group_matching_value": "value"}
"""Short words for the measures of groups; others are called as they are."""
ABREAST = 2
"""Panels side by side."""


def group_stability(table: pd.DataFrame, *, style: Style = "light") -> Picture:
    """Draw stability against the number of groups, a panel a data set, a line a selector.

    Measures differ in the dashes of lines, selectors in their colour and marks.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``data``, ``selector``, ``measure``, ``size`` and ``value``: the stability of the
        groups of one study a data set, as in ``Result.stability``. Rows with missing numbers are
        left out.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn.

    References
    ----------
    Yu, Ding and Loscalzo (2008), Figures 2 and 3, show selectors of groups in this way.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"selector": "drags", "size": [4, 50], "value": [0.7, 0.8]})
    >>> table = table.assign(data="colon", measure="group_matching_index")
    >>> hf.plot.group_stability(table).description
    'Lines of stability for 1 selector on 1 data set. Mean over all numbers of groups, index:
    drags 0.75.'
    """
    check_columns(table, NEEDED, "group_stability")
    known = np.isfinite(numeric(table["size"])) & np.isfinite(numeric(table["value"]))
    numbers = table[known].reset_index(drop=True)
    names = list(dict.fromkeys(numbers["data"]))
    if not names:
        sheet = open_panels([["0"]], style, 3.0)["0"]
        return nothing(sheet, numbers, TITLE, "no stability is known")
    sheets = _panels(len(names), style)
    for sheet, name in zip(sheets, names, strict=True):
        _draw(sheet, numbers[numbers["data"] == name], numbers)
        entitle(sheet, shown(name))
    _label(sheets)
    keys = _keys(sheets[0], numbers)
    explain(sheets[0], keys, min(numbers["selector"].nunique(), 3))
    others = [sheet.ax for sheet in sheets[1:]]
    return finish(sheets[0], numbers, TITLE, _described(numbers), others)


def _panels(count: int, style: str) -> list[Sheet]:
    """Return so many panels, two in a row; the last place may be empty."""
    keys = [str(place) for place in range(count)]
    abreast = min(count, ABREAST)
    keys += ["."] * (-count % abreast)
    rows = [keys[first : first + abreast] for first in range(0, len(keys), abreast)]
    sheets = open_panels(rows, style, 1.1 + (2.6 if len(rows) == 1 else 2.1 * len(rows)))
    return [sheets[str(place)] for place in range(count)]


def _draw(sheet: Sheet, own: pd.DataFrame, numbers: pd.DataFrame) -> None:
    for selector, measure in _combinations(numbers):
        line = own[(own["selector"] == selector) & (own["measure"] == measure)]
        line = line.sort_values("size", kind="stable")
        sheet.ax.plot(
            numeric(line["size"]), numeric(line["value"]),
            **_style(sheet, numbers, selector, measure),
        )  # fmt: skip
    spread_out(sheet, numeric(numbers["size"]))
    from_zero(sheet)
    lowest = float(numeric(numbers["value"]).min())
    sheet.ax.set_ylim(bottom=min(-0.03, 1.05 * lowest))


def _label(sheets: list[Sheet]) -> None:
    """Name the axes where nothing stands below, or to the left."""
    for place, sheet in enumerate(sheets):
        if place >= len(sheets) - ABREAST:
            sheet.ax.set_xlabel("number of groups or features k")
        if place % ABREAST == 0:
            sheet.ax.set_ylabel("stability")


def _combinations(numbers: pd.DataFrame) -> list[tuple[str, str]]:
    """Return selectors and measures that belong together, in the order of the table."""
    pairs = zip(numbers["selector"], numbers["measure"], strict=True)
    selectors = list(dict.fromkeys(numbers["selector"]))
    return sorted(dict.fromkeys(pairs), key=lambda pair: selectors.index(pair[0]))


def _style(sheet: Sheet, numbers: pd.DataFrame, selector: str, measure: str) -> dict[str, Any]:
    position = list(dict.fromkeys(numbers["selector"])).index(selector)
    turn = list(dict.fromkeys(numbers["measure"])).index(measure)
    own = look(position, sheet.colours)
    return {
        "color": own.colour, "marker": own.marker, "linestyle": DASHES[turn % len(DASHES)],
        "markersize": 4, "linewidth": 1.4, "markeredgecolor": sheet.colours["paper"],
        "markeredgewidth": 0.4,
    }  # fmt: skip


def _keys(sheet: Sheet, numbers: pd.DataFrame) -> list[Line2D]:
    """Return a line for each entry of the key."""
    return [
        Line2D(
            [], [], label=f"{shown(selector)}, {MEASURES.get(measure, shown(measure))}",
            **_style(sheet, numbers, selector, measure),
        )
        for selector, measure in _combinations(numbers)
    ]  # fmt: skip


def _described(numbers: pd.DataFrame) -> str:
    parts = []
    for measure, own in numbers.groupby("measure", sort=False):
        means = own.groupby("selector", sort=False)["value"].mean()
        texts = [f"{shown(name)} {value:.2f}" for name, value in means.items()]
        parts.append(f"{MEASURES.get(str(measure), shown(measure))}: {', '.join(texts[:6])}")
    counts = [
        plural(numbers[column].nunique(), word)
        for column, word in (("selector", "selector"), ("data", "data set"))
    ]
    return (
        f"Lines of stability for {counts[0]} on {counts[1]}. Mean over all numbers of groups, "
        f"{'; '.join(parts)}."
    )
