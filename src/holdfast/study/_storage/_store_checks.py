"""Checks when a store is opened: its tables, and everything that the plan fixes."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from holdfast._typing import JSON
from holdfast.study._storage._checksums import PLAN_CHECKSUM_KEY, PLAN_TABLES, plan_checksum
from holdfast.study._storage._schema import STOPPING_RULE_KEY, expected_tables, normalize_statement

MAX_NESTING = 100
"""Deepest nesting of the plan; chosen by hand: pipelines of pipelines have about 20 levels."""
MAX_INTEGER = 2**53
"""Largest integer of a plan, as other JSON readers have floats only."""


class StoreContentError(Exception):
    """What is wrong inside a store; the caller adds the name of the file."""


# The schema: exactly the tables of its version, so that reading runs nothing of somebody else's.


def check_schema(connection: sqlite3.Connection, version: int) -> None:
    """Raise unless the store has exactly the tables of its version: no views, no triggers."""
    expected = expected_tables(version)
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    found = {}
    for kind, name, table, sql in rows:
        if kind == "index" and sql is None and str(name).startswith("sqlite_autoindex_"):
            continue  # SQLite's own, for keys
        if kind != "table" or name != table or name not in expected:
            raise StoreContentError(f"it has a {kind} {name!r} that no study has")
        if not isinstance(sql, str) or normalize_statement(sql) != expected[name]:
            raise StoreContentError(f"its table {name} does not have the columns of a study")
        found[name] = sql
    missing = sorted(set(expected) - set(found))
    if missing:
        raise StoreContentError(f"its table {missing[0]} is missing")


# Types of values: SQLite allows any in any column.


def check_types(connection: sqlite3.Connection, table: str) -> None:
    """Raise if a column of a table has a value of another type."""
    condition = wrong_types_condition(connection, table)
    if connection.execute(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1").fetchone():
        raise StoreContentError(f"its table {table} has a value of a wrong type")


def wrong_types_condition(connection: sqlite3.Connection, table: str) -> str:
    """Return the SQL condition of rows with a value of another type than that of its column."""
    conditions = []
    for _, name, kind, required, _, key in connection.execute(f"PRAGMA table_info({table})"):
        allowed = [kind.lower()] + ["null"] * (not required and not key)
        conditions.append(f"typeof({name}) NOT IN ({', '.join(map(repr, allowed))})")
    return " OR ".join(conditions)


# The tables of the plan.


def check_plan_tables(connection: sqlite3.Connection) -> None:
    """Raise unless facts, classes, samples, features, names and resamples are sound."""
    for table in (*PLAN_TABLES, "runs"):
        check_types(connection, table)
    facts = {
        name: parse_json(value, f"its fact {name!r}")
        for name, value in connection.execute("SELECT name, value FROM facts")
    }
    _check_plan_checksum(connection, facts.get(PLAN_CHECKSUM_KEY))
    if "plan" not in facts:
        return  # the reader reports that nothing was computed
    plan = facts["plan"]
    check_plan(plan)
    _check_stopping_rule(facts.get(STOPPING_RULE_KEY))
    n_classes, n_samples, n_features = _check_numbering(connection, plan)
    for table, column, bound in (
        ("samples", "class", n_classes),
        ("features", "direction", n_classes),
        ("features", "informative", 2),
    ):
        if connection.execute(
            f"SELECT 1 FROM {table} WHERE {column} NOT BETWEEN 0 AND ? LIMIT 1", (bound - 1,)
        ).fetchone():
            raise StoreContentError(f"its table {table} has a {column} out of range")
    _check_resamples(connection, n_samples, n_features)
    _check_runs(connection)


def _check_plan_checksum(connection: sqlite3.Connection, stored: JSON) -> None:
    if not connection.execute("SELECT 1 FROM facts").fetchone():
        return  # the reader reports that there is no plan
    try:
        actual = plan_checksum(connection)
    except UnicodeEncodeError:
        raise StoreContentError("a text of its plan is not UTF-8") from None
    if stored != actual:
        raise StoreContentError(
            "its plan, samples, features or resamples do not have the checksum that they were "
            "written with"
        )


def _check_numbering(connection: sqlite3.Connection, plan: JSON) -> tuple[int, int, int]:
    """Check numbers and names against the plan; return those of classes, samples, features."""
    data, n_auxiliary = plan["data"], plan.get("beside", {"resamples": 0})["resamples"]
    counts = {
        "classes": len(data["classes"]),
        "samples": data["n_samples"],
        "features": data["n_features"],
        "selectors": len(plan["selectors"]),
        "classifiers": len(plan["classifiers"]),
        "resamples": plan["protocol"]["resamples"] + n_auxiliary,
    }
    for table, expected in counts.items():
        key = PLAN_TABLES[table]
        (count, first, last) = connection.execute(
            f"SELECT count(*), min({key}), max({key}) FROM {table}"
        ).fetchone()
        if count != expected or (count and (first, last) != (0, count - 1)):
            raise StoreContentError(
                f"its table {table} has {count} rows, but its plan has {expected}"
            )
    for table in ("selectors", "classifiers"):
        rows = connection.execute(f"SELECT name FROM {table} ORDER BY {PLAN_TABLES[table]}")
        if [name for (name,) in rows] != [entry["name"] for entry in plan[table]]:
            raise StoreContentError(f"its {table} are not those of its plan")
    labels = {label for (label,) in connection.execute("SELECT label FROM classes")}
    if labels != set(data["classes"]):
        raise StoreContentError("its classes are not those of its plan")
    return counts["classes"], counts["samples"], counts["features"]


def _check_resamples(connection: sqlite3.Connection, n_samples: int, n_features: int) -> None:
    rows = connection.execute(
        "SELECT resample, train, test, features, draw, outer_resample, noise FROM resamples"
    )
    for number, train, test, features, draw, outer, noise in rows:
        bound = n_samples if draw is None else np.iinfo(np.int32).max
        if not (
            _are_indices(train, bound)
            and train
            and _are_indices(test, bound)
            and (features is None or (features and _are_indices(features, n_features)))
            and all(value is None or 0 <= value < MAX_INTEGER for value in (draw, outer))
            and 0 <= noise < math.inf
        ):
            raise StoreContentError(f"its resample {number} has a value out of range")


def _are_indices(data: bytes, bound: int) -> bool:
    if len(data) % 4:
        return False
    values = np.frombuffer(data, dtype="<i4")
    return not len(values) or (values.min() >= 0 and values.max() < bound)


def _check_runs(connection: sqlite3.Connection) -> None:
    for run, started, where, versions in connection.execute("SELECT * FROM runs ORDER BY run"):
        what = f"its run {run}"
        document = parse_json(versions, what)
        texts = [started, where, *document.values()] if isinstance(document, dict) else [None]
        if not all(isinstance(text, str) and _is_utf8(text) for text in texts):
            raise StoreContentError(f"{what} is not described by texts")


# The plan as JSON.


def parse_json(text: str, what: str) -> JSON:
    """Return the value of a JSON text; raise if a Python program cannot use all of it."""
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise StoreContentError(f"{what} is not JSON ({error})") from None
    level = [document]
    for _ in range(MAX_NESTING):
        for value in level:
            problem = _scalar_problem(value)
            if problem:
                raise StoreContentError(f"{what} has {problem}")
        level = [item for value in level for item in _items(value)]
        if not level:
            return document
    raise StoreContentError(f"{what} is nested more than {MAX_NESTING} levels deep")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it has {name}")


def _items(value: JSON) -> list[JSON]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _scalar_problem(value: JSON) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "an integer that is too large, beyond 2^53"
    return "a text that is not UTF-8" if isinstance(value, str) and not _is_utf8(value) else ""


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


Test = Callable[[JSON], bool]


def _is_count(value: JSON, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_text(value: JSON) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: JSON) -> bool:
    return value is None or isinstance(value, str)


def _is_count_or_none(value: JSON) -> bool:
    return value is None or _is_count(value)


def _are_counts_by_name(value: JSON) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _are_texts(value: JSON) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_sizes(value: JSON) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_count(size, 1) for size in value)


def _are_named_objects(value: JSON) -> bool:
    """Return whether this is a list of objects with unique names."""
    if not isinstance(value, list) or not all(
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and isinstance(entry.get("object"), dict)
        for entry in value
    ):
        return False
    return len({entry["name"] for entry in value}) == len(value)


def _are_selectors(value: JSON) -> bool:
    return (
        _are_named_objects(value)
        and bool(value)
        and all(
            _is_count(entry.get("block"), 1) and isinstance(entry.get("own_size"), bool)
            for entry in value
        )
    )


REQUIRED_ENTRIES: dict[str, Test] = {
    "format": lambda value: value == "holdfast plan",
    "version": lambda value: value == 1,
    "seed": _is_count,
    "data.source": lambda value: value is None or isinstance(value, dict),
    "data.n_samples": lambda value: _is_count(value, 1),
    "data.n_features": lambda value: _is_count(value, 1),
    "data.classes": lambda value: _are_counts_by_name(value) and len(value) > 1,
    "data.subjects": _is_count_or_none,
    "data.sha256": _is_text,
    "selectors": _are_selectors,
    "protocol.object": lambda value: isinstance(value, dict),
    "protocol.estimates": _is_text,
    "protocol.tested": lambda value: value in ("once", "repeatedly", "never"),
    "protocol.resamples": lambda value: _is_count(value, 1),
    "protocol.sha256": _is_text,
    "sizes": _are_sizes,
    "classifiers": _are_named_objects,
    "measures": _are_texts,
    "impute": _is_text_or_none,
}
OPTIONAL_ENTRIES: dict[str, Test] = {
    "depth": lambda value: _is_count(value, 1),
    "protocol.description": _is_text,
    "data.source.file": _is_text,
    "beside.resamples": _is_count,
    "beside.pairs": _is_count,
    "beside.why_none": _is_text,
    "beside.left_out": _are_counts_by_name,
    "beside.units": _is_count,
    "beside.cohorts": _are_texts,
    "beside.sha256": _is_text,
    "weighting.ignored_by.selectors": _are_texts,
    "weighting.ignored_by.classifiers": _are_texts,
}
"""Entries of a plan, each with its test; an optional section may be missing as a whole."""


def check_plan(plan: JSON) -> None:
    """Raise unless a plan has all its entries, each of the right form."""
    for path, is_valid in (REQUIRED_ENTRIES | OPTIONAL_ENTRIES).items():
        found = [*_find_entry(plan, path.split("."))]
        if (not found and path in REQUIRED_ENTRIES) or not all(map(is_valid, found)):
            state = "has an unexpected form" if found else "is missing"
            raise StoreContentError(f"the entry {path!r} of its plan {state}")
    if "beside" in plan and not {"resamples", "sha256"} <= set(plan["beside"]):
        raise StoreContentError("the entry 'beside' of its plan is incomplete")
    if "weighting" in plan and not (
        isinstance(plan["weighting"], dict)
        and isinstance(plan["weighting"].get("ignored_by"), dict)
        and {"selectors", "classifiers"} <= set(plan["weighting"]["ignored_by"])
    ):
        raise StoreContentError("the entry 'weighting' of its plan is incomplete")
    if max(plan["sizes"]) > plan["data"]["n_features"]:
        raise StoreContentError("the entry 'sizes' of its plan has more than all features")


def _find_entry(value: JSON, path: list[str]) -> Iterator[Any]:
    """Yield the entry at a path, if there is one."""
    for key in path:
        if value is None:
            return
        if not isinstance(value, dict):
            raise StoreContentError(f"the section of {key!r} in its plan has an unexpected form")
        if key not in value:
            return
        value = value[key]
    yield value


def _check_stopping_rule(rule: JSON) -> None:
    if rule is None:
        return
    is_valid = (
        isinstance(rule, dict)
        and set(rule) == {"width", "most", "replication", "stopped"}
        and isinstance(rule["width"], int | float)
        and rule["width"] > 0
        and _is_count(rule["most"], 1)
        and _is_count_or_none(rule["replication"])
        and isinstance(rule["stopped"], bool)
    )
    if not is_valid:
        raise StoreContentError("its stopping rule has an unexpected form")
