"""What each term of a report means, in a sentence."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from holdfast.measures import get_measure
from holdfast.report._cells import ranked
from holdfast.report._meanings import CLASSIFIERS, MEASURES, TERMS
from holdfast.report._names import NAME
from holdfast.report._spelled import options
from holdfast.report._verdict import verdict_sentences
from holdfast.report._words import record_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Report

HEADINGS = {
    "selector": "selector",
    "stability": "stability, 95% interval",
    "chance": "chance",
    "classifier": "classifier",
    "error": "error, standard error",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "rpt": "RPT",
    "p_value": "p-value",
    "front": "Pareto front",
}
"""What the table of selectors is headed by, where it has such values."""


def glossary(evidence: Evidence, report: Report) -> dict[str, str]:
    """Return the terms that occur in a report, with what they mean, in alphabetical order."""
    text = NAME.sub(" ", " ".join(_texts(report)))  # names are no words
    found = {term: meaning for term, meaning in TERMS.items() if _occurs(term, text)}
    words = {term.lower() for term in TERMS}
    found |= {name: told for name, told in _registered(evidence) if name.lower() not in words}
    return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))


def _occurs(term: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(term)}s?(?!\w)", text, re.IGNORECASE) is not None


def _texts(report: Report) -> Iterator[str]:
    """Yield all sentences of a report, and the headings of its tables."""
    yield from verdict_sentences(report["verdict"])
    yield from (row["grade"] or "" for row in report["features"]["rows"])
    yield from (report["features"]["caption"], report["features"]["interval"])
    yield from (*report["selectors"]["reasons"], report["selectors"]["choice"] or "")
    yield from (figure["caption"] for figure in report["figures"])
    methods = report["methods"]
    yield from (methods["protocol"], methods["paragraph"], *methods["warnings"])
    second = report["replication"]
    yield from (*second["sentences"], *second.get("cohorts", {"sentences": []})["sentences"])
    told = [report["profile"], report["similarity"], report["stand_ins"]]
    groups = report["groups"]
    measured = None if groups is None else groups.get("measures")
    for section in (report["truth"], *told, groups, measured):
        if section is not None:
            yield from (*section["sentences"], *(key for row in section["rows"][:1] for key in row))
    yield from _headings(report)


def _headings(report: Report) -> Iterator[str]:
    """Yield the headings of the tables of features and selectors that are there."""
    if report["features"]["rows"]:
        yield from ("effect size", "observed effect", "selection frequency")
        if any(row["stand_ins"] for row in report["features"]["rows"]):
            yield "stand-in"
        yield from ["rank range"] if ranked(report["features"]["rows"]) else []
        yield from (text for row in report["features"]["rows"] for text in row["caveats"])
    for key, heading in HEADINGS.items():
        if any(row.get(key) for row in report["selectors"]["rows"]):
            yield heading


def _registered(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield what is known about the measures, selectors and classifiers of the study."""
    for name in evidence.plan["measures"]:
        measure = get_measure(name)
        told = MEASURES.get(measure.name) or _first_line(measure.function)
        yield measure.name, f"{_capital(measure.title)}: {told}"
    for selector in evidence.plan["selectors"]:
        record = record_of(selector["object"])
        if record is not None:
            yield selector["name"], f"{_capital(record.title)}: {_first_line(record.kind)}"

    for classifier in evidence.plan["classifiers"]:
        meaning = _classifier(classifier["object"])
        if meaning:
            yield classifier["name"], meaning


def _classifier(spelling: Any) -> str:  # noqa: ANN401  (JSON of a plan)
    """Say what a classifier does, by its class, and its options."""
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    meaning = CLASSIFIERS.get(path.rpartition(":")[2])
    given = options(spelling)
    return "" if meaning is None else f"{meaning}{f' ({given})' if given else ''}."


def _first_line(thing: object) -> str:
    text = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`|``([^`]*)``", r"\1\2", " ".join(text.split()))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
