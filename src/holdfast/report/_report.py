"""A result becomes a report: one dictionary, then a page, JSON and Markdown."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError, StoreError
from holdfast.report._escaping import remove_all_name_marks
from holdfast.report._evidence import Evidence
from holdfast.report._feature_table import feature_table, longest_list_section
from holdfast.report._figures import draw_figures
from holdfast.report._formatting import format_name, to_json_value
from holdfast.report._glossary import build_glossary
from holdfast.report._html import to_html
from holdfast.report._markdown import MARK, to_markdown
from holdfast.report._methods import get_data_name, methods_section
from holdfast.report._page_engine import GENERATOR_TAG, has_mark, write_atomically
from holdfast.report._schema import FORMAT, VERSION, Report, State, Verdict
from holdfast.report._second_study import second_study_section
from holdfast.report._sections import (
    failure_rows,
    group_section,
    profile_section,
    similarity_section,
    stand_in_section,
    truth_section,
)
from holdfast.report._selector_table import selector_table
from holdfast.report._verdict import build_verdict

if TYPE_CHECKING:
    from holdfast.study import Result


REPORT_TITLE = "Which features would you find again?"


def make_report(
    result: Result, *, figures: bool = True, found_again: float | None = None
) -> Report:
    """Collect everything that a report says about a result.

    Parameters
    ----------
    result : Result
        A study, complete or not.
    figures : bool, default True
        Whether to draw the pictures, which take most of the time.
    found_again : float, optional
        For each selector, give the longest list of which this share is expected to be found again.

    Returns
    -------
    Report
        A dictionary of plain Python values, the input of `to_html`, `to_json` and `to_markdown`.
        There is one for every result: what is not known (nothing is done, the data are gone) is
        reported as such or omitted. The same result gives the same report.

    Examples
    --------
    >>> import holdfast as hf
    >>> from holdfast.report import make_report
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(20, 0.9), sizes=[3])
    >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    >>> report = make_report(result, figures=False)
    >>> report["verdict"]["headline"]
    'A second study of 178 samples would find about 3 of these 3 features again.'
    >>> report["verdict"]["grade"]
    'nearly all'
    """
    evidence = Evidence(result)
    report: Report = {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"holdfast {version('holdfast')}",
        "title": REPORT_TITLE,
        "subtitle": _subtitle(evidence),
        "state": _state(evidence),
        "verdict": build_verdict(evidence),
        "truth": truth_section(evidence),
        "replication": second_study_section(evidence),
        "features": feature_table(evidence),
        "lists": None if found_again is None else longest_list_section(evidence, found_again),
        "selectors": selector_table(evidence),
        "profile": profile_section(evidence),
        "similarity": similarity_section(evidence),
        "groups": group_section(evidence),
        "stand_ins": stand_in_section(evidence),
        "failures": failure_rows(evidence),
        "figures": draw_figures(evidence) if figures else [],
        "methods": methods_section(evidence),
        "glossary": {},
    }
    report["glossary"] = build_glossary(evidence, report)
    plain_report: Report = to_json_value(report)
    return plain_report


def _subtitle(evidence: Evidence) -> str:
    data = evidence.plan["data"]
    return (
        f"{format_name(get_data_name(evidence))}: {plural(data['n_samples'], 'sample')}, "
        f"{plural(data['n_features'], 'feature')}"
    )


def _state(evidence: Evidence) -> State:
    result = evidence.result
    failed = len(result.failures)
    sentence = ""
    if not result.complete:
        sentence = f"Only {result.n_done:,} of {plural(result.n_units, 'fit')} are done"
        sentence += f"; {failed:,} failed." if failed else "."
    return {
        "complete": result.complete,
        "done": result.n_done,
        "failed": failed,
        "units": result.n_units,
        "sentence": sentence,
    }


def conclude(result: Result) -> tuple[Verdict, pd.DataFrame]:
    """Return the verdict of a result, and the selected features with their chances."""
    evidence = Evidence(result)
    return build_verdict(evidence), evidence.outlook.selected


# A report as JSON.


def to_json(report: Report) -> str:
    r"""Return a report as JSON.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`make_report`.

    Returns
    -------
    str
        Indented, with unchanged names; missing and infinite numbers are null. Contains the captions
        of the pictures, but not the pictures. Ends with ``\n``.

    Examples
    --------
    >>> from holdfast.report import to_json
    >>> to_json({"title": "Größe", "figures": [{"name": "plane", "svg": "<svg/>"}]})
    '{\n  "title": "Größe",\n  "figures": [\n    {\n      "name": "plane"\n    }\n  ]\n}\n'
    """
    document: dict[str, Any] = remove_all_name_marks(to_json_value(report))
    for figure in document["figures"]:
        figure.pop("svg", None)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


# A report as files.

PAGE_NAME = "report.html"
PAGE_SUFFIXES = {".html", ".htm"}
MARKS = {
    ".html": GENERATOR_TAG,
    ".htm": GENERATOR_TAG,
    ".json": f'"format": "{FORMAT}"',
    ".md": MARK,
}
"""Marks of earlier reports, which may be replaced."""
FILE_SUFFIXES = {".json", ".md", ".pdf", ".txt", ".docx", ".csv", ".xml", ".svg", ".png", ".zip"}
"""Suffixes of files, not of folders."""


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    found_again: float | None = None,
) -> list[Path]:
    """Write the report of a result as a page, as JSON and as Markdown.

    Parameters
    ----------
    result : Result
        A study, complete or not.
    path : path
        A folder for ``report.html``, ``report.json`` and ``report.md``, created if needed; or the
        name of the page, ending in ``.html``; the other files get the same name.
    force : bool, default False
        Replace existing files even if they are not reports.
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
        A file of that name exists that is not an earlier report, or the files cannot be written.
        Existing files are not changed.

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
        _check_replaceable(targets)
    report = make_report(result, found_again=found_again)
    texts = [to_html(report), to_json(report), to_markdown(report)]
    write_atomically(dict(zip(targets, texts, strict=True)))
    return targets


def page_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the page: the path itself, or a file in the folder that it names."""
    place = Path(path)
    if place.suffix.lower() in PAGE_SUFFIXES and not place.is_dir():
        return place
    if place.suffix.lower() in FILE_SUFFIXES or place.is_file():
        raise InvalidInputError(
            f"{place}: expected a folder, or a file whose name ends in .html; the JSON and "
            "Markdown files are written next to it. For a PDF, print the page."
        )
    return place / PAGE_NAME


def _check_replaceable(targets: list[Path]) -> None:
    foreign = next(
        (
            path
            for path in targets
            if path.exists() and not has_mark(path, MARKS[path.suffix.lower()])
        ),
        None,
    )
    if foreign is not None:
        raise StoreError(
            f"{foreign}: this file exists and is not a holdfast report; give another "
            "name, or replace it with force=True (--force)."
        )
