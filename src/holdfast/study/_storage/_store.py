"""The SQLite store of a study: one writer, transactions, no pickle, readable by any tool."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast._typing import FloatArray, LabelsLike
from holdfast.errors import FileFormatError, StoreError
from holdfast.resample import Resample

SIGNED = "signed"
"""Form of signed t statistics."""
FILE = "study.sqlite"
LOCK_TIMEOUT_SECONDS = 30.0
"""Seconds that a reader waits for a writer, and vice versa; chosen by hand."""


@dataclass(slots=True)
class UnitResult:
    """The result of one selector on one resample, as it is stored.

    Arrays are bytes: little-endian 4-byte integers or 8-byte floats.
    """

    selector: int
    resample: int
    message: str | None = None
    """Message of the failure; None if it succeeded."""
    preferences: list[tuple[str, bytes]] = field(default_factory=list)
    """Form and data of each preference."""
    groups: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Position, representative and members of each group, for group selectors."""
    subset_values: list[tuple[float]] = field(default_factory=list)
    """The criterion of the subset, for subset searches."""
    predictions: list[tuple[int, int, bytes, bytes | None, bytes | None]] = field(
        default_factory=list
    )
    """Size, classifier, predicted classes, scores, and actual classes if data were drawn."""
    selection: float = 0.0
    classification: float = 0.0

    @property
    def unit(self) -> tuple[int, int]:
        """Selector and resample."""
        return self.selector, self.resample


def integers(values: LabelsLike) -> bytes:
    """Encode integers for the store."""
    return np.ascontiguousarray(values, dtype="<i4").tobytes()


def floats(values: LabelsLike) -> bytes:
    """Encode floats for the store."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def to_integers(data: bytes) -> NDArray[np.int32]:
    """Decode integers of the store."""
    return np.frombuffer(data, dtype="<i4")


def to_floats(data: bytes) -> FloatArray:
    """Decode floats of the store."""
    return np.frombuffer(data, dtype="<f8")


class Store:
    """The results of a study, on disk or, without a path, in memory."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self.connection = connection
        self.path = path

    @classmethod
    def create(cls, path: Path | None) -> Store:
        """Create an empty store."""
        with _translate_errors(path):
            address = ":memory:" if path is None else _sqlite_uri(path, "rwc")
            store = cls(_connect_store(address), path)
        with store.transaction():
            # one by one: executescript would commit the transaction
            for statement in TABLES.split(";\n"):
                store.connection.execute(statement)
            store.connection.execute(f"PRAGMA application_id = {APPLICATION}")
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        return store

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Store:
        """Open an existing store after checking that it is intact and of this program."""
        if not path.is_file():
            raise StoreError(f"{path.parent}: there is no study in this folder ({path.name}).")
        if _read_version(path) < VERSION:
            _upgrade(path)
        with _translate_errors(path):
            return cls(_connect_store(_sqlite_uri(path, "rw" if write else "ro")), path)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __del__(self) -> None:
        self.close()  # users rarely close results explicitly

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything or nothing."""
        with _translate_errors(self.path):
            self.connection.execute("BEGIN")
            try:
                yield
            except BaseException:
                if self.connection.in_transaction:  # a full disk has rolled back by itself
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    def query(self, statement: str, arguments: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with _translate_errors(self.path):
            return self.connection.execute(statement, arguments).fetchall()

    def insert(
        self, table: str, rows: Iterable[Sequence[object]], *, replace: bool = False
    ) -> None:
        """Insert rows into a table, all columns in order."""
        rows = list(rows)
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            verb = "INSERT OR REPLACE" if replace else "INSERT"
            self.connection.executemany(f"{verb} INTO {table} VALUES ({marks})", rows)

    def fact(self, name: str) -> Any:  # noqa: ANN401  (any JSON value)
        """Return a fact of the study; None if there is none."""
        rows = self.query("SELECT value FROM facts WHERE name = ?", (name,))
        return json.loads(rows[0][0]) if rows else None

    def add(self, results: Sequence[UnitResult]) -> None:
        """Write unit results; earlier failures are replaced."""
        units = [(*r.unit, "failed" if r.message else "done", r.message) for r in results]
        # a unit that failed has rows in these two tables only
        self.insert("units", units, replace=True)
        timings = [(*r.unit, r.selection, r.classification) for r in results]
        self.insert("timings", timings, replace=True)
        for table in ("preferences", "groups", "subset_values", "predictions"):
            self.insert(table, [(*r.unit, *row) for r in results for row in getattr(r, table)])

    def finished_units(self) -> set[tuple[int, int]]:
        """Return the finished units as pairs of selector and resample."""
        return set(self.query("SELECT selector, resample FROM units WHERE status = 'done'"))

    def add_resamples(self, resamples: Sequence[Resample]) -> None:
        """Write the resamples."""
        self.insert(
            "resamples", [_resample_row(i, resample) for i, resample in enumerate(resamples)]
        )

    def resamples(self) -> list[Resample]:
        """Read the resamples."""
        rows = self.query(
            "SELECT train, test, role, outer_resample, features, noise, draw FROM resamples "
            "ORDER BY resample"
        )
        return [
            Resample(
                train=to_integers(train).astype(np.intp),
                test=to_integers(test).astype(np.intp),
                role=role,
                outer=-1 if outer is None else outer,
                features=None if features is None else to_integers(features).astype(np.intp),
                noise=noise,
                draw=-1 if draw is None else draw,
            )
            for train, test, role, outer, features, noise, draw in rows
        ]


def _resample_row(position: int, resample: Resample) -> tuple[object, ...]:
    return (
        position,
        resample.role,
        None if resample.outer < 0 else resample.outer,
        integers(resample.train),
        integers(resample.test),
        None if resample.features is None else integers(resample.features),
        resample.noise,
        None if resample.draw < 0 else resample.draw,
    )


@contextmanager
def _translate_errors(path: Path | None) -> Iterator[None]:
    """Raise errors of SQLite as errors of the study."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        name = path or "the store in memory"
        if "malformed" in text or "not a database" in text:
            raise FileFormatError(
                f"{name}: this is not an intact store of a study ({text}); it may be truncated or "
                "of another program. Restore it from a copy, or start in another folder."
            ) from error
        if path is None:
            raise StoreError(f"{name}: the store cannot be used ({text}).") from error
        raise StoreError(
            f"{name}: the store cannot be used ({text}); is the disk full, or the folder "
            "read-only? Finished units are kept: free space, then resume."
        ) from error


