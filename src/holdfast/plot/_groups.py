"""Stability of groups of features against their number, a panel a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from holdfast._formatting import plural
from holdfast._validation import check_integer, flag
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    draw_legend,
    finalize,
    name_rows,
    open_canvas,
    open_panels,
    scale_from_zero,
    scale_panel_values,
    write_panel_title,
)
from holdfast.plot._labels import format_name
from holdfast.plot._style import DASHES, format_values, get_line_style, numeric, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style


TITLE_GROUP_STABILITY = "Stability by number of groups"
REQUIRED_COLUMNS = ("data", "selector", "measure", "size", "value")
MEASURES = {"group_matching_index": "index", "group_matching_value": "value"}
"""Short words for the measures of groups; others are called as they are."""
ABREAST = 2
"""Panels side by side."""


def group_stability(table: pd.DataFrame, *, style: Style = "light") -> Picture:
    """Draw stability against the number of groups, a panel a data set, a line a selector.

    Measures differ in the dashes of lines, selectors in their colour and marks.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``data``, ``selector``, ``measure``, ``size`` and ``value``: the stability of the
        groups of one study a data set, as in ``Result.stability``. Rows with missing numbers are
        left out.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn.

    References
    ----------
    Yu, Ding and Loscalzo (2008), Figures 2 and 3, show selectors of groups in this way.

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
    known = np.isfinite(numeric(table["size"])) & np.isfinite(numeric(table["value"]))
    numbers = table[known].reset_index(drop=True)
    names = list(dict.fromkeys(numbers["data"]))
    if not names:
        sheet = open_panels([["0"]], style, 3.0)["0"]
        return draw_empty_picture(sheet, numbers, TITLE_GROUP_STABILITY, "no stability is known")
    sheets = _panels(len(names), style)
    for sheet, name in zip(sheets, names, strict=True):
        _draw(sheet, numbers[numbers["data"] == name], numbers)
        write_panel_title(sheet, format_name(name))
    _label(sheets)
    keys = _keys(sheets[0], numbers)
    draw_legend(sheets[0], keys, min(numbers["selector"].nunique(), 3))
    others = [sheet.ax for sheet in sheets[1:]]
    return finalize(
        sheets[0], numbers, TITLE_GROUP_STABILITY, _describe_group_stability(numbers), others
    )


def _panels(count: int, style: str) -> list[Canvas]:
    """Return so many panels, two in a row; the last place may be empty."""
    keys = [str(place) for place in range(count)]
    abreast = min(count, ABREAST)
    keys += ["."] * (-count % abreast)
    rows = [keys[first : first + abreast] for first in range(0, len(keys), abreast)]
    sheets = open_panels(rows, style, 1.1 + (2.6 if len(rows) == 1 else 2.1 * len(rows)))
    return [sheets[str(place)] for place in range(count)]


def _draw(sheet: Canvas, own: pd.DataFrame, numbers: pd.DataFrame) -> None:
    for selector, measure in _combinations(numbers):
        line = own[(own["selector"] == selector) & (own["measure"] == measure)]
        line = line.sort_values("size", kind="stable")
        sheet.ax.plot(
            numeric(line["size"]), numeric(line["value"]),
            **_style(sheet, numbers, selector, measure),
        )  # fmt: skip
    scale_panel_values(sheet, numeric(numbers["size"]))
    scale_from_zero(sheet)
    lowest = float(numeric(numbers["value"]).min())
    sheet.ax.set_ylim(bottom=min(-0.03, 1.05 * lowest))


def _label(sheets: list[Canvas]) -> None:
    """Name the axes where nothing stands below, or to the left."""
    for place, sheet in enumerate(sheets):
        if place >= len(sheets) - ABREAST:
            sheet.ax.set_xlabel("number of groups or features k")
        if place % ABREAST == 0:
            sheet.ax.set_ylabel("stability")


def _combinations(numbers: pd.DataFrame) -> list[tuple[str, str]]:
    """Return selectors and measures that belong together, in the order of the table."""
    pairs = zip(numbers["selector"], numbers["measure"], strict=True)
    selectors = list(dict.fromkeys(numbers["selector"]))
    return sorted(dict.fromkeys(pairs), key=lambda pair: selectors.index(pair[0]))


