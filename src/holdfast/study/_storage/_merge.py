"""Merge parts of a study that were run separately, and load studies."""

from __future__ import annotations

import logging
import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from holdfast._formatting import format_list, plural
from holdfast._typing import JSON
from holdfast.errors import HoldfastError, HoldfastWarning, InvalidInputError, StoreError
from holdfast.io import Dataset
from holdfast.study._planning._plan import comparable_plan, differences
from holdfast.study._result import Result
from holdfast.study._storage._checksums import CONTENT_TABLES, PLAN_TABLES
from holdfast.study._storage._folder import DATA, PLAN, create_folder, load_data
from holdfast.study._storage._folder_lock import LOCK_FILE, folder_lock, refuse_missing_folder
from holdfast.study._storage._schema import STOPPING_RULE_KEY
from holdfast.study._storage._store import FILE, Store
from holdfast.study._storage._unit_checks import UNIT_TABLES

COMPANIONS = (PLAN, DATA)
"""Files of a study next to its store."""


def merge(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Result:
    """Merge parts of a study that were run in several folders, for example on several machines.

    Parameters
    ----------
    folders : sequence of paths
        Folders of runs of the same plan. None of them may be running.
    out : path
        Folder of the merged study: new or empty. The merged study can be resumed.

    Returns
    -------
    Result

    Raises
    ------
    StoreError
        A folder holds no study, is in use, or `out` is not empty.
    InvalidInputError
        The plans differ; the message names the first difference.

    Warns
    -----
    HoldfastWarning
        Units that were run in two folders differ; those of the first folder are kept. Results
        of different machines and versions may differ in the last bits.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import holdfast as hf
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(20, 0.9), classifiers=())
    >>> with tempfile.TemporaryDirectory() as name:
    ...     parts = [pathlib.Path(name, part) for part in ("1", "2")]
    ...     for part in parts:
    ...         _ = study.run(
    ...             hf.io.read_data("@wine"), out=part, n_jobs=1, part=f"{part.name}/2"
    ...         )
    ...     hf.merge(parts, pathlib.Path(name, "whole")).complete
    True
    """
    parts, target = _check_folders(folders), Path(out)
    if target.exists() and (
        not target.is_dir() or any(path.name != LOCK_FILE for path in target.iterdir())
    ):
        raise StoreError(f"{target}: a merged study needs a new or an empty folder.")
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(folder_lock(part, reading=True))
        _check_plans(parts)
        stack.enter_context(folder_lock(create_folder(target)))
        n_different = _write_merged(parts, target)
    if n_different:
        warnings.warn(
            f"{plural(n_different, 'unit')} run in more than one folder differ; those of the first "
            "folder are kept. Compare the versions: result.versions.",
            HoldfastWarning,
            stacklevel=2,
        )
    return load(target)


def _check_folders(folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the folders, after checking that each holds a study and none is given twice."""
    if isinstance(folders, str | os.PathLike) or not folders:
        raise InvalidInputError(f"merge takes a list of folders, got {folders!r}.")
    parts = [Path(folder) for folder in folders]
    paths = [part.resolve() for part in parts]
    repeated = [str(part) for part, path in zip(parts, paths, strict=True) if paths.count(path) > 1]
    if repeated:
        raise InvalidInputError(f"each folder must be given once; got {format_list(repeated)}.")
    for part in parts:
        load(part).store.close()
    return parts


def _check_plans(parts: Sequence[Path]) -> None:
    first, *others = (_comparable_plan(part) for part in parts)
    for part, plan in zip(parts[1:], others, strict=True):
        difference = next(differences(first, plan), None)
        if difference is not None:
            raise InvalidInputError(
                f"{parts[0]} (there) and {part} (here) are not parts of one study: {difference}. "
                "Merge runs of the same plan on the same data."
            )


def _comparable_plan(part: Path) -> JSON:
    """Return the plan of a part, for comparisons."""
    with closing(load(part).store) as store:
        if store.fact(STOPPING_RULE_KEY) is not None:
            raise InvalidInputError(
                f"{part}: a study with until_width runs as a whole; it has no parts to merge."
            )
        return comparable_plan(store.fact("plan"))


def _write_merged(parts: Sequence[Path], target: Path) -> int:
    """Write the merged study, which gets its name when it is complete."""
    partial = target / f"{FILE}.partial"
    try:
        n_different = merge_stores(parts, partial)
        for name in COMPANIONS:
            source = next((part / name for part in parts if (part / name).is_file()), None)
            if source is not None:
                shutil.copyfile(source, target / name)
        partial.replace(target / FILE)
    except BaseException as error:
        for name in (partial.name, *COMPANIONS):
            (target / name).unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, StoreError):
            raise StoreError(f"{target}: the study cannot be written ({error}).") from error
        raise
    return n_different


# Stores are merged by SQLite itself, so that memory stays small.

SAME_UNIT_SQL = "selector = unit.selector AND resample = unit.resample"
NEW_UNITS_SQL = (
    "SELECT selector, resample FROM part.units AS unit WHERE NOT EXISTS (SELECT 1 FROM main.units "
    f"WHERE {SAME_UNIT_SQL} AND (status = 'done' OR unit.status = 'failed'))"
)
"""Units of the part that the merged store lacks, or holds as failed only."""


def merge_stores(parts: Sequence[Path], path: Path) -> int:
    """Write the units of all parts to a new store; return how many were run twice and differ."""
    n_different = 0
    with closing(Store.create(path)) as store:
        for position, part in enumerate(parts):
            with _attached_part(store, part, path), store.transaction():
                if position == 0:
                    for table in PLAN_TABLES:
                        store.connection.execute(f"INSERT INTO {table} SELECT * FROM part.{table}")
                n_different += _count_different(store)
                _copy_new_units(store)
    return n_different


@contextmanager
def _attached_part(store: Store, part: Path, target: Path) -> Iterator[None]:
    """Attach the store of a part, after all its units were verified, as ``part``."""
    copy = target.with_name(f".{target.name}.part")
    try:
        with closing(Store.open(part / FILE)) as source:
            source.verify()
            if source.is_copy:  # of an earlier version: only the upgraded copy has its tables
                source.write_copy(copy)
        path = copy if source.is_copy else part / FILE
        store.query("ATTACH DATABASE ? AS part", (f"{path.resolve().as_uri()}?mode=ro",))
        try:
            yield
        finally:
            store.query("DETACH DATABASE part")  # impossible within a transaction
    finally:
        copy.unlink(missing_ok=True)


def _count_different(store: Store) -> int:
    """Count the units that are done in both stores, but differ."""
    different = " OR ".join(
        f"EXISTS (SELECT {spec.column_list} FROM {a}.{table} WHERE {SAME_UNIT_SQL} "
        f"EXCEPT SELECT {spec.column_list} FROM {b}.{table} WHERE {SAME_UNIT_SQL})"
        for table, spec in CONTENT_TABLES.items()
        for a, b in (("main", "part"), ("part", "main"))
    )
    rows = store.query(
        "SELECT COUNT(*) FROM main.units AS unit JOIN part.units AS twin "
        "USING (selector, resample) WHERE unit.status = 'done' AND twin.status = 'done' "
        f"AND ({different})"
    )
    return int(rows[0][0])


def _copy_new_units(store: Store) -> None:
    """Copy the units that the merged store lacks; done replaces failed."""
    run = store.connection.execute
    run(f"CREATE TEMP TABLE new_units AS {NEW_UNITS_SQL}")
    which = "(selector, resample) IN (SELECT selector, resample FROM temp.new_units)"
    for table in UNIT_TABLES:
        run(f"DELETE FROM main.{table} WHERE {which}")
        run(f"INSERT INTO main.{table} SELECT * FROM part.{table} WHERE {which}")
    run("DROP TABLE temp.new_units")
    run(
        "INSERT INTO main.runs SELECT (SELECT COUNT(*) FROM main.runs) - 1 + ROW_NUMBER() OVER "
        "(ORDER BY run), started, where_run, versions FROM part.runs"
    )


# Loading the result of a study from its folder.

logger = logging.getLogger(__name__)


def load(folder: str | os.PathLike[str], *, trust: bool = False) -> Result:
    """Open the result of a study.

    Parameters
    ----------
    folder : path
        The folder that the study was run in. The study may be running, interrupted or complete;
        the result shows the finished units.
    trust : bool, default False
        Let :meth:`holdfast.Result.pipeline` run whatever code the plan of the folder names. By
        default only selectors of holdfast, estimators of scikit-learn, and estimators of installed
        packages are run. Tables and reports run none of it.

    Returns
    -------
    Result

    Raises
    ------
    StoreError
        There is no study in the folder.
    FileFormatError
        Its store is damaged, of another program, or of a newer version.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.load("no/such/folder")
    Traceback (most recent call last):
    ...
    holdfast.errors.StoreError: no/such/folder: there is no such folder...
    """
    path = Path(folder)
    refuse_missing_folder(path)
    absolute = path.absolute()  # the working directory may change before the data are needed
    store = Store.open(absolute / FILE)
    result = Result(store, data=lambda: _try_load_data(absolute, result.plan), trust=trust)
    _ = result.plan  # fail early if the store has no plan
    return result


def _try_load_data(folder: Path, plan: dict[str, Any]) -> Dataset | None:
    """Return the data of a study; None if they are gone or have changed."""
    try:
        return load_data(folder, plan)
    except HoldfastError as error:  # the notes of the tables report it
        logger.info("the data of %s cannot be read again: %s", folder, error)
        return None
