"""Upset plot: the features that combinations of selectors share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from holdfast._formatting import format_list, plural
from holdfast.plot._canvas import draw_empty_picture, finalize, open_canvas, style_axes
from holdfast.plot._labels import MAX_NAME_LETTERS, format_distinct_names, format_name
from holdfast.plot._style import LABEL_SIZE, NOTE_SIZE, Style

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Features that selectors share"
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
        return draw_empty_picture(canvas, numbers, TITLE, "no features are selected")
    parts = _divide_axes(canvas, len(features_by_name), len(drawn))
    _draw_grid(canvas, parts.grid, list(features_by_name), drawn)
    _draw_bars(canvas, parts.bars, drawn)
    _draw_sizes(canvas, parts.sizes, features_by_name)
    hidden = numbers[~numbers["drawn"]]
    if len(hidden):
        total = plural(int(hidden["count"].sum()), "feature")
        parts.grid.set_xlabel(f"not shown: {plural(len(hidden), 'combination')}, {total} in total")
    return finalize(canvas, numbers, TITLE, _describe_upset(features_by_name, numbers), parts)


def count_combinations(sets: Mapping[str, set[str]], most: int) -> pd.DataFrame:
    """Return the combinations of selectors that share features, the largest first."""
    members: dict[tuple[str, ...], list[str]] = {}
    for feature in sorted(set().union(*sets.values())):
        selectors = tuple(name for name, features in sets.items() if feature in features)
        members.setdefault(selectors, []).append(feature)
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
