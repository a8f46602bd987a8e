"""What a plotting function returns: the picture, and the numbers that it shows."""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import matplotlib as mpl

from holdfast._formatting import format_list
from holdfast.errors import InvalidInputError
from holdfast.plot._style import FAMILIES, ignore_font_warnings

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


RESOLUTION = 200
FORMATS = ("svg", "png", "pdf")
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "holdfast", "pdf.fonttype": 42}


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture, the numbers that it shows, and what it shows in words.

    Notebooks show it by themselves; elsewhere, save it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure that was drawn into.
    axes : tuple of matplotlib.axes.Axes
        The parts of it that hold the picture, the main one first.
    numbers : pandas.DataFrame
        What is drawn, with names unabridged.
    title : str
        A heading; it is not drawn.
    description : str
        What is to be seen, in a sentence or two, for those who cannot see it.

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
        """The main part of the picture, to change it further."""
        return self.axes[0]

    def svg(self, *, background: bool = False) -> str:
        """Return the picture as an ``<svg>`` element that can stand in a web page.

        Text stays text, equal pictures give equal bytes, and nothing in the element depends on
        what else is on the page: identifiers are its own. Title and description are in it.

        Parameters
        ----------
        background : bool, default False
            Paint the background of the figure; else the page shows through.
        """
        stream = io.StringIO()
        with ignore_font_warnings(), mpl.rc_context(SETTINGS):
            self.figure.savefig(
                stream, format="svg", dpi=RESOLUTION, transparent=not background,
                metadata={"Date": None},
            )  # fmt: skip
        return clean_svg(stream.getvalue(), self.title, self.description)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file; the ending says how: ``.svg``, ``.png`` or ``.pdf``."""
        target = Path(path)
        kind = target.suffix.lower().removeprefix(".")
        if kind not in FORMATS:
            raise InvalidInputError(
                f"{target}: pictures are saved as {format_list(f'.{one}' for one in FORMATS)}, got "
                f"the ending {target.suffix!r}."
            )
        if kind == "svg":
            target.write_text(self.svg(background=True) + "\n", encoding="utf-8")
        else:
            self._render(target, kind)
        return target

    def _render(self, target: Path, kind: str) -> None:
        nothing = {"png": {"Software": None}, "pdf": {"CreationDate": None}}
        with ignore_font_warnings(), mpl.rc_context(SETTINGS):
            self.figure.savefig(target, format=kind, dpi=RESOLUTION, metadata=nothing[kind])

    def __repr__(self) -> str:
        return f'<Picture: {self.title}. Next: .save("picture.svg")>'

    def _repr_svg_(self) -> str:
        return self.svg(background=True)


# SVG that can stand in a page beside others: own identifiers, few bytes, text for readers.

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
REFERENCE = re.compile(r"#(?P<id>[\w.-]+)")
ROUNDED = ("d", "transform", "x", "y", "width", "height", "viewBox")
RECTANGLE = re.compile(r"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 z ?")
UNTURNED = re.compile(r"rotate\(-?0 [^)]*\)")


def clean_svg(text: str, title: str, description: str) -> str:
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
            short = NUMBER.sub(_make_rounder(3 if key == "transform" else 2), element.attrib[key])
            element.attrib[key] = RECTANGLE.sub(r"M\1 \2H\3V\4H\1z", " ".join(short.split()))
    if UNTURNED.fullmatch(element.attrib.get("transform", "")):
        del element.attrib["transform"]
    if "style" in element.attrib:
        element.attrib["style"] = _short_style(element.attrib["style"])


def _short_style(style: str) -> str:
    rules = [rule.strip() for rule in style.split(";")]
    return ";".join(
        re.sub(r": +", ":", NUMBER.sub(_make_rounder(3), rule))
        for rule in rules
        if rule and not rule.startswith("font-family")
    )


def _make_rounder(digits: int) -> Callable[[re.Match[str]], str]:
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
