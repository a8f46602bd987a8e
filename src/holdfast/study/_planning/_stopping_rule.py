"""The stopping rule of sequential studies: enough resamples when the intervals are narrow.

A sequential study runs the resamples of its protocol step by step and checks the intervals of the
main measure after each step; the steps depend on the plan alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from holdfast._formatting import plural
from holdfast._typing import JSON
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.resample import PROTOCOLS, Protocol
from holdfast.study._planning._plan import MAX_RESAMPLES_PER_BLOCK
from holdfast.study._storage._reader import StudyReader
from holdfast.study._tables._stability import LazyDataset, main_measure, stability_table

DEFAULT_MAX_RESAMPLES = 1000
"""Most resamples of the default protocol of a sequential study; chosen by hand."""
FIRST_STEP, MAX_DOUBLED_STEP = 24, 96
"""Resamples of the first step, and up to how many they double from step to step.

Chosen by hand: intervals from fewer resamples are unreliable, and later steps overshoot less.
"""
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
class StoppingRule:
    """When a sequential study stops."""

    width: float
    """Largest width of any interval."""
    most: int
    """Most resamples, pairs or repeats: the number of the protocol."""
    replication: int | None
    """Requested pairs of disjoint halves; they are drawn when the resamples are done."""

    def to_json(self, *, stopped: bool) -> dict[str, JSON]:
        """Return the fact for the store; `stopped`: whether the study has stopped."""
        return {**asdict(self), "stopped": stopped}

    @classmethod
    def from_json(cls, fact: JSON) -> StoppingRule:
        """Read the fact."""
        return cls(**{key: value for key, value in fact.items() if key != "stopped"})


def make_stopping_rule(
    width: float, protocol: Protocol, measures: Sequence[str], replication: int | None
) -> StoppingRule:
    """Return the rule that stops a study at intervals of this width."""
    try:
        most = protocol.asked_for
    except InvalidInputError as error:
        raise InvalidInputError(f"until_width: {error}") from None
    if not measures:
        raise InvalidInputError("until_width needs a measure, whose intervals it limits.")
    width = check_positive_number(width, "until_width", math.inf)
    return StoppingRule(width=width, most=most, replication=replication)


def steps(most: int, each: int, blocks: Sequence[int]) -> list[int]:
    """Return the numbers of resamples after which a study checks its intervals.

    Parameters
    ----------
    most : int
        Most resamples; the last step.
    each : int
        Resamples per pair or repeat, which stay together.
    blocks : sequence of int
        How many resamples each selector runs on in one call. Steps end where blocks end, so
        that a sequential study runs the same blocks as any other.
    """
    # the blocks of any selector, and all pairs or repeats, end at multiples of this
    unit = math.lcm(MAX_RESAMPLES_PER_BLOCK, each, *blocks)
    stops, target = [], FIRST_STEP
    while (stop := math.ceil(target / unit) * unit) < most:
        stops.append(stop)
        target = 2 * stop if stop < MAX_DOUBLED_STEP else math.ceil(1.5 * stop)
    return [*stops, most]


class FirstResamplesReader(StudyReader):
    """Reads the first resamples of a study, for its main measure only."""

    def __init__(self, reader: StudyReader, stop: int) -> None:
        super().__init__(reader.store)
        self._stop = stop
        self.plan = {**reader.plan, "measures": [main_measure(reader.plan["measures"])]}

    def compared(self, rows: dict[int, Any]) -> list[int]:
        """Return the positions of resamples that are compared with each other."""
        return [position for position in super().compared(rows) if position < self._stop]


def intervals(reader: StudyReader, data: LazyDataset, stop: int) -> pd.DataFrame:
    """Return the interval of each selector and size after this many resamples."""
    table = stability_table(FirstResamplesReader(reader, stop), data)
    return table.assign(resamples=stop, width=table["high"] - table["low"])[RUNNING_TABLE_COLUMNS]


def running_table(reader: StudyReader, data: LazyDataset) -> pd.DataFrame:
    """Return the intervals after each step."""
    if not reader.plan["measures"]:
        return pd.DataFrame(columns=RUNNING_TABLE_COLUMNS)
    tables = [intervals(reader, data, stop) for stop in _plan_steps(reader.plan)]
    return pd.concat(tables, ignore_index=True)


def _plan_steps(plan: JSON) -> list[int]:
    """Return the steps of a plan; protocols that are planned as a whole have one."""
    most = int(plan["protocol"]["resamples"])
    requested = _requested_count(plan["protocol"]["object"])
    if requested is None or not 1 <= requested <= most:
        return [most]
    return steps(most, most // requested, [selector["block"] for selector in plan["selectors"]])


def _requested_count(spec: JSON) -> int | None:
    """Return the number of resamples, pairs or repeats that a protocol of holdfast requests.

    It is read from the plan: a table builds nothing that a store names. None for a third-party
    protocol, and for one that cannot be extended.
    """
    path = spec.get("class") if isinstance(spec, dict) else None
    for record in PROTOCOLS.values():
        if path == f"holdfast.resample:{record.kind.__name__}" and record.kind.grows_by:
            count = spec["parameters"].get(record.kind.grows_by)
            return count if isinstance(count, int) else None
    return None


def widest(table: pd.DataFrame) -> pd.Series[Any] | None:
    """Return the row of the widest interval; None if no interval is defined."""
    known = table.dropna(subset="width")
    return None if known.empty else known.iloc[int(known["width"].argmax())]


def is_narrow(table: pd.DataFrame, width: float) -> bool:
    """Return whether all defined intervals are narrow enough."""
    row = widest(table)
    return row is not None and bool(row["width"] <= width)


def rule_sentence(most: int, width: float) -> str:
    """Describe the rule before the run."""
    return f"at most {most:,} resamples, until the widest 95% interval is {width:g} wide"


def running_sentence(table: pd.DataFrame, width: float) -> str:
    """Describe the widest interval after a step."""
    row, done = widest(table), plural(int(table["resamples"].iloc[0]), "resample")
    if row is None:
        return f"{done}: no interval is defined, target {width:g}"
    return (
        f"{done}: widest interval {row['width']:.2g} ({_format_candidate(row)}), target {width:g}"
    )


def too_wide_sentence(table: pd.DataFrame, width: float) -> str:
    """Describe intervals that are too wide after the maximum number of resamples."""
    row, done = widest(table), int(table["resamples"].iloc[0])
    measure = table["measure"].iloc[0]
    if row is None:
        return f"no interval of {measure} is defined, so all {done:,} resamples were run."
    # widths shrink as 1 / sqrt(resamples); one digit, as this is a rough estimate
    needed = float(f"{done * (row['width'] / width) ** 2:.1g}")
    return (
        f"the widest interval of {measure} is {row['width']:.2g} ({_format_candidate(row)}) after "
        f"{done:,} resamples, the maximum of the protocol, not {width:g}. About {needed:,.0f} may "
        "be needed: allow more in a new folder, or accept this width."
    )


def _format_candidate(row: pd.Series[Any]) -> str:
    if not get_measure(str(row["measure"])).by_size:
        return str(row["selector"])
    size = row["size"]
    return f"{row['selector']}, {'own size' if size == 'own' else plural(int(size), 'feature')}"
