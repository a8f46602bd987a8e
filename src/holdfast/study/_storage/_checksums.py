"""Checksums of a store: one per unit, and one of all that the plan fixes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

CHECKSUM_BYTES = 16
"""Length of a BLAKE2b digest: a change by accident passes with a probability of 2 to the -128."""
PLAN_CHECKSUM_KEY = "checksum"
"""Name of the fact that is the checksum of the tables of the plan, as JSON text."""


class ContentTable(NamedTuple):
    """A table with the content of units: its columns after selector and resample."""

    columns: tuple[str, ...]
    n_keys: int
    """How many of the columns identify a row of a unit."""

    @property
    def column_list(self) -> str:
        """The columns as SQL."""
        return ", ".join(self.columns)

    def sorted_rows(self, rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return the rows of a unit in the order of the checksum."""
        return sorted(rows, key=lambda row: row[: self.n_keys])


CONTENT_TABLES = {
    "preferences": ContentTable(("form", "data"), 1),
    "groups": ContentTable(("position", "representative", "members"), 1),
    "subset_values": ContentTable(("value",), 1),
    "predictions": ContentTable(("size", "classifier", "predicted", "scores", "actual"), 2),
}
"""What a checksum of a unit covers, in addition to its status and message."""
PLAN_TABLES = {
    "facts": "name",
    "classes": "class",
    "samples": "sample",
    "features": "feature",
    "selectors": "selector",
    "classifiers": "classifier",
    "resamples": "resample",
}
"""The tables of the plan, each with its key."""


def _encode_value(value: object) -> bytes:
    """Return a value with its type and length, so that no two lists of values are encoded alike."""
    if value is None:
        return b"n"
    if isinstance(value, bytes):
        return b"b%d:" % len(value) + value
    if isinstance(value, int):
        return b"i%d;" % value
    if isinstance(value, float):
        return b"f" + struct.pack("<d", value + 0.0)  # SQLite stores -0.0 as 0.0
    text = str(value).encode()
    return b"t%d:" % len(text) + text


def unit_checksum(
    unit: tuple[int, int],
    status: str,
    message: str | None,
    content: Mapping[str, Sequence[tuple[Any, ...]]],
) -> bytes:
    """Return the checksum of a unit from its sorted rows, by table.

    Raises
    ------
    UnicodeEncodeError
        A text of a damaged store is not UTF-8.
    """
    values: list[object] = [*unit, status, message]
    for table in CONTENT_TABLES:
        rows = content.get(table, ())
        values += (table, len(rows))
        for row in rows:
            values += row
    encoded = b"".join(map(_encode_value, values))
    return hashlib.blake2b(encoded, digest_size=CHECKSUM_BYTES).digest()


def plan_checksum(connection: sqlite3.Connection) -> str:
    """Return the checksum of the tables of the plan, as hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=CHECKSUM_BYTES)
    for table, key in PLAN_TABLES.items():
        others = f"WHERE name != '{PLAN_CHECKSUM_KEY}' " if table == "facts" else ""
        digest.update(_encode_value(table))
        for row in connection.execute(f"SELECT * FROM {table} {others}ORDER BY {key}"):
            digest.update(b"".join(map(_encode_value, row)))
    return digest.hexdigest()


def store_plan_checksum(connection: sqlite3.Connection) -> None:
    """Write the checksum of the tables of the plan, in the transaction that changed them."""
    text = json.dumps(plan_checksum(connection))
    connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (PLAN_CHECKSUM_KEY, text))


# Units as they are stored.


class StoredUnit(NamedTuple):
    """The rows of a unit: those of the tables of its content, and of ``units`` and ``timings``."""

    selector: int
    resample: int
    rows: dict[str, list[tuple[Any, ...]]]

    def checksum(self) -> bytes:
        """Return the checksum of what is stored."""
        ((status, message, _),) = self.rows["units"]
        return unit_checksum((self.selector, self.resample), status, message, self.rows)


READ_TABLES = {
    "units": ContentTable(("status", "message", "checksum"), 1),
    "timings": ContentTable(("selection", "classification"), 1),
    **CONTENT_TABLES,
}


def read_units(connection: sqlite3.Connection, selector: int) -> Iterator[StoredUnit]:
    """Yield all units of a selector, including rows that belong to no unit."""
    streams = [_read_rows(connection, name, selector) for name in READ_TABLES]
    by_resample = groupby(merge(*streams, key=itemgetter(0)), key=itemgetter(0))
    for resample, parts in by_resample:
        yield StoredUnit(selector, resample, {name: rows for _, name, rows in parts})


def _read_rows(
    connection: sqlite3.Connection, name: str, selector: int
) -> Iterator[tuple[int, str, list[tuple[Any, ...]]]]:
    """Yield resample, table and rows of each unit in one table."""
    table = READ_TABLES[name]
    cursor = connection.execute(
        f"SELECT resample, {table.column_list} FROM {name} "
        "WHERE selector = ? AND typeof(resample) = 'integer' "
        f"ORDER BY resample, {', '.join(table.columns[: table.n_keys])}",
        (selector,),
    )
    for resample, rows in groupby(cursor, key=itemgetter(0)):
        yield resample, name, [row[1:] for row in rows]


def store_unit_checksums(connection: sqlite3.Connection) -> None:
    """Write the checksums of all units from what is stored, in the transaction that changed it."""
    selectors = connection.execute("SELECT DISTINCT selector FROM units").fetchall()
    for (selector,) in selectors:
        checksums = [
            (unit.checksum(), unit.selector, unit.resample)
            for unit in read_units(connection, selector)
            if "units" in unit.rows
        ]
        connection.executemany(
            "UPDATE units SET checksum = ? WHERE selector = ? AND resample = ?", checksums
        )
