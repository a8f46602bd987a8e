"""What papers state, and how it is held against numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    Status = Literal["held", "not held", "cannot be checked"]

HELD: Status = "held"
NOT_HELD: Status = "not held"
UNCHECKED: Status = "cannot be checked"


class Unchecked(Exception):  # noqa: N818  (no error: an answer)
    """Raised by a check that lacks what it needs; the message says what."""


@dataclass(frozen=True)
class Seen:
    """What a check sees: one setting of an experiment.

    Attributes
    ----------
    setting : str
        Its name.
    values : pandas.DataFrame
        Our numbers: the keys of the experiment and ``value``, for the data sets that were used.
    published : pandas.DataFrame
        The published ones, for all data sets.
    facts : mapping
        What else the experiment handed over for this setting, by name.
    full : bool
        Whether the run has the size of the paper's.
    """

    setting: str
    values: pd.DataFrame
    published: pd.DataFrame
    facts: Mapping[str, Any]
    full: bool

    def fact(self, name: str) -> Any:  # noqa: ANN401  (whatever the experiment hands over)
        """Return a fact; without it the claim cannot be checked."""
        if name not in self.facts:
            raise Unchecked("it was not measured in this setting")
        return self.facts[name]

    def value(self, **keys: object) -> float:
        """Return the one number with these keys; without it the claim cannot be checked."""
        found = self.table(**keys)
        if len(found) != 1:
            asked = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise Unchecked(f"{len(found)} numbers were measured for {asked}, one is needed")
        return float(found["value"].iloc[0])

    def table(self, **keys: object) -> pd.DataFrame:
        """Return our numbers with these keys, but for those that are missing."""
        found = self.values[self.values["value"].notna()]
        for key, value in keys.items():
            found = found[found[key] == value]
        return found

    def pivot(self, index: str | list[str], columns: str, **keys: object) -> pd.DataFrame:
        """Return numbers as a table without gaps; rows with gaps are left out."""
        table = self.table(**keys).pivot(index=index, columns=columns, values="value").dropna()
        if table.empty:
            raise Unchecked("no number was measured that it speaks about")
        return table


@dataclass(frozen=True)
class Finding:
    """What became of a claim in one setting."""

    setting: str
    status: Status
    evidence: str


@dataclass(frozen=True)
class Claim:
    """Something that a paper states.

    Attributes
    ----------
    text : str
        What is stated, in our words, with the bar that decides where the paper gives none.
    check : callable
        From what is seen to whether it held, and the numbers that say so.
    main_only : bool
        Look at the main setting only: other settings are of no interest to the claim.
    """

    text: str
    check: Callable[[Seen], tuple[bool, str]]
    main_only: bool = False

    def found(self, seen: Seen) -> Finding:
        """Hold the claim against numbers."""
        try:
            held, evidence = self.check(seen)
        except Unchecked as reason:
            return Finding(seen.setting, UNCHECKED, str(reason))
        return Finding(seen.setting, HELD if held else NOT_HELD, evidence)


def unchecked(text: str, why: str) -> Claim:
    """Return a claim that nothing here can decide."""

    def check(_: Seen) -> tuple[bool, str]:
        raise Unchecked(why)

    return Claim(text, check, main_only=True)
