"""Colours of pictures, swapped for variables so that pictures follow a dark page."""

from __future__ import annotations

import re
from functools import cache

HEX = re.compile(r"#[0-9a-fA-F]{6}\b")


def swapped(value: str) -> str:
    """Return an attribute of a picture with each named colour as a variable of the page.

    Colours that the palette does not name stay as they are.
    """
    names = _names()
    return HEX.sub(lambda found: _variable(found.group(), names), value)


def colour_rules() -> str:
    """Return the style rules that give the variables their values, light and dark.

    Paper is always light: the dark values hold on screens only.
    """
    light, dark = _palettes()
    return (
        f".holdfast{{{_declared(light)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{.holdfast{{{_declared(dark)}}}}}\n"
    )


def _variable(colour: str, names: dict[str, str]) -> str:
    name = names.get(colour.lower())
    return f"var(--hf-{name})" if name else colour


@cache
def _names() -> dict[str, str]:
    return {colour.lower(): name for name, colour in _palettes()[0].items()}


def _palettes() -> tuple[dict[str, str], dict[str, str]]:
    # here, not above: whoever imports the report does not yet draw
    from holdfast.plot._style import COLOURS, DARK  # noqa: PLC0415

    return COLOURS, DARK


def _declared(colours: dict[str, str]) -> str:
    return ";".join(f"--hf-{name}:{colour}" for name, colour in colours.items())
