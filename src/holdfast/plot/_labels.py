"""Labels beside points, placed so that they cover neither each other nor the points."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from matplotlib.transforms import Affine2D, ScaledTranslation, blended_transform_factory

from holdfast.plot._style import NOTE, TICK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.transforms import Affine2DBase, Transform
    from numpy.typing import NDArray

    from holdfast.plot._canvas import Canvas


LETTER = 0.6
"""Width of a usual letter, in sizes of the font; a little generous."""
LABEL_DISTANCE_POINTS = 9.0
"""Distance of the nearest labels from their points, in points of text."""
MAX_LABEL_COST = 10.0
"""Cost of a label that leaves the frame by a point of text, or covers another or many dots."""


class LabelOffset(NamedTuple):
    """Where a label stands: offset from its point in points of text, and its alignment."""

    dx: float
    dy: float
    side: str


def _candidates() -> list[LabelOffset]:
    """Return places around a point, the nearest and most readable first."""
    places = []
    for reach in (
        LABEL_DISTANCE_POINTS,
        2 * LABEL_DISTANCE_POINTS,
        3.5 * LABEL_DISTANCE_POINTS,
        5 * LABEL_DISTANCE_POINTS,
        7 * LABEL_DISTANCE_POINTS,
    ):
        slant = 0.75 * reach
        places += [
            LabelOffset(reach, 0, "left"), LabelOffset(-reach, 0, "right"),
            LabelOffset(slant, slant, "left"),
            LabelOffset(-slant, slant, "right"), LabelOffset(slant, -slant, "left"),
            LabelOffset(-slant, -slant, "right"), LabelOffset(0, reach + 2, "center"),
            LabelOffset(0, -reach - 2, "center"),
        ]  # fmt: skip
    return places


def place_labels(
    sheet: Canvas, points: NDArray[np.float64], texts: Sequence[str], anchors: NDArray[np.float64]
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
        if costs[best] >= MAX_LABEL_COST and not sheet.own:
            continue  # a given place may be too small for all
        taken.append(boxes[best])
        _write(sheet, text, anchor, _candidates()[best])


def _box(spot: NDArray[np.float64], place: LabelOffset, text: str) -> NDArray[np.float64]:
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


def _write(sheet: Canvas, text: str, anchor: NDArray[np.float64], place: LabelOffset) -> None:
    far = float(np.hypot(place.dx, place.dy)) > 1.8 * LABEL_DISTANCE_POINTS
    line = {"arrowstyle": "-", "color": sheet.colours["muted"], "linewidth": 0.5}
    sheet.ax.annotate(
        text, (float(anchor[0]), float(anchor[1])), (place.dx, place.dy),
        textcoords="offset points", ha=place.side, va="center", fontsize=NOTE,
        color=sheet.colours["ink"], parse_math=False, zorder=6,
        bbox={"facecolor": sheet.colours["paper"], "alpha": 0.75, "linewidth": 0, "pad": 0.8},
        arrowprops={**line, "shrinkA": 1, "shrinkB": 4} if far else None,
    )  # fmt: skip


# Names of lines in the right margin, spread so that none covers another.

SPACING = 1.45
"""Distance between lines of text, in sizes of their letters."""
SAMPLE = (10.0, 17.0, 24.0)
"""Where samples of lines begin, have their mark, and end: points from the axes."""


class LineLabel(NamedTuple):
    """Where a line ends, what it is called, and how it is drawn."""

    x: float
    y: float
    name: str
    line: dict[str, Any]


def height_for(count: int) -> float:
    """Return the inches that so many names in a margin need."""
    return count * SPACING * TICK / 72


def draw_line_labels(sheet: Canvas, endings: Sequence[LineLabel]) -> None:
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
            "",
            (ending.x, ending.y),
            (SAMPLE[0], place),
            "data",
            _margin_transform(sheet),
            arrowprops=thin,
        )
        _entry(sheet, place, ending.name, ending.line, size)


def list_names(sheet: Canvas, entries: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Write names with their samples below each other, from the top."""
    size = sheet.size(len(entries))
    gap = min(SPACING * size / sheet.height(), 1 / max(len(entries) - 1, 1))
    for position, (name, line) in enumerate(entries):
        _entry(sheet, 1 - (position + 0.5) * gap, name, line, size)


def _entry(sheet: Canvas, place: float, name: str, line: dict[str, Any], size: float) -> None:
    ax, beside = sheet.ax, _margin_transform(sheet)
    ax.plot(SAMPLE, [place] * 3, transform=beside, clip_on=False, markevery=[1], **line)
    ax.text(
        SAMPLE[-1] + 6, place, name, transform=beside, va="center_baseline", fontsize=size,
        color=sheet.colours["ink"], parse_math=False,
    )  # fmt: skip