def _style(sheet: Canvas, numbers: pd.DataFrame, selector: str, measure: str) -> dict[str, Any]:
    position = list(dict.fromkeys(numbers["selector"])).index(selector)
    turn = list(dict.fromkeys(numbers["measure"])).index(measure)
    own = get_line_style(position, sheet.colours)
    return {
        "color": own.colour, "marker": own.marker, "linestyle": DASHES[turn % len(DASHES)],
        "markersize": 4, "linewidth": 1.4, "markeredgecolor": sheet.colours["paper"],
        "markeredgewidth": 0.4,
    }  # fmt: skip


def _keys(sheet: Canvas, numbers: pd.DataFrame) -> list[Line2D]:
    """Return a line for each entry of the key."""
    return [
        Line2D(
            [], [], label=f"{format_name(selector)}, {MEASURES.get(measure, format_name(measure))}",
            **_style(sheet, numbers, selector, measure),
        )
        for selector, measure in _combinations(numbers)
    ]  # fmt: skip


def _describe_group_stability(numbers: pd.DataFrame) -> str:
    parts = []
    for measure, own in numbers.groupby("measure", sort=False):
        means = own.groupby("selector", sort=False)["value"].mean()
        texts = [f"{format_name(name)} {value:.2f}" for name, value in means.items()]
        parts.append(f"{MEASURES.get(str(measure), format_name(measure))}: {', '.join(texts[:6])}")
    counts = [
        plural(numbers[column].nunique(), word)
        for column, word in (("selector", "selector"), ("data", "data set"))
    ]
    return (
        f"Lines of stability for {counts[0]} on {counts[1]}. Mean over all numbers of groups, "
        f"{'; '.join(parts)}."
    )


# How closely features correlate with their nearest neighbours, by number of neighbours.

TITLE_NEIGHBOURS = "Correlation of features with their nearest neighbours"
COUNTS = (*range(1, 11), 15, 20, 25)
BLOCK = 512
"""Features whose correlations with all others are held at a time."""
BINS = 60
DISTRIBUTION_HEIGHT_ROWS = 0.9
"""How high a distribution is, in rows."""


