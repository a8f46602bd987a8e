"""How many samples data sets have for their features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from holdfast._formatting import format_list, plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    finalize,
    layout,
    open_canvas,
    write_text,
)
from holdfast.plot._labels import format_distinct_names, format_name, list_names, place_labels
from holdfast.plot._style import get_line_style, numeric, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style

TITLE = "Samples and features of data sets"
REQUIRED_COLUMNS = ("name", "n_samples", "n_features")
AXIS_MARGIN_FACTOR = 1.6
"""The axes reach beyond the outermost points by this factor."""
MAX_LABELED_POINTS = 30
"""Of more data sets with a name, the first have a label."""


def ratios(table: pd.DataFrame, *, ax: Axes | None = None, style: Style = "light") -> Picture:
    """Draw data sets by their numbers of samples and features, with lines of equal ratios.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``name``, ``n_samples``, ``n_features``; where wanted ``kind``, which tells groups
        of data sets apart. Points without a name have no label. Rows whose numbers are not above
        0 are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn, with their ``ratio`` of samples to
        features.

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
    '2 data sets by numbers of samples and features. Samples for a feature: from 0.0101 (leukemia)
    to 3.47 (sonar).'
    """
    check_columns(table, REQUIRED_COLUMNS, "ratios")
    numbers = _prepare_points(table)
    sheet = open_canvas(ax, style, 4.6)
    if numbers.empty:
        return draw_empty_picture(
            sheet, numbers, TITLE, "no numbers of samples and features are known"
        )
    _span(sheet, numbers)
    _draw(sheet, numbers)
    sheet.ax.set(xlabel="number of samples N", ylabel="number of features D")
    kinds = [kind for kind, _ in _split_by_kind(numbers)]
    layout(sheet)
    if len(kinds) > 1:
        names = format_distinct_names(kinds, most=sheet.letters(24))
        list_names(sheet, [(name, _mark(sheet, i)) for i, name in enumerate(names)])
        layout(sheet)
    _name(sheet, numbers)
    return finalize(sheet, numbers, TITLE, _describe_picture(numbers))


def _prepare_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a place on logarithmic axes."""
    samples, features = numeric(table["n_samples"]), numeric(table["n_features"])
    known = np.isfinite(samples) & np.isfinite(features) & (samples > 0) & (features > 0)
    numbers = table[known].reset_index(drop=True)
    return numbers.assign(ratio=samples[known] / features[known])


def _split_by_kind(numbers: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the kinds of data sets, each with its rows; all are one kind where none is told."""
    if "kind" not in numbers.columns:
        return [("", numbers)]
    kinds = numbers["kind"].astype(str)
    return [(str(kind), own) for kind, own in numbers.groupby(kinds, sort=False)]


def _span(sheet: Canvas, numbers: pd.DataFrame) -> None:
    """Let both axes be logarithmic, with room around the points."""
    ax = sheet.ax
    ax.set(xscale="log", yscale="log")
    for axis, name, limits in (
        (ax.xaxis, "n_samples", ax.set_xlim), (ax.yaxis, "n_features", ax.set_ylim),
    ):  # fmt: skip
        values = numeric(numbers[name])
        limits(values.min() / AXIS_MARGIN_FACTOR, values.max() * AXIS_MARGIN_FACTOR)
        _ticks(axis)


def _ticks(axis: Axis) -> None:
    axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(round(value, 6))))


def _draw(sheet: Canvas, numbers: pd.DataFrame) -> None:
    _draw_equal(sheet)
    for position, (_, own) in enumerate(_split_by_kind(numbers)):
        sheet.ax.plot(
            numeric(own["n_samples"]), numeric(own["n_features"]), zorder=4, clip_on=False,
            markeredgecolor=sheet.colours["paper"], markeredgewidth=0.5, **_mark(sheet, position),
        )  # fmt: skip


def _mark(sheet: Canvas, position: int) -> dict[str, Any]:
    how = get_line_style(position, sheet.colours)
    return {"color": how.colour, "marker": how.marker, "markersize": 5.5, "linestyle": "none"}


def _draw_equal(sheet: Canvas) -> None:
    """Draw a line through all places of the same ratio, for powers of ten, and name it."""
    (left, right), (bottom, top) = sheet.ax.get_xlim(), sheet.ax.get_ylim()
    low, high = np.log10(left / top), np.log10(right / bottom)
    for power in range(int(np.ceil(low)), int(np.floor(high)) + 1):
        ratio = 10.0**power
        ends = max(left, bottom * ratio), min(right, top * ratio)
        sheet.ax.plot(
            ends, [end / ratio for end in ends], color=sheet.colours["rule"], linewidth=0.9,
            zorder=1,
        )  # fmt: skip
        if ends[1] / ends[0] > 2:  # a corner has no room for its name
            at = ends[1] / 1.06
            write_text(
                sheet, at, at / ratio, f"N/D = {plain(ratio)}", ha="right", va="top", zorder=1.5
            )


def _name(sheet: Canvas, numbers: pd.DataFrame) -> None:
    """Write names beside the points that have one."""
    named = numbers[numbers["name"].map(_has_name)].head(MAX_LABELED_POINTS)
    texts = [format_name(name, most=sheet.letters(24)) for name in named["name"]]
    points = numbers[["n_samples", "n_features"]].to_numpy(dtype=np.float64)
    anchors = named[["n_samples", "n_features"]].to_numpy(dtype=np.float64)
    place_labels(sheet, points, texts, anchors)


def _has_name(name: Any) -> bool:  # noqa: ANN401  (a cell of a table)
    return not pd.isna(name) and bool(str(name).strip())


def _describe_picture(numbers: pd.DataFrame) -> str:
    ordered = numbers.sort_values("ratio", kind="stable")
    ends = [
        f"{row['ratio']:.3g}{_format_name_suffix(row['name'])}"
        for _, row in ordered.iloc[[0, -1]].iterrows()
    ]
    counts = [f"{format_name(kind, most=24)} {len(own):,}" for kind, own in _split_by_kind(numbers)]
    groups = f" ({format_list(counts, most=4)})" if len(counts) > 1 else ""
    return (
        f"{plural(len(numbers), 'data set')}{groups} by numbers of samples and features. Samples "
        f"for a feature: from {ends[0]} to {ends[1]}."
    )


def _format_name_suffix(name: Any) -> str:  # noqa: ANN401  (a cell of a table)
    return f" ({format_name(name, most=24)})" if _has_name(name) else ""
