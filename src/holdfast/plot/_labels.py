"""Labels of points, lines and rows, and the shortened names that they show."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from matplotlib.transforms import (
    Affine2D,
    Affine2DBase,
    ScaledTranslation,
    Transform,
    blended_transform_factory,
)

from holdfast._typing import FloatArray
from holdfast.plot._style import NOTE_SIZE, TICK_SIZE

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas


# Names of rows, at the left of the axes.

MAX_NAME_LETTERS = 30
"""Width of the widest name shown in full, in letters (chosen by eye)."""


def label_rows(canvas: Canvas, texts: Sequence[str]) -> None:
    """Write texts at the left, from the top down, without ticks and axis line."""
    ax = canvas.ax
    ax.set_yticks(range(len(texts)), list(texts), parse_math=False)
    # upside down: row 0 is on top
    ax.set_ylim(len(texts) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0, pad=6, labelsize=canvas.text_size(len(texts)))
    ax.spines["left"].set_visible(False)


def name_rows(canvas: Canvas, names: Iterable[object]) -> None:
    """Label rows with names that are shortened to fit."""
    label_rows(canvas, format_distinct_names(names, canvas.max_name_letters(MAX_NAME_LETTERS)))


# Labels next to points, placed so that they cover neither each other nor the points.

POINT_LABEL_LETTER_WIDTH = 0.6
"""Assumed width of a letter, as a multiple of the font size: above the mean, so labels fit."""
LABEL_DISTANCE_POINTS = 9.0
"""Distance in points from a point to its nearest possible labels (chosen by eye)."""
MAX_LABEL_COST = 10.0
"""Cost from which a label is left out on given axes: it leaves the frame or covers much."""


class LabelOffset(NamedTuple):
    """Offset of a label from its point, in points, and its alignment."""

    dx: float
    dy: float
    side: str


def _make_label_offsets() -> list[LabelOffset]:
    """Return possible offsets, the nearest and most readable first."""
    offsets = []
    for factor in (1, 2, 3.5, 5, 7):
        reach = factor * LABEL_DISTANCE_POINTS
        slant = 0.75 * reach
        offsets += [
            LabelOffset(reach, 0, "left"), LabelOffset(-reach, 0, "right"),
            LabelOffset(slant, slant, "left"),
            LabelOffset(-slant, slant, "right"), LabelOffset(slant, -slant, "left"),
            LabelOffset(-slant, -slant, "right"), LabelOffset(0, reach + 2, "center"),
            LabelOffset(0, -reach - 2, "center"),
        ]  # fmt: skip
    return offsets


LABEL_OFFSETS = _make_label_offsets()


def place_labels(
    canvas: Canvas, points: FloatArray, texts: Sequence[str], anchors: FloatArray
) -> None:
    """Write a text next to each anchor without covering the `points` (x and y)."""
    ax = canvas.ax
    scale = 72 / canvas.figure.dpi
    dots = ax.transData.transform(points) * scale
    area = ax.get_window_extent()
    frame = np.array([area.x0, area.y0, area.x1, area.y1]) * scale
    taken: list[FloatArray] = []
    # greedy, in the order of the texts: the most important labels get the best places
    for text, anchor in zip(texts, anchors, strict=True):
        position = ax.transData.transform(anchor) * scale
        boxes = [_label_box(position, offset, text) for offset in LABEL_OFFSETS]
        costs = [_label_cost(box, dots, taken, frame) for box in boxes]
        best = int(np.argmin(costs))
        if costs[best] >= MAX_LABEL_COST and not canvas.owns_figure:
            continue  # given axes may be too small for all labels
        taken.append(boxes[best])
        _write_point_label(canvas, text, anchor, LABEL_OFFSETS[best])


def _label_box(position: FloatArray, offset: LabelOffset, text: str) -> FloatArray:
    """Return left, bottom, right and top of a label."""
    width, height = text_width(text) * POINT_LABEL_LETTER_WIDTH * NOTE_SIZE, 1.3 * NOTE_SIZE
    x, y = position[0] + offset.dx, position[1] + offset.dy
    left = x - {"left": 0.0, "right": width, "center": width / 2}[offset.side]
    return np.array([left, y - height / 2, left + width, y + height / 2])


def _label_cost(
    box: FloatArray, dots: FloatArray, taken: Sequence[FloatArray], frame: FloatArray
) -> float:
    """Return the cost of a label box: 1 per covered dot, 10 per point outside, 100 per label."""
    outside = np.maximum(frame[:2] - box[:2], 0).sum() + np.maximum(box[2:] - frame[2:], 0).sum()
    covered_dots = np.all((dots > box[:2] - 3) & (dots < box[2:] + 3), axis=1).sum()
    covered_labels = sum(
        bool(np.all((box[:2] < other[2:]) & (other[:2] < box[2:]))) for other in taken
    )
    return float(10 * outside + covered_dots + 100 * covered_labels)


def _write_point_label(canvas: Canvas, text: str, anchor: FloatArray, offset: LabelOffset) -> None:
    """Write a label; if it is far from its point, a thin line joins the two."""
    is_far = float(np.hypot(offset.dx, offset.dy)) > 1.8 * LABEL_DISTANCE_POINTS
    line = {"arrowstyle": "-", "color": canvas.colours["muted"], "linewidth": 0.5}
    canvas.ax.annotate(
        text, (float(anchor[0]), float(anchor[1])), (offset.dx, offset.dy),
        textcoords="offset points", ha=offset.side, va="center", fontsize=NOTE_SIZE,
        color=canvas.colours["ink"], parse_math=False, zorder=6,
        bbox={"facecolor": canvas.colours["paper"], "alpha": 0.75, "linewidth": 0, "pad": 0.8},
        arrowprops={**line, "shrinkA": 1, "shrinkB": 4} if is_far else None,
    )  # fmt: skip


# Names of lines in the right margin, spread so that none covers another.

LINE_SPACING = 1.45
"""Distance between lines of text, as a multiple of their size (chosen by eye)."""
SAMPLE_POSITIONS = (10.0, 17.0, 24.0)
"""Start, marker and end of the sample of a line: points from the axes (chosen by eye)."""


class LineLabel(NamedTuple):
    """The end of a line, its name, and how it is plotted."""

    x: float
    y: float
    name: str
    line: dict[str, Any]


def margin_height(n_names: int) -> float:
    """Return the height in inches of this many names in a margin."""
    return n_names * LINE_SPACING * TICK_SIZE / 72


def draw_line_labels(canvas: Canvas, labels: Sequence[LineLabel]) -> None:
    """Write each name next to the end of its line, with a sample of the line."""
    low, high = canvas.ax.get_ylim()
    wanted = np.array([(label.y - low) / (high - low) for label in labels])
    size = canvas.text_size(len(labels))
    gap = LINE_SPACING * size / canvas.height_points()
    connector: Any = {"arrowstyle": "-", "color": canvas.colours["rule"], "linewidth": 0.6}
    connector |= {"shrinkA": 0, "shrinkB": 3}
    for label, height in zip(labels, spread_positions(wanted, gap), strict=True):
        canvas.ax.annotate(
            "", (label.x, label.y), (SAMPLE_POSITIONS[0], height), "data",
            _margin_transform(canvas), arrowprops=connector,
        )  # fmt: skip
        _draw_margin_entry(canvas, height, label.name, label.line, size)


def draw_name_list(canvas: Canvas, entries: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Write names with samples of their lines below each other, from the top of the margin."""
    size = canvas.text_size(len(entries))
    gap = min(LINE_SPACING * size / canvas.height_points(), 1 / max(len(entries) - 1, 1))
    for position, (name, line) in enumerate(entries):
        _draw_margin_entry(canvas, 1 - (position + 0.5) * gap, name, line, size)