def neighbours(
    X: Any,  # noqa: ANN401  (a frame, or what becomes an array)
    *,
    n_neighbors: Sequence[int] = COUNTS,
    count_itself: bool = True,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how closely features correlate with their K nearest neighbours, a row a number K.

    Each feature has a mean Pearson correlation with the K features that correlate most with it.
    The distribution of these means over all features shows how many neighbours are needed to
    tell dense regions from sparse ones; so K is chosen for :class:`holdfast.DenseGroups`. Each
    row is scaled to its own height; a line marks the median.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Samples in rows, features in columns, without missing values. Constant features are left
        out.
    n_neighbors : sequence of int, default (1, 2, ..., 10, 15, 20, 25)
        The numbers K; those that are more than there are features are left out.
    count_itself : bool, default True
        Whether a feature is the first of its own neighbours, with a correlation of 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: ``n_neighbors``, ``feature``, and its mean ``correlation``.

    References
    ----------
    Yu, Ding and Loscalzo (2008), Figure 1, show such distributions.

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
    means = _means(values, counts, itself=flag(count_itself, "count_itself"))
    numbers = _numbers(means, names)
    sheet = open_canvas(ax, style, 1.0 + 0.33 * max(len(means), 3))
    if numbers.empty:
        return draw_empty_picture(
            sheet, numbers, TITLE_NEIGHBOURS, "no feature has so many neighbours"
        )
    _draw_neighbours(sheet, means)
    return finalize(sheet, numbers, TITLE_NEIGHBOURS, _describe_neighbours(means))


def _extract_varying_features(X: Any) -> tuple[NDArray[np.float64], list[str]]:  # noqa: ANN401
    """Return the values of features that vary, and their names."""
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise InvalidInputError(
            "neighbours needs a table of finite numbers, samples in rows and features in columns; "
            f"received the shape {values.shape}"
            + (", with missing or infinite values." if values.ndim == 2 else ".")
        )
    names = getattr(X, "columns", range(values.shape[1]))
    varied = np.ptp(values, axis=0) > 0 if len(values) else np.zeros(values.shape[1], dtype=bool)
    return values[:, varied], [str(name) for name, keep in zip(names, varied, strict=True) if keep]


def _means(
    values: NDArray[np.float64], counts: Sequence[int], *, itself: bool
) -> dict[int, NDArray[np.float64]]:
    """Return the mean correlation of each feature with its nearest ones, by their number."""
    p = values.shape[1]
    counts = [count for count in counts if count <= p - (not itself)]
    if not counts:
        return {}
    centred = values - values.mean(axis=0)
    points = (centred / np.sqrt(np.sum(centred**2, axis=0))).T
    nearest = np.concatenate(
        [_nearest(points, first, counts[-1], itself=itself) for first in range(0, p, BLOCK)]
    )
    sums = np.cumsum(nearest, axis=1)
    return {count: sums[:, count - 1] / count for count in counts}


def _nearest(
    points: NDArray[np.float64], first: int, most: int, *, itself: bool
) -> NDArray[np.float64]:
    """Return the highest correlations of a block of features, falling."""
    block = points[first : first + BLOCK]
    likeness = np.clip(block @ points.T, -1.0, 1.0)
    own = np.arange(len(block))
    likeness[own, first + own] = 1.0 if itself else -np.inf
    highest = np.partition(likeness, likeness.shape[1] - most, axis=1)[:, -most:]
    return np.sort(highest, axis=1)[:, ::-1]


def _numbers(means: dict[int, NDArray[np.float64]], names: list[str]) -> pd.DataFrame:
    tables = [
        pd.DataFrame({"n_neighbors": count, "feature": names, "correlation": own})
        for count, own in means.items()
    ]
    empty = pd.DataFrame(columns=["n_neighbors", "feature", "correlation"])
    return pd.concat(tables, ignore_index=True) if tables else empty


def _draw_neighbours(sheet: Canvas, means: dict[int, NDArray[np.float64]]) -> None:
    """Draw a distribution a row, few neighbours on top."""
    low = min(float(own.min()) for own in means.values())
    edges = np.linspace(min(low, 0.98), 1.0, BINS + 1)
    places = np.repeat(edges, 2)[1:-1]
    for row, own in enumerate(means.values()):
        shares = np.repeat(np.histogram(np.maximum(own, edges[0]), edges)[0], 2)
        top, floor = row + 0.45 - DISTRIBUTION_HEIGHT_ROWS * shares / shares.max(), row + 0.45
        blue = sheet.colours["blue"]
        sheet.ax.fill_between(places, top, floor, color=blue, alpha=0.3, linewidth=0)
        sheet.ax.plot(places, top, color=blue, linewidth=0.9)
        sheet.ax.vlines(
            np.median(own),
            floor - DISTRIBUTION_HEIGHT_ROWS,
            floor,
            color=sheet.colours["ink"],
            lw=1.2,
        )
    draw_grid_lines(sheet, "x")
    format_values(sheet.ax.xaxis)
    name_rows(sheet, [f"K = {plain(count)}" for count in means])
    sheet.ax.set(xlim=(edges[0], 1.005), xlabel="mean correlation with the K nearest neighbours")


def _describe_neighbours(means: dict[int, NDArray[np.float64]]) -> str:
    counts, tables = list(means), list(means.values())
    ends = (tables[0], tables[-1])
    medians, spreads = ([float(how(own)) for own in ends] for how in (np.median, np.std))
    return (
        f"Distributions of the mean correlation of {plural(len(ends[0]), 'feature')} with their "
        f"nearest neighbours, for {plain(counts[0])} to {plural(counts[-1], 'neighbour')}. The "
        f"median falls from {medians[0]:.2f} to {medians[1]:.2f}, the standard deviation goes "
        f"from {spreads[0]:.2f} to {spreads[1]:.2f}."
    )
