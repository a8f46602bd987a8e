"""What is told about an experiment, as one dictionary: page, JSON and Markdown come from it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

from pandas.api.types import is_numeric_dtype

from holdfast._formatting import plural
from holdfast.papers._comparison import OVERALL, UNCHECKED, ClaimInput, agreement, published_numbers
from holdfast.papers._record import FULL, REDUCED
from holdfast.papers._runner import SETTING, VALUE, get_data

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._comparison import Claim
    from holdfast.papers._record import Experiment
    from holdfast.papers._reproduce import PlannedExperiment
    from holdfast.papers._runner import ExperimentResult, ExperimentRunner, Library


FORMAT = "holdfast reproduction"
Document: TypeAlias = "dict[str, Any]"


def document(
    order: PlannedExperiment,
    shop: ExperimentRunner,
    made: ExperimentResult,
    table: pd.DataFrame,
    *,
    command: str,
) -> Document:
    """Return what is told about an experiment that was run."""
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
        "seed": shop.seed,
        "full": shop.full,
        "size": record.size[FULL if shop.full else REDUCED],
        "data": [_data(name, order, shop) for name in record.data],
        "settings": [asdict(setting) for setting in record.settings],
        "choices": list(record.choices),
        "terms": _terms(order, table),
        "rows": list(record.rows),
        "heads": list(record.heads),
        "part": record.part,
        "digits": record.digits,
        "cells": to_json_value(table.to_dict("records")),
        "agreement": to_json_value(agreement(table, record)),
        "findings": findings(order, made, full=shop.full),
        "pictures": [
            {"name": name, "title": picture.title, "alt": picture.description}
            for name, picture in made.pictures.items()
        ],
        "notes": list(made.notes),
    }


def _terms(order: PlannedExperiment, table: pd.DataFrame) -> dict[str, str]:
    """Return the words of the paper that are used here."""
    keys = [key for key in order.experiment.keys if not is_numeric_dtype(table[key])]
    words = {*(str(word) for key in keys for word in table[key].unique())}
    text = " ".join([*words, *(claim.text for claim in order.experiment.claims)])
    return {term: meaning for term, meaning in order.paper.terms.items() if term in text}


def _data(name: str, order: PlannedExperiment, shop: ExperimentRunner) -> Document:
    """Return what is told of a data set: the copy that was used, and the paper's."""
    used = name in order.names
    told = {"name": name, "title": get_data(name).title, "used": used, "why_not": ""}
    if used:
        data = shop.data(name)
        told |= {"samples": data.n_samples, "features": data.n_features}
    else:
        told["why_not"] = _missing_data_reason(name, shop.library)
    if name in order.paper.sizes:
        told["published"] = list(order.paper.sizes[name])
    return told


def _missing_data_reason(name: str, library: Library) -> str:
    return library.why_not(name) if library.source(name) is None else "left out of this run"


def findings(order: PlannedExperiment, made: ExperimentResult, *, full: bool) -> list[Document]:
    """Hold all claims of an experiment against what came out, setting by setting."""
    record = order.experiment
    published = published_numbers(order.paper.name, record.name)
    main, *others = (
        _make_claim_input(one.name, made, published, full=full) for one in record.settings
    )
    return [
        {"text": claim.text, "results": _results(claim, main, others)} for claim in record.claims
    ]


def _results(claim: Claim, main: ClaimInput, others: list[ClaimInput]) -> list[Document]:
    """Return what became of a claim; side settings that say nothing about it are left out."""
    beside = [] if claim.main_only else [claim.found(one) for one in others]
    found = [claim.found(main), *(one for one in beside if one.status != UNCHECKED)]
    return [asdict(one) for one in found]


def _make_claim_input(
    setting: str, made: ExperimentResult, published: pd.DataFrame, *, full: bool
) -> ClaimInput:
    values = made.values[made.values[SETTING] == setting].drop(columns=SETTING)
    facts = {name: value for (whose, name), value in made.facts.items() if whose == setting}
    return ClaimInput(setting, values, published, facts, full)


