"""The control: how well features drawn at random classify, beside those recommended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.errors import HoldfastError
from holdfast.report._formatting import (
    features_of,
    format_name,
    is_known_number,
    plus_minus,
    record_of,
)

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.study import Result

RANDOM = "random_score"
"""The selector that draws features at random, as many as are asked for."""
DRAWING = (RANDOM, "random_subset")
"""All selectors that draw features at random."""
ALPHA = 0.05


class Control(NamedTuple):
    """Features drawn at random, as many as recommended, and how they classify."""

    size: int | str
    classifier: str
    error: float
    standard_error: float
    p_value: float
    """Of the test against the recommended pair, alone, so without correction."""
    as_good: bool
    """No difference is seen, and the error is at most a standard error higher."""

    @property
    def sentence(self) -> str:
        """What was seen, as the end of a sentence."""
        error = plus_minus(self.error, self.standard_error)
        how = f" (p = {self.p_value:.2f})" if is_known_number(self.p_value) else ""
        many = f"{features_of(self.size)} drawn at random"
        drawn = "random subsets" if self.size == "own" else many
        return (
            f"{drawn} classify about as well: an error of {error} with "
            f"{format_name(self.classifier)}{how}"
        )


def random_names(plan: dict[str, list[dict[str, object]]]) -> list[str]:
    """Return the selectors of a plan that draw at random."""
    found = {str(one["name"]): record_of(one["object"]) for one in plan["selectors"]}
    return [name for name, one in found.items() if one is not None and one.name in DRAWING]


def control(result: Result, choice: Recommendation) -> Control | None:
    """Compare random features with the recommended ones; None where none were tested.

    They are taken at the recommended size, where there is one, and with the same classifier,
    else with their best. The recommended pair was chosen among many, they were not, so their
    difference is tested alone.
    """
    table, names = result.errors, random_names(result.plan)
    rows = table[table["selector"].isin(names) & table["error"].notna()]
    rows = rows[rows["selector"] != choice.selector]
    for column, wanted in (("size", choice.size), ("classifier", choice.classifier)):
        same = rows[rows[column] == wanted]
        rows = same if len(same) else rows
    if not len(rows):
        return None
    return _make_control(result, choice, rows.sort_values("error", kind="stable").iloc[0])


def _make_control(result: Result, choice: Recommendation, row: pd.Series) -> Control:
    p_value = _p_value(result, choice, row)
    spread = choice.standard_error if is_known_number(choice.standard_error) else 0.0
    unseen = not p_value <= ALPHA  # or not testable
    return Control(
        size=row["size"],
        classifier=str(row["classifier"]),
        error=float(row["error"]),
        standard_error=float(row["standard_error"]),
        p_value=p_value,
        as_good=unseen and float(row["error"]) <= choice.error + spread,
    )


def _p_value(result: Result, choice: Recommendation, row: pd.Series) -> float:
    one = (choice.selector, choice.classifier, choice.size)
    other = (row["selector"], row["classifier"], row["size"])
    try:
        table = result.compare(correction=None)
    except HoldfastError:
        return float("nan")
    a, b = (
        zip(
            table[f"selector_{side}"],
            table[f"classifier_{side}"],
            table[f"size_{side}"],
            strict=True,
        )
        for side in "ab"
    )
    pairs = zip(a, b, table["p_value"], strict=True)
    return next((float(p) for x, y, p in pairs if {x, y} == {one, other}), float("nan"))
