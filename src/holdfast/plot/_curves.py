"""Stability curves by number of features, of samples or of bags, and the agreement of cohorts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from holdfast._formatting import plural
from holdfast._typing import FloatArray
from holdfast._validation import check_choice
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    draw_legend_above,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._features import draw_row_markers, row_picture_height
from holdfast.plot._labels import (
    MAX_NAME_LETTERS,
    LineLabel,
    draw_line_labels,
    format_distinct_names,
    format_name,
    label_rows,
    margin_height,
    name_rows,
    place_labels,
)
from holdfast.plot._style import (
    AXIS_MARGIN_SHARE,
    Scale,
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
RANDOM_LABEL = "random selection"


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
    # low and high may be missing: an unknown interval is no reason to hide a value
    frame = keep_finite_rows(frame, "x", "value")
    curves = []
    # styles follow the order of the table, not that of the values
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


def draw_curves(
    canvas: Canvas, curves: list[Curve], baseline: pd.Series, *, scale: Scale = "auto"
) -> None:
    """Draw the curves and name them at their ends."""
    ax = canvas.ax
    positions = np.concatenate([curve.x for curve in curves])
    logarithmic = scale_counts(ax, positions, canvas.max_columns(8, width=36), scale=scale)
    format_values(ax.yaxis)
    draw_grid_lines(canvas, "y")
    for curve in curves:
        _draw_curve(canvas, curve, band=len(curves) <= MAX_OVERLAPPING_BANDS)
    dashed = reference_line_options(canvas.colours)
    if len(baseline):
        ax.plot(baseline.index, baseline.to_numpy(), zorder=1.5, **dashed)
    # before the layout, so that labels are placed in final coordinates
    ax.set_xlim(padded_limits(positions, logarithmic=logarithmic))
    include_zero_and_one(ax.yaxis)
    # labels are spread in points, which are known after the layout only
    layout(canvas)
    names = format_distinct_names((curve.name for curve in curves), canvas.max_name_letters(24))
    labels = [
        LineLabel(float(curve.x[-1]), float(curve.value[-1]), name, curve.line)
        for curve, name in zip(curves, names, strict=True)
    ]
    if len(baseline):
        labels.append(LineLabel(baseline.index[-1], float(baseline.iloc[-1]), RANDOM_LABEL, dashed))
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
        # a band needs two positions
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
    scale: Scale = "auto",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw stability against the number of selected features, one line per selector.

    Bands are intervals; with more than eight selectors they are left out. The dashed line is the
    value of random selection. Rings mark knots: beyond them, features are added nearly at random.
    With a single number of features, there is one row per selector instead.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``size`` and ``value``; optionally ``low``, ``high``, ``chance``.
        Rows without a numeric size or a value are left out.
    knots : pandas.DataFrame, optional
        Columns ``selector`` and ``size``.
    measure : str, default "stability"
        Name of the values, for the axis.
    scale : {"auto", "linear"}, default "auto"
        Scale of the horizontal axis: "auto" is logarithmic if the sizes span a wide range.
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
    check_choice(scale, "scale", get_args(Scale))
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
        draw_curves(canvas, curves, baseline, scale=scale)
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
            # a knot may lie between two sizes of the table
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
    # curves that end earlier cannot be compared at the largest size
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


# Replication stability by number of samples, and the agreement of cohorts.

TITLE_REPLICATION = "Replication stability by number of samples"
REQUIRED_CURVE_COLUMNS = ("n_samples", "value", "low", "high", "kind")


def replication(
    curve: pd.DataFrame,
    *,
    measure: str = "replication stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how well two independent studies agree, against their number of samples.

    Points with bars are estimates from disjoint samples. The dashed line with its band continues
    the last estimate and is the prediction for larger studies. The horizontal axis is logarithmic:
    one step doubles the number of samples.

    Parameters
    ----------
    curve : pandas.DataFrame
        Columns ``n_samples``, ``value``, ``low``, ``high``, ``kind`` (``"estimated"`` or
        ``"predicted"``), like ``curve`` of :class:`holdfast.judge.Replication`.
    measure : str, default "replication stability"
        Name of the values, for the axis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> curve = pd.DataFrame(
    ...     {"n_samples": [40, 80], "value": [0.3, 0.5], "low": [0.2, 0.3], "high": [0.4, 0.6],
    ...      "kind": ["estimated", "predicted"]}
    ... )
    >>> hf.plot.replication(curve).description
    'Replication stability of 0.30 (0.20 to 0.40), estimated for studies of 40; 0.50 (0.30 to
    0.60), predicted for studies of 80.'
    """
    check_columns(curve, REQUIRED_CURVE_COLUMNS, "replication")
    canvas = open_canvas(ax, style, 3.9)
    known = keep_finite_rows(curve[to_floats(curve["n_samples"]) > 0], "value")
    numbers = known.sort_values("n_samples").reset_index(drop=True)
    estimated = numbers[numbers["kind"] == "estimated"]
    if not len(estimated):
        return draw_empty_picture(
            canvas, numbers, TITLE_REPLICATION, "no replication stability is known"
        )
    predicted = numbers[numbers["kind"] == "predicted"]
    _scale_samples(canvas, to_floats(numbers["n_samples"]))
    canvas.ax.set(xlabel="samples in each of two studies", ylabel=measure)
    format_values(canvas.ax.yaxis)
    draw_grid_lines(canvas, "y")
    labels = [_draw_estimates(canvas, estimated)]
    if len(predicted):
        # the dashed line begins at the last estimate
        labels.append(_draw_predictions(canvas, pd.concat([estimated.tail(1), predicted])))
    include_zero_and_one(canvas.ax.yaxis)
    layout(canvas)
    draw_line_labels(canvas, labels)
    return finalize(canvas, numbers, TITLE_REPLICATION, _describe_replication(estimated, predicted))


