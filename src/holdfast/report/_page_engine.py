"""The page engine of reports and papers: templates, pictures, Markdown tables, files.

Pages are single files. They hold their style and pictures, and a content security policy forbids
them to load anything.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from holdfast._formatting import spell_out_invisible
from holdfast.errors import InvalidInputError, StoreError

if TYPE_CHECKING:
    from jinja2 import Environment


# Templates and assets.


def make_environment(
    *packages: str, finalize: Callable[[object], object] | None = None
) -> Environment:
    """Return a template environment that looks for templates in these packages, in order.

    `finalize` is applied to each value before it is shown.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(lambda name: read_asset(name, *packages)),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def read_asset(name: str, *packages: str) -> str:
    """Return a template, style sheet or script from the first package that has it."""
    folders = [resources.files(package) / "templates" for package in packages]
    file = next(folder / name for folder in folders if (folder / name).is_file())
    return file.read_text(encoding="utf-8")


def page_head(style: str = "", script: str = "") -> dict[str, str]:
    """Return what the head of each page needs: its style, its script and its security policy.

    Parameters
    ----------
    style : str
        Rules in addition to those that all pages share.
    script : str
        The script of the page, if it has one.
    """
    style = read_asset("style.css", "holdfast.report") + colour_rules() + style
    return {
        "style": Markup(style),
        "script": Markup(script),
        "security_policy": content_security_policy(style, script),
    }


def content_security_policy(style: str, script: str) -> str:
    """Return the content security policy: this style, this script, nothing else.

    Style attributes are allowed, since pictures use many of them. They can load nothing, because
    no address is allowed.
    """
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src-elem '{_digest(style)}'; "
        "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# Pictures in a page: checked, made small, coloured by variables of the page.

SVG = "{http://www.w3.org/2000/svg}"
SHAPE_ELEMENTS = {
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "use",
    "image",
}
TEXT_ELEMENTS = {"text", "tspan"}
CONTAINER_ELEMENTS = {"svg", "g", "defs", "clipPath", "mask", "pattern", "marker"}
GRADIENT_ELEMENTS = {"linearGradient", "radialGradient", "stop"}
ALLOWED_ELEMENTS = SHAPE_ELEMENTS | TEXT_ELEMENTS | CONTAINER_ELEMENTS | GRADIENT_ELEMENTS
# a date, style rules that would apply to the whole page, and names that browsers show as tooltips
DROPPED_ELEMENTS = frozenset({"style", "metadata", "title", "desc"})
EMBEDDED_IMAGE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]*")
INTERNAL_REFERENCE = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)[\"']?\s*\)")
FONT_FAMILY_RULE = re.compile(r"font-family:[^;]*;?\s*")


def embed_svg(svg: str, name: str, alt: str) -> Markup:
    """Return a picture as part of a page; raise if it does more than draw.

    Only elements that draw are allowed: no scripts, no foreign elements, no event handlers, no
    address outside the picture. Identifiers get the name of the picture as a prefix, since a page
    holds many pictures; the page sets the fonts.

    Parameters
    ----------
    svg : str
        The picture as matplotlib writes it.
    name : str
        An identifier that is unique in the page.
    alt : str
        A description of the picture for screen readers.

    Raises
    ------
    InvalidInputError
        If the text is not SVG, or contains anything that could run or load.
    """
    root = _parse_svg(svg, name)
    for element in list(root.iter()):  # a list, as the tree changes
        for child in list(element):
            if child.tag.removeprefix(SVG) in DROPPED_ELEMENTS:
                element.remove(child)
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
            f"picture {name!r}: expected SVG, got text that does not parse: {error}"
        ) from error
    if root.tag != f"{SVG}svg":
        raise InvalidInputError(f"picture {name!r}: expected an <svg> element, got <{root.tag}>")
    return root


def _check_element(element: ET.Element, name: str) -> None:
    """Remove the namespaces of an element, and raise unless it only draws."""
    element.tag = element.tag.removeprefix(SVG)
    if element.tag not in ALLOWED_ELEMENTS:
        raise _unsafe_picture_error(name, f"<{element.tag}>")
    attributes = {key.rpartition("}")[2]: value for key, value in element.items()}
    for key, value in attributes.items():
        _check_attribute(key, value, name)
    if "style" in attributes:
        attributes["style"] = FONT_FAMILY_RULE.sub("", attributes["style"])
    if "d" in attributes:
        attributes["d"] = " ".join(attributes["d"].split())
    element.attrib = {key: replace_colours(value) for key, value in attributes.items()}
    element.text = spell_out_invisible(element.text or "") if element.tag in TEXT_ELEMENTS else None
    element.tail = spell_out_invisible(element.tail or "") if element.tag == "tspan" else None


