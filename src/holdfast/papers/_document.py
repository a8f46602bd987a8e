"""An experiment as one dictionary, from which page, JSON and Markdown are made."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
from pandas.api.types import is_numeric_dtype

from holdfast._formatting import MISSING, format_number, format_percent, plural
from holdfast.papers._claims import UNCHECKED, ClaimInput
from holdfast.papers._comparison import OVERALL, agreement, published_numbers
from holdfast.papers._record import FULL, REDUCED, Experiment
from holdfast.papers._runner import SETTING, VALUE, get_data
from holdfast.report import to_json_value

if TYPE_CHECKING:
    from holdfast.papers._claims import Claim
    from holdfast.papers._reproduce import PlannedExperiment
    from holdfast.papers._runner import DatasetLocator, ExperimentResult, ExperimentRunner


FORMAT = "holdfast reproduction"
Document: TypeAlias = "dict[str, Any]"


def document(
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
        "version": 1,
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
        "data": [_describe_data_set(name, order, runner) for name in record.data],
        "settings": [asdict(setting) for setting in record.settings],
        "choices": list(record.choices),
        "terms": _collect_terms(order, table),
        "rows": list(record.rows),
        "heads": list(record.heads),
        "part": record.part,
        "digits": record.digits,
        "cells": to_json_value(table.to_dict("records")),
        "agreement": to_json_value(agreement(table, record)),
        "findings": findings(order, result, full=runner.full),
        "pictures": [
            {"name": name, "title": picture.title, "alt": picture.description}
            for name, picture in result.pictures.items()
        ],
        "notes": list(result.notes),
    }


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
        entry["why_not"] = _missing_data_reason(name, runner.locator)
    if name in order.paper.sizes:
        entry["published"] = list(order.paper.sizes[name])
    return entry


def _missing_data_reason(name: str, locator: DatasetLocator) -> str:
    return locator.explain_missing(name) if locator.source(name) is None else "left out of this run"


def findings(order: PlannedExperiment, result: ExperimentResult, *, full: bool) -> list[Document]:
    """Check all claims of an experiment against its results, by setting."""
    record = order.experiment
    published = published_numbers(order.paper.name, record.name)
    main, *others = (
        _make_claim_input(setting.name, result, published, full=full) for setting in record.settings
    )
    return [
        {"text": claim.text, "results": _check_claim(claim, main, others)}
        for claim in record.claims
    ]


def _check_claim(claim: Claim, main: ClaimInput, others: list[ClaimInput]) -> list[Document]:
    """Return the results of a claim; side settings in which it cannot be checked are omitted."""
    side_results = [] if claim.main_only else [claim.evaluate(setting) for setting in others]
    checked = [result for result in side_results if result.status != UNCHECKED]
    return [asdict(result) for result in (claim.evaluate(main), *checked)]


def _make_claim_input(
    setting: str, result: ExperimentResult, published: pd.DataFrame, *, full: bool
) -> ClaimInput:
    values = result.values[result.values[SETTING] == setting].drop(columns=SETTING)
    facts = {name: value for (owner, name), value in result.facts.items() if owner == setting}
    return ClaimInput(setting, values, published, facts, full)


def tally(document: Document) -> dict[str, int]:
    """Count the outcomes of the claims in the main setting."""
    counts = {"held": 0, "not held": 0, "cannot be checked": 0}
    for finding in document["findings"]:
        counts[finding["results"][0]["status"]] += 1
    return counts


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
    return [main, *(one for one in others if one["name"] in used)]


def is_measured(experiment: Experiment, values: pd.DataFrame) -> bool:
    """Return whether the columns are those of the experiment."""
    return set(values.columns) == {SETTING, VALUE, *experiment.keys}


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
    cells_by_key = {(_key(cell, rows), _key(cell, heads)): cell for cell in cells}
    columns = list(dict.fromkeys(_key(cell, heads) for cell in cells))
    lines = list(dict.fromkeys(_key(cell, rows) for cell in cells))
    return Grid(
        titles=[name.replace("_", " ") for name in rows],
        heads=[" ".join(column) for column in columns],
        rows=[
            (
                list(line),
                [
                    _compare(cells_by_key.get((line, column)), document["digits"])
                    for column in columns
                ],
            )
            for line in lines
        ],
    )


def _key(cell: Document, names: list[str]) -> tuple[str, ...]:
    return tuple(format_key(cell[name]) for name in names)


def format_key(value: Any) -> str:  # noqa: ANN401  (a key: text or number)
    """Return a key as text: whole numbers without decimals."""
    if value is None:
        return MISSING
    return f"{value:,g}" if isinstance(value, int | float) else str(value)


def _compare(cell: Document | None, digits: int) -> ComparisonCell:
    if cell is None:
        return ComparisonCell(MISSING)
    ours, theirs = cell["value"], cell["published"]
    return ComparisonCell(
        format_number(ours, digits),
        "" if theirs is None else format_number(theirs, digits),
        "" if None in (ours, theirs) else _format_difference(cell["difference"], digits),
        cell["difference"],
    )


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
    held, failed, open_ = counts.values()
    verb = "cannot be checked"
    return (
        f"Of {plural(total, 'finding')} of the paper, {held} held, {failed} did not"
        + (f", {open_} {verb}" if open_ else "")
        + ("." if len(document["settings"]) == 1 else " (in the main setting).")
    )


def agreement_sentence(document: Document) -> str:
    """Return how well the numbers agree overall in the main setting."""
    main = document["settings"][0]["name"]
    rows = [one for one in document["agreement"] if one["setting"] == main]
    if not rows:
        return ""
    row = rows[-1]
    gap = row["mean_absolute_difference"]
    if row["part"] == OVERALL:
        difference = f"{format_percent(gap, 0)} of their range"
    else:
        difference = format_number(gap, _decimals(document))
    correlation = row["rank_correlation"]
    ranks = "" if correlation is None else f", rank correlation {format_number(correlation)}"
    return (
        f"Our numbers differ from the published ones by {difference} on average{ranks} "
        f"({plural(row['n'], 'pair')})."
    )


def _decimals(document: Document) -> int:
    return max(3, int(document["digits"]))


def data_sentences(document: Document) -> list[str]:
    """Return which data sets were used, with their sizes, and which are missing."""
    used = [one for one in document["data"] if one["used"]]
    absent = [one for one in document["data"] if not one["used"]]
    sentences = []
    if used:
        texts = [f"{one['name']} ({_size(one)})" for one in used]
        sentences.append(f"Data: {', '.join(texts)}.")
    if absent:
        texts = [f"{one['name']} ({one['why_not']})" for one in absent]
        sentences.append(f"Not used: {', '.join(texts)}.")
    return sentences


def _size(one: Document) -> str:
    size = f"{one['samples']:,} x {one['features']:,}"
    theirs = one.get("published")
    if theirs is None or theirs == [one["samples"], one["features"]]:
        return size
    return f"{size}; in the paper {theirs[0]:,} x {theirs[1]:,}"


def agreement_rows(document: Document) -> list[list[str]]:
    """Return how well the numbers agree, as rows of text."""
    return [
        [
            row["setting"],
            str(row["part"]),
            str(row["n"]),
            format_number(row["mean_absolute_difference"], _decimals(document)),
            format_number(row["rank_correlation"]),
        ]
        for row in document["agreement"]
    ]
