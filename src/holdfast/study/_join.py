"""Stores of parts of a study, joined by SQLite itself, so that memory stays small."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.study._store import FILE, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SHARED = ("facts", "classes", "samples", "features", "selectors", "classifiers", "resamples")
"""Tables that equal plans make equal."""
RESULTS = ("preferences", "groups", "subset_values", "predictions", "timings")
"""Tables with rows for each unit."""
COMPARED = {
    "preferences": "form, data",
    "groups": "position, representative, members",
    "subset_values": "value",
    "predictions": "size, classifier, predicted, scores, actual",
}
"""What must be the same where a unit was done twice."""
SAME = "selector = unit.selector AND resample = unit.resample"
WANTED = (
    "SELECT selector, resample FROM part.units AS unit WHERE NOT EXISTS (SELECT 1 FROM main.units "
    f"WHERE {SAME} AND (status = 'done' OR unit.status = 'failed'))"
)
"""Units of the part that the whole lacks, or has as failed only."""


def joined(parts: Sequence[Path], path: Path) -> int:
    """Write the units of all parts to a new store; return how many were done twice, unlike."""
    store = Store.create(path)
    odd = 0
    try:
        for position, part in enumerate(parts):
            with _attached(store, part):
                if position == 0:
                    for table in SHARED:
                        store.connection.execute(f"INSERT INTO {table} SELECT * FROM part.{table}")
                odd += _count_odd(store)
                _take(store)
    finally:
        store.close()
    return odd


@contextmanager
def _attached(store: Store, part: Path) -> Iterator[None]:
    """See the tables of a part as ``part.*``, and write all of what is taken or nothing."""
    store.query("ATTACH DATABASE ? AS part", (str(part / FILE),))
    with store.transaction():
        yield
    store.query("DETACH DATABASE part")


def _count_odd(store: Store) -> int:
    """Count the units that are done on both sides, but not alike."""
    unlike = " OR ".join(
        f"EXISTS (SELECT {columns} FROM {a}.{table} WHERE {SAME} "
        f"EXCEPT SELECT {columns} FROM {b}.{table} WHERE {SAME})"
        for table, columns in COMPARED.items()
        for a, b in (("main", "part"), ("part", "main"))
    )
    rows = store.query(
        "SELECT COUNT(*) FROM main.units AS unit JOIN part.units AS twin "
        "USING (selector, resample) WHERE unit.status = 'done' AND twin.status = 'done' "
        f"AND ({unlike})"
    )
    return int(rows[0][0])


def _take(store: Store) -> None:
    """Take over what the part has and the whole has not; done beats failed."""
    run = store.connection.execute
    run(f"CREATE TEMP TABLE wanted AS {WANTED}")
    which = "(selector, resample) IN (SELECT selector, resample FROM temp.wanted)"
    for table in ("units", *RESULTS):
        run(f"DELETE FROM main.{table} WHERE {which}")
        run(f"INSERT INTO main.{table} SELECT * FROM part.{table} WHERE {which}")
    run("DROP TABLE temp.wanted")
    run(
        "INSERT INTO main.runs SELECT (SELECT COUNT(*) FROM main.runs) - 1 + ROW_NUMBER() OVER "
        "(ORDER BY run), started, where_run, versions FROM part.runs"
    )
