"""What each term of a report means, in a sentence."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from holdfast.measures import get_measure
from holdfast.report._words import record_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Report

TERMS = {
    "assurance": "How far the trusted features can be relied on if this study were repeated on "
    "the same samples: high, fair or low, by fixed rules on stability, error and completeness.",
    "stability": "How much the selected features stay the same when the data change a little: 1 "
    "means the same features each time; for measures corrected for chance, 0 is what random "
    "selections give.",
    "selection frequency": "The share of the resamples in which a feature was selected.",
    "frequency": "The share of the resamples in which a feature was selected.",
    "resample": "A changed copy of the data, such as a random 90% of the samples, on which the "
    "selection is done again.",
    "95% interval": "A range that, in 95 of 100 repetitions of the same procedure, holds the "
    "number that endless repetition would give.",
    "interval": "A range within which the number would mostly lie if the procedure were repeated.",
    "chance": "What selecting as many features at random would give.",
    "stand-in": "A feature so strongly correlated with another that it takes the other's place "
    "in some resamples.",
    "knot": "The number of features beyond which stability falls off: from there on, features "
    "are added more or less at random.",
    "profile": "Stability drawn against the number of selected features.",
    "effect size": "How far a feature's mean in one class lies from its mean in the other "
    "samples, in units of the spread within classes; 0.2 is small, 0.8 large.",
    "rank": "The place of a feature in a selector's order; 1 is the best.",
    "rank range": "The ranks that a feature has in the middle 90% of the resamples.",
    "error": "The share of test samples that are misclassified; selection and training never see "
    "these samples.",
    "standard error": "By how much an estimate typically misses what it estimates.",
    "balanced accuracy": "The share of samples classified correctly, each class counting equally.",
    "AUC": "The probability that a classifier scores a random sample of one class above one of "
    "the other; 0.5 is guessing, 1 is perfect.",
    "RPT": "Robustness-performance trade-off: the harmonic mean of stability and accuracy.",
    "p-value": "How often a difference as large as this would be seen if there were none.",
    "significantly": "More than chance would explain in 19 of 20 cases.",
    "Pareto front": "The choices that no other choice beats in error, stability and size at once.",
    "selector": "A method that chooses features, or orders them from best to worst.",
    "classifier": "A method that predicts the class of a sample from its features.",
    "correlation": "How closely two features go together, from -1 to 1; 0 is not at all.",
    "informative": "Truly different between the classes; known for simulated data only.",
    "unit of work": "One selector on one resample.",
    "nested": "Resamples within resamples: the inner ones measure stability, the outer ones the "
    "error.",
}
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
    text = " ".join(_texts(report))
    found = {term: meaning for term, meaning in TERMS.items() if _occurs(term, text)}
    found |= dict(_registered(evidence))
    return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))


def _occurs(term: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(term)}s?(?!\w)", text, re.IGNORECASE) is not None


def _texts(report: Report) -> Iterator[str]:
    """Yield all sentences of a report, and the headings of its tables."""
    yield "assurance"
    yield from (*report["verdict"]["sentences"], *report["verdict"].get("because", ()))
    yield from (report["features"]["caption"], report["features"]["interval"])
    yield from (*report["selectors"]["reasons"], report["selectors"]["choice"] or "")
    yield from (figure["caption"] for figure in report["figures"])
    methods = report["methods"]
    yield from (methods["protocol"], methods["paragraph"], *methods["warnings"])
    for section in (report["truth"], report["profile"], report["similarity"], report["stand_ins"]):
        if section is not None:
            yield from (*section["sentences"], *(key for row in section["rows"][:1] for key in row))
    yield from _headings(report)


def _headings(report: Report) -> Iterator[str]:
    """Yield the headings of the tables of features and selectors that are there."""
    if report["features"]["rows"]:
        yield from ("effect size", "rank range", "selection frequency", "stand-in")
        yield from (text for row in report["features"]["rows"] for text in row["caveats"])
    for key, heading in HEADINGS.items():
        if any(row.get(key) for row in report["selectors"]["rows"]):
            yield heading


def _registered(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield what is registered about the measures and selectors of the study."""
    for name in evidence.plan["measures"]:
        measure = get_measure(name)
        yield measure.name, f"{_capital(measure.title)}: {_first_line(measure.function)}"
    for selector in evidence.plan["selectors"]:
        record = record_of(selector["object"])
        if record is not None:
            yield selector["name"], f"{_capital(record.title)}: {_first_line(record.kind)}"


def _first_line(thing: object) -> str:
    text = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`|``([^`]*)``", r"\1\2", " ".join(text.split()))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
