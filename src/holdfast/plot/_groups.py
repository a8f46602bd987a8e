"""Stability of groups of features, and correlations of features with their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from holdfast._formatting import plural
from holdfast._typing import FloatArray, MatrixLike
from holdfast._validation import check_flag, check_integer
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    draw_legend,
    finalize,
    finalize_panels,
    open_canvas,
    open_panels,
    scale_panel_x,
    scale_panel_y,
    write_panel_title,
)
from holdfast.plot._labels import format_name, label_rows
from holdfast.plot._style import (
    DASHES,
    Style,
    format_plain,
    format_values,
    keep_finite_rows,
    line_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture


TITLE_GROUP_STABILITY = "Stability by number of groups"
REQUIRED_COLUMNS = ("data", "selector", "measure", "size", "value")
MEASURE_NAMES = {"group_matching_index": "index", "group_matching_value": "value"}
"""Short names of the measures of groups; other measures keep their names."""
PANELS_PER_ROW = 2


def group_stability(table: pd.DataFrame, *, style: Style = "light") -> Picture:
    """Draw stability against the number of groups: one panel per data set, one line per selector.

    Measures differ in the dashes of lines, selectors in colours and markers.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``data``, ``selector``, ``measure``, ``size`` and ``value``: the stability of
        groups, one study per data set, as in ``Result.stability``. Rows with missing numbers are
        left out.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows drawn.

    References
    ----------
    Yu, Ding and Loscalzo (2008), Figures 2 and 3.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"selector": "drags", "size": [4, 50], "value": [0.7, 0.8]})
    >>> table = table.assign(data="colon", measure="group_matching_index")
    >>> hf.plot.group_stability(table).description
    'Lines of stability for 1 selector on 1 data set. Mean over all numbers of groups, index:
    drags 0.75.'
    """
    check_columns(table, REQUIRED_COLUMNS, "group_stability")
    numbers = keep_finite_rows(table, "size", "value").reset_index(drop=True)
    names = list(dict.fromkeys(numbers["data"]))
    if not names:
        panel = open_panels([["0"]], style, 3.0)["0"]
        return draw_empty_picture(panel, numbers, TITLE_GROUP_STABILITY, "no stability is known")
    panels = _open_panel_grid(len(names), style)
    lines = _assign_lines(panels[0], numbers)
    for panel, name in zip(panels, names, strict=True):
        _draw_data_set(panel, numbers[numbers["data"] == name], lines)
        scale_panel_x(panel, to_floats(numbers["size"]))  # all panels have the same axes
        scale_panel_y(panel)
        # correlations of groups may be negative
        panel.ax.set_ylim(bottom=min(-0.03, 1.05 * float(to_floats(numbers["value"]).min())))
        write_panel_title(panel, format_name(name))
    for panel in panels[-PANELS_PER_ROW:]:
        panel.ax.set_xlabel("number of groups or features k")
    for panel in panels[::PANELS_PER_ROW]:
        panel.ax.set_ylabel("stability")
    handles = [
        Line2D([], [], label=f"{format_name(selector)}, {_measure_name(measure)}", **options)
        for (selector, measure), options in lines.items()
    ]
    draw_legend(panels[0], handles, min(numbers["selector"].nunique(), 3))
    description = _describe_group_stability(numbers)
    return finalize_panels(panels, numbers, TITLE_GROUP_STABILITY, description)


def _open_panel_grid(count: int, style: str) -> list[Canvas]:
    """Return this many panels, two per row; the last cell may be empty."""
    keys = [str(place) for place in range(count)]
    n_columns = min(count, PANELS_PER_ROW)
    keys += ["."] * (-count % n_columns)
    rows = [keys[first : first + n_columns] for first in range(0, len(keys), n_columns)]
    panels = open_panels(rows, style, 1.1 + (2.6 if len(rows) == 1 else 2.1 * len(rows)))
    return [panels[str(place)] for place in range(count)]


def _assign_lines(panel: Canvas, numbers: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return how each pair of selector and measure is plotted, in the order of selectors."""
    selectors, measures = (list(dict.fromkeys(numbers[key])) for key in ("selector", "measure"))
    pairs = dict.fromkeys(zip(numbers["selector"], numbers["measure"], strict=True))
    return {
        (selector, measure): line_options(selectors.index(selector), panel.colours, in_panel=True)
        | {"linestyle": DASHES[measures.index(measure) % len(DASHES)]}
        for selector, measure in sorted(pairs, key=lambda pair: selectors.index(pair[0]))
    }