def _connect_store(address: str) -> sqlite3.Connection:
    # transactions are explicit; results may be read by another thread than the one that made them
    return sqlite3.connect(
        address,
        uri=True,
        timeout=LOCK_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _sqlite_uri(path: Path, mode: str) -> str:
    return f"{path.resolve().as_uri()}?mode={mode}"


def _read_version(path: Path) -> int:
    """Return the schema version; raise if the file is no store, truncated, or of a newer schema."""
    # "rw", as a journal that a killed process left must be rolled back before reading
    with _translate_errors(path), closing(_connect_store(_sqlite_uri(path, "rw"))) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        check = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        length = connection.execute("PRAGMA page_size").fetchone()[0]
    if application != APPLICATION:
        raise FileFormatError(f"{path}: this SQLite file is not a store of a holdfast study.")
    if path.stat().st_size < pages * length:
        check = "it is truncated"
    if check != "ok":
        raise FileFormatError(f"{path}: the store is damaged ({check}); restore it from a copy.")
    if version > VERSION:
        raise FileFormatError(
            f"{path}: the store has version {version}, this holdfast knows versions up to "
            f"{VERSION}; upgrade holdfast."
        )
    return version


def _upgrade(path: Path) -> None:
    """Upgrade a store to the current schema, on a copy that replaces it on success."""
    version = _read_version(path)
    old, new = (path.with_name(f"study.{word}.sqlite") for word in (f"version{version}", "new"))
    # results cannot be computed again cheaply: the old file is kept next to the upgraded one
    shutil.copy2(path, new)
    try:
        store = Store(_connect_store(_sqlite_uri(new, "rw")), new)
        with closing(store), store.transaction():
            for step in range(version, VERSION):
                UPGRADES[step](store.connection)
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        shutil.copy2(path, old)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


# The tables of the store; ``docs/store.md`` documents them.

APPLICATION = 0x686F6C64
"""SQLite's ``application_id``: "hold"."""
VERSION = 4
"""Version of the schema: SQLite's ``user_version``."""

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


def _keep_tables(_: sqlite3.Connection) -> None:
    """Change nothing: versions 2 and 4 only allow more roles and forms."""


UPGRADES: dict[int, Callable[[sqlite3.Connection], object]] = {
    1: _keep_tables,
    2: lambda connection: connection.execute(SUBSET_VALUES),  # the criterion of subset searches
    3: _keep_tables,
}
"""The upgrade from each version to the next; applied to a copy of the file."""
