"""Selectors compared: accuracy against stability, and similarity of their selections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from holdfast._formatting import format_list, format_number, plural
from holdfast._typing import BoolArray, FloatArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import (
    LETTER_WIDTH,
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._labels import (
    draw_name_list,
    format_distinct_names,
    format_name,
    margin_height,
    place_labels,
)
from holdfast.plot._selections import make_rectangles_path
from holdfast.plot._style import (
    NOTE_SIZE,
    TICK_SIZE,
    Style,
    format_share,
    format_shares,
    format_values,
    get_floats,
    get_line_style,
    keep_finite_rows,
    marker_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture


PLANE_TITLE = "Accuracy and stability"
ACCURACY_LABEL = "share of test samples classified correctly, %"
COORDINATES = ["accuracy", "stability"]
MAX_LABELED_POINTS = 8
"""Of more points than this, only the recommended one and the corners of the front have a label."""
MAX_POINTS_WITH_INTERVALS = 30
"""Of more points than this, only the recommended one and the front show their intervals."""
MIN_AXIS_SPANS = np.array([0.1, 0.2])
"""Least ranges of the axes of accuracy and stability, so that small differences look small."""
MAX_LETTERS = 24
"""Longest name of a selector, in letters (chosen by eye, as the numbers of points above)."""


def plane(
    table: pd.DataFrame,
    *,
    measure: str = "stability",
    maximum: float = 1.0,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw pairs of selector and classifier by accuracy and stability: better is right and up.

    Vertical lines are intervals of the stability, horizontal lines one standard error of the
    accuracy to either side. The stepped line is the Pareto front: no other pair beats its pairs in
    both. Pairs on the front have strong marks; if the front counts the number of features as well,
    some of them lie off the line. A ring marks the recommended pair.

    Selections no more stable than chance (the interval reaches 0), such as those of
    ``random_score``, would press all others into a corner. Unless they are on the front or
    recommended, they are left out, and a note names them.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``error``, ``stability``; optionally ``classifier``, ``size``,
        ``standard_error``, ``low``, ``high``, ``front`` and ``recommended`` (true or false).
        Without ``front``, it consists of the pairs that no other beats. Rows without an error or
        a stability are left out.
    measure : str, default "stability"
        Name of the measure of stability, for the axis.
    maximum : float, default 1.0
        Largest value of the measure, where the axis ends; infinite if there is none.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds the rows with an error and a stability, with their ``accuracy`` and
        whether they are ``drawn``.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"selector": ["f_score", "relieff"], "error": [0.1, 0.12], "stability": [0.6, 0.9]}
    ... )
    >>> hf.plot.plane(table).numbers["front"].tolist()
    [True, True]
    """
    check_columns(table, ("selector", "error", "stability"), "plane")
    numbers = _prepare_points(table)
    drawn = numbers[numbers["drawn"]]
    selectors = list(dict.fromkeys(drawn["selector"].astype(str)))
    canvas = open_canvas(ax, style, max(4.2, 1.0 + margin_height(len(selectors) + 2)))
    if drawn.empty:
        return draw_empty_picture(
            canvas, numbers, PLANE_TITLE, "no errors of classifiers are known"
        )
    _draw_plane(canvas, drawn, selectors)
    _widen_limits(canvas, drawn, maximum)
    canvas.ax.set(xlabel=f"{ACCURACY_LABEL}{_format_hidden_note(numbers)}", ylabel=measure)
    _label_plane(canvas, drawn, selectors)
    return finalize(canvas, numbers, PLANE_TITLE, _describe_plane(drawn, selectors))


