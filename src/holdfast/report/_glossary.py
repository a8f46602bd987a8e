"""What each term of a report means, in a sentence."""

from __future__ import annotations

import inspect
import re
from itertools import count
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from holdfast.measures import get_measure
from holdfast.report._descriptions import CLASSIFIERS, MEASURES, TERMS, options
from holdfast.report._escaping import NAME, visible
from holdfast.report._formatting import ranked, record_of
from holdfast.report._verdict import verdict_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

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
    found |= {
        name: told
        for name, told in _collect_registered_terms(evidence)
        if name.lower() not in words
    }
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


def _collect_registered_terms(evidence: Evidence) -> Iterator[tuple[str, str]]:
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


# Words that need an explanation: marked where a section first uses them.

TIP = '<span class="tip" role="tooltip" id="{tip}">{meaning}</span>'
LINK = Markup('<a class="term" href="#{entry}" aria-describedby="{tip}">{word}</a>' + TIP)
# in a frame of a notebook, a link to a place in the page would load the notebook instead
WORD = Markup('<span class="term" tabindex="0" aria-describedby="{tip}">{word}</span>' + TIP)
APART = Markup("<bdi>{}</bdi>")


class Terms:
    """The glossary of a page.

    Parameters
    ----------
    glossary : mapping
        What each term means, in a sentence.
    names : collection of str
        Terms that are explained only where they are names, such as those of selectors.
    links : bool, default True
        Whether terms lead to the glossary.

    Examples
    --------
    >>> mark = Terms({"stability": "How alike the selections are."}).section()
    >>> mark("Stability of <b>")
    Markup('<a class="term" href="#term-1" aria-describedby="tip-1">Stability</a><span
    class="tip" role="tooltip" id="tip-1">How alike the selections are.</span> of &lt;b&gt;')
    >>> mark("the stability")
    Markup('the stability')
    """

    def __init__(
        self, glossary: Mapping[str, str], names: Collection[str] = (), *, links: bool = True
    ) -> None:
        self.glossary = glossary
        self.entries = {term: f"term-{place}" for place, term in enumerate(glossary, 1)}
        self._names = {name for name in names if name in glossary}
        words = [term for term in glossary if term not in self._names]
        self._lowered = {term.lower(): term for term in words}
        self._numbers = count(1)
        self._pattern = _pattern(words)
        self._shape = LINK if links else WORD

    def section(self) -> Callable[[str], Markup]:
        """Return a function that marks each term once, and escapes all the rest."""
        seen: set[str] = set()

        def mark(text: str) -> Markup:
            parts = enumerate(NAME.split(text))
            return Markup("").join(
                self._name(part[1:-1], seen) if at % 2 else self._words(part, seen)
                for at, part in parts
            )

        return mark

    def _words(self, text: str, seen: set[str]) -> Markup:
        pieces = self._pattern.split(text) if self._lowered else [text]
        return Markup("").join(self._piece(piece, self._known(piece), seen) for piece in pieces)

    def _name(self, name: str, seen: set[str]) -> Markup:
        """Set a name apart; it is explained if it is that of a selector, never by its words."""
        return APART.format(self._piece(name, name if name in self._names else None, seen))

    def _piece(self, piece: str, term: str | None, seen: set[str]) -> Markup:
        if term is None or term in seen:
            return escape(visible(piece))
        seen.add(term)
        return self._shape.format(
            entry=self.entries[term],
            tip=f"tip-{next(self._numbers)}",
            word=visible(piece),
            meaning=visible(self.glossary[term]),
        )

    def _known(self, piece: str) -> str | None:
        word = piece.lower()
        return self._lowered.get(word) or self._lowered.get(word.removesuffix("s"))


def isolate_names(text: str) -> Markup:
    """Return a sentence whose names are set apart, without explanations."""
    return Terms({}).section()(text)


def _pattern(words: Collection[str]) -> re.Pattern[str]:
    # the longest first: "selection frequency" is not "frequency"
    terms = sorted(words, key=lambda term: (-len(term), term))
    return re.compile(rf"(?<!\w)((?:{'|'.join(map(re.escape, terms))})s?)(?!\w)", re.IGNORECASE)
