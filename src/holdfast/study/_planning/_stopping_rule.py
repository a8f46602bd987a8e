"""How many resamples are enough: until the intervals of the chief measure are narrow.

A study that goes by it does the resamples of its protocol step by step and looks at the intervals
after each step; where it looks depends on the plan alone.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._formatting import plural
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError, StudyError
from holdfast.measures import get_measure
from holdfast.study._planning._plan import BLOCK
from holdfast.study._storage._reader import View
from holdfast.study._storage._serialization import deserialize_object
from holdfast.study._tables._stability import stability_table
from holdfast.study._tables._summary import chief_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.resample import Protocol
    from holdfast.study._storage._serialization import JSON
    from holdfast.study._tables._stability import LazyDataset

STOPPING_RULE_KEY = "until"
"""Name of the fact by which a store knows that its study grows."""
DEFAULT_MAX_RESAMPLES = 1000
"""Most resamples where nobody names a protocol."""
FIRST, DOUBLED = 24, 96
"""Resamples of the first step, and how many of them double from step to step."""
RUNNING_TABLE_COLUMNS = [
    "resamples",
    "selector",
    "size",
    "measure",
    "value",
    "low",
    "high",
    "width",
]


@dataclass(frozen=True, kw_only=True)
class Until:
    """When a study has resamples enough."""

    width: float
    """No interval is to be wider."""
    most: int
    """Most resamples, pairs or repeats: what the protocol asked for."""
    replication: int | None
    """Pairs of disjoint halves, as asked for; they are drawn when the resamples are done."""

    def to_json(self, *, stopped: bool) -> dict[str, JSON]:
        """Return the fact that the store keeps; `stopped`: whether the study has grown enough."""
        return {**asdict(self), "stopped": stopped}

    @classmethod
    def from_json(cls, fact: JSON) -> Until:
        """Read the fact."""
        return cls(**{key: value for key, value in fact.items() if key != "stopped"})


def checked_until(
    width: float | None, protocol: Protocol, measures: Sequence[str], replication: int | None
) -> Until | None:
    """Return when a study is to stop, None if it does all it was asked for."""
    if width is None:
        return None
    try:
        most = protocol.asked_for
    except InvalidInputError as error:
        raise InvalidInputError(f"until_width: {error}") from None
    if not measures:
        raise InvalidInputError("until_width needs a measure, whose interval it is about.")
    width = check_positive_number(width, "until_width", math.inf)
    return Until(width=width, most=most, replication=replication)


def steps(most: int, each: int, blocks: Sequence[int]) -> list[int]:
    """Return after how many resamples a study looks at its intervals.

    Parameters
    ----------
    most : int
        Most resamples; the last step.
    each : int
        Resamples of a pair or repeat, which stay together.
    blocks : sequence of int
        How many resamples each selector judges in one call. Steps end where blocks end, so that
        a study cut into steps works on the blocks of one that is not.
    """
    unit, found, at = math.lcm(BLOCK, each, *blocks), [], FIRST
    while (stop := math.ceil(at / unit) * unit) < most:
        found.append(stop)
        at = 2 * stop if stop < DOUBLED else math.ceil(1.5 * stop)
    return [*found, most]


class Beginning(View):
    """The first resamples of a study, by its chief measure alone."""

    def __init__(self, whole: View, stop: int) -> None:
        super().__init__(whole.store)
        self._stop = stop
        self.plan = {**whole.plan, "measures": [chief_measure(whole.plan["measures"])]}

    def counted(self, found: dict[int, Any]) -> list[int]:
        """Return the numbers, among those found, of resamples that are compared."""
        return [number for number in super().counted(found) if number < self._stop]


def intervals(view: View, data: LazyDataset, stop: int) -> pd.DataFrame:
    """Return the interval of each selector and size after so many resamples."""
    table = stability_table(Beginning(view, stop), data)
    return table.assign(resamples=stop, width=table["high"] - table["low"])[RUNNING_TABLE_COLUMNS]


def running_table(view: View, data: LazyDataset) -> pd.DataFrame:
    """Return how the intervals of a study narrowed, step by step."""
    if not view.plan["measures"]:
        return pd.DataFrame(columns=RUNNING_TABLE_COLUMNS)
    tables = [intervals(view, data, stop) for stop in _looks(view.plan)]
    return pd.concat(tables, ignore_index=True)


def _looks(plan: JSON) -> list[int]:
    """Return the steps of a plan; resamples that are planned as a whole have one."""
    most = int(plan["protocol"]["resamples"])
    try:
        each = most // deserialize_object(plan["protocol"]["object"]).asked_for
    except (StudyError, InvalidInputError):  # somebody else's protocol, or one that cannot grow
        return [most]
    return steps(most, each, [one["block"] for one in plan["selectors"]])


def widest(table: pd.DataFrame) -> pd.Series[Any] | None:
    """Return the row of the widest interval; None if none is defined."""
    known = table.dropna(subset="width")
    return None if known.empty else known.iloc[int(known["width"].argmax())]


def is_narrow(table: pd.DataFrame, width: float) -> bool:
    """Return whether all intervals that are defined are narrow enough."""
    row = widest(table)
    return row is not None and bool(row["width"] <= width)


def rule_sentence(most: int, width: float) -> str:
    """Say what is to be done, and when it is enough."""
    return f"at most {most:,} resamples, until the widest 95% interval is {width:g} wide"


def running_sentence(table: pd.DataFrame, width: float) -> str:
    """Say how far the intervals are."""
    row, done = widest(table), plural(int(table["resamples"].iloc[0]), "resample")
    if row is None:
        return f"{done}: no interval is defined, wanted {width:g}"
    return f"{done}: widest interval {row['width']:.2g} ({_whose(row)}), wanted {width:g}"


def too_wide_sentence(table: pd.DataFrame, width: float) -> str:
    """Say that there may be no more resamples, although the intervals are too wide."""
    row, done = widest(table), int(table["resamples"].iloc[0])
    measure = table["measure"].iloc[0]
    if row is None:
        return f"no interval of {measure} is defined, so all {done:,} resamples were done."
    needed = float(f"{done * (row['width'] / width) ** 2:.1g}")  # widths go as 1 / sqrt(resamples)
    return (
        f"the widest interval of {measure} is {row['width']:.2g} ({_whose(row)}) after {done:,} "
        f"resamples, the most that the protocol allows, not {width:g}. Some {needed:,.0f} may be "
        "needed: allow more in a new folder, or be content with this."
    )


def _whose(row: pd.Series[Any]) -> str:
    if not get_measure(str(row["measure"])).by_size:
        return str(row["selector"])
    size = row["size"]
    return f"{row['selector']}, {'own size' if size == 'own' else plural(int(size), 'feature')}"
