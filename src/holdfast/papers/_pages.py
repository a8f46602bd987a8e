"""Pages, Markdown and files of reproduced experiments."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.errors import StoreError
from holdfast.papers._claims import UNCHECKED
from holdfast.papers._document import (
    FORMAT,
    ComparisonCell,
    Document,
    agreement_rows,
    agreement_sentence,
    data_sentences,
    grid,
    settings_shown,
    size_word,
    summary,
    tally,
    to_json,
)
from holdfast.papers._record import file_name
from holdfast.papers._reproduce import Reproduction
from holdfast.report import (
    GENERATOR_TAG,
    embed_svg,
    format_markdown_table,
    has_mark,
    make_environment,
    page_head,
    read_asset,
    write_atomically,
)

if TYPE_CHECKING:
    from jinja2 import Environment

    from holdfast.plot import Picture


SHADES = (0.1, 0.25, 0.5)
"""Limits between shades, as shares of the range of the published numbers; chosen by hand."""


def to_html(document: Document, pictures: Mapping[str, Picture]) -> str:
    """Return a document as one self-contained page."""
    settings = settings_shown(document)
    grids = [(setting, grid(document, setting["name"])) for setting in settings]
    return _render_page(
        "reproduction.html",
        document["holdfast"],
        title=f"{document['short']}, {document['label']}",
        one=document,
        several=len(settings) > 1,
        settings=settings,
        grids=[(setting, table) for setting, table in grids if table.rows],
        agreement=agreement_rows(document),
        data=data_sentences(document),
        summary=summary(document),
        agreement_sentence=agreement_sentence(document),
        size_word=size_word(document),
        shade=make_shader(document),
        pictures_first=document["experiment"].startswith("figure"),
        pictures=[
            {
                **picture,
                "drawing": embed_svg(pictures[picture["name"]].svg(), f"p{place}", picture["alt"]),
            }
            for place, picture in enumerate(document["pictures"], 1)
        ],
    )


def to_index(documents: Sequence[Document]) -> str:
    """Return a page that lists experiments with links to their pages."""
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
    return _render_page(
        "index.html", documents[0]["holdfast"], title="Papers, run again", rows=rows
    )


def make_shader(document: Document) -> Callable[[ComparisonCell], str]:
    """Return a function that shades a cell by its difference relative to the published range.

    Numbers on several scales (`part`) are not shaded, as they have no common range.
    """
    numbers = [cell["published"] for cell in document["cells"] if cell["published"] is not None]
    span = max(numbers) - min(numbers) if numbers and document["part"] is None else 0.0

    def shade(cell: ComparisonCell) -> str:
        if cell.gap is None or not span:
            return ""
        level = sum(abs(cell.gap) / span > limit for limit in SHADES)
        return f" off{level}" if level else ""

    return shade


def _render_page(template: str, version: str, **context: Any) -> str:
    head = page_head(style=read_asset("style.css", "holdfast.papers"))
    page = _environment().get_template(template)
    return page.render(generator=f"holdfast {version}", **head, **context)


@cache
def _environment() -> Environment:
    """Return the templates of these pages, and those that they share with reports."""
    return make_environment("holdfast.papers", "holdfast.report")


# Files of a reproduction: a page, its numbers as JSON and CSV, its pictures; and an index.

INDEX = "index.html"


def check_free(folder: Path, names: Iterable[str]) -> None:
    """Raise if files would be replaced that are not from an earlier reproduction."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder}: expected a folder, got a file; give another by --out.")
    for name in names:
        if read_document(folder / f"{name}.json") is not None:
            continue
        _refuse_existing(
            next((path for path in _output_files(folder, name) if path.exists()), None)
        )
    index = folder / INDEX
    _refuse_existing(index if index.exists() and not has_mark(index, GENERATOR_TAG) else None)


def _output_files(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}.{ending}" for ending in ("html", "json", "csv")]


def _refuse_existing(path: Path | None) -> None:
    if path is not None:
        raise StoreError(
            f"{path}: this file exists and is not a holdfast reproduction; give another "
            "folder by --out, or replace it by --force."
        )


def read_document(path: Path) -> Document | None:
    """Return a document that was written before; None if there is none."""
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_document = isinstance(document, dict) and document.get("format") == FORMAT
    return document if is_document else None