def _draw_margin_entry(
    canvas: Canvas, height: float, name: str, line: dict[str, Any], size: float
) -> None:
    ax, margin = canvas.ax, _margin_transform(canvas)
    ax.plot(SAMPLE_POSITIONS, [height] * 3, transform=margin, clip_on=False, markevery=[1], **line)
    ax.text(
        SAMPLE_POSITIONS[-1] + 6, height, name, transform=margin, va="center_baseline",
        fontsize=size, color=canvas.colours["ink"], parse_math=False,
    )  # fmt: skip


def _margin_transform(canvas: Canvas) -> Transform:
    """Return coordinates of the margin: points right of the axes, shares of their height."""
    ax = canvas.ax
    inches = Affine2D().scale(1 / 72) + canvas.figure.dpi_scale_trans
    across = inches + ScaledTranslation(1, 0, cast("Affine2DBase", ax.transAxes))
    return blended_transform_factory(across, ax.transAxes)


def spread_positions(wanted: FloatArray, gap: float) -> FloatArray:
    """Return positions at least `gap` apart, in the same order and near those wanted.

    Neighbours that are too close form a block around their mean; overlapping blocks merge. All
    positions lie between 0 and 1 if there is room.
    """
    order = np.argsort(wanted, kind="stable")
    blocks: list[list[float]] = []  # centre and number of members
    for position in wanted[order]:
        blocks.append([float(position), 1])
        while len(blocks) > 1:
            (lower_centre, lower_count), (centre, count) = blocks[-2:]
            total = count + lower_count
            # blocks of n labels are n gaps high: two of them touch at half the sum of their heights
            if centre - lower_centre >= gap * total / 2:
                break  # they do not overlap
            # the merged block is centred on the mean of the
            # wanted positions, which is closest to all of them
            blocks[-2:] = [[(centre * count + lower_centre * lower_count) / total, total]]
    positions = np.concatenate(
        [centre + gap * (np.arange(count) - (count - 1) / 2) for centre, count in blocks]
    )
    result = np.empty_like(positions)
    result[order] = _move_into_unit_interval(positions, gap)
    return result


