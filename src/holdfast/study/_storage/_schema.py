"""The tables of the store, and the steps from each version of the schema to the next."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from holdfast.study._storage._checksums import store_plan_checksum, store_unit_checksums

# ``docs/store.md`` documents the tables.

APPLICATION = 0x686F6C64
"""SQLite's ``application_id``: "hold"."""
VERSION = 5
"""Version of the schema: SQLite's ``user_version``."""
STOPPING_RULE_KEY = "until"
"""Name of the fact that marks the store of a sequential study."""

SUBSET_VALUES = """
CREATE TABLE subset_values (
    selector INTEGER NOT NULL, resample INTEGER NOT NULL, value REAL NOT NULL,
    PRIMARY KEY (selector, resample)
) WITHOUT ROWID;
"""
UNITS = """
CREATE TABLE units (
    selector INTEGER NOT NULL REFERENCES selectors, resample INTEGER NOT NULL REFERENCES resamples,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')), message TEXT,
    checksum BLOB NOT NULL,
    PRIMARY KEY (selector, resample)
) WITHOUT ROWID;
"""
TABLES = f"""
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (
    run INTEGER PRIMARY KEY, started TEXT NOT NULL, where_run TEXT NOT NULL, versions TEXT NOT NULL
);
CREATE TABLE classes (class INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
CREATE TABLE samples (
    sample INTEGER PRIMARY KEY, class INTEGER NOT NULL REFERENCES classes, subject TEXT
);
CREATE TABLE features (
    feature INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    direction INTEGER REFERENCES classes, informative INTEGER
);
CREATE TABLE selectors (selector INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE classifiers (classifier INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE resamples (
    resample INTEGER PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN (
        'main', 'outer', 'inner', 'reference', 'half', 'part', 'quarter', 'full', 'cohort',
        'shuffled'
    )),
    outer_resample INTEGER, train BLOB NOT NULL, test BLOB NOT NULL,
    features BLOB, noise REAL NOT NULL, draw INTEGER
);
{UNITS.strip()}
CREATE TABLE preferences (
    selector INTEGER NOT NULL, resample INTEGER NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('top', 'subset', 'ranks', 'weights', 'signed')),
    data BLOB NOT NULL,
    UNIQUE (selector, resample, form)
);
CREATE TABLE groups (
    selector INTEGER NOT NULL, resample INTEGER NOT NULL, position INTEGER NOT NULL,
    representative INTEGER, members BLOB NOT NULL,
    UNIQUE (selector, resample, position)
);
CREATE TABLE predictions (
    selector INTEGER NOT NULL, resample INTEGER NOT NULL, size INTEGER NOT NULL,
    classifier INTEGER NOT NULL REFERENCES classifiers,
    predicted BLOB NOT NULL, scores BLOB, actual BLOB,
    UNIQUE (selector, resample, size, classifier)
);
CREATE TABLE timings (
    selector INTEGER NOT NULL, resample INTEGER NOT NULL,
    selection REAL NOT NULL, classification REAL NOT NULL,
    PRIMARY KEY (selector, resample)
) WITHOUT ROWID;
{SUBSET_VALUES.strip()}
"""


def _keep_tables(_: sqlite3.Connection) -> None:
    """Change nothing: versions 2 and 4 only allow more roles and forms."""


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Compute the checksums of what is there; earlier versions had none."""
    connection.execute("ALTER TABLE units RENAME TO old_units")
    connection.execute(UNITS)
    connection.execute(
        "INSERT INTO units SELECT selector, resample, status, message, x'' FROM old_units"
    )
    connection.execute("DROP TABLE old_units")
    store_unit_checksums(connection)
    store_plan_checksum(connection)


UPGRADES: dict[int, Callable[[sqlite3.Connection], object]] = {
    1: _keep_tables,
    2: lambda connection: connection.execute(SUBSET_VALUES),  # the criterion of subset searches
    3: _keep_tables,
    4: _add_checksums,
}
"""The upgrade from each version to the next; applied to a copy of the file."""

# What the tables of each version must be.

_ALLOWED_VALUES = re.compile(r"IN \(\s*'\w+'(,\s*'\w+')*\s*\)")


def expected_tables(version: int) -> dict[str, str]:
    """Return the statement of each table of a version, for comparisons."""
    statements = [statement.strip() for statement in TABLES.split(";\n") if statement.strip()]
    if version < 3:
        statements.remove(SUBSET_VALUES.strip().removesuffix(";"))
    tables = {statement.split()[2]: normalize_statement(statement) for statement in statements}
    if version < 5:
        tables["units"] = tables["units"].replace(" checksum BLOB NOT NULL,", "")
    return tables


def normalize_statement(statement: str) -> str:
    """Return a statement without line ends and allowed values, of which versions have more."""
    return " ".join(_ALLOWED_VALUES.sub("IN (...)", statement.removesuffix(";")).split())
