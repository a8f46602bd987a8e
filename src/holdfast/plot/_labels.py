"""Labels beside points, placed so that they cover neither each other nor the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast.plot._names import width
from holdfast.plot._style import NOTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.plot._sheet import Sheet

LETTER = 0.6
"""Width of a usual letter, in sizes of the font; a little generous."""
REACH = 9.0
"""Distance of the nearest labels from their points, in points of text."""
BAD = 10.0
"""Cost of a label that leaves the frame by a point of text, or covers another or many dots."""


class Place(NamedTuple):
    """Where a label stands: offset from its point in points of text, and its alignment."""

    dx: float
    dy: float
    side: str


def _candidates() -> list[Place]:
    """Return places around a point, the nearest and most readable first."""
    places = []
    for reach in (REACH, 2 * REACH, 3.5 * REACH, 5 * REACH, 7 * REACH):
        slant = 0.75 * reach
        places += [
            Place(reach, 0, "left"), Place(-reach, 0, "right"), Place(slant, slant, "left"),
            Place(-slant, slant, "right"), Place(slant, -slant, "left"),
            Place(-slant, -slant, "right"), Place(0, reach + 2, "center"),
            Place(0, -reach - 2, "center"),
        ]  # fmt: skip
    return places


def place_labels(
    sheet: Sheet, points: NDArray[np.float64], texts: Sequence[str], anchors: NDArray[np.float64]
) -> None:
    """Write a text beside each anchor; `points` (x and y) are what is not to be covered."""
    ax = sheet.ax
    scale = 72 / sheet.figure.dpi
    dots = ax.transData.transform(points) * scale
    area = ax.get_window_extent()
    frame = np.array([area.x0, area.y0, area.x1, area.y1]) * scale
    taken: list[NDArray[np.float64]] = []
    for text, anchor in zip(texts, anchors, strict=True):
        spot = ax.transData.transform(anchor) * scale
        boxes = [_box(spot, place, text) for place in _candidates()]
        costs = [_cost(box, dots, taken, frame) for box in boxes]
        best = int(np.argmin(costs))
        if costs[best] >= BAD and not sheet.own:
            continue  # a given place may be too small for all
        taken.append(boxes[best])
        _write(sheet, text, anchor, _candidates()[best])


def _box(spot: NDArray[np.float64], place: Place, text: str) -> NDArray[np.float64]:
    """Return left, bottom, right and top of a label."""
    long, tall = width(text) * LETTER * NOTE, 1.3 * NOTE
    x, y = spot[0] + place.dx, spot[1] + place.dy
    left = x - {"left": 0.0, "right": long, "center": long / 2}[place.side]
    return np.array([left, y - tall / 2, left + long, y + tall / 2])


def _cost(
    box: NDArray[np.float64],
    dots: NDArray[np.float64],
    taken: Sequence[NDArray[np.float64]],
    frame: NDArray[np.float64],
) -> float:
    """Count what a label would cover; to leave the frame or to cover a label is worst."""
    outside = np.maximum(frame[:2] - box[:2], 0).sum() + np.maximum(box[2:] - frame[2:], 0).sum()
    inside = np.all((dots > box[:2] - 3) & (dots < box[2:] + 3), axis=1).sum()
    covered = sum(bool(np.all((box[:2] < o[2:]) & (o[:2] < box[2:]))) for o in taken)
    return float(10 * outside + inside + 100 * covered)


def _write(sheet: Sheet, text: str, anchor: NDArray[np.float64], place: Place) -> None:
    far = float(np.hypot(place.dx, place.dy)) > 1.8 * REACH
    line = {"arrowstyle": "-", "color": sheet.colours["muted"], "linewidth": 0.5}
    sheet.ax.annotate(
        text, (float(anchor[0]), float(anchor[1])), (place.dx, place.dy),
        textcoords="offset points", ha=place.side, va="center", fontsize=NOTE,
        color=sheet.colours["ink"], parse_math=False, zorder=6,
        bbox={"facecolor": sheet.colours["paper"], "alpha": 0.75, "linewidth": 0, "pad": 0.8},
        arrowprops={**line, "shrinkA": 1, "shrinkB": 4} if far else None,
    )  # fmt: skip
