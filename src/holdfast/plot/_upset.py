"""Upset: which features several selectors choose together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, plural
from holdfast.plot._canvas import draw_empty_picture, finalize, open_canvas, style_axes
from holdfast.plot._labels import MAX_NAME_LETTERS, format_distinct_names, format_name
from holdfast.plot._style import LABEL, NOTE, Style

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from matplotlib.axes import Axes

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Features that selectors share"
NARROW = 10
"""Columns are at most as wide as if there were so many."""


class UpsetAxes(NamedTuple):
    """The three parts of the picture."""

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
    """Draw how many features each combination of selectors has in common, and no other selector.

    Each column is a combination: filled dots say of which selectors, the bar above how many
    features just these choose. The bars at the right say how many features a selector chooses.

    Parameters
    ----------
    sets : mapping from str to collection of str
        The features of each selector.
    most : int, default 20
        Show at most so many combinations, the largest first; a remark says how many are left.
    ax : matplotlib.axes.Axes, optional
        Where to draw; its area is divided into three. By default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: a row a combination, ``selectors`` and ``features`` (tuples), ``count``, and
        whether it is ``drawn``.

    References
    ----------
    Lex, Gehlenborg, Strobelt, Vuillemot and Pfister (2014) introduced plots of this kind.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.plot.upset({"f_score": ["a", "b", "c"], "relieff": ["b", "c"]}).numbers
                selectors features  count  drawn
    0  (f_score, relieff)   (b, c)      2   True
    1          (f_score,)     (a,)      1   True
    """
    chosen = {str(name): set(map(str, features)) for name, features in sets.items()}
    numbers = combinations(chosen, max(most, 1))
    drawn = numbers[numbers["drawn"]]
    sheet = open_canvas(ax, style, 2.7 + 0.23 * len(sets))
    if drawn.empty:
        return draw_empty_picture(sheet, numbers, TITLE, "no features are chosen")
    parts = _divide(sheet, len(chosen), len(drawn))
    _draw_grid(sheet, parts.grid, list(chosen), drawn)
    _draw_bars(sheet, parts.bars, drawn)
    _draw_sizes(sheet, parts.sizes, chosen)
    _note(parts.grid, numbers)
    return finalize(sheet, numbers, TITLE, _describe_picture(chosen, numbers), parts)


def combinations(sets: Mapping[str, set[str]], most: int) -> pd.DataFrame:
    """Return the combinations of selectors that share features, the largest first."""
    members: dict[tuple[str, ...], list[str]] = {}
    for feature in sorted(set().union(*sets.values())):
        owners = tuple(name for name, features in sets.items() if feature in features)
        members.setdefault(owners, []).append(feature)
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), -len(item[0])))
    rows = [
        (owners, tuple(features), len(features), position < most)
        for position, (owners, features) in enumerate(ordered)
    ]
    return pd.DataFrame(rows, columns=["selectors", "features", "count", "drawn"])


def _divide(sheet: Canvas, n_sets: int, n_columns: int) -> UpsetAxes:
    """Divide the area: bars above, dots below, sizes at the right; few columns stay narrow."""
    sheet.ax.set_axis_off()
    low = 0.23 * n_sets / (1.6 + 0.23 * n_sets)
    gap = 0.05 * (1 - low)
    across = 0.8 * min(max(n_columns, 3) / NARROW, 1)
    places = (
        (0, low + gap, across, 1 - low - gap),
        (0, 0, across, low),
        (across + 0.03, 0, 0.17, low),
    )
    parts = UpsetAxes(*(sheet.ax.inset_axes(place) for place in places))
    for part in parts:
        style_axes(part, sheet.colours, sheet.scale)
    return parts


def _across(count: int) -> tuple[float, float]:
    """Return the limits of so many columns."""
    return -0.7, max(count, 3) - 0.3


def _draw_grid(sheet: Canvas, ax: Axes, names: list[str], drawn: pd.DataFrame) -> None:
    colours, columns = sheet.colours, np.arange(len(drawn))
    member = np.array([[name in owners for owners in drawn["selectors"]] for name in names])
    rows, places = np.nonzero(~member)
    ax.scatter(places, rows, s=22, color=colours["rule"], linewidths=0)
    rows, places = np.nonzero(member)
    ax.scatter(places, rows, s=34, color=colours["blue"], linewidths=0, zorder=3)
    first = member.argmax(axis=0)
    last = len(names) - 1 - member[::-1].argmax(axis=0)
    ax.vlines(columns, first, last, color=colours["blue"], linewidth=1.4, zorder=2)
    ax.set(xlim=_across(len(drawn)), ylim=(len(names) - 0.4, -0.6), xticks=[])
    texts = format_distinct_names(names, sheet.letters(MAX_NAME_LETTERS))
    ax.set_yticks(range(len(names)), texts, parse_math=False)
    ax.tick_params(length=0, pad=5, labelsize=sheet.size(2 * len(names)))
    ax.spines[:].set_visible(False)


def _draw_bars(sheet: Canvas, ax: Axes, drawn: pd.DataFrame) -> None:
    counts = drawn["count"].to_numpy()
    ax.bar(range(len(counts)), counts, width=0.62, color=sheet.colours["blue"], linewidth=0)
    for column, count in enumerate(counts):
        ax.annotate(
            f"{count:,}", (column, count), (0, 2), textcoords="offset points", ha="center",
            fontsize=sheet.scale * NOTE, color=sheet.colours["ink"],
        )  # fmt: skip
    ax.set(xlim=_across(len(counts)), ylim=(0, 1.15 * counts.max()), xticks=[])
    ax.set_ylabel("features that\njust these share")
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_yticks([])


def _draw_sizes(sheet: Canvas, ax: Axes, sets: Mapping[str, set[str]]) -> None:
    counts = [len(features) for features in sets.values()]
    ax.barh(range(len(counts)), counts, height=0.5, color=sheet.colours["slate"], linewidth=0)
    for row, count in enumerate(counts):
        ax.annotate(
            f"{count:,}", (count, row), (3, 0), textcoords="offset points", va="center_baseline",
            fontsize=sheet.scale * NOTE, color=sheet.colours["ink"],
        )  # fmt: skip
    ax.set(xlim=(0, 1.35 * max(*counts, 1)), ylim=(len(counts) - 0.4, -0.6), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_title(
        "features", fontsize=sheet.scale * LABEL, color=sheet.colours["ink"], pad=3, loc="left"
    )


def _note(ax: Axes, numbers: pd.DataFrame) -> None:
    rest = numbers[~numbers["drawn"]]
    if len(rest):
        total = plural(int(rest["count"].sum()), "feature")
        ax.set_xlabel(f"not shown: {plural(len(rest), 'combination')} with {total} in all")


def _describe_picture(sets: Mapping[str, set[str]], numbers: pd.DataFrame) -> str:
    union = int(numbers["count"].sum())
    shared = numbers[numbers["selectors"].map(len) == len(sets)]["count"].sum()
    first = numbers.iloc[0]
    owners = format_list(map(format_name, first["selectors"]))
    return (
        f"{plural(union, 'feature')} chosen by {plural(len(sets), 'selector')}, {shared:,} of "
        f"them by every one. The largest combination: {owners}, "
        f"{plural(int(first['count']), 'feature')}."
    )