def _move_into_unit_interval(positions: FloatArray, gap: float) -> FloatArray:
    """Push ascending positions below 1, then above 0, keeping their distances."""
    steps = np.arange(len(positions))
    # the i-th from the top needs i gaps above it
    inner: FloatArray = np.minimum(positions, 1.0 - gap * steps[::-1])
    if inner[0] >= 0:
        return inner
    # too many labels for the height: they get closer than `gap` rather than leave the axes
    step = min(gap, 1 / max(len(positions) - 1, 1))
    return np.asarray(np.maximum(inner, step * steps))


# Names in pictures: literal, on one line, and not too long.

EMPTY_NAME = "(no name)"
WORD_BREAKS = " _-.,:;/|"
"""Characters after which a name may be cut without splitting a word."""


def format_name(name: object, most: int = MAX_NAME_LETTERS) -> str:
    """Return a name as pictures show it; the middle of a long name is left out.

    Examples
    --------
    >>> from holdfast.plot._labels import format_name
    >>> format_name("a very long name of a feature", most=15)
    'a very …feature'
    """
    text = _to_single_line(name)
    if text_width(text) <= most:
        return text or EMPTY_NAME
    head = _take_width(text, (most - 1) // 2)
    tail = _take_width(text[::-1], most - 1 - (most - 1) // 2)[::-1]
    return f"{head}…{tail}"


def format_distinct_names(names: Iterable[object], most: int = MAX_NAME_LETTERS) -> list[str]:
    """Return names as pictures show them; long names keep the part that distinguishes them.

    Names that look the same even so are numbered.

    Examples
    --------
    >>> from holdfast.plot._labels import format_distinct_names
    >>> names = [f"relieff with k={k} and the usual distance" for k in (5, 10)]
    >>> format_distinct_names(names, most=20)
    ['relieff…k=5…distance', 'relieff…k=10…istance']
    """
    full = [str(name) for name in names]
    distinct = list(dict.fromkeys(full))
    short = {name: format_name(name, most) for name in distinct}
    long = [name for name in distinct if text_width(_to_single_line(name)) > most]
    short |= _shorten_distinctly(long, most)
    # different names must look different: what shortening cannot separate gets a number
    for group in _group_duplicates(short):
        short |= {name: f"{short[name]} ({number})" for number, name in enumerate(group, 1)}
    return [short[name] for name in full]


def text_width(text: str) -> int:
    """Return the width of a text in letters; East Asian letters count twice."""
    return sum(map(_letter_width, text))


def _to_single_line(name: object) -> str:
    """Return a name on one line, without unprintable characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())


def _shorten_distinctly(names: Sequence[str], most: int) -> dict[str, str]:
    """Return short forms of long names; groups with the same form are shortened again."""
    lines = [_to_single_line(name) for name in names]
    short = dict(zip(names, _shorten_common_parts(lines, most), strict=True))
    for group in _group_duplicates(short):
        # a smaller group shares more, so more can be cut;
        # the whole set would repeat itself for ever
        if len(group) < len(names):
            short |= _shorten_distinctly(group, most)
    return short


def _group_duplicates(short: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of names that share a short form."""
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _shorten_common_parts(texts: Sequence[str], most: int) -> list[str]:
    """Shorten texts in the parts that they share: their common beginning and end."""
    if len(texts) < 2:  # no other text to share parts with
        return [format_name(text, most) for text in texts]
    start = _drop_last_word(_common_prefix(texts))
    rests = [text[len(start) :] for text in texts]
    # after the common beginning is taken off: both must not overlap in short names
    end = _drop_last_word(_common_prefix([rest[::-1] for rest in rests]))[::-1]
    cores = [rest[: len(rest) - len(end)] for rest in rests]
    return [_join_shortened_parts(start, core, end, most) for core in cores]


def _common_prefix(texts: Sequence[str]) -> str:
    """Return the beginning that all texts share."""
    first, last = min(texts), max(texts)  # all others lie between them, so share their prefix
    differences = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(differences, min(len(first), len(last)))]


def _drop_last_word(prefix: str) -> str:
    """Return a prefix without its last, possibly cut word; a single word stays."""
    last_break = max(prefix.rfind(letter) for letter in WORD_BREAKS)
    return prefix[: last_break + 1] if last_break >= 0 else prefix


def _join_shortened_parts(start: str, core: str, end: str, most: int) -> str:
    """Join the distinguishing core of a name with short forms of the shared parts."""
    spare = most - text_width(core)
    if spare < 4:
        head = _truncate(start, most // 4)
        return head + format_name(core, most - text_width(head))
    head = _truncate(start, max(spare // 2, spare - text_width(end)))
    return head + core + _truncate(end[::-1], spare - text_width(head))[::-1]


def _truncate(text: str, width: int) -> str:
    """Return the text, cut to a width; an ellipsis marks the cut."""
    return text if text_width(text) <= width else f"{_take_width(text, width - 1).rstrip()}…"


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _take_width(text: str, width: int) -> str:
    """Return the longest beginning of a text that fits into a width."""
    used = 0
    for position, letter in enumerate(text):
        used += _letter_width(letter)
        if used > width:
            return text[:position]
    return text
