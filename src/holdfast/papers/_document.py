"""An experiment as one dictionary, from which page, JSON and Markdown are made."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
from pandas.api.types import is_numeric_dtype

from holdfast._formatting import MISSING, format_number, format_percent, plural
from holdfast.papers._claims import UNCHECKED, ClaimInput, explain_outcomes
from holdfast.papers._comparison import (
    OVERALL,
    PUBLISHED_SPREAD,
    agreement,
    published_numbers,
)
from holdfast.papers._dataset_locator import get_data
from holdfast.papers._record import FULL, REDUCED, Experiment
from holdfast.papers._runner import SETTING, SPREAD, VALUE
from holdfast.report import to_json_value

if TYPE_CHECKING:
    from holdfast.papers._claims import Claim
    from holdfast.papers._reproduce import PlannedExperiment
    from holdfast.papers._runner import ExperimentResult, ExperimentRunner


FORMAT = "holdfast reproduction"
PUBLISHED_NUMBERS = "published numbers"
"""The name of the setting in which claims are applied to the published numbers."""
Document: TypeAlias = "dict[str, Any]"


def make_document(
    order: PlannedExperiment,
    runner: ExperimentRunner,
    result: ExperimentResult,
    table: pd.DataFrame,
    *,
    command: str,
) -> Document:
    """Return an experiment that was run as a dictionary."""
    record = order.experiment
    return {
        "format": FORMAT,
        "version": 2,
        "holdfast": version("holdfast"),
        "paper": order.paper.name,
        "short": order.paper.short,
        "reference": order.paper.reference,
        "experiment": record.name,
        "label": record.label,
        "title": record.title,
        "command": command,
        "seed": runner.seed,
        "full": runner.full,
        "size": record.size[FULL if runner.full else REDUCED],
        "limits": "" if runner.full else record.limits,
        "data": [_describe_data_set(name, order, runner) for name in record.data],
        "settings": [asdict(setting) for setting in record.settings],
        "choices": list(record.choices),
        "terms": _collect_terms(order, table),
        "rows": list(record.rows),
        "heads": list(record.heads),
        "part": record.part,
        "digits": record.digits,
        "row_means": record.row_means,
        "cells": _mark_cells(to_json_value(table.to_dict("records")), record, result),
        "agreement": to_json_value(agreement(table, record)),
        "findings": findings(order, result, full=runner.full),
        "pictures": [
            {"name": name, "title": picture.title, "alt": picture.description}
            for name, picture in result.pictures.items()
        ],
        "notes": list(result.notes),
    }


def _mark_cells(
    cells: list[Document], record: Experiment, result: ExperimentResult
) -> list[Document]:
    """Mark the numbers that get an asterisk."""
    keys = (SETTING, *record.keys)
    return [
        {**cell, "marked": True} if tuple(cell[key] for key in keys) in result.marked else cell
        for cell in cells
    ]


def _collect_terms(order: PlannedExperiment, table: pd.DataFrame) -> dict[str, str]:
    """Return the terms of the paper that occur here."""
    keys = [key for key in order.experiment.keys if not is_numeric_dtype(table[key])]
    words = {*(str(word) for key in keys for word in table[key].unique())}
    text = " ".join([*words, *(claim.text for claim in order.experiment.claims)])
    return {term: meaning for term, meaning in order.paper.terms.items() if term in text}


def _describe_data_set(name: str, order: PlannedExperiment, runner: ExperimentRunner) -> Document:
    """Return a data set: its size here and in the paper, or why it was not used."""
    used = name in order.names
    entry: Document = {"name": name, "title": get_data(name).title, "used": used, "why_not": ""}
    if used:
        data = runner.data(name)
        entry |= {"samples": data.n_samples, "features": data.n_features}
    else:
        locator = runner.locator
        entry["why_not"] = (
            locator.explain_missing(name)
            if locator.source(name) is None
            else "left out of this run"
        )
    if name in order.paper.sizes:
        entry["published"] = list(order.paper.sizes[name])
    return entry


def findings(order: PlannedExperiment, result: ExperimentResult, *, full: bool) -> list[Document]:
    """Check all claims of an experiment against its results, by setting."""
    record = order.experiment
    published = published_numbers(order.paper.name, record.name)
    inputs = []
    for name in (setting.name for setting in record.settings):
        values = result.values[result.values[SETTING] == name].drop(columns=SETTING)
        facts = {fact: value for (owner, fact), value in result.facts.items() if owner == name}
        inputs.append(ClaimInput(name, values, published, facts, full))
    main, *others = inputs
    published_input = make_published_input(order.paper.name, record)
    documents = []
    for claim in record.claims:
        side_results = [] if claim.main_only else [claim.evaluate(setting) for setting in others]
        # side settings in which the claim cannot be checked say nothing about it
        checked = [result for result in side_results if result.status != UNCHECKED]
        results = explain_outcomes(claim, claim.evaluate(main), checked)
        documents.append(
            {
                "text": claim.statement,
                "place": claim.place or record.place,
                "bar": claim.bar,
                "published": describe_published_outcome(claim, published_input),
                "results": [asdict(result) for result in results],
            }
        )
    return documents


def make_published_input(paper: str, record: Experiment) -> ClaimInput:
    """Return the published numbers as if they were ours, of all data sets that can be had."""
    numbers = published_numbers(paper, record.name)
    if "data" in numbers:
        numbers = numbers[[not get_data(name).missing for name in numbers["data"]]]
    facts = record.published_facts(numbers)
    return ClaimInput(PUBLISHED_NUMBERS, numbers, numbers, facts, full=True)


def describe_published_outcome(claim: Claim, inputs: ClaimInput) -> Document:
    """Apply the bar of a claim to the published numbers: the status, and what they are."""
    outcome = None if inputs.values.empty else claim.evaluate(inputs)
    if outcome is None or outcome.status == UNCHECKED:
        return {"status": UNCHECKED, "evidence": "the paper prints no such numbers"}
    return {"status": outcome.status, "evidence": outcome.evidence}


def tally(document: Document) -> dict[str, int]:
    """Count the outcomes of the claims, each in the first setting that can check it."""
    counts = {"held": 0, "not held": 0, "cannot be checked": 0}
    for finding in document["findings"]:
        counts[first_outcome(finding["results"])["status"]] += 1
    return counts


def first_outcome(results: list[Document]) -> Document:
    """Return the result of the main setting, or of the first one that can check the claim."""
    return next((one for one in results if one["status"] != UNCHECKED), results[0])


def to_json(document: Document) -> str:
    """Return a document as JSON; equal documents give equal bytes."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def shown_cells(document: Document, setting: str) -> list[Document]:
    """Return the numbers of one setting."""
    return [cell for cell in document["cells"] if cell[SETTING] == setting]


