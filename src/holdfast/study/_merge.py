"""One study out of several parts of it that were run apart."""

from __future__ import annotations

import shutil
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast._text import plural, shortened
from holdfast.errors import HoldfastWarning, InvalidInputError, StoreError
from holdfast.study._lock import locked
from holdfast.study._result import Result, load
from holdfast.study._store import FILE, Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

COMPANIONS = ("plan.json", "data.npz")
"""Files beside the store that belong to the study."""
SHARED = ("facts", "classes", "samples", "features", "selectors", "classifiers", "resamples")
"""Tables that equal plans make equal."""
RESULTS = ("preferences", "groups", "predictions", "timings")
"""Tables with rows for each unit."""
COMPARED = {
    "preferences": "form, data",
    "groups": "position, representative, members",
    "predictions": "size, classifier, predicted, scores, actual",
}
"""What must be the same where a unit was done twice."""


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
    >>> import holdfast as hf
    >>> hf.merge(["part1", "part2"], "whole")  # doctest: +SKIP
    """
    parts = _parts(folders)
    target = _new_folder(Path(out))
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(locked(part))
        _check_plans(parts)
        stack.enter_context(locked(target))
        odd = _write(parts, target)
    if odd:
        warnings.warn(
            f"{plural(odd, 'unit')} done in more than one folder came out differently; those of "
            "the first folder are kept. Compare the versions: result.versions.",
            HoldfastWarning,
            stacklevel=2,
        )
    return load(target)


def _parts(folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the folders, after a look at whether each holds a study and none comes twice."""
    if isinstance(folders, str) or not folders:
        raise InvalidInputError(f"merge takes a list of folders, got {folders!r}.")
    parts = [Path(folder) for folder in folders]
    places = [part.resolve() for part in parts]
    doubled = [str(part) for part, place in zip(parts, places, strict=True) if places.count(place) > 1]
    if doubled:
        raise InvalidInputError(f"each folder is merged once; given twice: {shortened(doubled)}.")
    for part in parts:
        load(part).store.close()
    return parts


def _new_folder(out: Path) -> Path:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: merged studies go to a new or an empty folder; this is not.")
    out.mkdir(parents=True, exist_ok=True)
    return out


def _check_plans(parts: Sequence[Path]) -> None:
    first, *others = (_plan(part) for part in parts)
    for part, plan in zip(parts[1:], others, strict=True):
        found = difference(first, plan)
        if found is not None:
            raise InvalidInputError(
                f"{parts[0]} and {part} are not parts of one study: {found}. Merge runs of the "
                "same plan on the same data."
            )


def _plan(part: Path) -> dict[str, Any]:
    """Return a plan without where its data lay and what they were called: the hash tells."""
    result = load(part)
    plan = result.plan
    result.store.close()
    ignored = ("source", "name")
    return plan | {"data": {k: v for k, v in plan["data"].items() if k not in ignored}}


def difference(one: Any, other: Any, name: str = "plan") -> str | None:  # noqa: ANN401  (JSON)
    """Say what the first difference between two plans is; None if there is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = {key: (one.get(key), other.get(key)) for key in {**one, **other}}
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = {str(i + 1): pair for i, pair in enumerate(zip(one, other, strict=True))}
    else:
        return None if one == other else f"{name}: {one!r} and {other!r}"
    for key, (left, right) in pairs.items():
        found = difference(left, right, key if name == "plan" else f"{name} {key}")
        if found is not None:
            return found
    return None


def _write(parts: Sequence[Path], target: Path) -> int:
    """Write the whole study; it appears under its name when it is complete."""
    partial = target / f"{FILE}.partial"
    try:
        odd = _joined(parts, partial)
        for name in COMPANIONS:
            found = next((part / name for part in parts if (part / name).is_file()), None)
            if found is not None:
                shutil.copyfile(found, target / name)
        partial.replace(target / FILE)
    except BaseException:
        for name in (partial.name, *COMPANIONS):
            (target / name).unlink(missing_ok=True)
        raise
    return odd


def _joined(parts: Sequence[Path], path: Path) -> int:
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
        "SELECT COUNT(*) FROM main.units AS unit JOIN part.units AS twin USING (selector, resample) "
        f"WHERE unit.status = 'done' AND twin.status = 'done' AND ({unlike})"
    )
    return int(rows[0][0])


SAME = "selector = unit.selector AND resample = unit.resample"
WANTED = (
    "SELECT selector, resample FROM part.units AS unit WHERE NOT EXISTS (SELECT 1 FROM main.units "
    f"WHERE {SAME} AND (status = 'done' OR unit.status = 'failed'))"
)
"""Units of the part that the whole lacks, or has as failed only."""


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
        "INSERT INTO main.runs (started, where_run, versions) SELECT started, where_run, versions "
        "FROM part.runs AS theirs WHERE NOT EXISTS (SELECT 1 FROM main.runs WHERE "
        "started = theirs.started AND where_run = theirs.where_run AND "
        "versions = theirs.versions) ORDER BY theirs.run"
    )
