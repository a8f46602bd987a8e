"""The picture returned by plotting functions, and its cleaned SVG."""

from __future__ import annotations

import hashlib
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from holdfast._formatting import format_list, join_lines
from holdfast.errors import InvalidInputError
from holdfast.plot._style import FONT_FAMILIES, ignore_font_warnings

RESOLUTION_DPI = 200
"""Resolution of PNG files, and of images within SVG and PDF files (chosen by eye)."""
FILE_FORMATS = ("svg", "png", "pdf")
RC_SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "holdfast", "pdf.fonttype": 42}
"""Text stays text, and identifiers depend on nothing but the drawing."""
FILE_METADATA: Any = {"png": {"Software": None}, "pdf": {"CreationDate": None}}
"""Entries removed from files, so that equal pictures give equal files."""


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture, the numbers drawn, and a description in words.

    Notebooks display it; elsewhere, save it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure drawn into.
    axes : tuple of matplotlib.axes.Axes
        The axes of the picture, the main one first.
    numbers : pandas.DataFrame
        The numbers drawn, with full names.
    title : str
        A heading; it is not drawn.
    description : str
        What the picture shows, in one or two sentences, for readers who cannot see it.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"feature": ["TP53", "MYC"], "frequency": [0.9, 0.4]})
    >>> picture = hf.plot.frequencies(table)
    >>> picture
    <Picture: How often features are selected. Next: .save("picture.svg")>
    >>> picture.svg()[:4]
    '<svg'
    """

    figure: Figure
    axes: tuple[Axes, ...]
    numbers: pd.DataFrame
    title: str
    description: str

    @property
    def ax(self) -> Axes:
        """The main axes, for further changes."""
        return self.axes[0]

    def svg(self, *, background: bool = False) -> str:
        """Return the picture as an ``<svg>`` element for a web page.

        Text stays text, equal pictures give equal bytes, and identifiers are unique on the page.
        The element includes title and description.

        Parameters
        ----------
        background : bool, default False
            Paint the background of the figure; otherwise it is transparent.
        """
        stream = io.StringIO()
        with ignore_font_warnings(), mpl.rc_context(RC_SETTINGS):
            self.figure.savefig(
                stream, format="svg", dpi=RESOLUTION_DPI, transparent=not background,
                metadata={"Date": None},
            )  # fmt: skip
        return clean_svg(stream.getvalue(), self.title, self.description)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file; the suffix sets the format: ``.svg``, ``.png``, ``.pdf``."""
        target = Path(path)
        file_format = target.suffix.lower().removeprefix(".")
        if file_format not in FILE_FORMATS:
            allowed = format_list(f".{name}" for name in FILE_FORMATS)
            raise InvalidInputError(
                f"{target}: pictures are saved as {allowed}, got the suffix {target.suffix!r}."
            )
        if file_format == "svg":
            # a file is shown on unknown backgrounds; a page has its own
            target.write_text(self.svg(background=True) + "\n", encoding="utf-8")
            return target
        with ignore_font_warnings(), mpl.rc_context(RC_SETTINGS):
            self.figure.savefig(
                target, format=file_format, dpi=RESOLUTION_DPI, metadata=FILE_METADATA[file_format]
            )
        return target

    def __repr__(self) -> str:
        return join_lines([f'<Picture: {self.title}. Next: .save("picture.svg")>'])

    def _repr_svg_(self) -> str:
        return self.svg(background=True)


# SVG for web pages: unique identifiers, few bytes, a text alternative.

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DECIMAL_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
ELEMENT_REFERENCE = re.compile(r"#(?P<id>[\w.-]+)")
ROUNDED_ATTRIBUTES = ("d", "transform", "x", "y", "width", "height", "viewBox")
RECTANGLE_PATH = re.compile(r"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 z ?")
ZERO_ROTATION = re.compile(r"rotate\(-?0 [^)]*\)")


