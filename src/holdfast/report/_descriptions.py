"""Objects of a plan in the words of a paper: a title, and the options that were set."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from typing import TYPE_CHECKING, Any

from holdfast.report._formatting import cut, format_name, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable


OURS = ("holdfast", "sklearn")
"""Packages whose classes are looked at; a plan of somebody else is no reason to import more."""
SET_BY_STUDY = {"random_state", "n_features_to_select"}
"""Parameters that the study sets itself."""


def options(spelling: Any) -> str:  # noqa: ANN401  (JSON of a plan)
    """Return the parameters that differ from the defaults: ``n_neighbors = 3, C = 0.5``."""
    if not isinstance(spelling, dict) or "parameters" not in spelling:
        return ""
    defaults = _defaults(spelling["class"])
    given = {
        key: value
        for key, value in spelling["parameters"].items()
        if key not in SET_BY_STUDY and _simple(value) and defaults.get(key, ...) != value
    }
    return ", ".join(f"{key} = {cut(value, 30)}" for key, value in given.items())


def selector_text(selector: dict[str, Any]) -> tuple[str, str]:
    """Return what a selector of a plan is called, and in short its name and options."""
    record = record_of(selector["object"])
    name, given = format_name(selector["name"]), options(selector["object"])
    if record is None or record.name == "any_selector":
        return name, given
    title, _, more = record.title.partition(" (")
    return title, ", ".join(part for part in (more.removesuffix(")"), name, given) if part)


def classifier_text(classifier: dict[str, Any]) -> str:
    """Return a classifier of a plan: its name, class, and options."""
    spelling = classifier["object"]
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    details = [part for part in (path.rpartition(":")[2], options(spelling)) if part]
    return format_name(classifier["name"]) + (f" ({', '.join(details)})" if details else "")


def classifier_titles(classifiers: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return what classifiers are called in the field, with their names where they share that."""
    titles = {one["name"]: _classifier_title(one["object"]) for one in classifiers}
    shared = Counter(titles.values())
    return {
        name: format_name(name)
        if not title
        else title
        if shared[title] == 1
        else f"{title} ({format_name(name)})"
        for name, title in titles.items()
    }


def _classifier_title(spelling: Any) -> str:  # noqa: ANN401  (JSON of a plan)
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    title = CLASSIFIERS.get(path.rpartition(":")[2], "").partition(":")[0]
    return title[:1].lower() + title[1:]


def _simple(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _defaults(path: str) -> dict[str, Any]:
    """Return the default parameters of a class of ours or of scikit-learn."""
    module, _, name = path.partition(":")
    if module.partition(".")[0] not in OURS:
        return {}
    try:
        kind = getattr(importlib.import_module(module), name)
        parameters = inspect.signature(kind).parameters.values()
    except (ImportError, AttributeError, ValueError, TypeError):  # of another version
        return {}
    return {one.name: one.default for one in parameters}


# The words of a report that need an explanation, and the explanations.

TERMS = {
    "very likely": "A chance of at least 0.9 to be found again.",
    "likely": "A chance of at least 0.7 to be found again.",
    "uncertain": "A chance of 0.3 to 0.7 to be found again.",
    "unlikely": "A chance below 0.3 to be found again.",
    "second study": "A study of as many other samples of the same population, with the same "
    "selector.",
    "replication stability": "How well the features selected in two independent studies, with "
    "other samples, agree: 1 means the same features; for measures corrected for chance, 0 is what "
    "random selections give. It depends on how many samples the studies have.",
    "disjoint halves": "Two halves of the data that share no sample, nor subject: like two "
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
    "95% interval": "A range that, in 95 of 100 repetitions of the same procedure, holds the "
    "number that endless repetition would give. For a stability or frequency over resamples, that "
    "is more resamples of the same data; there is none where leaving out any one resample changes "
    "nothing.",
    "interval": "A range within which the number would mostly lie if the procedure were repeated.",
    "chance": "What selecting as many features at random would give.",
    "stand-in": "A feature that correlates strongly with another and takes its place: it is "
    "selected clearly more often in resamples without the other than in those with it.",
    "representative": "The member of a group of features that is most like the others; it stands "
    "for the group in tables and classifiers.",
    "companion": "A feature that lies in the same selected group as another most of the times.",
    "knot": "The number of features beyond which stability falls off: on the features that are "
    "added after it, resamples agree clearly less.",
    "clarity": "How clearly agreement breaks at a knot: it grows with the agreement before it, "
    "with the fall after it, and slowly with the number of features.",
    "profile": "Stability drawn against the number of selected features.",
    "effect size": "How far a feature's mean in one class lies from its mean in the other "
    "samples, in units of the spread within classes; 0.2 is small, 0.8 large. Corrected for the "
    "selection: it is shrunken by what the effects of all features show of chance, and its 95% "
    "interval holds the true effects of 95% of the selected features, not of the others.",
    "observed effect": "The effect size in these data, not corrected. For selected features it is "
    "too high, because they were chosen for being high: the best features of pure noise have large "
    "observed effects.",
    "rank": "The place of a feature in a selector's order; 1 is the best.",
    "rank range": "The ranks that a feature has in the middle 90% of the resamples.",
    "error": "The share of test samples that are misclassified; selection and training never see "
    "these samples.",
    "standard deviation": "How far single numbers typically lie from their mean.",
    "standard error": "By how much an estimate typically misses what it estimates. For errors: "
    "how much they vary over data sets like this one, since other samples would be tested and "
    "something else learned.",
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
    "McNemar's test": "Tests whether two classifiers differ, by the samples that just one "
    "of them gets wrong: without a difference, each is the one equally often. Variances are "
    "enlarged, as all classifiers share training samples.",
    "possible comparisons": "The best pair is known from the same data only, so any two pairs "
    "might have been compared. P-values are made larger for that.",
    "Wilson's": "Of Wilson's interval, a range for the share in many more such resamples; it stays "
    "between 0 and 100% and works for shares near them, too.",
    "phi": "The phi coefficient: how alike two selections are, from -1 over 0, which is "
    "chance, to 1, the same features.",
    "significantly": "More than chance would explain in 19 of 20 cases.",
    "Pareto front": "The choices that no other choice beats: none has as low an error, as high a "
    "stability and as few features, and one of them better. In a picture of error and stability, "
    "the number of features does not count.",
    "selector": "A method that chooses features, or orders them from best to worst.",
    "classifier": "A method that predicts the class of a sample from its features.",
    "correlation": "How closely two features go together, from -1 to 1; 0 is not at all.",
    "informative": "Truly different between the classes; known for simulated data only.",
    "unit of work": "One selector on one resample.",
    "nested": "Resamples within resamples: the inner ones measure stability, the outer ones the "
    "error.",
}
MEASURES = {
    "nogueira": "Agreement of all selections beyond chance, after Nogueira and others: 1 is the "
    "same features each time, 0 what random selections give.",
    "relative_weighted_consistency": "How often the selected features come back, on a scale from "
    "0, as seldom as the number of selections allows, to 1, always the same.",
}
"""Measures whose definition is hard to read."""
CLASSIFIERS = {
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
    "LogisticRegression": "Logistic regression: weighs the features to a probability of each class",
    "DecisionTreeClassifier": "Decision tree: asks about one feature after another",
}
"""What classifiers do, by their classes."""
