"""Reproductions as files: a page, its numbers as JSON and CSV, its pictures; and an index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.errors import StoreError
from holdfast.papers._document import FORMAT, to_json
from holdfast.papers._names import file_name
from holdfast.papers._page import to_html, to_index
from holdfast.report._together import write_together

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from holdfast.papers._document import Document
    from holdfast.papers._reproduce import Reproduction

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
    write_together(texts)
    return list(texts)


def write_index(folder: Path, order: Iterable[str]) -> Path:
    """Write the page that lists all reproductions in a folder, in this order of names."""
    found = (read_document(folder / f"{name}.json") for name in order)
    path = folder / INDEX
    write_together({path: to_index([one for one in found if one is not None])})
    return path
