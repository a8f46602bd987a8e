"""The selectors compared: each at each size with its best classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._formatting import (
    features_of,
    join_texts,
    plain,
    plus_minus,
    records,
    whole_size,
)
from holdfast.report._random_control import RANDOM
from holdfast.report._second_study import NOTHING
from holdfast.report._second_study import NOTHING as NOTHING_AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import SelectorRow, Selectors


NO_RESULTS = ["Nothing can be recommended: there are not enough results."]
ALL_SELECTED_REASONS = [
    "Nothing can be recommended: all features are always selected, so no selector chooses."
]
UNSUPPORTED = ["No selector is recommended: the features of none can be expected again."]


def recommends(evidence: Evidence) -> bool:
    """Say whether a selector is recommended, not only the best of what there is."""
    return evidence.choice is not None and evidence.outlook.grade != NOTHING_AGAIN


def selectors(evidence: Evidence) -> Selectors:
    """Return the comparison, and why one of the rows is recommended."""
    choice = evidence.choice
    expected = None if choice is None or choice.choice is None else choice.choice.sentence
    reasons = _reasons(evidence) if choice is None else choice.reasons
    if choice is not None and not recommends(evidence):
        reasons, expected = UNSUPPORTED, None
    told = [evidence.told(text) for text in reasons if text != expected]
    return {
        "measure": _measure(evidence),
        "rows": [_row(evidence, cell) for cell in _cells(evidence)],
        "reasons": [*told, *_short(evidence), *_random(evidence)],
        "choice": None if expected is None else evidence.told(expected) + _higher(evidence),
    }


def _reasons(evidence: Evidence) -> list[str]:
    return ALL_SELECTED_REASONS if evidence.all_selected else NO_RESULTS


def _short(evidence: Evidence) -> Iterator[str]:
    """Say that the recommended selector did not find as many features as it was asked for."""
    choice = evidence.choice
    if choice is not None and (short := evidence.fewer(choice.selector, choice.size)) is not None:
        who = evidence.spoken(choice.selector)
        yield f"{who} was asked for {features_of(choice.size)}, but {short.remark}."


def _random(evidence: Evidence) -> Iterator[str]:
    """Say how random features do, or that this was not asked."""
    found, choice = evidence.control, evidence.choice
    if found is not None and found.as_good:
        yield f"Which features are taken may matter little: {found.sentence}."
    elif found is None and choice is not None and evidence.error is not None:
        yield (
            "No selector that draws features at random was tested, so it is not known whether any "
            f"others would classify as well; add {RANDOM} to see."
        )


def _higher(evidence: Evidence) -> str:
    """Name the error of the recommended pair where it is higher than that of the choice."""
    choice = evidence.choice
    if choice is None or choice.choice is None or evidence.error is None:
        return ""
    if evidence.error[0] == choice.choice.error:
        return ""
    error = plus_minus(*evidence.error)
    return f" The error of the recommended pair itself is higher: {error}."


def _measure(evidence: Evidence) -> str | None:
    if evidence.choice is not None:
        return str(evidence.choice.measure)
    measures = evidence.result.summary()["measure"].dropna()
    return str(measures.iloc[0]) if len(measures) else None


def _cells(evidence: Evidence) -> list[dict[str, Any]]:
    """Return selectors and sizes in the order of the study, with what the judges say."""
    summary = evidence.result.summary()
    choice = evidence.choice
    if choice is None:
        return records(summary)
    judged = {(row["selector"], row["size"]): row for row in records(_best(choice))}
    return [{**row, **judged.get((row["selector"], row["size"]), {})} for row in records(summary)]


def _best(choice: Recommendation) -> pd.DataFrame:
    """Keep one classifier a selector and size: the recommended one, else that of least error."""
    return choice.table.sort_values(
        ["recommended", "error"], ascending=[False, True], kind="stable"
    ).drop_duplicates(["selector", "size"])


def _row(evidence: Evidence, cell: dict[str, Any]) -> SelectorRow:
    detail = _detail(evidence.result.errors, cell)
    row: SelectorRow = {
        "selector": cell["selector"],
        "title": title_of_row(evidence, cell["selector"]),
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
        "recommended": bool(cell.get("recommended", False)) and recommends(evidence),
    }
    if cell["size"] == "own":
        row = {**row, "selected": cell["selected"], "selected_sd": cell["selected_sd"]}
    short = evidence.fewer(cell["selector"], cell["size"])
    return row if short is None else {**row, "remark": short.remark}


def _detail(errors: pd.DataFrame, cell: dict[str, Any]) -> dict[str, Any]:
    """Return the other measures of success of the same selector, classifier and size."""
    same = (
        (errors["selector"] == cell["selector"])
        & (errors["classifier"] == cell["classifier"])
        & (errors["size"] == cell["size"])
    )
    rows = errors[same]
    found: dict[str, Any] = plain(rows.iloc[0].to_dict()) if len(rows) else {}
    return found


def title_of_row(evidence: Evidence, name: str) -> str:
    """Return the title of a selector, with its name where several have the same title."""
    title = evidence.title(name)
    same = [one for one in evidence.result.selectors if evidence.title(one) == title]
    return title if len(same) == 1 else f"{title}: {name}"


# How many features selectors are compared with: as many as asked for, or as they choose.


def own_sized(evidence: Evidence) -> set[str]:
    """Return the selectors that choose the number of features themselves."""
    return {one["name"] for one in evidence.plan["selectors"] if one["own_size"]}


def compared_size(evidence: Evidence) -> int | None:
    """Return the size asked of selectors that are compared; None where all choose their own.

    It is the recommended one, else the largest tested below the number of features: with all of
    them nothing is selected.
    """
    if own_sized(evidence).issuperset(evidence.result.selectors):
        return None
    sizes, count = evidence.plan["sizes"], evidence.plan["data"]["n_features"]
    largest = max((int(size) for size in sizes if size < count), default=int(sizes[-1]))
    return whole_size(evidence.cell) or largest


def size_of_pair(evidence: Evidence, first: str, second: str) -> int | str | None:
    """Return the size of two selectors that are compared; where it differs, that of each."""
    own, size = own_sized(evidence), compared_size(evidence)
    one, other = ("own" if name in own else size for name in (first, second))
    return one if one == other else f"{one} and {other}"


def describe_compared_sizes(evidence: Evidence, names: Iterable[str]) -> str:
    """Say with how many features these selectors are compared."""
    size = compared_size(evidence)
    if size is None:
        return "with as many features as they choose themselves"
    own = own_sized(evidence)
    chosen = [name for name in names if name in own]
    who = "it chooses itself" if len(chosen) == 1 else "they choose themselves"
    rest = (
        f"; {join_texts([evidence.spoken(name) for name in chosen])} with as many as {who}"
        if chosen
        else ""
    )
    return f"{_describe_requested_size(evidence, size)}{rest}"


def _describe_requested_size(evidence: Evidence, size: int) -> str:
    recommended = "the recommended " if _recommended_size(evidence) == size else ""
    short = any(evidence.fewer(name, size) for name in evidence.groupers)
    rest = ", or at as many as were found" if short else ""
    return f"at {recommended}{features_of(size)}{rest}"


def _recommended_size(evidence: Evidence) -> int | str | None:
    choice = evidence.choice
    return None if choice is None or evidence.outlook.grade == NOTHING else choice.size
