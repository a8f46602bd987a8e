"""What a run left in its folder, for comparisons."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import uuid
from contextlib import closing
from pathlib import Path

from holdfast.study._result import Result
from holdfast.study._storage._export import export
from holdfast.study._storage._store import FILE, Store


def units(folder: Path) -> dict[tuple[str, int], str | None]:
    """Return the units that a store has: selector and resample, and why it failed or None.

    A copy is read: what a killed run left is for the next run to repair.
    """
    if not (folder / FILE).exists():
        return {}
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        with closing(sqlite3.connect(Path(copy, FILE))) as connection:
            return _units(connection)


def _units(connection: sqlite3.Connection) -> dict[tuple[str, int], str | None]:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'units'").fetchone():
        return {}
    rows = connection.execute(
        "SELECT name, resample, message FROM units JOIN selectors USING (selector)"
    )
    return {(name, resample): message for name, resample, message in rows}


def contents(folder: Path, tmp_path: Path) -> dict[str, object]:
    """Return all that a study found, but when and how fast: its tables, and the exported bytes."""
    target = tmp_path / f"export-{uuid.uuid4().hex}"
    with closing(Store.open(folder / FILE)) as store:
        export(Result(store), target)
    files = {path.name: path.read_bytes() for path in target.glob("*") if path.stem != "timings"}
    return files | tables(folder)


def tables(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all tables but those that say when."""
    with closing(Store.open(folder / FILE)) as store:
        names = store.query("SELECT name FROM sqlite_master WHERE type = 'table'")
        timeless = [name for (name,) in names if name not in ("runs", "timings")]
        return {name: sorted(store.query(f"SELECT * FROM {name}"), key=repr) for name in timeless}
