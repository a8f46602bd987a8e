"""The SQLite store of a study: one writer, transactions, no pickle, readable by any tool."""

from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import format_list, plural
from holdfast._typing import FloatArray, LabelsLike
from holdfast.errors import FileFormatError, StoreError
from holdfast.resample import Resample
from holdfast.study._planning._plan import hash_resamples
from holdfast.study._storage._checksums import CONTENT_TABLES, store_plan_checksum, unit_checksum
from holdfast.study._storage._folder_lock import refuse_older_run
from holdfast.study._storage._schema import APPLICATION, TABLES, UPGRADES, VERSION
from holdfast.study._storage._store_checks import (
    StoreContentError,
    check_plan_tables,
    check_schema,
)
from holdfast.study._storage._unit_checks import (
    UNIT_TABLES,
    UnitDamage,
    find_damaged_units,
    stray_conditions,
)

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

    def __init__(
        self, connection: sqlite3.Connection, path: Path | None, *, verified: bool = False
    ) -> None:
        self.connection = connection
        self.path = path
        self.is_copy = False
        """Whether this is an upgraded copy of the file."""
        self._verified = verified

    @classmethod
    def create(cls, path: Path | None) -> Store:
        """Create an empty store."""
        with _translate_errors(path):
            address = ":memory:" if path is None else _sqlite_uri(path, "rwc")
            store = cls(_connect_store(address), path, verified=True)
        with store.transaction():
            # one by one: executescript would commit the transaction
            for statement in TABLES.split(";\n"):
                store.connection.execute(statement)
            store.connection.execute(f"PRAGMA application_id = {APPLICATION}")
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        return store

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Store:
        """Open an existing store after checking that it is of this program and sound.

        Units are verified when they are read. To `write`, the folder must be locked; a store of
        an earlier version is then upgraded. A reader gets an upgraded copy and changes nothing.
        """
        _check_is_file(path)
        version = _read_version(path)
        is_copy = version < VERSION and not write
        if version < VERSION and write:
            _upgrade_file(path, version)
        with _translate_errors(path):
            if is_copy:
                connection = _upgraded_copy(path, version)
            else:
                connection = _connect_store(_sqlite_uri(path, "rw" if write else "ro"))
            store = cls(connection, path)
            store.is_copy = is_copy
            try:
                store.check_plan()
                if not write:
                    connection.execute("PRAGMA query_only = ON")
            except BaseException:
                store.close()
                raise
        return store

    def check_plan(self) -> None:
        """Raise unless the tables of the plan are sound and have their checksum."""
        check_plan_tables(self.connection)
        plan = self.fact("plan")
        if plan is None:
            return
        resamples, count = self.resamples(), plan["protocol"]["resamples"]
        digests = [hash_resamples(resamples[:count]), hash_resamples(resamples[count:])]
        sections = [plan["protocol"], plan.get("beside", {"sha256": digests[1]})]
        if digests != [section["sha256"] for section in sections]:
            raise StoreContentError("its resamples are not those of its plan")

    def damaged_units(self) -> list[UnitDamage]:
        """Return the units that are damaged."""
        plan = self.fact("plan")
        if plan is None:
            return []
        with _translate_errors(self.path):
            return list(find_damaged_units(self.connection, plan))

    def verify(self) -> None:
        """Raise if a unit is damaged; a store is verified once, before its units are read."""
        if self._verified:
            return
        damage = self.damaged_units()
        if damage:
            raise FileFormatError(self.describe_damage(damage))
        self._verified = True

    def describe_damage(self, damage: Sequence[UnitDamage]) -> str:
        """Return a message that names damaged units and how to compute them again."""
        names = [selector["name"] for selector in self.fact("plan")["selectors"]]
        units = [
            damaged.problem
            if damaged.selector is None
            else f"{names[damaged.selector]} on resample {damaged.resample}: {damaged.problem}"
            for damaged in damage
        ]
        folder = self.path.parent if self.path else "DIR"
        return (
            f"{self.path}: {plural(len(damage), 'unit')} of this store "
            f"{'is' if len(damage) == 1 else 'are'} damaged ({format_list(units, most=3)}). "
            f"Compute {'it' if len(damage) == 1 else 'them'} again: "
            f"holdfast resume {shlex.quote(str(folder))} --repair"
        )

    def write_copy(self, path: Path) -> None:
        """Write a copy of the store to another file."""
        with _translate_errors(path), closing(_connect_store(_sqlite_uri(path, "rwc"))) as copy:
            self.connection.backup(copy)

    def delete_units(self, units: Iterable[tuple[int, int]]) -> None:
        """Delete units with all their rows, and rows that belong to no unit."""
        units = list(units)
        with self.transaction():
            strays = stray_conditions(self.fact("plan"))
            for table in UNIT_TABLES:
                self.connection.execute(f"DELETE FROM {table} WHERE {strays[table]}")
                self.connection.executemany(
                    f"DELETE FROM {table} WHERE selector = ? AND resample = ?", units
                )

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
        units = []
        for r in results:
            status = "failed" if r.message else "done"
            content = {
                table: spec.sorted_rows(getattr(r, table)) for table, spec in CONTENT_TABLES.items()
            }
            checksum = unit_checksum(r.unit, status, r.message, content)
            units.append((*r.unit, status, r.message, checksum))
        # a unit that failed has rows in these two tables only
        self.insert("units", units, replace=True)
        timings = [(*r.unit, r.selection, r.classification) for r in results]
        self.insert("timings", timings, replace=True)
        for table in CONTENT_TABLES:
            self.insert(table, [(*r.unit, *row) for r in results for row in getattr(r, table)])

    def add_plan_checksum(self) -> None:
        """Write the checksum of the tables of the plan, in the transaction that changed them."""
        store_plan_checksum(self.connection)

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
    """Raise errors of SQLite, and of what a store holds, as errors of the study."""
    name = path or "the store in memory"
    try:
        yield
    except StoreContentError as error:
        raise FileFormatError(
            f"{name}: the store is damaged or not of this program ({error}); restore it from a "
            "copy."
        ) from error
    except UnicodeDecodeError as error:  # a message of SQLite quotes a damaged schema
        raise FileFormatError(
            f"{name}: the store is damaged (its schema is not UTF-8); restore it from a copy."
        ) from error
    except sqlite3.DatabaseError as error:
        text = str(error)
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
    connection = sqlite3.connect(
        address,
        uri=True,
        timeout=LOCK_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA trusted_schema = OFF")  # a store may be somebody else's
    connection.execute("PRAGMA cell_size_check = ON")
    # text of a damaged store that is not UTF-8 must be readable, to name its unit
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


def _sqlite_uri(path: Path, mode: str) -> str:
    return f"{path.resolve().as_uri()}?mode={mode}"


def _check_is_file(path: Path) -> None:
    """Raise unless this is a regular file: pipes and devices may never end."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise StoreError(
            f"{path.parent}: there is no study in this folder ({path.name}: {error.strerror})."
        ) from error
    if not stat.S_ISREG(mode):
        raise StoreError(
            f"{path.parent}: there is no study in this folder ({path.name} is not a regular file)."
        )


def _read_version(path: Path) -> int:
    """Return the schema version; raise if the file is no store, truncated, or of a newer schema."""
    # "rw", as a journal that a killed process left must be rolled back before reading
    with _translate_errors(path), closing(_connect_store(_sqlite_uri(path, "rw"))) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            # reading the schema raises if the file is no database at all
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            raise FileFormatError(f"{path}: this SQLite file is not a store of a holdfast study.")
        if version > VERSION:
            raise FileFormatError(
                f"{path}: the store has version {version}, this holdfast knows versions up to "
                f"{VERSION}; upgrade holdfast."
            )
        if version not in (VERSION, *UPGRADES):
            raise StoreContentError(f"its version is {version}")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        length = connection.execute("PRAGMA page_size").fetchone()[0]
        if path.stat().st_size < pages * length:
            raise StoreContentError("it is truncated")
        check_schema(connection, version)  # before the check, which evaluates constraints
        check = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if check != "ok":
            raise StoreContentError(check)
    return version


# Upgrades of stores that an earlier version has written.


def _upgraded_copy(path: Path, version: int) -> sqlite3.Connection:
    """Return an upgraded copy of a store; SQLite keeps it in memory, or in a file if it is large.

    Folders that are read-only, or in which an earlier version is running, can be read this way.
    """
    copy = _connect_store("")
    try:
        _copy_and_upgrade(path, copy, version)
    except BaseException:
        copy.close()
        raise
    return copy


def _upgrade_file(path: Path, version: int) -> None:
    """Upgrade a store on a copy that replaces it on success; the folder must be locked."""
    kept = path.with_name(f"study.version{version}.sqlite")
    new, partial = path.with_name("study.new.sqlite"), kept.with_name(f".{kept.name}.partial")
    with refuse_older_run(path.parent), _translate_errors(path):
        try:
            new.unlink(missing_ok=True)  # left by a process that was killed
            with closing(_connect_store(_sqlite_uri(new, "rwc"))) as copy:
                _copy_and_upgrade(path, copy, version)
            # results cannot be computed again cheaply: the old file is kept next to the new one
            shutil.copyfile(path, partial)
            partial.replace(kept)
            new.replace(path)
        except OSError as error:
            raise StoreError(
                f"{path}: the store cannot be upgraded from version {version} ({error}); is the "
                "disk full, or the folder read-only? It is as it was."
            ) from error
        finally:
            for name in (new, new.with_name(f"{new.name}-journal"), partial):
                with suppress(OSError):  # the folder may be read-only
                    name.unlink()


def _copy_and_upgrade(path: Path, copy: sqlite3.Connection, version: int) -> None:
    with closing(_connect_store(_sqlite_uri(path, "ro"))) as old:
        old.backup(copy)
    copy.execute("BEGIN")
    try:
        for step in range(version, VERSION):
            UPGRADES[step](copy)
    except UnicodeEncodeError:
        raise StoreContentError("it has a text that is not UTF-8") from None
    copy.execute(f"PRAGMA user_version = {VERSION}")
    copy.execute("COMMIT")