def _prepare_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with an error and a stability, and all columns needed for drawing."""
    error, stability = to_floats(table["error"]), to_floats(table["stability"])
    frame = table.assign(error=error, stability=stability, accuracy=1 - error)
    for name in ("standard_error", "low", "high"):
        frame[name] = get_floats(table, name)
    frame = keep_finite_rows(frame, "error", "stability").reset_index(drop=True)
    if "front" not in frame.columns:
        frame["front"] = find_undominated_points(frame[COORDINATES].to_numpy())
    if "recommended" not in frame.columns:
        frame["recommended"] = False
    frame = frame.astype({"front": bool, "recommended": bool})
    # points that are no more stable than chance stretch the axes without being a choice
    hidden = (frame["low"] <= 0) & ~frame["front"] & ~frame["recommended"]
    return frame.assign(drawn=~hidden)


def _format_hidden_note(numbers: pd.DataFrame) -> str:
    """Return a note on the points that are not drawn."""
    hidden = numbers[~numbers["drawn"]]
    if hidden.empty:
        return ""
    names = [format_name(name, MAX_LETTERS) for name in dict.fromkeys(hidden["selector"])]
    points = plural(len(hidden), "point")
    return f"\nnot shown, as no more stable than chance: {points} of {format_list(names, most=2)}"


def find_undominated_points(points: FloatArray) -> BoolArray:
    """Return which points no other beats: at least as far right and up, and farther in one."""
    point, other = points[:, np.newaxis], points[np.newaxis]
    # equal points do not beat each other, so copies of a corner are corners too
    beaten = np.all(other >= point, axis=2) & np.any(other > point, axis=2)
    return np.asarray(~beaten.any(axis=1))


def _draw_plane(canvas: Canvas, drawn: pd.DataFrame, selectors: list[str]) -> None:
    ax = canvas.ax
    ax.margins(0.1)
    draw_grid_lines(canvas, "y")
    format_shares(ax.xaxis)
    format_values(ax.yaxis)
    _draw_front(canvas, drawn)
    is_main = (drawn["front"] | drawn["recommended"]).to_numpy()
    has_interval = is_main | (len(drawn) <= MAX_POINTS_WITH_INTERVALS)
    for position, name in enumerate(selectors):
        chosen = (drawn["selector"].astype(str) == name).to_numpy()
        colour, marker, _ = get_line_style(position, canvas.colours)
        _draw_points(canvas, drawn[chosen & ~is_main], marker, colour, 0.5)
        _draw_points(canvas, drawn[chosen & is_main], marker, colour, 1.0)
        _draw_intervals(canvas, drawn[chosen & has_interval], colour)
    recommended = drawn[drawn["recommended"]]
    ax.scatter(
        recommended["accuracy"], recommended["stability"], s=190, facecolors="none",
        linewidths=1.5, edgecolors=canvas.colours["ink"], zorder=5, clip_on=False,
    )  # fmt: skip


def _widen_limits(canvas: Canvas, drawn: pd.DataFrame, maximum: float) -> None:
    """Give the axes their least ranges, and end them at the largest possible values."""
    points = drawn[COORDINATES]
    middle, half_span = (points.min() + points.max()).to_numpy() / 2, MIN_AXIS_SPANS / 2
    largest = np.array([1.0, maximum])
    # the least range hangs below the largest possible value if the points are close to it
    corners = [np.minimum(middle - half_span, largest - 2 * half_span), middle + half_span]
    canvas.ax.update_datalim(corners)
    canvas.ax.autoscale_view()
    right, top = np.minimum([canvas.ax.get_xlim()[1], canvas.ax.get_ylim()[1]], largest)
    canvas.ax.set(xlim=(None, right), ylim=(None, top))


def _draw_points(
    canvas: Canvas, rows: pd.DataFrame, marker: str, colour: str, opacity: float
) -> None:
    if len(rows):
        canvas.ax.scatter(
            rows["accuracy"], rows["stability"], s=38 if opacity == 1 else 24, marker=marker,
            color=colour, alpha=opacity, zorder=4, linewidths=0.5, clip_on=False,
            edgecolors=canvas.colours["paper"],
        )  # fmt: skip


def _draw_intervals(canvas: Canvas, rows: pd.DataFrame, colour: str) -> None:
    x, y, standard_error = rows["accuracy"], rows["stability"], rows["standard_error"]
    thin: Any = {"color": colour, "linewidth": 0.9, "alpha": 0.4, "zorder": 2}
    canvas.ax.hlines(y, x - standard_error, x + standard_error, **thin)
    canvas.ax.vlines(x, rows["low"], rows["high"], **thin)


def _draw_front(canvas: Canvas, drawn: pd.DataFrame) -> None:
    """Draw steps through the corners of the Pareto front."""
    steps = drawn.loc[_find_corners(drawn), COORDINATES].to_numpy()
    if len(steps) > 1:
        # sorted by accuracy, as the line of steps needs it
        steps = np.unique(steps, axis=0)
        canvas.ax.plot(
            steps[:, 0], steps[:, 1], drawstyle="steps-pre", color=canvas.colours["muted"],
            linewidth=1.0, zorder=1.5, clip_on=False,
        )  # fmt: skip


def _find_corners(drawn: pd.DataFrame) -> BoolArray:
    """Return which points of the front are corners of its line.

    A front of error, stability and size has other points as well: pairs that are beaten in this
    plane, but only by pairs with more features.
    """
    is_corner = drawn["front"].to_numpy(dtype=np.bool_, copy=True)
    # the front may count the number of features as well: only its corners in the plane make a line
    is_corner[is_corner] = find_undominated_points(drawn.loc[is_corner, COORDINATES].to_numpy())
    return is_corner


def _label_plane(canvas: Canvas, drawn: pd.DataFrame, selectors: list[str]) -> None:
    """Name the selectors in the margin, and the most important points next to them."""
    short = format_distinct_names(selectors, canvas.max_name_letters(MAX_LETTERS))
    names = dict(zip(selectors, short, strict=True))
    layout(canvas)
    entries = [(name, marker_options(i, canvas.colours)) for i, name in enumerate(short)]
    draw_name_list(canvas, [*entries, *_extra_legend_entries(canvas, drawn)])
    layout(canvas)
    labeled = drawn
    if len(drawn) > MAX_LABELED_POINTS:
        labeled = drawn[_find_corners(drawn) | drawn["recommended"]]
    labeled = labeled.sort_values(["recommended", "stability"], ascending=False)
    labeled = labeled.head(MAX_LABELED_POINTS)
    texts = [_format_point_name(row, names) for _, row in labeled.iterrows()]
    place_labels(canvas, drawn[COORDINATES].to_numpy(), texts, labeled[COORDINATES].to_numpy())


def _extra_legend_entries(canvas: Canvas, drawn: pd.DataFrame) -> list[tuple[str, dict[str, Any]]]:
    """Return the entries of the front and the ring, if they are drawn."""
    entries: list[tuple[str, dict[str, Any]]] = []
    if _find_corners(drawn).sum() > 1:
        entries.append(("Pareto front", {"color": canvas.colours["muted"], "linewidth": 1.0}))
    if drawn["recommended"].any():
        ring = {"marker": "o", "markersize": 8, "color": "none", "linestyle": "none"}
        ring |= {"markeredgecolor": canvas.colours["ink"], "markeredgewidth": 1.3}
        entries.append(("recommended", ring))
    return entries


def _format_point_name(row: pd.Series, names: dict[str, str]) -> str:
    """Return the name of a point: selector, size, classifier."""
    parts = [names.get(str(row["selector"]), ""), row.get("size"), row.get("classifier")]
    return ", ".join(
        format_name(part, MAX_LETTERS) for part in parts if part is not None and not pd.isna(part)
    )


def _describe_plane(drawn: pd.DataFrame, selectors: list[str]) -> str:
    names = dict(zip(selectors, format_distinct_names(selectors), strict=True))
    corners = _find_corners(drawn)
    n_others = int((drawn["front"] & ~corners).sum())
    others = f"; {n_others:,} more when the number of features counts as well" if n_others else ""
    text = (
        f"{plural(len(drawn), 'point')} by accuracy and stability; "
        f"{plural(int(corners.sum()), 'point')} on the Pareto front of the two{others}."
    )
    for lead, rows in (
        ("Recommended", drawn[drawn["recommended"]].head(1)),
        ("Most accurate", drawn.sort_values("accuracy", kind="stable").tail(1)),
    ):
        for _, row in rows.iterrows():
            values = f"{format_share(row['accuracy'])} correct, stability {row['stability']:.2f}"
            text += f" {lead}: {_format_point_name(row, names)}, {values}."
    return text


# Similarity of the selections of different selectors.

SIMILARITY_TITLE = "Similarity of selectors"
MAX_SELECTORS_WITH_NUMBERS = 15
"""Of more selectors than this, cells hold no numbers (chosen by eye)."""
CELL_LETTERS = 4.5
"""Letters of a number in a cell, with a small margin."""
MAX_SELECTORS_AS_SHAPES = 60
"""Of more selectors than this, the cells are an image, which keeps the file small."""


def similarity(
    matrix: pd.DataFrame,
    *,
    measure: str = "similarity",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw the similarity of the selections of each two selectors; darker is more similar.

    The framed diagonal is the similarity of a selector to itself on other resamples: two selectors
    cannot be expected to agree better than each agrees with itself. With up to 15 selectors, the
    cells hold numbers if they are wide enough.

    Parameters
    ----------
    matrix : pandas.DataFrame
        One row and one column per selector, in the same order; missing values are allowed.
        Colours range from 0 or less to 1.
    measure : str, default "similarity"
        Name of the values, for the axis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds one row per cell: ``selector``, ``other``, ``value``.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> names = ["f_score", "relieff"]
    >>> matrix = pd.DataFrame([[0.9, 0.4], [0.4, 0.8]], index=names, columns=names)
    >>> hf.plot.similarity(matrix).numbers["value"].tolist()
    [0.9, 0.4, 0.4, 0.8]
    """
    names = [str(name) for name in matrix.index]
    if names != [*map(str, matrix.columns)]:
        raise InvalidInputError(
            f"the matrix must have the same selectors in rows and columns, got {list(matrix.index)}"
            f" and {list(matrix.columns)}."
        )
    values = matrix.to_numpy(dtype=np.float64, na_value=np.nan)
    labels = np.array(names, dtype=object)
    numbers = pd.DataFrame(
        {
            "selector": labels.repeat(len(names)),
            "other": np.tile(labels, len(names)),
            "value": values.ravel(),
        }
    )
    canvas = open_canvas(ax, style, float(np.clip(1.6 + 0.42 * len(names), 2.4, 7.4)))
    if not names:
        return draw_empty_picture(canvas, numbers, SIMILARITY_TITLE, "no selectors are compared")
    _draw_cells(canvas, values)
    _label_cells(canvas, names, measure)
    if len(names) <= MAX_SELECTORS_WITH_NUMBERS:
        _write_numbers(canvas, values)
    return finalize(canvas, numbers, SIMILARITY_TITLE, _describe_similarity(numbers, measure))


