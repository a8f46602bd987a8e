"""Accuracy against stability: which pair of selector and classifier to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._formatting import format_list, plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    open_canvas,
)
from holdfast.plot._labels import (
    format_distinct_names,
    format_name,
    height_for,
    list_names,
    place_labels,
)
from holdfast.plot._style import (
    Style,
    column,
    format_shares,
    format_values,
    get_line_style,
    numeric,
    percent,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture

TITLE = "Accuracy and stability"
CORRECT = "share of test samples classified correctly, %"
MAX_LABELED_POINTS = 8
"""So many points have a label each; of more, only the recommended one and those on the line."""
MAX_POINTS_WITH_INTERVALS = 30
"""Of so many points each shows its intervals; of more, only the recommended one and the front."""


def plane(
    table: pd.DataFrame,
    *,
    measure: str = "stability",
    maximum: float = 1.0,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw pairs of selector and classifier by accuracy and stability: better is right and up.

    Crosses are intervals: upright that of stability, up to what the measure can reach, across one
    standard error of the accuracy to either side. The stepped line is the Pareto front: pairs
    that no other beats in both. Strong marks are on the front; where it weighs the number of
    features as well, some lie off the line. The recommended pair has a ring.

    Selections that are no more stable than chance (the interval reaches 0), as those of
    ``random_score``, would press all others into a corner; unless on the front or recommended,
    they are left out, and a remark says so.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``selector``, ``error``, ``stability``; where known ``classifier``, ``size``,
        ``standard_error``, ``low``, ``high``, ``front`` and ``recommended`` (true or false).
        Without ``front``, the pairs that no other beats make it. Rows without an error or a
        stability are left out.
    measure : str, default "stability"
        What the stability is measured by, in words.
    maximum : float, default 1.0
        The largest value of the measure, where the axis ends; infinite where there is none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that have a place, with their ``accuracy`` and whether
        they are ``drawn``.

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
    sheet = open_canvas(ax, style, max(4.2, 1.0 + height_for(len(selectors) + 2)))
    if drawn.empty:
        return draw_empty_picture(sheet, numbers, TITLE, "no errors of classifiers are known")
    _draw(sheet, drawn, selectors)
    _widen(sheet, drawn, maximum)
    sheet.ax.set(xlabel=f"{CORRECT}{_remark(numbers)}", ylabel=measure)
    _name(sheet, drawn, selectors)
    return finalize(sheet, numbers, TITLE, _describe_picture(drawn))


def _prepare_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a place, with all that is drawn of them."""
    error, stability = numeric(table["error"]), numeric(table["stability"])
    frame = table.assign(error=error, stability=stability, accuracy=1 - error)
    for name in ("standard_error", "low", "high"):
        frame[name] = column(table, name)
    frame = frame[np.isfinite(error) & np.isfinite(stability)].reset_index(drop=True)
    places = frame[["accuracy", "stability"]].to_numpy()
    if "front" not in frame.columns:
        frame["front"] = find_undominated_points(places)
    if "recommended" not in frame.columns:
        frame["recommended"] = False
    frame = frame.astype({"front": bool, "recommended": bool})
    weak = (frame["low"] <= 0) & ~frame["front"] & ~frame["recommended"]
    return frame.assign(drawn=~weak)


def _remark(numbers: pd.DataFrame) -> str:
    """Say which selectors are not drawn."""
    hidden = numbers[~numbers["drawn"]]
    if hidden.empty:
        return ""
    names = format_list(
        (format_name(name, most=24) for name in dict.fromkeys(hidden["selector"])), most=2
    )
    points = plural(len(hidden), "point")
    return f"\nnot shown, as no more stable than chance: {points} of {names}"


