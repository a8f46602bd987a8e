"""What was done: protocol, data, the paragraph for a paper, references, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.report._cited import Citations
from holdfast.report._names import plain_text
from holdfast.report._paragraph import paragraph, software
from holdfast.report._words import called, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.io import DataSummary
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Methods

FEW_SAMPLES = 20
"""Fewer samples of a class than this are worth a warning."""
GONE = (
    "The data are not at hand any more, or have changed: effect sizes, stand-ins and what was "
    "missing in them cannot be shown."
)


def methods(evidence: Evidence) -> Methods:
    """Return what was done, so that others can do it again."""
    cite = Citations()
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
    few = [f"{called(label)} ({count:,})" for label, count in counts.items() if count < FEW_SAMPLES]
    if few:
        yield f"Few samples of {joined(few)}: what is found in them may be chance."


def _machine(evidence: Evidence) -> Iterator[tuple[str, str]]:
    table = evidence.result.versions
    if "machine" in table:
        yield "machine", ", ".join(table["machine"].dropna().astype(str).unique())
    if len(table) > 1:
        yield "runs", plural(len(table), "run")
