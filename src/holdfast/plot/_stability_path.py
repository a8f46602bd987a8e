"""Stability paths: selection probabilities along the path, and the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from holdfast._formatting import format_list, plural
from holdfast._typing import FloatArray
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
    Style,
    format_plain,
    format_share,
    format_shares,
    format_values,
    is_wide_range,
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
    from holdfast.select import StabilityPath, StabilitySelection

TITLE = "Stability path"
MAX_NAMED_FEATURES, MAX_GREY_FEATURES = 20, 60
"""Most selected features that are named, and most others that are drawn (chosen by eye)."""
MAX_POINTS_PER_GREY_LINE = 25
"""Keeps the file small; grey lines need no more detail."""


class FeaturePath(NamedTuple):
    """The selection probabilities of a feature, in the order of the path."""

    name: str
    steps: FloatArray
    shares: FloatArray
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

    The 20 most probable of the selected features are coloured and named; up to 60 others are grey.
    The dashed line is the threshold.

    Parameters
    ----------
    path : StabilitySelection, StabilityPath or pandas.DataFrame
        A fitted :class:`holdfast.StabilitySelection`, or its ``stability_path_``, or a table with
        the columns ``feature``, ``step``, ``probability`` and ``selected``; its steps rise or fall
        along the path.
    threshold : float, optional
        Lowest share of a selected feature; only for a table.
    axis : str, default "number of selected features"
        Name of the steps, for the axis; only for a table.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the table of the path.

    References
    ----------
    Meinshausen and Bühlmann (2010), Figure 1.

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
        fitted: StabilityPath = getattr(path, "stability_path_", path)
        table, threshold, axis = fitted.to_frame(), fitted.threshold, fitted.axis
    check_columns(table, ("feature", "step", "probability", "selected"), "stability_path")
    paths = _extract_paths(table)
    selected = [path for path in paths if path.selected]
    named = selected[:MAX_NAMED_FEATURES]
    canvas = open_canvas(ax, style, curves_height(len(named) + 1, one_position=False))
    if not paths:
        return draw_empty_picture(canvas, table, TITLE, "no feature was selected on any subsample")
    drawn = selected + [path for path in paths if not path.selected][:MAX_GREY_FEATURES]
    _scale_axes(canvas, paths[0].steps)
    _draw_paths(canvas, drawn, len(named))
    _label_axes(canvas, axis, len(paths) - len(drawn), len(selected) - len(named))
    layout(canvas)
    _label_lines(canvas, named, threshold)
    return finalize(canvas, table, TITLE, _describe_paths(paths, selected, threshold, axis))


def _extract_paths(table: pd.DataFrame) -> list[FeaturePath]:
    """Return the paths of the features, those that end highest first."""
    frame = pd.DataFrame(
        {
            "feature": table["feature"].astype(str),
            "step": to_floats(table["step"]),
            "share": to_floats(table["probability"]),
            "selected": table["selected"].astype(bool),
        }
    )
    paths = [
        FeaturePath(
            str(name), to_floats(rows["step"]), to_floats(rows["share"]),
            bool(rows["selected"].any()),
        )
        for name, rows in keep_finite_rows(frame, "step", "share").groupby("feature", sort=False)
    ]  # fmt: skip
    return sorted(paths, key=lambda path: -path.last)


def _scale_axes(canvas: Canvas, steps: FloatArray) -> None:
    """Prepare the axes; falling penalties run from left to right as well."""
    ax, logarithmic = canvas.ax, is_wide_range(steps)
    if logarithmic or (steps == np.round(steps)).all():
        scale_counts(ax, steps, canvas.max_columns(8, width=36))
    else:
        format_values(ax.xaxis)
    limits = padded_limits(steps, logarithmic=logarithmic)
    # the path starts with the largest penalty
    ax.set_xlim(limits[::-1] if steps[0] > steps[-1] else limits)
    ax.set_ylim(-0.03, 1.03)
    format_shares(ax.yaxis)
    draw_grid_lines(canvas, "y")


def _draw_paths(canvas: Canvas, drawn: list[FeaturePath], n_named: int) -> None:
    """Draw the other features as one grey line with gaps, then the selected ones."""
    # one line with gaps (NaN) is one element of the file instead of dozens
    grey = [_thin_points(path) for path in drawn if not path.selected]
    if grey:
        x, y = (
            np.concatenate([np.append(values, np.nan) for values in lines])
            for lines in ([path.steps for path in grey], [path.shares for path in grey])
        )
        canvas.ax.plot(x, y, zorder=2, **_grey_line_options(canvas, grey[0]))
    for position, path in enumerate(path for path in drawn if path.selected):
        is_named = position < n_named
        options = (
            line_options(position, canvas.colours) if is_named else _grey_line_options(canvas, path)
        )
        every = marker_interval(len(path.steps))
        canvas.ax.plot(path.steps, path.shares, zorder=3, markevery=every, **options)


def _thin_points(path: FeaturePath) -> FeaturePath:
    """Drop points inside level stretches, and some of the others if there are many."""
    level = np.zeros(len(path.steps), dtype=bool)
    level[1:-1] = (np.diff(path.shares)[:-1] == 0) & (np.diff(path.shares)[1:] == 0)
    kept = np.flatnonzero(~level)
    if len(kept) > MAX_POINTS_PER_GREY_LINE:
        spaced = np.linspace(0, len(kept) - 1, MAX_POINTS_PER_GREY_LINE)
        kept = kept[spaced.round().astype(np.intp)]
    return path._replace(steps=path.steps[kept], shares=path.shares[kept])


def _grey_line_options(canvas: Canvas, path: FeaturePath) -> dict[str, Any]:
    dot = "." if len(path.steps) == 1 else None  # a single point makes no visible line
    return {"color": canvas.colours["slate"], "linewidth": 0.7, "alpha": 0.55, "marker": dot}


def _label_lines(canvas: Canvas, named: list[FeaturePath], threshold: float | None) -> None:
    """Name the selected features and the threshold at the right."""
    names = format_distinct_names((path.name for path in named), canvas.max_name_letters(24))
    labels = [
        LineLabel(float(path.steps[-1]), path.last, name, line_options(position, canvas.colours))
        for position, (path, name) in enumerate(zip(named, names, strict=True))
    ]
    if threshold is not None:
        dashed = reference_line_options(canvas.colours)
        canvas.ax.axhline(threshold, zorder=1.5, **dashed)
        end = canvas.ax.get_xlim()[1]
        labels.append(LineLabel(end, threshold, f"threshold, {format_share(threshold)}", dashed))
    draw_line_labels(canvas, labels)


def _label_axes(canvas: Canvas, axis: str, n_hidden: int, n_unnamed: int) -> None:
    notes = []
    if n_unnamed:
        notes.append(f"not named: {plural(n_unnamed, 'selected feature')}")
    if n_hidden:
        notes.append(f"not shown: {plural(n_hidden, 'feature')} of lower probability")
    canvas.ax.set_xlabel("\n".join([axis, "; ".join(notes)] if notes else [axis]))
    canvas.ax.set_ylabel("share of subsamples that select it, %")


def _describe_paths(
    paths: list[FeaturePath], selected: list[FeaturePath], threshold: float | None, axis: str
) -> str:
    first, last = (format_plain(round(float(paths[0].steps[place]), 3)) for place in (0, -1))
    text = (
        f"Selection probabilities of {plural(len(paths), 'feature')} by {axis}, from {first} to "
        f"{last}."
    )
    often = "" if threshold is None else f" in at least {format_share(threshold)} of the subsamples"
    if not selected:
        return f"{text} None is selected{often}."
    names = format_list((format_name(path.name) for path in selected), most=5)
    return f"{text} {len(selected):,} selected{often}: {names}."