def find_undominated_points(places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which points no other beats: at least as far right and up, and farther in one."""
    one, other = places[:, np.newaxis], places[np.newaxis]
    beaten = np.all(other >= one, axis=2) & np.any(other > one, axis=2)
    return np.asarray(~beaten.any(axis=1))


def _draw(sheet: Canvas, drawn: pd.DataFrame, selectors: list[str]) -> None:
    ax = sheet.ax
    ax.margins(0.1)
    draw_grid_lines(sheet, "y")
    format_shares(ax.xaxis)
    format_values(ax.yaxis)
    _draw_front(sheet, drawn)
    chief = (drawn["front"] | drawn["recommended"]).to_numpy()
    for position, name in enumerate(selectors):
        own = (drawn["selector"].astype(str) == name).to_numpy()
        how = get_line_style(position, sheet.colours)
        _draw_points(sheet, drawn[own & ~chief], how.marker, how.colour, 0.5)
        _draw_points(sheet, drawn[own & chief], how.marker, how.colour, 1.0)
        crossed = drawn[own & (chief | (len(drawn) <= MAX_POINTS_WITH_INTERVALS))]
        _draw_crosses(sheet, crossed, how.colour)
    best = drawn[drawn["recommended"]]
    ax.scatter(
        best["accuracy"], best["stability"], s=190, facecolors="none", linewidths=1.5,
        edgecolors=sheet.colours["ink"], zorder=5, clip_on=False,
    )  # fmt: skip


def _widen(sheet: Canvas, drawn: pd.DataFrame, maximum: float) -> None:
    """Let axes span a tenth of the accuracy and a fifth of the stability, of what is possible."""
    places = drawn[["accuracy", "stability"]]
    middle, span = (places.min() + places.max()).to_numpy() / 2, np.array([0.05, 0.1])
    most = np.array([1.0, maximum])
    sheet.ax.update_datalim([np.minimum(middle - span, most - 2 * span), middle + span])
    sheet.ax.autoscale_view()
    right, top = np.minimum([sheet.ax.get_xlim()[1], sheet.ax.get_ylim()[1]], most)
    sheet.ax.set(xlim=(None, right), ylim=(None, top))


def _draw_points(
    sheet: Canvas, rows: pd.DataFrame, marker: str, colour: str, strength: float
) -> None:
    if len(rows):
        sheet.ax.scatter(
            rows["accuracy"], rows["stability"], s=38 if strength == 1 else 24, marker=marker,
            color=colour, alpha=strength, zorder=4, linewidths=0.5, clip_on=False,
            edgecolors=sheet.colours["paper"],
        )  # fmt: skip


def _draw_crosses(sheet: Canvas, rows: pd.DataFrame, colour: str) -> None:
    x, y, reach = rows["accuracy"], rows["stability"], rows["standard_error"]
    thin: Any = {"color": colour, "linewidth": 0.9, "alpha": 0.4, "zorder": 2}
    sheet.ax.hlines(y, x - reach, x + reach, **thin)
    sheet.ax.vlines(x, rows["low"], rows["high"], **thin)


def _draw_front(sheet: Canvas, drawn: pd.DataFrame) -> None:
    """Draw steps through those points of the front that nothing beats in this plane."""
    steps = drawn.loc[_corners(drawn), ["accuracy", "stability"]].to_numpy()
    if len(steps) > 1:
        steps = np.unique(steps, axis=0)
        sheet.ax.plot(
            steps[:, 0], steps[:, 1], drawstyle="steps-pre", color=sheet.colours["muted"],
            linewidth=1.0, zorder=1.5, clip_on=False,
        )  # fmt: skip


def _corners(drawn: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which points of the front are corners of its line.

    A front of error, stability and size has others: pairs that are beaten in this plane, but
    by pairs with more features.
    """
    corner = drawn["front"].to_numpy(dtype=np.bool_, copy=True)
    places = drawn.loc[corner, ["accuracy", "stability"]].to_numpy()
    corner[corner] = find_undominated_points(places)
    return corner


def _name(sheet: Canvas, drawn: pd.DataFrame, selectors: list[str]) -> None:
    """Name selectors in the margin, and the points that matter most beside them."""
    names = dict(
        zip(selectors, format_distinct_names(selectors, most=sheet.letters(24)), strict=True)
    )
    layout(sheet)
    entries = [(names[name], _sample(sheet, i)) for i, name in enumerate(selectors)]
    list_names(sheet, [*entries, *_meanings(sheet, drawn)])
    layout(sheet)
    chief = (
        drawn[_corners(drawn) | drawn["recommended"]] if len(drawn) > MAX_LABELED_POINTS else drawn
    )
    chief = chief.sort_values(["recommended", "stability"], ascending=False).head(
        MAX_LABELED_POINTS
    )
    texts = [_format_point_name(row, names) for _, row in chief.iterrows()]
    keys = ["accuracy", "stability"]
    place_labels(sheet, drawn[keys].to_numpy(), texts, chief[keys].to_numpy())


def _meanings(sheet: Canvas, drawn: pd.DataFrame) -> list[tuple[str, dict[str, Any]]]:
    """Return what the line and the ring mean, where they are drawn."""
    ring = {"marker": "o", "markersize": 8, "color": "none", "linestyle": "none"}
    ring |= {"markeredgecolor": sheet.colours["ink"], "markeredgewidth": 1.3}
    meanings: list[tuple[str, dict[str, Any]]] = []
    if _corners(drawn).sum() > 1:
        meanings.append(("Pareto front", {"color": sheet.colours["muted"], "linewidth": 1.0}))
    return [*meanings, ("recommended", ring)] if drawn["recommended"].any() else meanings


def _sample(sheet: Canvas, position: int) -> dict[str, Any]:
    how = get_line_style(position, sheet.colours)
    return {"color": how.colour, "marker": how.marker, "markersize": 5.5, "linestyle": "none"}


def _format_point_name(row: pd.Series, names: dict[str, str]) -> str:
    """Return what a point is called: selector, size, classifier."""
    parts = [names.get(str(row["selector"]), ""), row.get("size"), row.get("classifier")]
    known = [format_name(part, most=24) for part in parts if part is not None and not pd.isna(part)]
    return ", ".join(known)


def _on_front(drawn: pd.DataFrame) -> str:
    """Say how many points are on the line, and how many more where size is a third aim."""
    corners = _corners(drawn)
    more = int((drawn["front"] & ~corners).sum())
    rest = f"; {more:,} more when the number of features counts as well" if more else ""
    return f"{plural(int(corners.sum()), 'point')} on the Pareto front of the two{rest}"


def _describe_picture(drawn: pd.DataFrame) -> str:
    selectors = list(dict.fromkeys(drawn["selector"].astype(str)))
    names = dict(zip(selectors, format_distinct_names(selectors), strict=True))
    text = f"{plural(len(drawn), 'point')} by accuracy and stability; {_on_front(drawn)}."
    for lead, rows in (
        ("Recommended", drawn[drawn["recommended"]]),
        ("Most accurate", drawn.sort_values("accuracy", kind="stable").tail(1)),
    ):
        for _, row in rows.head(1).iterrows():
            numbers = f"{percent(row['accuracy'])} correct, stability {row['stability']:.2f}"
            text += f" {lead}: {_format_point_name(row, names)}, {numbers}."
    return text
