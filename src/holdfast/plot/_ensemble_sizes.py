"""Stability against the number of selectors in an ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.plot._curves import baseline_of, curves_height, curves_of, draw_curves
from holdfast.plot._names import shown
from holdfast.plot._numbers import numeric, plain
from holdfast.plot._sheet import check_columns, finish, nothing, open_sheet

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._curves import Curve
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style

TITLE = "Stability by size of the ensemble"


def ensemble_sizes(
    table: pd.DataFrame,
    *,
    measure: str = "stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw stability against the number of bags of an ensemble, a line a selector.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``n_bags`` and ``value``; where known ``low``, ``high``, ``chance``.
        One bag is the selector by itself.
    measure : str, default "stability"
        What the values are, in words.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn.

    References
    ----------
    Saeys, Abeel and Van de Peer (2008), Figure 1, show stability by size of the ensemble.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"selector": "f_score", "n_bags": [1, 40], "value": [0.5, 0.7]})
    >>> hf.plot.ensemble_sizes(table).description
    'Lines of stability for 1 selector, from 1 to 40 bags. Largest change: f_score, from 0.50 to
    0.70.'
    """
    check_columns(table, ("selector", "n_bags", "value"), "ensemble_sizes")
    sheet = open_sheet(ax, style, curves_height(table["selector"].nunique(), one_place=False))
    drawn = np.isfinite(numeric(table["n_bags"])) & np.isfinite(numeric(table["value"]))
    numbers = table[drawn].reset_index(drop=True)
    curves = curves_of(table, "n_bags", sheet)
    if not curves:
        return nothing(sheet, numbers, TITLE, "no stability is known")
    sheet.ax.set(xlabel="number of bags in the ensemble", ylabel=measure)
    draw_curves(sheet, curves, baseline_of(table, "n_bags"))
    return finish(sheet, numbers, TITLE, _described(curves, measure))


def _described(curves: list[Curve], measure: str) -> str:
    most = max(curves, key=lambda curve: abs(curve.value[-1] - curve.value[0]))
    low, high = min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)
    return (
        f"Lines of {measure} for {plural(len(curves), 'selector')}, from {plain(low)} to "
        f"{plural(int(high), 'bag')}. Largest change: {shown(most.name)}, from "
        f"{most.value[0]:.2f} to {most.value[-1]:.2f}."
    )
