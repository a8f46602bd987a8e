"""A document as one page, and the page that lists several."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from holdfast.papers._document import settings_shown, tally
from holdfast.papers._layout import grid
from holdfast.papers._words import (
    agreement_rows,
    agreement_sentence,
    data_sentences,
    size_word,
    summary,
)
from holdfast.report._assets import asset, policy, style_sheet
from holdfast.report._drawing import drawing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Environment

    from holdfast.papers._document import Document
    from holdfast.papers._layout import Cell
    from holdfast.plot import Picture

SHADES = (0.1, 0.25, 0.5)
"""Differences that are shaded more and more, as parts of the range of the published numbers."""


def to_html(document: Document, pictures: Mapping[str, Picture]) -> str:
    """Return a document as one self-contained page."""
    settings = settings_shown(document)
    grids = [(one, grid(document, one["name"])) for one in settings]
    return _page(
        "reproduction.html",
        document["holdfast"],
        title=f"{document['short']}, {document['label']}",
        one=document,
        several=len(settings) > 1,
        settings=settings,
        grids=[(one, own) for one, own in grids if own.rows],
        agreement=agreement_rows(document),
        data=data_sentences(document),
        summary=summary(document),
        agreement_sentence=agreement_sentence(document),
        size_word=size_word(document),
        shade=shade_of(document),
        pictures=[
            {**told, "drawing": drawing(pictures[told["name"]].svg(), f"p{at}", told["alt"])}
            for at, told in enumerate(document["pictures"], 1)
        ],
    )


def to_index(documents: Sequence[Document]) -> str:
    """Return a page that lists experiments and leads to their pages."""
    rows = [
        {
            "file": f"{one['paper']}-{one['experiment']}.html",
            "short": one["short"],
            "label": one["label"],
            "title": one["title"],
            "size": size_word(one),
            "counts": list(tally(one).values()),
        }
        for one in documents
    ]
    return _page("index.html", documents[0]["holdfast"], title="Papers, run again", rows=rows)


def shade_of(document: Document) -> Callable[[Cell], str]:
    """Return how a cell is shaded: by its difference, held against the range of its scale.

    Numbers on several scales (`part`) are not shaded, as one range would not fit them.
    """
    numbers = [one["published"] for one in document["cells"] if one["published"] is not None]
    span = max(numbers) - min(numbers) if numbers and document["part"] is None else 0.0

    def shade(cell: Cell) -> str:
        if cell.gap is None or not span:
            return ""
        level = sum(abs(cell.gap) / span > bar for bar in SHADES)
        return f" off{level}" if level else ""

    return shade


def _page(template: str, version: str, **context: Any) -> str:
    style = style_sheet() + _template("style.css")
    return (
        _environment()
        .get_template(template)
        .render(
            generator=f"holdfast {version}",
            style=Markup(style),
            policy=policy(style, ""),
            **context,
        )
    )


@cache
def _template(name: str) -> str:
    """Return a template of these pages, or one that they share with reports."""
    file = resources.files("holdfast.papers") / "templates" / name
    return file.read_text(encoding="utf-8") if file.is_file() else asset(name)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415  (on demand)

    return Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