def _scale_samples(canvas: Canvas, n_samples: FloatArray) -> None:
    """Prepare a horizontal axis on which one step doubles the samples."""
    ax = canvas.ax
    ax.set_xscale("log", base=2)
    # ticks at the sizes of the studies, which are few and mean more than powers of two
    ax.xaxis.set_major_locator(FixedLocator(np.unique(n_samples).tolist()))
    ax.xaxis.set_minor_locator(NullLocator())
    format_values(ax.xaxis)
    factor = (n_samples.max() / n_samples.min()) ** 0.05 + 0.02
    ax.set_xlim(n_samples.min() / factor, n_samples.max() * factor)


def _draw_estimates(canvas: Canvas, estimated: pd.DataFrame) -> LineLabel:
    """Draw points with bars; return the label of their line."""
    n, value, low, high = (to_floats(estimated[name]) for name in REQUIRED_CURVE_COLUMNS[:4])
    blue = canvas.colours["blue"]
    points: dict[str, Any] = {"color": blue, "marker": "o", "linestyle": "-", "markersize": 5.5}
    canvas.ax.vlines(n, low, high, color=blue, linewidth=1.6, alpha=0.6, zorder=3)
    canvas.ax.plot(n, value, zorder=4, **points)
    return LineLabel(float(n[-1]), float(value[-1]), "estimated", points)


def _draw_predictions(canvas: Canvas, predicted: pd.DataFrame) -> LineLabel:
    """Draw a dashed line with its band; return the label of the line."""
    n, value, low, high = (to_floats(predicted[name]) for name in REQUIRED_CURVE_COLUMNS[:4])
    vermilion = canvas.colours["vermilion"]
    line: dict[str, Any] = {"color": vermilion, "linestyle": (0, (5, 2)), "linewidth": 1.5}
    canvas.ax.fill_between(n, low, high, color=vermilion, alpha=0.13, linewidth=0)
    canvas.ax.plot(n, value, zorder=3, **line)
    return LineLabel(float(n[-1]), float(value[-1]), "predicted", line)


def _describe_replication(estimated: pd.DataFrame, predicted: pd.DataFrame) -> str:
    n_estimated = format_plain(float(estimated["n_samples"].iloc[-1]))
    text = (
        f"Replication stability of {_format_last_value(estimated)}, estimated for studies of "
        f"{n_estimated}"
    )
    if not len(predicted):
        return f"{text}."
    n_predicted = format_plain(float(predicted["n_samples"].iloc[-1]))
    return f"{text}; {_format_last_value(predicted)}, predicted for studies of {n_predicted}."


def _format_last_value(rows: pd.DataFrame) -> str:
    """Return the value of the last row with its interval."""
    value, low, high = (float(rows[name].iloc[-1]) for name in ("value", "low", "high"))
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


# Agreement of cohorts, compared with samples of the same sizes from one population.

TITLE_COHORTS = "How well cohorts agree"
REQUIRED_COHORT_COLUMNS = ("cohort_a", "cohort_b", "value", "expected", "low", "high")
MAX_CLEAR_P_VALUE = 0.05
"""Largest p-value of pairs that agree clearly less than expected (the usual level)."""


