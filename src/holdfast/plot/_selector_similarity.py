"""How alike the selections of different selectors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import LETTER, draw_empty_picture, finalize, layout, open_canvas
from holdfast.plot._labels import format_distinct_names, format_name
from holdfast.plot._stripes import rectangles
from holdfast.plot._style import NOTE, TICK, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "How alike selectors choose"
MAX_SELECTORS_WITH_NUMBERS = 15
"""Of up to so many selectors, cells hold their numbers."""
DIGITS = 4.5
"""Letters that a number in a cell takes, and a little room."""
MAX_SELECTORS_AS_SHAPES = 60
"""Of more selectors than this, the cells are an image."""


def similarity(
    matrix: pd.DataFrame,
    *,
    measure: str = "similarity",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how alike the selections of each two selectors are; darker is more alike.

    The diagonal, framed, says how alike a selector is to itself on other resamples: no two
    selectors can be expected to agree better than each with itself. Up to 15 selectors have
    numbers in their cells, where these are wide enough.

    Parameters
    ----------
    matrix : pandas.DataFrame
        A row and a column a selector, in the same order; missing values are allowed. Colours
        reach from 0 or less to 1.
    measure : str, default "similarity"
        What the values are, in words.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: a row a cell, ``selector``, ``other``, ``value``.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> names = ["f_score", "relieff"]
    >>> matrix = pd.DataFrame([[0.9, 0.4], [0.4, 0.8]], index=names, columns=names)
    >>> hf.plot.similarity(matrix).numbers["value"].tolist()
    [0.9, 0.4, 0.4, 0.8]
    """
    if [*map(str, matrix.index)] != [*map(str, matrix.columns)]:
        raise InvalidInputError(
            f"the matrix must have the same selectors in rows and columns, got {list(matrix.index)}"
            f" and {list(matrix.columns)}."
        )
    names = [str(name) for name in matrix.index]
    values = matrix.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = _numbers(names, values)
    sheet = open_canvas(ax, style, float(np.clip(1.6 + 0.42 * len(names), 2.4, 7.4)))
    if not names:
        return draw_empty_picture(sheet, numbers, TITLE, "no selectors are compared")
    _draw(sheet, values)
    _label(sheet, names, measure)
    if len(names) <= MAX_SELECTORS_WITH_NUMBERS:
        _write(sheet, values)
    return finalize(sheet, numbers, TITLE, _describe_picture(numbers, measure))


def _numbers(names: list[str], values: NDArray[np.float64]) -> pd.DataFrame:
    n = len(names)
    labels = np.array(names, dtype=object)
    return pd.DataFrame(
        {"selector": labels.repeat(n), "other": np.tile(labels, n), "value": values.ravel()}
    )


def _strength(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how strongly each cell is coloured; what is missing, not at all."""
    return 0.92 * np.clip(np.nan_to_num(values), 0, 1)


def _draw(sheet: Canvas, values: NDArray[np.float64]) -> None:
    if len(values) > MAX_SELECTORS_AS_SHAPES:
        _draw_image(sheet, values)
        return
    steps = _strength(values).round(2)
    for strength in np.unique(steps[steps > 0]):
        sheet.ax.add_patch(
            PathPatch(
                _cells(*np.nonzero(steps == strength)), linewidth=0, alpha=float(strength),
                facecolor=sheet.colours["blue"],
            )
        )  # fmt: skip


def _cells(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Path:
    half = 0.48
    return rectangles(columns - half, rows - half, columns + half, rows + half)


def _write(sheet: Canvas, values: NDArray[np.float64]) -> None:
    """Write numbers into the cells; on axes that were given, only if they are wide enough."""
    size = NOTE if len(values) > 10 else TICK
    if not sheet.own and _cell_width(sheet, len(values)) < DIGITS * LETTER * size:
        return
    colours, strength = sheet.colours, _strength(values)
    for (row, column), value in np.ndenumerate(values):
        sheet.ax.text(
            column, row, _number(value),
            ha="center", va="center_baseline", fontsize=size, parse_math=False,
            color=colours["paper" if strength[row, column] > 0.72 else "ink"],
        )  # fmt: skip


def _cell_width(sheet: Canvas, n: int) -> float:
    """Return the points that a cell is wide."""
    layout(sheet)
    sheet.ax.apply_aspect()
    return float(sheet.ax.get_window_extent().width * 72 / sheet.figure.dpi / n)


def _number(value: float) -> str:
    if np.isnan(value):
        return "–"
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _draw_image(sheet: Canvas, values: NDArray[np.float64]) -> None:
    image = np.empty((*values.shape, 4))
    image[...] = to_rgba(sheet.colours["blue"])
    image[..., 3] = _strength(values)
    sheet.ax.imshow(image, interpolation="none")


def _label(sheet: Canvas, names: list[str], measure: str) -> None:
    ax, n = sheet.ax, len(names)
    texts = format_distinct_names(names, most=sheet.letters(22))
    ax.set_xticks(
        range(n), texts, rotation=45, ha="right", rotation_mode="anchor", parse_math=False
    )
    ax.set_yticks(range(n), texts, parse_math=False)
    ax.tick_params(
        length=0, labelsize=sheet.size(2 * n, TICK if n <= MAX_SELECTORS_WITH_NUMBERS else 7.0)
    )
    ax.spines[:].set_visible(False)
    ax.set(xlim=(-0.55, n - 0.45), ylim=(n - 0.45, -0.55), aspect="equal")
    ax.set_xlabel(f"{measure}; framed: to itself, on other resamples")
    place = np.arange(n)
    ink = sheet.colours["ink"]
    ax.add_patch(PathPatch(_cells(place, place), facecolor="none", linewidth=1.0, edgecolor=ink))


def _describe_picture(numbers: pd.DataFrame, measure: str) -> str:
    names = list(dict.fromkeys(numbers["selector"]))
    text = f"Table of {measure} between {plural(len(names), 'selector')}."
    place = {name: position for position, name in enumerate(names)}
    apart = numbers[numbers["selector"].map(place) < numbers["other"].map(place)].dropna()
    if apart.empty:
        return text
    for lead, row in (
        ("Most alike", apart.iloc[apart["value"].argmax()]),
        ("least", apart.iloc[apart["value"].argmin()]),
    ):
        pair = f"{format_name(row['selector'])} and {format_name(row['other'])}"
        text += f"{' ' if lead[0] == 'M' else '; '}{lead}: {pair} ({_number(row['value'])})"
    return f"{text}."
