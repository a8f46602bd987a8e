"""Which features were selected: stripes, one row per resample, and an upset plot of selectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from holdfast._formatting import format_list, plural
from holdfast._typing import AnyArray, BoolArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.plot._canvas import (
    LETTER_WIDTH,
    draw_empty_picture,
    finalize,
    open_canvas,
    style_axes,
)
from holdfast.plot._features import draw_truth_legend
from holdfast.plot._labels import MAX_NAME_LETTERS, format_distinct_names, format_name, text_width
from holdfast.plot._style import (
    LABEL_SIZE,
    NOTE_SIZE,
    TICK_SIZE,
    Style,
    count_ticks,
    format_plain,
    format_share,
    format_values,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.preferences import Subsets


STRIPES_TITLE = "Which features each resample selected"
MAX_HORIZONTAL_LETTERS = 70
"""Names of columns with more letters than this in total are rotated (chosen by eye)."""
MAX_NAMED_COLUMNS = 30
"""Of more columns than this, none has a name (chosen by eye)."""
MAX_NAMED_GROUPS = 30
"""Of more groups than this, none has a number (chosen by eye)."""


def stripes(
    subsets: Subsets,
    *,
    outer: Sequence[int] | NDArray[np.integer] | None = None,
    truth: Collection[str] | None = None,
    order: Literal["index", "frequency"] = "index",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw one row per resample, one column per feature, and a mark where it was selected.

    A feature that is always selected makes a stripe from top to bottom. Only selected features are
    drawn, so 100,000 features are no problem. Thousands of runs of marks become an image with at
    most 1,000 columns, each for one or more features.

    Parameters
    ----------
    subsets : Subsets
        The selection of each resample.
    outer : sequence of int, optional
        The group of each resample, such as its outer fold; groups are separated.
    truth : collection of str, optional
        Names of the truly informative features; their marks have another colour.
    order : {"index", "frequency"}, default "index"
        All features in their order, or the selected ones, the most frequent first.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds one row per mark: ``resample``, ``group``, ``feature``, its ``column``,
        and whether it is ``informative``, if that is known.

    References
    ----------
    Kalousis, Prados and Hilario (2005), Figure 1.

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
    groups = _check_groups(outer, len(subsets))
    columns, n_columns = _assign_columns(subsets, order)
    numbers = _list_marks(subsets, groups, columns, truth)
    canvas = open_canvas(ax, style, float(np.clip(1.3 + 0.035 * len(subsets), 2.6, 6.0)))
    if numbers.empty:
        return draw_empty_picture(canvas, numbers, STRIPES_TITLE, "no feature was selected")
    heights = _row_heights(groups)
    informative = numbers.get("informative", pd.Series(data=True, index=numbers.index))
    marks = Marks(heights[numbers["resample"]], numbers["column"].to_numpy(), n_columns,
                  informative.to_numpy(dtype=np.bool_))  # fmt: skip
    draw_marks(canvas, marks, float(heights[-1]) + 1)
    _label_resamples(canvas, groups, heights)
    _label_columns(canvas, numbers, n_columns, order)
    if truth is not None:
        draw_truth_legend(canvas, "ss")
    return finalize(canvas, numbers, STRIPES_TITLE, _describe_stripes(subsets))


def _check_groups(
    outer: Sequence[int] | NDArray[np.integer] | None, n_resamples: int
) -> NDArray[np.integer]:
    """Return the group of each resample; all are one group by default."""
    groups = np.zeros(n_resamples, dtype=np.int64) if outer is None else np.asarray(outer)
    if len(groups) != n_resamples:
        raise InvalidInputError(
            f"outer must name a group for each of the {plural(n_resamples, 'resample')}, got "
            f"{len(groups):,}."
        )
    return groups


def _assign_columns(subsets: Subsets, order: str) -> tuple[NDArray[np.integer], int]:
    """Return the column of each mark, and the number of columns."""
    if order == "index":
        used = int(subsets.indices.max()) + 1 if len(subsets.indices) else 1
        return subsets.indices, subsets.n_features or used
    if order != "frequency":
        raise InvalidInputError(f'order must be "index" or "frequency", got {order!r}.')
    features, inverse, counts = np.unique(subsets.indices, return_inverse=True, return_counts=True)
    columns = np.empty(len(features), dtype=np.int64)
    # ties keep the order of the features
    columns[np.argsort(-counts, kind="stable")] = np.arange(len(features))
    return columns[inverse], max(len(features), 1)


def _list_marks(
    subsets: Subsets,
    groups: NDArray[np.integer],
    columns: NDArray[np.integer],
    truth: Collection[str] | None,
) -> pd.DataFrame:
    """Return one row per selected feature of a resample."""
    frame = subsets.to_frame().rename(columns={"preference": "resample"})
    frame["feature"] = frame["feature"].astype(str)
    frame.insert(1, "group", groups[frame["resample"]])
    frame["column"] = columns
    return frame if truth is None else frame.assign(informative=frame["feature"].isin(set(truth)))


def _row_heights(groups: NDArray[np.integer]) -> IntArray:
    """Return the vertical position of each resample; empty rows separate groups."""
    borders = np.concatenate([[0], np.cumsum(groups[1:] != groups[:-1])])
    # a gap of 2% of the rows is visible at any number of resamples; chosen by eye
    return np.asarray(np.arange(len(groups)) + borders * max(1, round(0.02 * len(groups))))


def _label_resamples(canvas: Canvas, groups: NDArray[np.integer], heights: IntArray) -> None:
    """Number the groups, or the resamples if there is one group or too many of them."""
    ax = canvas.ax
    starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    if len(starts) == 1 or len(starts) > MAX_NAMED_GROUPS:
        ticks = count_ticks(np.array([1.0, len(groups)]), most=5)
        middles = [float(heights[int(tick) - 1]) + 0.5 for tick in ticks]
        ax.set_yticks(middles, [format_plain(tick) for tick in ticks])
        ax.set_ylabel("resample")
        return
    ends = [*(starts[1:] - 1), len(groups) - 1]
    middles = [(heights[a] + heights[b] + 1) / 2 for a, b in zip(starts, ends, strict=True)]
    ax.set_yticks(middles, [str(n + 1) for n in range(len(starts))])
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel("outer resample")


def _label_columns(canvas: Canvas, numbers: pd.DataFrame, n_columns: int, order: str) -> None:
    """Write the names of the features, or numbers of columns if there are many."""
    ax = canvas.ax
    names = dict(zip(numbers["column"], numbers["feature"], strict=True))
    if n_columns <= canvas.max_columns(MAX_NAMED_COLUMNS, width=14):
        places = sorted(names)
        texts = format_distinct_names(
            (names[place] for place in places), canvas.max_name_letters(22)
        )
        max_letters = canvas.max_columns(MAX_HORIZONTAL_LETTERS, width=LETTER_WIDTH * TICK_SIZE)
        slanted = n_columns * max(map(text_width, texts)) > max_letters
        options: Any = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
        ax.set_xticks([place + 0.5 for place in places], texts, parse_math=False, **options)
        ax.tick_params(axis="x", length=0)
        return
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=canvas.max_columns(7, width=40)))
    format_values(ax.xaxis)
    ax.set_xlabel(
        f"feature, in the order of the data ({n_columns:,})"
        if order == "index"
        else f"feature, the most often selected first ({n_columns:,} ever selected)"
    )


def _describe_stripes(subsets: Subsets) -> str:
    counts = np.unique(subsets.indices, return_counts=True)[1]
    total = f" of {plural(subsets.n_features, 'feature')}" if subsets.n_features else ""
    always = int((counts == len(subsets)).sum())
    return (
        f"{plural(len(subsets), 'row')} of marks, one per resample. Selected at least once: "
        f"{len(counts):,}{total}; by every resample: {always:,}. The most frequent feature is "
        f"selected by {format_share(counts.max() / len(subsets))} of them."
    )


# Small marks in a grid: shapes if they are few, an image if they are many.

MAX_RUNS_AS_SHAPES = 3000
"""More unbroken runs of marks than this are drawn as an image, which keeps the file small."""
MAX_IMAGE_COLUMNS = 1000
"""Most columns of an image: about the pixels of a picture on screen."""
MIN_MARK_WIDTH_SHARE = 1 / 420
"""Width of the narrowest mark as a share of the axes: about one point."""


class Marks(NamedTuple):
    """Rows (from the top) and columns of marks, and which of two colours they have."""

    rows: NDArray[np.integer]
    columns: NDArray[np.integer]
    n_columns: int
    informative: BoolArray


MARK_COLOURS = {False: "vermilion", True: "blue"}
"""Colour of marks by whether their feature is informative; drawn in this order."""


def draw_marks(canvas: Canvas, marks: Marks, n_rows: float) -> None:
    """Draw the marks; column c spans c to c + 1, row r spans r to r + 1 downwards."""
    runs = find_runs(marks)
    if len(runs) <= MAX_RUNS_AS_SHAPES:
        for informative, colour in MARK_COLOURS.items():
            chosen = runs[runs[:, 3] == informative]
            _draw_runs(canvas, chosen, marks.n_columns, canvas.colours[colour])
    else:
        _draw_image(canvas, marks, int(n_rows))
    canvas.ax.set(xlim=(0, marks.n_columns), ylim=(n_rows, 0))


def find_runs(marks: Marks) -> IntArray:
    """Return unbroken runs down a column: column, first row, row after the last, colour."""
    order = np.lexsort((marks.rows, marks.columns))
    rows, columns = marks.rows[order], marks.columns[order]
    is_start = np.ones(len(rows), dtype=np.bool_)
    # one rectangle per run instead of one per mark: features that are always selected need one only
    is_start[1:] = (columns[1:] != columns[:-1]) | (rows[1:] != rows[:-1] + 1)
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(rows)) - 1
    return np.stack(
        [columns[starts], rows[starts], rows[ends] + 1, marks.informative[order][starts]], axis=1
    ).astype(np.int64)


def _draw_runs(canvas: Canvas, runs: IntArray, n_columns: int, colour: str) -> None:
    """Draw all runs of one colour as one shape with a rectangle per run."""
    if not len(runs):
        return
    # narrow marks of thousands of columns would vanish between pixels
    width = max(0.86, MIN_MARK_WIDTH_SHARE * n_columns)
    left = np.clip(runs[:, 0] + 0.5 - width / 2, 0, max(n_columns - width, 0))
    shape = make_rectangles_path(left, runs[:, 1], left + width, runs[:, 2])
    canvas.ax.add_patch(PathPatch(shape, facecolor=colour, linewidth=0))


def make_rectangles_path(left: AnyArray, top: AnyArray, right: AnyArray, bottom: AnyArray) -> Path:
    """Return rectangles as one path, which needs few bytes in a file."""
    corners = np.stack([left, top, right, top, right, bottom, left, bottom, left, top], axis=1)
    codes = np.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(corners))
    return Path(corners.reshape(-1, 2), codes)


def _draw_image(canvas: Canvas, marks: Marks, n_rows: int) -> None:
    """Draw marks as an image; informative marks cover others in the same pixel."""
    n_pixels = min(marks.n_columns, MAX_IMAGE_COLUMNS)
    # in 64 bits: the product can exceed the 32 bits of the indices
    columns = (marks.columns.astype(np.int64) * n_pixels) // marks.n_columns
    # transparent where nothing is selected, so that the page shows through
    image = np.zeros((n_rows, n_pixels, 4), dtype=np.uint8)
    # informative marks come last and stay on top
    for informative, colour in MARK_COLOURS.items():
        chosen = marks.informative == informative
        rgba = np.round(255 * np.array(to_rgba(canvas.colours[colour]))).astype(np.uint8)
        image[marks.rows[chosen], columns[chosen]] = rgba
    canvas.ax.imshow(
        image, extent=(0, marks.n_columns, n_rows, 0), aspect="auto", interpolation="none"
    )


# Upset plot: the features that combinations of selectors share.

UPSET_TITLE = "Features that selectors share"
MIN_LAYOUT_COLUMNS = 10
"""Fewer columns than this do not get wider (chosen by eye)."""
SET_ROW_INCHES = 0.23
"""Height of the row of a selector (chosen by eye)."""


class UpsetAxes(NamedTuple):
    """The three axes of the picture."""

    bars: Axes
    grid: Axes
    sizes: Axes


def upset(
    sets: Mapping[str, Collection[str]],
    *,
    most: int = 20,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how many features each combination of selectors, and no other selector, selects.

    Each column is a combination: filled dots mark its selectors, the bar above is the number of
    features that exactly these select. The bars at the right are the numbers of features of the
    selectors.

    Parameters
    ----------
    sets : mapping from str to collection of str
        The features of each selector.
    most : int, default 20
        Most combinations shown, the largest first; a note gives the number left out.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on, divided into three; by default a new figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        ``numbers`` holds one row per combination: ``selectors`` and ``features`` (tuples),
        ``count``, and whether it is ``drawn``.

    References
    ----------
    Lex, Gehlenborg, Strobelt, Vuillemot and Pfister (2014).

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.plot.upset({"f_score": ["a", "b", "c"], "relieff": ["b", "c"]}).numbers
                selectors features  count  drawn
    0  (f_score, relieff)   (b, c)      2   True
    1          (f_score,)     (a,)      1   True
    """
    features_by_name = {str(name): set(map(str, features)) for name, features in sets.items()}
    numbers = count_combinations(features_by_name, max(most, 1))
    drawn = numbers[numbers["drawn"]]
    canvas = open_canvas(ax, style, 2.7 + SET_ROW_INCHES * len(sets))
    if drawn.empty:
        return draw_empty_picture(canvas, numbers, UPSET_TITLE, "no features are selected")
    parts = _divide_axes(canvas, len(features_by_name), len(drawn))
    _draw_grid(canvas, parts.grid, list(features_by_name), drawn)
    _draw_bars(canvas, parts.bars, drawn)
    _draw_sizes(canvas, parts.sizes, features_by_name)
    hidden = numbers[~numbers["drawn"]]
    if len(hidden):
        total = plural(int(hidden["count"].sum()), "feature")
        parts.grid.set_xlabel(f"not shown: {plural(len(hidden), 'combination')}, {total} in total")
    return finalize(canvas, numbers, UPSET_TITLE, _describe_upset(features_by_name, numbers), parts)


