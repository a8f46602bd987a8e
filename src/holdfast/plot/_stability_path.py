"""Stability paths: how selection probabilities grow, and which pass the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._curves import curves_height
from holdfast.plot._labels import LineLabel, draw_line_labels, format_distinct_names, format_name
from holdfast.plot._style import (
    MIN_LOG_SCALE_RATIO,
    format_shares,
    format_values,
    get_line_style,
    numeric,
    percent,
    plain,
    scale_counts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style
    from holdfast.select import StabilityPath, StabilitySelection

TITLE = "Stability path"
MOST, GREY, POINTS = 20, 60, 25
"""So many selected features are named, so many others are drawn, by so many points."""


class Line(NamedTuple):
    """The probabilities of one feature, in the order of the path."""

    name: str
    steps: NDArray[np.float64]
    shares: NDArray[np.float64]
    selected: bool

    @property
    def last(self) -> float:
        """The probability at the end of the path."""
        return float(self.shares[-1])


def stability_path(
    path: StabilitySelection | StabilityPath | pd.DataFrame,
    *,
    threshold: float | None = None,
    axis: str = "number of selected features",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the share of subsamples that select each feature, along the path.

    Selected features are coloured and named, the most probable 20 of them; others are grey, at
    most 60. The dashed line is the threshold.

    Parameters
    ----------
    path : StabilitySelection, StabilityPath or pandas.DataFrame
        A fitted :class:`holdfast.StabilitySelection`, or its ``stability_path_``, or a table with
        the columns ``feature``, ``step``, ``probability`` and ``selected``, whose steps rise or
        fall along the path.
    threshold : float, optional
        The least share of a selected feature; a path knows its own.
    axis : str, default "number of selected features"
        What the steps of a table are; a path knows its own.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the table of the path.

    References
    ----------
    Meinshausen and Bühlmann (2010), Figure 1, show such paths.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"feature": ["TP53", "TP53", "MYC", "MYC"], "step": [1, 2, 1, 2]})
    >>> table = table.assign(probability=[0.7, 0.9, 0.1, 0.3], selected=[True, True, False, False])
    >>> hf.plot.stability_path(table, threshold=0.75).description
    'Selection probabilities of 2 features by number of selected features, from 1 to 2. 1 selected
    in at least 75% of the subsamples: TP53.'
    """
    if isinstance(path, pd.DataFrame):
        table = path
    else:
        own: StabilityPath = getattr(path, "stability_path_", path)
        table, threshold, axis = own.to_frame(), own.threshold, own.axis
    check_columns(table, ("feature", "step", "probability", "selected"), "stability_path")
    lines = _lines(table)
    chosen = [line for line in lines if line.selected]
    named = chosen[:MOST]
    sheet = open_canvas(ax, style, curves_height(len(named) + 1, one_place=False))
    if not lines:
        return draw_empty_picture(sheet, table, TITLE, "no feature was selected on any subsample")
    drawn = chosen + [line for line in lines if not line.selected][:GREY]
    _prepare(sheet, lines[0].steps)
    _draw(sheet, drawn, named)
    _label(sheet, axis, len(lines) - len(drawn), len(chosen) - len(named))
    layout(sheet)
    _name(sheet, named, threshold)
    return finalize(sheet, table, TITLE, _describe_picture(lines, chosen, threshold, axis))


def _lines(table: pd.DataFrame) -> list[Line]:
    """Return the lines of a table, those that end highest first."""
    frame = pd.DataFrame(
        {
            "feature": table["feature"].astype(str),
            "step": numeric(table["step"]),
            "share": numeric(table["probability"]),
            "selected": table["selected"].astype(bool),
        }
    )
    frame = frame[np.isfinite(frame["step"]) & np.isfinite(frame["share"])]
    lines = [
        Line(str(name), numeric(own["step"]), numeric(own["share"]), bool(own["selected"].any()))
        for name, own in frame.groupby("feature", sort=False)
    ]
    return sorted(lines, key=lambda line: -line.last)


