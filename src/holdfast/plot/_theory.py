"""Selection probability and expected stability against the number of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import LogLocator

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
    style_axes,
)
from holdfast.plot._curves import curves_height
from holdfast.plot._labels import LineLabel, draw_line_labels
from holdfast.plot._style import format_values, get_line_style, numeric, plain, scale_counts

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style

TITLE = "What theory lets expect by number of samples"
REQUIRED_COLUMNS = ("n_per_class", "effect", "informative", "stability")
GAP, NARROW_GAP = 0.13, 0.26
"""Share of the area between the two panels, for labels; more of a small place that was given."""


def stability_surface(
    table: pd.DataFrame,
    *,
    measure: str = "expected stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how likely informative features are selected, and the stability, a line an effect.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``n_per_class``, ``effect``, ``informative`` and ``stability``, as
        :func:`holdfast.theory.stability_surface` returns. Rows with missing numbers are left out.
    measure : str, default "expected stability"
        What the stability is, in words.
    ax : matplotlib.axes.Axes, optional
        Where to draw; its area is divided into two. By default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figure 1, show both as surfaces.

    Examples
    --------
    >>> import holdfast as hf
    >>> from holdfast.theory import stability_surface
    >>> table = stability_surface(n_per_class=[100, 500], effects=[0.05, 0.15])
    >>> hf.plot.stability_surface(table).description
    'Two panels of lines for 2 effects, from 100 to 500 samples a class. At 500 samples, an
    informative feature is selected with probability 0.40 (effect 0.05) to 0.97 (effect 0.15), and
    expected stability is 0.11 to 0.93.'
    """
    check_columns(table, REQUIRED_COLUMNS, "stability_surface")
    known = np.all([np.isfinite(numeric(table[name])) for name in REQUIRED_COLUMNS], axis=0)
    numbers = table[known].reset_index(drop=True)
    lines = dict(list(numbers.sort_values("n_per_class", kind="stable").groupby("effect")))
    sheet = open_canvas(ax, style, curves_height(len(lines), one_place=False))
    if not lines:
        return draw_empty_picture(sheet, numbers, TITLE, "no expectations are known")
    panels = _panels(sheet, numbers)
    labels = ("probability of an informative feature", measure)
    for panel, value, label in zip(panels, REQUIRED_COLUMNS[2:], labels, strict=True):
        _draw(panel, lines, value)
        panel.ax.set(xlabel="samples a class", ylabel=label)
    layout(sheet)
    _name(panels[1], lines)
    return finalize(
        sheet, numbers, TITLE, _describe_picture(lines, measure), [one.ax for one in panels]
    )


def _panels(sheet: Canvas, numbers: pd.DataFrame) -> list[Canvas]:
    """Divide the area into two, with the same axes of samples."""
    sheet.ax.set_axis_off()
    width = (1 - (GAP if sheet.own else NARROW_GAP)) / 2
    places = ((0.0, 0.0, width, 1.0), (1 - width, 0.0, width, 1.0))
    panels = [sheet._replace(ax=sheet.ax.inset_axes(place)) for place in places]
    for panel in panels:
        style_axes(panel.ax, sheet.colours, sheet.scale)
        if scale_counts(panel.ax, numeric(numbers["n_per_class"]), sheet.abreast(4, each=72)):
            few = LogLocator(subs=(1.0, 3.0) if sheet.own else (1.0,))
            panel.ax.xaxis.set_major_locator(few)
        format_values(panel.ax.yaxis)
        draw_grid_lines(panel, "y")
    return panels


def _draw(panel: Canvas, lines: dict[Any, pd.DataFrame], value: str) -> None:
    for position, own in enumerate(lines.values()):
        every = max(1, len(own) // 10)
        panel.ax.plot(
            numeric(own["n_per_class"]), numeric(own[value]), markevery=every, zorder=3,
            **_line(panel, position),
        )  # fmt: skip
    low, high = panel.ax.get_ylim()
    panel.ax.set_ylim(min(low, -0.03), max(high, 1.03))


def _line(panel: Canvas, position: int) -> dict[str, Any]:
    style = get_line_style(position, panel.colours)
    return {
        "color": style.colour, "linestyle": style.dash, "marker": style.marker, "linewidth": 1.5,
        "markersize": 4.5, "markeredgecolor": panel.colours["paper"], "markeredgewidth": 0.5,
    }  # fmt: skip


def _name(panel: Canvas, lines: dict[Any, pd.DataFrame]) -> None:
    """Write the effects beside the ends of the lines."""
    panel.ax.get_tightbbox()  # which finds its place
    endings = [
        LineLabel(
            float(own["n_per_class"].iloc[-1]), float(own["stability"].iloc[-1]),
            f"effect {plain(float(effect))}", _line(panel, position),
        )
        for position, (effect, own) in enumerate(lines.items())
    ]  # fmt: skip
    draw_line_labels(panel, endings)


def _describe_picture(lines: dict[Any, pd.DataFrame], measure: str) -> str:
    sizes = np.concatenate([numeric(own["n_per_class"]) for own in lines.values()])
    last = {
        effect: own.iloc[-1] for effect, own in lines.items()
        if own["n_per_class"].iloc[-1] == sizes.max()
    }  # fmt: skip
    ordered = sorted(last.items(), key=lambda one: float(one[1]["informative"]))
    least, most = ordered[0], ordered[-1]
    low, high = (choose(float(row["stability"]) for row in last.values()) for choose in (min, max))
    return (
        f"Two panels of lines for {plural(len(lines), 'effect')}, from {plain(sizes.min())} to "
        f"{plain(sizes.max())} samples a class. At {plain(sizes.max())} samples, an informative "
        f"feature is selected with probability {least[1]['informative']:.2f} (effect "
        f"{plain(float(least[0]))}) to {most[1]['informative']:.2f} (effect "
        f"{plain(float(most[0]))}), and {measure} is {low:.2f} to {high:.2f}."
    )
