"""Names of lines in the right margin, spread so that none covers another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from matplotlib.transforms import Affine2D, ScaledTranslation, blended_transform_factory

from holdfast.plot._style import TICK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.transforms import Affine2DBase, Transform
    from numpy.typing import NDArray

    from holdfast.plot._sheet import Sheet

SPACING = 1.45
"""Distance between lines of text, in sizes of their letters."""
SAMPLE = (10.0, 17.0, 24.0)
"""Where samples of lines begin, have their mark, and end: points from the axes."""


class Ending(NamedTuple):
    """Where a line ends, what it is called, and how it is drawn."""

    x: float
    y: float
    name: str
    line: dict[str, Any]


def height_for(count: int) -> float:
    """Return the inches that so many names in a margin need."""
    return count * SPACING * TICK / 72


def name_endings(sheet: Sheet, endings: Sequence[Ending]) -> None:
    """Write each name beside the end of its line, with a sample of the line."""
    ax = sheet.ax
    low, high = ax.get_ylim()
    wanted = np.array([(ending.y - low) / (high - low) for ending in endings])
    size = sheet.size(len(endings))
    gap = SPACING * size / sheet.height()
    thin: Any = {"arrowstyle": "-", "color": sheet.colours["rule"], "linewidth": 0.6}
    thin |= {"shrinkA": 0, "shrinkB": 3}
    for ending, place in zip(endings, spread(wanted, gap), strict=True):
        ax.annotate(
            "", (ending.x, ending.y), (SAMPLE[0], place), "data", _beside(sheet), arrowprops=thin
        )
        _entry(sheet, place, ending.name, ending.line, size)


def list_names(sheet: Sheet, entries: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Write names with their samples below each other, from the top."""
    size = sheet.size(len(entries))
    gap = min(SPACING * size / sheet.height(), 1 / max(len(entries) - 1, 1))
    for position, (name, line) in enumerate(entries):
        _entry(sheet, 1 - (position + 0.5) * gap, name, line, size)


def _entry(sheet: Sheet, place: float, name: str, line: dict[str, Any], size: float) -> None:
    ax, beside = sheet.ax, _beside(sheet)
    ax.plot(SAMPLE, [place] * 3, transform=beside, clip_on=False, markevery=[1], **line)
    ax.text(
        SAMPLE[-1] + 6, place, name, transform=beside, va="center_baseline", fontsize=size,
        color=sheet.colours["ink"], parse_math=False,
    )  # fmt: skip


def _beside(sheet: Sheet) -> Transform:
    """Return where margins are: points from the right edge of the axes, shares of their height."""
    ax = sheet.ax
    inches = Affine2D().scale(1 / 72) + sheet.figure.dpi_scale_trans
    across = inches + ScaledTranslation(1, 0, cast("Affine2DBase", ax.transAxes))
    return blended_transform_factory(across, ax.transAxes)


def spread(wanted: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Return places that are at least `gap` apart, in the same order, near those wanted.

    Neighbours that are too close form a block around the mean of their wishes; blocks that touch
    merge. All lie between 0 and 1 where there is room.
    """
    order = np.argsort(wanted, kind="stable")
    blocks: list[list[float]] = []  # centre, members
    for wish in wanted[order]:
        blocks.append([float(wish), 1])
        while len(blocks) > 1 and _touch(blocks[-2], blocks[-1], gap):
            centre, count = blocks.pop()
            before, earlier = blocks.pop()
            total = count + earlier
            blocks.append([(centre * count + before * earlier) / total, total])
    places = np.concatenate(
        [centre + gap * (np.arange(count) - (count - 1) / 2) for centre, count in blocks]
    )
    result = np.empty_like(places)
    result[order] = _inside(places, gap)
    return result


def _touch(lower: list[float], upper: list[float], gap: float) -> bool:
    return upper[0] - lower[0] < gap * (lower[1] + upper[1]) / 2


def _inside(places: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Push ascending places below 1, then above 0, keeping their distances."""
    steps = np.arange(len(places))
    top = 1.0 - gap * steps[::-1]
    inner: NDArray[np.float64] = np.minimum(places, top)
    if inner[0] >= 0:
        return inner
    step = min(gap, 1 / max(len(places) - 1, 1))
    return np.asarray(np.maximum(inner, step * steps))
