"""What is told about an experiment, as one dictionary: page, JSON and Markdown come from it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias

from pandas.api.types import is_numeric_dtype

from holdfast.papers._claims import UNCHECKED, Seen
from holdfast.papers._compare import agreement, published_numbers
from holdfast.papers._library import get_data
from holdfast.papers._made import SETTING, VALUE
from holdfast.papers._record import FULL, REDUCED

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Claim
    from holdfast.papers._library import Library
    from holdfast.papers._made import Made
    from holdfast.papers._orders import Order
    from holdfast.papers._record import Experiment
    from holdfast.papers._workshop import Workshop

FORMAT = "holdfast reproduction"
Document: TypeAlias = "dict[str, Any]"


def document(
    order: Order, shop: Workshop, made: Made, table: pd.DataFrame, *, command: str
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
        "cells": plain(table.to_dict("records")),
        "agreement": plain(agreement(table, record)),
        "findings": findings(order, made, full=shop.full),
        "pictures": [
            {"name": name, "title": picture.title, "alt": picture.description}
            for name, picture in made.pictures.items()
        ],
        "notes": list(made.notes),
    }


def _terms(order: Order, table: pd.DataFrame) -> dict[str, str]:
    """Return the words of the paper that are used here."""
    keys = [key for key in order.experiment.keys if not is_numeric_dtype(table[key])]
    words = {*(str(word) for key in keys for word in table[key].unique())}
    text = " ".join([*words, *(claim.text for claim in order.experiment.claims)])
    return {term: meaning for term, meaning in order.paper.terms.items() if term in text}


def _data(name: str, order: Order, shop: Workshop) -> Document:
    """Return what is told of a data set: the copy that was used, and the paper's."""
    used = name in order.names
    told = {"name": name, "title": get_data(name).title, "used": used, "why_not": ""}
    if used:
        data = shop.data(name)
        told |= {"samples": data.n_samples, "features": data.n_features}
    else:
        told["why_not"] = _why_not(name, shop.library)
    if name in order.paper.sizes:
        told["published"] = list(order.paper.sizes[name])
    return told


def _why_not(name: str, library: Library) -> str:
    return library.why_not(name) if library.source(name) is None else "left out of this run"


def findings(order: Order, made: Made, *, full: bool) -> list[Document]:
    """Hold all claims of an experiment against what came out, setting by setting."""
    record = order.experiment
    published = published_numbers(order.paper.name, record.name)
    main, *others = (_seen(one.name, made, published, full=full) for one in record.settings)
    return [
        {"text": claim.text, "results": _results(claim, main, others)} for claim in record.claims
    ]


def _results(claim: Claim, main: Seen, others: list[Seen]) -> list[Document]:
    """Return what became of a claim; side settings that say nothing about it are left out."""
    beside = [] if claim.main_only else [claim.found(one) for one in others]
    found = [claim.found(main), *(one for one in beside if one.status != UNCHECKED)]
    return [asdict(one) for one in found]


def _seen(setting: str, made: Made, published: pd.DataFrame, *, full: bool) -> Seen:
    values = made.values[made.values[SETTING] == setting].drop(columns=SETTING)
    facts = {name: value for (whose, name), value in made.facts.items() if whose == setting}
    return Seen(setting, values, published, facts, full)


def tally(document: Document) -> dict[str, int]:
    """Count what became of the claims in the main setting."""
    counts = {"held": 0, "not held": 0, "cannot be checked": 0}
    for finding in document["findings"]:
        counts[finding["results"][0]["status"]] += 1
    return counts


def to_json(document: Document) -> str:
    """Return a document as text; equal documents give equal bytes."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Return numbers as JSON has them; what is no number is null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
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
