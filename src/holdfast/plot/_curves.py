"""Lines over a count, one a selector, with bands and a baseline: profiles, sizes of ensembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast.plot._margin import Ending, height_for, name_endings
from holdfast.plot._names import MOST, shown_apart
from holdfast.plot._numbers import column, format_values, numeric, scale_counts
from holdfast.plot._sheet import name_rows, rule, settle
from holdfast.plot._style import look

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.plot._sheet import Sheet
    from holdfast.plot._style import Look

FEW = 8
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
    look: Look


def curves_of(table: pd.DataFrame, x: str, sheet: Sheet) -> list[Curve]:
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
        curves.append(Curve(name=name, look=look(position, sheet.colours), **parts))
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


def draw_curves(sheet: Sheet, curves: list[Curve], baseline: pd.Series) -> None:
    """Draw the lines and name them at their ends."""
    ax = sheet.ax
    places = np.concatenate([curve.x for curve in curves])
    wide = scale_counts(ax, places, sheet.abreast(8, each=36))
    format_values(ax.yaxis)
    rule(sheet, "y")
    for curve in curves:
        _draw_curve(sheet, curve, band=len(curves) <= FEW)
    lines: dict[str, Any] = {
        "color": sheet.colours["muted"],
        "linestyle": (0, (4, 3)),
        "linewidth": 1.0,
    }
    if len(baseline):
        ax.plot(baseline.index, baseline.to_numpy(), zorder=1.5, **lines)
    _set_limits(sheet, places, wide=wide)
    settle(sheet)
    names = shown_apart((curve.name for curve in curves), most=sheet.letters(24))
    endings = [
        Ending(float(curve.x[-1]), float(curve.value[-1]), name, _line(sheet, curve.look))
        for curve, name in zip(curves, names, strict=True)
    ]
    if len(baseline):
        endings.append(Ending(baseline.index[-1], float(baseline.iloc[-1]), RANDOM, lines))
    name_endings(sheet, endings)


def _line(sheet: Sheet, style: Look) -> dict[str, Any]:
    return {
        "color": style.colour, "linestyle": style.dash, "marker": style.marker, "linewidth": 1.5,
        "markersize": 4.5, "markeredgecolor": sheet.colours["paper"], "markeredgewidth": 0.5,
    }  # fmt: skip


def _draw_curve(sheet: Sheet, curve: Curve, *, band: bool) -> None:
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


def _set_limits(sheet: Sheet, places: NDArray[np.float64], *, wide: bool) -> None:
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


def draw_rows(sheet: Sheet, curves: list[Curve], baseline: pd.Series) -> None:
    """Draw a row a selector where there is one place only, the best on top."""
    ax = sheet.ax
    curves = sorted(curves, key=lambda curve: -curve.value[0])
    rule(sheet, "x")
    format_values(ax.xaxis)
    for row, curve in enumerate(curves):
        ax.hlines(row, curve.low, curve.high, color=curve.look.colour, linewidth=2.2, alpha=0.45)
        ax.plot(curve.value, [row], **_line(sheet, curve.look) | {"markersize": 6})
    name_rows(sheet, shown_apart((curve.name for curve in curves), sheet.letters(MOST)))
    for chance in baseline:
        ax.axvline(chance, color=sheet.colours["muted"], linestyle=(0, (4, 3)), linewidth=1.0)
    left, right = ax.get_xlim()
    ax.set_xlim(min(left, -0.03), max(right, 1.03))
