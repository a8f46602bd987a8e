"""The selectors compared: each at each size with its best classifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from holdfast._formatting import format_plus_minus
from holdfast.errors import HoldfastError
from holdfast.judge import Recommendation
from holdfast.report._formatting import (
    format_feature_count,
    format_name,
    get_selector_record,
    is_known,
    to_json_value,
    to_records,
)
from holdfast.report._schema import SelectorRow, Selectors

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence
    from holdfast.study import Result


NO_RESULTS_REASONS = ["Nothing can be recommended: there are not enough results."]
ALL_SELECTED_REASONS = [
    "Nothing can be recommended: all features are always selected, so no selector chooses."
]
UNSUPPORTED_REASONS = ["No selector is recommended: none has features that can be expected again."]


def selector_table(evidence: Evidence) -> Selectors:
    """Return the comparison, and the reasons for the recommendation."""
    choice = evidence.choice
    expected = None if choice is None or choice.choice is None else choice.choice.sentence
    reasons = choice.reasons if choice is not None else NO_RESULTS_REASONS
    if choice is None and evidence.all_selected:
        reasons = ALL_SELECTED_REASONS
    if choice is not None and not evidence.recommends:
        reasons, expected = UNSUPPORTED_REASONS, None
    sentences = [evidence.with_titles(text) for text in reasons if text != expected]
    return {
        "measure": _get_measure_name(evidence),
        "rows": [_row(evidence, cell) for cell in _cells(evidence)],
        "reasons": [*sentences, *_describe_shortfall(evidence), *_describe_control(evidence)],
        "choice": None
        if expected is None
        else evidence.with_titles(expected) + _describe_higher_error(evidence),
    }


def _describe_shortfall(evidence: Evidence) -> Iterator[str]:
    """Yield that the recommended selector found fewer features than requested."""
    choice = evidence.choice
    if choice is None:
        return
    shortfall = evidence.get_shortfall(choice.selector, choice.size)
    if shortfall is not None:
        label = evidence.selector_label(choice.selector)
        yield f"{label} was asked for {format_feature_count(choice.size)}, but {shortfall.remark}."


def _describe_control(evidence: Evidence) -> Iterator[str]:
    """Yield how random features classify, or that this was not tested."""
    control, choice = evidence.random_control, evidence.choice
    if control is not None and control.as_good:
        yield f"Which features are selected may matter little: {control.sentence}."
    elif control is None and choice is not None and evidence.error is not None:
        yield (
            "No random selector was tested, so it is not known whether other features would "
            f"classify as well; add {RANDOM} to find out."
        )


def _describe_higher_error(evidence: Evidence) -> str:
    """Return the error of the recommended pair if it is higher than that of the choice."""
    choice = evidence.choice
    if choice is None or choice.choice is None or evidence.error is None:
        return ""
    if evidence.error[0] == choice.choice.error:
        return ""
    error = format_plus_minus(*evidence.error)
    return f" The error of the recommended pair itself is higher: {error}."


def _get_measure_name(evidence: Evidence) -> str | None:
    if evidence.choice is not None:
        return str(evidence.choice.measure)
    measures = evidence.result.summary()["measure"].dropna()
    return str(measures.iloc[0]) if len(measures) else None


def _cells(evidence: Evidence) -> list[dict[str, Any]]:
    """Return selectors and sizes in the order of the study, with their comparison."""
    rows, choice = to_records(evidence.result.summary()), evidence.choice
    if choice is None:
        return rows
    compared = {
        (row["selector"], row["size"]): row for row in to_records(_keep_best_classifiers(choice))
    }
    return [{**row, **compared.get((row["selector"], row["size"]), {})} for row in rows]


def _keep_best_classifiers(choice: Recommendation) -> pd.DataFrame:
    """Keep one classifier per selector and size: the recommended one, else the best."""
    return choice.table.sort_values(
        ["recommended", "error"], ascending=[False, True], kind="stable"
    ).drop_duplicates(["selector", "size"])


def _row(evidence: Evidence, cell: dict[str, Any]) -> SelectorRow:
    detail = _get_error_row(evidence.result.errors, cell)
    row: SelectorRow = {
        "selector": cell["selector"],
        "title": evidence.row_title(cell["selector"]),
        "size": cell["size"],
        "stability": cell["stability"],
        "low": cell["low"],
        "high": cell["high"],
        "chance": cell["chance"],
        "classifier": cell["classifier"],
        "error": cell["error"],
        "standard_error": cell["standard_error"],
        "balanced_accuracy": detail.get("balanced_accuracy"),
        "auc": detail.get("auc"),
        "rpt": cell.get("rpt"),
        "p_value": cell.get("p_value"),
        "rival": bool(cell.get("rival", False)),
        "front": bool(cell.get("front", False)),
        "recommended": bool(cell.get("recommended", False)) and evidence.recommends,
    }
    if cell["size"] == "own":
        row = {**row, "selected": cell["selected"], "selected_sd": cell["selected_sd"]}
    shortfall = evidence.get_shortfall(cell["selector"], cell["size"])
    return row if shortfall is None else {**row, "remark": shortfall.remark}


def _get_error_row(errors: pd.DataFrame, cell: dict[str, Any]) -> dict[str, Any]:
    """Return all error measures of a selector, classifier and size."""
    same = (
        (errors["selector"] == cell["selector"])
        & (errors["classifier"] == cell["classifier"])
        & (errors["size"] == cell["size"])
    )
    rows = errors[same]
    row: dict[str, Any] = to_json_value(rows.iloc[0].to_dict()) if len(rows) else {}
    return row


# The sizes at which selectors are compared: requested, or chosen by the selector.


def compared_pair_size(evidence: Evidence, first: str, second: str) -> int | str | None:
    """Return the size at which two selectors are compared; if it differs, both."""
    self_sizing, size = evidence.self_sizing_selectors, evidence.compared_size
    size_a, size_b = ("own" if name in self_sizing else size for name in (first, second))
    return size_a if size_a == size_b else f"{size_a} and {size_b}"


def describe_compared_sizes(evidence: Evidence, names: Iterable[str]) -> str:
    """Return at which sizes these selectors are compared."""
    size = evidence.compared_size
    if size is None:
        return "with as many features as they choose themselves"
    choice = evidence.choice
    is_recommended = choice is not None and evidence.recommends and choice.size == size
    text = f"at {'the recommended ' if is_recommended else ''}{format_feature_count(size)}"
    if any(evidence.get_shortfall(name, size) for name in evidence.group_selectors):
        text += ", or at as many as were found"
    self_sizing = [name for name in names if name in evidence.self_sizing_selectors]
    if self_sizing:
        labels = evidence.join_labels(self_sizing)
        who = "it chooses itself" if len(self_sizing) == 1 else "they choose themselves"
        text += f"; {labels} with as many as {who}"
    return text


# Features drawn at random, as a control.

RANDOM = "random_score"
"""The selector that draws the requested number of features at random."""
RANDOM_SELECTORS = (RANDOM, "random_subset")
"""All selectors that draw features at random."""
ALPHA = 0.05
"""Significance level (standard)."""


class RandomControl(NamedTuple):
    """How well features drawn at random classify, at the recommended size."""

    size: int | str
    classifier: str
    error: float
    standard_error: float
    p_value: float
    """Of the test against the recommended pair: a single test, so without correction."""
    as_good: bool
    """No significant difference, and an error at most one standard error higher."""

    @property
    def sentence(self) -> str:
        """The comparison, as the end of a sentence."""
        error = format_plus_minus(self.error, self.standard_error)
        how = f" (p = {self.p_value:.2f})" if is_known(self.p_value) else ""
        features = (
            "random subsets"
            if self.size == "own"
            else f"{format_feature_count(self.size)} drawn at random"
        )
        return (
            f"{features} classify about as well: an error of {error} with "
            f"{format_name(self.classifier)}{how}"
        )


def random_selector_names(plan: dict[str, list[dict[str, object]]]) -> list[str]:
    """Return the selectors of a plan that draw at random."""
    records = {
        str(selector["name"]): get_selector_record(selector["object"])
        for selector in plan["selectors"]
    }
    return [
        name
        for name, record in records.items()
        if record is not None and record.name in RANDOM_SELECTORS
    ]


def compare_with_random(result: Result, choice: Recommendation) -> RandomControl | None:
    """Compare random features with the recommended ones; None if none were tested.

    They are taken at the recommended size if possible, and with the same classifier, else with
    their best one. The difference is one test, not one of many, as random features were not
    chosen among others.
    """
    table, names = result.errors, random_selector_names(result.plan)
    rows = table[table["selector"].isin(names) & table["error"].notna()]
    rows = rows[rows["selector"] != choice.selector]
    for column, value in (("size", choice.size), ("classifier", choice.classifier)):
        same = rows[rows[column] == value]
        rows = same if len(same) else rows
    if not len(rows):
        return None
    return _build_control(result, choice, rows.sort_values("error", kind="stable").iloc[0])


def _build_control(result: Result, choice: Recommendation, row: pd.Series) -> RandomControl:
    p_value = _p_value(result, choice, row)
    spread = choice.standard_error if is_known(choice.standard_error) else 0.0
    not_significant = not p_value <= ALPHA  # or not testable
    return RandomControl(
        size=row["size"],
        classifier=str(row["classifier"]),
        error=float(row["error"]),
        standard_error=float(row["standard_error"]),
        p_value=p_value,
        as_good=not_significant and float(row["error"]) <= choice.error + spread,
    )


def _p_value(result: Result, choice: Recommendation, row: pd.Series) -> float:
    pair = {
        (choice.selector, choice.classifier, choice.size),
        (row["selector"], row["classifier"], row["size"]),
    }
    try:
        table = result.compare(correction=None)
    except HoldfastError:
        return float("nan")
    keys = ("selector", "classifier", "size")
    sides = (zip(*(table[f"{key}_{side}"] for key in keys), strict=True) for side in "ab")
    rows = zip(*sides, table["p_value"], strict=True)
    return next((float(p) for a, b, p in rows if {a, b} == pair), float("nan"))
