"""A document as one page, and the page that lists several."""

from __future__ import annotations

import html
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from holdfast.errors import StoreError
from holdfast.papers._document import (
    FORMAT,
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
from holdfast.report._html import asset, policy, style_sheet
from holdfast.report._svg import drawing
from holdfast.report._write import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from jinja2 import Environment

    from holdfast.papers._document import ComparisonCell, Document
    from holdfast.papers._reproduce import Reproduction
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


def shade_of(document: Document) -> Callable[[ComparisonCell], str]:
    """Return how a cell is shaded: by its difference, held against the range of its scale.

    Numbers on several scales (`part`) are not shaded, as one range would not fit them.
    """
    numbers = [one["published"] for one in document["cells"] if one["published"] is not None]
    span = max(numbers) - min(numbers) if numbers and document["part"] is None else 0.0

    def shade(cell: ComparisonCell) -> str:
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


# Reproductions as files: a page, its numbers as JSON and CSV, its pictures; and an index.

INDEX = "index.html"
MARK = '<meta name="generator" content="holdfast'
HEAD = 4096


def check_free(folder: Path, names: Iterable[str]) -> None:
    """Refuse to replace files that are not an earlier reproduction's; nothing is written yet."""
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder}: this is a file, a folder is needed; give another by --out.")
    for name in names:
        if read_document(folder / f"{name}.json") is not None:
            continue
        _refuse(next((path for path in _files(folder, name) if path.exists()), None))
    index = folder / INDEX
    _refuse(index if index.exists() and not _is_page(index) else None)


def _files(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}.{ending}" for ending in ("html", "json", "csv")]


def _refuse(path: Path | None) -> None:
    if path is not None:
        raise StoreError(
            f"{path}: this file is there, and it is no reproduction of holdfast; give another "
            "folder by --out, or replace it by --force."
        )


def _is_page(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return MARK in file.read(HEAD)


def read_document(path: Path) -> Document | None:
    """Return a document that was written before; None where there is none."""
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    ours = isinstance(document, dict) and document.get("format") == FORMAT
    return document if ours else None


def write(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write a reproduction: page, JSON, CSV and pictures, whole or not at all."""
    page, document, table = _files(folder, reproduction.name)
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
    found = (read_document(folder / f"{name}.json") for name in order)
    path = folder / INDEX
    write_atomically({path: to_index([one for one in found if one is not None])})
    return path


# A document as Markdown.


def to_markdown(document: Document, level: int = 1, *, folded: bool = False) -> str:
    """Return a document as Markdown, its title at a level of headings.

    Folded, the numbers of side settings are shown on demand, where Markdown becomes HTML.
    """
    main, *others = settings_shown(document)
    mark = "#" * level
    parts = [
        f"{mark} {document['label']}: {document['title']}",
        f"```sh\n{document['command']}\n```",
        f"holdfast {document['holdfast']}, seed {document['seed']}, {size_word(document)}: "
        f"{document['size']}. {' '.join(data_sentences(document))}".strip(),
        " ".join(filter(None, (summary(document), agreement_sentence(document)))),
        *_settings(document),
        *_choices(document),
        *_terms(document),
        _numbers(document, main["name"]),
        *(_numbers(document, one["name"], folded=folded) for one in others),
        _agreement(document),
        _findings(document),
        *(f"*{note}*" for note in document["notes"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _settings(document: Document) -> list[str]:
    settings = settings_shown(document)
    if len(settings) == 1:
        return []
    lines = [f"- **{one['name']}**: {one['title']}" for one in settings]
    return ["Run side by side, the first being the main setting:", "\n".join(lines)]


def _choices(document: Document) -> list[str]:
    if not document["choices"]:
        return []
    return [
        "What the paper leaves open, and what was chosen:",
        "\n".join(f"- {one}" for one in document["choices"]),
    ]


def _terms(document: Document) -> list[str]:
    lines = [f"- *{term}*: {meaning}" for term, meaning in document["terms"].items()]
    return ["Words:", "\n".join(lines)] if lines else []


def _numbers(document: Document, setting: str, *, folded: bool = False) -> str:
    own = grid(document, setting)
    if not own.rows:
        return ""
    what = ": ours (published, difference)" if own.compared else ""
    rows = [[*names, *(cell.text() for cell in cells)] for names, cells in own.rows]
    table = _table([*own.titles, *own.heads], rows, len(own.titles))
    if folded:
        heading = f"<summary>{html.escape(setting + what)}</summary>"
        return f"<details>\n{heading}\n\n{table}\n\n</details>"
    return f"**{setting}**{what}\n\n{table}"


def _agreement(document: Document) -> str:
    rows = agreement_rows(document)
    if not rows:
        return ""
    titles = ["setting", "part", "pairs", "mean absolute difference", "rank correlation"]
    return f"Agreement with the published numbers:\n\n{_table(titles, rows, 2)}"


def _findings(document: Document) -> str:
    rows = [
        [f"{place}. {_cell(finding['text'])}" if at == 0 else "", one["setting"],
         f"**{one['status']}**", _cell(one["evidence"])]
        for place, finding in enumerate(document["findings"], 1)
        for at, one in enumerate(finding["results"])
    ]  # fmt: skip
    if not rows:
        return ""
    titles = ["what the paper states", "setting", "", "evidence"]
    return f"Findings:\n\n{_table(titles, rows, len(titles))}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], n_text: int) -> str:
    rule = ["---"] * n_text + ["---:"] * (len(titles) - n_text)
    return "\n".join(f"| {' | '.join(line)} |" for line in (titles, rule, *rows))