def tally(document: Document) -> dict[str, int]:
    """Count what became of the claims in the main setting."""
    counts = {"held": 0, "not held": 0, "cannot be checked": 0}
    for finding in document["findings"]:
        counts[finding["results"][0]["status"]] += 1
    return counts


def to_json(document: Document) -> str:
    """Return a document as text; equal documents give equal bytes."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def to_json_value(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Return numbers as JSON has them; what is no number is null."""
    if isinstance(value, dict):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_json_value(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


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


# A document's numbers as tables to look at: rows, heads, and three numbers a cell.

MISSING_VALUE_TEXT = "–"


@dataclass(frozen=True)
class ComparisonCell:
    """Our number, the published one and the difference, as text; empty where there is none."""

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
    found = {(_key(cell, rows), _key(cell, heads)): cell for cell in cells}
    columns = list(dict.fromkeys(_key(cell, heads) for cell in cells))
    lines = list(dict.fromkeys(_key(cell, rows) for cell in cells))
    return Grid(
        titles=[name.replace("_", " ") for name in rows],
        heads=[" ".join(column) for column in columns],
        rows=[
            (list(line), [_cell(found.get((line, one)), document["digits"]) for one in columns])
            for line in lines
        ],
    )


def _key(cell: Document, names: list[str]) -> tuple[str, ...]:
    return tuple(format_key(cell[name]) for name in names)


def format_key(value: Any) -> str:  # noqa: ANN401  (a key: text or number)
    """Return a key as text: whole numbers without decimals."""
    if value is None:
        return MISSING_VALUE_TEXT
    return f"{value:,g}" if isinstance(value, int | float) else str(value)


def _cell(cell: Document | None, digits: int) -> ComparisonCell:
    if cell is None:
        return ComparisonCell(MISSING_VALUE_TEXT)
    ours, theirs = cell["value"], cell["published"]
    return ComparisonCell(
        format_decimals(ours, digits),
        "" if theirs is None else format_decimals(theirs, digits),
        "" if None in (ours, theirs) else format_decimals(cell["difference"], digits, sign="+"),
        cell["difference"],
    )


def format_decimals(value: float | None, digits: int, sign: str = "") -> str:
    """Return a number in so many decimals; never a negative zero."""
    if value is None:
        return MISSING_VALUE_TEXT
    text = f"{value:{sign}.{digits}f}"
    return text.replace("-", "+" if sign else "") if float(text) == 0 else text


# Sentences about a document, for the terminal, the page and the guide alike.


def size_word(document: Document) -> str:
    """Say how large the run was."""
    return "full size" if document["full"] else "reduced size"


def summary(document: Document) -> str:
    """Say how many of the findings held, in the main setting."""
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
    """Say how well numbers agree overall, in the main setting."""
    main = document["settings"][0]["name"]
    rows = [one for one in document["agreement"] if one["setting"] == main]
    if not rows:
        return ""
    row = rows[-1]
    share = row["part"] == OVERALL
    gap = row["mean_absolute_difference"]
    size = (
        MISSING_VALUE_TEXT
        if gap is None
        else f"{gap:.0%}"
        if share
        else format_decimals(gap, _decimals(document))
    )
    correlation = row["rank_correlation"]
    ranks = "" if correlation is None else f", rank correlation {format_decimals(correlation, 2)}"
    what = " of their range" if share else ""
    return (
        f"Our numbers differ from the published ones by {size}{what} on average{ranks} "
        f"({plural(row['n'], 'pair')})."
    )


def _decimals(document: Document) -> int:
    return max(3, int(document["digits"]))


def data_sentences(document: Document) -> list[str]:
    """Say which data sets were used, how they differ from the paper's, and which are missing."""
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
    """Return how well numbers agree, as rows of text."""
    return [
        [
            one["setting"],
            str(one["part"]),
            str(one["n"]),
            format_decimals(one["mean_absolute_difference"], _decimals(document)),
            MISSING_VALUE_TEXT
            if one["rank_correlation"] is None
            else format_decimals(one["rank_correlation"], 2),
        ]
        for one in document["agreement"]
    ]