def _draw_data_set(
    panel: Canvas, table: pd.DataFrame, lines: dict[tuple[str, str], dict[str, Any]]
) -> None:
    for (selector, measure), options in lines.items():
        rows = table[(table["selector"] == selector) & (table["measure"] == measure)]
        rows = rows.sort_values("size", kind="stable")
        panel.ax.plot(to_floats(rows["size"]), to_floats(rows["value"]), **options)


def _measure_name(measure: object) -> str:
    return MEASURE_NAMES.get(str(measure), format_name(measure))


def _describe_group_stability(numbers: pd.DataFrame) -> str:
    parts = []
    for measure, rows in numbers.groupby("measure", sort=False):
        means = rows.groupby("selector", sort=False)["value"].mean()
        texts = [f"{format_name(name)} {value:.2f}" for name, value in means.items()]
        parts.append(f"{_measure_name(measure)}: {', '.join(texts[:6])}")
    n_selectors = plural(numbers["selector"].nunique(), "selector")
    n_data_sets = plural(numbers["data"].nunique(), "data set")
    return (
        f"Lines of stability for {n_selectors} on {n_data_sets}. Mean over all numbers of groups, "
        f"{'; '.join(parts)}."
    )


# Correlations of features with their nearest neighbours, by number of neighbours.

TITLE_NEIGHBOURS = "Correlation of features with their nearest neighbours"
DEFAULT_NEIGHBOUR_COUNTS = (*range(1, 11), 15, 20, 25)
FEATURES_PER_BLOCK = 512
"""Features whose correlations with all others are in memory at a time (chosen by hand)."""
HISTOGRAM_BINS = 60
"""Bins of a distribution (chosen by eye)."""
DISTRIBUTION_HEIGHT_ROWS = 0.9
"""Height of a distribution, in rows (chosen by eye)."""


