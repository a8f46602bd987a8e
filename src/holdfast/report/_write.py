"""A report as files: the page and its two twins, beside each other, whole or not at all."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.errors import InvalidInputError, StoreError
from holdfast.report._build import make_report
from holdfast.report._escaping import bare_all
from holdfast.report._formatting import plain
from holdfast.report._html import to_html
from holdfast.report._markdown import MARK, to_markdown
from holdfast.report._schema import FORMAT

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from holdfast.report._schema import Report
    from holdfast.study import Result


NAME = "report.html"
PAGES = {".html", ".htm"}
MARKS = {
    ".html": '<meta name="generator" content="holdfast',
    ".htm": '<meta name="generator" content="holdfast',
    ".json": f'"format": "{FORMAT}"',
    ".md": MARK,
}
"""By what an earlier report is known; it may be replaced."""
OTHERS = {".json", ".md", ".pdf", ".txt", ".docx", ".csv", ".xml", ".svg", ".png", ".zip"}
"""How names of files end, not of folders."""
HEAD = 1 << 12
"""Characters at the start of a file among which its mark is."""


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    found_again: float | None = None,
) -> list[Path]:
    """Write the report of a result: a page, and the same as JSON and as Markdown.

    Parameters
    ----------
    result : Result
        A study, complete or not.
    path : path
        A folder, made if need be, for ``report.html``, ``report.json`` and ``report.md``; or the
        name of the page, ending in ``.html``, beside which the others get the same name.
    force : bool, default False
        Replace files that are no reports, too.
    found_again : float, optional
        As for :func:`make_report`.

    Returns
    -------
    list of Path
        The three files. The same result gives the same bytes.

    Raises
    ------
    InvalidInputError
        The path is a file of another kind.
    StoreError
        A file of that name is there that is not an earlier report, or the files cannot be
        written. What was there stays as it was.

    Examples
    --------
    >>> import tempfile
    >>> import holdfast as hf
    >>> from holdfast.report import write_report
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), sizes=[2], classifiers=())
    >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in write_report(result, folder)]
    ['report.html', 'report.json', 'report.md']
    """
    page = page_path(path)
    targets = [page, page.with_suffix(".json"), page.with_suffix(".md")]
    if not force:
        _check_own(targets)
    report = make_report(result, found_again=found_again)
    texts = [to_html(report), to_json(report), to_markdown(report)]
    write_atomically(dict(zip(targets, texts, strict=True)))
    return targets


def page_path(path: str | os.PathLike[str]) -> Path:
    """Return the name of the page: the path itself, or a file in the folder that it names."""
    place = Path(path)
    if place.suffix.lower() in PAGES and not place.is_dir():
        return place
    if place.suffix.lower() in OTHERS or place.is_file():
        raise InvalidInputError(
            f"{place}: a report goes into a folder, or into a file whose name ends in .html with "
            "its JSON and Markdown twins beside it; give one of these. For a PDF, print the page."
        )
    return place / NAME


def _check_own(targets: list[Path]) -> None:
    foreign = next((path for path in targets if path.exists() and not _is_report(path)), None)
    if foreign is not None:
        raise StoreError(
            f"{foreign}: this file is there, and it is no report of holdfast; give another name, "
            "or replace it with force=True (--force)."
        )


def _is_report(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return MARKS[path.suffix.lower()] in file.read(HEAD)
    except OSError:
        return False


# A report as JSON, for programs.


def to_json(report: Report) -> str:
    r"""Return a report as JSON.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`make_report`.

    Returns
    -------
    str
        Indented, with names as they are, whatever characters they hold; numbers that are
        missing or infinite are null. Pictures are left out, their captions are not. Ends with
        ``\n``.

    Examples
    --------
    >>> from holdfast.report import to_json
    >>> to_json({"title": "Größe", "figures": [{"name": "plane", "svg": "<svg/>"}]})
    '{\n  "title": "Größe",\n  "figures": [\n    {\n      "name": "plane"\n    }\n  ]\n}\n'
    """
    document: dict[str, Any] = bare_all(plain(report))
    for figure in document["figures"]:
        figure.pop("svg", None)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


# Files that belong together: written whole, or not at all.


def write_atomically(texts: Mapping[Path, str]) -> None:
    """Write all files under other names, then rename them, so that none is ever half there."""
    partial = {path: path.with_name(f".{path.name}.partial") for path in texts}
    path = next(iter(texts))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            partial[path].write_bytes(text.encode())
        for path, new in partial.items():
            new.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path}: the report cannot be written ({error.strerror or error}); "
            "earlier reports stay. The study itself is kept: make room, or give another place."
        ) from error
    finally:
        for new in partial.values():
            with suppress(OSError):  # the folder may be gone, or be read-only
                new.unlink()
