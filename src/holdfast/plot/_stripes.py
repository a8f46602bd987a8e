"""Stripes: which features each resample selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MaxNLocator

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import LETTER, draw_empty_picture, finalize, open_canvas
from holdfast.plot._frequencies import legend_of_truth
from holdfast.plot._labels import format_distinct_names, width
from holdfast.plot._style import TICK, count_ticks, percent, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style
    from holdfast.preferences import Subsets


TITLE = "Which features each resample selected"
MAX_HORIZONTAL_LETTERS = 70
"""Names stand level where so many letters are below the columns, else aslant."""
NAMED = 30
"""Up to so many columns have the names of their features below them."""


def stripes(
    subsets: Subsets,
    *,
    outer: Sequence[int] | NDArray[np.integer] | None = None,
    truth: Collection[str] | None = None,
    order: Literal["index", "frequency"] = "index",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw a row a resample, a column a feature, and a mark where it was selected.

    A feature that is always selected makes a stripe from top to bottom. Only what was selected is
    drawn, so that a hundred thousand features are no burden; where there are thousands of runs
    of marks, they are an image with at most a thousand columns, each for one or more features.

    Parameters
    ----------
    subsets : Subsets
        What each resample selected.
    outer : sequence of int, optional
        The group of each resample, as the outer fold; groups stand apart.
    truth : collection of str, optional
        Names of the features that truly matter; their marks have another colour.
    order : {"index", "frequency"}, default "index"
        All features in their order, or those selected at all, the most frequent first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: a row a mark, with ``resample``, ``group``, ``feature``, its ``column``, and
        whether it is ``informative`` where that is known.

    References
    ----------
    Kalousis, Prados and Hilario (2005), Figure 1, show selections in this way.

    Examples
    --------
    >>> import holdfast as hf
    >>> subsets = hf.Subsets([[0, 3], [0, 7]], n_features=1000)
    >>> hf.plot.stripes(subsets, order="frequency").numbers
       resample  group feature  column
    0         0      0       0       0
    1         0      0       3       1
    2         1      0       0       0
    3         1      0       7       2
    """
    groups = _groups(outer, len(subsets))
    columns, n_columns = _columns(subsets, order)
    numbers = _numbers(subsets, groups, columns, truth)
    sheet = open_canvas(ax, style, float(np.clip(1.3 + 0.035 * len(subsets), 2.6, 6.0)))
    if numbers.empty:
        return draw_empty_picture(sheet, numbers, TITLE, "no feature was selected")
    heights = _heights(groups)
    marks = Marks(heights[numbers["resample"]], numbers["column"].to_numpy(), n_columns,
                  _informative(numbers))  # fmt: skip
    draw_marks(sheet, marks, float(heights[-1]) + 1)
    _label_rows(sheet, groups, heights)
    _label_columns(sheet, numbers, n_columns, order)
    if truth is not None:
        legend_of_truth(sheet, "ss")
    return finalize(sheet, numbers, TITLE, _describe_picture(subsets))


def _groups(outer: Sequence[int] | NDArray[np.integer] | None, m: int) -> NDArray[np.integer]:
    groups = np.zeros(m, dtype=np.int64) if outer is None else np.asarray(outer)
    if len(groups) != m:
        raise InvalidInputError(
            f"outer must name a group for each of the {plural(m, 'resample')}, got {len(groups):,}."
        )
    return groups


def _columns(subsets: Subsets, order: str) -> tuple[NDArray[np.integer], int]:
    """Return the column of each mark, and the number of columns."""
    if order == "index":
        most = int(subsets.indices.max()) + 1 if len(subsets.indices) else 1
        return subsets.indices, subsets.n_features or most
    if order != "frequency":
        raise InvalidInputError(f'order must be "index" or "frequency", got {order!r}.')
    found, place, count = np.unique(subsets.indices, return_inverse=True, return_counts=True)
    position = np.empty(len(found), dtype=np.int64)
    position[np.argsort(-count, kind="stable")] = np.arange(len(found))
    return position[place], max(len(found), 1)


def _numbers(
    subsets: Subsets,
    groups: NDArray[np.integer],
    columns: NDArray[np.integer],
    truth: Collection[str] | None,
) -> pd.DataFrame:
    frame = subsets.to_frame().rename(columns={"preference": "resample"})
    frame["feature"] = frame["feature"].astype(str)
    frame.insert(1, "group", groups[frame["resample"]])
    frame["column"] = columns
    return frame if truth is None else frame.assign(informative=frame["feature"].isin(set(truth)))


def _informative(numbers: pd.DataFrame) -> NDArray[np.bool_]:
    if "informative" in numbers.columns:
        return numbers["informative"].to_numpy(dtype=np.bool_)
    return np.ones(len(numbers), dtype=np.bool_)


def _heights(groups: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the height of each row; groups are kept apart by empty rows."""
    borders = np.concatenate([[0], np.cumsum(groups[1:] != groups[:-1])])
    return np.asarray(np.arange(len(groups)) + borders * max(1, round(0.02 * len(groups))))


def _label_rows(sheet: Canvas, groups: NDArray[np.integer], heights: NDArray[np.int64]) -> None:
    ax = sheet.ax
    starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    if len(starts) == 1 or len(starts) > 30:
        ticks = count_ticks(np.array([1.0, len(groups)]), most=5)
        middle = [float(heights[int(tick) - 1]) + 0.5 for tick in ticks]
        ax.set_yticks(middle, [plain(tick) for tick in ticks])
        ax.set_ylabel("resample")
        return
    ends = [*(starts[1:] - 1), len(groups) - 1]
    middles = [(heights[a] + heights[b] + 1) / 2 for a, b in zip(starts, ends, strict=True)]
    ax.set_yticks(middles, [str(n + 1) for n in range(len(starts))])
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel("outer resample")


def _label_columns(sheet: Canvas, numbers: pd.DataFrame, n_columns: int, order: str) -> None:
    ax = sheet.ax
    names = dict(zip(numbers["column"], numbers["feature"], strict=True))
    if n_columns <= sheet.abreast(NAMED, each=14):
        places = sorted(names)
        texts = format_distinct_names((names[place] for place in places), most=sheet.letters(22))
        slanted = n_columns * max(map(width, texts)) > sheet.abreast(
            MAX_HORIZONTAL_LETTERS, each=LETTER * TICK
        )
        how: Any = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
        ax.set_xticks([place + 0.5 for place in places], texts, parse_math=False, **how)
        ax.tick_params(axis="x", length=0)
        return
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=sheet.abreast(7, each=40)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    ax.set_xlabel(
        f"feature, in the order of the data ({n_columns:,})"
        if order == "index"
        else f"feature, the most often selected first ({n_columns:,} ever selected)"
    )


def _describe_picture(subsets: Subsets) -> str:
    counts = np.unique(subsets.indices, return_counts=True)[1]
    total = f" of {plural(subsets.n_features, 'feature')}" if subsets.n_features else ""
    always = int((counts == len(subsets)).sum())
    return (
        f"{plural(len(subsets), 'row')} of marks, one a resample. Selected at least once: "
        f"{len(counts):,}{total}; by every resample: {always:,}. The most frequent feature is "
        f"selected by {percent(counts.max() / len(subsets))} of them."
    )


# Many small marks in a grid: as lines where they are few, as an image where they are many.

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


def draw_marks(sheet: Canvas, marks: Marks, n_rows: float) -> None:
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


def _draw_runs(sheet: Canvas, runs: NDArray[np.int64], n_columns: int, colour: str) -> None:
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


def _draw_image(sheet: Canvas, marks: Marks, n_rows: int) -> None:
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
