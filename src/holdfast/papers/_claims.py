"""Claims of papers: what they state, and how it is checked against our numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

import pandas as pd

from holdfast._formatting import plural

Status = Literal["held", "not held", "cannot be checked"]
HELD: Status = "held"
NOT_HELD: Status = "not held"
UNCHECKED: Status = "cannot be checked"


class UncheckableClaim(Exception):  # noqa: N818  (a result, not an error)
    """Raised by a check that lacks the numbers it needs; the message says which."""


@dataclass(frozen=True)
class ClaimInput:
    """The numbers that a check may use: those of one setting of an experiment.

    Attributes
    ----------
    setting : str
        The name of the setting.
    values : pandas.DataFrame
        Our numbers: the keys of the experiment and ``value``, for the data sets that were used.
    published : pandas.DataFrame
        The published numbers, for all data sets.
    facts : mapping
        Further results of the experiment in this setting, by name.
    full : bool
        Whether the run has the size of the paper's experiment.
    """

    setting: str
    values: pd.DataFrame
    published: pd.DataFrame
    facts: Mapping[str, Any]
    full: bool

    def fact(self, name: str) -> Any:  # noqa: ANN401  (each fact has its own type)
        """Return a fact; without it the claim cannot be checked."""
        if name not in self.facts:
            raise UncheckableClaim("it was not measured in this setting")
        return self.facts[name]

    def fact_table(self, name: str) -> pd.DataFrame:
        """Return a fact that is a table."""
        table: pd.DataFrame = self.fact(name)
        return table

    def value(self, **keys: object) -> float:
        """Return the one number with these keys; without it the claim cannot be checked."""
        rows = self.table(**keys)
        if len(rows) != 1:
            requested = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise UncheckableClaim(
                f"{len(rows)} numbers were measured for {requested}, one is needed"
            )
        return float(rows["value"].iloc[0])

    def table(self, **keys: object) -> pd.DataFrame:
        """Return our numbers with these keys, without missing ones."""
        rows = self.values[self.values["value"].notna()]
        for key, value in keys.items():
            rows = rows[rows[key] == value]
        return rows

    def pivot(self, index: str | list[str], columns: str, **keys: object) -> pd.DataFrame:
        """Return numbers as a wide table; rows with gaps are dropped."""
        table = self.table(**keys).pivot(index=index, columns=columns, values="value").dropna()
        return require_rows(table, "no number was measured that it speaks about")


Check: TypeAlias = Callable[[ClaimInput], tuple[bool, str]]
"""Returns whether a claim held, and the numbers that show it."""


@dataclass(frozen=True)
class Finding:
    """The outcome of a claim in one setting."""

    setting: str
    status: Status
    evidence: str
    cause: str = ""


Source: TypeAlias = Literal["data", "setting", "paper"]
"""Where a finding that does not hold comes from: our copies of the data, a choice that the paper
leaves open, or the paper itself."""


@dataclass(frozen=True)
class Cause:
    """Why a claim does not hold in the main setting, where the reason is known.

    Attributes
    ----------
    source : {"data", "setting", "paper"}
        Where the difference comes from.
    reason : str
        The reason in words.
    """

    source: Source
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"


THRESHOLD = re.compile(r" \(((?:[^()]*\W)?thresholds?\b[^()]*)\)")
"""The part of a claim's text that was chosen by hand: in parentheses, with this word."""
AS_STATED = "as stated"


def split_bar(text: str) -> tuple[str, str]:
    """Return the statement of a claim, and its threshold."""
    chosen = [re.sub(r"^thresholds?:? ", "", found) for found in THRESHOLD.findall(text)]
    return THRESHOLD.sub("", text), "; ".join(chosen) or AS_STATED


@dataclass(frozen=True)
class Claim:
    """A statement of a paper.

    Attributes
    ----------
    text : str
        The statement in our words, with the threshold we chose in parentheses where the paper
        gives none: ``"SU clearly gains (threshold: 0.05)."``
    check : callable
        The bar: decides whether it held. It is applied to the published numbers, too.
    main_only : bool
        Check it in the main setting only: other settings do not bear on it.
    place : str
        The place of the statement in the paper, if it is not that of its table or figure.
    cause : Cause, optional
        Why it does not hold in the main setting, if it does not.
    """

    text: str
    check: Check
    main_only: bool = False
    place: str = ""
    cause: Cause | None = None

    @property
    def statement(self) -> str:
        """The text without its threshold."""
        return split_bar(self.text)[0]

    @property
    def bar(self) -> str:
        """The threshold; "as stated" where the statement itself can be checked."""
        return split_bar(self.text)[1]

    def evaluate(self, inputs: ClaimInput) -> Finding:
        """Check the claim against the numbers of a setting."""
        try:
            held, evidence = self.check(inputs)
        except UncheckableClaim as reason:
            return Finding(inputs.setting, UNCHECKED, str(reason))
        return Finding(inputs.setting, HELD if held else NOT_HELD, evidence)


def explain_outcomes(claim: Claim, main: Finding, others: Sequence[Finding]) -> list[Finding]:
    """Add causes to the outcomes that do not hold.

    In the main setting it is the cause of the claim, if it is known. Where the claim holds in the
    main setting but not in another, the cause is that setting.
    """
    cause = "not known" if claim.cause is None else str(claim.cause)
    return [
        outcome
        if outcome.status != NOT_HELD
        else replace(
            outcome,
            cause="setting: it holds in the main one"
            if outcome is not main and main.status == HELD
            else cause,
        )
        for outcome in (main, *others)
    ]


def make_unchecked_claim(text: str, why: str, place: str = "") -> Claim:
    """Return a claim that no experiment here can decide."""

    def check(_: ClaimInput) -> tuple[bool, str]:
        raise UncheckableClaim(why)

    return Claim(text, check, main_only=True, place=place)


# Helpers for checks: tables that must not be empty, and numbers as text.

Rows = TypeVar("Rows", pd.DataFrame, "pd.Series[float]")


def require_rows(
    rows: Rows, reason: str = "none of the numbers that it speaks about was measured"
) -> Rows:
    """Return rows unchanged; without any, the claim cannot be checked for this reason."""
    if rows.empty:
        raise UncheckableClaim(reason)
    return rows


def count_datasets(table: pd.DataFrame) -> str:
    """Return how many data sets a table covers: its column or index level ``data``."""
    names = table["data"] if "data" in table else table.index.get_level_values("data")
    return plural(names.nunique(), "data set")


def format_range(values: pd.Series[float], digits: int = 2) -> str:
    """Return the lowest and the highest number."""
    return f"{float(values.min()):.{digits}f} to {float(values.max()):.{digits}f}"


def format_change(values: pd.Series[float]) -> str:
    """Return the first and the last number."""
    return f"{values.iloc[0]:.2f} to {values.iloc[-1]:.2f}"


def format_values(
    values: Mapping[str, float] | pd.Series[float], spec: str = "z.2f", separator: str = ", "
) -> str:
    """Return numbers with their names; by default with two decimals, and zero without a sign."""
    return separator.join(f"{name} {value:{spec}}" for name, value in values.items())
