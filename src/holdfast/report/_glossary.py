"""Terms of a report and what they mean; selectors and classifiers in the words of a paper."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from holdfast._formatting import spell_out_invisible
from holdfast._typing import JSON
from holdfast.measures import get_measure
from holdfast.report._formatting import (
    NAME,
    format_name,
    get_selector_record,
    has_ranks,
    shorten,
    verdict_sentences,
)
from holdfast.report._schema import Report

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence


TERM_MEANINGS = {
    "very likely": "A chance of at least 0.9 to be found again.",
    "likely": "A chance of at least 0.7 to be found again.",
    "uncertain": "A chance of 0.3 to 0.7 to be found again.",
    "unlikely": "A chance below 0.3 to be found again.",
    "second study": "A study of as many other samples of the same population, with the same "
    "selector.",
    "replication stability": "How well the features selected in two independent studies, with "
    "other samples, agree: 1 means the same features; for measures corrected for chance, 0 is what "
    "random selections give. It depends on how many samples the studies have.",
    "disjoint halves": "Two halves of the data that share no sample and no subject: like two "
    "independent studies of half the size.",
    "stability": "How much the selected features stay the same when the data change a little: 1 "
    "means the same features each time; for measures corrected for chance, 0 is what random "
    "selections give.",
    "selection frequency": "The share of the resamples in which a feature was selected; not its "
    "chance to be selected in a second study, as resamples share samples.",
    "frequency": "The share of the resamples in which a feature was selected; not its chance to "
    "be selected in a second study, as resamples share samples.",
    "resample": "A changed copy of the data, such as a random 90% of the samples, on which the "
    "selection is done again.",
    "cohort": "Samples that belong together, such as those of one study or site.",
    "95% interval": "A range that, in 95 of 100 repetitions of the same procedure, contains the "
    "number that endless repetition would give. For a stability or frequency over resamples, that "
    "is more resamples of the same data; there is none where leaving out any one resample changes "
    "nothing.",
    "interval": "A range within which the number would mostly lie if the procedure were repeated.",
    "chance level": "What selecting as many features at random would give.",
    "stand-in": "A feature that correlates strongly with another and takes its place: it is "
    "selected clearly more often in resamples without the other than in those with it.",
    "representative": "The member of a group of features that is most like the others; it stands "
    "for the group in tables and classifiers.",
    "companion": "A feature that is in the same selected group as another at least half of the "
    "time.",
    "knot": "The number of features beyond which stability falls off: on the features that are "
    "added after it, resamples agree clearly less.",
    "clarity": "How clearly agreement breaks at a knot: it grows with the agreement before it, "
    "with the fall after it, and slowly with the number of features.",
    "profile": "Stability drawn against the number of selected features.",
    "effect size": "How far a feature's mean in one class lies from its mean in the other "
    "samples, in units of the spread within classes; 0.2 is small, 0.8 large. Corrected for the "
    "selection: it is shrunk by the amount of chance that the effects of all features show, and "
    "its 95% interval covers the true effects of 95% of the selected features, not of the others.",
    "observed effect": "The effect size in these data, not corrected. For selected features it is "
    "too high, because they were chosen for being high: the best features of pure noise have large "
    "observed effects.",
    "rank": "The place of a feature in a selector's order; 1 is the best.",
    "rank range": "The ranks that a feature has in the middle 90% of the resamples.",
    "error": "The share of test samples that are misclassified; selection and training never see "
    "these samples.",
    "standard deviation": "How far single numbers typically lie from their mean.",
    "standard error": "How far an estimate typically is from the true value. For errors: how much "
    "they vary between data sets like this one, where other samples would be tested and another "
    "classifier learned.",
    "balanced accuracy": "The share of samples classified correctly, each class counting equally.",
    "AUC": "The probability that a classifier scores a random sample of one class above one of "
    "the other; 0.5 is guessing, 1 is perfect. With more than two classes, the mean over classes "
    "of one against all others.",
    "RPT": "Robustness-performance trade-off: the harmonic mean of the accuracy and of the score "
    "that pairs are ordered by, which lies between replication and the usual stability.",
    "p-value": "How often a difference as large as this would be seen if there were none. Where "
    "many are tested, it is corrected for that.",
    "t-test on samples": "Tests whether two pairs differ in their errors. A sample that is tested "
    "several times counts once; variances are enlarged, as all classifiers share training samples.",
    "t-test on subjects": "Tests whether two pairs differ in their errors. A subject with several "
    "samples counts once; variances are enlarged, as all classifiers share training samples.",
    "McNemar's test": "Tests whether two classifiers differ, by the samples that only one "
    "of them gets wrong: without a difference, each is wrong equally often. Variances are "
    "enlarged, as all classifiers share training samples.",
    "possible comparisons": "The best pair is chosen by the same data, so any two pairs might "
    "have been compared. P-values are increased accordingly.",
    "Wilson's": "Wilson's interval is a range for the share in many more such resamples; it stays "
    "between 0 and 100% and is valid near both.",
    "phi": "The phi coefficient: how similar two selections are, from -1 through 0 "
    "(chance) to 1 (the same features).",
    "significantly": "More than chance would explain in 19 of 20 cases.",
    "Pareto front": "The choices that no other choice beats: no other has at most the "
    "same error, at least the same stability and at most as many features, and is better in one of "
    "them. In a picture of error and stability, "
    "the number of features does not count.",
    "selector": "A method that chooses features, or orders them from best to worst.",
    "classifier": "A method that predicts the class of a sample from its features.",
    "correlation": "How closely two features go together, from -1 to 1; 0 is not at all.",
    "informative": "Truly different between the classes; known for simulated data only.",
    "unit of work": "One selector on one resample.",
    "nested": "Resamples within resamples: the inner ones measure stability, the outer ones the "
    "error.",
}
MEASURE_MEANINGS = {
    "nogueira": "Agreement of all selections beyond chance, after Nogueira and others: 1 is the "
    "same features each time, 0 what random selections give.",
    "relative_weighted_consistency": "How often the selected features come back, on a scale from "
    "0, as rarely as the number of selections allows, to 1, always the same.",
}
"""Meanings of measures whose definition is hard to read."""
CLASSIFIER_MEANINGS = {
    "SVC": "Support vector machine: separates the classes by a border that lies as far as it can "
    "from the samples of both",
    "LinearSVC": "Support vector machine: separates the classes by a plane that lies as far as it "
    "can from the samples of both",
    "KNeighborsClassifier": "Nearest neighbours: gives a sample the class of those most like it",
    "LinearDiscriminantAnalysis": "Linear discriminant analysis: separates the classes by planes, "
    "as if all had the same spread",
    "QuadraticDiscriminantAnalysis": "Gaussian classifier: describes each class by its mean and "
    "its own spread, and gives a sample the class in which it is likeliest",
    "GaussianNB": "Naive Bayes: treats features as if they were independent within a class",
    "RandomForestClassifier": "Random forest: lets many decision trees, each grown on a random "
    "part of the data, vote on the class",
    "LogisticRegression": "Logistic regression: combines the features into a probability of "
    "each class",
    "DecisionTreeClassifier": "Decision tree: asks about one feature after another",
}
"""What classifiers do, by class."""
HEADINGS = {
    "selector": "selector",
    "stability": "stability, 95% interval",
    "chance": "chance level",
    "classifier": "classifier",
    "error": "error, standard error",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "rpt": "RPT",
    "p_value": "p-value",
    "front": "Pareto front",
}
"""Headings of the table of selectors, by the values that it needs to show them."""


def build_glossary(evidence: Evidence, report: Report) -> dict[str, str]:
    """Return the terms that occur in a report, with their meanings, in alphabetical order."""
    text = NAME.sub(" ", " ".join(_collect_texts(report)))  # a name is not a term
    meanings = {
        term: meaning
        for term, meaning in TERM_MEANINGS.items()
        if re.search(rf"(?<!\w){re.escape(term)}s?(?!\w)", text, re.IGNORECASE)
    }
    words = {term.lower() for term in TERM_MEANINGS}
    meanings |= {
        name: meaning
        for name, meaning in _collect_registered_terms(evidence)
        if name.lower() not in words
    }
    return dict(sorted(meanings.items(), key=lambda entry: entry[0].lower()))


def _collect_texts(report: Report) -> Iterator[str]:
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
    groups = report["groups"]
    group_measures = None if groups is None else groups.get("measures")
    sections = (report["truth"], report["profile"], report["similarity"], report["stand_ins"])
    for section in (*sections, groups, group_measures):
        if section is not None:
            yield from (*section["sentences"], *(key for row in section["rows"][:1] for key in row))
    yield from _collect_headings(report)


def _collect_headings(report: Report) -> Iterator[str]:
    """Yield the headings of the tables of features and selectors."""
    if report["features"]["rows"]:
        yield from ("effect size", "observed effect", "selection frequency")
        if any(row["stand_ins"] for row in report["features"]["rows"]):
            yield "stand-in"
        yield from ["rank range"] if has_ranks(report["features"]["rows"]) else []
        yield from (text for row in report["features"]["rows"] for text in row["caveats"])
    for key, heading in HEADINGS.items():
        if any(row.get(key) for row in report["selectors"]["rows"]):
            yield heading


def _collect_registered_terms(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Yield the meanings of the measures, selectors and classifiers of the study."""
    for name in evidence.plan["measures"]:
        measure = get_measure(name)
        meaning = MEASURE_MEANINGS.get(measure.name) or _get_summary_line(measure.function)
        yield measure.name, f"{_capitalize(measure.title)}: {meaning}"
    for selector in evidence.plan["selectors"]:
        record = get_selector_record(selector["object"])
        if record is not None:
            yield selector["name"], f"{_capitalize(record.title)}: {_get_summary_line(record.kind)}"
    for classifier in evidence.plan["classifiers"]:
        spec = classifier["object"]
        explanation = CLASSIFIER_MEANINGS.get(_get_class_name(spec))
        if explanation is not None:
            options = format_options(spec)
            yield classifier["name"], f"{explanation}{f' ({options})' if options else ''}."


