"""A result becomes a report: one dictionary, section by section, then a page, JSON and Markdown."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError, StoreError
from holdfast.judge import StabilityProfile
from holdfast.measures import get_measure
from holdfast.report._evidence import MAX_MEMBERS_SHOWN, Evidence
from holdfast.report._figures import draw_figures
from holdfast.report._formatting import (
    format_name,
    join_names,
    remove_all_name_marks,
    shorten_list,
    to_json_value,
    to_records,
)
from holdfast.report._glossary import build_glossary
from holdfast.report._methods import get_data_name, methods_section
from holdfast.report._page_engine import GENERATOR_TAG, has_mark, write_atomically
from holdfast.report._rendering import MARKDOWN_MARK, to_html, to_markdown
from holdfast.report._schema import (
    FORMAT,
    VERSION,
    GroupSection,
    Report,
    ReportSection,
    State,
    Verdict,
)
from holdfast.report._second_study import second_study_section
from holdfast.report._tables import (
    compared_pair_size,
    describe_compared_sizes,
    feature_table,
    longest_list_section,
    selector_table,
)
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
        "subtitle": _format_subtitle(evidence),
        "state": _describe_state(evidence),
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
    if evidence.selectors_left_out:
        report["selectors"]["left_out"] = {
            "shown": evidence.selectors_shown,
            "sentence": evidence.selectors_left_out,
        }
    report["glossary"] = build_glossary(evidence, report)
    plain_report: Report = to_json_value(report)
    return plain_report


def _format_subtitle(evidence: Evidence) -> str:
    data = evidence.plan["data"]
    return (
        f"{format_name(get_data_name(evidence))}: {plural(data['n_samples'], 'sample')}, "
        f"{plural(data['n_features'], 'feature')}"
    )


def _describe_state(evidence: Evidence) -> State:
    result = evidence.result
    failed = len(result.failures)
    sentence = ""
    if not result.complete:
        sentence = f"Only {result.n_done:,} of {plural(result.n_units, 'fit')} are done"
        not_run = f", {result.n_not_run:,} not run" if failed and result.n_not_run else ""
        sentence += f"; {failed:,} failed{not_run}." if failed else "."
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
REPORT_MARKS = {
    ".html": GENERATOR_TAG,
    ".htm": GENERATOR_TAG,
    ".json": f'"format": "{FORMAT}"',
    ".md": MARKDOWN_MARK,
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
            if path.exists() and not has_mark(path, REPORT_MARKS[path.suffix.lower()])
        ),
        None,
    )
    if foreign is not None:
        raise StoreError(
            f"{foreign}: this file exists and is not a holdfast report; give another "
            "name, or replace it with force=True (--force)."
        )


# Sections of sentences and numbers: profiles, similarity, stand-ins, failures, groups, truth.

MAX_SECTION_ROWS = 200
"""Most rows in the table of a section (chosen by hand)."""
NO_KNOT = "no knot: "
"""Start of the sentence of a profile without a knot, as :mod:`holdfast.judge` writes it."""
NO_PROFILE = "no profile, as the number of features is chosen, not asked for"
EMPTY_SECTION: ReportSection = {"sentences": [], "rows": []}
"""A section that is omitted."""
MIN_GROUPS_FOR_KNOT = 6
"""Fewest groups in which a knot can be seen: two before it, and four after it."""
STAND_IN_DEFINITION = (
    "that correlates with it by {} or more and is selected clearly more often without it than "
    "with it (Fisher's exact test, corrected for all correlated pairs)"
)


def profile_section(evidence: Evidence) -> ReportSection:
    """Return how stability depends on the number of features, and where it breaks."""
    profiles = evidence.profile
    if profiles is None or evidence.plan["data"]["n_features"] == 1:
        return EMPTY_SECTION
    knots = profiles.knots.astype(dict.fromkeys(("size", "low", "high"), "Int64"))
    return {
        "sentences": [*_describe_knots(evidence, profiles), profiles.how],
        "rows": to_records(knots.drop(columns="sentence")),
        "numbers": to_records(profiles.table),
    }


def _describe_knots(evidence: Evidence, profiles: StabilityProfile) -> Iterator[str]:
    """Yield where the profiles break; selectors with the same sentence are joined."""
    knots = zip(profiles.knots["selector"], profiles.knots["sentence"], strict=True)
    no_profile = ((name, NO_PROFILE) for name in profiles.left_out)
    few_groups = _describe_few_groups(evidence)
    names: dict[str, list[str]] = {}
    for name, sentence in (*knots, *no_profile):
        names.setdefault(few_groups.get(name, sentence), []).append(name)
    for sentence, selectors in names.items():
        text = sentence.removeprefix(NO_KNOT)
        labels = evidence.join_labels(selectors)
        yield f"{'No knot for ' if text != sentence else ''}{labels}: {text}."


def _describe_few_groups(evidence: Evidence) -> dict[str, str]:
    """Return why selectors that found only a few groups have no profile."""
    depth = evidence.result.depth
    shortfalls = {name: evidence.get_shortfall(name, depth) for name in evidence.group_selectors}
    return {
        name: f"there is no profile from so few groups ({shortfall.clause})"
        for name, shortfall in shortfalls.items()
        if shortfall is not None and shortfall.fewest < MIN_GROUPS_FOR_KNOT
    }


def similarity_section(evidence: Evidence) -> ReportSection:
    """Return how similar the selectors are, next to how similar each is to itself."""
    comparison = evidence.similarity
    if comparison is None:
        return EMPTY_SECTION
    sentences = [evidence.with_titles(sentence) for sentence in comparison.sentences]
    rows = [
        {**row, "size": compared_pair_size(evidence, row["first"], row["second"])}
        for row in to_records(comparison.table.head(MAX_SECTION_ROWS))
    ]
    sizes = f"Selectors are compared {describe_compared_sizes(evidence, comparison.matrix.index)}."
    return {"sentences": [sizes, *sentences], "rows": rows}


def stand_in_section(evidence: Evidence) -> ReportSection:
    """Return the features that take each other's place, and how that affects stability."""
    stand_ins = evidence.stand_ins
    count = 0 if stand_ins is None else stand_ins.table["feature"].nunique()
    if stand_ins is None or not count:
        return EMPTY_SECTION
    features = "One frequent feature has" if count == 1 else f"{count:,} frequent features have"
    sentences = [
        f"{features} a stand-in: one {STAND_IN_DEFINITION.format(stand_ins.threshold)}.",
        stand_ins.sentence,
        f"{stand_ins.note[:1].upper()}{stand_ins.note[1:]}." if stand_ins.note else "",
    ]
    return {
        "sentences": [text for text in sentences if text],
        "rows": to_records(stand_ins.table.head(MAX_SECTION_ROWS)),
        "numbers": to_records(stand_ins.stability),
    }