def _margin_transform(sheet: Canvas) -> Transform:
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


# Names in pictures: literal, on one line, and not too long.

MAX_NAME_LETTERS = 30
"""Widest name that is shown whole, in letters of usual width."""
BLANK = "(no name)"
BREAKS = " _-.,:;/|"
"""Where names may be cut without splitting a word."""


def format_name(name: object, most: int = MAX_NAME_LETTERS) -> str:
    """Return a name as pictures show it: what is too long loses its middle.

    Examples
    --------
    >>> from holdfast.plot._labels import format_name
    >>> format_name("a very long name of a feature", most=15)
    'a very …feature'
    """
    text = _plain(name)
    if width(text) <= most:
        return text or BLANK
    head = _fitting(text, (most - 1) // 2)
    tail = _fitting(text[::-1], most - 1 - (most - 1) // 2)[::-1]
    return f"{head}…{tail}"


def format_distinct_names(names: Iterable[object], most: int = MAX_NAME_LETTERS) -> list[str]:
    """Return names as pictures show them; what is too long keeps what tells it from others.

    Names that look alike even so are numbered.

    Examples
    --------
    >>> from holdfast.plot._labels import format_distinct_names
    >>> names = [f"relieff with k={k} and the usual distance" for k in (5, 10)]
    >>> format_distinct_names(names, most=20)
    ['relieff…k=5…distance', 'relieff…k=10…istance']
    """
    whole = [str(name) for name in names]
    distinct = list(dict.fromkeys(whole))
    short = {name: format_name(name, most) for name in distinct}
    short |= _shorten_distinctly([name for name in distinct if width(_plain(name)) > most], most)
    numbered = _number_duplicates(short)
    return [numbered[name] for name in whole]


def width(text: str) -> int:
    """Return the width of a text in usual letters; those of East Asia are twice as wide."""
    return sum(map(_width_of, text))


def _plain(name: object) -> str:
    """Return a name on one line, without what cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())


def _shorten_distinctly(names: Sequence[str], most: int) -> dict[str, str]:
    """Return short forms of long names; those that come out alike are compared once more."""
    short = dict(
        zip(names, _shorten_common_parts([_plain(name) for name in names], most), strict=True)
    )
    for group in _alike(short):
        if len(group) < len(names):
            short |= _shorten_distinctly(group, most)
    return short


def _alike(short: Mapping[str, str]) -> list[list[str]]:
    """Return the names that share a short form, together."""
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _number_duplicates(short: Mapping[str, str]) -> dict[str, str]:
    """Return short forms with a number behind those that several names share."""
    places = {name: i for group in _alike(short) for i, name in enumerate(group, start=1)}
    return {name: f"{text} ({places[name]})" if name in places else text
            for name, text in short.items()}  # fmt: skip


def _shorten_common_parts(texts: Sequence[str], most: int) -> list[str]:
    """Shorten texts at what they share: their common beginning and end."""
    if len(texts) < 2:  # nothing to compare with
        return [format_name(text, most) for text in texts]
    start = _word_before(_common_prefix(texts))
    rests = [text[len(start) :] for text in texts]
    end = _word_before(_common_prefix([rest[::-1] for rest in rests]))[::-1]
    cores = [rest[: len(rest) - len(end)] for rest in rests]
    return [_join_shortened_parts(start, core, end, most) for core in cores]


def _common_prefix(texts: Sequence[str]) -> str:
    """Return the beginning that all texts share."""
    first, last = min(texts), max(texts)
    same = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(same, min(len(first), len(last)))]


def _word_before(shared: str) -> str:
    """Return what is shared without the word that it ends in, if there are several words."""
    cut = max((shared.rfind(letter) for letter in BREAKS), default=-1)
    return shared[: cut + 1] if cut >= 0 else shared


def _join_shortened_parts(start: str, core: str, end: str, most: int) -> str:
    """Write what is special about a name between short forms of what it shares."""
    spare = most - width(core)
    if spare < 4:
        head = _cut(start, most // 4)
        return head + format_name(core, most - width(head))
    head = _cut(start, max(spare // 2, spare - width(end)))
    return head + core + _cut(end[::-1], spare - width(head))[::-1]


def _cut(text: str, room: int) -> str:
    """Return as much of the beginning as fits, with a sign of what is left out."""
    return text if width(text) <= room else f"{_fitting(text, room - 1).rstrip()}…"


def _width_of(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _fitting(text: str, room: int) -> str:
    """Return as much of the beginning as there is room for."""
    used = 0
    for position, letter in enumerate(text):
        used += _width_of(letter)
        if used > room:
            return text[:position]
    return text
