"""Pictures on their way into a page: checked, made small, coloured by the page's own variables."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from holdfast.errors import InvalidInputError
from holdfast.report._escaping import visible

if TYPE_CHECKING:
    from collections.abc import Iterator


SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "use", "image"}
TEXTS = {"text", "tspan"}
HOLDERS = {"svg", "g", "defs", "clipPath", "mask", "pattern", "marker"}
GRADIENTS = {"linearGradient", "radialGradient", "stop"}
ELEMENTS = SHAPES | TEXTS | HOLDERS | GRADIENTS
# a date, a rule for all elements of the page, and names that browsers show over the whole picture
DROPPED = frozenset({"style", "metadata", "title", "desc"})
IMAGE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*")
REFERENCE = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)[\"']?\s*\)")
FONTS = re.compile(r"font-family:[^;]*;?\s*")


def drawing(svg: str, name: str, alt: str) -> Markup:
    """Return a picture that can stand in a page, or refuse it.

    Only drawing elements are let in: no scripts, no foreign elements, no event handlers, no
    address outside the picture. Identifiers get the name of the picture as a prefix, since a page
    holds many pictures; fonts are left to the page.

    Parameters
    ----------
    svg : str
        The picture as matplotlib writes it.
    name : str
        A word that no other picture of the page has.
    alt : str
        What the picture shows, for those who do not see it.

    Raises
    ------
    InvalidInputError
        If the text is no SVG, or holds anything that could act or load.
    """
    root = _parse_svg(svg, name)
    for element in list(root.iter()):
        _drop_children(element)
    for element in root.iter():
        _check_element(element, name)
    _rename_identifiers(root, name)
    _set_accessible_name(root, alt)
    return Markup(ET.tostring(root, encoding="unicode"))


def _parse_svg(svg: str, name: str) -> ET.Element:
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise InvalidInputError(
            f"picture {name!r}: expected SVG, received text that is none: {error}"
        ) from error
    if root.tag != f"{SVG}svg":
        raise InvalidInputError(
            f"picture {name!r}: expected an <svg> element, received <{root.tag}>"
        )
    return root


def _drop_children(element: ET.Element) -> None:
    for child in list(element):
        if child.tag.removeprefix(SVG) in DROPPED:
            element.remove(child)


def _check_element(element: ET.Element, name: str) -> None:
    """Make the names of an element plain ones, and refuse it unless it only draws."""
    element.tag = element.tag.removeprefix(SVG)
    if element.tag not in ELEMENTS:
        raise _unsafe_picture_error(name, f"<{element.tag}>")
    attributes = {key.rpartition("}")[2]: value for key, value in element.items()}
    for key, value in attributes.items():
        _check_attribute(key, value, name)
    element.attrib = {key: replace_colours(_tidy(key, value)) for key, value in attributes.items()}
    element.text = visible(element.text or "") if element.tag in TEXTS else None
    element.tail = visible(element.tail or "") if element.tag == "tspan" else None


def _check_attribute(key: str, value: str, name: str) -> None:
    handler = key.lower().startswith("on")
    outside = key in {"href", "src"} and not (value.startswith("#") or IMAGE.fullmatch(value))
    loads = "url(" in REFERENCE.sub("", value).lower() or "@import" in value.lower()
    if handler or outside or loads:
        raise _unsafe_picture_error(name, f'{key}="{value[:60]}"')


def _unsafe_picture_error(name: str, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"picture {name!r} holds {what}; a report takes only shapes, text and embedded PNG images"
    )


def _tidy(key: str, value: str) -> str:
    if key == "style":
        return FONTS.sub("", value)
    return " ".join(value.split()) if key == "d" else value


def _rename_identifiers(root: ET.Element, name: str) -> None:
    """Prefix the identifiers that something refers to; take the others away."""
    used = set(_references(root))
    for element in root.iter():
        if "id" in element.attrib and element.attrib["id"] not in used:
            del element.attrib["id"]
        for key, value in element.items():
            element.set(key, _prefix_identifiers(key, value, name))


def _references(root: ET.Element) -> Iterator[str]:
    for element in root.iter():
        for key, value in element.items():
            yield from REFERENCE.findall(value)
            if key == "href":
                yield value.removeprefix("#")


def _prefix_identifiers(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return REFERENCE.sub(rf"url(#{name}-\1)", value)


def _set_accessible_name(root: ET.Element, alt: str) -> None:
    """Give the picture its name for screen readers; the page decides on its width."""
    for key in ("height", "version", "aria-labelledby"):
        root.attrib.pop(key, None)
    root.set("role", "img")
    root.set("aria-label", alt)


# Colours of pictures, swapped for variables so that pictures follow a dark page.

HEX = re.compile(r"#[0-9a-fA-F]{6}\b")


def replace_colours(value: str) -> str:
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
        f".holdfast{{{_format_declarations(light)}}}\n"
        "@media screen and "
        f"(prefers-color-scheme:dark){{.holdfast{{{_format_declarations(dark)}}}}}\n"
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


def _format_declarations(colours: dict[str, str]) -> str:
    return ";".join(f"--hf-{name}:{colour}" for name, colour in colours.items())
