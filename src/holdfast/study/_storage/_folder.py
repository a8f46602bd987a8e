"""The folder of a study: its plan, its store, and its data if they were given in memory."""

from __future__ import annotations

import inspect
import json
import os
import stat
import tokenize
import zlib
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from scipy.sparse import csr_matrix

from holdfast._formatting import format_list
from holdfast._memory import is_sparse
from holdfast._typing import JSON, AnyArray, MatrixLike
from holdfast.errors import FileFormatError, InvalidInputError, StoreError, StudyError
from holdfast.io import Dataset, class_means, constant_features, read_data
from holdfast.study._planning._plan import Plan, as_text, check_same_plan
from holdfast.study._planning._stopping_rule import StoppingRule
from holdfast.study._storage._folder_lock import LOCK_FILE
from holdfast.study._storage._schema import STOPPING_RULE_KEY
from holdfast.study._storage._store import FILE, Store
from holdfast.study._storage._store_checks import StoreContentError, check_plan, parse_json

PLAN = "plan.json"
DATA = "data.npz"
SAMPLE_FIELDS = ("groups", "cohorts", "sample_weight")
"""Fields of a data set about its samples that may be missing."""
NEW_STORE = ".study.new.sqlite"
PARTIAL_FILES = {
    *(PLAN, DATA, NEW_STORE),
    *(f"{NEW_STORE}-journal", ".data.new.npz", f".{PLAN}.new", LOCK_FILE),
}
"""Files that a process killed at the start may have left."""


def create_folder(out: str | os.PathLike[str]) -> Path:
    """Return the folder; create it if it does not exist."""
    folder = Path(out)
    try:
        str(folder.resolve()).encode()
    except ValueError:  # no text, which the store keeps of each run, or with a null character
        raise StoreError(
            f"the path of the folder is not valid UTF-8, got {str(folder)!a}; name another folder."
        ) from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder}: the folder cannot be created ({error.strerror}); use another."
        ) from error
    return folder


def open_or_create_store(
    folder: Path, plan: Plan, data: Dataset, *, save_data: bool, rule: StoppingRule | None = None
) -> Store:
    """Return the existing store of a plan, or a new one that holds the plan."""
    document = plan.to_json()
    if not (folder / FILE).exists():
        check_empty(folder)
        if save_data and data.source is None:
            _save_data(folder / DATA, data)
        write_file(folder / PLAN, as_text(document).encode())
        # the store comes last and gets its name when it is complete: it marks a usable folder
        new = folder / NEW_STORE
        new.unlink(missing_ok=True)  # left by a process that was killed
        with closing(Store.create(new)) as store:
            write_plan(store, plan, data, rule)
        new.replace(folder / FILE)
    store = Store.open(folder / FILE, write=True)
    check_same_plan(store.fact("plan"), document, folder)
    return store


def check_storable(plan: Plan) -> None:
    """Raise if a plan could not be read again, as with a name that is no text."""
    try:
        check_plan(parse_json(as_text(plan.to_json()), "its plan"))
    except StoreContentError as error:
        raise InvalidInputError(f"this study cannot be stored: {error}.") from error


def write_plan(store: Store, plan: Plan, data: Dataset, rule: StoppingRule | None = None) -> None:
    """Write the plan, the samples and the features into an empty store."""
    subjects = [None] * data.n_samples if data.groups is None else data.groups.tolist()
    samples = zip(range(data.n_samples), data.codes.tolist(), subjects, strict=True)
    truth = [None] * data.n_features if data.truth is None else data.truth.astype(int).tolist()
    numbers = range(data.n_features)
    features = zip(numbers, data.feature_names, directions(data), truth, strict=True)
    with store.transaction():
        store.insert("classes", enumerate(data.classes))
        store.insert("samples", samples)
        store.insert("features", features)
        store.insert("selectors", enumerate(plan.selectors))
        store.insert("classifiers", enumerate(plan.classifiers))
        store.add_resamples(plan.resamples)
        store.insert("facts", [("plan", as_text(plan.to_json()))])
        if rule is not None:
            store.insert("facts", [(STOPPING_RULE_KEY, json.dumps(rule.to_json(stopped=False)))])
        store.add_plan_checksum()


def directions(data: Dataset) -> list[int | None]:
    """Return the class in which the mean of each feature is highest; None if constant."""
    means = [class_means(data.X, data.codes == code) for code in range(len(data.classes))]
    differs = ~constant_features(data.X)
    highest = np.argmax(means, axis=0).tolist()
    return [code if varies else None for code, varies in zip(highest, differs, strict=True)]


def check_empty(folder: Path) -> None:
    """Raise if the folder holds other files than those of a start that was killed."""
    others = [path.name for path in folder.iterdir() if path.name not in PARTIAL_FILES]
    if others:
        raise StoreError(
            f"{folder}: the folder is not empty and holds no study "
            f"({format_list(sorted(others))}); use a new or an empty folder."
        )


