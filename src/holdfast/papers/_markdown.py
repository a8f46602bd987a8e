"""A document as Markdown."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from holdfast.papers._document import settings_shown
from holdfast.papers._layout import grid
from holdfast.papers._words import (
    agreement_rows,
    agreement_sentence,
    data_sentences,
    size_word,
    summary,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.papers._document import Document


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