def _prepare(sheet: Canvas, steps: NDArray[np.float64]) -> None:
    """Set the axes up; penalties that fall run from left to right, too."""
    ax, low, high = sheet.ax, float(steps.min()), float(steps.max())
    wide = low > 0 and high / low >= MIN_LOG_SCALE_RATIO
    if wide or (steps == np.round(steps)).all():
        scale_counts(ax, steps, sheet.abreast(8, each=36))
    else:
        format_values(ax.xaxis)
    room = (high / low) ** 0.03 if wide else 0.03 * (high - low) or 0.5
    edges = (low / room, high * room) if wide else (low - room, high + room)
    ax.set_xlim(edges[::-1] if steps[0] > steps[-1] else edges)
    ax.set_ylim(-0.03, 1.03)
    format_shares(ax.yaxis)
    draw_grid_lines(sheet, "y")


def _draw(sheet: Canvas, drawn: list[Line], named: list[Line]) -> None:
    """Draw the others as one grey line with gaps, then the selected ones."""
    grey = [_thin_points(line) for line in drawn if not line.selected]
    if grey:
        x, y = (
            np.concatenate([np.append(line[place], np.nan) for line in grey]) for place in (1, 2)
        )
        sheet.ax.plot(x, y, zorder=2, **_grey_line_style(sheet, grey[0]))
    for position, line in enumerate(one for one in drawn if one.selected):
        how = _look(sheet, position) if position < len(named) else _grey_line_style(sheet, line)
        every = max(1, len(line.steps) // 10)
        sheet.ax.plot(line.steps, line.shares, zorder=3, markevery=every, **how)


def _thin_points(line: Line) -> Line:
    """Leave out points on level ground, and some of many others: the file stays small."""
    level = np.zeros(len(line.steps), dtype=bool)
    level[1:-1] = (np.diff(line.shares)[:-1] == 0) & (np.diff(line.shares)[1:] == 0)
    kept = np.flatnonzero(~level)
    if len(kept) > POINTS:
        kept = kept[np.linspace(0, len(kept) - 1, POINTS).round().astype(np.intp)]
    return line._replace(steps=line.steps[kept], shares=line.shares[kept])


def _look(sheet: Canvas, position: int) -> dict[str, Any]:
    style = get_line_style(position, sheet.colours)
    return {
        "color": style.colour, "linestyle": style.dash, "marker": style.marker, "linewidth": 1.5,
        "markersize": 4.5, "markeredgecolor": sheet.colours["paper"], "markeredgewidth": 0.5,
    }  # fmt: skip


def _grey_line_style(sheet: Canvas, line: Line) -> dict[str, Any]:
    dot = "." if len(line.steps) == 1 else None  # which would be no line
    return {"color": sheet.colours["slate"], "linewidth": 0.7, "alpha": 0.55, "marker": dot}


def _name(sheet: Canvas, named: list[Line], threshold: float | None) -> None:
    """Name the selected features and the threshold at the right."""
    names = format_distinct_names((line.name for line in named), most=sheet.letters(24))
    endings = [
        LineLabel(float(line.steps[-1]), line.last, name, _look(sheet, position))
        for position, (line, name) in enumerate(zip(named, names, strict=True))
    ]
    if threshold is not None:
        dashed: Any = {"color": sheet.colours["muted"], "linestyle": (0, (4, 3)), "linewidth": 1.0}
        sheet.ax.axhline(threshold, zorder=1.5, **dashed)
        end = sheet.ax.get_xlim()[1]
        endings.append(LineLabel(end, threshold, f"threshold, {percent(threshold)}", dashed))
    draw_line_labels(sheet, endings)


def _label(sheet: Canvas, axis: str, hidden: int, unnamed: int) -> None:
    parts = []
    if unnamed:
        parts.append(f"not named: {plural(unnamed, 'selected feature')}")
    if hidden:
        parts.append(f"not shown: {plural(hidden, 'feature')} of lower probability")
    note = "\n" + "; ".join(parts) if parts else ""
    sheet.ax.set_xlabel(f"{axis}{note}")
    sheet.ax.set_ylabel("share of subsamples that select it, %")


def _describe_picture(
    lines: list[Line], chosen: list[Line], threshold: float | None, axis: str
) -> str:
    first, last = (plain(round(float(lines[0].steps[place]), 3)) for place in (0, -1))
    lead = (
        f"Selection probabilities of {plural(len(lines), 'feature')} by {axis}, from {first} to "
        f"{last}."
    )
    often = "" if threshold is None else f" in at least {percent(threshold)} of the subsamples"
    if not chosen:
        return f"{lead} None is selected{often}."
    names = format_list((format_name(line.name) for line in chosen), most=5)
    return f"{lead} {len(chosen):,} selected{often}: {names}."
