"""The tables of a run's SQLite file; ``docs/store.md`` explains them to readers of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

APPLICATION = 0x686F6C64
"""SQLite's mark of whose file it is: "hold"."""
VERSION = 4
"""Version of the schema, kept as SQLite's ``user_version``."""

SUBSET_VALUES = """
CREATE TABLE subset_values (
    selector INTEGER NOT NULL, resample INTEGER NOT NULL, value REAL NOT NULL,
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
CREATE TABLE units (
    selector INTEGER NOT NULL REFERENCES selectors, resample INTEGER NOT NULL REFERENCES resamples,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')), message TEXT,
    PRIMARY KEY (selector, resample)
) WITHOUT ROWID;
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


def _stay(_: sqlite3.Connection) -> None:
    """Leave the tables: versions 2 and 4 add roles and forms, which older stores lack."""


def _add_values(connection: sqlite3.Connection) -> None:
    """Version 3 keeps what subset searches say their subsets are worth."""
    connection.execute(SUBSET_VALUES)


UPGRADES: dict[int, Callable[[sqlite3.Connection], object]] = {
    1: _stay,
    2: _add_values,
    3: _stay,
}
"""For each old version the step to the next one; applied to a copy of the file."""
