"""Replication stability against the number of samples: what was estimated, what is predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from holdfast.plot._margin import Ending, name_endings
from holdfast.plot._numbers import format_values, numeric, plain
from holdfast.plot._sheet import check_columns, finish, nothing, open_sheet, rule, settle

if TYPE_CHECKING:
    from typing import Any

    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet
    from holdfast.plot._style import Style

TITLE = "Replication stability by number of samples"
NEEDED = ("n_samples", "value", "low", "high", "kind")


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
    check_columns(curve, NEEDED, "replication")
    sheet = open_sheet(ax, style, 3.9)
    known = np.isfinite(numeric(curve["value"])) & (numeric(curve["n_samples"]) > 0)
    numbers = curve[known].sort_values("n_samples").reset_index(drop=True)
    estimated = numbers[numbers["kind"] == "estimated"]
    if not len(estimated):
        return nothing(sheet, numbers, TITLE, "no replication stability is known")
    predicted = numbers[numbers["kind"] == "predicted"]
    _prepare(sheet, numeric(numbers["n_samples"]), measure)
    endings = _draw(sheet, estimated, predicted)
    bottom, top = sheet.ax.get_ylim()
    sheet.ax.set_ylim(min(bottom, -0.03), max(top, 1.03))
    settle(sheet)
    name_endings(sheet, endings)
    return finish(sheet, numbers, TITLE, _described(estimated, predicted))


def _prepare(sheet: Sheet, places: Any, measure: str) -> None:  # noqa: ANN401
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
    rule(sheet, "y")


def _draw(sheet: Sheet, estimated: pd.DataFrame, predicted: pd.DataFrame) -> list[Ending]:
    blue, orange = sheet.colours["blue"], sheet.colours["vermilion"]
    n, value, low, high = (numeric(estimated[name]) for name in NEEDED[:4])
    points: dict[str, Any] = {"color": blue, "marker": "o", "linestyle": "-", "markersize": 5.5}
    sheet.ax.vlines(n, low, high, color=blue, linewidth=1.6, alpha=0.6, zorder=3)
    sheet.ax.plot(n, value, zorder=4, **points)
    if not len(predicted):
        return [Ending(float(n[-1]), float(value[-1]), "estimated", points)]
    ahead = [np.concatenate([numeric(estimated[name])[-1:], numeric(predicted[name])])
             for name in NEEDED[:4]]  # fmt: skip
    line: dict[str, Any] = {"color": orange, "linestyle": (0, (5, 2)), "linewidth": 1.5}
    sheet.ax.fill_between(ahead[0], ahead[2], ahead[3], color=orange, alpha=0.13, linewidth=0)
    sheet.ax.plot(ahead[0], ahead[1], zorder=3, **line)
    return [
        Ending(float(n[-1]), float(value[-1]), "estimated", points),
        Ending(float(ahead[0][-1]), float(ahead[1][-1]), "predicted", line),
    ]


def _described(estimated: pd.DataFrame, predicted: pd.DataFrame) -> str:
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
