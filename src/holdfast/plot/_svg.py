"""SVG that can stand in a page beside others: own identifiers, few bytes, text for readers."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from holdfast.plot._style import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Callable

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
REFERENCE = re.compile(r"#(?P<id>[\w.-]+)")
ROUNDED = ("d", "transform", "x", "y", "width", "height", "viewBox")
RECTANGLE = re.compile(r"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 z ?")
UNTURNED = re.compile(r"rotate\(-?0 [^)]*\)")


def polished(text: str, title: str, description: str) -> str:
    """Return what matplotlib wrote as an element that is small, described and self-contained."""
    root = ET.fromstring(text)
    for element in root.iter():
        _localise(element)
    _strip(root)
    for element in root.iter():
        _shorten(element)
    _flatten(root)
    _describe(root, title, description)
    body = ET.tostring(root, encoding="unicode")
    _name_apart(root, f"hf{hashlib.sha256(body.encode()).hexdigest()[:10]}-")
    return ET.tostring(root, encoding="unicode")


def _localise(element: ET.Element) -> None:
    """Write names without namespaces, as web pages do; the root names the one that is left."""
    element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    link = element.attrib.pop(f"{{{XLINK}}}href", None)
    if link is not None:
        element.attrib["href"] = link


def _strip(root: ET.Element) -> None:
    """Remove what speaks about the program, and rules that would reach beyond the element."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):
                parent.remove(child)
    root.attrib.pop("version", None)
    root.attrib.update({"xmlns": SVG, "stroke-linejoin": "round", "font-family": FAMILIES})
    for key in ("width", "height"):
        root.attrib[key] = root.attrib[key].removesuffix("pt")


def _shorten(element: ET.Element) -> None:
    """Round coordinates to hundredths of a point, and leave the family of fonts to the root.

    Rectangles are written by their edges, in half the bytes.
    """
    if element.tag != "text":
        element.text = element.text if (element.text or "").strip() else None
    element.tail = None
    for key in ROUNDED:
        if key in element.attrib and element.tag != "image":
            short = NUMBER.sub(_rounded(3 if key == "transform" else 2), element.attrib[key])
            element.attrib[key] = RECTANGLE.sub(r"M\1 \2H\3V\4H\1z", " ".join(short.split()))
    if UNTURNED.fullmatch(element.attrib.get("transform", "")):
        del element.attrib["transform"]
    if "style" in element.attrib:
        element.attrib["style"] = _short_style(element.attrib["style"])


def _short_style(style: str) -> str:
    rules = [rule.strip() for rule in style.split(";")]
    return ";".join(
        re.sub(r": +", ":", NUMBER.sub(_rounded(3), rule))
        for rule in rules
        if rule and not rule.startswith("font-family")
    )


def _rounded(digits: int) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{round(float(found[0]), digits) + 0.0:.10g}"


def _flatten(element: ET.Element) -> None:
    """Let groups go that say nothing, and say once what all marks of a group share."""
    children: list[ET.Element] = []
    for child in element:
        _flatten(child)
        plain = child.tag in ("g", "defs") and not child.attrib.keys() - {"id"}
        empty = plain and not len(child)
        children += list(child) if plain and child.tag == "g" else [child] * (not empty)
    element[:] = children
    marks = [child for child in element if child.tag == "use"]
    styles = {mark.attrib.get("style") for mark in marks}
    if element.tag == "g" and len(marks) == len(element) > 1 and len(styles) == 1:
        element.attrib["style"] = styles.pop() or ""
        for mark in marks:
            mark.attrib.pop("style", None)


def _describe(root: ET.Element, title: str, description: str) -> None:
    root.attrib |= {"role": "img", "aria-labelledby": "#title #desc"}
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        part = ET.Element(tag, {"id": tag})
        part.text = text
        root.insert(position, part)


def _name_apart(root: ET.Element, prefix: str) -> None:
    """Put the prefix before all identifiers and all that refers to them; drop unused ones."""
    used = {one for element in root.iter() for one in _references(element)}
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.attrib["id"] = prefix + str(name)
        for key, value in element.attrib.items():
            if _refers(key, value):
                element.attrib[key] = REFERENCE.sub(rf"#{prefix}\g<id>", value)
    root.attrib["aria-labelledby"] = root.attrib["aria-labelledby"].replace("#", "")


def _references(element: ET.Element) -> list[str]:
    found = (v for k, v in element.attrib.items() if _refers(k, v))
    return [one for value in found for one in REFERENCE.findall(value)]


def _refers(key: str, value: str) -> bool:
    """Tell an attribute that points at other elements from one that merely names a colour."""
    return key in ("href", "clip-path", "aria-labelledby") and "#" in value
