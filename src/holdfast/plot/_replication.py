"""Replication stability against the number of samples: what was estimated, what is predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from holdfast._formatting import plural
from holdfast.plot._canvas import (
    check_columns,
    draw_empty_picture,
    draw_grid_lines,
    finalize,
    layout,
    name_rows,
    open_canvas,
)
from holdfast.plot._frequencies import rows_height
from holdfast.plot._labels import (
    MAX_NAME_LETTERS,
    LineLabel,
    draw_line_labels,
    format_distinct_names,
)
from holdfast.plot._style import TICK, column, format_values, numeric, plain

if TYPE_CHECKING:
    from typing import Any

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style


TITLE_REPLICATION = "Replication stability by number of samples"
REQUIRED_CURVE_COLUMNS = ("n_samples", "value", "low", "high", "kind")


def replication(
    curve: pd.DataFrame,
    *,
    measure: str = "replication stability",
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how well two independent studies agree, against their number of samples.

    Points with bars are estimates from disjoint samples; the dashed line with its band is the
    prediction for larger studies, which goes on from the largest of them. The horizontal axis is
    logarithmic: a step doubles the samples.

    Parameters
    ----------
    curve : pandas.DataFrame
        Columns ``n_samples``, ``value``, ``low``, ``high``, ``kind`` (``"estimated"`` or
        ``"predicted"``), as ``curve`` of :class:`holdfast.judge.Replication`.
    measure : str, default "replication stability"
        What the values are, in words.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> curve = pd.DataFrame(
    ...     {"n_samples": [40, 80], "value": [0.3, 0.5], "low": [0.2, 0.3], "high": [0.4, 0.6],
    ...      "kind": ["estimated", "predicted"]}
    ... )
    >>> hf.plot.replication(curve).description
    'Replication stability of 0.30 (0.20 to 0.40), estimated for studies of 40; 0.50 (0.30 to
    0.60), predicted for studies of 80.'
    """
    check_columns(curve, REQUIRED_CURVE_COLUMNS, "replication")
    sheet = open_canvas(ax, style, 3.9)
    known = np.isfinite(numeric(curve["value"])) & (numeric(curve["n_samples"]) > 0)
    numbers = curve[known].sort_values("n_samples").reset_index(drop=True)
    estimated = numbers[numbers["kind"] == "estimated"]
    if not len(estimated):
        return draw_empty_picture(
            sheet, numbers, TITLE_REPLICATION, "no replication stability is known"
        )
    predicted = numbers[numbers["kind"] == "predicted"]
    _prepare(sheet, numeric(numbers["n_samples"]), measure)
    endings = _draw(sheet, estimated, predicted)
    bottom, top = sheet.ax.get_ylim()
    sheet.ax.set_ylim(min(bottom, -0.03), max(top, 1.03))
    layout(sheet)
    draw_line_labels(sheet, endings)
    return finalize(sheet, numbers, TITLE_REPLICATION, _describe_replication(estimated, predicted))


def _prepare(sheet: Canvas, places: Any, measure: str) -> None:  # noqa: ANN401
    """Prepare an axis on which a step doubles the samples."""
    ax = sheet.ax
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(np.unique(places).tolist()))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    ax.set(xlabel="samples in each of two studies", ylabel=measure)
    room = (places.max() / places.min()) ** 0.05 + 0.02
    ax.set_xlim(places.min() / room, places.max() * room)
    format_values(ax.yaxis)
    draw_grid_lines(sheet, "y")


