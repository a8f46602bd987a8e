"""What was done: protocol, data, the paragraph for a paper, references, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._bibliography import REFERENCES
from holdfast._formatting import percent, plural
from holdfast.measures import get_measure
from holdfast.report._descriptions import classifier_text, selector_text
from holdfast.report._escaping import plain_text
from holdfast.report._formatting import cut, format_name, join_texts, record_of
from holdfast.resample import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from holdfast.io import DataSummary
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Methods
    from holdfast.resample import ProtocolRecord


FEW_SAMPLES = 20
"""Fewer samples of a class than this are worth a warning."""
GONE = (
    "The data are not at hand any more, or have changed: effect sizes, stand-ins and what was "
    "missing in them cannot be shown."
)


def methods(evidence: Evidence) -> Methods:
    """Return what was done, so that others can do it again."""
    cite = CitationList()
    text = plain_text(paragraph(evidence, cite))  # to be pasted, so without marks of names
    summary = None if evidence.data is None else evidence.data.summary()
    return {
        "protocol": evidence.result.protocol_sentence,
        "data": [*_facts(evidence), *(_more_facts(summary) if summary is not None else ())],
        "warnings": list(_warnings(evidence, summary)),
        "paragraph": text,
        "references": cite.full(),
        "versions": [*software(evidence), *_machine(evidence)],
        "seed": int(evidence.plan["seed"]),
        "command": evidence.result.command,
        "fingerprint": str(evidence.plan["data"]["sha256"]),
    }


def data_name(evidence: Evidence) -> str:
    """Return what the data are called: their file without its folder, or that they were given."""
    source = evidence.plan["data"]["source"] or {}
    file = str(source.get("file", ""))
    return file.replace("\\", "/").rpartition("/")[2].removeprefix("@") or "data in memory"


def _facts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    data = evidence.plan["data"]
    yield "Data", data_name(evidence)
    yield "Samples", f"{data['n_samples']:,}"
    yield "Features", f"{data['n_features']:,}"
    yield "Classes", ", ".join(f"{label}: {count:,}" for label, count in data["classes"].items())
    if data["subjects"]:
        yield "Subjects", f"{data['subjects']:,}"


def _more_facts(summary: DataSummary) -> Iterator[tuple[str, str]]:
    share = summary.n_missing / (summary.n_samples * summary.n_features)
    yield "Missing values", f"{summary.n_missing:,} ({share:.2%})" if summary.n_missing else "none"
    if summary.n_nominal:
        yield "Nominal features", f"{summary.n_nominal:,}"
    if summary.constant:
        yield "Constant features", f"{len(summary.constant):,}"
    if summary.duplicates:
        yield "Exact copies", f"{sum(map(len, summary.duplicates)):,} features"


def _warnings(evidence: Evidence, summary: DataSummary | None) -> Iterator[str]:
    yield from _of_classes(evidence)
    if summary is None:
        yield GONE
        return
    yield from summary.lines()[1:] if summary.n_missing else summary.lines()[2:]


def _of_classes(evidence: Evidence) -> Iterator[str]:
    counts = evidence.plan["data"]["classes"]
    few = [
        f"{format_name(label)} ({count:,})"
        for label, count in counts.items()
        if count < FEW_SAMPLES
    ]
    if few:
        yield f"Few samples of {join_texts(few)}: what is found in them may be chance."


def _machine(evidence: Evidence) -> Iterator[tuple[str, str]]:
    table = evidence.result.versions
    if "machine" in table:
        yield "machine", ", ".join(table["machine"].dropna().astype(str).unique())
    if len(table) > 1:
        yield "runs", plural(len(table), "run")


# A paragraph that says what was done, ready for the methods section of a paper.

NOT_SOFTWARE = {"run", "started", "where", "command", "machine"}
"""What is known of a run besides versions."""
RULES = {
    "not_worse": "among those not significantly worse than the one of least error, the most "
    "stable was recommended",
    "one_standard_error": "among those within one standard error of the least error, the most "
    "stable was recommended",
    "rpt": "the one with the best robustness-performance trade-off was recommended",
}


def paragraph(evidence: Evidence, cite: CitationList) -> str:
    """Return the sentences of the methods paragraph, joined."""
    return " ".join(_sentences(evidence, cite))


def _sentences(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    plan = evidence.plan
    yield _data(plan["data"])
    yield from _selection(evidence, cite)
    yield _resampling(plan, cite)
    if plan["impute"]:
        yield f"Missing values were imputed by the {plan['impute']} of the training part."
    yield _stability(plan, cite)
    yield from _replication(evidence, cite)
    if evidence.profile is not None and evidence.profile.knots["size"].notna().any():
        yield (
            "Knots of the stability profiles are the sizes at which agreement beyond chance "
            "breaks, by the rule that holdfast documents."
        )
    more = "data sets" if evidence.drawn else "resamples of these data"
    yield f"Selection frequencies have 95% intervals by Wilson's method, for more such {more}."
    if plan["classifiers"]:
        yield _classification(evidence)
        yield _comparison(evidence, cite)
        yield from _choosing(evidence, cite)
    yield f"All was computed with {_software(evidence)}; the seed was {plan['seed']}."


def _data(data: dict[str, Any]) -> str:
    classes = _join_all_texts(
        [f"{count:,} {format_name(label)}" for label, count in data["classes"].items()]
    )
    subjects = f" of {plural(data['subjects'], 'subject')}" if data["subjects"] else ""
    return (
        f"The data hold {plural(data['n_features'], 'feature')} of "
        f"{plural(data['n_samples'], 'sample')}{subjects} ({classes})."
    )


def _selection(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    selectors, sizes = evidence.plan["selectors"], evidence.plan["sizes"]
    yield (
        f"Features were selected by {_join_all_texts([_selector(one, cite) for one in selectors])}."
    )
    found = evidence.groupers
    if any(not one["own_size"] and one["name"] not in found for one in selectors):
        ranking = not found and all(not one["own_size"] for one in selectors)
        who = "each ranking" if ranking else "each ranking, where a selector gives one,"
        yield f"{_format_kept_features(sizes)} of {who} {'was' if sizes == [1] else 'were'} kept."
    if found:
        asked = any(not one["own_size"] for one in selectors if one["name"] in found)
        yield _groups(sizes if asked else [], alone=len(found) == len(selectors))


def _groups(sizes: list[int], *, alone: bool) -> str:
    """Say how many groups of features were kept, and how; all of them without sizes."""
    where = "" if alone else "Where a selector finds groups of features, "
    noun = "groups of features" if alone else "of them"
    count = f"the best {_join_all_texts([f'{size:,}' for size in sizes], last='or')} {noun}"
    if sizes == [1]:
        count = "the best group of features" if alone else "the best of them"
    elif not sizes:
        count = "groups of features" if alone else "all of them"
    text = f"{where}{count} {'was' if sizes == [1] else 'were'} kept, each by its representative."
    return text[:1].upper() + text[1:]


def _format_kept_features(sizes: list[int]) -> str:
    """Return how many of the best features were kept."""
    if sizes == [1]:
        return "The best feature"
    return f"The best {_join_all_texts([f'{size:,}' for size in sizes], last='or')} features"


def _selector(selector: dict[str, Any], cite: CitationList) -> str:
    title, details = selector_text(selector)
    return title + cite(*of_selector(selector["object"]), after=details)


def _resampling(plan: dict[str, Any], cite: CitationList) -> str:
    protocol = plan["protocol"]
    record = protocol_record(protocol["object"])
    title = "resampling" if record is None else record.title[:1].lower() + record.title[1:]
    sources = cite(*record.references) if record is not None else ""
    what = protocol.get("description") or plural(protocol["resamples"], "resample")
    return (
        f"Selection was repeated by {title}{sources}: {cut(what, 400)}; it saw the training "
        "part of each resample only."
    )


def _stability(plan: dict[str, Any], cite: CitationList) -> str:
    names = [f"{get_measure(name).title}{cite(*of_measure(name))}" for name in plan["measures"]]
    if not names:
        return "No measure of stability was asked for."
    return f"The stability of the selections was measured by {_join_all_texts(names)}."


def _replication(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    """Say how it was estimated what a second study would find, if it was."""
    table = evidence.result.replication.dropna(subset="value")
    if not len(table):
        return
    pairs, halves = (int(table[name].max()) for name in ("n_pairs", "n_samples"))
    together = ", subjects kept together" if evidence.noun == "subject" else ""
    yield (
        f"Replication stability, the agreement of the selections from two independent "
        f"samples{cite('kalousis2005', 'dernoncourt2014')}, was estimated from "
        f"{plural(pairs, 'random split')} of the {evidence.noun}s into disjoint halves of "
        f"{halves:,}, stratified by class{together}; its 95% intervals are at the level of the "
        f"data.{_describe_prediction(evidence, table)}"
    )


def _describe_prediction(evidence: Evidence, table: pd.DataFrame) -> str:
    known, points = table.dropna(subset="predicted"), evidence.replication
    if not len(known):
        return ""
    at = plural(int(known["at"].max()), evidence.noun)
    pairs = "" if points is None else f" ({_pairs(points.points)})"
    return f" For studies of {at} it was predicted from disjoint parts of several sizes{pairs}."


def _pairs(points: pd.DataFrame) -> str:
    """Return how many pairs of disjoint parts were compared at each size."""
    sizes = zip(points["n_pairs"], points["n_samples"], strict=True)
    return _join_all_texts(
        [f"{plural(int(pairs), 'pair')} of {size:,.0f}" for pairs, size in sizes]
    )


def _classification(evidence: Evidence) -> str:
    plan = evidence.plan
    names = _join_all_texts([classifier_text(one) for one in plan["classifiers"]])
    if evidence.drawn:
        spread = "standard errors over data sets"
    elif plan["protocol"]["tested"] == "once":
        spread = "binomial standard errors, enlarged for shared training samples"
        if evidence.noun == "subject":
            spread = "standard errors between subjects, enlarged for shared training samples"
    else:
        spread = "standard errors between samples, enlarged for shared training samples"
    return (
        f"On the selected features, standardised by the training part, {names} predicted the "
        f"test part; errors have {spread}."
    )


def _comparison(evidence: Evidence, cite: CitationList) -> str:
    choice = evidence.choice
    if choice is None:
        return "No pair of selector and classifier was recommended."
    if choice.rule != "not_worse":
        return f"Of the pairs of selector and classifier, {RULES[choice.rule]}."
    if evidence.plan["protocol"]["tested"] == "once":
        test = f"McNemar's test{cite('mcnemar1947')}"
    else:
        test = "the t-test on samples"
    if evidence.noun == "subject":
        test = "the t-test on subjects"
    if evidence.drawn:
        test = "the t-test on data sets"
    else:
        test += ", enlarged for shared training samples,"
    return (
        f"Pairs of selector and classifier were compared with the best one by {test} at the "
        f"{percent(0.05)} level, corrected because the best is chosen by the same data"
        f"{cite('hansen2011')}; {RULES[choice.rule]}{cite('kalousis2005')}."
    )


def _choosing(evidence: Evidence, cite: CitationList) -> Iterator[str]:
    """Say how the error of the choice itself was estimated, if it was."""
    found = None if evidence.choice is None else evidence.choice.choice
    if found is None:
        return
    how = "by choosing within each outer training part and testing outside"
    if found.method == "deletion":
        how = "by choosing without a quarter of the data and testing on that quarter"
    if found.method == "bootstrap":
        how = f"by bootstrap bias correction{cite('tsamardinos2018')}"
    yield f"The error of the choice itself was estimated {how}."


def _software(evidence: Evidence) -> str:
    versions = software(evidence)
    return _join_all_texts([f"{name} {version}" for name, version in versions]) or "holdfast"


def software(evidence: Evidence) -> list[tuple[str, str]]:
    """Return the versions that the study ran on; where runs differ, all of them."""
    table = evidence.result.versions
    names = [str(name) for name in table.columns if name not in NOT_SOFTWARE]
    names.sort(key=lambda name: name != "holdfast")  # it comes first, the others as they are
    found = {name: table[name].dropna().astype(str).unique().tolist() for name in names}
    return [(name, ", ".join(values)) for name, values in found.items() if values]


def _join_all_texts(names: list[str], last: str = "and") -> str:
    """Join texts that may be long, none left out."""
    return f" {last} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


# The publications behind what a study used.


class CitationList:
    """Keys of publications, in the order in which a text first names them."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def __call__(self, *keys: str, after: str = "") -> str:
        """Return `` (after; Author Year; Author Year)``, and remember the publications."""
        self._keys.update(dict.fromkeys(keys))
        texts = [
            *([after] if after else []),
            *(REFERENCES[key].short for key in dict.fromkeys(keys)),
        ]
        return f" ({'; '.join(texts)})" if texts else ""

    def full(self) -> list[str]:
        """Return all publications that were named, in full, sorted by author and year."""
        named = sorted((REFERENCES[key] for key in self._keys), key=lambda one: one.short)
        return [one.full for one in named]


def of_selector(spelling: Any) -> Iterable[str]:  # noqa: ANN401  (JSON of a plan)
    """Return the keys that a selector's record names."""
    record = record_of(spelling)
    return () if record is None else record.references


def of_measure(name: str) -> Iterable[str]:
    """Return the keys that a measure's record names."""
    return get_measure(name).references


def protocol_record(spelling: Any) -> ProtocolRecord | None:  # noqa: ANN401  (JSON of a plan)
    """Return what is registered about the protocol of a plan."""
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    kind = path.removeprefix("holdfast.resample:")
    return next((one for one in PROTOCOLS.values() if one.kind.__name__ == kind), None)