def settings_shown(document: Document) -> list[Document]:
    """Return the settings that have numbers or findings, the main one first."""
    used = {cell[SETTING] for cell in document["cells"]}
    main, *others = document["settings"]
    return [main, *(setting for setting in others if setting["name"] in used)]


def is_measured(experiment: Experiment, values: pd.DataFrame) -> bool:
    """Return whether the columns are those of the experiment."""
    return set(values.columns) - {SPREAD} == {SETTING, VALUE, *experiment.keys}


# The numbers of a document as tables: rows, heads, and up to three numbers per cell.


@dataclass(frozen=True)
class ComparisonCell:
    """Our number, the published one and the difference, as text; empty if there is none."""

    ours: str
    published: str = ""
    difference: str = ""
    gap: float | None = None

    def text(self) -> str:
        """Return all three in one line."""
        if not self.published:
            return self.ours
        return f"{self.ours} ({self.published}{self.difference and f', {self.difference}'})"


@dataclass(frozen=True)
class Grid:
    """A table: titles of the row heads, heads of the columns, rows of heads and cells."""

    titles: list[str]
    heads: list[str]
    rows: list[tuple[list[str], list[ComparisonCell]]]

    @property
    def compared(self) -> bool:
        """Whether any number is published."""
        return any(cell.published for _, cells in self.rows for cell in cells)


def grid(document: Document, setting: str) -> Grid:
    """Return the numbers of a setting in the layout of the experiment."""
    cells = shown_cells(document, setting)
    rows, heads = document["rows"], document["heads"]
    cells_by_key = {(_format_keys(cell, rows), _format_keys(cell, heads)): cell for cell in cells}
    columns = list(dict.fromkeys(_format_keys(cell, heads) for cell in cells))
    lines = list(dict.fromkeys(_format_keys(cell, rows) for cell in cells))
    if document.get("row_means"):  # documents of earlier versions lack the key
        means = {
            line: _average_cells([cells_by_key.get((line, c)) for c in columns]) for line in lines
        }
        cells_by_key |= {(line, (ROW_MEAN,)): cell for line, cell in means.items()}
        columns.append((ROW_MEAN,))
    return Grid(
        titles=[name.replace("_", " ") for name in rows],
        heads=[" ".join(column) for column in columns],
        rows=[
            (
                list(line),
                [
                    _make_comparison_cell(cells_by_key.get((line, column)), document["digits"])
                    for column in columns
                ],
            )
            for line in lines
        ],
    )


