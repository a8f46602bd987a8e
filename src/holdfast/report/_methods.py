"""What was done: protocol, data, methods paragraph, references, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._bibliography import REFERENCES
from holdfast._formatting import format_short_percent, join_texts, plural
from holdfast._typing import JSON
from holdfast.io import DataSummary
from holdfast.measures import get_measure
from holdfast.report._formatting import (
    MAX_LISTED,
    format_name,
    get_selector_record,
    shorten,
    to_plain_text,
)
from holdfast.report._glossary import describe_classifier, describe_selector
from holdfast.report._schema import Methods
from holdfast.resample import PROTOCOLS, ProtocolRecord
from holdfast.select import ignored_weights_sentence

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence


MIN_SAMPLES_PER_CLASS = 20
"""Classes with fewer samples cause a warning (chosen by hand)."""
DATA_UNAVAILABLE = (
    "The data are no longer available, or have changed: effect sizes, stand-ins and missing values "
    "cannot be shown."
)


def methods_section(evidence: Evidence) -> Methods:
    """Return what was done, so that others can repeat it."""
    cite = CitationList()  # filled by the paragraph, so the paragraph is written first
    text = " ".join(_describe_study(evidence, cite))
    summary = None if evidence.data is None else evidence.data.summary()
    return {
        "protocol": evidence.result.protocol_sentence,
        "data": list(_collect_facts(evidence, summary)),
        "warnings": list(_collect_warnings(evidence, summary)),
        "paragraph": to_plain_text(text),  # to be pasted, so without marks of names
        "references": cite.format_references(),
        "versions": [*get_versions(evidence), *_collect_machine_facts(evidence)],
        "seed": int(evidence.plan["seed"]),
        "command": evidence.result.command,
        "fingerprint": str(evidence.plan["data"]["sha256"]),
    }


def get_data_name(evidence: Evidence) -> str:
    """Return the name of the data: the file without its folder, or ``data in memory``."""
    source = evidence.plan["data"]["source"] or {}
    file = str(source.get("file", ""))
    return file.replace("\\", "/").rpartition("/")[2].removeprefix("@") or "data in memory"


def _collect_facts(evidence: Evidence, summary: DataSummary | None) -> Iterator[tuple[str, str]]:
    data = evidence.plan["data"]
    yield "Data", get_data_name(evidence)
    yield "Samples", f"{data['n_samples']:,}"
    yield "Features", f"{data['n_features']:,}"
    yield "Classes", ", ".join(f"{label}: {count:,}" for label, count in data["classes"].items())
    if data["subjects"]:
        yield "Subjects", f"{data['subjects']:,}"
    for sentence in describe_weighting(evidence.plan):
        yield "Sample weights", to_plain_text(sentence)
    if summary is None:
        return
    share = summary.n_missing / (summary.n_samples * summary.n_features)
    yield "Missing values", f"{summary.n_missing:,} ({share:.2%})" if summary.n_missing else "none"
    if summary.n_nominal:
        yield "Nominal features", f"{summary.n_nominal:,}"
    if summary.constant:
        yield "Constant features", f"{len(summary.constant):,}"
    if summary.duplicates:
        yield "Exact copies", f"{sum(map(len, summary.duplicates)):,} features"


def _collect_warnings(evidence: Evidence, summary: DataSummary | None) -> Iterator[str]:
    counts = evidence.plan["data"]["classes"]
    few = [
        f"{format_name(label)} ({count:,})"
        for label, count in counts.items()
        if count < MIN_SAMPLES_PER_CLASS
    ]
    if few:
        labels = join_texts(few, MAX_LISTED)
        yield f"Few samples of {labels}: results for them may be due to chance."
    if summary is None:
        yield DATA_UNAVAILABLE
        return
    # the first line repeats the plan; the second counts missing values, even if there are none
    yield from summary.lines()[1:] if summary.n_missing else summary.lines()[2:]


def _collect_machine_facts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    table = evidence.result.versions
    if "machine" in table:
        yield "machine", ", ".join(table["machine"].dropna().astype(str).unique())
    if len(table) > 1:
        yield "runs", plural(len(table), "run")


# A paragraph for the methods section of a paper.

NOT_SOFTWARE = {"run", "started", "where", "command", "machine"}
"""Columns of the table of versions that are no versions."""
RULE_SENTENCES = {
    "not_worse": "among those not significantly worse than the one of least error, the most "
    "stable was recommended",
    "one_standard_error": "among those within one standard error of the least error, the most "
    "stable was recommended",
    "rpt": "the one with the best robustness-performance trade-off was recommended",
}


def _describe_study(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    plan = evidence.plan
    yield _describe_data(plan["data"])
    yield from _describe_selection(evidence, cite)
    yield from describe_weighting(plan)
    yield _describe_resampling(plan, cite)
    if plan["impute"]:
        yield f"Missing values were imputed by the {plan['impute']} of the training part."
    yield _describe_stability(plan, cite)
    yield from _describe_replication(evidence, cite)
    if evidence.profile is not None and evidence.profile.knots["size"].notna().any():
        yield (
            "Knots of the stability profiles are the sizes at which agreement beyond chance "
            "breaks, by the rule that holdfast documents."
        )
    resamples = "data sets" if evidence.has_independent_samples else "resamples of these data"
    yield f"Selection frequencies have 95% intervals by Wilson's method, for more such {resamples}."
    if plan["classifiers"]:
        yield _describe_classification(evidence)
        yield _describe_comparison(evidence, cite)
        yield from _describe_choice_error(evidence, cite)
    versions = [f"{name} {version}" for name, version in get_versions(evidence)]
    software = join_texts(versions) or "holdfast"
    yield f"All results were computed with {software}; the seed was {plan['seed']}."


def _describe_data(data: dict[str, Any]) -> str:
    classes = join_texts(
        [f"{count:,} {format_name(label)}" for label, count in data["classes"].items()]
    )
    subjects = f" of {plural(data['subjects'], 'subject')}" if data["subjects"] else ""
    return (
        f"The data hold {plural(data['n_features'], 'feature')} of "
        f"{plural(data['n_samples'], 'sample')}{subjects} ({classes})."
    )


def describe_weighting(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence on the weights of samples and on what ignores them, if there are weights."""
    if "weighting" not in plan:
        return
    ignored = plan["weighting"]["ignored_by"]
    names = list(map(format_name, [*ignored["selectors"], *ignored["classifiers"]]))
    used = "Samples were weighted in all fits that take weights; errors count each sample once."
    if names:
        used += f" {ignored_weights_sentence(join_texts(names, MAX_LISTED), len(names))}"
    yield used


