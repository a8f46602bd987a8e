"""What pictures with a row a feature share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from holdfast.plot._style import TICK

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.plot._sheet import Sheet

BAR: dict[str, Any] = {"linewidth": 2.4, "alpha": 0.4}
"""How ranges are drawn."""
INFORMATIVE, OTHER = "truly informative", "not informative"


def rows_height(count: int) -> float:
    """Return the inches that so many rows need."""
    return 1.0 + 0.215 * max(count, 4)


def row_colours(sheet: Sheet, table: pd.DataFrame) -> NDArray[np.str_]:
    """Return a colour for each row: one of two where the truth is known."""
    blue, vermilion = sheet.colours["blue"], sheet.colours["vermilion"]
    return np.where(_other(table), vermilion, blue)


def draw_dots(sheet: Sheet, x: NDArray[np.float64], table: pd.DataFrame) -> None:
    """Draw a dot in each row, of another shape where a feature is known not to matter."""
    rows, colours, other = np.arange(len(table)), row_colours(sheet, table), _other(table)
    for chosen, marker, size in ((~other, "o", 30), (other, "D", 22)):
        sheet.ax.scatter(
            x[chosen], rows[chosen], s=size, marker=marker, color=list(colours[chosen]), zorder=3,
            linewidths=0,
        )  # fmt: skip
    if "informative" in table.columns:
        legend_of_truth(sheet)


def _other(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which features are known not to matter."""
    if "informative" not in table.columns:
        return np.zeros(len(table), dtype=np.bool_)
    return ~table["informative"].to_numpy(dtype=np.bool_)


def legend_of_truth(sheet: Sheet, markers: str = "oD") -> None:
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