def _cell_opacity(values: FloatArray) -> FloatArray:
    """Return the opacity of each cell, 0 for missing values."""
    return 0.92 * np.clip(np.nan_to_num(values), 0, 1)


def _draw_cells(canvas: Canvas, values: FloatArray) -> None:
    if len(values) > MAX_SELECTORS_AS_SHAPES:
        image = np.empty((*values.shape, 4))
        image[...] = to_rgba(canvas.colours["blue"])
        image[..., 3] = _cell_opacity(values)
        canvas.ax.imshow(image, interpolation="none")
        return
    # one shape per shade, of at most 92, instead of one per cell
    rounded = _cell_opacity(values).round(2)
    for opacity in np.unique(rounded[rounded > 0]):
        cells = _make_cells_path(*np.nonzero(rounded == opacity))
        blue = canvas.colours["blue"]
        canvas.ax.add_patch(PathPatch(cells, linewidth=0, alpha=float(opacity), facecolor=blue))


def _make_cells_path(rows: IntArray, columns: IntArray) -> Path:
    half = 0.48
    return make_rectangles_path(columns - half, rows - half, columns + half, rows + half)


def _write_numbers(canvas: Canvas, values: FloatArray) -> None:
    """Write numbers into the cells; on given axes, only if the cells are wide enough."""
    size = NOTE_SIZE if len(values) > 10 else TICK_SIZE
    if not canvas.owns_figure:
        layout(canvas)
        canvas.ax.apply_aspect()  # the cells are square, so the axes may be narrower than given
        width = float(canvas.ax.get_window_extent().width * 72 / canvas.figure.dpi)
        if width / len(values) < CELL_LETTERS * LETTER_WIDTH * size:
            return
    colours, opacity = canvas.colours, _cell_opacity(values)
    for (row, column), value in np.ndenumerate(values):
        canvas.ax.text(
            column, row, _format_value(value),
            ha="center", va="center_baseline", fontsize=size, parse_math=False,
            # light text on dark cells; the limit is chosen by eye
            color=colours["paper" if opacity[row, column] > 0.72 else "ink"],
        )  # fmt: skip