def write_file(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        _remove_partial_file(new)
        raise StoreError(f"{path}: the file cannot be written ({error.strerror}).") from error


def _remove_partial_file(path: Path) -> None:
    """Remove a partial file, if there is one."""
    with suppress(OSError):  # the folder may be read-only
        path.unlink()


def _save_data(path: Path, data: Dataset) -> None:
    parts: dict[str, AnyArray] = {
        **_matrix_parts(data.X),
        "y": data.y,
        "feature_names": np.array(data.feature_names),
        "nominal": np.array(data.nominal, dtype=np.int64),
    }
    fields = {name: getattr(data, name) for name in SAMPLE_FIELDS}
    parts |= {name: values for name, values in fields.items() if values is not None}
    new = path.with_name(".data.new.npz")
    try:
        np.savez(new, **parts)  # type: ignore[arg-type]  # the stubs mistake arrays for a flag
        new.replace(path)
    except OSError as error:
        _remove_partial_file(new)
        raise StoreError(
            f"{path}: the data cannot be saved ({error.strerror}); free space, or set "
            "save_data=False."
        ) from error


SPARSE_PARTS = ("data", "indices", "indptr", "shape")
"""Attributes of a sparse matrix that are saved, each as ``X_`` and its name."""


def _matrix_parts(X: MatrixLike) -> dict[str, AnyArray]:
    """Return the arrays that are saved of a matrix."""
    if not is_sparse(X):
        return {"X": X}
    return {f"X_{name}": np.asarray(getattr(X, name)) for name in SPARSE_PARTS}


def _read_matrix(parts: Mapping[str, AnyArray]) -> MatrixLike:
    """Return the matrix of saved arrays; a sparse one is checked by the data set that gets it."""
    if "X" in parts:
        return parts["X"]
    data, indices, indptr, shape = (parts[f"X_{name}"] for name in SPARSE_PARTS)
    return csr_matrix((data, indices, indptr), shape=tuple(shape.tolist()))


def load_data(folder: Path, plan: JSON, moved: str | os.PathLike[str] | None = None) -> Dataset:
    """Read the data of a plan again: from their file, its new location, or the folder."""
    source = plan["data"]["source"]
    if source is not None:
        options = {key: value for key, value in source.items() if key != "file"}
        _check_source(folder, source["file"] if moved is None else None, options)
        # the labels were accepted as classes when the study began, whatever the version
        data = read_data(moved or source["file"], **{**options, "classes": True})
    elif (folder / DATA).exists():
        data = _read_saved_data(folder / DATA)
    else:
        raise StudyError(
            f"{folder}: the data were given in memory and not saved here; continue with "
            "Study.run(X, y, out=...)."
        )
    if data.fingerprint != plan["data"]["sha256"]:
        raise StoreError(
            f"{folder}: the data have changed since the study began "
            f"({'they were saved here' if source is None else moved or source['file']}); restore "
            "them, or start in another folder."
        )
    return data


READ_OPTIONS = frozenset(inspect.signature(read_data).parameters) - {"source", "progress"}
"""Options of a plan that say how its file is read."""


def _check_source(folder: Path, file: str | None, options: JSON) -> None:
    """Raise if a plan names a pipe or a device, or options that `read_data` does not have."""
    if file is not None and not _may_be_file(file):
        raise StoreError(
            f"{folder}: its plan reads the data from {file}, which is not a regular file; if the "
            "data are elsewhere, name their file by --data."
        )
    unknown = sorted(set(options) - READ_OPTIONS)
    if unknown:
        raise StoreError(
            f"{folder}: its plan reads the data with options that this version of holdfast does "
            f"not have ({format_list(unknown)}); resume it with the version that began it."
        )


def _may_be_file(file: str) -> bool:
    """Return whether a path is that of a regular file, or of nothing: the reader reports that."""
    try:
        return stat.S_ISREG(Path(file).stat().st_mode)
    except (OSError, ValueError):
        return True


SAVED_DATA_ERRORS = (
    *(OSError, ValueError, KeyError, TypeError, EOFError, MemoryError, NotImplementedError),
    *(BadZipFile, zlib.error, tokenize.TokenError, SyntaxError, OverflowError, AttributeError),
)
"""What NumPy and its ``zipfile`` raise for files that are damaged."""


def _read_saved_data(path: Path) -> Dataset:
    if not path.is_file():  # reading from a pipe may never end
        raise FileFormatError(f"{path}: the saved data are not a regular file.")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as parts:
            return Dataset(
                X=_read_matrix(parts),
                y=parts["y"],
                feature_names=tuple(parts["feature_names"].tolist()),
                nominal=tuple(parts["nominal"].tolist()),
                **{name: parts.get(name) for name in SAMPLE_FIELDS},
            )
    except SAVED_DATA_ERRORS as error:
        raise FileFormatError(f"{path}: the saved data cannot be read ({error}).") from error


def active_rule(store: Store) -> StoppingRule | None:
    """Return the stopping rule of a study that has not stopped yet; None for all others."""
    fact = store.fact(STOPPING_RULE_KEY)
    return None if fact is None or fact["stopped"] else StoppingRule.from_json(fact)


def check_same_rule(store: Store, rule: StoppingRule | None, folder: object) -> None:
    """Raise if the study in a folder stops, or stopped, by another rule."""
    fact = store.fact(STOPPING_RULE_KEY)
    if rule is None:
        same = active_rule(store) is None
    else:
        same = fact is not None and StoppingRule.from_json(fact) == rule
    if not same:
        requested = "is not given" if rule is None else f"is {rule.width:g}"
        stored = "has none" if fact is None else f"has {fact['width']:g}"
        raise StoreError(
            f"{folder}: this folder holds another study: until_width {requested} here, the study "
            f"there {stored}, or a different maximum number of resamples. Use another folder, or "
            "the same plan to continue."
        )
