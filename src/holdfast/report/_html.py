"""The page: one file that holds all it shows, and asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from holdfast._formatting import plural
from holdfast.measures import get_measure
from holdfast.report._descriptions import TERMS
from holdfast.report._escaping import plain_text
from holdfast.report._formatting import (
    cell,
    chance_differs,
    chosen_size,
    effect_interval,
    effect_size,
    expected_count,
    first_names,
    hundredths,
    interval,
    number_cells,
    p_value,
    percent,
    predicted_head,
    ranked,
    raw,
    replication_head,
    rounded,
    shown_sections,
    span,
    stand_in_counts,
    tenths,
)
from holdfast.report._glossary import Terms, isolate_names
from holdfast.report._replication_section import cohort_section
from holdfast.report._svg import colour_rules, drawing
from holdfast.report._verdict import verdict_sentences

if TYPE_CHECKING:
    from jinja2 import Environment

    from holdfast.report._schema import Figure, Report


ROWS = 200
"""Rows of numbers shown behind a picture; the JSON twin has them all."""


def to_html(report: Report, *, fragment: bool = False) -> str:
    """Return a report as one self-contained HTML file.

    The page needs no network and no script to be read; scripts add sorting, searching and export.
    Names are text wherever they stand, and a content security policy forbids every request.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`holdfast.report.make_report`.
    fragment : bool
        A piece for a notebook instead of a whole file: the verdict, the features and the
        selectors, inside a frame of their own.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError
        If a picture holds anything but shapes, text and embedded images.
    """
    page = _environment().get_template("page.html").render(_context(report, whole=not fragment))
    if not fragment:
        return page
    # A frame, not a shadow tree: notebooks insert their outputs as strings, and a declarative
    # shadow root is then never made; nothing would be seen. A sandboxed frame keeps styles and
    # scripts apart in both directions. Where frames are stripped, the plain sentences remain.
    return _environment().get_template("fragment.html").render(report=report, page=page)


def _context(report: Report, *, whole: bool) -> dict[str, Any]:
    style, script = style_sheet(), asset("script.js")
    return {
        "report": report,
        "whole": whole,
        "shows": shown_sections(report),
        "terms": Terms(report["glossary"], _names(report), links=whole),
        "pictures_by_section": _pictures(report["figures"]),
        "most_rows": ROWS,
        "style": Markup(style),
        "script": Markup(script),
        "policy": policy(style, script),
    }


def _names(report: Report) -> set[str]:
    """Return the names of selectors and classifiers that can mean nothing else."""
    rows = report["selectors"]["rows"]
    names = {name for row in rows for name in (row["selector"], row["classifier"]) if name}
    words = {term.lower() for term in TERMS}
    features = {row["feature"] for row in report["features"]["rows"]}
    return {name for name in names - features if name.lower() not in words}


def _pictures(figures: list[Figure]) -> dict[str, list[dict[str, Any]]]:
    """Return the pictures by section, each drawn once and checked."""
    sections: dict[str, list[dict[str, Any]]] = {}
    for place, figure in enumerate(figures, 1):
        if "svg" in figure:
            alt = plain_text(figure["alt"])
            svg = drawing(figure["svg"], f"picture-{place}", alt)
            sections.setdefault(figure["section"], []).append({**figure, "drawing": svg})
    return sections


def measure_title(name: str) -> str:
    """Return what a measure is called in the field."""
    return get_measure(name).title


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415  (on demand)

    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        finalize=_finalize_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = (
        percent,
        rounded,
        expected_count,
        tenths,
        hundredths,
        number_cells,
        p_value,
        cell,
        isolate_names,
    )
    environment.filters |= {function.__name__: function for function in shown}
    heads = (replication_head, predicted_head, chance_differs, cohort_section)
    called = (
        measure_title,
        verdict_sentences,
        span,
        interval,
        raw,
        plural,
        first_names,
        chosen_size,
        ranked,
        effect_size,
        effect_interval,
        stand_in_counts,
        *heads,
    )
    environment.globals |= {function.__name__: function for function in called}
    return environment


def _finalize_value(value: object) -> object:
    """Spell out unseen characters of whatever text the page shows."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return plain_text(value) if plain else value  # type: ignore[arg-type]


# What every page carries with it: its style, its templates, and a rule that it loads nothing.


def style_sheet() -> str:
    """Return the style of pages, colours of pictures included."""
    return asset("style.css") + colour_rules()


def policy(style: str, script: str) -> str:
    """Return the content security policy: this style, this script, nothing else.

    Style attributes are let in, since pictures are full of them; they can load nothing, for no
    address is allowed.
    """
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src-elem '{_digest(style)}'; "
        "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def asset(name: str) -> str:
    """Return the text of a template, style or script."""
    return (resources.files("holdfast.report") / "templates" / name).read_text(encoding="utf-8")
