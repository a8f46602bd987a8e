"""An experiment that was run again, on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holdfast.cli._paragraph import paragraph
from holdfast.cli._print import Column, print_table
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
    from holdfast.papers._document import Document


def print_reproduction(document: Document) -> None:
    """Print the numbers, how well they agree, and what became of the findings."""
    title = f"{document['short']}, {document['label']}: {document['title']}"
    click.secho(title, bold=True)
    _say(f"{size_word(document).capitalize()}: {document['size']}.")
    for sentence in data_sentences(document):
        _say(sentence)
    settings = settings_shown(document)
    for setting in settings:
        _print_numbers(document, setting, several=len(settings) > 1)
    _print_agreement(document)
    _print_findings(document)
    click.echo()


def _say(text: str) -> None:
    click.echo(paragraph(text, sys.stdout))


def _print_numbers(document: Document, setting: Document, *, several: bool) -> None:
    own = grid(document, setting["name"])
    if not own.rows:
        return
    click.echo()
    name = f"{setting['name']}: {setting['title']}" if several else ""
    compared = "Ours (published, difference)." if own.compared else ""
    _say(" ".join(filter(None, (name, compared))) or "Numbers:")
    columns = [Column(name) for name in own.titles] + [Column(one, right=True) for one in own.heads]
    print_table(columns, [[*names, *(cell.text() for cell in cells)] for names, cells in own.rows])


def _print_agreement(document: Document) -> None:
    rows = agreement_rows(document)
    if not rows:
        return
    click.echo("\nAgreement with the published numbers:")
    columns = [
        Column("setting"),
        Column("part"),
        Column("pairs", right=True),
        Column("mean difference", right=True),
        Column("rank correlation", right=True),
    ]
    print_table(columns, rows)
    _say(agreement_sentence(document))


def _print_findings(document: Document) -> None:
    if not document["findings"]:
        return
    click.echo(f"\nFindings. {summary(document)}")
    several = len(document["settings"]) > 1
    for place, finding in enumerate(document["findings"], 1):
        _say(f"{place}. {finding['text']}")
        for result in finding["results"]:
            setting = f" ({result['setting']})" if several else ""
            _say(f"   {result['status']}{setting}: {result['evidence']}")
