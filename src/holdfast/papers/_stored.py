"""Documents of earlier runs, judged by the claims as they are now."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd

from holdfast.papers._claims import (
    NOT_HELD,
    UNCHECKED,
    Claim,
    ClaimInput,
    Finding,
    explain_outcomes,
    split_bar,
)
from holdfast.papers._comparison import MEAN, published_numbers
from holdfast.papers._document import (
    Document,
    describe_published_outcome,
    first_outcome,
    make_published_input,
)
from holdfast.papers._record import Experiment, Paper
from holdfast.papers._runner import SETTING, VALUE

NEEDS_RUN = "it needs a new run"


def judge_stored(document: Document, paper: Paper) -> Document:
    """Return a document of an earlier run, its findings judged by the current claims.

    Outcomes are kept where statement and bar have not changed. Other bars are applied to the stored
    numbers; where these are not enough, the finding cannot be checked without a new run. Numbers
    of a main setting that no longer exists are left out, and a note says so.
    """
    record = paper.get(document["experiment"])
    names = [setting.name for setting in record.settings]
    current = document["settings"][0]["name"] == names[0]
    document = {
        **document,
        "limits": document.get("limits", ""),
        "notes": [*document["notes"], *_describe_age(document, record)],
    }
    if current:
        document |= {
            "settings": [one for one in document["settings"] if one["name"] in names],
            "cells": [cell for cell in document["cells"] if cell[SETTING] in names],
            "agreement": [row for row in document["agreement"] if row[SETTING] in names],
        }
    else:
        document |= {
            "settings": [asdict(setting) for setting in record.settings],
            "choices": list(record.choices),
            "cells": [],
            "agreement": [],
            "pictures": [],
        }
    stored = {_identify(finding): finding["results"] for finding in document["findings"]}
    published = make_published_input(paper.name, record)
    findings = []
    for claim in record.claims:
        results = stored.get((claim.statement, claim.bar)) if current else None
        outcomes = (
            _judge_numbers(claim, document, record)
            if results is None
            else [_read_outcome(result) for result in results if result["setting"] in names]
        )
        main = outcomes[0] if outcomes else Finding(names[0], UNCHECKED, NEEDS_RUN)
        explained = explain_outcomes(claim, main, outcomes[1:])
        findings.append(
            {
                "text": claim.statement,
                "place": claim.place or record.place,
                "bar": claim.bar,
                "published": describe_published_outcome(claim, published),
                "results": [asdict(outcome) for outcome in explained],
            }
        )
    return {**document, "findings": findings}


def _identify(finding: Document) -> tuple[str, str]:
    """Return statement and bar of a finding; the first documents had both in one text."""
    return (finding["text"], finding["bar"]) if "bar" in finding else split_bar(finding["text"])


def _read_outcome(result: Document) -> Finding:
    return Finding(result["setting"], result["status"], result["evidence"])


def _judge_numbers(claim: Claim, document: Document, record: Experiment) -> list[Finding]:
    """Apply a bar to the stored numbers, the main setting first; facts are not stored."""
    cells = pd.DataFrame(document["cells"], columns=[SETTING, *record.keys, VALUE])
    if record.mean_over is not None:
        cells = cells[cells[record.mean_over] != MEAN]
    published = published_numbers(document["paper"], record.name)
    outcomes = []
    for name in (setting.name for setting in record.settings):
        values = cells[cells[SETTING] == name].drop(columns=SETTING)
        outcome = claim.evaluate(ClaimInput(name, values, published, {}, document["full"]))
        if name == record.settings[0].name and outcome.status == UNCHECKED:
            outcomes.append(Finding(name, UNCHECKED, NEEDS_RUN))
        elif outcome.status != UNCHECKED and not (claim.main_only and outcomes):
            outcomes.append(outcome)
    return outcomes


def _describe_age(document: Document, record: Experiment) -> list[str]:
    """Return what has changed in the settings since a run."""
    stored = {setting["name"]: setting["title"] for setting in document["settings"]}
    names = [setting.name for setting in record.settings]
    main = document["settings"][0]["name"]
    if main != names[0]:
        note = (
            f"The last full run was of another main setting ({main}); its numbers are not shown "
            f"here. The command runs the settings as they are now: {', '.join(names)}."
        )
        return [note]
    changed = [s.name for s in record.settings if stored.get(s.name, s.title) != s.title]
    absent = [name for name in names if name not in stored]
    notes = []
    if document["choices"] != list(record.choices):
        notes.append(
            "This run is older than the choices that the program now makes; the numbers are of "
            "those listed here."
        )
    if changed:
        notes.append(
            f"The numbers of {', '.join(changed)} are from a run before the setting was last "
            "changed."
        )
    if absent:
        notes.append(f"Not yet run at this size: {', '.join(absent)}.")
    return notes


def count_outcomes(documents: list[Document], setting: str | None = None) -> dict[str, int]:
    """Count the findings of a paper in a setting of this name.

    By default it is the first setting that can check the finding, mostly the main one.
    The keys are the statuses; those that do not hold are also counted by source of the cause.
    """
    counts: dict[str, int] = {}
    for finding in (finding for document in documents for finding in document["findings"]):
        results = finding["results"]
        if setting is not None:
            results = [result for result in results if result["setting"] == setting]
        result = first_outcome(results) if results else {"status": UNCHECKED, "cause": ""}
        keys = [result["status"]]
        if result["status"] == NOT_HELD:
            keys.append(result["cause"].partition(":")[0])
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
    return counts