def _describe_selection(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    selectors, sizes = evidence.plan["selectors"], evidence.plan["sizes"]
    texts = []
    for selector in selectors:
        title, details = describe_selector(selector)
        record = get_selector_record(selector["object"])
        references = () if record is None else record.references
        texts.append(title + cite(*references, after=details))
    yield f"Features were selected by {join_texts(texts)}."
    grouping = evidence.group_selectors
    sized = {selector["name"] for selector in selectors if not selector["own_size"]}
    if sized - grouping:
        all_rank = not grouping and len(sized) == len(selectors)
        rankings = "each ranking" if all_rank else "each ranking, where a selector gives one,"
        best = "feature" if sizes == [1] else f"{_format_sizes(sizes)} features"
        yield f"The best {best} of {rankings} {'was' if sizes == [1] else 'were'} kept."
    if grouping:
        yield _describe_kept_groups(
            sizes if sized & grouping else [], alone=len(grouping) == len(selectors)
        )


def _describe_kept_groups(sizes: list[int], *, alone: bool) -> str:
    """Return how many groups of features were kept, and how; all of them without sizes."""
    where = "" if alone else "Where a selector finds groups of features, "
    noun = "groups of features" if alone else "of them"
    count = f"the best {_format_sizes(sizes)} {noun}"
    if sizes == [1]:
        count = "the best group of features" if alone else "the best of them"
    elif not sizes:
        count = "groups of features" if alone else "all of them"
    text = f"{where}{count} {'was' if sizes == [1] else 'were'} kept, each by its representative."
    return text[:1].upper() + text[1:]


def _format_sizes(sizes: list[int]) -> str:
    return join_texts([f"{size:,}" for size in sizes], last="or")


def _describe_resampling(plan: dict[str, Any], cite: CitationList) -> str:
    protocol = plan["protocol"]
    record = get_protocol_record(protocol["object"])
    title = "resampling" if record is None else record.title[:1].lower() + record.title[1:]
    sources = cite(*record.references) if record is not None else ""
    what = protocol.get("description") or plural(protocol["resamples"], "resample")
    return (
        f"Selection was repeated by {title}{sources}: {shorten(what, 400)}; it used only the "
        "training part of each resample."
    )


def _describe_stability(plan: dict[str, Any], cite: CitationList) -> str:
    measures = map(get_measure, plan["measures"])
    names = [f"{measure.title}{cite(*measure.references)}" for measure in measures]
    if not names:
        return "No measure of stability was asked for."
    return f"The stability of the selections was measured by {join_texts(names)}."


def _describe_replication(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    """Yield how the replication stability was estimated, if it was."""
    table = evidence.replication_table.dropna(subset="value")
    if not len(table):
        return
    pairs, halves = (int(table[name].max()) for name in ("n_pairs", "n_samples"))
    together = ", subjects kept together" if evidence.unit_noun == "subject" else ""
    yield (
        f"Replication stability, the agreement of the selections from two independent "
        f"samples{cite('kalousis2005', 'dernoncourt2014')}, was estimated from "
        f"{plural(pairs, 'random split')} of the {evidence.unit_noun}s into disjoint halves of "
        f"{halves:,}, stratified by class{together}; its 95% intervals are at the level of the "
        f"data.{_describe_prediction(evidence, table)}"
    )


def _describe_prediction(evidence: Evidence, table: pd.DataFrame) -> str:
    """Return how the value for larger studies was predicted; empty if it was not."""
    known = table.dropna(subset="predicted")
    if not len(known):
        return ""
    at = plural(int(known["at"].max()), evidence.unit_noun)
    pairs = ""
    if evidence.replication is not None:
        points = evidence.replication.points
        sizes = zip(points["n_pairs"], points["n_samples"], strict=True)
        counts = [f"{plural(int(n), 'pair')} of {size:,.0f}" for n, size in sizes]
        pairs = f" ({join_texts(counts)})"
    return f" For studies of {at} it was predicted from disjoint parts of several sizes{pairs}."


def _describe_classification(evidence: Evidence) -> str:
    plan = evidence.plan
    names = join_texts([describe_classifier(classifier) for classifier in plan["classifiers"]])
    if evidence.has_independent_samples:
        standard_errors = "standard errors over data sets"
    elif plan["protocol"]["tested"] == "once":
        standard_errors = "binomial standard errors, enlarged for shared training samples"
        if evidence.unit_noun == "subject":
            standard_errors = (
                "standard errors between subjects, enlarged for shared training samples"
            )
    else:
        standard_errors = "standard errors between samples, enlarged for shared training samples"
    return (
        f"On the selected features, standardised by the training part, {names} predicted the "
        f"test part; errors have {standard_errors}."
    )


def _describe_comparison(evidence: Evidence, cite: CitationList) -> str:
    choice = evidence.choice
    if choice is None:
        return "No pair of selector and classifier was recommended."
    if choice.rule != "not_worse":
        return f"Of the pairs of selector and classifier, {RULE_SENTENCES[choice.rule]}."
    if evidence.plan["protocol"]["tested"] == "once":
        test = f"McNemar's test{cite('mcnemar1947')}"
    else:
        test = "the t-test on samples"
    if evidence.unit_noun == "subject":
        test = "the t-test on subjects"
    if evidence.has_independent_samples:
        test = "the t-test on data sets"
    else:
        test += ", enlarged for shared training samples,"
    return (
        f"Pairs of selector and classifier were compared with the best one by {test} at the "
        f"{format_short_percent(0.05)} level, corrected because the best is chosen by the same data"
        f"{cite('hansen2011')}; {RULE_SENTENCES[choice.rule]}{cite('kalousis2005')}."
    )


def _describe_choice_error(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    """Yield how the error of the choice itself was estimated, if it was."""
    choice_error = None if evidence.choice is None else evidence.choice.choice
    if choice_error is None:
        return
    how = "by choosing within each outer training part and testing outside"
    if choice_error.method == "deletion":
        how = "by choosing without a quarter of the data and testing on that quarter"
    if choice_error.method == "bootstrap":
        how = f"by bootstrap bias correction{cite('tsamardinos2018')}"
    yield f"The error of the choice itself was estimated {how}."


def get_versions(evidence: Evidence) -> list[tuple[str, str]]:
    """Return the software versions of the study; if runs differ, all of them."""
    table = evidence.result.versions
    names = [str(name) for name in table.columns if name not in NOT_SOFTWARE]
    names.sort(key=lambda name: name != "holdfast")  # first; the others keep their order
    versions = {name: table[name].dropna().astype(str).unique().tolist() for name in names}
    return [(name, ", ".join(values)) for name, values in versions.items() if values]


# Publications.


class CitationList:
    """Keys of publications, in the order in which a text cites them."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def __call__(self, *keys: str, after: str = "") -> str:
        """Return `` (after; Author Year; Author Year)``, and keep the publications."""
        self._keys.update(dict.fromkeys(keys))
        texts = [
            *([after] if after else []),
            *(REFERENCES[key].short for key in dict.fromkeys(keys)),
        ]
        return f" ({'; '.join(texts)})" if texts else ""

    def format_references(self) -> list[str]:
        """Return all cited publications in full, sorted by author and year."""
        publications = [REFERENCES[key] for key in self._keys]
        publications.sort(key=lambda publication: publication.short)
        return [publication.full for publication in publications]


def get_protocol_record(spec: JSON) -> ProtocolRecord | None:
    """Return the record of the protocol of a plan; None if it is not registered."""
    path = spec.get("class", "") if isinstance(spec, dict) else ""
    kind = path.removeprefix("holdfast.resample:")
    return next((record for record in PROTOCOLS.values() if record.kind.__name__ == kind), None)
