"""Many small marks in a grid: as lines where they are few, as an image where they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.plot._sheet import Sheet

LINES = 3000
"""Up to so many unbroken runs of marks are drawn as shapes; more are an image."""
PIXELS = 1000
"""Most columns of an image."""
THINNEST = 1 / 420
"""Narrowest mark, as a share of the width."""


class Marks(NamedTuple):
    """Places of marks: row from above, column, and whether in the first of two colours."""

    rows: NDArray[np.integer]
    columns: NDArray[np.integer]
    n_columns: int
    first: NDArray[np.bool_]


def draw_marks(sheet: Sheet, marks: Marks, n_rows: float) -> None:
    """Draw the marks; column c spans c to c + 1, row r spans r to r + 1 downwards."""
    runs = runs_of(marks)
    if len(runs) <= LINES:
        for first, colour in ((False, "vermilion"), (True, "blue")):
            _draw_runs(sheet, runs[runs[:, 3] == first], marks.n_columns, sheet.colours[colour])
    else:
        _draw_image(sheet, marks, int(n_rows))
    sheet.ax.set(xlim=(0, marks.n_columns), ylim=(n_rows, 0))


def runs_of(marks: Marks) -> NDArray[np.int64]:
    """Return unbroken runs down a column: column, first row, row after the last, colour."""
    order = np.lexsort((marks.rows, marks.columns))
    rows, columns = marks.rows[order], marks.columns[order]
    fresh = np.ones(len(rows), dtype=np.bool_)
    fresh[1:] = (columns[1:] != columns[:-1]) | (rows[1:] != rows[:-1] + 1)
    starts = np.flatnonzero(fresh)
    ends = np.append(starts[1:], len(rows)) - 1
    return np.stack(
        [columns[starts], rows[starts], rows[ends] + 1, marks.first[order][starts]], axis=1
    ).astype(np.int64)


def _draw_runs(sheet: Sheet, runs: NDArray[np.int64], n_columns: int, colour: str) -> None:
    """Draw all runs of one colour as one shape: a rectangle each."""
    if not len(runs):
        return
    wide = max(0.86, THINNEST * n_columns)
    left = np.clip(runs[:, 0] + 0.5 - wide / 2, 0, max(n_columns - wide, 0))
    shape = rectangles(left, runs[:, 1], left + wide, runs[:, 2])
    sheet.ax.add_patch(PathPatch(shape, facecolor=colour, linewidth=0))


def rectangles(
    left: NDArray[Any], top: NDArray[Any], right: NDArray[Any], bottom: NDArray[Any]
) -> Path:
    """Return rectangles as one path, which takes little room in a file."""
    corners = np.stack([left, top, right, top, right, bottom, left, bottom, left, top], axis=1)
    codes = np.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(corners))
    return Path(corners.reshape(-1, 2), codes)


def _draw_image(sheet: Sheet, marks: Marks, n_rows: int) -> None:
    """Draw marks as an image; where both colours meet in one place, the first is seen."""
    pixels = min(marks.n_columns, PIXELS)
    columns = (marks.columns.astype(np.int64) * pixels) // marks.n_columns
    image = np.zeros((n_rows, pixels, 4), dtype=np.uint8)
    for first, colour in ((False, "vermilion"), (True, "blue")):
        chosen = marks.first == first
        ink = np.round(255 * np.array(to_rgba(sheet.colours[colour]))).astype(np.uint8)
        image[marks.rows[chosen], columns[chosen]] = ink
    sheet.ax.imshow(
        image, extent=(0, marks.n_columns, n_rows, 0), aspect="auto", interpolation="none"
    )