def _get_class_name(spec: JSON) -> str:
    path = spec.get("class", "") if isinstance(spec, dict) else ""
    return path.rpartition(":")[2]


def _get_summary_line(documented: object) -> str:
    text = (inspect.getdoc(documented) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`|``([^`]*)``", r"\1\2", " ".join(text.split()))


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


# Terms that are explained where a section first uses them.

TIP_MARKUP = '<span class="tip" role="tooltip" id="{tip}">{meaning}</span>'
LINKED_TERM = Markup(
    '<a class="term" href="#{entry}" aria-describedby="{tip}">{word}</a>' + TIP_MARKUP
)
# in the frame of a notebook, a link to a place in the page would load the notebook instead
UNLINKED_TERM = Markup(
    '<span class="term" tabindex="0" aria-describedby="{tip}">{word}</span>' + TIP_MARKUP
)
ISOLATED_NAME = Markup("<bdi>{}</bdi>")


class Terms:
    """The glossary of a page.

    Parameters
    ----------
    glossary : mapping
        What each term means, in a sentence.
    names : collection of str
        Terms that are explained only where they occur as names, such as those of selectors.
    links : bool, default True
        Whether terms link to the glossary.

    Examples
    --------
    >>> mark = Terms({"stability": "How similar the selections are."}).section()
    >>> mark("Stability of <b>")
    Markup('<a class="term" href="#term-1" aria-describedby="tip-1">Stability</a><span
    class="tip" role="tooltip" id="tip-1">How similar the selections are.</span> of &lt;b&gt;')
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
        # the longest first: "selection frequency" is not "frequency"
        words.sort(key=lambda term: (-len(term), term))
        terms = "|".join(map(re.escape, words))
        self._pattern = re.compile(rf"(?<!\w)((?:{terms})s?)(?!\w)", re.IGNORECASE)
        self._shape = LINKED_TERM if links else UNLINKED_TERM

    def section(self) -> Callable[[str], Markup]:
        """Return a function that marks each term once and escapes everything else."""
        seen: set[str] = set()

        def mark(text: str) -> Markup:
            marked = []
            for place, part in enumerate(NAME.split(text)):
                if place % 2:  # a name: explained as a whole or not at all, never by its words
                    name = part[1:-1]
                    known = name if name in self._names else None
                    marked.append(ISOLATED_NAME.format(self._mark_piece(name, known, seen)))
                    continue
                for piece in self._pattern.split(part) if self._lowered else [part]:
                    word = piece.lower()
                    term = self._lowered.get(word) or self._lowered.get(word.removesuffix("s"))
                    marked.append(self._mark_piece(piece, term, seen))
            return Markup("").join(marked)

        return mark

    def _mark_piece(self, piece: str, term: str | None, seen: set[str]) -> Markup:
        if term is None or term in seen:
            return escape(spell_out_invisible(piece))
        seen.add(term)
        return self._shape.format(
            entry=self.entries[term],
            tip=f"tip-{next(self._numbers)}",
            word=spell_out_invisible(piece),
            meaning=spell_out_invisible(self.glossary[term]),
        )


def isolate_names(text: str) -> Markup:
    """Return a sentence with isolated names, without explanations."""
    return Terms({}).section()(text)


# Selectors and classifiers of a plan: a title, and the options that were set.

INSPECTED_MODULES = (
    *("calibration", "discriminant_analysis", "dummy", "ensemble", "gaussian_process"),
    *("linear_model", "naive_bayes", "neighbors", "neural_network", "pipeline", "svm", "tree"),
)
"""Modules of scikit-learn whose classes show their defaults: those of classifiers.

