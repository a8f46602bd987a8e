"""The page of a report: one file that loads nothing from a network."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from holdfast._formatting import format_number, format_percent, format_whole_percent, plural
from holdfast.measures import get_measure
from holdfast.report._formatting import (
    format_cell,
    format_chosen_size,
    format_data_values,
    format_effect,
    format_effect_interval,
    format_expected_count,
    format_p_value,
    format_range,
    format_stability_interval,
    format_stand_in_counts,
    has_chance_agreement,
    has_ranks,
    prediction_heading,
    replication_heading,
    shorten_list,
    shown_sections,
    to_plain_text,
    verdict_sentences,
)
from holdfast.report._glossary import TERMS, Terms, isolate_names
from holdfast.report._page_engine import embed_svg, make_environment, page_head, read_asset
from holdfast.report._schema import Figure, Report
from holdfast.report._second_study import format_cohort_section

if TYPE_CHECKING:
    from jinja2 import Environment


MAX_ROWS = 200
"""Most rows of a table of numbers; the JSON file has all of them."""


def to_html(report: Report, *, fragment: bool = False) -> str:
    """Return a report as one self-contained HTML file.

    The page needs no network and no script to be read; scripts add sorting, searching and export.
    Names are always text, and a content security policy forbids every request.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`holdfast.report.make_report`.
    fragment : bool
        Return a part for a notebook instead of a whole file: the verdict, the features and the
        selectors, in a frame.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError
        If a picture contains anything but shapes, text and embedded images.
    """
    page = _environment().get_template("page.html").render(_context(report, whole=not fragment))
    if not fragment:
        return page
    # A frame, not a shadow tree: notebooks insert outputs as strings, so that a declarative
    # shadow root is never created and nothing would be visible. A sandboxed frame separates styles
    # and scripts in both directions. Where frames are removed, the plain sentences remain.
    return _environment().get_template("fragment.html").render(report=report, page=page)


def _context(report: Report, *, whole: bool) -> dict[str, Any]:
    return {
        "report": report,
        "whole": whole,
        "shows": shown_sections(report),
        "terms": Terms(report["glossary"], _collect_unambiguous_names(report), links=whole),
        "pictures_by_section": _embed_pictures(report["figures"]),
        "max_rows": MAX_ROWS,
        **page_head(script=read_asset("script.js", "holdfast.report")),
    }


def _collect_unambiguous_names(report: Report) -> set[str]:
    """Return the names of selectors and classifiers that are neither terms nor features."""
    rows = report["selectors"]["rows"]
    names = {name for row in rows for name in (row["selector"], row["classifier"]) if name}
    words = {term.lower() for term in TERMS}
    features = {row["feature"] for row in report["features"]["rows"]}
    return {name for name in names - features if name.lower() not in words}


def _embed_pictures(figures: list[Figure]) -> dict[str, list[dict[str, Any]]]:
    """Return the pictures by section, checked and ready for the page."""
    sections: dict[str, list[dict[str, Any]]] = {}
    for place, figure in enumerate(figures, 1):
        if "svg" in figure:
            alt = to_plain_text(figure["alt"])
            svg = embed_svg(figure["svg"], f"picture-{place}", alt)
            sections.setdefault(figure["section"], []).append({**figure, "drawing": svg})
    return sections


@cache
def _environment() -> Environment:
    environment = make_environment("holdfast.report", finalize=_finalize_value)
    filters = (
        format_cell,
        format_expected_count,
        format_number,
        format_p_value,
        format_percent,
        format_whole_percent,
        isolate_names,
    )
    functions = (
        format_chosen_size,
        format_cohort_section,
        format_data_values,
        format_effect,
        format_effect_interval,
        format_range,
        format_stability_interval,
        format_stand_in_counts,
        get_measure,
        has_chance_agreement,
        has_ranks,
        plural,
        prediction_heading,
        replication_heading,
        shorten_list,
        verdict_sentences,
    )
    environment.filters |= {function.__name__: function for function in filters}
    environment.globals |= {function.__name__: function for function in functions}
    return environment


def _finalize_value(value: object) -> object:
    """Spell out the invisible characters of any text that is not markup."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return to_plain_text(value)
    return value