def _draw(sheet: Canvas, estimated: pd.DataFrame, predicted: pd.DataFrame) -> list[LineLabel]:
    blue, orange = sheet.colours["blue"], sheet.colours["vermilion"]
    n, value, low, high = (numeric(estimated[name]) for name in REQUIRED_CURVE_COLUMNS[:4])
    points: dict[str, Any] = {"color": blue, "marker": "o", "linestyle": "-", "markersize": 5.5}
    sheet.ax.vlines(n, low, high, color=blue, linewidth=1.6, alpha=0.6, zorder=3)
    sheet.ax.plot(n, value, zorder=4, **points)
    if not len(predicted):
        return [LineLabel(float(n[-1]), float(value[-1]), "estimated", points)]
    ahead = [np.concatenate([numeric(estimated[name])[-1:], numeric(predicted[name])])
             for name in REQUIRED_CURVE_COLUMNS[:4]]  # fmt: skip
    line: dict[str, Any] = {"color": orange, "linestyle": (0, (5, 2)), "linewidth": 1.5}
    sheet.ax.fill_between(ahead[0], ahead[2], ahead[3], color=orange, alpha=0.13, linewidth=0)
    sheet.ax.plot(ahead[0], ahead[1], zorder=3, **line)
    return [
        LineLabel(float(n[-1]), float(value[-1]), "estimated", points),
        LineLabel(float(ahead[0][-1]), float(ahead[1][-1]), "predicted", line),
    ]


def _describe_replication(estimated: pd.DataFrame, predicted: pd.DataFrame) -> str:
    first = plain(float(estimated["n_samples"].iloc[-1]))
    said = f"Replication stability of {_span(estimated)}, estimated for studies of {first}"
    if not len(predicted):
        return f"{said}."
    last = plain(float(predicted["n_samples"].iloc[-1]))
    return f"{said}; {_span(predicted)}, predicted for studies of {last}."


def _span(rows: pd.DataFrame) -> str:
    """Return the value of the last row with its interval."""
    value, low, high = (float(rows[name].iloc[-1]) for name in ("value", "low", "high"))
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


# How well cohorts agree, beside what samples of their sizes from one population would.

TITLE_COHORTS = "How well cohorts agree"
REQUIRED_COHORT_COLUMNS = ("cohort_a", "cohort_b", "value", "expected", "low", "high")
MAX_CLEAR_P_VALUE = 0.05


def cohorts(
    table: pd.DataFrame,
    *,
    measure: str = "stability",
    most: int = 30,
    ax: Axes | None = None,
    style: Style = "light",
) -> Picture:
    """Draw how well pairs of cohorts agree: a dot, and a bar for what is expected.

    The bar is the range of samples of the same sizes from all cohorts, its stroke their mean. A
    diamond instead of a dot marks pairs that agree clearly less.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``cohort_a``, ``cohort_b``, ``value``, ``expected``, ``low``, ``high``; where
        known ``p_value``, of agreeing less than expected. Rows without a value are left out.
    measure : str, default "stability"
        What the values are, in words.
    most : int, default 30
        Show at most so many pairs, those with the lowest p-values if there are more; a remark
        says how many are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a figure of its own.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        Its numbers: the rows of the table that are drawn, and whether they agree clearly
        ``less``.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame(
    ...     {"cohort_a": ["London"], "cohort_b": ["Paris"], "value": [0.2], "expected": [0.5],
    ...      "low": [0.4], "high": [0.6], "p_value": [0.01]}
    ... )
    >>> hf.plot.cohorts(table).numbers["less"].tolist()
    [True]
    """
    check_columns(table, REQUIRED_COHORT_COLUMNS, "cohorts")
    known = table[np.isfinite(numeric(table["value"]))]
    known = known.assign(less=column(known, "p_value") <= MAX_CLEAR_P_VALUE)
    drawn = _select_pairs(known, max(most, 1))
    sheet = open_canvas(ax, style, rows_height(len(drawn)))
    if drawn.empty:
        return draw_empty_picture(sheet, drawn, TITLE_COHORTS, "no pair of cohorts has a value")
    _draw_cohorts(sheet, drawn)
    _label(sheet, drawn, len(known) - len(drawn), measure)
    return finalize(sheet, drawn, TITLE_COHORTS, _describe_cohorts(drawn, measure))


