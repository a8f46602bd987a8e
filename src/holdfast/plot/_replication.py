"""Replication stability by number of samples, and the agreement of cohorts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from holdfast._formatting import plural
from holdfast._typing import FloatArray
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
    label_rows,
)
from holdfast.plot._style import (
    Style,
    format_plain,
    format_values,
    get_floats,
    include_zero_and_one,
    keep_finite_rows,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture


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
        labels.append(_draw_predictions(canvas, pd.concat([estimated.tail(1), predicted])))
    include_zero_and_one(canvas.ax.yaxis)
    layout(canvas)
    draw_line_labels(canvas, labels)
    return finalize(canvas, numbers, TITLE_REPLICATION, _describe_replication(estimated, predicted))


def _scale_samples(canvas: Canvas, n_samples: FloatArray) -> None:
    """Prepare a horizontal axis on which one step doubles the samples."""
    ax = canvas.ax
    ax.set_xscale("log", base=2)
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
    drawn = _select_pairs(known, max(most, 1))
    canvas = open_canvas(ax, style, row_picture_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(canvas, drawn, TITLE_COHORTS, "no pair of cohorts has a value")
    _draw_cohorts(canvas, drawn)
    _label_cohorts(canvas, drawn, len(known) - len(drawn), measure)
    _draw_cohort_legend(canvas, drawn)
    return finalize(canvas, drawn, TITLE_COHORTS, _describe_cohorts(drawn, measure))


def _select_pairs(known: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the rows to draw, in the order of the table."""
    if len(known) > most:
        clearest = np.argsort(get_floats(known, "p_value"), kind="stable")[:most]
        known = known.iloc[np.sort(clearest)]
    return known.reset_index(drop=True)


def _draw_cohorts(canvas: Canvas, table: pd.DataFrame) -> None:
    ax, rows, less = canvas.ax, np.arange(len(table)), table["less"].to_numpy(dtype=bool)
    low, high, expected = (to_floats(table[name]) for name in ("low", "high", "expected"))
    ax.hlines(rows, low, high, color=canvas.colours["slate"], linewidth=7, alpha=0.35)
    ax.vlines(expected, rows - 0.24, rows + 0.24, color=canvas.colours["slate"], linewidth=1.4)
    value = to_floats(table["value"])
    for chosen, marker, size, colour in ((~less, "o", 30, "blue"), (less, "D", 24, "vermilion")):
        draw_row_markers(canvas, value[chosen], rows[chosen], marker, size, canvas.colours[colour])
    _scale_agreement(ax, np.concatenate([low, high, expected, value]))


def _scale_agreement(ax: Axes, values: FloatArray) -> None:
    """Let the horizontal axis include 0 and all values, and 1 if values come near it."""
    finite = values[np.isfinite(values)]
    low, high = min(0.0, float(finite.min())), float(finite.max())
    high = 1.0 if 0.6 < high <= 1 else max(high, 0.1)
    margin = 0.03 * (high - low)
    ax.set_xlim(low - margin, high + margin)


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
    columns = canvas.max_columns(3, width=170)
    draw_legend_above(canvas, handles, names, ncols=columns, handletextpad=0.8)


def _describe_cohorts(drawn: pd.DataFrame, measure: str) -> str:
    value, low, high = (to_floats(drawn[name]) for name in ("value", "low", "high"))
    n_inside = int(np.sum((value >= low) & (value <= high)))
    return (
        f"Dots of {measure} for {plural(len(drawn), 'pair')} of cohorts, from {value.min():.2f} "
        f"to {value.max():.2f}, and bars of the values expected of one population. Within its "
        f"bar: {n_inside:,}. Clearly less: {int(drawn['less'].sum()):,}."
    )