def count_combinations(sets: Mapping[str, set[str]], most: int) -> pd.DataFrame:
    """Return the combinations of selectors that share features, the largest first."""
    members: dict[tuple[str, ...], list[str]] = {}
    for feature in sorted(set().union(*sets.values())):
        selectors = tuple(name for name, features in sets.items() if feature in features)
        members.setdefault(selectors, []).append(feature)
    # of equally large combinations, those of more selectors say more
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), -len(item[0])))
    rows = [
        (selectors, tuple(features), len(features), position < most)
        for position, (selectors, features) in enumerate(ordered)
    ]
    return pd.DataFrame(rows, columns=["selectors", "features", "count", "drawn"])


def _divide_axes(canvas: Canvas, n_sets: int, n_columns: int) -> UpsetAxes:
    """Divide the axes: bars above, dots below, sizes at the right."""
    canvas.ax.set_axis_off()
    grid_height = SET_ROW_INCHES * n_sets / (1.6 + SET_ROW_INCHES * n_sets)
    gap = 0.05 * (1 - grid_height)
    width = 0.8 * min(max(n_columns, 3) / MIN_LAYOUT_COLUMNS, 1)
    boxes = (
        (0, grid_height + gap, width, 1 - grid_height - gap),
        (0, 0, width, grid_height),
        (width + 0.03, 0, 0.17, grid_height),
    )
    parts = UpsetAxes(*(canvas.ax.inset_axes(box) for box in boxes))
    for part in parts:
        style_axes(part, canvas.colours, canvas.text_scale)
    return parts


