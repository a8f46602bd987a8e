"""Find the damaged units of a store: by their checksums, and by what their rows must be like."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from holdfast._typing import JSON
from holdfast.study._storage._checksums import CONTENT_TABLES, StoredUnit, read_units
from holdfast.study._storage._store_checks import wrong_types_condition

UNIT_TABLES = ("units", "timings", *CONTENT_TABLES)
"""Tables with rows of units."""


class UnitDamage(NamedTuple):
    """What is wrong with a unit."""

    selector: int | None
    resample: int | None
    """None: rows of no unit that the study can have."""
    problem: str


@dataclass(frozen=True, slots=True)
class ExpectedUnit:
    """What the rows of a unit must be like."""

    n_features: int
    n_classes: int
    n_classifiers: int
    form: str
    """The form of its selection: ``subset`` if the selector chooses the size, else ``top``."""
    sizes: frozenset[int]
    n_test: Sequence[int]
    """Number of test samples, by resample."""
    is_drawn: Sequence[bool]
    """Whether data sets are drawn, by resample."""


@dataclass(frozen=True, slots=True)
class IndexLists:
    """Lists of integers of many units, whose range is checked at once."""

    lists: dict[tuple[int, int], list[tuple[int, bytes]]] = field(default_factory=dict)
    """Resample and data, by the least and the largest value allowed."""

    def add(self, resample: int, data: bytes, least: int, most: int) -> None:
        """Add a list of a unit."""
        self.lists.setdefault((least, most), []).append((resample, data))

    def resamples_out_of_range(self) -> set[int]:
        """Return the resamples of lists with values out of range."""
        found: set[int] = set()
        for (least, most), entries in self.lists.items():
            if not _is_in_range(b"".join(data for _, data in entries), least, most):
                found |= {i for i, data in entries if not _is_in_range(data, least, most)}
        return found


def _is_in_range(data: bytes, least: int, most: int) -> bool:
    values = np.frombuffer(data, dtype="<i4")
    return not len(values) or bool(values.min() >= least and values.max() <= most)


def find_damaged_units(connection: sqlite3.Connection, plan: JSON) -> Iterator[UnitDamage]:
    """Yield the damaged units, selector by selector.

    Each selector is read in a transaction of its own: a run that writes waits only a moment.
    """
    for selector in range(len(plan["selectors"])):
        with _snapshot(connection):
            yield from _damaged_units_of(connection, plan, selector)
    for table, condition in stray_conditions(plan).items():
        if connection.execute(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1").fetchone():
            yield UnitDamage(None, None, f"its table {table} has rows of no unit")


def stray_conditions(plan: JSON) -> dict[str, str]:
    """Return the SQL conditions, by table, of rows that belong to no unit of the plan."""
    known = (
        "typeof(selector) = 'integer' AND typeof(resample) = 'integer' "
        f"AND selector BETWEEN 0 AND {len(plan['selectors']) - 1} "
        "AND resample IN (SELECT resample FROM resamples)"
    )
    return dict.fromkeys(UNIT_TABLES, f"NOT ({known})")


@contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state of a store that may be written to."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def _damaged_units_of(
    connection: sqlite3.Connection, plan: JSON, selector: int
) -> list[UnitDamage]:
    expected = _expected_unit(connection, plan, selector)
    problems: dict[int, str] = {}
    lists = IndexLists()
    for unit in read_units(connection, selector):
        if not 0 <= unit.resample < len(expected.n_test):
            continue  # such rows belong to no unit
        problem = _row_problem(unit) or _content_problem(unit, expected, lists)
        if problem:
            problems[unit.resample] = problem
    problems |= dict.fromkeys(lists.resamples_out_of_range(), "a number is out of range")
    wrong_timings = connection.execute(
        f"SELECT resample FROM timings WHERE selector = ? "
        f"AND ({wrong_types_condition(connection, 'timings')} "
        "OR selection NOT BETWEEN 0 AND 1e15 OR classification NOT BETWEEN 0 AND 1e15)",
        (selector,),
    )
    for (resample,) in wrong_timings.fetchall():
        if isinstance(resample, int):
            problems.setdefault(resample, "its time is out of range")
    return [UnitDamage(selector, resample, text) for resample, text in sorted(problems.items())]


def _expected_unit(connection: sqlite3.Connection, plan: JSON, selector: int) -> ExpectedUnit:
    rows = connection.execute(
        "SELECT length(test) / 4, draw IS NOT NULL FROM resamples ORDER BY resample"
    ).fetchall()
    has_own_size = plan["selectors"][selector]["own_size"]
    return ExpectedUnit(
        n_features=plan["data"]["n_features"],
        n_classes=len(plan["data"]["classes"]),
        n_classifiers=len(plan["classifiers"]),
        form="subset" if has_own_size else "top",
        sizes=frozenset({0} if has_own_size else plan["sizes"]),
        n_test=[n_test for n_test, _ in rows],
        is_drawn=[bool(drawn) for _, drawn in rows],
    )


def _row_problem(unit: StoredUnit) -> str:
    """Return what is wrong with the row of a unit and with its checksum; empty if nothing."""
    has_content = any(table in unit.rows for table in CONTENT_TABLES)
    if "units" not in unit.rows:
        return "its row in the table units is missing" if has_content else ""
    ((status, message, checksum),) = unit.rows["units"]
    try:
        is_same = unit.checksum() == checksum
    except UnicodeEncodeError:
        return "a text is not UTF-8"
    if not is_same:
        return "its checksum is not that of its rows"
    if status == "failed":
        return "a failed unit has results" if has_content or not isinstance(message, str) else ""
    return "" if status == "done" and message is None else "its status is unknown"


def _content_problem(unit: StoredUnit, expected: ExpectedUnit, lists: IndexLists) -> str:
    """Return what is wrong with the results of a unit; ranges of integers are checked later."""
    if "units" not in unit.rows or unit.rows["units"][0][0] == "failed":
        return ""
    return (
        _preference_problem(unit, expected, lists)
        or _group_problem(unit, expected, lists)
        or next(
            filter(None, (_prediction_problem(unit, row, expected, lists)
                          for row in unit.rows.get("predictions", []))),
            "",
        )
        or _value_problem(unit.rows.get("subset_values", []))
    )  # fmt: skip


def _preference_problem(unit: StoredUnit, expected: ExpectedUnit, lists: IndexLists) -> str:
    rows = unit.rows.get("preferences", [])
    n = expected.n_features
    lengths = {"ranks": 4 * n, "weights": 8 * n, "signed": 8 * n}
    if expected.form not in [form for form, _ in rows]:
        return f"its preference of the form {expected.form!r} is missing"
    for form, data in rows:
        if not isinstance(data, bytes) or form not in (expected.form, *lengths):
            return "a preference has an unknown form"
        if len(data) != lengths.get(form, len(data) // 4 * 4):
            return f"its preference of the form {form!r} has a wrong length"
        if form == "ranks":
            lists.add(unit.resample, data, 1, n)
        elif form == expected.form:
            lists.add(unit.resample, data, 0, n - 1)
    return ""


def _group_problem(unit: StoredUnit, expected: ExpectedUnit, lists: IndexLists) -> str:
    rows = unit.rows.get("groups", [])
    if [row[0] for row in rows] != list(range(len(rows))):
        return "its groups are not numbered from 0"
    for _, representative, members in rows:
        if not _is_index(representative, expected.n_features):
            return "the representative of a group is out of range"
        if not _is_list(members) or not members:
            return "the members of a group have a wrong length"
        lists.add(unit.resample, members, 0, expected.n_features - 1)
    return ""


def _prediction_problem(
    unit: StoredUnit, row: tuple[Any, ...], expected: ExpectedUnit, lists: IndexLists
) -> str:
    size, classifier, predicted, scores, actual = row
    if size not in expected.sizes or not isinstance(size, int):
        return "a prediction has a size that the plan lacks"
    if not _is_index(classifier, expected.n_classifiers):
        return "a prediction has a classifier that the plan lacks"
    n_test, width = expected.n_test[unit.resample], expected.n_classes
    width = 1 if width == 2 else width
    if scores is not None and (not isinstance(scores, bytes) or len(scores) != 8 * n_test * width):
        return "the scores of a prediction have a wrong length"
    if (actual is not None) != expected.is_drawn[unit.resample]:
        return "a prediction has actual classes, or lacks them"
    for classes in (predicted, actual):
        if classes is None and classes is actual:
            continue
        if not isinstance(classes, bytes) or len(classes) != 4 * n_test:
            return "a prediction has a wrong length"
        lists.add(unit.resample, classes, 0, expected.n_classes - 1)
    return ""


def _value_problem(rows: list[tuple[Any, ...]]) -> str:
    return "" if all(isinstance(value, float) for (value,) in rows) else "its value is no number"


def _is_index(value: object, bound: int) -> bool:
    return isinstance(value, int) and 0 <= value < bound


def _is_list(data: object) -> bool:
    return isinstance(data, bytes) and len(data) % 4 == 0
