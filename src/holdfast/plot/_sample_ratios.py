"""Data sets by their numbers of samples and features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from holdfast._formatting import format_list, plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    finalize,
    layout,
    open_canvas,
    write_text,
)
from holdfast.plot._labels import (
    draw_name_list,
    format_distinct_names,
    format_name,
    place_labels,
)
from holdfast.plot._style import (
    Style,
    format_plain,
    format_values,
    keep_finite_rows,
    marker_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Samples and features of data sets"
REQUIRED_COLUMNS = ("name", "n_samples", "n_features")
COORDINATES = ["n_samples", "n_features"]
AXIS_MARGIN_FACTOR = 1.6
"""The axes reach beyond the outermost points by this factor (chosen by eye)."""
MAX_LABELED_POINTS = 30
"""Of more named data sets than this, only the first have a label (chosen by eye)."""
MAX_LETTERS = 24
"""Longest name of a data set or kind, in letters (chosen by eye)."""


def ratios(table: pd.DataFrame, *, ax: Axes | None = None, style: Style = "light") -> Picture:
    """Draw data sets by their numbers of samples and features, with lines of equal ratios.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``name``, ``n_samples``, ``n_features``; optionally ``kind``, the group of a data
        set. Points without a name have no label. Rows without positive numbers are left out.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn, with their ``ratio`` of samples to features.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figure 2.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"name": ["leukemia", "sonar"], "n_samples": [72, 208], "n_features": [7129, 60]}
    ... )
    >>> hf.plot.ratios(table).description
    '2 data sets by numbers of samples and features. Samples per feature: from 0.0101 (leukemia)
    to 3.47 (sonar).'
    """
    check_columns(table, REQUIRED_COLUMNS, "ratios")
    numbers = _prepare_points(table)
    canvas = open_canvas(ax, style, 4.6)
    if numbers.empty:
        return draw_empty_picture(
            canvas, numbers, TITLE, "no numbers of samples and features are known"
        )
    kinds = {"": numbers}
    if "kind" in numbers.columns:
        groups = numbers.groupby(numbers["kind"].astype(str), sort=False)
        kinds = {str(kind): rows for kind, rows in groups}
    _scale_axes(canvas, numbers)
    _draw_ratio_lines(canvas)
    # not clipped: markers at the edge of the data keep their whole shape
    for position, rows in enumerate(kinds.values()):
        canvas.ax.plot(
            to_floats(rows["n_samples"]), to_floats(rows["n_features"]), zorder=4, clip_on=False,
            markeredgecolor=canvas.colours["paper"], markeredgewidth=0.5,
            **marker_options(position, canvas.colours),
        )  # fmt: skip
    canvas.ax.set(xlabel="number of samples N", ylabel="number of features D")
    layout(canvas)
    if len(kinds) > 1:
        names = format_distinct_names(kinds, most=canvas.max_name_letters(MAX_LETTERS))
        entries = [(name, marker_options(i, canvas.colours)) for i, name in enumerate(names)]
        draw_name_list(canvas, entries)
        # the list of names has narrowed the axes, and labels are placed by positions in points
        layout(canvas)
    _label_points(canvas, numbers)
    return finalize(canvas, numbers, TITLE, _describe_points(numbers, kinds))


def _prepare_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that can be drawn on logarithmic axes, with their ratios."""
    finite = keep_finite_rows(table, *COORDINATES)
    samples, features = (to_floats(finite[name]) for name in COORDINATES)
    positive = (samples > 0) & (features > 0)
    numbers = finite[positive].reset_index(drop=True)
    return numbers.assign(ratio=samples[positive] / features[positive])


def _scale_axes(canvas: Canvas, numbers: pd.DataFrame) -> None:
    """Make both axes logarithmic, with a margin around the points."""
    ax = canvas.ax
    ax.set(xscale="log", yscale="log")
    for axis, name, set_limits in (
        (ax.xaxis, "n_samples", ax.set_xlim), (ax.yaxis, "n_features", ax.set_ylim),
    ):  # fmt: skip
        values = to_floats(numbers[name])
        set_limits(values.min() / AXIS_MARGIN_FACTOR, values.max() * AXIS_MARGIN_FACTOR)
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axis.set_minor_locator(NullLocator())
        format_values(axis)


def _draw_ratio_lines(canvas: Canvas) -> None:
    """Draw and label lines of equal ratio, one per power of ten."""
    (left, right), (bottom, top) = canvas.ax.get_xlim(), canvas.ax.get_ylim()
    # the ratios of two opposite corners: only lines in between cross the axes
    low, high = np.log10(left / top), np.log10(right / bottom)
    for power in range(int(np.ceil(low)), int(np.floor(high)) + 1):
        ratio = 10.0**power
        ends = max(left, bottom * ratio), min(right, top * ratio)
        canvas.ax.plot(
            ends, [end / ratio for end in ends], color=canvas.colours["rule"], linewidth=0.9,
            zorder=1,
        )  # fmt: skip
        if ends[1] / ends[0] > 2:  # a short line in a corner has no space for a label
            x = ends[1] / 1.06
            text = f"N/D = {format_plain(ratio)}"
            write_text(canvas, x, x / ratio, text, ha="right", va="top", zorder=1.5)


def _label_points(canvas: Canvas, numbers: pd.DataFrame) -> None:
    """Write names next to the points that have one."""
    named = numbers[numbers["name"].map(_has_name)].head(MAX_LABELED_POINTS)
    most = canvas.max_name_letters(MAX_LETTERS)
    texts = [format_name(name, most) for name in named["name"]]
    points = numbers[COORDINATES].to_numpy(dtype=np.float64)
    place_labels(canvas, points, texts, named[COORDINATES].to_numpy(dtype=np.float64))


def _has_name(name: str | float | None) -> bool:
    return not pd.isna(name) and bool(str(name).strip())


def _describe_points(numbers: pd.DataFrame, kinds: dict[str, pd.DataFrame]) -> str:
    ordered = numbers.sort_values("ratio", kind="stable")
    first, last = (_format_ratio(ordered.iloc[place]) for place in (0, -1))
    counts = [f"{format_name(kind, MAX_LETTERS)} {len(rows):,}" for kind, rows in kinds.items()]
    groups = f" ({format_list(counts, most=4)})" if len(counts) > 1 else ""
    return (
        f"{plural(len(numbers), 'data set')}{groups} by numbers of samples and features. Samples "
        f"per feature: from {first} to {last}."
    )


def _format_ratio(row: pd.Series) -> str:
    """Return the ratio of a data set, with its name if it has one."""
    name = f" ({format_name(row['name'], MAX_LETTERS)})" if _has_name(row["name"]) else ""
    return f"{row['ratio']:.3g}{name}"
