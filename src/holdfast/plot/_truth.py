"""What was found against what is true, for simulated data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    name_rows,
    open_canvas,
)
from holdfast.plot._frequencies import INFORMATIVE, OTHER, legend_of_truth
from holdfast.plot._style import column, format_shares, format_values, numeric, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style

TITLE = "What was found against what is true"
MAX_UNTHINNED_POINTS = 600
"""Of more points than this, those that would cover each other are drawn once."""
MAX_POINTS_PER_KIND = 1500
"""Of either kind, so many points are drawn at most."""
CELLS = (250, 120, 60, 36)
"""Points of one cell are taken to cover each other; so many cells across, the fewest that do."""
GOLDEN = (5**0.5 - 1) / 2


def truth(
    table: pd.DataFrame,
    *,
    value: str = "share of resamples that select it, %",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw a value of each feature against its true effect.

    A good selector gives high values (or low ranks) to features with large effects. Where no
    effects are known, informative features and others are two rows. Of more than 600 features,
    those at the same place are one mark.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``feature`` and ``value`` (a frequency, rank or score), with ``effect`` (its sign
        is ignored), ``informative`` (true or false), or both. Rows without a value are left out.
    value : str, default "share of resamples that select it, %"
        What the values are, in words; with ``%`` at the end, they are shares, shown in percent.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows that are drawn, with ``informative`` and ``effect``.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figures 3 and 4, show scores, ranks and frequencies
    against true effects.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"feature": ["a", "b", "c"], "effect": [1.5, -0.5, 0], "value": [1.0, 0.3, 0.1]}
    ... )
    >>> hf.plot.truth(table).description
    '3 features, 2 of them truly informative. Mean: 65% for the informative ones, 10% for
    the others.'
    """
    known = "effect" if "effect" in table.columns else "informative"
    check_columns(table, ("feature", "value", known), "truth")
    numbers = _numbers(table)
    by_effect = bool(np.isfinite(numbers["effect"]).any())
    sheet = open_canvas(ax, style, 3.9 if by_effect else 2.4)
    if numbers.empty:
        return draw_empty_picture(sheet, numbers, TITLE, "no values of features are known")
    (_draw_effects if by_effect else _draw_strips)(sheet, numbers, value)
    return finalize(sheet, numbers, TITLE, _describe_picture(numbers, value))


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    effect = np.abs(column(table, "effect"))
    informative = table["informative"] if "informative" in table.columns else effect > 0
    frame = table.assign(value=numeric(table["value"]), effect=effect, informative=informative)
    known: pd.DataFrame = frame[np.isfinite(frame["value"])].astype({"informative": bool})
    return known.reset_index(drop=True)


def _draw_effects(sheet: Canvas, numbers: pd.DataFrame, value: str) -> None:
    draw_grid_lines(sheet, "y")
    _draw_points(sheet, numbers, numbers["effect"].to_numpy(), numbers["value"].to_numpy())
    sheet.ax.set(xlabel="true effect, in standard deviations", ylabel=value)
    format_values(sheet.ax.xaxis)
    _format(sheet.ax.yaxis, value)
    legend_of_truth(sheet)


def _draw_strips(sheet: Canvas, numbers: pd.DataFrame, value: str) -> None:
    """Draw two rows; points are moved up and down evenly, so that fewer hide each other."""
    shift = (np.arange(len(numbers)) * GOLDEN) % 1 - 0.5
    rows = np.where(numbers["informative"], 0, 1) + 0.6 * shift
    draw_grid_lines(sheet, "x")
    _draw_points(sheet, numbers, numbers["value"].to_numpy(), rows)
    counts = [int(numbers["informative"].sum()), int((~numbers["informative"]).sum())]
    texts = [f"{word} ({n:,})" for word, n in zip((INFORMATIVE, OTHER), counts, strict=True)]
    name_rows(sheet, texts)
    sheet.ax.set_xlabel(value)
    _format(sheet.ax.xaxis, value)


def _format(axis: Axis, value: str) -> None:
    (format_shares if value.endswith("%") else format_values)(axis)


def _draw_points(
    sheet: Canvas, numbers: pd.DataFrame, x: NDArray[np.float64], y: NDArray[np.float64]
) -> None:
    matters = numbers["informative"].to_numpy()
    places = np.stack([x, y], axis=1)
    for chosen, colour, marker in ((~matters, "vermilion", "D"), (matters, "blue", "o")):
        own = _visible(places[chosen]) if len(places) > MAX_UNTHINNED_POINTS else places[chosen]
        sheet.ax.scatter(
            own[:, 0], own[:, 1], s=16 if marker == "D" else 24, marker=marker, alpha=0.6, zorder=3,
            color=sheet.colours[colour], linewidths=0,
        )  # fmt: skip


def _visible(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one point of those that lie at the same place, as most that are never selected do."""
    if not len(places):
        return places
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    shares = (places - low) / np.where(span > 0, span, 1)
    for across in CELLS:
        first = np.unique(np.round(across * shares), axis=0, return_index=True)[1]
        if len(first) <= MAX_POINTS_PER_KIND:
            break
    return np.asarray(places[np.sort(first)])


def _describe_picture(numbers: pd.DataFrame, value: str) -> str:
    matters = numbers["informative"]
    said = percent if value.endswith("%") else "{:.3g}".format
    text = f"{plural(len(numbers), 'feature')}, {int(matters.sum()):,} of them truly informative."
    means = [numbers["value"][chosen].mean() for chosen in (matters, ~matters)]
    if np.isfinite(means).all():
        text += (
            f" Mean: {said(means[0])} for the informative ones, {said(means[1])} for the others."
        )
    return text