def write(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write a reproduction: page, JSON, CSV and pictures, all or none."""
    page, document, table = _output_files(folder, reproduction.name)
    texts = {
        page: to_html(reproduction.document, reproduction.pictures),
        document: to_json(reproduction.document),
        table: reproduction.table.to_csv(index=False, lineterminator="\n"),
    }
    for name, picture in reproduction.pictures.items():
        texts[folder / f"{reproduction.name}-{file_name(name)}.svg"] = (
            picture.svg(background=True) + "\n"
        )
    write_atomically(texts)
    return list(texts)


def write_index(folder: Path, order: Iterable[str]) -> Path:
    """Write the page that lists all reproductions in a folder, in this order of names."""
    documents = (read_document(folder / f"{name}.json") for name in order)
    path = folder / INDEX
    write_atomically({path: to_index([document for document in documents if document is not None])})
    return path


# A document as Markdown.


def to_markdown(document: Document, level: int = 1, *, folded: bool = False) -> str:
    """Return a document as Markdown, its title at a level of headings.

    If folded, the numbers of side settings are collapsed in HTML.
    """
    settings = settings_shown(document)
    main, *others = settings
    mark = "#" * level
    parts = [
        f"{mark} {document['label']}: {document['title']}",
        f"```sh\n{document['command']}\n```",
        f"holdfast {document['holdfast']}, seed {document['seed']}, {size_word(document)}: "
        f"{document['size']}. {' '.join([*data_sentences(document), document['limits']])}".strip(),
        " ".join(filter(None, (summary(document), agreement_sentence(document)))),
        *_list_items(
            "Run side by side, the first being the main setting:",
            [f"**{one['name']}**: {one['title']}" for one in settings] if others else [],
        ),
        *_list_items("What the paper leaves open, and what was chosen:", document["choices"]),
        *_list_items("Terms:", [f"*{term}*: {text}" for term, text in document["terms"].items()]),
        _format_numbers(document, main["name"]),
        *(_format_numbers(document, setting["name"], folded=folded) for setting in others),
        _format_agreement(document),
        _format_findings(document),
        *(f"*{note}*" for note in document["notes"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _list_items(heading: str, items: Sequence[str]) -> list[str]:
    return [heading, "\n".join(f"- {item}" for item in items)] if items else []


def _format_numbers(document: Document, setting: str, *, folded: bool = False) -> str:
    numbers = grid(document, setting)
    if not numbers.rows:
        return ""
    legend = ": ours (published, difference)" if numbers.compared else ""
    rows = [[*names, *(cell.text() for cell in cells)] for names, cells in numbers.rows]
    titles = [*numbers.titles, *numbers.heads]
    table = format_markdown_table(titles, rows, n_text_columns=len(numbers.titles))
    if folded:
        heading = f"<summary>{html.escape(setting + legend)}</summary>"
        return f"<details>\n{heading}\n\n{table}\n\n</details>"
    return f"**{setting}**{legend}\n\n{table}"


def _format_agreement(document: Document) -> str:
    rows = agreement_rows(document)
    if not rows:
        return ""
    titles = ["setting", "part", "pairs", "mean absolute difference", "rank correlation"]
    table = format_markdown_table(titles, rows, n_text_columns=2)
    return f"Agreement with the published numbers:\n\n{table}"


def _format_findings(document: Document) -> str:
    rows = [
        [*(_describe_finding(number, finding) if at == 0 else ("", "")), result["setting"],
         _describe_outcome(result), _escape_cell(result["evidence"])]
        for number, finding in enumerate(document["findings"], 1)
        for at, result in enumerate(finding["results"])
    ]  # fmt: skip
    if not rows:
        return ""
    titles = ["what the paper states (place; bar)", "published", "setting", "outcome", "ours"]
    return f"Findings:\n\n{format_markdown_table(titles, rows)}"


def _describe_finding(number: int, finding: Document) -> tuple[str, str]:
    """Return a statement with its place and bar, and what the published numbers say."""
    statement = f"{number}. {finding['text']} ({finding['place']}; bar: {finding['bar']})"
    published = finding["published"]
    status = "" if published["status"] == UNCHECKED else f"{published['status']}: "
    return _escape_cell(statement), _escape_cell(f"{status}{published['evidence']}")


def _describe_outcome(result: Document) -> str:
    """Return the outcome in a setting, with its cause if the claim did not hold."""
    cause = f" ({_escape_cell(result['cause'])})" if result["cause"] else ""
    return f"**{result['status']}**{cause}"


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
