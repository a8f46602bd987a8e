"""The SQLite file of a run: one writer, transactions, no pickle, readable with any SQLite tool."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import FileFormatError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from holdfast.resample import Resample


SIGNED = "signed"
"""Form of signed t statistics."""
FILE = "study.sqlite"
WAIT = 30.0  # seconds that a reader waits for a writer, and the other way round


@dataclass(slots=True)
class Outcome:
    """What came out of one selector on one resample.

    All arrays are bytes already: little-endian, 4-byte integers or 8-byte floats.
    """

    selector: int
    resample: int
    message: str | None = None
    """Why it failed; None if it did not."""
    preferences: list[tuple[str, bytes]] = field(default_factory=list)
    """Forms and their data."""
    groups: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Position, representative and members of each group, where the selector finds groups."""
    subset_values: list[tuple[float]] = field(default_factory=list)
    """What the selector says its subset is worth, where it says so."""
    predictions: list[tuple[int, int, bytes, bytes | None, bytes | None]] = field(
        default_factory=list
    )
    """Size, classifier, predicted classes, scores, actual classes where data were drawn."""
    selection: float = 0.0
    classification: float = 0.0

    @property
    def unit(self) -> tuple[int, int]:
        """Which selector on which resample it is."""
        return self.selector, self.resample


def integers(values: Any) -> bytes:  # noqa: ANN401  (anything numpy takes)
    """Return integers the way the store keeps them."""
    return np.ascontiguousarray(values, dtype="<i4").tobytes()


def floats(values: Any) -> bytes:  # noqa: ANN401
    """Return numbers the way the store keeps them."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def to_integers(data: bytes) -> NDArray[np.int32]:
    """Read integers from the store."""
    return np.frombuffer(data, dtype="<i4")


def to_floats(data: bytes) -> NDArray[np.float64]:
    """Read numbers from the store."""
    return np.frombuffer(data, dtype="<f8")


class Store:
    """A run's results, on disk or, without a path, in memory."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self.connection = connection
        self.path = path

    @classmethod
    def create(cls, path: Path | None) -> Store:
        """Make an empty store."""
        with _translate_errors(path):
            store = cls(_connect_store(":memory:" if path is None else _address(path, "rwc")), path)
        with store.transaction():
            for statement in TABLES.split(";\n"):
                store.connection.execute(statement)
            store.connection.execute(f"PRAGMA application_id = {APPLICATION}")
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        return store

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Store:
        """Open a store that is there, after a look at whether it is whole and ours."""
        if not path.is_file():
            raise StoreError(f"{path.parent}: there is no study in this folder ({path.name}).")
        if _version(path) < VERSION:
            _upgrade(path)
        with _translate_errors(path):
            return cls(_connect_store(_address(path, "rw" if write else "ro")), path)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __del__(self) -> None:
        self.close()  # results are seldom closed by hand

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing."""
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
        """Return a fact of the run, None where there is none."""
        rows = self.query("SELECT value FROM facts WHERE name = ?", (name,))
        return json.loads(rows[0][0]) if rows else None

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Write outcomes; a failure that was there is replaced."""
        units = [(*o.unit, "failed" if o.message else "done", o.message) for o in outcomes]
        self.insert("units", units, replace=True)
        timings = [(*o.unit, o.selection, o.classification) for o in outcomes]
        self.insert("timings", timings, replace=True)
        for table in ("preferences", "groups", "subset_values", "predictions"):
            self.insert(table, [(*o.unit, *own) for o in outcomes for own in getattr(o, table)])

    def done(self) -> set[tuple[int, int]]:
        """Return the units that are done, as pairs of selector and resample."""
        return set(self.query("SELECT selector, resample FROM units WHERE status = 'done'"))

    def add_resamples(self, resamples: Sequence[Resample]) -> None:
        """Write which rows train and which test."""
        self.insert("resamples", [_resample_row(i, one) for i, one in enumerate(resamples)])

    def resamples(self) -> list[Resample]:
        """Read the resamples."""
        from holdfast.resample import Resample  # noqa: PLC0415  (results are read without it)

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


def _resample_row(position: int, one: Resample) -> tuple[object, ...]:
    return (
        position,
        one.role,
        None if one.outer < 0 else one.outer,
        integers(one.train),
        integers(one.test),
        None if one.features is None else integers(one.features),
        one.noise,
        None if one.draw < 0 else one.draw,
    )


@contextmanager
def _translate_errors(path: Path | None) -> Iterator[None]:
    """Say what SQLite's errors mean for the run."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        name = path or "the store in memory"
        if "malformed" in text or "not a database" in text:
            raise FileFormatError(
                f"{name}: this is not a whole store of a study ({text}); it may be cut off or of "
                "another program. Restore it from a copy, or start in another folder."
            ) from error
        raise StoreError(
            f"{name}: the store cannot be used ({text}); is the disk full, or the folder "
            "read-only? What was written before is kept: make room, then resume."
        ) from error


def _connect_store(address: str) -> sqlite3.Connection:
    # transactions are begun by hand; results may be read in another thread than they were made
    return sqlite3.connect(
        address, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False
    )


def _address(path: Path, mode: str) -> str:
    return f"{path.resolve().as_uri()}?mode={mode}"


def _version(path: Path) -> int:
    """Return the schema version of a store; refuse what is none, or cut off, or too new."""
    with _translate_errors(path), closing(_connect_store(_address(path, "rw"))) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        whole = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        length = connection.execute("PRAGMA page_size").fetchone()[0]
    if application != APPLICATION:
        raise FileFormatError(f"{path}: this SQLite file is not a store of a holdfast study.")
    if path.stat().st_size < pages * length:
        whole = "it is cut off"
    if whole != "ok":
        raise FileFormatError(f"{path}: the store is damaged ({whole}); restore it from a copy.")
    if version > VERSION:
        raise FileFormatError(
            f"{path}: the store has version {version}, this holdfast knows versions up to "
            f"{VERSION}; use a newer holdfast."
        )
    return version


def _upgrade(path: Path) -> None:
    """Bring an old store to today's schema, on a copy that replaces it when all went well."""
    version = _version(path)
    old, new = (path.with_name(f"study.{word}.sqlite") for word in (f"version{version}", "new"))
    shutil.copy2(path, new)
    try:
        store = Store(_connect_store(_address(new, "rw")), new)
        with closing(store), store.transaction():
            for step in range(version, VERSION):
                UPGRADES[step](store.connection)
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        shutil.copy2(path, old)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


# The tables of a run's SQLite file; ``docs/store.md`` explains them to readers of the file.

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