ROW_MEAN = "average"


def _average_cells(cells: list[Document | None]) -> Document:
    """Return the average of a row: of our numbers, and of the published ones; None with gaps."""
    averages: dict[str, float | None] = {}
    for name in (VALUE, "published"):
        numbers = [None if cell is None else cell[name] for cell in cells]
        known = [number for number in numbers if number is not None]
        averages[name] = sum(known) / len(known) if len(known) == len(numbers) else None
    ours, theirs = averages.values()
    difference = None if ours is None or theirs is None else ours - theirs
    return {**averages, "difference": difference}


def _format_keys(cell: Document, names: list[str]) -> tuple[str, ...]:
    return tuple(format_key(cell[name]) for name in names)


def format_key(value: Any) -> str:  # noqa: ANN401  (a key: text or number)
    """Return a key as text: whole numbers without decimals."""
    if value is None:
        return MISSING
    return f"{value:,g}" if isinstance(value, int | float) else str(value)


def _make_comparison_cell(cell: Document | None, digits: int) -> ComparisonCell:
    if cell is None:
        return ComparisonCell(MISSING)
    ours, theirs = cell["value"], cell["published"]
    return ComparisonCell(
        _format_with_spread(ours, cell.get(SPREAD), digits) + "*" * cell.get("marked", False),
        "" if theirs is None else _format_with_spread(theirs, cell.get(PUBLISHED_SPREAD), digits),
        "" if None in (ours, theirs) else _format_difference(cell["difference"], digits),
        cell["difference"],
    )


def _format_with_spread(value: float | None, spread: float | None, digits: int) -> str:
    text = format_number(value, digits)
    return text if spread is None else f"{text} ± {format_number(spread, digits)}"


def _format_difference(value: float, digits: int) -> str:
    text = format_number(value, digits)
    return text if text.startswith("-") else f"+{text}"


# Sentences about a document, for the terminal, the page and the guide.


def size_word(document: Document) -> str:
    """Return the size of the run."""
    return "full size" if document["full"] else "reduced size"


def summary(document: Document) -> str:
    """Return how many findings held in the main setting."""
    counts = tally(document)
    total = sum(counts.values())
    if not total:
        return ""
    held, failed, unchecked = counts.values()
    return (
        f"Of {plural(total, 'finding')} of the paper, {held} held, {failed} did not"
        + (f", {unchecked} cannot be checked" if unchecked else "")
        + ("." if len(document["settings"]) == 1 else " (in the main setting).")
    )


def agreement_sentence(document: Document) -> str:
    """Return how well the numbers agree overall in the main setting."""
    main = document["settings"][0]["name"]
    rows = [row for row in document["agreement"] if row["setting"] == main]
    if not rows:
        return ""
    row = rows[-1]
    gap = row["mean_absolute_difference"]
    if row["part"] == OVERALL:
        difference = f"{format_percent(gap, 0)} of their range"
    else:
        difference = format_number(gap, _agreement_digits(document))
    correlation = row["rank_correlation"]
    ranks = "" if correlation is None else f", rank correlation {format_number(correlation)}"
    return (
        f"Our numbers differ from the published ones by {difference} on average{ranks} "
        f"({plural(row['n'], 'pair')})."
    )


def _agreement_digits(document: Document) -> int:
    return max(3, int(document["digits"]))


def data_sentences(document: Document) -> list[str]:
    """Return which data sets were used, with their sizes, and which are missing."""
    used = [data_set for data_set in document["data"] if data_set["used"]]
    absent = [data_set for data_set in document["data"] if not data_set["used"]]
    sentences = []
    if used:
        texts = [f"{data_set['name']} ({_format_size(data_set)})" for data_set in used]
        sentences.append(f"Data: {', '.join(texts)}.")
    if absent:
        texts = [f"{data_set['name']} ({data_set['why_not']})" for data_set in absent]
        sentences.append(f"Not used: {', '.join(texts)}.")
    return sentences


def _format_size(data_set: Document) -> str:
    samples, features = data_set["samples"], data_set["features"]
    published = data_set.get("published", [samples, features])
    size = f"{samples:,} x {features:,}"
    if published == [samples, features]:
        return size
    return f"{size}; in the paper {published[0]:,} x {published[1]:,}"


def agreement_rows(document: Document) -> list[list[str]]:
    """Return how well the numbers agree, as rows of text."""
    return [
        [
            row["setting"],
            str(row["part"]),
            str(row["n"]),
            format_number(row["mean_absolute_difference"], _agreement_digits(document)),
            format_number(row["rank_correlation"]),
        ]
        for row in document["agreement"]
    ]
