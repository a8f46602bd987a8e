"""Profiles: stability against the number of selected features, with knots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.plot._curves import (
    FEW,
    baseline_of,
    curves_height,
    curves_of,
    draw_curves,
    draw_rows,
)
from holdfast.plot._labels import place_labels
from holdfast.plot._names import shown
from holdfast.plot._numbers import numeric, plain
from holdfast.plot._sheet import check_columns, finish, nothing, open_sheet, settle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._curves import Curve
    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet
    from holdfast.plot._style import Style

TITLE = "Stability by number of features"


def profiles(
    table: pd.DataFrame,
    knots: pd.DataFrame | None = None,
    *,
    measure: str = "stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw stability against the number of selected features, a line a selector.

    Bands are intervals; they are left out where more than eight would cover each other. The
    dashed line is what random selection gives. Rings are knots: beyond them, features are added
    nearly at random. With a single number of features there is a row a selector instead. Numbers
    that span more than one order of magnitude are spread by logarithms.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``size`` and ``value``; where known ``low``, ``high``, ``chance``.
        Sizes that are no numbers and values that are missing are left out.
    knots : pandas.DataFrame, optional
        Columns ``selector`` and ``size``.
    measure : str, default "stability"
        What the values are, in words.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn, and whether there is a ``knot``.

    References
    ----------
    Kalousis, Prados and Hilario (2005), Figure 2, show such profiles.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"selector": "relieff", "size": [1, 2, 5], "value": [1, 0.9, 0.4]})
    >>> hf.plot.profiles(table, pd.DataFrame({"selector": ["relieff"], "size": [2]})).description
    'Stability of 1 selector, from 1 to 5 features; highest at 5: relieff (0.40). Knots: relieff
    at 2.'
    """
    check_columns(table, ("selector", "size", "value"), "profiles")
    places = np.unique(numeric(table["size"])[np.isfinite(numeric(table["value"]))])
    places = places[np.isfinite(places)]
    single = len(places) == 1
    count = table["selector"].nunique()
    sheet = open_sheet(ax, style, curves_height(count, one_place=single))
    curves, found = curves_of(table, "size", sheet), _knots(knots)
    numbers = _numbers(table, found)
    if not curves:
        return nothing(sheet, numbers, TITLE, "no stability is known")
    baseline = baseline_of(table, "size")
    if single:
        draw_rows(sheet, curves, baseline)
        dashed = "; dashed: random selection" if len(baseline) else ""
        sheet.ax.set_xlabel(f"{measure}, {plural(int(places[0]), 'selected feature')}{dashed}")
    else:
        sheet.ax.set(xlabel="number of selected features", ylabel=measure)
        draw_curves(sheet, curves, baseline)
        _mark(sheet, curves, found)
    return finish(sheet, numbers, TITLE, _described(curves, found, measure))


def _knots(knots: pd.DataFrame | None) -> dict[str, list[float]]:
    """Return the places of knots by selector."""
    if knots is None or knots.empty:
        return {}
    check_columns(knots, ("selector", "size"), "the table of knots")
    found: dict[str, list[float]] = {}
    for name, size in zip(knots["selector"].astype(str), numeric(knots["size"]), strict=True):
        if np.isfinite(size):
            found.setdefault(name, []).append(float(size))
    return found


def _numbers(table: pd.DataFrame, knots: dict[str, list[float]]) -> pd.DataFrame:
    sizes = numeric(table["size"])
    drawn = np.isfinite(sizes) & np.isfinite(numeric(table["value"]))
    names = table["selector"].astype(str)
    at = [size in knots.get(name, ()) for name, size in zip(names, sizes, strict=True)]
    return table.assign(knot=at)[drawn].reset_index(drop=True)


def _mark(sheet: Sheet, curves: list[Curve], knots: dict[str, list[float]]) -> None:
    """Draw a ring around each knot, and its number beside it where there are few."""
    anchors, texts = [], []
    for curve in curves:
        for size in knots.get(curve.name, ()):
            height = float(np.interp(size, curve.x, curve.value))
            anchors.append((size, height))
            texts.append(plain(size))
            sheet.ax.plot(
                size, height, "o", markersize=10, zorder=4, color="none",
                markeredgecolor=curve.look.colour, markeredgewidth=1.4,
            )  # fmt: skip
    if anchors and len(curves) <= FEW:
        settle(sheet)
        drawn = np.concatenate([np.stack([curve.x, curve.value], axis=1) for curve in curves])
        place_labels(sheet, drawn, texts, np.array(anchors))


def _described(curves: list[Curve], knots: dict[str, list[float]], measure: str) -> str:
    low = min(curve.x[0] for curve in curves)
    high = max(curve.x[-1] for curve in curves)
    best = max((curve for curve in curves if curve.x[-1] == high), key=lambda one: one.value[-1])
    span = "at" if low == high else f"from {plain(low)} to"
    many, place = plural(len(curves), "selector"), plural(int(high), "feature")
    lead = f"{measure[:1].upper()}{measure[1:]} of {many}, {span} {place}"
    text = f"{lead}; highest at {plain(high)}: {shown(best.name)} ({best.value[-1]:.2f})."
    named = [f"{shown(name)} at {', '.join(map(plain, sizes))}" for name, sizes in knots.items()]
    return text + (f" Knots: {'; '.join(named[:FEW])}." if named else "")
