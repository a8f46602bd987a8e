"""How pictures look: colours that most eyes can tell apart, line styles, sizes of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from holdfast._text import did_you_mean
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

Style = Literal["light", "dark"]

# The hues follow Okabe and Ito; each value stands for one name, so that a page can swap them.
COLOURS: dict[str, str] = {
    "ink": "#1f2933",
    "muted": "#5b6873",
    "rule": "#dde3e8",
    "paper": "#ffffff",
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "purple": "#b5629b",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "slate": "#7a858f",
}
"""Colours on a light page, by name."""
DARK: dict[str, str] = {
    "ink": "#e6eaee",
    "muted": "#a3afba",
    "rule": "#343d46",
    "paper": "#14181d",
    "blue": "#4da3dc",
    "vermilion": "#f0803c",
    "green": "#2fc39b",
    "purple": "#dd98c4",
    "orange": "#f2b63d",
    "sky": "#8fd0f5",
    "slate": "#8996a3",
}
"""The same on a dark page."""
STYLES: dict[str, Mapping[str, str]] = {"light": COLOURS, "dark": DARK}

FAMILIES = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
"""Fonts of the text in SVG files, the first that the reader has."""
LABEL, TICK, NOTE = 9.0, 8.5, 8.0
"""Sizes of text in points: of labels of axes, of ticks and names, of remarks."""
WIDTH = 7.0
"""Width of a picture in inches."""

SERIES = ("blue", "vermilion", "green", "purple", "orange", "sky", "slate")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.5, 1.5)),
    (0, (6, 1.5, 1.5, 1.5)),
    (0, (9, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
)


class Look(NamedTuple):
    """How one of several selectors is drawn; differs by more than its colour."""

    colour: str
    marker: str
    dash: Any


def palette(style: str) -> Mapping[str, str]:
    """Return the colours of a style."""
    if style not in STYLES:
        raise UnknownNameError(f"style must be one of {list(STYLES)}, got {style!r}."
                               f"{did_you_mean(str(style), STYLES)}")  # fmt: skip
    return STYLES[style]


def look(position: int, colours: Mapping[str, str]) -> Look:
    """Return the look of the selector at a position."""
    turn, place = divmod(position, len(SERIES))
    marker = MARKERS[(place + turn) % len(MARKERS)]
    return Look(colours[SERIES[place]], marker, DASHES[turn % len(DASHES)])