def _column_limits(n_columns: int) -> tuple[float, float]:
    return -0.7, max(n_columns, 3) - 0.3


def _draw_grid(canvas: Canvas, ax: Axes, names: list[str], drawn: pd.DataFrame) -> None:
    """Draw a dot per selector and combination, filled and joined for its selectors."""
    colours = canvas.colours
    is_member = np.array(
        [[name in selectors for selectors in drawn["selectors"]] for name in names]
    )
    rows, columns = np.nonzero(~is_member)
    ax.scatter(columns, rows, s=22, color=colours["rule"], linewidths=0)
    rows, columns = np.nonzero(is_member)
    ax.scatter(columns, rows, s=34, color=colours["blue"], linewidths=0, zorder=3)
    first = is_member.argmax(axis=0)
    last = len(names) - 1 - is_member[::-1].argmax(axis=0)
    ax.vlines(range(len(drawn)), first, last, color=colours["blue"], linewidth=1.4, zorder=2)
    ax.set(xlim=_column_limits(len(drawn)), ylim=(len(names) - 0.4, -0.6), xticks=[])
    texts = format_distinct_names(names, canvas.max_name_letters(MAX_NAME_LETTERS))
    ax.set_yticks(range(len(names)), texts, parse_math=False)
    ax.tick_params(length=0, pad=5, labelsize=canvas.text_size(2 * len(names)))
    ax.spines[:].set_visible(False)


