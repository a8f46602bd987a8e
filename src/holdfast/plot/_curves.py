"""Lines over a count, one a selector, with bands and a baseline: profiles, sizes of ensembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    name_rows,
    open_canvas,
)
from holdfast.plot._labels import (
    MAX_NAME_LETTERS,
    LineLabel,
    draw_line_labels,
    format_distinct_names,
    format_name,
    height_for,
    place_labels,
)
from holdfast.plot._style import column, format_values, get_line_style, numeric, plain, scale_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import LineStyle, Style


MAX_OVERLAPPING_BANDS = 8
"""So many bands can lie over each other and still be told apart."""
RANDOM = "random selection"


@dataclass(frozen=True)
class Curve:
    """One line."""

    name: str
    x: NDArray[np.float64]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    look: LineStyle


def curves_of(table: pd.DataFrame, x: str, sheet: Canvas) -> list[Curve]:
    """Return the lines of a table, in its order; what has no place or value is left out."""
    frame = pd.DataFrame(
        {"selector": table["selector"].astype(str), "x": numeric(table[x])}
        | {name: column(table, name) for name in ("value", "low", "high")}
    )
    frame = frame[np.isfinite(frame["x"]) & np.isfinite(frame["value"])]
    names = list(dict.fromkeys(frame["selector"]))
    curves = []
    for position, name in enumerate(names):
        own = frame[frame["selector"] == name].sort_values("x", kind="stable")
        parts = {key: numeric(own[key]) for key in ("x", "value", "low", "high")}
        curves.append(Curve(name=name, look=get_line_style(position, sheet.colours), **parts))
    return curves


def baseline_of(table: pd.DataFrame, x: str) -> pd.Series:
    """Return what chance gives by place, averaged over selectors."""
    chance = pd.Series(column(table, "chance"), index=numeric(table[x]))
    chance = chance[np.isfinite(chance.index) & np.isfinite(chance)]
    return chance.groupby(level=0).mean()


def curves_height(n_selectors: int, *, one_place: bool) -> float:
    """Return the inches that lines of so many selectors need."""
    if one_place:
        return 1.1 + 0.26 * n_selectors
    return max(3.9, 1.0 + height_for(n_selectors + 1))


def draw_curves(sheet: Canvas, curves: list[Curve], baseline: pd.Series) -> None:
    """Draw the lines and name them at their ends."""
    ax = sheet.ax
    places = np.concatenate([curve.x for curve in curves])
    wide = scale_counts(ax, places, sheet.abreast(8, each=36))
    format_values(ax.yaxis)
    draw_grid_lines(sheet, "y")
    for curve in curves:
        _draw_curve(sheet, curve, band=len(curves) <= MAX_OVERLAPPING_BANDS)
    lines: dict[str, Any] = {
        "color": sheet.colours["muted"],
        "linestyle": (0, (4, 3)),
        "linewidth": 1.0,
    }
    if len(baseline):
        ax.plot(baseline.index, baseline.to_numpy(), zorder=1.5, **lines)
    _set_limits(sheet, places, wide=wide)
    layout(sheet)
    names = format_distinct_names((curve.name for curve in curves), most=sheet.letters(24))
    endings = [
        LineLabel(float(curve.x[-1]), float(curve.value[-1]), name, _line(sheet, curve.look))
        for curve, name in zip(curves, names, strict=True)
    ]
    if len(baseline):
        endings.append(LineLabel(baseline.index[-1], float(baseline.iloc[-1]), RANDOM, lines))
    draw_line_labels(sheet, endings)


def _line(sheet: Canvas, style: LineStyle) -> dict[str, Any]:
    return {
        "color": style.colour, "linestyle": style.dash, "marker": style.marker, "linewidth": 1.5,
        "markersize": 4.5, "markeredgecolor": sheet.colours["paper"], "markeredgewidth": 0.5,
    }  # fmt: skip


def _draw_curve(sheet: Canvas, curve: Curve, *, band: bool) -> None:
    every = max(1, len(curve.x) // 10)
    sheet.ax.plot(curve.x, curve.value, markevery=every, zorder=3, **_line(sheet, curve.look))
    if not band:
        return
    if len(curve.x) > 1:
        sheet.ax.fill_between(
            curve.x, curve.low, curve.high, color=curve.look.colour, alpha=0.13, linewidth=0,
            zorder=2,
        )  # fmt: skip
    else:
        sheet.ax.vlines(curve.x, curve.low, curve.high, color=curve.look.colour, linewidth=1.2)


def _set_limits(sheet: Canvas, places: NDArray[np.float64], *, wide: bool) -> None:
    """Leave a little room at the sides, and show 0 and 1 if they are near."""
    low, high = float(places.min()), float(places.max())
    if wide:
        room = (high / low) ** 0.03
        sheet.ax.set_xlim(low / room, high * room)
    else:
        room = 0.03 * (high - low) or 0.5
        sheet.ax.set_xlim(low - room, high + room)
    bottom, top = sheet.ax.get_ylim()
    sheet.ax.set_ylim(min(bottom, -0.03), max(top, 1.03))


def draw_rows(sheet: Canvas, curves: list[Curve], baseline: pd.Series) -> None:
    """Draw a row a selector where there is one place only, the best on top."""
    ax = sheet.ax
    curves = sorted(curves, key=lambda curve: -curve.value[0])
    draw_grid_lines(sheet, "x")
    format_values(ax.xaxis)
    for row, curve in enumerate(curves):
        ax.hlines(row, curve.low, curve.high, color=curve.look.colour, linewidth=2.2, alpha=0.45)
        ax.plot(curve.value, [row], **_line(sheet, curve.look) | {"markersize": 6})
    name_rows(
        sheet,
        format_distinct_names((curve.name for curve in curves), sheet.letters(MAX_NAME_LETTERS)),
    )
    for chance in baseline:
        ax.axvline(chance, color=sheet.colours["muted"], linestyle=(0, (4, 3)), linewidth=1.0)
    left, right = ax.get_xlim()
    ax.set_xlim(min(left, -0.03), max(right, 1.03))


# Profiles: stability against the number of selected features, with knots.

TITLE_PROFILES = "Stability by number of features"


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
    sheet = open_canvas(ax, style, curves_height(count, one_place=single))
    curves, found = curves_of(table, "size", sheet), _knots(knots)
    numbers = _numbers(table, found)
    if not curves:
        return draw_empty_picture(sheet, numbers, TITLE_PROFILES, "no stability is known")
    baseline = baseline_of(table, "size")
    if single:
        draw_rows(sheet, curves, baseline)
        dashed = "; dashed: random selection" if len(baseline) else ""
        sheet.ax.set_xlabel(f"{measure}, {plural(int(places[0]), 'selected feature')}{dashed}")
    else:
        sheet.ax.set(xlabel="number of selected features", ylabel=measure)
        draw_curves(sheet, curves, baseline)
        _mark(sheet, curves, found)
    return finalize(sheet, numbers, TITLE_PROFILES, _describe_profiles(curves, found, measure))


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


def _mark(sheet: Canvas, curves: list[Curve], knots: dict[str, list[float]]) -> None:
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
    if anchors and len(curves) <= MAX_OVERLAPPING_BANDS:
        layout(sheet)
        drawn = np.concatenate([np.stack([curve.x, curve.value], axis=1) for curve in curves])
        place_labels(sheet, drawn, texts, np.array(anchors))


def _describe_profiles(curves: list[Curve], knots: dict[str, list[float]], measure: str) -> str:
    low = min(curve.x[0] for curve in curves)
    high = max(curve.x[-1] for curve in curves)
    best = max((curve for curve in curves if curve.x[-1] == high), key=lambda one: one.value[-1])
    span = "at" if low == high else f"from {plain(low)} to"
    many, place = plural(len(curves), "selector"), plural(int(high), "feature")
    lead = f"{measure[:1].upper()}{measure[1:]} of {many}, {span} {place}"
    text = f"{lead}; highest at {plain(high)}: {format_name(best.name)} ({best.value[-1]:.2f})."
    named = [
        f"{format_name(name)} at {', '.join(map(plain, sizes))}" for name, sizes in knots.items()
    ]
    return text + (f" Knots: {'; '.join(named[:MAX_OVERLAPPING_BANDS])}." if named else "")


# Stability against the number of selectors in an ensemble.

TITLE_ENSEMBLE_SIZES = "Stability by size of the ensemble"


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
    sheet = open_canvas(ax, style, curves_height(table["selector"].nunique(), one_place=False))
    drawn = np.isfinite(numeric(table["n_bags"])) & np.isfinite(numeric(table["value"]))
    numbers = table[drawn].reset_index(drop=True)
    curves = curves_of(table, "n_bags", sheet)
    if not curves:
        return draw_empty_picture(sheet, numbers, TITLE_ENSEMBLE_SIZES, "no stability is known")
    sheet.ax.set(xlabel="number of bags in the ensemble", ylabel=measure)
    draw_curves(sheet, curves, baseline_of(table, "n_bags"))
    return finalize(sheet, numbers, TITLE_ENSEMBLE_SIZES, _describe_ensemble_sizes(curves, measure))


def _describe_ensemble_sizes(curves: list[Curve], measure: str) -> str:
    most = max(curves, key=lambda curve: abs(curve.value[-1] - curve.value[0]))
    low, high = min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)
    return (
        f"Lines of {measure} for {plural(len(curves), 'selector')}, from {plain(low)} to "
        f"{plural(int(high), 'bag')}. Largest change: {format_name(most.name)}, from "
        f"{most.value[0]:.2f} to {most.value[-1]:.2f}."
    )