def _select_pairs(known: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the rows to draw, in the order of the table."""
    if len(known) <= most:
        return known.reset_index(drop=True)
    worst = np.argsort(column(known, "p_value"), kind="stable")[:most]
    chosen: pd.DataFrame = known.iloc[np.sort(worst)]
    return chosen.reset_index(drop=True)


def _draw_cohorts(sheet: Canvas, table: pd.DataFrame) -> None:
    ax, rows, less = sheet.ax, np.arange(len(table)), table["less"].to_numpy(dtype=bool)
    low, high, expected = (numeric(table[name]) for name in ("low", "high", "expected"))
    ax.hlines(rows, low, high, color=sheet.colours["slate"], linewidth=7, alpha=0.35)
    ax.vlines(expected, rows - 0.24, rows + 0.24, color=sheet.colours["slate"], linewidth=1.4)
    value = numeric(table["value"])
    for own, marker, size, colour in ((~less, "o", 30, "blue"), (less, "D", 24, "vermilion")):
        ax.scatter(
            value[own], rows[own], s=size, marker=marker, color=sheet.colours[colour], zorder=3,
            linewidths=0,
        )  # fmt: skip
    _scale(ax, np.concatenate([low, high, expected, value]))


def _scale(ax: Axes, values: NDArray[np.float64]) -> None:
    """Show 0 and all values, and 1 where values come near it."""
    known = values[np.isfinite(values)]
    low, high = min(0.0, float(known.min())), float(known.max())
    high = 1.0 if 0.6 < high <= 1 else max(high, 0.1)
    room = 0.03 * (high - low)
    ax.set_xlim(low - room, high + room)


def _label(sheet: Canvas, drawn: pd.DataFrame, rest: int, measure: str) -> None:
    pairs = [*drawn["cohort_a"], *drawn["cohort_b"]]
    short = format_distinct_names(pairs, max(4, sheet.letters(MAX_NAME_LETTERS + 6) // 2 - 2))
    count = len(drawn)
    name_rows(sheet, [f"{a} – {b}" for a, b in zip(short[:count], short[count:], strict=True)])
    format_values(sheet.ax.xaxis)
    draw_grid_lines(sheet, "x")
    text = f"{measure} of the selections of two cohorts"
    if rest:
        text += f"\nnot shown: {plural(rest, 'pair')} of cohorts"
    sheet.ax.set_xlabel(text)
    _legend(sheet, drawn)


def _legend(sheet: Canvas, drawn: pd.DataFrame) -> None:
    """Say above the picture what bars and dots are."""
    colours = sheet.colours
    bar = Line2D([], [], color=colours["slate"], linewidth=7, alpha=0.35)
    entries = [(bar, "expected of one population: 95% range and mean")]
    kinds = (
        ("o", "blue", "cohorts", ~drawn["less"]),
        ("D", "vermilion", "clearly less", drawn["less"]),
    )
    for marker, colour, text, there in kinds:
        if there.any():
            dot = Line2D(
                [], [], linestyle="none", marker=marker, markersize=5, color=colours[colour]
            )
            entries.append((dot, text))
    handles, labels = zip(*entries, strict=True)
    sheet.ax.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0, 1.005),
        ncols=sheet.abreast(3, each=170), frameon=False, fontsize=sheet.scale * TICK,
        labelcolor=colours["ink"], borderaxespad=0, handletextpad=0.8, columnspacing=1.5,
        borderpad=0.2,
    )  # fmt: skip


def _describe_cohorts(drawn: pd.DataFrame, measure: str) -> str:
    value, low, high = (numeric(drawn[name]) for name in ("value", "low", "high"))
    inside = int(np.sum((value >= low) & (value <= high)))
    return (
        f"Dots of {measure} for {plural(len(drawn), 'pair')} of cohorts, from {value.min():.2f} "
        f"to {value.max():.2f}, beside bars of what is expected of one population. Within its bar: "
        f"{inside:,}. Clearly less: {int(drawn['less'].sum()):,}."
    )