def _format_value(value: float) -> str:
    return format_number(value).replace("-", "−")


def _label_cells(canvas: Canvas, names: list[str], measure: str) -> None:
    ax, n = canvas.ax, len(names)
    texts = format_distinct_names(names, canvas.max_name_letters(22))
    ax.set_xticks(
        range(n), texts, rotation=45, ha="right", rotation_mode="anchor", parse_math=False
    )
    ax.set_yticks(range(n), texts, parse_math=False)
    usual_size = TICK_SIZE if n <= MAX_SELECTORS_WITH_NUMBERS else 7.0
    ax.tick_params(length=0, labelsize=canvas.text_size(2 * n, usual_size))
    ax.spines[:].set_visible(False)
    ax.set(xlim=(-0.55, n - 0.45), ylim=(n - 0.45, -0.55), aspect="equal")
    ax.set_xlabel(f"{measure}; framed: to itself, on other resamples")
    diagonal = _make_cells_path(np.arange(n), np.arange(n))
    ink = canvas.colours["ink"]
    ax.add_patch(PathPatch(diagonal, facecolor="none", linewidth=1.0, edgecolor=ink))


def _describe_similarity(numbers: pd.DataFrame, measure: str) -> str:
    names = list(dict.fromkeys(numbers["selector"]))
    text = f"Table of {measure} between {plural(len(names), 'selector')}."
    position = {name: i for i, name in enumerate(names)}
    pairs = numbers[numbers["selector"].map(position) < numbers["other"].map(position)].dropna()
    if pairs.empty:
        return text
    most, least = (
        f"{format_name(row['selector'])} and {format_name(row['other'])} "
        f"({_format_value(row['value'])})"
        for row in (pairs.iloc[pairs["value"].argmax()], pairs.iloc[pairs["value"].argmin()])
    )
    return f"{text} Most similar: {most}; least: {least}."