def clean_svg(text: str, title: str, description: str) -> str:
    """Return matplotlib's SVG as a small, described and self-contained element."""
    root = ET.fromstring(text)
    # names without namespaces, as in web pages; the root declares the only one left
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
        link = element.attrib.pop(f"{{{XLINK}}}href", None)
        if link is not None:
            element.attrib["href"] = link
    _drop_document_parts(root)
    for element in root.iter():
        _shorten_element(element)
    _flatten_groups(root)
    _add_title_and_description(root, title, description)
    # identifiers depend on the content alone: unique on a page, equal for equal pictures
    body = ET.tostring(root, encoding="unicode")
    _prefix_identifiers(root, f"hf{hashlib.sha256(body.encode()).hexdigest()[:10]}-")
    return ET.tostring(root, encoding="unicode")


def _drop_document_parts(root: ET.Element) -> None:
    """Remove metadata about the program, and style rules that would apply to the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):
                parent.remove(child)
    root.attrib.pop("version", None)
    root.attrib.update({"xmlns": SVG, "stroke-linejoin": "round", "font-family": FONT_FAMILIES})
    for key in ("width", "height"):
        root.attrib[key] = root.attrib[key].removesuffix("pt")


def _shorten_element(element: ET.Element) -> None:
    """Round coordinates to hundredths of a point, and write rectangles by their edges.

    The root sets the font family once for all elements.
    """
    if element.tag != "text":
        element.text = element.text if (element.text or "").strip() else None
    element.tail = None
    for key in ROUNDED_ATTRIBUTES:
        if key in element.attrib and element.tag != "image":
            # transforms scale what they contain, so their rounding counts more
            digits = 3 if key == "transform" else 2
            rounded = " ".join(_round_numbers(element.attrib[key], digits).split())
            element.attrib[key] = RECTANGLE_PATH.sub(r"M\1 \2H\3V\4H\1z", rounded)
    if ZERO_ROTATION.fullmatch(element.attrib.get("transform", "")):
        del element.attrib["transform"]
    if "style" in element.attrib:
        rules = [rule.strip() for rule in element.attrib["style"].split(";")]
        element.attrib["style"] = ";".join(
            re.sub(r": +", ":", _round_numbers(rule, 3))
            for rule in rules
            if rule and not rule.startswith("font-family")
        )


def _round_numbers(text: str, digits: int) -> str:
    # + 0.0 turns -0.0 into 0
    return DECIMAL_NUMBER.sub(lambda number: f"{round(float(number[0]), digits) + 0.0:.10g}", text)


def _flatten_groups(element: ET.Element) -> None:
    """Drop groups without attributes, and move a style shared by all marks to their group."""
    children: list[ET.Element] = []
    for child in element:
        _flatten_groups(child)
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


def _add_title_and_description(root: ET.Element, title: str, description: str) -> None:
    root.attrib |= {"role": "img", "aria-labelledby": "#title #desc"}
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        part = ET.Element(tag, {"id": tag})
        part.text = text
        root.insert(position, part)


def _prefix_identifiers(root: ET.Element, prefix: str) -> None:
    """Prefix identifiers and the references to them; drop unused identifiers."""
    used = {
        name
        for element in root.iter()
        for key, value in element.attrib.items()
        if _is_reference(key, value)
        for name in ELEMENT_REFERENCE.findall(value)
    }
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.attrib["id"] = prefix + str(name)
        for key, value in element.attrib.items():
            if _is_reference(key, value):
                element.attrib[key] = ELEMENT_REFERENCE.sub(rf"#{prefix}\g<id>", value)
    root.attrib["aria-labelledby"] = root.attrib["aria-labelledby"].replace("#", "")


def _is_reference(key: str, value: str) -> bool:
    """Return whether an attribute refers to other elements; a ``#`` may also start a colour."""
    return key in ("href", "clip-path", "aria-labelledby") and "#" in value
