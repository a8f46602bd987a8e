"""The folder of a run: the plan, the store, and the data where they were given in memory."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from holdfast._formatting import format_list
from holdfast.errors import FileFormatError, StoreError, StudyError
from holdfast.io import Dataset, read_data
from holdfast.study._planning._plan import as_text, check_same
from holdfast.study._planning._stopping_rule import STOPPING_RULE_KEY
from holdfast.study._storage._store import FILE, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.study._planning._plan import Plan
    from holdfast.study._planning._stopping_rule import Until
    from holdfast.study._storage._serialization import JSON


PLAN = "plan.json"
DATA = "data.npz"
NEW = ".study.new.sqlite"
LEFT = {PLAN, DATA, NEW, f"{NEW}-journal", ".data.new.npz", f".{PLAN}.new", ".lock"}
"""What a process that was killed at the start may have left."""


def made_folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder, made if it is not there."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder}: the folder cannot be made ({error.strerror}); give another."
        ) from error
    return folder


def open_or_create_store(
    folder: Path, plan: Plan, data: Dataset, *, save_data: bool, until: Until | None = None
) -> Store:
    """Return the store of a plan: the one that is there, or a new one with the plan in it."""
    document = plan.to_json()
    if not (folder / FILE).exists():
        _check_empty(folder)
        if save_data and data.source is None:
            _save_data(folder / DATA, data)
        write_whole(folder / PLAN, as_text(document).encode())
        _make_store(folder, plan, data, until)
    store = Store.open(folder / FILE, write=True)
    check_same(store.fact("plan"), document, folder)
    return store


def _make_store(folder: Path, plan: Plan, data: Dataset, until: Until | None) -> None:
    """Make a store that appears under its name when the plan is in it."""
    new = folder / NEW
    new.unlink(missing_ok=True)  # left by a process that was killed here
    with closing(Store.create(new)) as store:
        fill(store, plan, data, until)
    new.replace(folder / FILE)


def fill(store: Store, plan: Plan, data: Dataset, until: Until | None = None) -> None:
    """Write the plan and what it is about into an empty store."""
    with store.transaction():
        store.insert("classes", enumerate(data.classes))
        subjects = [None] * data.n_samples if data.groups is None else data.groups.tolist()
        rows = zip(range(data.n_samples), data.codes.tolist(), subjects, strict=True)
        store.insert("samples", rows)
        store.insert("features", _feature_rows(data))
        store.insert("selectors", enumerate(plan.selectors))
        store.insert("classifiers", enumerate(plan.classifiers))
        store.add_resamples(plan.resamples)
        store.insert("facts", [("plan", as_text(plan.to_json()))])
        if until is not None:
            store.insert("facts", [(STOPPING_RULE_KEY, json.dumps(until.to_json(stopped=False)))])


def _feature_rows(data: Dataset) -> list[tuple[object, ...]]:
    truth = [None] * data.n_features if data.truth is None else data.truth.astype(int).tolist()
    numbers = range(data.n_features)
    return list(zip(numbers, data.feature_names, directions(data), truth, strict=True))


def directions(data: Dataset) -> list[int | None]:
    """Return for each feature the class in which its mean is highest; None if it is constant."""
    means = np.full((len(data.classes), data.n_features), -np.inf)
    for code in range(len(data.classes)):
        part = data.X[data.codes == code]
        counts = np.count_nonzero(~np.isnan(part), axis=0)
        sums = np.nansum(part, axis=0, dtype=np.float64)
        np.divide(sums, counts, out=means[code], where=counts > 0)
    differs = np.fmax.reduce(data.X) > np.fmin.reduce(data.X)
    best = means.argmax(axis=0).tolist()
    return [code if own else None for code, own in zip(best, differs, strict=True)]


def _check_empty(folder: Path) -> None:
    """Refuse to write among other people's files; what a killed start left does not count."""
    others = [path.name for path in folder.iterdir() if path.name not in LEFT]
    if others:
        raise StoreError(
            f"{folder}: the folder is not empty and holds no study "
            f"({format_list(sorted(others))}); "
            "give a new or an empty one."
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        _drop(new)
        raise StoreError(f"{path}: the file cannot be written ({error.strerror}).") from error


def _drop(path: Path) -> None:
    """Remove what was half written, if anything was."""
    with suppress(OSError):  # the folder may be read-only
        path.unlink()


def _save_data(path: Path, data: Dataset) -> None:
    parts: dict[str, NDArray[Any]] = {
        "X": data.X,
        "y": data.y,
        "feature_names": np.array(data.feature_names),
        "nominal": np.array(data.nominal, dtype=np.int64),
    }
    labels = {"groups": data.groups, "cohorts": data.cohorts}
    parts |= {name: own for name, own in labels.items() if own is not None}
    new = path.with_name(".data.new.npz")
    try:
        np.savez(new, **parts)  # type: ignore[arg-type]  # the stubs mistake arrays for a flag
        new.replace(path)
    except OSError as error:
        _drop(new)
        raise StoreError(
            f"{path}: the data cannot be saved ({error.strerror}); make room, or refuse it by "
            "save_data=False."
        ) from error


def load_data(folder: Path, plan: JSON, moved: str | os.PathLike[str] | None = None) -> Dataset:
    """Read the data of a plan again: from their file, or where it is now, or from the folder."""
    source = plan["data"]["source"]
    if source is not None:
        wishes = {key: value for key, value in source.items() if key != "file"}
        # that the labels are classes was settled when the study began, by any version
        data = read_data(moved or source["file"], **{**wishes, "classes": True})
    elif (folder / DATA).exists():
        data = _saved_data(folder / DATA)
    else:
        raise StudyError(
            f"{folder}: the data were given in memory and not saved here; go on with "
            "Study.run(X, y, out=...)."
        )
    if data.fingerprint != plan["data"]["sha256"]:
        raise StoreError(
            f"{folder}: the data are not what they were when the study began "
            f"({'they were saved here' if source is None else moved or source['file']}); restore "
            "them, or start in another folder."
        )
    return data


def _saved_data(path: Path) -> Dataset:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as parts:
            return Dataset(
                X=parts["X"],
                y=parts["y"],
                feature_names=tuple(parts["feature_names"].tolist()),
                nominal=tuple(parts["nominal"].tolist()),
                groups=parts.get("groups"),
                cohorts=parts.get("cohorts"),
            )
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise FileFormatError(f"{path}: the saved data cannot be read ({error}).") from error


# One run at a time in a folder: a lock that ends with its process, whatever ends that.


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for this process alone, or say that another run has it."""
    handle = _taken(folder)
    if handle is None:
        raise StoreError(
            f"{folder}: another run is at work in this folder; wait for it to end, or give "
            "another folder."
        )
    try:
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _taken(folder: Path) -> int | None:
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(handle)
            return None
        return handle
else:
    import fcntl

    def _taken(folder: Path) -> int | None:
        """Lock the folder itself: no file is left behind when the process is killed."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        except OSError as error:
            os.close(handle)
            raise StoreError(
                f"{folder}: the folder cannot be locked ({error.strerror}); some network disks "
                "cannot do it. Give a folder on another disk."
            ) from error
        return handle