All are imported for any report, so that a plan does not choose what is imported.
"""
PARAMETERS_SET_BY_STUDY = {"random_state", "n_features_to_select"}
"""Parameters that the study sets itself."""


def format_options(spec: JSON) -> str:
    """Return the parameters that differ from the defaults: ``n_neighbors = 3, C = 0.5``."""
    if not isinstance(spec, dict) or "parameters" not in spec:
        return ""
    defaults = _get_defaults(spec)
    changed = {
        key: value
        for key, value in spec["parameters"].items()
        if key not in PARAMETERS_SET_BY_STUDY
        and (value is None or isinstance(value, bool | int | float | str))
        and defaults.get(key, ...) != value
    }
    return ", ".join(f"{key} = {shorten(value, 30)}" for key, value in changed.items())


def describe_selector(selector: dict[str, Any]) -> tuple[str, str]:
    """Return the title of a selector of a plan, and details: its name and options."""
    record = get_selector_record(selector["object"])
    name, options = format_name(selector["name"]), format_options(selector["object"])
    if record is None or record.name == "any_selector":
        return name, options
    title, _, more = record.title.partition(" (")
    return title, ", ".join(part for part in (more.removesuffix(")"), name, options) if part)


def describe_classifier(classifier: dict[str, Any]) -> str:
    """Return a classifier of a plan: its name, class, and options."""
    spec = classifier["object"]
    details = [part for part in (_get_class_name(spec), format_options(spec)) if part]
    return format_name(classifier["name"]) + (f" ({', '.join(details)})" if details else "")


def classifier_titles(classifiers: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return the titles of classifiers, with their names if several share a title."""
    titles = {}
    for classifier in classifiers:
        title = CLASSIFIER_MEANINGS.get(_get_class_name(classifier["object"]), "").partition(":")[0]
        titles[classifier["name"]] = title[:1].lower() + title[1:]
    counts = Counter(titles.values())
    labels = {}
    for name, title in titles.items():
        unique = title if counts[title] == 1 else f"{title} ({format_name(name)})"
        labels[name] = unique if title else format_name(name)
    return labels


def _get_defaults(spec: JSON) -> dict[str, Any]:
    """Return the default parameters of a registered selector, or a class of scikit-learn."""
    record = get_selector_record(spec)
    if record is None:
        modules = {
            f"sklearn.{name}": importlib.import_module(f"sklearn.{name}")
            for name in INSPECTED_MODULES
        }
        module, _, name = spec["class"].partition(":")
        kind: Any = getattr(modules.get(module), name, None)
    else:
        kind = record.kind
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # a class of another package or version
        return {}
    return {parameter.name: parameter.default for parameter in parameters}
