"""One study out of several parts of it that were run apart."""

from __future__ import annotations

import logging
import os
import shutil
import warnings
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast._formatting import format_list, plural
from holdfast.errors import HoldfastError, HoldfastWarning, InvalidInputError, StoreError
from holdfast.study._planning._plan import differences, essence
from holdfast.study._planning._stopping_rule import STOPPING_RULE_KEY
from holdfast.study._result import Result
from holdfast.study._storage._folder import DATA, PLAN, folder_lock, load_data, made_folder
from holdfast.study._storage._store import FILE, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.io import Dataset
    from holdfast.study._storage._serialization import JSON


COMPANIONS = (PLAN, DATA)
"""Files beside the store that belong to the study."""


def merge(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Result:
    """Join the parts of a study that were run in several folders, on several machines.

    Parameters
    ----------
    folders : sequence of paths
        Folders of runs of one and the same plan. None of them may be running.
    out : path
        Where the whole study goes: a new or empty folder. It can be resumed.

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
        Units that were done in two folders differ; the first folder's are kept. Machines and
        versions may differ in the last bits.

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
    _check_new(target)
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(folder_lock(part))
        _check_plans(parts)
        stack.enter_context(folder_lock(made_folder(target)))
        odd = _write(parts, target)
    if odd:
        warnings.warn(
            f"{plural(odd, 'unit')} done in more than one folder came out differently; those of "
            "the first folder are kept. Compare the versions: result.versions.",
            HoldfastWarning,
            stacklevel=2,
        )
    return load(target)


def _check_folders(folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the folders, after a look at whether each holds a study and none comes twice."""
    if isinstance(folders, str | os.PathLike) or not folders:
        raise InvalidInputError(f"merge takes a list of folders, got {folders!r}.")
    parts = [Path(folder) for folder in folders]
    places = [part.resolve() for part in parts]
    doubled = [
        str(part) for part, place in zip(parts, places, strict=True) if places.count(place) > 1
    ]
    if doubled:
        raise InvalidInputError(f"each folder is merged once; given twice: {format_list(doubled)}.")
    for part in parts:
        load(part).store.close()
    return parts


def _check_new(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: a merged study goes to a new or an empty folder; this is not.")


def _check_plans(parts: Sequence[Path]) -> None:
    first, *others = (_plan(part) for part in parts)
    for part, plan in zip(parts[1:], others, strict=True):
        found = next(differences(first, plan), None)
        if found is not None:
            raise InvalidInputError(
                f"{parts[0]} (there) and {part} (here) are not parts of one study: {found}. Merge "
                "runs of the same plan on the same data."
            )


def _plan(part: Path) -> JSON:
    """Return what the plan of a part comes down to."""
    with closing(load(part).store) as store:
        if store.fact(STOPPING_RULE_KEY) is not None:
            raise InvalidInputError(
                f"{part}: a study with until_width is done as a whole; there are no parts to merge."
            )
        return essence(store.fact("plan"))


def _write(parts: Sequence[Path], target: Path) -> int:
    """Write the whole study; it appears under its name when it is complete."""
    partial = target / f"{FILE}.partial"
    try:
        odd = merge_stores(parts, partial)
        for name in COMPANIONS:
            found = next((part / name for part in parts if (part / name).is_file()), None)
            if found is not None:
                shutil.copyfile(found, target / name)
        partial.replace(target / FILE)
    except BaseException as error:
        for name in (partial.name, *COMPANIONS):
            (target / name).unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, StoreError):
            raise StoreError(f"{target}: the study cannot be written ({error}).") from error
        raise
    return odd


# Stores of parts of a study, joined by SQLite itself, so that memory stays small.

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
SAME_UNIT_SQL = "selector = unit.selector AND resample = unit.resample"
WANTED = (
    "SELECT selector, resample FROM part.units AS unit WHERE NOT EXISTS (SELECT 1 FROM main.units "
    f"WHERE {SAME_UNIT_SQL} AND (status = 'done' OR unit.status = 'failed'))"
)
"""Units of the part that the whole lacks, or has as failed only."""


def merge_stores(parts: Sequence[Path], path: Path) -> int:
    """Write the units of all parts to a new store; return how many were done twice, unlike."""
    store = Store.create(path)
    odd = 0
    try:
        for position, part in enumerate(parts):
            with _attach_part(store, part):
                if position == 0:
                    for table in SHARED:
                        store.connection.execute(f"INSERT INTO {table} SELECT * FROM part.{table}")
                odd += _count_odd(store)
                _take(store)
    finally:
        store.close()
    return odd


@contextmanager
def _attach_part(store: Store, part: Path) -> Iterator[None]:
    """See the tables of a part as ``part.*``, and write all of what is taken or nothing."""
    store.query("ATTACH DATABASE ? AS part", (str(part / FILE),))
    with store.transaction():
        yield
    store.query("DETACH DATABASE part")


def _count_odd(store: Store) -> int:
    """Count the units that are done on both sides, but not alike."""
    unlike = " OR ".join(
        f"EXISTS (SELECT {columns} FROM {a}.{table} WHERE {SAME_UNIT_SQL} "
        f"EXCEPT SELECT {columns} FROM {b}.{table} WHERE {SAME_UNIT_SQL})"
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


# The result of a study that lies in a folder.

logger = logging.getLogger(__name__)


def load(folder: str | os.PathLike[str]) -> Result:
    """Open the result of a study.

    Parameters
    ----------
    folder : path
        The folder that the study was run in. The study may be running, interrupted or complete:
        what is there is shown.

    Returns
    -------
    Result

    Raises
    ------
    StoreError
        There is no study in the folder.
    FileFormatError
        Its store is damaged, of another program or of a newer version.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.load("no/such/folder")
    Traceback (most recent call last):
    ...
    holdfast.errors.StoreError: no/such/folder: there is no such folder...
    """
    path = Path(folder)
    if not path.is_dir():
        what = (
            "this is a file; give the folder it is in"
            if path.exists()
            else ("there is no such folder; give the folder that a study was run in")
        )
        raise StoreError(f"{path}: {what}.")
    place = path.absolute()  # the working directory may change before the data are asked for
    result = Result(Store.open(place / FILE), data=lambda: _dataset(place, result.plan))
    _ = result.plan  # a store without one is said to be so now, not later
    return result


def _dataset(folder: Path, plan: dict[str, Any]) -> Dataset | None:
    """Return the data of a study, None where they are gone or have changed."""
    try:
        return load_data(folder, plan)
    except HoldfastError as error:  # the notes of the table say so
        logger.info("the data of %s cannot be read again: %s", folder, error)
        return None
