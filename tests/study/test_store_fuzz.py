"""A store that was changed anywhere is refused, or gives the numbers that it gave before."""

import json
import random
import shutil
import sqlite3
import warnings
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.report import conclude
from holdfast.study._storage._checksums import store_plan_checksum, store_unit_checksums
from holdfast.study._storage._store import FILE, Store
from tests.waiting import hang_limit

GOLDEN = Path(__file__).parents[1] / "golden" / "store_version4"
TABLES = ("stability", "errors", "frequencies", "predictions", "values", "failures", "resamples")
UNCOVERED = ("runs", "timings")
"""Tables without checksums."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return an intact store of this version."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    shutil.copytree(GOLDEN, folder)
    Store.open(folder / FILE, write=True).close()
    (folder / "study.version4.sqlite").unlink()
    return folder


def numbers(folder):
    """Return all that a store gives, as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = hf.load(folder)
        with closing(result.store):
            tables = {name: getattr(result, name).to_csv() for name in TABLES}
            preferences = {key: repr(list(result.preferences[key])) for key in result.preferences}
            tables["verdict"] = repr(conclude(result)[0])
            assert {"run", "started"} <= set(result.versions)
            assert "selection" in result.timings
            return tables, preferences, result.n_done, result.plan


@cache
def expected(folder):
    return numbers(folder)


# Mutations in SQL: a value, a row, or the schema.

VALUES = [
    *(None, 0, 1, -1, 2, 7, 2**31, 2**62, -(2**63), 0.5, -0.0, 1e300, float("inf"), "", "x", "1"),
    *(b"", b"\0", b"\1\0\0\0", b"\xff" * 8, "done", "failed", "top", "subset", "main", "half"),
    *("{}", "[]", "null", "NaN", "1e999", "[" * 5000, "ä", "\0", "a" * 100_000),
]
SCHEMAS = [
    "CREATE VIEW v AS SELECT * FROM units",
    "CREATE TABLE other (x)",
    "CREATE INDEX i ON units (status)",
    "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM units; END",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "ALTER TABLE units ADD COLUMN x GENERATED ALWAYS AS (randomblob(1000000000)) VIRTUAL",
    "DROP TABLE {table}",
    "ALTER TABLE {table} RENAME TO gone",
    """CREATE TABLE copied AS SELECT * FROM {table}; DROP TABLE {table};
    CREATE VIEW {table} AS SELECT * FROM copied""",
    """ALTER TABLE {table} RENAME TO gone; CREATE VIEW {table} AS WITH RECURSIVE n(x) AS
    (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x, x, x FROM n""",
    "PRAGMA user_version = 3",
    "PRAGMA user_version = 99",
    "PRAGMA user_version = -1",
    "PRAGMA application_id = 1",
    "ANALYZE",
]


def changed_blob(rng, value):
    """Return bytes with a change: one byte, the length, or other numbers."""
    data = bytearray(value)
    kind = rng.randrange(4)
    if kind == 0 and data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[rng.randrange(len(data) + 1) :]
    elif kind == 2:
        data += rng.randbytes(rng.choice([1, 4, 8]))
    else:
        data = bytearray(rng.randbytes(len(data)))
    return bytes(data)


def changed_value(rng, value):
    if isinstance(value, bytes) and rng.random() < 0.7:
        return changed_blob(rng, value)
    if isinstance(value, str) and value.startswith("{") and rng.random() < 0.8:
        return changed_json(rng, value)
    if isinstance(value, int | float) and rng.random() < 0.4:
        return value + rng.choice([-1, 1, 1000])
    return rng.choice(VALUES)


def changed_json(rng, text):
    """Return a JSON document with one entry changed or deleted."""
    document = json.loads(text)
    place, key = document, rng.choice(list(document))
    while isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
        place = place[key]
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
    if rng.random() < 0.2:
        del place[key]
    else:
        place[key] = rng.choice(
            [None, True, -1, 0, 2**70, 1e308, "", "x", "\ud800", [], {}, [[]] * 3, float("nan")]
        )
    return json.dumps(document)