def _check_attribute(key: str, value: str, name: str) -> None:
    handler = key.lower().startswith("on")
    outside = key in {"href", "src"} and not (
        value.startswith("#") or EMBEDDED_IMAGE.fullmatch(value)
    )
    # what is left of "url(" without the references within the picture is an address
    loads = "url(" in INTERNAL_REFERENCE.sub("", value).lower() or "@import" in value.lower()
    if handler or outside or loads:
        raise _unsafe_picture_error(name, f'{key}="{value[:60]}"')


def _unsafe_picture_error(name: str, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"picture {name!r} contains {what}; pages take only shapes, text and embedded PNG images"
    )


def _rename_identifiers(root: ET.Element, name: str) -> None:
    """Prefix the identifiers that are referenced; remove the others."""
    used: set[str] = set()
    for element in root.iter():
        used.update(*map(INTERNAL_REFERENCE.findall, element.attrib.values()))
        if "href" in element.attrib:
            used.add(element.attrib["href"].removeprefix("#"))
    for element in root.iter():
        if "id" in element.attrib and element.attrib["id"] not in used:
            del element.attrib["id"]
        for key, value in element.items():
            element.set(key, _prefix_identifiers(key, value, name))


def _prefix_identifiers(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return INTERNAL_REFERENCE.sub(rf"url(#{name}-\1)", value)


def _set_accessible_name(root: ET.Element, alt: str) -> None:
    """Set the name for screen readers; the page sets the width."""
    for key in ("height", "version", "aria-labelledby"):
        root.attrib.pop(key, None)
    root.set("role", "img")
    root.set("aria-label", alt)


# Colours of pictures, replaced by variables so that pictures follow a dark page.

HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")


def replace_colours(value: str) -> str:
    """Return an attribute of a picture with the colours of the palette as variables.

    Other colours are kept.
    """
    variables = _colour_variables()
    return HEX_COLOUR.sub(lambda match: variables.get(match[0].lower(), match[0]), value)


def colour_rules() -> str:
    """Return the style rules that define the colour variables, light and dark.

    Print is always light: the dark values apply to screens only.
    """
    light, dark = _palettes()
    return (
        f".holdfast{{{_format_declarations(light)}}}\n"
        "@media screen and "
        f"(prefers-color-scheme:dark){{.holdfast{{{_format_declarations(dark)}}}}}\n"
    )


@cache
def _colour_variables() -> dict[str, str]:
    """Return the variable of each colour of the light palette, in which pictures are drawn."""
    return {colour.lower(): f"var(--hf-{name})" for name, colour in _palettes()[0].items()}


def _palettes() -> tuple[dict[str, str], dict[str, str]]:
    # imported here: not every use of the report needs matplotlib
    from holdfast.plot import COLOURS, DARK

    return COLOURS, DARK


def _format_declarations(colours: dict[str, str]) -> str:
    return ";".join(f"--hf-{name}:{colour}" for name, colour in colours.items())


# Markdown.


def format_markdown_table(
    heads: Sequence[str], rows: Iterable[Iterable[str]], *, n_text_columns: int | None = None
) -> str:
    """Return a table; columns after the first `n_text_columns` are aligned to the right."""
    n_text = len(heads) if n_text_columns is None else n_text_columns
    rule = ["---"] * n_text + ["---:"] * (len(heads) - n_text)
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *rows))


# Files.

GENERATOR_TAG = '<meta name="generator" content="holdfast'
"""A tag of each page, by which holdfast recognizes its pages."""
MAX_HEAD_LENGTH = 1 << 12
"""Characters at the start of a file that are searched for the mark of holdfast (by hand)."""


def has_mark(path: Path, mark: str) -> bool:
    """Return whether a mark of holdfast is at the start of a file."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return mark in file.read(MAX_HEAD_LENGTH)
    except OSError:
        return False


def write_atomically(texts: Mapping[Path, str]) -> None:
    """Write all files under temporary names, then rename them, so that none is ever partial."""
    temporary = {path: path.with_name(f".{path.name}.partial") for path in texts}
    path = next(iter(texts))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            temporary[path].write_bytes(text.encode())
        for path, new in temporary.items():
            new.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path}: the file cannot be written ({error.strerror or error}); existing files are "
            "unchanged. The study itself is kept: free some space, or choose another place."
        ) from error
    finally:
        for new in temporary.values():
            with suppress(OSError):  # renamed already, or the folder is gone or read-only
                new.unlink()
