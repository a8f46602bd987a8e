"""Stability curves, one line per selector: by number of features and by size of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from holdfast._formatting import plural
from holdfast._typing import FloatArray
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._labels import (
    LineLabel,
    draw_line_labels,
    format_distinct_names,
    format_name,
    margin_height,
    name_rows,
    place_labels,
)
from holdfast.plot._style import (
    Style,
    format_plain,
    format_values,
    get_floats,
    include_zero_and_one,
    keep_finite_rows,
    line_options,
    marker_interval,
    padded_limits,
    reference_line_options,
    scale_counts,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture


MAX_OVERLAPPING_BANDS = 8
"""Most bands that remain distinguishable where they overlap (chosen by eye)."""
RANDOM = "random selection"


@dataclass(frozen=True)
class Curve:
    """The line of a selector with its interval, and how it is plotted."""

    name: str
    x: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    line: dict[str, Any]


def extract_curves(table: pd.DataFrame, x: str, canvas: Canvas) -> list[Curve]:
    """Return the curves of a table, in its order, without rows that lack a position or value."""
    frame = pd.DataFrame(
        {"selector": table["selector"].astype(str), "x": to_floats(table[x])}
        | {name: get_floats(table, name) for name in ("value", "low", "high")}
    )
    frame = keep_finite_rows(frame, "x", "value")
    curves = []
    for position, name in enumerate(dict.fromkeys(frame["selector"])):
        rows = frame[frame["selector"] == name].sort_values("x", kind="stable")
        columns = {key: to_floats(rows[key]) for key in ("x", "value", "low", "high")}
        curves.append(Curve(name=name, line=line_options(position, canvas.colours), **columns))
    return curves


def chance_baseline(table: pd.DataFrame, x: str) -> pd.Series:
    """Return the value expected by chance at each position, averaged over selectors."""
    chance = pd.Series(get_floats(table, "chance"), index=to_floats(table[x]))
    chance = chance[np.isfinite(chance.index) & np.isfinite(chance)]
    return chance.groupby(level=0).mean()


def curves_height(n_selectors: int, *, one_position: bool) -> float:
    """Return the height in inches of a picture of this many curves, or of rows."""
    if one_position:
        return 1.1 + 0.26 * n_selectors
    return max(3.9, 1.0 + margin_height(n_selectors + 1))


def draw_curves(canvas: Canvas, curves: list[Curve], baseline: pd.Series) -> None:
    """Draw the curves and name them at their ends."""
    ax = canvas.ax
    positions = np.concatenate([curve.x for curve in curves])
    logarithmic = scale_counts(ax, positions, canvas.max_columns(8, width=36))
    format_values(ax.yaxis)
    draw_grid_lines(canvas, "y")
    for curve in curves:
        _draw_curve(canvas, curve, band=len(curves) <= MAX_OVERLAPPING_BANDS)
    dashed = reference_line_options(canvas.colours)
    if len(baseline):
        ax.plot(baseline.index, baseline.to_numpy(), zorder=1.5, **dashed)
    ax.set_xlim(padded_limits(positions, logarithmic=logarithmic))
    include_zero_and_one(ax.yaxis)
    layout(canvas)
    names = format_distinct_names((curve.name for curve in curves), canvas.max_name_letters(24))
    labels = [
        LineLabel(float(curve.x[-1]), float(curve.value[-1]), name, curve.line)
        for curve, name in zip(curves, names, strict=True)
    ]
    if len(baseline):
        labels.append(LineLabel(baseline.index[-1], float(baseline.iloc[-1]), RANDOM, dashed))
    draw_line_labels(canvas, labels)


def _draw_curve(canvas: Canvas, curve: Curve, *, band: bool) -> None:
    every, colour = marker_interval(len(curve.x)), curve.line["color"]
    canvas.ax.plot(curve.x, curve.value, markevery=every, zorder=3, **curve.line)
    if not band:
        return
    if len(curve.x) > 1:
        canvas.ax.fill_between(
            curve.x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0, zorder=2
        )
    else:
        canvas.ax.vlines(curve.x, curve.low, curve.high, color=colour, linewidth=1.2)


def draw_rows(canvas: Canvas, curves: list[Curve], baseline: pd.Series) -> None:
    """Draw one row per selector, the best on top; for curves of a single position."""
    ax = canvas.ax
    curves = sorted(curves, key=lambda curve: -curve.value[0])
    draw_grid_lines(canvas, "x")
    format_values(ax.xaxis)
    for row, curve in enumerate(curves):
        ax.hlines(row, curve.low, curve.high, color=curve.line["color"], linewidth=2.2, alpha=0.45)
        ax.plot(curve.value, [row], **curve.line | {"markersize": 6})
    name_rows(canvas, (curve.name for curve in curves))
    for chance in baseline:
        ax.axvline(chance, **reference_line_options(canvas.colours))
    include_zero_and_one(ax.xaxis)


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
    """Draw stability against the number of selected features, one line per selector.

    Bands are intervals; with more than eight selectors they are left out. The dashed line is the
    value of random selection. Rings mark knots: beyond them, features are added nearly at random.
    With a single number of features, there is one row per selector instead. The horizontal axis is
    logarithmic if the sizes span a wide range.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``size`` and ``value``; optionally ``low``, ``high``, ``chance``.
        Rows without a numeric size or a value are left out.
    knots : pandas.DataFrame, optional
        Columns ``selector`` and ``size``.
    measure : str, default "stability"
        Name of the values, for the axis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, and whether there is a ``knot``.

    References
    ----------
    Kalousis, Prados and Hilario (2005), Figure 2.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"selector": "relieff", "size": [1, 2, 5], "value": [1, 0.9, 0.4]})
    >>> hf.plot.profiles(table, pd.DataFrame({"selector": ["relieff"], "size": [2]})).description
    'Stability of 1 selector, from 1 to 5 features; highest at 5: relieff (0.40). Knots: relieff
    at 2.'
    """
    check_columns(table, ("selector", "size", "value"), "profiles")
    sizes = np.unique(to_floats(keep_finite_rows(table, "size", "value")["size"]))
    single = len(sizes) == 1
    canvas = open_canvas(ax, style, curves_height(table["selector"].nunique(), one_position=single))
    curves, knot_sizes = extract_curves(table, "size", canvas), _collect_knots(knots)
    is_knot = [
        size in knot_sizes.get(name, ())
        for name, size in zip(table["selector"].astype(str), to_floats(table["size"]), strict=True)
    ]
    numbers = keep_finite_rows(table.assign(knot=is_knot), "size", "value").reset_index(drop=True)
    if not curves:
        return draw_empty_picture(canvas, numbers, TITLE_PROFILES, "no stability is known")
    baseline = chance_baseline(table, "size")
    if single:
        draw_rows(canvas, curves, baseline)
        dashed = "; dashed: random selection" if len(baseline) else ""
        canvas.ax.set_xlabel(f"{measure}, {plural(int(sizes[0]), 'selected feature')}{dashed}")
    else:
        canvas.ax.set(xlabel="number of selected features", ylabel=measure)
        draw_curves(canvas, curves, baseline)
        _mark_knots(canvas, curves, knot_sizes)
    description = _describe_profiles(curves, knot_sizes, measure)
    return finalize(canvas, numbers, TITLE_PROFILES, description)


def _collect_knots(knots: pd.DataFrame | None) -> dict[str, list[float]]:
    """Return the sizes of knots by selector."""
    if knots is None or knots.empty:
        return {}
    check_columns(knots, ("selector", "size"), "the table of knots")
    sizes: dict[str, list[float]] = {}
    for name, size in zip(knots["selector"].astype(str), to_floats(knots["size"]), strict=True):
        if np.isfinite(size):
            sizes.setdefault(name, []).append(float(size))
    return sizes


def _mark_knots(canvas: Canvas, curves: list[Curve], knots: dict[str, list[float]]) -> None:
    """Draw a ring around each knot, labelled with its size if there are few selectors."""
    anchors, texts = [], []
    for curve in curves:
        for size in knots.get(curve.name, ()):
            height = float(np.interp(size, curve.x, curve.value))
            anchors.append((size, height))
            texts.append(format_plain(size))
            canvas.ax.plot(
                size, height, "o", markersize=10, zorder=4, color="none",
                markeredgecolor=curve.line["color"], markeredgewidth=1.4,
            )  # fmt: skip
    if anchors and len(curves) <= MAX_OVERLAPPING_BANDS:
        layout(canvas)
        points = np.concatenate([np.stack([curve.x, curve.value], axis=1) for curve in curves])
        place_labels(canvas, points, texts, np.array(anchors))


def _describe_profiles(curves: list[Curve], knots: dict[str, list[float]], measure: str) -> str:
    low = min(curve.x[0] for curve in curves)
    high = max(curve.x[-1] for curve in curves)
    best = max((curve for curve in curves if curve.x[-1] == high), key=lambda it: it.value[-1])
    span = "at" if low == high else f"from {format_plain(low)} to"
    n_selectors, n_features = plural(len(curves), "selector"), plural(int(high), "feature")
    text = (
        f"{measure[:1].upper()}{measure[1:]} of {n_selectors}, {span} {n_features}; highest at "
        f"{format_plain(high)}: {format_name(best.name)} ({best.value[-1]:.2f})."
    )
    knot_texts = [
        f"{format_name(name)} at {', '.join(map(format_plain, sizes))}"
        for name, sizes in knots.items()
    ]
    if not knot_texts:
        return text
    return f"{text} Knots: {'; '.join(knot_texts[:MAX_OVERLAPPING_BANDS])}."


# Stability against the number of bags of an ensemble.

TITLE_ENSEMBLE_SIZES = "Stability by size of the ensemble"


def ensemble_sizes(
    table: pd.DataFrame,
    *,
    measure: str = "stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw stability against the number of bags of an ensemble, one line per selector.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``n_bags`` and ``value``; optionally ``low``, ``high``,
        ``chance``. One bag is the selector alone.
    measure : str, default "stability"
        Name of the values, for the axis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn.

    References
    ----------
    Saeys, Abeel and Van de Peer (2008), Figure 1.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"selector": "f_score", "n_bags": [1, 40], "value": [0.5, 0.7]})
    >>> hf.plot.ensemble_sizes(table).description
    'Lines of stability for 1 selector, from 1 to 40 bags. Largest change: f_score, from 0.50 to
    0.70.'
    """
    check_columns(table, ("selector", "n_bags", "value"), "ensemble_sizes")
    canvas = open_canvas(ax, style, curves_height(table["selector"].nunique(), one_position=False))
    numbers = keep_finite_rows(table, "n_bags", "value").reset_index(drop=True)
    curves = extract_curves(table, "n_bags", canvas)
    if not curves:
        return draw_empty_picture(canvas, numbers, TITLE_ENSEMBLE_SIZES, "no stability is known")
    canvas.ax.set(xlabel="number of bags in the ensemble", ylabel=measure)
    draw_curves(canvas, curves, chance_baseline(table, "n_bags"))
    description = _describe_ensemble_sizes(curves, measure)
    return finalize(canvas, numbers, TITLE_ENSEMBLE_SIZES, description)


def _describe_ensemble_sizes(curves: list[Curve], measure: str) -> str:
    changed = max(curves, key=lambda curve: abs(curve.value[-1] - curve.value[0]))
    low, high = min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)
    return (
        f"Lines of {measure} for {plural(len(curves), 'selector')}, from {format_plain(low)} to "
        f"{plural(int(high), 'bag')}. Largest change: {format_name(changed.name)}, from "
        f"{changed.value[0]:.2f} to {changed.value[-1]:.2f}."
    )