def neighbours(
    X: MatrixLike,
    *,
    n_neighbors: Sequence[int] = DEFAULT_NEIGHBOUR_COUNTS,
    count_itself: bool = True,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how closely features correlate with their K nearest neighbours, one row per K.

    Each feature has a mean Pearson correlation with the K features that correlate most with it.
    The distribution of these means over all features shows how many neighbours are needed to
    distinguish dense from sparse regions; use it to choose K for :class:`holdfast.DenseGroups`.
    Each row has its own scale; a line marks the median.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Samples in rows, features in columns, without missing values. Constant features are left
        out.
    n_neighbors : sequence of int, default (1, 2, ..., 10, 15, 20, 25)
        The values of K; those above the number of features are left out.
    count_itself : bool, default True
        Whether a feature counts as its own first neighbour, with a correlation of 1.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds ``n_neighbors``, ``feature``, and its mean ``correlation``.

    References
    ----------
    Yu, Ding and Loscalzo (2008), Figure 1.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, _ = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> picture = hf.plot.neighbours(X, n_neighbors=[1, 3, 5])
    >>> picture.description
    'Distributions of the mean correlation of 30 features with their nearest neighbours, for 1 to
    5 neighbours. The median falls from 1.00 to 0.85, the standard deviation goes from 0.00 to
    0.14.'
    >>> picture.numbers.groupby("n_neighbors")["correlation"].min().round(2).tolist()
    [1.0, 0.61, 0.52]
    """
    values, names = _extract_varying_features(X)
    counts = sorted({check_integer(count, "n_neighbors", 1) for count in n_neighbors})
    means = _mean_correlations(values, counts, itself=check_flag(count_itself, "count_itself"))
    columns = ["n_neighbors", "feature", "correlation"]
    rows = [
        (count, name, mean)
        for count, correlations in means.items()
        for name, mean in zip(names, correlations, strict=True)
    ]
    numbers = pd.DataFrame(rows, columns=columns)
    canvas = open_canvas(ax, style, 1.0 + 0.33 * max(len(means), 3))
    if numbers.empty:
        return draw_empty_picture(
            canvas, numbers, TITLE_NEIGHBOURS, "no feature has this many neighbours"
        )
    _draw_distributions(canvas, means)
    return finalize(canvas, numbers, TITLE_NEIGHBOURS, _describe_neighbours(means))


def _extract_varying_features(X: MatrixLike) -> tuple[FloatArray, list[str]]:
    """Return the values and names of the features that are not constant."""
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise InvalidInputError(
            "neighbours needs a table of finite numbers, samples in rows and features in columns; "
            f"got the shape {values.shape}"
            + (", with missing or infinite values." if values.ndim == 2 else ".")
        )
    names = getattr(X, "columns", range(values.shape[1]))
    varies = np.ptp(values, axis=0) > 0 if len(values) else np.zeros(values.shape[1], dtype=bool)
    return values[:, varies], [str(name) for name, keep in zip(names, varies, strict=True) if keep]


def _mean_correlations(
    values: FloatArray, counts: Sequence[int], *, itself: bool
) -> dict[int, FloatArray]:
    """Return the mean correlation of each feature with its nearest ones, by their number."""
    p = values.shape[1]
    # a feature has p neighbours if it counts itself, else p - 1
    counts = [count for count in counts if count <= p - (not itself)]
    if not counts:
        return {}
    centred = values - values.mean(axis=0)
    # scaled to length 1, so that products of features are their Pearson correlations
    points = (centred / np.sqrt(np.sum(centred**2, axis=0))).T
    nearest = np.concatenate(
        [
            _highest_correlations(points, first, counts[-1], itself=itself)
            for first in range(0, p, FEATURES_PER_BLOCK)
        ]
    )
    sums = np.cumsum(nearest, axis=1)
    return {count: sums[:, count - 1] / count for count in counts}


def _highest_correlations(points: FloatArray, first: int, most: int, *, itself: bool) -> FloatArray:
    """Return the highest correlations of a block of features, in descending order."""
    block = points[first : first + FEATURES_PER_BLOCK]
    correlations = np.clip(block @ points.T, -1.0, 1.0)
    rows = np.arange(len(block))
    # minus infinity is never among the highest
    correlations[rows, first + rows] = 1.0 if itself else -np.inf
    # only the highest are sorted
    highest = np.partition(correlations, correlations.shape[1] - most, axis=1)[:, -most:]
    return np.sort(highest, axis=1)[:, ::-1]


def _draw_distributions(canvas: Canvas, means: dict[int, FloatArray]) -> None:
    """Draw one distribution per row, few neighbours on top."""
    ax, blue, ink = canvas.ax, canvas.colours["blue"], canvas.colours["ink"]
    lowest = min(float(correlations.min()) for correlations in means.values())
    # all rows share the bins, so their heights can be compared; at least 0.02 wide
    edges = np.linspace(min(lowest, 0.98), 1.0, HISTOGRAM_BINS + 1)
    x = np.repeat(edges, 2)[1:-1]
    for row, correlations in enumerate(means.values()):
        counts = np.repeat(np.histogram(np.maximum(correlations, edges[0]), edges)[0], 2)
        bottom = row + 0.45
        top = bottom - DISTRIBUTION_HEIGHT_ROWS * counts / counts.max()
        ax.fill_between(x, top, bottom, color=blue, alpha=0.3, linewidth=0)
        ax.plot(x, top, color=blue, linewidth=0.9)
        peak = bottom - DISTRIBUTION_HEIGHT_ROWS
        ax.vlines(np.median(correlations), peak, bottom, color=ink, lw=1.2)
    draw_grid_lines(canvas, "x")
    format_values(ax.xaxis)
    label_rows(canvas, [f"K = {format_plain(count)}" for count in means])
    ax.set(xlim=(edges[0], 1.005), xlabel="mean correlation with the K nearest neighbours")


def _describe_neighbours(means: dict[int, FloatArray]) -> str:
    counts = list(means)
    ends = (means[counts[0]], means[counts[-1]])
    medians = [float(np.median(correlations)) for correlations in ends]
    deviations = [float(np.std(correlations)) for correlations in ends]
    return (
        f"Distributions of the mean correlation of {plural(len(ends[0]), 'feature')} with their "
        f"nearest neighbours, for {format_plain(counts[0])} to {plural(counts[-1], 'neighbour')}. "
        f"The median falls from {medians[0]:.2f} to {medians[1]:.2f}, the standard deviation goes "
        f"from {deviations[0]:.2f} to {deviations[1]:.2f}."
    )
