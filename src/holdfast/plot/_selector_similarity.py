"""Similarity of the selections of different selectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from holdfast._formatting import format_number, plural
from holdfast._typing import FloatArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import LETTER_WIDTH, draw_empty_picture, finalize, layout, open_canvas
from holdfast.plot._labels import format_distinct_names, format_name
from holdfast.plot._stripes import make_rectangles_path
from holdfast.plot._style import NOTE_SIZE, TICK_SIZE, Style

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Similarity of selectors"
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
        return draw_empty_picture(canvas, numbers, TITLE, "no selectors are compared")
    _draw_cells(canvas, values)
    _label_cells(canvas, names, measure)
    if len(names) <= MAX_SELECTORS_WITH_NUMBERS:
        _write_numbers(canvas, values)
    return finalize(canvas, numbers, TITLE, _describe_similarity(numbers, measure))


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
    if not canvas.owns_figure and _cell_width(canvas, len(values)) < (
        CELL_LETTERS * LETTER_WIDTH * size
    ):
        return
    colours, opacity = canvas.colours, _cell_opacity(values)
    for (row, column), value in np.ndenumerate(values):
        canvas.ax.text(
            column, row, _format_value(value),
            ha="center", va="center_baseline", fontsize=size, parse_math=False,
            color=colours["paper" if opacity[row, column] > 0.72 else "ink"],
        )  # fmt: skip


def _cell_width(canvas: Canvas, n_cells: int) -> float:
    """Return the width of a cell in points."""
    layout(canvas)
    canvas.ax.apply_aspect()
    return float(canvas.ax.get_window_extent().width * 72 / canvas.figure.dpi / n_cells)


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
