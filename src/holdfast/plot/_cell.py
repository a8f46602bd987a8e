"""Pictures on axes that were given: all of them stays inside the space that these had."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from holdfast.plot._quiet import quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

LETTER = 0.55
"""Width of a usual letter, in sizes of the font."""
ROUNDS = 6
"""So often the axes are shrunk; what stands beside them moves with them, but not quite."""
LEAST = 0.25
"""Smallest share of the space that is left to the axes; then letters get smaller."""
SMALLER, SMALLEST = 0.85, 3.0
"""Steps of smaller letters, and where they end."""
NARROWEST = 14
"""Fewest letters on a line of a label."""
NEAR = 0.5
"""Pixels that may reach over an edge."""
GAP = 0.006
"""Share of the figure between a picture and the middle of the gap to the next."""
EDGE = 0.01
"""Share of the figure that stays free at its edges."""


def cell_of(ax: Axes) -> Bbox:
    """Return the space of axes, in shares of the figure: theirs, and half of the gaps around.

    Constrained layout is asked for it, as if other subplots that are still empty had no ticks.
    """
    spec = ax.get_subplotspec()
    if spec is None:
        return ax.get_position().frozen()
    if isinstance(ax.figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        return _laid_out(ax)
    position = ax.get_position(original=True)
    if not np.allclose(position.extents, spec.get_position(cast("Figure", ax.figure)).extents):
        return position.frozen()  # someone put it there
    return _with_gaps(ax)


def _laid_out(ax: Axes) -> Bbox:
    """Return the space that constrained layout leaves for bare axes, and take them out of it."""
    figure = ax.figure.figure
    empty = [one for one in figure.axes if one.get_in_layout() and not one.has_data()]
    shown = ax.axison
    for one in empty:
        one.set_in_layout(False)
    ax.set_in_layout(True)
    ax.set_axis_off()
    engine = figure.get_layout_engine()
    if engine is not None:
        with quiet():
            engine.execute(figure)
    for one in empty:
        one.set_in_layout(True)
    ax.axison = shown
    return ax.get_position().padded(-GAP)


def _with_gaps(ax: Axes) -> Bbox:
    """Widen the place in a grid up to the middle of the gaps and to the edges of the figure.

    Nothing is added above: titles stand there.
    """
    spec = ax.get_subplotspec()
    assert spec is not None
    grid = spec.get_gridspec()
    bottoms, tops, lefts, rights = grid.get_grid_positions(cast("Figure", ax.figure))
    x0, y0, x1, y1 = ax.get_position(original=True).extents
    across = (lefts[1] - rights[0]) / 2 if grid.ncols > 1 else 0.0
    along = (bottoms[0] - tops[1]) / 2 if grid.nrows > 1 else 0.0
    return Bbox.from_extents(
        x0 - across if spec.colspan.start else EDGE,
        EDGE if spec.rowspan.stop == grid.nrows else y0 - along,
        x1 + across if spec.colspan.stop < grid.ncols else max(x1, 1 - EDGE),
        y1 + GAP,
    ).padded(-GAP)


def fit(ax: Axes, box: Bbox) -> None:
    """Shrink axes until nothing of them reaches over the box; at last, shrink letters."""
    labels = _labels(ax)
    while True:
        ax.set_position(box)
        _show(labels, visible=False)
        _shrink(ax, box)
        _wrap(ax)
        _show(labels, visible=True)
        if _shrink(ax, box) <= NEAR or not _smaller(ax):
            break
    if not isinstance(ax.figure.figure.get_layout_engine(), ConstrainedLayoutEngine):
        ax.set_in_layout(True)  # as it was before it got its position


def _shrink(ax: Axes, box: Bbox) -> float:
    """Move the edges of axes inwards; return by how many pixels they still reach too far."""
    beyond = _beyond(ax, box)
    for _ in range(ROUNDS):
        if beyond.max() <= NEAR:
            break
        _inset(ax, box, beyond)
        beyond = _beyond(ax, box)
    return float(beyond.max())


def _beyond(ax: Axes, box: Bbox) -> NDArray[np.float64]:
    """Return by how many pixels what is drawn reaches over left, bottom, right and top."""
    edges = ax.figure.transSubfigure.transform_bbox(box)
    with quiet():
        found = ax.get_tightbbox()
    if found is None:
        return np.zeros(4)
    reach = (np.asarray(found.extents) - edges.extents) * [-1, -1, 1, 1]
    return np.asarray(np.maximum(reach, 0), dtype=np.float64)


def _inset(ax: Axes, box: Bbox, beyond: NDArray[np.float64]) -> None:
    """Take what reaches over the edges away from the axes, as far as they can spare it."""
    pixels = ax.figure.transSubfigure.transform_bbox(box)
    share = beyond * np.tile([box.width / pixels.width, box.height / pixels.height], 2)
    x0, y0, x1, y1 = ax.get_position(original=True).extents + share * [1, 1, -1, -1]
    wide, high = LEAST * box.width, LEAST * box.height
    x0, y0 = min(x0, box.x1 - wide), min(y0, box.y1 - high)
    ax.set_position(Bbox.from_extents(x0, y0, max(x1, x0 + wide), max(y1, y0 + high)))


def _parts(ax: Axes) -> list[Axes]:
    return [ax, *(one for one in ax.child_axes if isinstance(one, Axes))]


def _labels(ax: Axes) -> list[Text]:
    return [axis.label for one in _parts(ax) for axis in (one.xaxis, one.yaxis)]


def _show(labels: list[Text], *, visible: bool) -> None:
    for label in labels:
        label.set_visible(visible)


def _wrap(ax: Axes) -> None:
    """Break labels of axes into lines that are no longer than the axes.

    A blank before the break tells the breaks made here, which may move, from others.
    """
    for one in _parts(ax):
        area = one.get_window_extent()
        for label, pixels in ((one.xaxis.label, area.width), (one.yaxis.label, area.height)):
            letter = LETTER * float(label.get_fontsize()) * one.figure.figure.dpi / 72
            lines = label.get_text().replace(" \n", " ").split("\n")
            most = max(int(pixels / letter), NARROWEST)
            label.set_text("\n".join(" \n".join(textwrap.wrap(line, most)) for line in lines))


def _smaller(ax: Axes) -> bool:
    """Make all letters smaller; return whether that was possible."""
    letters = [text for text in ax.findobj(Text) if text.get_text()]
    sizes = [SMALLER * float(text.get_fontsize()) for text in letters]
    if max(sizes, default=0.0) < SMALLEST:
        return False
    for text, size in zip(letters, sizes, strict=True):
        text.set_fontsize(size)
    return True