def cohorts(
    table: pd.DataFrame,
    *,
    measure: str = "stability",
    most: int = 30,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the agreement of pairs of cohorts as dots, and the expected agreement as bars.

    A bar is the range for samples of the same sizes drawn from all cohorts, its stroke the mean. A
    diamond instead of a dot marks a pair that agrees clearly less than expected.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``cohort_a``, ``cohort_b``, ``value``, ``expected``, ``low``, ``high``;
        optionally ``p_value`` of agreeing less than expected. Rows without a value are left out.
    measure : str, default "stability"
        Name of the values, for the axis.
    most : int, default 30
        Most pairs shown, those with the lowest p-values; a note gives the number of pairs left
        out.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, and whether they agree clearly ``less``.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"cohort_a": ["London"], "cohort_b": ["Paris"], "value": [0.2], "expected": [0.5],
    ...      "low": [0.4], "high": [0.6], "p_value": [0.01]}
    ... )
    >>> hf.plot.cohorts(table).numbers["less"].tolist()
    [True]
    """
    check_columns(table, REQUIRED_COHORT_COLUMNS, "cohorts")
    known = keep_finite_rows(table, "value")
    known = known.assign(less=get_floats(known, "p_value") <= MAX_CLEAR_P_VALUE)
    # the pairs with the lowest p-values, in the order of the table
    clearest = np.argsort(get_floats(known, "p_value"), kind="stable")[: max(most, 1)]
    drawn = known.iloc[np.sort(clearest)].reset_index(drop=True)
    canvas = open_canvas(ax, style, row_picture_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(canvas, drawn, TITLE_COHORTS, "no pair of cohorts has a value")
    _draw_cohorts(canvas, drawn)
    _label_cohorts(canvas, drawn, len(known) - len(drawn), measure)
    _draw_cohort_legend(canvas, drawn)
    return finalize(canvas, drawn, TITLE_COHORTS, _describe_cohorts(drawn, measure))


def _draw_cohorts(canvas: Canvas, table: pd.DataFrame) -> None:
    ax, rows, less = canvas.ax, np.arange(len(table)), table["less"].to_numpy(dtype=bool)
    low, high, expected = (to_floats(table[name]) for name in ("low", "high", "expected"))
    ax.hlines(rows, low, high, color=canvas.colours["slate"], linewidth=7, alpha=0.35)
    ax.vlines(expected, rows - 0.24, rows + 0.24, color=canvas.colours["slate"], linewidth=1.4)
    value = to_floats(table["value"])
    for chosen, marker, size, colour in ((~less, "o", 30, "blue"), (less, "D", 24, "vermilion")):
        draw_row_markers(canvas, value[chosen], rows[chosen], marker, size, canvas.colours[colour])
    # the axis includes 0 and all values, and 1 if values come near it
    values = np.concatenate([low, high, expected, value])
    values = values[np.isfinite(values)]
    left, right = min(0.0, float(values.min())), float(values.max())
    # the limits are chosen by eye
    right = 1.0 if 0.6 < right <= 1 else max(right, 0.1)
    margin = AXIS_MARGIN_SHARE * (right - left)
    ax.set_xlim(left - margin, right + margin)


def _label_cohorts(canvas: Canvas, drawn: pd.DataFrame, n_hidden: int, measure: str) -> None:
    names, count = [*drawn["cohort_a"], *drawn["cohort_b"]], len(drawn)
    max_letters = max(4, canvas.max_name_letters(MAX_NAME_LETTERS + 6) // 2 - 2)
    short = format_distinct_names(names, max_letters)
    label_rows(canvas, [f"{a} – {b}" for a, b in zip(short[:count], short[count:], strict=True)])
    format_values(canvas.ax.xaxis)
    draw_grid_lines(canvas, "x")
    note = f"\nnot shown: {plural(n_hidden, 'pair')} of cohorts" if n_hidden else ""
    canvas.ax.set_xlabel(f"{measure} of the selections of two cohorts{note}")


def _draw_cohort_legend(canvas: Canvas, drawn: pd.DataFrame) -> None:
    """Explain bars and dots above the axes."""
    handles = [Line2D([], [], color=canvas.colours["slate"], linewidth=7, alpha=0.35)]
    names = ["expected of one population: 95% range and mean"]
    for marker, colour, name, chosen in (
        ("o", "blue", "cohorts", ~drawn["less"]),
        ("D", "vermilion", "clearly less", drawn["less"]),
    ):
        if chosen.any():
            ink = canvas.colours[colour]
            handles.append(Line2D([], [], linestyle="none", marker=marker, markersize=5, color=ink))
            names.append(name)
    # aligned on the right, so that it may extend over the names of the rows: long names leave
    # less room than the legend needs
    draw_legend_above(
        canvas, handles, names, loc="lower right", bbox_to_anchor=(1, 1.005), handletextpad=0.8,
        ncols=canvas.max_columns(3, width=170),
    )  # fmt: skip


def _describe_cohorts(drawn: pd.DataFrame, measure: str) -> str:
    value, low, high = (to_floats(drawn[name]) for name in ("value", "low", "high"))
    n_inside = int(np.sum((value >= low) & (value <= high)))
    return (
        f"Dots of {measure} for {plural(len(drawn), 'pair')} of cohorts, from {value.min():.2f} "
        f"to {value.max():.2f}, and bars of the values expected of one population. Within its "
        f"bar: {n_inside:,}. Clearly less: {int(drawn['less'].sum()):,}."
    )