def mutate(path, rng):
    """Change a store in one place; return the table that was changed, or None."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]  # fmt: skip
        table = rng.choice(tables)
        try:
            if rng.random() < 0.08:
                connection.executescript(rng.choice(SCHEMAS).format(table=table))
                return None
            _mutate_row(connection, rng, table)
        except sqlite3.Error:  # SQLite itself refuses the change: nothing was done
            return None
    return table


def _mutate_row(connection, rng, table):
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    rows = connection.execute(f"SELECT * FROM {table}").fetchall()
    row = list(rng.choice(rows)) if rows else [0] * len(columns)
    where = " AND ".join(f"{column} IS ?" for column in columns)
    at, kind = rng.randrange(len(columns)), rng.random()
    if kind < 0.12:
        connection.execute(f"DELETE FROM {table} WHERE {where}", row)
    elif kind < 0.3:
        row[rng.randrange(min(3, len(row)))] = rng.choice([99, 3, 1, 0, -1, "x", 2.5])
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    else:
        value = changed_value(rng, row[at])
        connection.execute(f"UPDATE {table} SET {columns[at]} = ? WHERE {where}", [value, *row])


def flip_bytes(path, rng):
    """Change a few bytes of a file."""
    data = bytearray(path.read_bytes())
    start = rng.randrange(len(data)) if rng.random() < 0.8 else rng.randrange(100)
    for position in range(start, min(len(data), start + rng.choice([1, 1, 4, 100]))):
        data[position] = rng.randrange(256)
    if rng.random() < 0.1:
        del data[rng.randrange(len(data)) :]
    path.write_bytes(data)


def outcome(folder):
    """Return what a store gives, or the error by which it is refused."""
    try:
        with hang_limit(f"reading the store in {folder}"):
            return numbers(folder)
    except HoldfastError as error:
        return error


def content(path):
    """Return all that checksums cover, as SQLite reads it; None if SQLite does not."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.text_factory = bytes
            names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            tables = sorted(name.decode() for (name,) in names)
            return {
                name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall()
                for name in tables
                if name not in UNCOVERED
            }
    except (sqlite3.Error, ValueError):
        return None


def assert_nothing_changes_silently(whole, folder):
    """Assert that a changed store is refused, or gives what it gave, and that check reports it."""
    found = outcome(folder)
    assert isinstance(found, HoldfastError) or found == expected(whole)
    try:
        with hang_limit(f"checking the store in {folder}"):
            intact = hf.check(folder).intact
    except HoldfastError:
        intact = False
    if intact:
        assert found == expected(whole)
        assert content(folder / FILE) == content(whole / FILE)


CASES = [
    pytest.param(range(20), id="0"),
    *[
        pytest.param(range(start, start + 30), id=f"{start}", marks=pytest.mark.slow)
        for start in range(20, 350, 30)
    ],
]
"""Seeds: 60 cases in ``make test``, and 1,050 in all."""


@pytest.mark.parametrize("seeds", CASES)
def test_a_changed_value_is_reported(whole, tmp_path, seeds):
    for seed in seeds:
        folder = copy_store(whole, tmp_path / str(seed))
        mutate(folder / FILE, random.Random(seed))
        assert_nothing_changes_silently(whole, folder)


@pytest.mark.parametrize("seeds", CASES)
def test_changed_bytes_are_reported(whole, tmp_path, seeds):
    for seed in seeds:
        folder = copy_store(whole, tmp_path / str(seed))
        flip_bytes(folder / FILE, random.Random(seed))
        assert_nothing_changes_silently(whole, folder)


@pytest.mark.parametrize("seeds", CASES)
def test_a_store_that_was_written_to_deceive_gives_numbers_or_an_error(whole, tmp_path, seeds):
    """With checksums that fit, the numbers may be others, but nothing breaks."""
    for seed in seeds:
        folder = copy_store(whole, tmp_path / str(seed))
        mutate(folder / FILE, random.Random(10_000 + seed))
        with closing(sqlite3.connect(folder / FILE)) as connection:
            try:
                with connection:
                    store_unit_checksums(connection)
                    store_plan_checksum(connection)
            except (sqlite3.Error, ValueError, TypeError):
                continue  # no checksum fits
        assert isinstance(outcome(folder), HoldfastError | tuple)


def copy_store(whole, folder):
    folder.mkdir()
    shutil.copyfile(whole / FILE, folder / FILE)
    return folder