def failure_rows(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the failures: one row per selector and reason, with the number of resamples."""
    table = evidence.result.failures
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    rows = kinds.reset_index().rename(columns={"count": "resamples", "min": "first"})
    return to_records(rows, ["selector", "resamples", "first", "message"])


# Groups: which features are in the same group, and how well groups match.

GROUP_MEASURE_COLUMNS = ["selector", "size", "measure", "value", "low", "high"]


def group_section(evidence: Evidence) -> GroupSection | None:
    """Return the section on groups; None if there are none and none were measured."""
    table, measured = evidence.memberships, _make_measure_section(evidence)
    if table is None and measured is None:
        return None
    section: GroupSection = {"sentences": [], "rows": []}
    if table is not None:
        section = {
            "sentences": _describe_groups(evidence, table),
            "rows": list(map(_build_member_row, to_records(table.head(MAX_MEMBERS_SHOWN)))),
        }
    return section if measured is None else {**section, "measures": measured}


def _describe_groups(evidence: Evidence, table: pd.DataFrame) -> list[str]:
    selector = "" if evidence.cell is None else evidence.cell[0]
    shown = table.head(MAX_MEMBERS_SHOWN)
    together = int((shown["companions"].str.len() > 0).sum())
    often = " most often" if len(table) > len(shown) else ""
    count = f"{together:,}" if together < len(shown) else "all"
    representatives = (
        f"{evidence.selector_label(selector)} selects groups of features; the table of "
        "features and the classifiers take one of each group, its representative. Which member "
        "that is may change while the group stays."
    )
    companions = (
        f"Of the {len(shown):,} features that lay in selected groups{often}, {count} had "
        "companions: features that were in the same group at least half of the times."
    )
    return [representatives, companions]


def _build_member_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return how often a feature was in a group, and with which others."""
    others = [format_name(name) for name in row["companions"]]
    return {
        "feature": row["feature"],
        "member": row["member"],
        "representative": row["representative"],
        "companions": ", ".join(shorten_list(others, len(others))),
    }


def _make_measure_section(evidence: Evidence) -> ReportSection | None:
    """Return the measures of groups, by selector and size; None without any."""
    measures = map(get_measure, evidence.plan["measures"])
    names = [measure.name for measure in measures if measure.form == "groups"]
    if not names:
        return None
    table = evidence.result.stability
    rows = to_records(table[table["measure"].isin(names)], GROUP_MEASURE_COLUMNS)
    return (
        {"sentences": [_describe_group_measures(evidence, names)], "rows": rows} if rows else None
    )


def _describe_group_measures(evidence: Evidence, names: list[str]) -> str:
    text = "Measures of groups say how well the groups of different resamples match"
    if len(evidence.group_selectors) < len(evidence.result.selectors):
        text += "; the features of a selector that finds none count as groups of one"
    if not any(get_measure(name).corrected for name in names):
        text += "; the values are not corrected for chance"
    return f"{text}."


# The verdict compared with the truth, for simulated data.


def truth_section(evidence: Evidence) -> ReportSection | None:
    """Return how many of the features truly differ between the classes; None if not known."""
    if evidence.result.truth is None:
        return None
    features = [str(name) for name in evidence.cell_frequencies["feature"]]
    # frequencies add up to the mean number of features that a resample selects
    size = round(float(evidence.cell_frequencies["frequency"].sum()))
    lists: dict[str, Collection[str]] = {
        "trusted": evidence.trusted,
        f"the {size:,} most frequent": features[:size],
        "selected at least once": features,
    }
    rows: list[dict[str, Any]] = []
    for title, names in lists.items():
        n, hits = len(names), len(evidence.informative_features.intersection(names))
        rows.append({"list": title, "features": n, "informative": hits, "noise": n - hits})
    count, total = len(evidence.informative_features), evidence.plan["data"]["n_features"]
    known = f"{plural(count, 'feature')} of {total:,} {'differs' if count == 1 else 'differ'}"
    truth = f"These data were simulated, so the truth is known: {known} between the classes."
    return {"sentences": [truth, *_describe_trusted(evidence)], "rows": rows}


def _describe_trusted(evidence: Evidence) -> list[str]:
    names = evidence.trusted
    false = [name for name in names if name not in evidence.informative_features]
    if not names:
        return ["No feature is trusted, so none is trusted in error."]
    hits = len(names) - len(false)
    verb = "matters" if hits == 1 else "matter"
    errors = f"; trusted in error: {join_names(false)}" if false else ", none is trusted in error"
    sentences = [f"Of the {plural(len(names), 'trusted feature')}, {hits:,} truly {verb}{errors}."]
    missed = len(evidence.informative_features) - hits
    if missed:
        sentences.append(
            f"{plural(missed, 'informative feature')} {'is' if missed == 1 else 'are'} not among "
            "them: a short list that is selected again and again need not be a full one."
        )
    return sentences