def _draw_bars(canvas: Canvas, ax: Axes, drawn: pd.DataFrame) -> None:
    counts = drawn["count"].to_numpy()
    ax.bar(range(len(counts)), counts, width=0.62, color=canvas.colours["blue"], linewidth=0)
    for column, count in enumerate(counts):
        _write_count(canvas, ax, count, (column, count), (0, 2), ha="center")
    ax.set(xlim=_column_limits(len(counts)), ylim=(0, 1.15 * counts.max()), xticks=[])
    ax.set_ylabel("features that only\nthese share")
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_yticks([])


def _draw_sizes(canvas: Canvas, ax: Axes, sets: Mapping[str, set[str]]) -> None:
    counts = [len(features) for features in sets.values()]
    ax.barh(range(len(counts)), counts, height=0.5, color=canvas.colours["slate"], linewidth=0)
    for row, count in enumerate(counts):
        _write_count(canvas, ax, count, (count, row), (3, 0), va="center_baseline")
    ax.set(xlim=(0, 1.35 * max(*counts, 1)), ylim=(len(counts) - 0.4, -0.6), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ink = canvas.colours["ink"]
    ax.set_title("features", fontsize=canvas.text_scale * LABEL_SIZE, color=ink, pad=3, loc="left")


def _write_count(
    canvas: Canvas,
    ax: Axes,
    count: int,
    position: tuple[float, float],
    offset: tuple[float, float],
    **alignment: Any,
) -> None:
    """Write a count next to the end of its bar."""
    ax.annotate(
        f"{count:,}", position, offset, textcoords="offset points",
        fontsize=canvas.text_scale * NOTE_SIZE, color=canvas.colours["ink"], **alignment,
    )  # fmt: skip


def _describe_upset(sets: Mapping[str, set[str]], numbers: pd.DataFrame) -> str:
    total = int(numbers["count"].sum())
    shared = numbers[numbers["selectors"].map(len) == len(sets)]["count"].sum()
    first = numbers.iloc[0]
    selectors = format_list(map(format_name, first["selectors"]))
    return (
        f"{plural(total, 'feature')} selected by {plural(len(sets), 'selector')}, {shared:,} of "
        f"them by every selector. Largest combination: {selectors}, "
        f"{plural(int(first['count']), 'feature')}."
    )
