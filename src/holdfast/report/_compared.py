"""How many features selectors are compared with: as many as asked for, or as they choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.report._outlook import NOTHING
from holdfast.report._words import features_of, joined, whole_size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.report._evidence import Evidence


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


def compared(evidence: Evidence, names: Iterable[str]) -> str:
    """Say with how many features these selectors are compared."""
    size = compared_size(evidence)
    if size is None:
        return "with as many features as they choose themselves"
    own = own_sized(evidence)
    chosen = [name for name in names if name in own]
    who = "it chooses itself" if len(chosen) == 1 else "they choose themselves"
    rest = (
        f"; {joined([evidence.spoken(name) for name in chosen])} with as many as {who}"
        if chosen
        else ""
    )
    return f"{_asked(evidence, size)}{rest}"


def _asked(evidence: Evidence, size: int) -> str:
    recommended = "the recommended " if _recommended(evidence) == size else ""
    short = any(evidence.fewer(name, size) for name in evidence.groupers)
    rest = ", or at as many as were found" if short else ""
    return f"at {recommended}{features_of(size)}{rest}"


def _recommended(evidence: Evidence) -> int | str | None:
    choice = evidence.choice
    return None if choice is None or evidence.outlook.grade == NOTHING else choice.size
